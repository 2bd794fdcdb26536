//! Case files: what can be told of each from itself and its fixtures.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::{Aspect, Digest, Question, Risk};
use crate::manifest::case::{Case, CaseOutline, Fixture, HeldCase};
use crate::manifest::case_file::CaseFile;
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::files::FileSource;
use crate::manifest::node::{Half, below};
use crate::manifest::schema::{FileKind, read_raw};
use crate::manifest::yaml::Document;

use super::expectations;
use super::faults;
use super::names::{self, IdPlace};
use super::paths;
use super::project_file::check_time;
use super::references::{self, Scope};

/// One YAML file below `cases/` as far as it could be read.
pub(super) struct ReadCase {
    /// Its path.
    pub(super) path: String,
    /// Its id, where it can be read at all.
    pub(super) id_place: Option<IdPlace>,
    /// The paths of the files that it names as fixtures.
    pub(super) fixture_paths: Vec<String>,
    /// Whether it has the keys that only a case has.
    pub(super) looks_like_case: bool,
    /// The case, where nothing is wrong with it.
    pub(super) case: Option<HeldCase>,
    /// What is wrong with it.
    pub(super) errors: Vec<Diagnostic>,
}

/// Reads one file and checks it: alone, and where there is a scope, against what it refers to.
pub(super) fn read(files: &dyn FileSource, path: &str, scope: Option<&Scope<'_>>) -> ReadCase {
    let mut read = ReadCase {
        path: path.to_owned(),
        id_place: None,
        fixture_paths: Vec::new(),
        looks_like_case: false,
        case: None,
        errors: Vec::new(),
    };
    let document = match super::read_document(files, path) {
        Ok(document) => document,
        Err(errors) => {
            read.errors = errors;
            return read;
        }
    };
    read.id_place = IdPlace::of(&document);
    read.fixture_paths = fixture_paths(path, &document.json);
    read.looks_like_case = document.json.get("id").is_some() && document.json.get("expect").is_some();
    let set = set_of(path);
    if set.is_none() {
        let error = document.error("", "a case lies in the folder of its set, below `cases/`");
        read.errors
            .push(error.with_hint("move it to a folder named after the risk it shows, as in `cases/duplicate/`"));
    }
    match read_raw::<CaseFile>(FileKind::Case, &document) {
        Ok(raw) => {
            check(&raw, &document, &mut read.errors);
            let fixtures = read_fixtures(files, &raw, path, &document, &mut read.errors);
            if let Some(scope) = scope {
                references::check_case(scope, &raw, set, &document, &mut read.errors);
            }
            if let (Some(set), true) = (set, read.errors.is_empty()) {
                let line = read.id_place.as_ref().map_or(0, IdPlace::line);
                read.case = Some(case(raw, set, path, line, fixtures).held());
            }
        }
        Err(errors) => read.errors.extend(errors),
    }
    read
}

/// The first folder below `cases/`.
fn set_of(path: &str) -> Option<&str> {
    path.strip_prefix("cases/")?.split_once('/').map(|(set, _)| set)
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn fixture_paths(path: &str, json: &Value) -> Vec<String> {
    let named = json.get("fixtures").and_then(Value::as_object).into_iter().flatten();
    named.filter_map(|(_, file)| file.as_str()).map(|file| format!("{}/{file}", folder_of(path))).collect()
}

fn check(raw: &CaseFile, document: &Document, errors: &mut Vec<Diagnostic>) {
    names::check_form(document, "/id", "case id", raw.id.as_str(), errors);
    if raw.title.trim().is_empty() {
        let error = document.error("/title", "the title is empty");
        errors.push(error.with_hint("say in one sentence what holds when the case passes"));
    }
    if let Some(now) = &raw.now {
        check_time(document, "/now", now, errors);
    }
    if !raw.steps.iter().any(|step| step.invoke.is_some()) {
        let error = document.error("/steps", "no step invokes the workflow");
        errors.push(error.with_hint("add `- invoke: {}`"));
    }
    for (index, _) in
        raw.steps.iter().enumerate().filter(|(_, step)| {
            step.invoke.as_ref().is_some_and(|invoke| invoke.input.is_some()) && !raw.input.is_object()
        })
    {
        let error = document.error(
            &format!("/steps/{index}/invoke/input"),
            "this step lays fields over the case's input, which is no map",
        );
        errors.push(error.with_hint("make the case's `input` a map"));
    }
    faults::check_alone(document, &raw.faults, errors);
    unfilled(document, errors);
    for (index, expectation) in raw.expect.iter().enumerate() {
        expectations::check(document, &below("/expect", index), expectation, errors);
    }
}

/// What a new case's examples hold in place of words that only its author knows. Left there it would be asserted, and under `not`
/// everything would pass.
pub(in crate::manifest) const UNFILLED: [&str; 3] = ["<what the answer must say>", "<what it must not say>", "<value>"];

/// What a new case's input has in place of a text: the name of its key.
pub(in crate::manifest) fn placeholder(key: &str) -> String {
    format!("<{key}>")
}

/// Refuses what `case new` wrote and its author left as it is: a workflow that gets the name of a key in place of a text answers
/// something else than was asked.
fn unfilled(document: &Document, errors: &mut Vec<Diagnostic>) {
    let mut refuse = |pointer: &str, text: &str, hint: &str| {
        let error = document.error(pointer, format!("`{text}` is still what `case new` wrote there"));
        errors.push(error.with_hint(hint));
    };
    each_text(&document.json["input"], "input", "/input", &mut |key, pointer, text| {
        if text == placeholder(key) {
            refuse(pointer, text, "write what the workflow gets in this case");
        }
    });
    each_text(&document.json["expect"], "expect", "/expect", &mut |_, pointer, text| {
        if UNFILLED.contains(&text) {
            refuse(pointer, text, "write the words that this case is about, or take the line out");
        }
    });
}

/// Visits each text in a value, with the nearest key above it and its pointer.
fn each_text(value: &Value, key: &str, pointer: &str, visit: &mut impl FnMut(&str, &str, &str)) {
    match value {
        Value::String(text) => visit(key, pointer, text),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| each_text(item, key, &below(pointer, at), visit));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| each_text(field, key, &below(pointer, key), visit));
        }
        _ => {}
    }
}

fn read_fixtures(
    files: &dyn FileSource,
    raw: &CaseFile,
    path: &str,
    document: &Document,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    for (name, file) in &raw.fixtures {
        let pointer = below("/fixtures", name);
        if let Err(fault) = paths::check_form(name) {
            let error = document.error_at(&pointer, Half::Key, fault.message);
            errors.push(error.with_hint("this is the file's name in the trial's state directory"));
        }
        let folder =
            raw.fixtures.keys().find(|other| other.strip_prefix(name.as_str()).is_some_and(|r| r.starts_with('/')));
        if let Some(other) = folder {
            let message = format!("`{name}` is a file here and a folder in `{other}`");
            errors.push(document.error_at(&pointer, Half::Key, message).with_hint("choose another name"));
        }
        let full = format!("{}/{file}", folder_of(path));
        let content = paths::check_form(file).and_then(|()| paths::check_file(files, &full)).and_then(|()| {
            files.read(&full).map_err(|error| paths::PathFault { message: error.to_string(), hint: None })
        });
        match content {
            Ok(content) => fixtures.push(Fixture { name: name.clone(), path: full, content }),
            Err(fault) => {
                let error = document.error(&pointer, fault.message);
                let hint =
                    fault.hint.unwrap_or_else(|| "fixtures are named relative to the case's own folder".to_owned());
                errors.push(error.with_hint(hint));
            }
        }
    }
    fixtures
}

fn case(raw: CaseFile, set: &str, path: &str, line: usize, fixtures: Vec<Fixture>) -> Case {
    let set = Risk::new(set);
    let mut risks = vec![set.clone()];
    for risk in &raw.risks {
        if !risks.contains(risk) {
            risks.push(risk.clone());
        }
    }
    let expect = json!(raw.expect);
    let fixture_digests: BTreeMap<&str, Digest> =
        fixtures.iter().map(|fixture| (fixture.name.as_str(), Digest::of(&fixture.content))).collect();
    let digest = Digest::of_json(&json!({
        "workflow": raw.workflow,
        "trials": raw.trials,
        "input": raw.input,
        "fixtures": fixture_digests,
        "steps": raw.steps,
        "faults": raw.faults,
        "now": raw.now,
        "expect": expect,
        "sources": raw.sources,
    }));
    let expectation_digest = Digest::of_json(&expect);
    let question = question(&raw, &fixture_digests, expectation_digest.clone());
    let outline = CaseOutline {
        id: raw.id,
        set,
        title: raw.title.into(),
        path: path.to_owned(),
        line,
        workflow: raw.workflow,
        risks,
        sources: raw.sources,
        trials: raw.trials,
        always: raw.always,
        fixtures,
        digest,
        expectation_digest,
        question,
    };
    Case {
        outline: outline.into(),
        input: raw.input,
        steps: raw.steps,
        faults: raw.faults,
        now: raw.now,
        expect: raw.expect,
    }
}

/// What a result of the case speaks of, as far as its own file says.
fn question(raw: &CaseFile, fixtures: &BTreeMap<&str, Digest>, expectations: Digest) -> Question {
    let mut question = Question::default();
    question.set(Aspect::Expectations, expectations);
    let goes_in = json!({
        "workflow": raw.workflow,
        "input": raw.input,
        "fixtures": fixtures,
        "steps": raw.steps,
        "now": raw.now,
        "sources": raw.sources,
    });
    question.set(Aspect::Case, Digest::of_json(&goes_in));
    if !raw.faults.is_empty() {
        question.set(Aspect::FaultSchedule, Digest::of_json(&json!(raw.faults)));
    }
    question
}
