//! Whether what was tested is still what stands there: files that were edited while the run went on.

use std::collections::BTreeSet;

use crate::change::{Sides, Snapshot};
use crate::domain::{CaseId, PartId};
use crate::manifest::{Project, load_project};

use super::prepare::{Prepared, sides_of};
use super::{PipelineError, Request};

/// A sentence that names what changed since the run began, of all that can change a result; `None` where nothing did. What
/// a workflow leaves beside its own files does not count.
///
/// # Errors
/// When the head cannot be read any more.
pub(super) fn edited_meanwhile(
    request: &Request,
    prepared: &Prepared,
    before: &Snapshot,
) -> Result<Option<String>, PipelineError> {
    let later = sides_of(request, prepared.accepted.baseline.snapshot.is_some())?;
    if prepared.sides.is_as_before(&later) {
        return Ok(None);
    }
    let names = match load_project(later.head_files(), &request.environment) {
        Err(_) => vec!["the project's files, which are no longer in order".to_owned()],
        Ok(loaded) => different(prepared, before, &loaded.project, &later)?,
    };
    let sentence = |names: Vec<String>| {
        format!("edited while the run went on, so that no result says which state it is of: {}", names.join(", "))
    };
    Ok((!names.is_empty()).then(|| sentence(names)))
}

fn different(
    prepared: &Prepared,
    before: &Snapshot,
    project: &Project,
    later: &Sides,
) -> Result<Vec<String>, PipelineError> {
    let after = later.snapshot(project)?;
    let parts: BTreeSet<&PartId> = before.parts.keys().chain(after.parts.keys()).collect();
    let parts = parts.into_iter().filter(|id| before.parts.get(*id) != after.parts.get(*id));
    let mut names: Vec<String> = parts.map(PartId::to_string).collect();
    let old = &prepared.project.cases;
    let cases: BTreeSet<&CaseId> = old.keys().chain(project.cases.keys()).collect();
    let digest = |cases: &std::collections::BTreeMap<CaseId, crate::manifest::HeldCase>, id: &CaseId| {
        cases.get(id).map(|case| case.digest.clone())
    };
    let cases = cases.into_iter().filter(|id| digest(old, id) != digest(&project.cases, id));
    names.extend(cases.map(|id| format!("case {id}")));
    if before.project_file != after.project_file {
        names.push("the project file".to_owned());
    }
    if before.rest.code != after.rest.code {
        names.push("the workflows' code".to_owned());
    }
    Ok(names)
}
