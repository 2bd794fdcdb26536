//! Parts of a run, carried out on several machines, put together: one record, one verdict.

mod same_run;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::domain::RunId;
use crate::execution::Cancellation;
use crate::store::{Asked, Resumption, RunHeader, RunKind, Store, TrialKey, UnfinishedRun};

use super::carry_out::{Planned, Progress};
use super::parts::selection_digest;
use super::prepare::Prepared;
use super::resume::{self, OnRecord, TakenUp};
use super::{Begun, Concluded, PipelineError, Request, conclude_begun, leftovers, times};

/// A part with the place where its record lies.
struct Brought {
    path: PathBuf,
    record: UnfinishedRun,
}

impl Brought {
    fn header(&self) -> &RunHeader {
        &self.record.record.header
    }
}

/// Parts that are all there, whole, and of one run.
pub(super) struct MergedParts {
    /// In the order of their numbers.
    parts: Vec<Brought>,
}

/// Puts the parts of a run together: record files, folders with record files below them, or ids of runs that are recorded
/// here. Nothing is run: the results are those of the parts, judged as those of one run.
///
/// # Errors
/// When a part is missing, there twice, unfinished or of another run, or the project's files here are not those that the
/// parts tested. What is wrong is named, all of it at once.
pub fn merge(
    request: &Request,
    named: &[String],
    cancellation: &Cancellation,
    progress: &Progress<'_>,
) -> Result<Concluded, PipelineError> {
    let store = Store::of_project(&request.project_root);
    let mut parts = Vec::new();
    for path in named.iter().map(|named| store.records_at(named)).collect::<Result<Vec<_>, _>>()?.concat() {
        let record = store.read_brought(&path)?;
        parts.push(Brought { path, record });
    }
    parts.sort_by_key(|part| part.header().part.as_ref().map(|of| of.part.number));
    let wrong = same_run::what_is_wrong(&parts);
    if !wrong.is_empty() {
        return Err(PipelineError::Merge(wrong));
    }
    let merged = MergedParts { parts };
    let Some((first, kind)) = merged.parts.first().map(|part| (part.header(), part.header().kind)) else {
        return Err(PipelineError::Merge(vec!["no part was named".to_owned()]));
    };
    let mut request = resume::asked_again(request, first.asked.clone().unwrap_or_default());
    let mut prepared = resume::prepare_again(&mut request, first)?;
    let wrong = merged.against(&prepared)?;
    if !wrong.is_empty() {
        return Err(PipelineError::Merge(wrong));
    }
    // What is paused is the starting of cases, and none is started.
    prepared.pause = None;
    let now = times::now();
    let run = times::run_id(&now);
    let _alive = store.hold_run(&run)?;
    leftovers::clear(&store);
    let started = merged.parts.iter().map(|part| part.header().started.clone()).min().unwrap_or(now);
    let on_record = Some(OnRecord::Parts(merged));
    let begun = Begun { run, started, store, prepared, on_record };
    conclude_begun(&request, kind, begun, cancellation, progress)
}

impl MergedParts {
    /// What was asked for.
    pub(super) fn asked(&self) -> Option<&Asked> {
        self.parts.first().and_then(|part| part.header().asked.as_ref())
    }

    /// The runs of the parts.
    pub(super) fn runs(&self) -> Vec<RunId> {
        self.parts.iter().map(|part| part.header().run.clone()).collect()
    }

    /// Why results of the parts say nothing of what was to be tested, as the parts themselves found.
    pub(super) fn lost_evidence(&self) -> Vec<String> {
        let summaries = self.parts.iter().filter_map(|part| Some((part, part.record.record.summary.as_ref()?)));
        summaries.flat_map(|(part, summary)| summary.lost_evidence.iter().map(|lost| said_by(part, lost))).collect()
    }

    /// What in the files here is not as the parts found it, a sentence each.
    fn against(&self, prepared: &Prepared) -> Result<Vec<String>, PipelineError> {
        let Some(first) = self.parts.first().map(Brought::header) else { return Ok(Vec::new()) };
        let snapshot = prepared.sides.snapshot(&prepared.project)?;
        let mut names = Vec::new();
        for part in &self.parts {
            let edited = resume::edited(part.header(), prepared, &snapshot).names();
            names.extend(edited.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        if first.commit != prepared.changes.head.commit {
            let commit = |commit: &Option<String>| commit.clone().unwrap_or_else(|| "none".to_owned());
            let (then, now) = (commit(&first.commit), commit(&prepared.changes.head.commit));
            names.push(format!("the commit, {then} there and {now} here"));
        }
        if first.baseline_heads != prepared.accepted.baseline.heads {
            names.push("what was accepted".to_owned());
        }
        if !names.is_empty() {
            let names = resume::some(&names);
            return Ok(vec![format!("the project here is not the one that the parts ran; it differs in {names}")]);
        }
        let selection = first.part.as_ref().map(|of| &of.selection);
        if selection != Some(&selection_digest(prepared)) {
            return Ok(vec![
                "from the project here other cases are selected than the parts ran: files that no manifest names may \
                 lie in the folder (keep what is brought outside it, or below `.holdpoint`), or the base is another"
                    .to_owned(),
            ]);
        }
        Ok(same_run::uncovered(&self.parts, &prepared.plan))
    }

    /// Takes over every trial; a planned one that is not there is an error, since nothing is run here.
    pub(super) fn take_up(&self, planned: &[Planned<'_>]) -> Result<TakenUp, PipelineError> {
        let mut taken = TakenUp::default();
        for part in &self.parts {
            for trial in &part.record.record.trials {
                let key = TrialKey::of(trial);
                let mutation = part.record.mutated.get(&key).cloned();
                taken.settle(key);
                taken.copied.push((trial.clone(), mutation));
            }
            taken.resumptions.extend(part.record.resumptions.iter().map(|resumption| Resumption {
                at: resumption.at.clone(),
                sentences: resumption.sentences.iter().map(|sentence| said_by(part, sentence)).collect(),
            }));
        }
        let mut missing: BTreeMap<String, u32> = BTreeMap::new();
        for Planned { case, form, trials } in planned {
            let keys = (1..=*trials).map(|number| TrialKey { case: case.id.clone(), form: *form, number });
            let open = keys.filter(|key| !taken.is_settled(key)).count();
            if open > 0 {
                *missing.entry(case.id.to_string()).or_default() += u32::try_from(open).unwrap_or(u32::MAX);
            }
        }
        if missing.is_empty() {
            return Ok(taken);
        }
        let cases: Vec<String> = missing.into_keys().collect();
        let text = format!("trials are missing in the records of the parts, of {}", resume::some(&cases));
        Err(PipelineError::Merge(vec![text]))
    }
}

fn said_by(part: &Brought, sentence: &str) -> String {
    let of = part.header().part.as_ref();
    of.map_or_else(|| sentence.to_owned(), |of| format!("{}: {sentence}", of.part))
}

/// Refuses to go on with what is no run of its own, or not as a whole.
pub(super) fn require_own(header: &RunHeader) -> Result<(), PipelineError> {
    if header.merged_from.is_empty() || header.kind == RunKind::Imported {
        return Ok(());
    }
    let text = format!("run {} was put together from parts and runs nothing itself: merge the parts again", header.run);
    Err(PipelineError::Resume(text))
}
