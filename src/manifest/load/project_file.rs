//! The project file alone: what its schema cannot say.

use std::collections::BTreeMap;

use crate::domain::Digest;
use crate::manifest::compile::{compile_glob, compile_time, literal_prefix};
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::files::{EntryKind, FileError, FileSource};
use crate::manifest::node::{Half, below};
use crate::manifest::project_file::{ProjectFile, WorkflowSpec};
use crate::manifest::schema::{FileKind, read_raw};
use crate::manifest::suggest::{hint_for, list_of};
use crate::manifest::yaml::Document;

use super::connectors;
use super::names;
use super::own_kinds;
use super::paths;
use super::probes;

/// The project file's path.
pub(super) const PATH: &str = "holdpoint.yaml";
/// The one format that is known.
const SCHEMA: &str = "holdpoint.project/1";

/// The project file as far as it could be read.
#[derive(Default)]
pub(super) struct ReadProjectFile {
    /// The YAML, where it is YAML.
    pub(super) document: Option<Document>,
    /// The digest of the document, `${NAME}` not replaced.
    pub(super) digest: Option<Digest>,
    /// Its fields, where it fits the schema.
    pub(super) file: Option<ProjectFile>,
    /// What is wrong with it.
    pub(super) errors: Vec<Diagnostic>,
}

/// Reads the project file and checks all that can be told from it alone.
pub(super) fn read(files: &dyn FileSource) -> ReadProjectFile {
    let mut read = ReadProjectFile::default();
    let bytes = match files.read(PATH) {
        Ok(bytes) => bytes,
        Err(error) => {
            let hint = match error {
                FileError::Missing(_) => "`holdpoint init` writes one",
                FileError::Unreadable { .. } => "it must be a regular file that can be read",
            };
            read.errors.push(Diagnostic::of_file(PATH, error.to_string()).with_hint(hint));
            return read;
        }
    };
    let document = match Document::read(PATH, &bytes) {
        Ok(document) => document,
        Err(errors) => {
            read.errors = errors;
            return read;
        }
    };
    read.digest = Some(Digest::of_json(&document.json));
    if let Some(error) = other_format(&document) {
        read.errors.push(error);
    } else {
        match read_raw::<ProjectFile>(FileKind::Project, &document) {
            Ok(file) => {
                check(&file, &document, &mut read.errors);
                read.file = Some(file);
            }
            Err(errors) => read.errors.extend(errors),
        }
    }
    read.document = Some(document);
    read
}

/// A file of another format is not held against this one's schema: what it says may be right there.
fn other_format(document: &Document) -> Option<Diagnostic> {
    let tag = document.json.get("schema")?.as_str()?;
    (tag != SCHEMA).then(|| {
        let error = document.error("/schema", format!("expected `{SCHEMA}`, found `{}`", tag.escape_debug()));
        let newer =
            tag.strip_prefix("holdpoint.project/").is_some_and(|version| version.parse().is_ok_and(|v: u32| v > 1));
        error.with_hint(if newer {
            "this file needs a newer holdpoint"
        } else {
            "this holdpoint reads that format alone"
        })
    })
}

fn check(file: &ProjectFile, document: &Document, errors: &mut Vec<Diagnostic>) {
    check_names(document, "/workflows", "workflow name", file.workflows.keys().map(|name| name.as_str()), errors);
    check_names(document, "/probes", "probe name", file.probes.keys().map(String::as_str), errors);
    let mut seen = BTreeMap::new();
    for (index, risk) in file.risks.iter().enumerate() {
        let pointer = below("/risks", index);
        names::check_form(document, &pointer, "risk name", risk.as_str(), errors);
        let built_in = crate::domain::BUILT_IN_RISKS.iter().find(|name| name.eq_ignore_ascii_case(risk.as_str()));
        if let Some(name) = built_in {
            errors.push(document.error(&pointer, format!("the risk `{name}` is built in")).with_hint("leave it out"));
        } else if seen.insert(risk.as_str().to_lowercase(), ()).is_some() {
            errors.push(
                document.error(&pointer, format!("the risk `{risk}` is named twice")).with_hint("keep one of the two"),
            );
        }
    }
    check_globs(document, "/inert", &file.inert, errors);
    check_sets(document, file, errors);
    own_kinds::check(file, document, errors);
    for (name, workflow) in &file.workflows {
        check_workflow(document, &below("/workflows", name), workflow, errors);
    }
    connectors::check_alone(file, document, errors);
    probes::check_alone(file, document, errors);
}

fn check_workflow(document: &Document, pointer: &str, workflow: &WorkflowSpec, errors: &mut Vec<Diagnostic>) {
    let kinds = [
        ("command", workflow.command.is_some()),
        ("http", workflow.http.is_some()),
        ("practice", workflow.practice.is_some()),
    ];
    let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if given.len() != 1 {
        let found = if given.is_empty() { "none".to_owned() } else { list_of(&given, "and") };
        let message = format!("expected exactly one of command, http and practice, found {found}");
        let (pointer, half) = match given.get(1) {
            Some(second) => (below(pointer, second), Half::Key),
            None => (pointer.to_owned(), Half::Key),
        };
        errors.push(document.error_at(&pointer, half, message).with_hint("a workflow is run in one way"));
    }
    if let Some(command) = &workflow.command {
        check_program(document, &format!("{pointer}/command/run"), &command.run, errors);
        for (index, argument) in command.arguments.iter().enumerate().filter(|(_, one)| !one.starts_with('/')) {
            let place = below(&format!("{pointer}/command/arguments"), index);
            let message = format!("`{}` is no JSON pointer", argument.escape_debug());
            errors.push(document.error(&place, message).with_hint("it begins with `/`, as in `/input/question`"));
        }
    }
    if let Some(http) = &workflow.http {
        check_url(document, &format!("{pointer}/http/url"), &http.url, errors);
        if let Some(ready) = &http.ready {
            check_url(document, &format!("{pointer}/http/ready/url"), &ready.url, errors);
        }
        if !http.start.is_empty() {
            check_program(document, &format!("{pointer}/http/start"), &http.start, errors);
        }
    }
    if workflow.memory_cap_bytes.is_some() && !has_process(workflow) {
        let message = "there is no process of this workflow whose memory could be limited";
        let hint = "leave it out, or have holdpoint start the workflow: `command`, or `http.start`";
        errors.push(document.error_at(&below(pointer, "memory_cap_bytes"), Half::Key, message).with_hint(hint));
    }
    check_globs(document, &below(pointer, "code"), &workflow.code, errors);
    check_code(document, &below(pointer, "code"), &workflow.code, errors);
    if let Some(now) = &workflow.now {
        check_time(document, &below(pointer, "now"), now, errors);
    }
}

/// Whether holdpoint starts a process for it.
fn has_process(workflow: &WorkflowSpec) -> bool {
    workflow.command.is_some() || workflow.http.as_ref().is_some_and(|http| !http.start.is_empty())
}

/// Memory caps that this system does not keep. `keeps` says whether it does.
pub(super) fn caps_not_kept(file: &ProjectFile, document: &Document, keeps: bool) -> Vec<Diagnostic> {
    let capped = file.workflows.iter().filter(|(_, workflow)| !keeps && workflow.memory_cap_bytes.is_some());
    capped
        .map(|(name, _)| {
            let pointer = below(&below("/workflows", name), "memory_cap_bytes");
            let warning = document.error_at(&pointer, Half::Key, "memory is not limited on this system");
            warning.with_hint("the cap is kept on Linux alone").as_warning()
        })
        .collect()
}

/// A set that no case can lie in is a typing mistake, and its policy would hold for nothing.
fn check_sets(document: &Document, file: &ProjectFile, errors: &mut Vec<Diagnostic>) {
    let known = file.risk_names();
    for set in file.sets.keys().filter(|set| !known.contains(&set.as_str())) {
        let message = format!("`{}` is no risk of this project", set.as_str().escape_debug());
        let hint = hint_for(set.as_str(), &known, "risks");
        errors.push(document.error_at(&below("/sets", set.as_str()), Half::Key, message).with_hint(hint));
    }
}

/// Folders that hold what holdpoint wrote: nothing in them is ever compared as code.
const WRITTEN: [&str; 3] = ["reports", ".holdpoint", "baselines"];

/// Code in a folder that holdpoint writes to would change unseen.
fn check_code(document: &Document, pointer: &str, globs: &[String], errors: &mut Vec<Diagnostic>) {
    for (index, glob) in globs.iter().enumerate() {
        let first = glob.split('/').next().unwrap_or_default();
        // `*` alone means every folder, and not these in particular.
        let is_any = first.chars().all(|character| character == '*');
        let Ok(matcher) = compile_glob(first).map(|glob| glob.compile_matcher()) else { continue };
        if let Some(folder) = WRITTEN.iter().find(|name| !is_any && glob.contains('/') && matcher.is_match(name)) {
            let message = format!("the glob `{glob}` names code below `{folder}/`, where holdpoint itself writes");
            let error = document.error(&below(pointer, index), message);
            errors.push(error.with_hint("move the code to a folder of its own, and name that"));
        }
    }
}

/// Globs of code that match no file.
pub(super) fn unmatched_code(files: &dyn FileSource, file: &ProjectFile, document: &Document) -> Vec<Diagnostic> {
    let globs = file.workflows.iter().flat_map(|(name, workflow)| {
        let pointer = below(&below("/workflows", name), "code");
        workflow.code.iter().enumerate().map(move |(index, glob)| (below(&pointer, index), glob))
    });
    let unmatched = globs.filter(|(_, glob)| !matches_a_file(files, glob));
    unmatched
        .map(|(pointer, glob)| {
            let warning = document.error(&pointer, format!("the glob `{glob}` matches no file of the project"));
            warning.with_hint("check the path, or take the glob out").as_warning()
        })
        .collect()
}

fn matches_a_file(files: &dyn FileSource, glob: &str) -> bool {
    let Ok(matcher) = compile_glob(glob).map(|glob| glob.compile_matcher()) else { return true };
    let prefix = literal_prefix(glob);
    let ends = prefix.match_indices('/').map(|(end, _)| end).chain([prefix.len()]);
    // The files of a submodule are not listed, and its pin counts.
    let is_in_submodule = ends.into_iter().any(|end| files.kind(&prefix[..end]) == Some(EntryKind::Submodule));
    let is_file = || matches!(files.kind(&prefix), Some(EntryKind::File | EntryKind::Symlink)) && prefix == glob;
    is_in_submodule
        || is_file()
        || (files.kind(&prefix) != Some(EntryKind::File)
            && files.list(&prefix).map_or(true, |paths| paths.iter().any(|path| matcher.is_match(path))))
}

/// A program that can be started: it has a name, and nothing that the operating system would cut off.
pub(super) fn check_program(document: &Document, pointer: &str, run: &[String], errors: &mut Vec<Diagnostic>) {
    if run.first().is_some_and(|program| program.trim().is_empty()) {
        errors.push(document.error(&below(pointer, 0), "the program's name is empty").with_hint("name a program"));
    }
    for (index, _) in run.iter().enumerate().filter(|(_, word)| word.contains('\0')) {
        let error = document.error(&below(pointer, index), "an argument holds a NUL character");
        errors.push(error.with_hint("no program can be given one"));
    }
}

/// Whether a text is the whole address of something that speaks HTTP.
pub fn is_address(url: &str) -> bool {
    let host = ["http://", "https://"].iter().find_map(|start| url.strip_prefix(start));
    host.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(char::is_whitespace))
}

/// A whole address, or one that begins with a variable.
pub(super) fn check_url(document: &Document, pointer: &str, url: &str, errors: &mut Vec<Diagnostic>) {
    check_url_or(document, pointer, url, "write the whole address, as in `http://127.0.0.1:8080/invoke`", errors);
}

/// The same with what else could have been meant.
pub(super) fn check_url_or(document: &Document, pointer: &str, url: &str, hint: &str, errors: &mut Vec<Diagnostic>) {
    if !["http://", "https://", "${"].iter().any(|start| url.starts_with(start)) {
        let error = document.error(pointer, "the address begins neither with `http://` nor with `https://`");
        errors.push(error.with_hint(hint));
    }
}

fn check_globs(document: &Document, pointer: &str, globs: &[String], errors: &mut Vec<Diagnostic>) {
    for (index, glob) in globs.iter().enumerate() {
        check_glob(document, &below(pointer, index), glob, errors);
    }
}

/// A glob that can be read and stays in the project.
pub(super) fn check_glob(document: &Document, pointer: &str, glob: &str, errors: &mut Vec<Diagnostic>) {
    if let Err(fault) = paths::check_form(glob) {
        let error = document.error(pointer, fault.message.replacen("the path", "the glob", 1));
        errors.push(match fault.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        });
    } else if let Err(reason) = compile_glob(glob) {
        errors.push(document.error(pointer, format!("`{glob}` is no glob: {reason}")));
    }
}

/// A time in the form of RFC 3339.
pub(super) fn check_time(document: &Document, pointer: &str, text: &str, errors: &mut Vec<Diagnostic>) {
    if compile_time(text).is_err() {
        let error = document.error(pointer, format!("`{}` is no time in the form of RFC 3339", text.escape_debug()));
        errors.push(error.with_hint("write it as in `2026-03-02T09:30:00Z`"));
    }
}

fn check_names<'n>(
    document: &Document,
    pointer: &str,
    what: &str,
    given: impl Iterator<Item = &'n str>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for name in given {
        let pointer = below(pointer, name);
        if let Some(fault) = names::form_fault(what, name) {
            errors.push(document.error_at(&pointer, Half::Key, fault).with_hint(names::FORM_HINT));
        }
        if let Some(other) = seen.insert(name.to_lowercase(), name) {
            let message = format!("the {what} `{name}` differs only in letter case from `{other}`");
            errors.push(document.error_at(&pointer, Half::Key, message).with_hint("choose another name"));
        }
    }
}
