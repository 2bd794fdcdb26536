//! A whole project, from a source of files to checked values; strict for the side that is run, lenient for the
//! side that it is compared with.

mod calls;
mod cases;
mod connectors;
mod earlier;
mod environment;
mod expectations;
mod faults;
mod fixtures;
pub(super) mod names;
mod own_kinds;
mod parts;
mod paths;
mod probes;
mod project_file;
mod python;
mod references;
mod secrets;
#[cfg(test)]
mod tests;
mod wires;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, json};

use crate::domain::{CaseId, Digest, PartId, in_parallel};

use super::case::HeldCase;
use super::diagnostic::Diagnostic;
use super::files::{EntryKind, FileSource};
use super::judging::{ask_probes, ask_programs};
use super::part::Part;
use super::project::Project;
use super::project_file::ProjectFile;
use super::written::Written;
use super::yaml::Document;

use cases::ReadCase;
pub(super) use cases::{UNFILLED, placeholder};
pub use earlier::EarlierCases;
pub use environment::completed_probes;
pub use secrets::SHORTEST_SECRET;

use names::IdPlace;
use own_kinds::OwnKinds;
pub use own_kinds::own_kind_schema;
use parts::ReadPart;
pub use project_file::is_address;
use references::Scope;

/// The folder of the cases.
const CASES: &str = "cases";
/// The folder of the manifests.
const MANIFESTS: &str = "manifests";

/// A project that was read without an error.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The project.
    pub project: Project,
    /// What is allowed and worth a look.
    pub warnings: Vec<Diagnostic>,
}

/// Reads and checks a whole project. `environment` is what `${NAME}` in the project file is replaced from.
///
/// # Errors
/// Every error of every file, sorted by place.
pub fn load_project(files: &dyn FileSource, environment: &BTreeMap<String, String>) -> Result<Loaded, Vec<Diagnostic>> {
    let mut read = project_file::read(files);
    let mut errors = std::mem::take(&mut read.errors);
    let parts = read_parts(files, &OwnKinds::of(read.file.as_ref(), read.document.as_ref()), &mut errors);
    let scope = Scope::new(read.file.as_ref(), &parts);
    if let Some(document) = &read.document {
        references::check_project(&scope, document, &mut errors);
        connectors::check_references(&scope, document, &mut errors);
        probes::check_references(&scope, document, &mut errors);
    }
    for part in &parts {
        references::check_part(&scope, part, &mut errors);
    }
    let (mut cases, mut warnings) = read_cases(files, |path| cases::read(files, path, Some(&scope)), &mut errors);
    errors.extend(names::collisions("part", parts.iter().filter_map(|part| part.id_place.as_ref())));
    errors.extend(names::collisions("case", cases.iter().filter_map(|case| case.id_place.as_ref())));
    warnings.extend(unused_parts(&scope));
    if let (Some(file), Some(document)) = (&read.file, &read.document) {
        warnings.extend(project_file::unmatched_code(files, file, document));
        warnings.extend(project_file::caps_not_kept(file, document, cfg!(target_os = "linux")));
        warnings.extend(connectors::unused(file, document));
        warnings.extend(own_kinds::without_rule(file, document));
        warnings.extend(python::cached(files, file, document));
        warnings.extend(secrets::too_short(file, document, environment));
    }
    ask_programs(files, cases.iter_mut().filter_map(|read| read.case.as_mut()));
    if let Some(file) = &read.file {
        ask_probes(files, &file.probes, cases.iter_mut().filter_map(|read| read.case.as_mut()));
    }
    let written = read.file.as_ref().map(ProjectFile::written).unwrap_or_default();
    if let (Some(file), Some(document)) = (&mut read.file, &read.document) {
        environment::apply(file, document, environment, &mut errors);
    }
    errors.extend(parts.iter().flat_map(|part| part.errors.iter().chain(&part.file_errors)).cloned());
    errors.extend(cases.iter().flat_map(|case| case.errors.iter()).cloned());
    match (read.file, read.digest) {
        (Some(file), Some(file_digest)) if errors.is_empty() => {
            sort(&mut warnings);
            let project = Project { written, ..assemble(file, file_digest, parts, cases) };
            Ok(Loaded { project, warnings })
        }
        _ => {
            sort(&mut errors);
            Err(errors)
        }
    }
}

/// Reads and checks one manifest by itself, with the files that it names.
///
/// # Errors
/// Every error that can be told without other manifests, sorted by place.
pub fn load_part(files: &dyn FileSource, path: &str) -> Result<Part, Vec<Diagnostic>> {
    let read = parts::read(files, path, &OwnKinds::of(None, None));
    let mut errors: Vec<Diagnostic> = read.errors.into_iter().chain(read.file_errors).collect();
    match read.part {
        Some(part) if errors.is_empty() => Ok(part),
        _ => {
            sort(&mut errors);
            Err(errors)
        }
    }
}

/// A side that the project is compared with, as far as it can be read.
#[derive(Clone, Debug, Default)]
pub struct SideProject {
    /// The project file, where it fits its schema. `${NAME}` stands in it as it was written.
    pub project_file: Option<ProjectFile>,
    /// The digest of the project file's document, where it is YAML.
    pub project_file_digest: Option<Digest>,
    /// The parts whose manifests fit their schema. A file that a manifest names and that is not there is left out.
    pub parts: BTreeMap<PartId, Part>,
    /// The cases with which nothing is wrong that can be told from the case itself.
    pub cases: BTreeMap<CaseId, HeldCase>,
    /// Everything else, by path: what is wrong with it.
    pub unreadable: Vec<Diagnostic>,
}

/// Reads the project file alone, where it fits its schema. `${NAME}` stands in it as it was written.
pub fn load_project_file(files: &dyn FileSource) -> Option<ProjectFile> {
    project_file::read(files).file
}

/// Reads a side that the project is compared with. References that lead nowhere and variables that are not set are
/// no fault there.
pub fn load_side(files: &dyn FileSource) -> SideProject {
    load_side_beside(files, &EarlierCases::default())
}

/// As [`load_side`], beside a side that was read before: a case that both have in the same bytes is not read again.
pub fn load_side_beside(files: &dyn FileSource, earlier: &EarlierCases<'_>) -> SideProject {
    let mut unreadable = Vec::new();
    let read = project_file::read(files);
    if read.file.is_none() {
        unreadable.extend(read.errors);
    }
    let kinds = OwnKinds::of(read.file.as_ref(), read.document.as_ref());
    let mut side = SideProject { project_file: read.file, project_file_digest: read.digest, ..SideProject::default() };
    let parts = read_parts(files, &kinds, &mut unreadable);
    let doubled = doubled(parts.iter().filter_map(|part| part.id_place.as_ref()));
    unreadable.extend(names::collisions("part", parts.iter().filter_map(|part| part.id_place.as_ref())));
    for read in parts {
        match read.part {
            Some(part) if !doubled.contains(&part.id.as_str().to_lowercase()) => {
                side.parts.insert(part.id.clone(), part);
            }
            Some(part) => {
                unreadable.push(Diagnostic::of_file(&read.path, format!("the id `{}` is not unique", part.id)))
            }
            None => unreadable.extend(read.errors),
        }
    }
    let read = |path: &str| earlier.read(files, path).unwrap_or_else(|| cases::read(files, path, None));
    let (cases, _) = read_cases(files, read, &mut unreadable);
    let doubled = self::doubled(cases.iter().filter_map(|case| case.id_place.as_ref()));
    for read in cases {
        match read.case {
            Some(case) if !doubled.contains(&case.id.as_str().to_lowercase()) => {
                side.cases.insert(case.id.clone(), case);
            }
            Some(case) => {
                unreadable.push(Diagnostic::of_file(&read.path, format!("the id `{}` is not unique", case.id)))
            }
            None => unreadable.extend(read.errors),
        }
    }
    ask_programs(files, side.cases.values_mut());
    if let Some(file) = &side.project_file {
        ask_probes(files, &file.probes, side.cases.values_mut());
    }
    sort(&mut unreadable);
    side.unreadable = unreadable;
    side
}

/// The ids, in lower case, that more than one file has.
fn doubled<'p>(places: impl Iterator<Item = &'p IdPlace>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    places.map(|place| place.id.to_lowercase()).filter(|id| !seen.insert(id.clone())).collect()
}

fn read_parts(files: &dyn FileSource, kinds: &OwnKinds, errors: &mut Vec<Diagnostic>) -> Vec<ReadPart> {
    let paths: Vec<String> = regular_files(files, MANIFESTS, errors).into_iter().filter(|path| is_yaml(path)).collect();
    in_parallel(&paths, |path| parts::read(files, path, kinds))
}

/// The cases, and warnings about files below `cases/` that are not run.
fn read_cases(
    files: &dyn FileSource,
    read: impl Fn(&str) -> ReadCase + Sync,
    errors: &mut Vec<Diagnostic>,
) -> (Vec<ReadCase>, Vec<Diagnostic>) {
    let (paths, others): (Vec<String>, Vec<String>) =
        regular_files(files, CASES, errors).into_iter().partition(|path| is_yaml(path));
    let read = in_parallel(&paths, |path| read(path));
    let mut warnings = fixtures::unnamed(&read, &others);
    (fixtures::take_out(read, &mut warnings), warnings)
}

/// Reads the YAML file at `path`.
fn read_document(files: &dyn FileSource, path: &str) -> Result<Document, Vec<Diagnostic>> {
    let bytes = files.read(path).map_err(|error| vec![Diagnostic::of_file(path, error.to_string())])?;
    Document::read(path, &bytes)
}

/// The files below a folder, sorted. A link there is an error, since what it leads to would silently not be read, and so is
/// what is no file at all: whoever opens a pipe waits for ever.
fn regular_files(files: &dyn FileSource, folder: &str, errors: &mut Vec<Diagnostic>) -> Vec<String> {
    let linked = |path: &str| {
        Diagnostic::of_file(path, format!("`{path}` is a symbolic link, and links are not followed"))
            .with_hint("put the file itself there")
    };
    match files.kind(folder) {
        Some(EntryKind::Directory) => {}
        None => return Vec::new(),
        Some(EntryKind::Symlink) => {
            errors.push(linked(folder));
            return Vec::new();
        }
        Some(_) => {
            errors.push(Diagnostic::of_file(folder, format!("`{folder}` is no folder")));
            return Vec::new();
        }
    }
    let listed = files.list(folder).unwrap_or_else(|error| {
        errors.push(Diagnostic::of_file(folder, error.to_string()));
        Vec::new()
    });
    match files.unnameable(folder) {
        Ok(names) => errors.extend(names.iter().map(|name| unnameable(name))),
        Err(error) => errors.push(Diagnostic::of_file(folder, error.to_string())),
    }
    let mut regular = Vec::with_capacity(listed.len());
    for path in listed {
        match files.kind(&path) {
            Some(EntryKind::Symlink) => errors.push(linked(&path)),
            Some(EntryKind::Special) => {
                let message = format!("`{path}` is a pipe, a socket or a device, and no regular file");
                errors.push(Diagnostic::of_file(&path, message).with_hint("remove it, or put a regular file there"));
            }
            _ => regular.push(path),
        }
    }
    regular
}

/// A name that no text can hold: left out without a word, a case or a part would be missing and nothing would fail.
fn unnameable(name: &str) -> Diagnostic {
    let message = format!("the name `{name}` is not UTF-8, and so the file cannot be read");
    Diagnostic::of_file(name, message).with_hint("give it a name in UTF-8")
}

/// Whether the name ends in `.yaml` or `.yml`, in any letter case: a `Case.YAML` that nobody reads would be green.
fn is_yaml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("yaml") || end.eq_ignore_ascii_case("yml"))
}

const UNUSED: &str = "list it under a workflow's `parts` in holdpoint.yaml, or remove it; until then a change of it counts for every \
                      workflow, and can be uncovered";

/// Manifests that no workflow uses: who uses the part is not known, so a change of it counts for all of them, and is uncovered
/// where no case names it. That is seldom meant.
fn unused_parts(scope: &Scope<'_>) -> Vec<Diagnostic> {
    let Some(project) = scope.project else { return Vec::new() };
    let used: BTreeSet<&str> =
        project.workflows.values().flat_map(|workflow| workflow.parts.iter().map(|part| part.as_str())).collect();
    let unused = scope.parts.iter().filter(|(id, _)| !used.contains(id.as_str()));
    unused
        .filter_map(|(id, part)| {
            let place = part.id_place.as_ref()?;
            let warning = place.error(format!("no workflow uses the part `{id}`"));
            Some(warning.with_hint(UNUSED).as_warning())
        })
        .collect()
}

fn assemble(file: ProjectFile, file_digest: Digest, parts: Vec<ReadPart>, cases: Vec<ReadCase>) -> Project {
    let mut project = Project {
        file,
        file_digest,
        written: Written::default(),
        parts: BTreeMap::new(),
        cases: BTreeMap::new(),
        texts: BTreeMap::new(),
        fingerprint: Digest::of(b""),
    };
    for read in parts {
        let Some(part) = read.part else { continue };
        project.texts.insert(part.id.clone(), read.texts);
        project.parts.insert(part.id.clone(), part);
    }
    // Collected and not inserted one by one: made in order, the map has no half-empty nodes.
    project.cases = cases.into_iter().filter_map(|read| read.case).map(|case| (case.id.clone(), case)).collect();
    project.fingerprint = fingerprint(&project.parts);
    project
}

/// The digest over all manifests and the content of the files that they name.
fn fingerprint(parts: &BTreeMap<PartId, Part>) -> Digest {
    let each = parts
        .iter()
        .map(|(id, part)| (id.as_str().to_owned(), json!({"document": part.document, "files": part.files})));
    Digest::of_json(&each.collect::<Map<_, _>>().into())
}

fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|one, other| {
        let key = |d: &Diagnostic| (d.path.clone(), d.line, d.column, d.message.clone());
        key(one).cmp(&key(other))
    });
}
