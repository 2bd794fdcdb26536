//! The cases themselves: a new one begun, and what those that exist would show.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::{CaseId, CaseStatus, PartId, Risk, WorkflowId};
use crate::grading::{DoNothing, GradingContext, do_nothing};
use crate::manifest::{
    Diagnostic, DiskFiles, FileSource, Project, ScaffoldError, ScaffoldInput, ScaffoldRequest, Skeleton, load_side,
    scaffold,
};
use crate::selection::{CaseTally, Coverage, RiskMatrix, coverage, risk_matrix, risks_at_stake};
use crate::store::Store;

use super::new_file::{barrier, write_new};
use super::{PipelineError, check};

/// A case that was begun.
#[derive(Clone, Debug)]
pub struct NewCase {
    /// What was written.
    pub skeleton: Skeleton,
    /// Whether a change of the part puts the risk at stake, so that the case would run for it.
    pub at_stake: bool,
}

/// Begins a case and writes its file. Nothing that exists is touched.
///
/// # Errors
/// When the project file or the part's manifest cannot be read, what was asked for does not exist, or the file cannot
/// be written or stands there already.
pub fn new_case(project_root: &Path, request: &ScaffoldRequest) -> Result<NewCase, PipelineError> {
    let files = DiskFiles::new(project_root);
    // Lenient: the case that was begun a minute ago still asserts nothing.
    let side = load_side(&files);
    let of = |folder: &str, found: &Diagnostic| found.path == folder || found.path.starts_with(&format!("{folder}/"));
    let Some(file) = &side.project_file else {
        return Err(PipelineError::Invalid(side.unreadable.into_iter().filter(|found| !of("cases", found)).collect()));
    };
    let part = &request.shows.part;
    let unread: Vec<Diagnostic> = side.unreadable.iter().filter(|found| of("manifests", found)).cloned().collect();
    if !side.parts.contains_key(part) && !unread.is_empty() {
        return Err(PipelineError::Invalid(unread));
    }
    let paths = files.list("cases").unwrap_or_default();
    let skeleton = scaffold(&ScaffoldInput { file, parts: &side.parts, cases: &side.cases, paths: &paths }, request)?;
    write_new_case(project_root, &skeleton.path, skeleton.text.as_bytes())?;
    let kind = side.parts.get(part).map(|part| part.kind.into());
    let at_stake = kind.is_some_and(|kind| risks_at_stake(file, kind).contains(&request.shows.risk));
    Ok(NewCase { skeleton, at_stake })
}

/// Writes the file where nothing is, and through no link: what a link leads to is not the project's.
pub(super) fn write_new_case(project_root: &Path, case_path: &str, content: &[u8]) -> Result<(), PipelineError> {
    if let Some(folder) = barrier(project_root, case_path) {
        return Err(ScaffoldError::no_folder(folder).into());
    }
    if write_new(project_root, case_path, content)? { Ok(()) } else { Err(ScaffoldError::exists(case_path).into()) }
}

/// The cases of a project, and what they would show.
#[derive(Clone, Debug)]
pub struct CaseOverview {
    /// The project.
    pub project: Project,
    /// Every risk that the project knows, the built-in ones first.
    pub risks: Vec<Risk>,
    /// How many cases show each risk that a change of a part would put at stake.
    pub coverage: Vec<Coverage>,
    /// The same with all parts and risks, and how the cases last ended.
    pub matrix: RiskMatrix,
    /// How each case ended when it last ran on this machine; one that never ran is not there.
    pub last: BTreeMap<CaseId, CaseStatus>,
    /// Whether a workflow that does nothing would pass each case.
    pub do_nothing: BTreeMap<CaseId, DoNothing>,
}

/// One cell of the matrix of risks and workflows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseCell {
    /// The cases that the risk's set has for the workflow.
    pub own: CaseTally,
    /// How many cases of other sets show the risk too, because they list it under `risks`.
    pub of_other_sets: usize,
    /// The parts whose change would put the risk at stake for the workflow, and no case shows it.
    pub gaps: Vec<PartId>,
}

impl CaseOverview {
    /// All cases.
    pub fn tally(&self) -> CaseTally {
        let mut tally = CaseTally::default();
        self.project.cases.keys().for_each(|case| tally.add(self.last.get(case)));
        tally
    }

    /// What there is to say of one risk's set and one workflow. A part that no workflow lists is a gap for each.
    pub fn cell(&self, risk: &Risk, workflow: &WorkflowId) -> CaseCell {
        let mut cell = CaseCell::default();
        let of_workflow = || self.project.cases.values().filter(|case| case.workflow == *workflow);
        cell.of_other_sets = of_workflow().filter(|case| case.set != *risk && case.risks.contains(risk)).count();
        for case in of_workflow().filter(|case| case.set == *risk) {
            cell.own.add(self.last.get(&case.id));
        }
        let file = &self.project.file;
        let lists = |part: &PartId| file.workflows.get(workflow).is_some_and(|spec| spec.parts.contains(part));
        let uses = |part: &PartId| lists(part) || !file.uses(part);
        let gaps = self.coverage.iter().filter(|row| row.cases == 0 && row.risk == *risk && uses(&row.part));
        cell.gaps = gaps.map(|row| row.part.clone()).collect();
        cell
    }
}

/// Reads what there is to say of the project's cases; runs nothing.
///
/// # Errors
/// When the project is invalid, or the history of this machine cannot be read.
pub fn case_overview(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<CaseOverview, PipelineError> {
    let (project, _) = check(project_root, environment)?;
    let history = Store::of_project(project_root).history_to_read()?;
    let last = history.map(|history| history.last()).transpose()?.unwrap_or_default();
    let last: BTreeMap<CaseId, CaseStatus> =
        last.into_iter().filter(|(case, _)| project.cases.contains_key(case)).collect();
    let built_in = crate::domain::BUILT_IN_RISKS.into_iter().map(Risk::from);
    let risks: Vec<Risk> = built_in.chain(project.file.risks.iter().cloned()).collect();
    let matrix = risk_matrix(&project, &risks, &last);
    let context = GradingContext { parts: &project.parts, texts: &project.texts };
    let do_nothing = project.cases.iter().map(|(id, case)| (id.clone(), do_nothing(&case.open(), &context))).collect();
    Ok(CaseOverview { risks, coverage: coverage(&project), matrix, last, do_nothing, project })
}
