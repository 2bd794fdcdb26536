//! Input that means harm, or nothing: clear errors, never a panic, and nothing lost unsaid.

use proptest::prelude::*;
use serde_json::{Value, json};

use holdpoint::import::{self, Brought, InspectOptions, Kind, MatchBy, TableOptions};
use holdpoint::manifest::{Diagnostic, EntryKind, ForeignFile, MemoryFiles};

use crate::golden::aim;

fn promptfoo(text: impl AsRef<[u8]>) -> Result<Brought, Vec<Diagnostic>> {
    import::promptfoo("c.yaml", &MemoryFiles::new().with("c.yaml", text), &aim(), None)
}

fn first(found: Result<Brought, Vec<Diagnostic>>) -> String {
    let errors = found.unwrap_err();
    format!("{}:{}: {}", errors[0].path, errors[0].line, errors[0].message)
}

fn options() -> TableOptions {
    TableOptions { expect: None, match_by: MatchBy::Contains, id: None }
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    assert_eq!(first(promptfoo(b"tests:\n  - vars: {a: caf\xe9}\n")), "c.yaml:2: the byte 0xE9 here is not UTF-8");
    assert!(first(promptfoo(format!("a: {}", "[".repeat(100_000)))).contains("nested deeper"));
    assert!(first(promptfoo("tests:\n- vars:\n    n: 99999999999999999999999\n")).starts_with("c.yaml:3: the number"));
    assert_eq!(first(promptfoo("[]")), "c.yaml:1: a configuration is a map");
    assert_eq!(first(promptfoo("")), "c.yaml:0: the file is empty");
    let bomb = format!("a: &a [{}]\nb: &b [{}]\nc: [{}]\n", "x,".repeat(900), "*a,".repeat(300), "*b,".repeat(300));
    assert!(first(promptfoo(bomb)).contains("more than"), "aliases that stand for a great many values");
    assert_eq!(
        first(import::csv("t.csv", b"q\na\nb\xff\n", &aim(), &options())),
        "t.csv:3: the byte 0xFF here is not UTF-8"
    );
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_taken() {
    let text = "\u{feff}prompts: ['{{q}}']\r\nproviders: [echo]\r\ntests:\r\n  - vars: {q: x}\r\n    assert:\r\n      - {type: pi, value: y}\r\n";
    let brought = promptfoo(text).unwrap();
    let note = brought.notes.iter().find(|note| note.kind == Kind::Placeholder).unwrap();
    assert_eq!(note.place(), "c.yaml:6");
}

#[test]
fn more_cases_than_can_be_meant_are_refused() {
    let list = (0..400).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let text = format!("tests:\n  - vars: {{a: [{list}], b: [{list}], c: [{list}]}}\n");
    assert!(first(promptfoo(text)).contains("more than 100000 cases"));
}

#[test]
fn no_reference_leads_out_of_the_folder_and_no_link_is_followed() {
    for reference in
        ["file://../secret.csv", "file:///etc/passwd.csv", "file://a/../../b.csv", "file://link.csv", "file://*.csv"]
    {
        let text = format!("providers: [echo]\ntests: ['{reference}']\n");
        let files = MemoryFiles::new().with("c.yaml", &text).with_entry("link.csv", EntryKind::Symlink);
        let brought = import::promptfoo("c.yaml", &files, &aim(), None).unwrap();
        assert!(brought.files.iter().all(|file| !file.path.starts_with("cases/")), "{reference}");
        assert!(
            brought.notes.iter().any(|note| note.kind == Kind::Left && note.what.contains(reference)),
            "{reference}"
        );
    }
}

#[test]
fn texts_that_hide_or_turn_round_are_shown_in_what_is_written() {
    let config = json!({
        "prompts": ["{{q}}"], "providers": ["echo"],
        "tests": [{"description": "a\u{202e}b\u{7}", "vars": {"q": "\u{1b}[31m\u{2066}x\n# id: other"}, "assert": [{"type": "contains", "value": "\u{200b}\u{feff}y"}]}],
    });
    let brought = promptfoo(config.to_string()).unwrap();
    let case = brought.files.iter().find(|file| file.path.starts_with("cases/")).unwrap();
    let hides = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    assert!(!case.text.contains(hides), "{:?}", case.text);
    let read = ForeignFile::read("case", case.text.as_bytes()).unwrap();
    assert_eq!(
        read.json()["input"]["vars"]["q"],
        json!("\u{1b}[31m\u{2066}x\n# id: other"),
        "and stand in the input as they were"
    );
    assert_eq!(read.json()["expect"][0]["contains"], json!("\u{200b}\u{feff}y"));
}

fn assertion() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just("contains"),
        Just("llm-rubric"),
        Just("not-equals"),
        Just("regex"),
        Just("?"),
        Just("is-json")
    ];
    (kind, "[a-z({.*\"]{0,6}", prop::option::of(0.0..2.0_f64)).prop_map(|(kind, value, weight)| {
        let mut assertion = json!({"type": kind, "value": value});
        if let Some(weight) = weight {
            assertion["weight"] = json!(if weight < 0.5 { 0.0 } else { weight });
        }
        assertion
    })
}

proptest! {
    #[test]
    fn any_bytes_are_brought_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = promptfoo(&bytes);
        let _ = import::openai_evals("a", &bytes, &aim(), MatchBy::Equals);
        let _ = import::csv("a", &bytes, &aim(), &options());
        let _ = import::jsonl("a", &bytes, &aim(), &options());
        let _ = import::otel("a", &bytes, "t");
        let _ = import::operations("a", &bytes, "t");
        let _ = import::inspect("a", &bytes, &InspectOptions { pass_at: 1.0, set: "action".into() });
    }

    #[test]
    fn any_configuration_like_text_is_brought_or_refused(text in "(tests|prompts|providers|scenarios|defaultTest|vars|assert|- |: |\n|  |\\[|\\]|\\{|\\}|x|file://|\\{\\{)*") {
        let _ = promptfoo(text);
    }

    /// Nothing is lost: a test is a case, and an assertion is an expectation, a placeholder, or a note that it weighed nothing.
    #[test]
    fn every_test_and_every_assertion_is_accounted_for(
        tests in prop::collection::vec((".{0,12}", prop::collection::vec(assertion(), 0..4)), 0..8),
    ) {
        let listed: Vec<Value> =
            tests.iter().map(|(q, asserts)| json!({"vars": {"q": q}, "assert": asserts})).collect();
        let config = json!({"prompts": ["say {{q}}"], "providers": ["echo"], "tests": listed});
        // What YAML must not hold is no business of this test.
        prop_assume!(ForeignFile::read("c", config.to_string().as_bytes()).is_ok());
        let brought = promptfoo(config.to_string()).unwrap();
        prop_assert_eq!(brought.tally.found, tests.len());
        prop_assert_eq!(brought.tally.brought, tests.len());
        let weightless = brought.notes.iter().filter(|note| note.why.contains("weight is 0")).count();
        let empty = tests.iter().filter(|(_, asserts)| asserts.iter().all(|one| one["weight"] == json!(0.0))).count();
        let asserts: usize = tests.iter().map(|(_, asserts)| asserts.len()).sum();
        prop_assert_eq!(brought.tally.expectations + brought.tally.placeholders + weightless, asserts + empty);
        let placeholders = brought.notes.iter().filter(|note| note.kind == Kind::Placeholder).count();
        prop_assert_eq!(brought.tally.placeholders, placeholders);
        prop_assert_eq!(brought.files.iter().filter(|file| file.path.starts_with("cases/")).count(), tests.len());
    }

    #[test]
    fn every_row_is_a_case(rows in prop::collection::vec(("[ -~]{0,10}", "[ -~]{0,10}"), 0..10)) {
        let lines: Vec<String> = rows.iter().map(|(a, b)| json!({"a": a, "b": b}).to_string()).collect();
        let brought = import::jsonl("r", lines.join("\n").as_bytes(), &aim(), &options()).unwrap();
        prop_assert_eq!((brought.tally.found, brought.tally.brought), (rows.len(), rows.len()));
        prop_assert_eq!(brought.tally.placeholders, rows.len());
    }
}
