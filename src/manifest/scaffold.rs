//! A new case, begun: which file it gets, and what stands in it before its author has said what must hold.

mod examples;
mod faulty;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::domain::{CaseId, PartId, Risk, WorkflowId};

use super::case::HeldCase;
use super::load::names::{FORM_HINT, form_fault};
use super::part::Part;
use super::project_file::ProjectFile;
use super::suggest::{hint_for, list_of};

/// A part, and a risk that a change of it puts at stake: `PART/RISK`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartAtRisk {
    /// The part.
    pub part: PartId,
    /// The risk.
    pub risk: Risk,
}

impl FromStr for PartAtRisk {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('/') {
            Some((part, risk)) if !part.is_empty() && !risk.is_empty() => {
                Ok(Self { part: part.into(), risk: risk.into() })
            }
            _ => Err("expected a part and a risk, as in `returns-policy/source_conflict`".to_owned()),
        }
    }
}

/// The project that the case is for, as far as it can be read: a case that is still being written must not keep the
/// next one from being begun.
#[derive(Clone, Copy, Debug)]
pub struct ScaffoldInput<'a> {
    /// The project file.
    pub file: &'a ProjectFile,
    /// The parts.
    pub parts: &'a BTreeMap<PartId, Part>,
    /// The cases that can be read.
    pub cases: &'a BTreeMap<CaseId, HeldCase>,
    /// The paths of all files below `cases/`.
    pub paths: &'a [String],
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct ScaffoldRequest {
    /// What the case is to show.
    pub shows: PartAtRisk,
    /// Its id; by default made of part and risk.
    pub id: Option<CaseId>,
    /// The workflow that it runs against; by default the one that uses the part.
    pub workflow: Option<WorkflowId>,
}

/// A case that says everything but what must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// Its id.
    pub id: CaseId,
    /// Its workflow.
    pub workflow: WorkflowId,
    /// Where it belongs: `cases/<risk>/<id>.yaml`.
    pub path: String,
    /// The file's text. It is refused, at its `expect`, until it asserts something.
    pub text: String,
    /// The line of its `expect`, from 1.
    pub expect_line: usize,
}

/// Why no case can be begun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScaffoldError {
    message: String,
    hint: String,
}

impl ScaffoldError {
    /// What is wrong, and what to do about it.
    pub fn new(message: String, hint: impl Into<String>) -> Self {
        Self { message, hint: hint.into() }
    }

    /// Something that is no folder stands where the case's folder must be.
    pub fn no_folder(path: &str) -> Self {
        Self::new(format!("`{path}` is no folder, and links are not followed"), "put a folder there")
    }

    /// The project has no workflow of this name.
    pub fn no_workflow(file: &ProjectFile, asked: &WorkflowId) -> Self {
        let all: Vec<&str> = file.workflows.keys().map(WorkflowId::as_str).collect();
        let message = format!("the project file has no workflow `{}`", asked.as_str().escape_debug());
        Self::new(message, hint_for(asked.as_str(), &all, "workflows"))
    }

    /// The file stands there already.
    pub fn exists(path: &str) -> Self {
        Self::new(format!("`{path}` exists, and nothing is overwritten"), "choose another id with `--id`")
    }

    /// What to do about it.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

/// Begins a case. Nothing is written.
///
/// # Errors
/// When the part, the risk or the workflow is not known, several workflows could be meant, or the id cannot be had.
pub fn scaffold(input: &ScaffoldInput<'_>, request: &ScaffoldRequest) -> Result<Skeleton, ScaffoldError> {
    let part = part(input, &request.shows.part)?;
    let risk = &request.shows.risk;
    check_risk(input.file, risk)?;
    let workflow = workflow(input.file, part, request.workflow.as_ref())?;
    let id = id(input, request)?;
    let path = path_of(risk, &id);
    let text = text::text(&text::Material { input, part, risk, workflow: &workflow, id: &id });
    let expect_line = text.lines().position(|line| line.starts_with(text::EXPECT)).map_or(0, |index| index + 1);
    Ok(Skeleton { id, workflow, path, text, expect_line })
}

fn part<'a>(input: &ScaffoldInput<'a>, id: &PartId) -> Result<&'a Part, ScaffoldError> {
    input.parts.get(id).ok_or_else(|| {
        let names: Vec<&str> = input.parts.keys().map(PartId::as_str).collect();
        let message = format!("no manifest has the id `{}`", id.as_str().escape_debug());
        ScaffoldError::new(message, hint_for(id.as_str(), &names, "parts"))
    })
}

/// Whether a case can lie in the set of this risk.
///
/// # Errors
/// When the project does not know the risk.
pub fn check_risk(file: &ProjectFile, risk: &Risk) -> Result<(), ScaffoldError> {
    let names = file.risk_names();
    if !names.contains(&risk.as_str()) {
        let message = format!("`{}` is no risk of this project", risk.as_str().escape_debug());
        let hint = hint_for(risk.as_str(), &names, "risks");
        return Err(ScaffoldError::new(
            message,
            format!("{hint}; `holdpoint rules` lists what each change puts at risk"),
        ));
    }
    // The name becomes a folder's; the project file may still hold one that `holdpoint check` refuses.
    form_fault("risk name", risk.as_str()).map_or(Ok(()), |fault| Err(ScaffoldError::new(fault, FORM_HINT)))
}

/// The workflow that was asked for, or the only one that a change of the part reaches. A part that no workflow lists
/// reaches all of them.
fn workflow(file: &ProjectFile, part: &Part, asked: Option<&WorkflowId>) -> Result<WorkflowId, ScaffoldError> {
    let using = |(id, spec): (&WorkflowId, &super::WorkflowSpec)| spec.parts.contains(&part.id).then(|| id.clone());
    let users: Vec<WorkflowId> = file.workflows.iter().filter_map(using).collect();
    let candidates = if users.is_empty() { file.workflows.keys().cloned().collect() } else { users };
    let names: Vec<&str> = candidates.iter().map(WorkflowId::as_str).collect();
    match (asked, candidates.as_slice()) {
        (Some(asked), _) if candidates.contains(asked) => Ok(asked.clone()),
        (Some(asked), _) if file.workflows.contains_key(asked) => Err(ScaffoldError::new(
            format!("the workflow `{asked}` does not use the part `{}`", part.id),
            format!("a case for it runs against {}", list_of(&names, "or")),
        )),
        (Some(asked), _) => Err(ScaffoldError::no_workflow(file, asked)),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(ScaffoldError::new(
            format!("a change of `{}` reaches {} workflows: {}", part.id, names.len(), list_of(&names, "and")),
            "say with `--workflow` which of them the case runs against",
        )),
    }
}

/// The id that was asked for, or one made of part and risk, numbered where that is taken.
fn id(input: &ScaffoldInput<'_>, request: &ScaffoldRequest) -> Result<CaseId, ScaffoldError> {
    let PartAtRisk { part, risk } = &request.shows;
    free_id(input, request.id.as_ref(), &format!("{part}-{}", risk.as_str().replace('_', "-")))
}

/// The id that was asked for, or this one, numbered where it is taken.
///
/// # Errors
/// When the id that was asked for cannot be had, or this one is none.
pub fn free_id(input: &ScaffoldInput<'_>, asked: Option<&CaseId>, plain: &str) -> Result<CaseId, ScaffoldError> {
    if let Some(id) = asked {
        if let Some(fault) = form_fault("case id", id.as_str()) {
            return Err(ScaffoldError::new(fault, FORM_HINT));
        }
        return match taken_by(input, id.as_str()) {
            Some(path) => Err(ScaffoldError::new(
                format!("the case id `{id}` is already taken in `{path}`"),
                "an id is unique in the project: choose another",
            )),
            None => Ok(id.clone()),
        };
    }
    let numbered = (2_usize..).map(|number| format!("{plain}-{number}"));
    let free = std::iter::once(plain.to_owned()).chain(numbered).find(|id| taken_by(input, id).is_none());
    let id = free.unwrap_or_else(|| plain.to_owned());
    match form_fault("case id", &id) {
        Some(fault) => Err(ScaffoldError::new(fault, "choose a shorter one with `--id`")),
        None => Ok(CaseId::new(id)),
    }
}

/// The file that has this id, whatever the letter case. A file that cannot be read yet has the id that its name says.
fn taken_by<'a>(input: &ScaffoldInput<'a>, id: &str) -> Option<&'a str> {
    let case =
        input.cases.values().find(|case| case.id.as_str().eq_ignore_ascii_case(id)).map(|case| case.path.as_str());
    let is_named_so = |path: &&String| stem(path).eq_ignore_ascii_case(id);
    case.or_else(|| input.paths.iter().find(is_named_so).map(String::as_str))
}

/// The lines of an input with the keys of the workflow's cases, and nothing of their values.
pub fn blank_input(cases: &BTreeMap<CaseId, HeldCase>, workflow: &WorkflowId, risk: &Risk) -> Vec<String> {
    let mut lines = Vec::new();
    text::input(text::model_case(cases, workflow, risk).as_ref(), &mut lines);
    lines
}

/// The file's name without its ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn path_of(risk: &Risk, id: &CaseId) -> String {
    format!("cases/{risk}/{id}.yaml")
}
