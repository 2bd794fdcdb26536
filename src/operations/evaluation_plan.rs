//! The evaluation plan: what a real model is to be tried on, with blank results where none was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{ANSWER_RISKS, CaseId, CaseStatus, Risk, RunId, WorkflowId, counted};
use crate::manifest::{CaseOutline, HeldCase, Manifest, ModelManifest, Project};

use super::paper::OnSheet;
use super::reference::shown;
use super::sheet::Sheet;

/// An evaluation plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvaluationPlan {
    /// `holdpoint.evaluation-plan/1`.
    pub schema: String,
    /// The project.
    pub project: String,
    /// The cases of the answer sets, by set and id.
    pub cases: Vec<PlannedEvaluation>,
    /// Answer sets without any case.
    pub empty_sets: Vec<Risk>,
}

/// One case of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedEvaluation {
    /// Its answer set.
    pub set: Risk,
    /// The case.
    pub case: CaseId,
    /// What holds when it passes.
    pub expected: String,
    /// The workflow.
    pub workflow: WorkflowId,
    /// How many trials.
    pub trials: u32,
    /// The model, as its manifest names it; `null` where the workflow has none that is called.
    pub model: Option<String>,
    /// What was observed with that model; `null` where nothing was.
    pub observed: Option<String>,
    /// Why the result is blank, where it is.
    pub blank_because: Option<String>,
}

/// Results of a recorded run that a plan can be filled with: the run, and each case's status with the digest of its form.
pub type Observed<'a> = (&'a RunId, &'a [super::account::CaseAccount]);

/// The plan of a project. A result is filled in only where a real model can have produced it: not for a practice workflow,
/// which follows a script, nor for one whose models are provided by `local` or `none`, and not for a case that has changed
/// since.
pub fn evaluation_plan(project: &Project, observed: Option<Observed<'_>>) -> EvaluationPlan {
    let cases_of = |risk: &&'static str| {
        let mut cases: Vec<&HeldCase> = project.cases.values().filter(|case| *case.set.as_str() == **risk).collect();
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        cases
    };
    let is_empty = |risk: &&&'static str| cases_of(risk).is_empty();
    EvaluationPlan {
        schema: "holdpoint.evaluation-plan/1".to_owned(),
        project: project.file.name.clone(),
        empty_sets: ANSWER_RISKS.iter().filter(is_empty).map(|risk| Risk::from(*risk)).collect(),
        cases: ANSWER_RISKS.iter().flat_map(cases_of).map(|case| planned(project, case, observed)).collect(),
    }
}

fn planned(project: &Project, case: &CaseOutline, observed: Option<Observed<'_>>) -> PlannedEvaluation {
    let model = called_model(project, case);
    let result = match &model {
        Err(why) => Err((*why).to_owned()),
        Ok(_) => result(case, observed),
    };
    PlannedEvaluation {
        set: case.set.clone(),
        case: case.id.clone(),
        expected: case.title.to_string(),
        workflow: case.workflow.clone(),
        trials: case.trials,
        model: model.ok(),
        observed: result.as_ref().ok().cloned(),
        blank_because: result.err(),
    }
}

/// The model that a case's workflow calls, or why no result of it can be a model's.
fn called_model(project: &Project, case: &CaseOutline) -> Result<String, &'static str> {
    let Some(workflow) = project.file.workflows.get(&case.workflow) else { return Err("the workflow is gone") };
    if workflow.practice.is_some() {
        return Err("a practice workflow follows a script; no model is called");
    }
    let parts = workflow.parts.iter().filter_map(|id| project.parts.get(id)?.manifest().ok());
    let models: Vec<&ModelManifest> = parts
        .filter_map(|manifest| match manifest {
            Manifest::Model(model) => Some(model),
            _ => None,
        })
        .collect();
    if models.is_empty() {
        return Err("the workflow has no model");
    }
    let called = models.into_iter().filter(|model| !matches!(model.provider.as_str(), "local" | "none"));
    let names: Vec<String> = called
        .map(|model| match &model.snapshot {
            Some(snapshot) => format!("{} {} {snapshot}", model.provider, model.name),
            None => format!("{} {}", model.provider, model.name),
        })
        .collect();
    if names.is_empty() { Err("its model is a local stand-in; no model is called") } else { Ok(names.join(", ")) }
}

fn result(case: &CaseOutline, observed: Option<Observed<'_>>) -> Result<String, String> {
    let Some((run, cases)) = observed else { return Err("no run is recorded".to_owned()) };
    let Some(known) = cases.iter().find(|known| known.case == case.id) else {
        return Err(format!("not run in {run}"));
    };
    if known.digest.as_ref() != Some(&case.digest) {
        return Err(format!("the case has changed since {run}"));
    }
    let status = known.status.unwrap_or(CaseStatus::Errored);
    Ok(format!("{status} in {run}"))
}

impl OnSheet for EvaluationPlan {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new("Evaluation plan");
        let filled = self.cases.iter().filter(|case| case.observed.is_some()).count();
        sheet.facts([
            ("Project", self.project.clone()),
            ("Answer cases", counted(self.cases.len(), "case")),
            ("With an observed result", counted(filled, "case")),
        ]);
        let rows = self.cases.iter().map(|case| {
            vec![
                case.set.as_str().to_owned(),
                shown(case.case.as_str()),
                case.expected.clone(),
                case.model.clone().unwrap_or_default(),
                case.observed.clone().unwrap_or_default(),
            ]
        });
        sheet.table(&["set", "case", "expected", "model", "observed"], rows.collect());
        let mut reasons: Vec<&str> = self.cases.iter().filter_map(|case| case.blank_because.as_deref()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        if !reasons.is_empty() {
            sheet.heading("Why results are blank");
            sheet.list(reasons.iter().map(|reason| {
                let cases = self.cases.iter().filter(|case| case.blank_because.as_deref() == Some(*reason)).count();
                format!("{}: {reason}.", counted(cases, "case"))
            }));
        }
        if !self.empty_sets.is_empty() {
            sheet.heading("Sets without a case");
            sheet.list(self.empty_sets.iter().map(|set| set.as_str().to_owned()));
        }
        sheet
    }
}
