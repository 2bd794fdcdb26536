//! The smallest project that can regress: a shell script that prints a prompt's file, and one case.

use crate::sandbox::Sandbox;

/// The project file.
pub(crate) const PROJECT: &str = "\
schema: holdpoint.project/1
name: small
workflows:
  greeter:
    command:
      run: [sh, workflow.sh]
    parts: [greeting]
    code: [workflow.sh]
    now: \"2026-03-02T09:00:00Z\"
inert: [README.md]
gate: {uncovered_is_inconclusive: false}
";

/// The one part.
pub(crate) const MANIFEST: &str = "\
id: greeting
kind: prompt
version: \"1\"
files: [prompts/greeting.txt]
";

/// The one case.
pub(crate) const CASE: &str = "\
id: greets
title: It greets
workflow: greeter
input: {question: Hello}
expect:
  - contains: Good morning
";

/// Prints the prompt's file.
pub(crate) const WORKFLOW: &str = "cat >/dev/null\ncat prompts/greeting.txt\n";

/// The files of the project.
pub(crate) const FILES: [(&str, &str); 6] = [
    ("holdpoint.yaml", PROJECT),
    ("manifests/greeting.yaml", MANIFEST),
    ("prompts/greeting.txt", "Good morning\n"),
    ("workflow.sh", WORKFLOW),
    ("cases/policy_accuracy/greets.yaml", CASE),
    (".gitignore", "reports/\n.holdpoint/\n"),
];

/// The project in a fresh repository; nothing was ever accepted.
pub(crate) fn small_project() -> Sandbox {
    Sandbox::with_files(&FILES)
}

/// The project with an accepted baseline, committed.
pub(crate) fn accepted_project() -> Sandbox {
    let sandbox = small_project();
    sandbox.measure_and_accept();
    sandbox
}

/// A further case that expects `text` in the answer.
pub(crate) fn case(id: &str, text: &str) -> String {
    CASE.replace("id: greets", &format!("id: {id}")).replace("Good morning", text)
}
