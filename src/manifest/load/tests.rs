//! Loading whole projects: one valid project, and what happens when one thing in it is wrong.

mod behaviour;
mod cases;
mod connectors;
mod expectations;
mod faults;
mod hostile;
mod manifests;
mod own_kinds;
mod probes;
mod project_files;
mod sides;
mod whole;

use std::collections::BTreeMap;

use super::*;
use crate::manifest::files::{FileError, MemoryFiles};

const PROJECT: &str = "\
schema: holdpoint.project/1
name: Desk
workflows:
  desk:
    practice: {name: mesa}
    parts: [drafter, answer, policy, clerks, review, stage]
  remote:
    http: {url: http://127.0.0.1:8080/invoke}
    parts: [policy]
  local:
    command: {run: [python3, desk.py]}
    parts: [policy]
probes:
  review_queue:
    sql: {database: desk.db, query: SELECT * FROM review_queue}
";

const CONNECTOR: &str = "\
id: review
kind: connector
version: 1.0.0
release: 2024-06
operations:
  stage:
    effect: create
    idempotency: {key: caller, window_s: 86400, replay_signal: {field: replayed}}
    lookup: {by: operation, authoritative: true}
    retry: {attempts: 3, on: [timeout, connection_lost]}
";

const CASE: &str = "\
id: plain-answer
title: A plain question is answered
workflow: desk
input: {question: May I return a lamp?}
expect:
  - contains: thirty days
";

/// A project with nothing wrong in it.
fn valid() -> MemoryFiles {
    MemoryFiles::new()
        .with("holdpoint.yaml", PROJECT)
        .with("manifests/drafter.yaml", "id: drafter\nkind: model\nversion: 1.0.0\nprovider: mesa\nname: scripted\n")
        .with("manifests/answer.yaml", "id: answer\nkind: prompt\nversion: 1.0.0\nfiles: [prompts/answer.md]\n")
        .with("prompts/answer.md", "Answer from the policy.\n")
        .with("manifests/policy.yml", "id: policy\nkind: source\nversion: 1.0.0\nglobs: ['policies/**/*.md']\n")
        .with("policies/returns.md", "Returns within thirty days.\n")
        .with("policies/old/returns.md", "Returns within ten days.\n")
        .with(
            "manifests/clerks.yaml",
            "id: clerks\nkind: permissions\nversion: 1.0.0\nactors: {clerk: {actions: [stage], sources: [policy]}}\n\
             actions: {stage: {needs_approval: true, approvers: [clerk]}}\n",
        )
        .with("manifests/review.yaml", CONNECTOR)
        .with(
            "manifests/stage.yaml",
            "id: stage\nkind: tool\nversion: 1.0.0\nschema: {type: object}\neffects: [create]\nconnector: review\n\
             operation: stage\n",
        )
        .with("cases/policy_accuracy/plain.yaml", CASE)
}

/// The valid project with the file at `path` in another form.
fn with(path: &str, content: impl AsRef<[u8]>) -> MemoryFiles {
    valid().with(path, content)
}

/// The valid project with another case.
fn with_case(content: impl AsRef<[u8]>) -> MemoryFiles {
    with("cases/action/odd.yaml", content)
}

/// Every error, as `path:line:column message` and the hint on a line of its own.
fn problems(files: &MemoryFiles) -> Vec<String> {
    match load_project(files, &BTreeMap::new()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(shown).collect(),
    }
}

fn shown(diagnostic: &Diagnostic) -> String {
    let Diagnostic { path, line, column, message, .. } = diagnostic;
    match &diagnostic.hint {
        Some(hint) => format!("{path}:{line}:{column} {message}\n  {hint}"),
        None => format!("{path}:{line}:{column} {message}"),
    }
}

/// Fails unless the project has exactly one error, shown as `expected`.
#[track_caller]
fn assert_problem(files: &MemoryFiles, expected: &str) {
    assert_eq!(problems(files).join("\n"), expected);
}

#[test]
fn a_diagnostic_carries_the_line_that_it_points_at() {
    let errors = load_project(&with_case("id: odd\r\n# größe\r\ntitel: x\r\n"), &BTreeMap::new()).unwrap_err();
    let unknown = errors.iter().find(|error| error.message.starts_with("unknown key")).unwrap();
    assert_eq!((unknown.line, unknown.column, unknown.source_line.as_str()), (3, 1, "titel: x"));
    let whole = load_project(&with_case(""), &BTreeMap::new()).unwrap_err();
    assert_eq!((whole[0].line, whole[0].source_line.as_str()), (0, ""));
}

/// Far more files than one thread reads alone.
const MANY: usize = 600;

#[test]
fn many_files_are_read_in_the_order_of_their_paths() {
    let mut files = valid();
    for number in 0..MANY {
        let case = CASE.replace("plain-answer", &format!("case-{number}"));
        let case = if number % 100 == 7 { case.replace("title", "titel") } else { case };
        files = files.with(&format!("cases/action/{number:05}.yaml"), case);
    }
    let unknown = problems(&files).into_iter().filter(|problem| problem.contains("unknown key"));
    let paths: Vec<String> = unknown.map(|problem| problem[..23].to_owned()).collect();
    let expected: Vec<String> = (0..6).map(|hundred| format!("cases/action/{:05}.yaml", hundred * 100 + 7)).collect();
    assert_eq!(paths, expected);
    assert_eq!(load_side(&files).cases.len(), MANY + 1 - 6);
}
