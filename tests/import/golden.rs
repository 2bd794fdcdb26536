//! For each format files that we wrote, and all that comes of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use holdpoint::import::{self, Aim, Brought, MatchBy, TableOptions};
use holdpoint::manifest::{Diagnostic, DiskFiles, MemoryFiles, load_project};
use holdpoint::operations::{account_of_ledger, read_ledger};

pub(crate) fn inputs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/inputs")
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(inputs().join(name)).unwrap()
}

pub(crate) fn aim() -> Aim {
    Aim { set: "policy_accuracy".into(), workflow: None }
}

/// Everything that came of an import, as a reader would want to see it.
fn shown(brought: Result<Brought, Vec<Diagnostic>>) -> String {
    let brought = brought.unwrap();
    let mut text = format!("{:?}\n", brought.tally);
    for note in &brought.notes {
        let _ = writeln!(text, "{} {}: {}\n    {}", note.place(), note.kind.name(), note.what, note.why);
    }
    let project = brought.project_file("golden", "the input");
    let files = brought.files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
    let project = (!brought.workflows.is_empty()).then_some(("holdpoint.yaml", project.as_str()));
    for (path, content) in project.into_iter().chain(files) {
        let _ = write!(text, "\n=== {path}\n{content}");
    }
    text
}

/// What was written is a project that is in order.
fn assert_in_order(brought: &Brought, beside: &[(&str, &str)]) {
    let mut files = MemoryFiles::new().with("holdpoint.yaml", brought.project_file("golden", "the input"));
    for (path, text) in beside {
        files = files.with(path, text);
    }
    for file in &brought.files {
        files = files.with(&file.path, &file.text);
    }
    let loaded =
        load_project(&files, &std::collections::BTreeMap::new()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(loaded.project.cases.len(), brought.tally.brought);
}

fn promptfoo(inside: Option<&str>) -> Result<Brought, Vec<Diagnostic>> {
    import::promptfoo("promptfooconfig.yaml", &DiskFiles::new(inputs().join("promptfoo")), &aim(), inside)
}

#[test]
fn a_promptfoo_configuration() {
    insta::assert_snapshot!(shown(promptfoo(Some(""))));
    let prompt = String::from_utf8(bytes("promptfoo/prompts/desk.txt")).unwrap();
    assert_in_order(&promptfoo(Some("")).unwrap(), &[("prompts/desk.txt", &prompt)]);
    // From elsewhere the prompts are copied, and the program is out of reach.
    let elsewhere = promptfoo(None).unwrap();
    assert!(elsewhere.files.iter().any(|file| file.path.starts_with("prompts/") && file.text.contains("{{shop}}")));
    assert_in_order(&elsewhere, &[]);
}

#[test]
fn no_secret_of_a_provider_is_copied() {
    assert!(!shown(promptfoo(Some(""))).contains("sk-not-to-be-copied"));
}

#[test]
fn samples_of_openai_evals() {
    let of = |by| import::openai_evals("samples.jsonl", &bytes("samples.jsonl"), &aim(), by);
    insta::assert_snapshot!(shown(of(MatchBy::Contains)));
    assert_in_order(&of(MatchBy::Contains).unwrap(), &[]);
    let exact = of(MatchBy::Equals).unwrap();
    assert_eq!((exact.tally.expectations, exact.tally.placeholders), (1, 2), "one of several texts has no equal");
}

#[test]
fn a_table_of_comma_separated_values() {
    let options =
        TableOptions { expect: Some("answer".to_owned()), match_by: MatchBy::Contains, id: Some("id".to_owned()) };
    let brought = || import::csv("table.csv", &bytes("table.csv"), &aim(), &options);
    insta::assert_snapshot!(shown(brought()));
    assert_in_order(&brought().unwrap(), &[]);
    let wrong = TableOptions { expect: Some("reply".to_owned()), ..options };
    let errors = import::csv("table.csv", &bytes("table.csv"), &aim(), &wrong).unwrap_err();
    assert_eq!((errors[0].line, errors[0].message.as_str()), (1, "there is no column `reply`"));
}

#[test]
fn json_lines() {
    let options = TableOptions { expect: Some("want".to_owned()), match_by: MatchBy::Contains, id: None };
    let brought = || import::jsonl("rows.jsonl", &bytes("rows.jsonl"), &aim(), &options);
    insta::assert_snapshot!(shown(brought()));
    assert_in_order(&brought().unwrap(), &[]);
    let equals = TableOptions { match_by: MatchBy::Equals, ..options };
    let brought = import::jsonl("rows.jsonl", &bytes("rows.jsonl"), &aim(), &equals).unwrap();
    assert_eq!((brought.tally.expectations, brought.tally.placeholders), (2, 2));
}

#[test]
fn spans() {
    let brought = || import::otel("spans.json", &bytes("spans.json"), "spans.ledger.jsonl");
    insta::assert_snapshot!(shown(brought()));
    assert_all_uncertain(&brought().unwrap(), 2);
}

#[test]
fn a_plain_ledger() {
    let brought = || import::operations("operations.jsonl", &bytes("operations.jsonl"), "operations.ledger.jsonl");
    insta::assert_snapshot!(shown(brought()));
    assert_all_uncertain(&brought().unwrap(), 2);
}

/// The ledger is one that the papers take, and nothing in it is more than uncertain: neither a receipt nor a claim is a look.
fn assert_all_uncertain(brought: &Brought, operations: usize) {
    let ledger = read_ledger("a", brought.files[0].text.as_bytes()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let account = account_of_ledger(&ledger);
    assert_eq!(account.operations.len(), operations);
    assert!(account.operations.iter().all(|seen| seen.outcome == holdpoint::domain::Outcome::Uncertain));
}

#[test]
fn a_test_keeps_its_name_whatever_is_inserted_around_it() {
    let names = |text: &str| {
        let files = MemoryFiles::new().with("c.yaml", text);
        let brought = import::promptfoo("c.yaml", &files, &aim(), None).unwrap();
        let cases = brought.files.into_iter().map(|file| file.path).filter(|path| path.starts_with("cases/"));
        (cases.collect::<Vec<_>>(), brought.notes.iter().filter(|note| note.what.contains("same")).count())
    };
    let test = |question: &str| format!("  - {{vars: {{q: {question}}}, assert: [{{type: contains, value: x}}]}}\n");
    let head = "prompts: ['{{q}}']\nproviders: [echo]\ntests:\n";
    let (one, _) = names(&format!("{head}{}", test("same")));
    let (more, _) = names(&format!("{head}{}{}{}", test("before"), test("same"), test("after")));
    assert!(more.contains(&one[0]), "{one:?} {more:?}");
    let (twice, noted) = names(&format!("{head}{}{}", test("same"), test("same")));
    assert_eq!(twice, [one[0].clone(), one[0].replace(".yaml", "-2.yaml")]);
    assert_eq!(noted, 1, "that a name hangs on the order is said");
    let more_prompts = head.replace("['{{q}}']", "['{{q}}', 'Shortly: {{q}}']").replace("[echo]", "[echo, other]");
    let (crossed, _) = names(&format!("{more_prompts}{}", test("same")));
    assert!(crossed.len() == 4 && crossed.contains(&one[0]), "{crossed:?}");
}
