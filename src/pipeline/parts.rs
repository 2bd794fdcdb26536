//! A run that is done in parts: which of its cases are carried out here.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::domain::{CaseId, Digest};
use crate::selection::{PartitionBy, RunPart, Selected, part_by_hash, parts_by_durations};
use crate::store::{Durations, PartOfRun, Store};

use super::PipelineError;
use super::prepare::Prepared;

/// Which part is asked for, and by what the run is divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRequest {
    /// Which of how many.
    pub part: RunPart,
    /// By what.
    pub by: PartitionBy,
    /// The file of durations, where it is not the records of this machine that count.
    pub durations: Option<PathBuf>,
}

/// The part of a run that is carried out here.
#[derive(Clone, Debug)]
pub(super) struct Division {
    /// Which part, of which run.
    pub(super) of: PartOfRun,
    /// The cases that other parts run.
    pub(super) elsewhere: BTreeSet<CaseId>,
}

impl Division {
    /// What has to be said beside whatever the part's results are.
    pub(super) fn sentence(&self, own: usize) -> String {
        let all = own + self.elsewhere.len();
        format!(
            "this is {}, with {own} of the {all} cases of the run: it says nothing of the others and is no verdict of the \
             whole, which is what `holdpoint merge` makes of all parts",
            self.of.part
        )
    }
}

/// Leaves in the plan what belongs to the part that is asked for.
pub(super) fn divided(prepared: Prepared, root: &Path, asked: &PartRequest) -> Result<Prepared, PipelineError> {
    let durations = match (asked.by, &asked.durations) {
        (PartitionBy::Hash, _) => None,
        (PartitionBy::Durations, Some(path)) => Some(Durations::read(path)?),
        (PartitionBy::Durations, None) => Some(Store::of_project(root).durations()?),
    };
    let RunPart { number, of } = asked.part;
    let selected = prepared.plan.selected.iter().map(|selected| &selected.case);
    let own: BTreeSet<CaseId> = match &durations {
        None => selected.filter(|case| part_by_hash(case, of) == number).cloned().collect(),
        Some(known) => {
            let parts = parts_by_durations(selected, &known.cases, of);
            parts.into_iter().filter(|(_, part)| *part == number).map(|(case, _)| case.clone()).collect()
        }
    };
    let of = PartOfRun {
        part: asked.part,
        by: asked.by,
        selection: selection_digest(&prepared),
        durations: durations.as_ref().map(Durations::digest),
    };
    Ok(with_part(prepared, of, &own))
}

/// The part as it was at its beginning. What other parts run cannot be told from here, so a part whose run would be
/// another by now does not go on.
pub(super) fn divided_as_recorded(
    prepared: Prepared,
    of: &PartOfRun,
    own: &BTreeSet<CaseId>,
) -> Result<Prepared, PipelineError> {
    if selection_digest(&prepared) != of.selection {
        let text = format!(
            "since {} began, the cases of the whole run or their content have changed: begin every part of it again",
            of.part
        );
        return Err(PipelineError::Resume(text));
    }
    Ok(with_part(prepared, of.clone(), own))
}

/// The digest over every case that is selected and its content.
pub(super) fn selection_digest(prepared: &Prepared) -> Digest {
    let cases = &prepared.project.cases;
    let line = |selected: &Selected| {
        let content = cases.get(&selected.case).map_or("", |case| case.digest.as_str());
        format!("{content} {}\n", selected.case)
    };
    Digest::of(prepared.plan.selected.iter().map(line).collect::<String>().as_bytes())
}

fn with_part(mut prepared: Prepared, of: PartOfRun, own: &BTreeSet<CaseId>) -> Prepared {
    let (own, elsewhere): (Vec<Selected>, Vec<Selected>) =
        std::mem::take(&mut prepared.plan.selected).into_iter().partition(|one| own.contains(&one.case));
    prepared.plan.selected = own;
    let elsewhere = elsewhere.into_iter().map(|one| one.case).collect();
    prepared.part = Some(Division { of, elsewhere });
    prepared
}
