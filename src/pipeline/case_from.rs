//! A case begun from what was recorded: of a run on this machine, or in an incident paper.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::change::revision_files;
use crate::domain::{CaseId, Digest, Risk, TrialStatus, WorkflowId, some_of};
use crate::evidence::Form;
use crate::execution::{Redactor, unset_secrets};
use crate::grading::GradedTrial;
use crate::import::{EXPECT, IncidentGround, TrialGround, concerned_case, of_incident, of_trial, risk_of};
use crate::manifest::{
    Case, DiskFiles, FileSource, HeldCase, ProjectFile, ScaffoldError, ScaffoldInput, SideProject, Skeleton,
    blank_input, check_risk, free_id, load_side,
};
use crate::operations::{Incident, Source};
use crate::report::shell_word;
use crate::store::{RunRecord, Store};

use super::cases::write_new_case;
use super::{PipelineError, check};

/// The most cases of a paper that are named.
const NAMED: usize = 5;

/// What a case is begun from.
#[derive(Clone, Debug)]
pub enum CaseOrigin {
    /// A case as it ran in a recorded run.
    Run {
        /// The run, as it was named.
        run: String,
        /// The case.
        case: CaseId,
    },
    /// An incident paper.
    Incident(Box<Incident>),
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct CaseFromRequest {
    /// What it is begun from.
    pub origin: CaseOrigin,
    /// Its id; by default made of the recorded case's.
    pub id: Option<CaseId>,
    /// The workflow that it runs against, where only the paper speaks; a case of a run keeps that run's.
    pub workflow: Option<WorkflowId>,
    /// Its set; by default the recorded case's, or that of what went wrong.
    pub set: Option<Risk>,
}

/// A case that was begun from what was recorded.
#[derive(Clone, Debug)]
pub struct BegunCase {
    /// The case, and where it was written.
    pub skeleton: Skeleton,
    /// Variables that may hold a secret and are not set: their values were not looked for in what was recorded.
    pub unset: BTreeSet<String>,
}

/// Begins a case from what was recorded, and writes its file. Nothing that exists is touched, and it asserts nothing until a person
/// has said what must hold.
///
/// # Errors
/// When the record, or the form of the case that ran, is not to be had; as for any new case.
pub fn new_case_from(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
    request: &CaseFromRequest,
) -> Result<BegunCase, PipelineError> {
    let files = DiskFiles::new(project_root);
    // Lenient: the case that was begun a minute ago still asserts nothing.
    let side = load_side(&files);
    let Some(file) = &side.project_file else { return Err(PipelineError::Invalid(side.unreadable)) };
    let paths = files.list("cases").unwrap_or_default();
    let unset = unset_secrets(file, environment);
    let begin = Begin {
        not_looked_for: not_looked_for(&unset),
        root: project_root,
        environment,
        request,
        file,
        side: &side,
        input: ScaffoldInput { file, parts: &side.parts, cases: &side.cases, paths: &paths },
    };
    let skeleton = match &request.origin {
        CaseOrigin::Run { run, case } => begin.of_run(run, case, &[])?,
        CaseOrigin::Incident(incident) => begin.of_incident(incident)?,
    };
    write_new_case(project_root, &skeleton.path, skeleton.text.as_bytes())?;
    Ok(BegunCase { skeleton, unset })
}

/// What a case says of the variables whose values could not be looked for in it.
fn not_looked_for(unset: &BTreeSet<String>) -> Option<String> {
    (!unset.is_empty()).then(|| {
        format!(
            "Not looked for, since not set when this was written: {}. A value of it may stand below in the clear: set it, and make the \
             case anew.",
            some_of(unset, NAMED)
        )
    })
}

struct Begin<'a> {
    root: &'a Path,
    /// A sentence on the secrets that could not be looked for, where there are any.
    not_looked_for: Option<String>,
    environment: &'a BTreeMap<String, String>,
    request: &'a CaseFromRequest,
    file: &'a ProjectFile,
    side: &'a SideProject,
    input: ScaffoldInput<'a>,
}

impl Begin<'_> {
    fn of_run(&self, run: &str, id: &CaseId, remarks: &[String]) -> Result<Skeleton, PipelineError> {
        let store = Store::of_project(self.root);
        let record = store.read_run(&store.find_run(run)?)?;
        self.require_known_workflow()?;
        let trial = trial(&record, id)?;
        let case = self.form_that_ran(&record, id)?;
        self.require_workflow_of(&case)?;
        let set = self.request.set.clone().unwrap_or_else(|| case.set.clone());
        let new = self.place(set, &format!("{id}-seen"))?;
        let redactor = self.redactor();
        let expect: Vec<Value> = case
            .expect
            .iter()
            .map(|expectation| redactor.json(&serde_json::to_value(expectation).unwrap_or_default()))
            .collect();
        let folder = format!("cases/{}", new.set);
        let remarks: Vec<String> = self.not_looked_for.iter().chain(remarks).cloned().collect();
        let text = of_trial(&TrialGround {
            id: &new.id,
            folder: &folder,
            run: &record.header.run,
            case: &case,
            input: &redactor.json(&case.input),
            expect: &expect,
            trial,
            remarks: &remarks,
        });
        // The steps may hold what is a secret here, too.
        let text = redactor.text(&text).into_owned();
        Ok(new.skeleton(case.workflow.clone(), text))
    }

    /// Where the paper's run is recorded here, the case is what was recorded; else what the paper says.
    fn of_incident(&self, incident: &Incident) -> Result<Skeleton, PipelineError> {
        let case = concerned_case(incident).map_err(|cases| match cases.as_slice() {
            [] => ScaffoldError::new(
                "the incident paper speaks of no case".to_owned(),
                "make it of a run or a ledger in which something went wrong",
            ),
            [first, ..] => several_cases(incident, &cases, first),
        })?;
        if let Source::Run { run, .. } = &incident.source {
            let store = Store::of_project(self.root);
            if store.runs()?.contains(run) {
                let cause = incident.cause.iter().map(|statement| format!("Cause: {}", statement.text));
                let change = incident.change.iter().map(|statement| format!("Change: {}", statement.text));
                return self.of_run(run.as_str(), &case, &cause.chain(change).collect::<Vec<_>>());
            }
        }
        let incident = &incident.of_case(&case);
        // Where the project has the case, it says what the paper leaves open.
        let known = self.side.cases.get(&case);
        let of_answer = known.filter(|_| incident.requested.is_empty()).map(|known| known.set.clone());
        let set = self.request.set.clone().or(of_answer).unwrap_or_else(|| risk_of(incident));
        let new = self.place(set, &format!("{}-seen", crate::import::slug(case.as_str())))?;
        let workflow = match (&self.request.workflow, known) {
            (None, Some(known)) if incident.requested.is_empty() => known.workflow.clone(),
            _ => self.workflow(incident)?,
        };
        let input = blank_input(&self.side.cases, &workflow, &new.set);
        let remarks = self.not_looked_for.as_slice();
        let text = of_incident(&IncidentGround { id: &new.id, workflow: &workflow, input: &input, incident, remarks });
        // What a paper quotes may hold what is a secret here.
        let text = self.redactor().text(&text).into_owned();
        Ok(new.skeleton(workflow, text))
    }

    fn place(&self, set: Risk, plain: &str) -> Result<Place, PipelineError> {
        check_risk(self.file, &set)?;
        let id = free_id(&self.input, self.request.id.as_ref(), plain)?;
        Ok(Place { set, id })
    }

    /// The form of the case that ran, found by its digest: as it stands, or as it stood in the run's commit.
    fn form_that_ran(&self, record: &RunRecord, id: &CaseId) -> Result<Case, PipelineError> {
        let Some(planned) = record.header.cases.get(id) else {
            let message = format!("the run {} had no case `{}`", record.header.run, id.as_str().escape_debug());
            return Err(ScaffoldError::new(message, "`holdpoint report RUN` names its cases").into());
        };
        let is_it = |case: &&HeldCase| case.digest == planned.digest;
        if let Some(case) = self.side.cases.get(id).filter(is_it) {
            return Ok(case.open());
        }
        let earlier = record.header.commit.as_ref().and_then(|commit| {
            let files = revision_files(self.root, commit).ok()?;
            load_side(files.as_ref()).cases.remove(id)
        });
        earlier
            .filter(|case| is_it(&case))
            .map(|case| case.open())
            .ok_or_else(|| no_form(record, id, &planned.digest).into())
    }

    fn workflow(&self, incident: &Incident) -> Result<WorkflowId, PipelineError> {
        let workflows = &self.file.workflows;
        let named = match &incident.source {
            Source::Ledger { workflow, .. } => Some(WorkflowId::new(workflow.clone())),
            Source::Run { .. } => None,
        };
        let connectors = incident.scope.actions.iter().filter_map(|action| action.split('/').next());
        let using = connectors
            .flat_map(|part| workflows.iter().filter(move |(_, spec)| spec.parts.iter().any(|id| id.as_str() == part)))
            .map(|(id, _)| id.clone())
            .next();
        let only = (workflows.len() == 1).then(|| workflows.keys().next().cloned()).flatten();
        let asked = self.request.workflow.clone();
        let is_known = |workflow: &WorkflowId| workflows.contains_key(workflow);
        self.require_known_workflow()?;
        asked.or_else(|| named.filter(is_known)).or(using).or(only).ok_or_else(|| {
            let message = "the incident paper does not say which workflow it speaks of".to_owned();
            ScaffoldError::new(message, "say with `--workflow` which of them the case runs against").into()
        })
    }

    /// A workflow that was asked for is one of the project.
    fn require_known_workflow(&self) -> Result<(), ScaffoldError> {
        let unknown = self.request.workflow.as_ref().filter(|asked| !self.file.workflows.contains_key(*asked));
        unknown.map_or(Ok(()), |unknown| Err(ScaffoldError::no_workflow(self.file, unknown)))
    }

    /// What was recorded of one workflow says nothing of another one.
    fn require_workflow_of(&self, case: &Case) -> Result<(), ScaffoldError> {
        if self.request.workflow.as_ref().is_none_or(|asked| *asked == case.workflow) {
            return Ok(());
        }
        Err(ScaffoldError::new(
            format!(
                "`{}` ran against the workflow `{}`, and a case of what was recorded keeps it",
                case.id, case.workflow
            ),
            "leave `--workflow` out, or begin a case for the other workflow with `--for PART/RISK`",
        ))
    }

    /// As for records: the secrets of the project, where it can be read whole; else those of all that its environment holds.
    fn redactor(&self) -> Redactor {
        check(self.root, self.environment)
            .map(|(project, _)| Redactor::for_project(&project, self.environment))
            .unwrap_or_else(|_| {
                Redactor::new(self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())))
            })
    }
}

/// Where a new case goes.
struct Place {
    set: Risk,
    id: CaseId,
}

impl Place {
    fn skeleton(self, workflow: WorkflowId, text: String) -> Skeleton {
        let expect_line = text.lines().position(|line| line == EXPECT).map_or(0, |index| index + 1);
        Skeleton { path: format!("cases/{}/{}.yaml", self.set, self.id), id: self.id, workflow, text, expect_line }
    }
}

/// A paper of several cases, with the command that makes one of the first of them.
fn several_cases(incident: &Incident, cases: &[CaseId], first: &CaseId) -> ScaffoldError {
    let named = some_of(cases.iter().map(|case| case.as_str().escape_debug()), NAMED);
    let of = match &incident.source {
        Source::Run { run, .. } => shell_word(run.as_str()),
        Source::Ledger { .. } => "--ledger FILE".to_owned(),
    };
    ScaffoldError::new(
        format!("the incident paper speaks of {} cases ({named}), and a case is made of one", cases.len()),
        format!("make the paper of one: `holdpoint incident {of} --about {} --json`", shell_word(first.as_str())),
    )
}

fn no_form(record: &RunRecord, id: &CaseId, digest: &Digest) -> ScaffoldError {
    let run = &record.header.run;
    if let Some(from) = &record.header.imported_from {
        return ScaffoldError::new(
            format!(
                "the run {run} was imported from {from}: its cases are those of another tool, and not the project's"
            ),
            format!(
                "write a case of what `{id}` asks, and run it here: `holdpoint case new --for PART/RISK` begins one"
            ),
        );
    }
    ScaffoldError::new(
        format!("the case `{id}` as it ran in {run} (digest {}) is not to be had any more", digest.short()),
        match &record.header.commit {
            Some(commit) => format!(
                "it is neither in the project as it stands nor in commit {commit}: it was edited and not committed"
            ),
            None => "the case was edited since, and the run knows no commit".to_owned(),
        },
    )
}

/// The trial to look at: the first that did not pass, else the first.
fn trial<'r>(record: &'r RunRecord, id: &CaseId) -> Result<&'r GradedTrial, PipelineError> {
    let is_of_case = |trial: &&GradedTrial| trial.observation.case == *id && trial.observation.form == Form::Head;
    let trials = || record.trials.iter().filter(is_of_case);
    trials().find(|trial| trial.status != TrialStatus::Passed).or_else(|| trials().next()).ok_or_else(|| {
        let message = format!("the run {} recorded no trial of `{}`", record.header.run, id.as_str().escape_debug());
        let named: Vec<&str> = record.header.cases.keys().map(CaseId::as_str).collect();
        let hint = match crate::manifest::nearest(id.as_str(), &named) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`holdpoint report {}` lists its cases", record.header.run),
        };
        ScaffoldError::new(message, hint).into()
    })
}
