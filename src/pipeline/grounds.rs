//! What every result rests on beside cases and their judges, where this change touches it or nothing holds it: who weighs a
//! pass must hear of it first. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{BaseKind, Change, ChangeKind, ChangeSet};
use crate::domain::{PartId, some_of};
use crate::manifest::{Project, project_path};

/// So many names of one kind are told.
const NAMED: usize = 5;

/// A sentence for each ground of the results that this change touches, and one for those that are held against nothing.
pub(super) fn grounds(project: &Project, changes: &ChangeSet) -> Vec<String> {
    [started_otherwise(project, changes), targets(project, changes), promises(changes), environment(project)]
        .into_iter()
        .flatten()
        .collect()
}

/// Other commands, services or addresses than before: all cases run, and what they show is of those.
fn started_otherwise(project: &Project, changes: &ChangeSet) -> Option<String> {
    let now = &project.written.started;
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for base in &changes.base_files {
        let before = &base.written.started;
        let differs = before.keys().chain(now.keys()).filter(|name| before.get(*name) != now.get(*name));
        names.extend(differs.map(String::as_str));
    }
    if !names.is_empty() {
        return Some(format!(
            "started otherwise than at the base, so that results speak of that alone: {}",
            some_of(&names, NAMED)
        ));
    }
    let is_project = |change: &Change| change.kind == ChangeKind::Project;
    let is_other = changes.base_kind == BaseKind::Baseline && changes.changes.iter().any(is_project);
    is_other.then(|| {
        "the project file is not the one that was accepted: what is started may be something else since".to_owned()
    })
}

/// Programs that stand in for the systems that workflows act on.
fn targets(project: &Project, changes: &ChangeSet) -> Option<String> {
    let started = project.file.connectors.values().filter_map(|connector| connector.upstream.start.as_ref());
    let words: BTreeSet<&str> = started.flat_map(|target| &target.run).filter_map(|word| project_path(word)).collect();
    // What was accepted is known by the first name of each path alone.
    let by_first_name = changes.base_kind == BaseKind::Baseline;
    let is_word =
        |path: &str| words.iter().any(|word| *word == path || by_first_name && word.split('/').next() == Some(path));
    let code = changes.changes.iter().filter(|change| change.kind == ChangeKind::Code).flat_map(|change| &change.paths);
    let paths: BTreeSet<&str> = code.map(String::as_str).filter(|path| is_word(path)).collect();
    (!paths.is_empty())
        .then(|| format!("the targets that cases act on are others than before: {}", some_of(&paths, NAMED)))
}

/// What manifests promise, and graders such as `contract`, `backoff` and `permitted_calls` judge by.
fn promises(changes: &ChangeSet) -> Option<String> {
    let mut facets: BTreeMap<&PartId, BTreeSet<&str>> = BTreeMap::new();
    for change in &changes.changes {
        let root = match change.kind {
            ChangeKind::Connector => "operations",
            ChangeKind::Permissions => "actions",
            _ => continue,
        };
        let facet = change.facet.as_deref().filter(|facet| facet.split(['.', '[']).next() == Some(root));
        if let (Some(part), Some(facet)) = (&change.part, facet) {
            facets.entry(part).or_default().insert(facet);
        }
    }
    let each: Vec<String> =
        facets.iter().map(|(part, facets)| format!("{part} ({})", some_of(facets, NAMED))).collect();
    (!each.is_empty()).then(|| format!("what cases are judged by is promised otherwise now: {}", each.join("; ")))
}

/// Values of variables are secrets as often as settings, so none is kept, and none can be compared.
fn environment(project: &Project) -> Option<String> {
    let names: BTreeSet<&str> = project.written.variables.iter().map(String::as_str).collect();
    (!names.is_empty())
        .then(|| format!("taken from the environment, and held against nothing: {}", some_of(&names, NAMED)))
}
