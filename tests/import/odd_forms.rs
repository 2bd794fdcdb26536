//! What stands where something else should: named with its place, never passed over.

use serde_json::{Value, json};

use holdpoint::import::{self, Brought, Kind, MatchBy, TableOptions};
use holdpoint::manifest::{ForeignFile, MemoryFiles};

use crate::golden::aim;

fn promptfoo(text: &str, beside: &[(&str, &str)]) -> Brought {
    let files =
        beside.iter().fold(MemoryFiles::new().with("c.yaml", text), |files, (path, text)| files.with(path, text));
    import::promptfoo("c.yaml", &files, &aim(), Some("")).unwrap()
}

/// The expectations of each case, in the order of their files.
fn expectations(brought: &Brought) -> Vec<Value> {
    let cases = brought.files.iter().filter(|file| file.path.starts_with("cases/"));
    let read = |text: &str| ForeignFile::read("case", text.as_bytes()).unwrap().json()["expect"].clone();
    cases.map(|file| read(&file.text)).collect()
}

fn notes(brought: &Brought, kind: Kind) -> Vec<String> {
    let notes = brought.notes.iter().filter(|note| note.kind == kind && !note.what.starts_with("the p"));
    notes.map(|note| format!("{} {} | {}", note.place(), note.what, note.why)).collect()
}

const HEAD: &str = "prompts: ['{{q}}']\nproviders: [echo]\n";

#[test]
fn one_assertion_without_a_list_is_a_list_of_one() {
    let brought = promptfoo(
        &format!(
            "{HEAD}defaultTest:\n  assert: {{type: contains, value: dflt}}\ntests:\n  - vars: {{q: a}}\n    assert: {{type: contains, value: x}}\n  - vars: {{q: b}}\n    assert: [{{type: contains, value: y}}]\n"
        ),
        &[],
    );
    assert_eq!(
        expectations(&brought),
        [json!([{"contains": "dflt"}, {"contains": "x"}]), json!([{"contains": "dflt"}, {"contains": "y"}])]
    );
    let said = "it stands below `assert` without a list, and was taken for a list of one";
    let expected = [format!("c.yaml:4 contains: dflt | {said}"), format!("c.yaml:7 contains: x | {said}")];
    assert_eq!(notes(&brought, Kind::Changed), expected, "once each, however many tests inherit it");
}

#[test]
fn what_is_no_assertion_is_quoted_in_a_placeholder() {
    let no_map = "it is no map with a type";
    for (assert, quoted, why) in [
        ("\"contains: x\"", "assert: \"contains: x\"", no_map),
        ("7", "assert: 7", no_map),
        ("true", "assert: true", no_map),
        ("[\"contains: x\"]", "assert: \"contains: x\"", no_map),
        ("[[{type: contains, value: x}]]", "assert: [{\"type\":\"contains\",\"value\":\"x\"}]", no_map),
        ("[{contains: x}]", "assert: {\"contains\":\"x\"}", "it has no type"),
        ("[{type: [contains], value: x}]", "assert: {\"type\":[\"contains\"],\"value\":\"x\"}", "it has no type"),
        ("[{$ref: '#/gone'}]", "assert: {\"$ref\":\"#/gone\"}", "it has no type"),
        (
            "[{type: assert-set, value: x}]",
            "assert: {\"type\":\"assert-set\",\"value\":\"x\"}",
            "the set holds no assertion",
        ),
        (
            "[{type: assert-set, assert: []}]",
            "assert: {\"type\":\"assert-set\",\"assert\":[]}",
            "the set holds no assertion",
        ),
        ("[{type: assert-set, assert: 'contains: x'}]", "assert: \"contains: x\"", no_map),
    ] {
        for default in [false, true] {
            let text = if default {
                format!("{HEAD}tests: [{{vars: {{q: a}}}}]\ndefaultTest:\n  options: {{}}\n  assert: {assert}\n")
            } else {
                format!("{HEAD}tests:\n  - vars: {{q: a}}\n\n    assert: {assert}\n")
            };
            let brought = promptfoo(&text, &[]);
            let placeholder = json!({"stands_for": quoted, "from": "c.yaml:6", "why": why});
            assert_eq!(expectations(&brought), [json!([{"placeholder": placeholder}])], "{text}");
            assert_eq!(notes(&brought, Kind::Placeholder), [format!("c.yaml:6 {quoted} | {why}")], "{text}");
        }
    }
}

#[test]
fn a_key_that_an_assertion_does_not_have_is_named_with_its_place() {
    let brought = promptfoo(
        &format!(
            "outputPath: out.json\nsharing: false\n{HEAD}tests:\n  - vars: {{q: a}}\n    assert:\n      \
             - {{type: contains, value: x, treshold: 2, weigth: 0}}\n      \
             - {{type: contains, value: y, contextTransform: z}}\n"
        ),
        &[],
    );
    assert_eq!(expectations(&brought), [json!([{"contains": "x"}, {"contains": "y"}])]);
    let keys = [
        (1, "outputPath"),
        (2, "sharing"),
        (8, "assert.treshold"),
        (8, "assert.weigth"),
        (9, "assert.contextTransform"),
    ];
    let expected = keys.map(|(line, key)| format!("c.yaml:{line} `{key}` | nothing here has that meaning"));
    assert_eq!(notes(&brought, Kind::Left), expected);
    assert_eq!(brought.tally.left, 0, "no test is lost by that");
}

#[test]
fn what_stands_beside_a_reference_counts() {
    let one = "{$ref: '#/assertionTemplates/first', value: other, weigth: 0}";
    let templates = "assertionTemplates: {first: {type: contains, value: one}}\n";
    let brought = promptfoo(&format!("{templates}{HEAD}tests:\n  - vars: {{q: a}}\n    assert: [{one}]\n"), &[]);
    assert_eq!(expectations(&brought), [json!([{"contains": "other"}])]);
    assert_eq!(notes(&brought, Kind::Left), ["c.yaml:6 `assert.weigth` | nothing here has that meaning"]);
}

#[test]
fn a_set_of_one_assertion_without_a_list_holds_it() {
    let set = "{type: assert-set, assert: {type: contains, value: x}}";
    let brought = promptfoo(&format!("{HEAD}tests:\n  - vars: {{q: a}}\n    assert: [{set}]\n"), &[]);
    assert_eq!(expectations(&brought), [json!([{"contains": "x"}])]);
    assert_eq!(notes(&brought, Kind::Changed).len(), 1);
    // Where nothing of a test means here what it means there, the whole set is shown.
    let spoiled = promptfoo(
        &format!("{HEAD}tests:\n  - vars: {{q: a}}\n    options: {{transform: 'output'}}\n    assert: [{set}]\n"),
        &[],
    );
    let [one] = &notes(&spoiled, Kind::Placeholder)[..] else { panic!("{:?}", spoiled.notes) };
    assert!(one.contains("\"value\":\"x\""), "{one}");
}

#[test]
fn a_default_or_variables_of_another_form_are_named() {
    let brought = promptfoo(
        &format!(
            "{HEAD}defaultTest: [x]\ntests:\n  - vars: {{q: a}}\n  - vars: [b]\n  - {{vars: {{q: c}}, options: short}}\n"
        ),
        &[],
    );
    let why = "it is neither a map nor a file";
    let expected = [(3, "[\"x\"]"), (6, "[\"b\"]"), (7, "\"short\"")];
    assert_eq!(
        notes(&brought, Kind::Left),
        expected.map(|(line, what)| format!("c.yaml:{line} {what} | {why}")),
        "once each, however many tests inherit it"
    );
}

#[test]
fn a_cell_that_names_a_file_of_code_calls_it() {
    let table = "q,__expected\na,file://a.py\nb,file://b.js\nc,file://c.ts\nd,javascript: package:judges:tone\ne,contains:package:x:y\nf,equals:package\n";
    let beside = [("t.csv", table), ("a.py", ""), ("b.js", ""), ("c.ts", "")];
    let brought = promptfoo(&format!("{HEAD}tests: file://t.csv\n"), &beside);
    let run = |program: &str, judge: &str, file: &str, function: &str| json!([{"command": {"run": [program, format!("tools/promptfoo-judge.{judge}"), "file", file, function, ""]}}]);
    let found = expectations(&brought);
    assert_eq!(found[0], run("python3", "py", "a.py", "get_assert"));
    assert_eq!(found[1], run("node", "cjs", "b.js", "-"));
    let package = "its value comes from an installed package, and no such code is loaded here";
    assert_eq!(
        notes(&brought, Kind::Placeholder),
        [
            "t.csv:4 javascript: file://c.ts | `c.ts` is in another language".to_owned(),
            format!("t.csv:5 javascript: package:judges:tone | {package}"),
            format!("t.csv:6 contains: package:x:y | {package}"),
        ]
    );
    assert_eq!(found[5], json!([{"equals": "package"}]));
}

fn options(expect: &str) -> TableOptions {
    TableOptions { expect: Some(expect.to_owned()), match_by: MatchBy::Contains, id: Some("id".to_owned()) }
}

#[test]
fn a_test_that_no_project_would_read_is_named_in_every_format() {
    let large = "x".repeat(3_000_000);
    let csv = format!("id,q,want\n1,a,b\n2,{large},b\n");
    let jsonl =
        format!("{{\"id\": 1, \"q\": \"a\", \"want\": \"b\"}}\n{{\"id\": 2, \"q\": \"{large}\", \"want\": \"b\"}}\n");
    let samples = format!("{{\"input\": \"a\", \"ideal\": \"b\"}}\n{{\"input\": \"{large}\", \"ideal\": \"b\"}}\n");
    let config = format!("{HEAD}tests: file://t.csv\n");
    let table = format!("q,__expected\na,b\n{large},b\n");
    for (brought, place) in [
        (import::csv("r.csv", csv.as_bytes(), &aim(), &options("want")).unwrap(), "r.csv:3"),
        (import::jsonl("r.jsonl", jsonl.as_bytes(), &aim(), &options("want")).unwrap(), "r.jsonl:2"),
        (import::openai_evals("s.jsonl", samples.as_bytes(), &aim(), MatchBy::Contains).unwrap(), "s.jsonl:2"),
        (promptfoo(&config, &[("t.csv", &table)]), "t.csv:3"),
    ] {
        let tally =
            (brought.tally.found, brought.tally.brought, brought.tally.expectations, brought.tally.placeholders);
        assert_eq!(tally, (2, 1, 1, 0), "{place}");
        let left = notes(&brought, Kind::Left);
        let [note] = &left.iter().filter(|note| note.starts_with(place)).collect::<Vec<_>>()[..] else {
            panic!("{place}: {left:?}")
        };
        assert!(note.contains("the test ") && note.ends_with("bytes, and at most 1048576 are read"), "{note}");
        assert!(note.len() < 400 && expectations(&brought).len() == 1, "{place}");
    }
}

#[test]
fn a_number_is_held_against_an_answer_as_it_was_written() {
    let lines = "{\"id\": 1.10, \"q\": \"a\", \"want\": 1.10}\n{\"id\": 1.1, \"q\": 12345678901234567890123, \"want\": 12345678901234567890123}\n";
    let brought = import::jsonl("r.jsonl", lines.as_bytes(), &aim(), &options("want")).unwrap();
    assert_eq!(
        expectations(&brought),
        [json!([{"contains": "1.10"}]), json!([{"contains": "12345678901234567890123"}])]
    );
    let [one, other] = &brought.files[..] else { panic!("{:?}", brought.files) };
    assert!(one.path.ends_with("/1.10.yaml") && other.path.ends_with("/1.1.yaml"), "{} {}", one.path, other.path);
    assert!(other.text.contains("input: {q: \"12345678901234567890123\"}"), "{}", other.text);
    let said = "12345678901234567890123 | it has more digits than a number here keeps, so";
    assert_eq!(
        notes(&brought, Kind::Changed),
        [
            format!("r.jsonl:2 the number {said} `/q` became a text"),
            format!("r.jsonl:2 the number {said} `/want` became a text")
        ]
    );
    let samples = "{\"input\": \"a\", \"ideal\": 2.50}\n";
    let brought = import::openai_evals("s.jsonl", samples.as_bytes(), &aim(), MatchBy::Contains).unwrap();
    assert_eq!(expectations(&brought), [json!([{"contains": "2.50"}])]);
    let table = MemoryFiles::new().with("c.yaml", format!("{HEAD}tests: file://t.jsonl\n"));
    let table = table.with("t.jsonl", "{\"vars\": {\"q\": 12345678901234567890123}}\n");
    let brought = import::promptfoo("c.yaml", &table, &aim(), None).unwrap();
    assert!(brought.notes.iter().any(|note| note.place() == "t.jsonl:1" && note.why.contains("`/vars/q`")));
    let ledger = "{\"time\": 1772442060.123456789012, \"operation\": 12345678901234567890123, \"status\": \"sent\"}\n";
    let brought = import::operations("o.jsonl", ledger.as_bytes(), "o").unwrap();
    assert!(brought.files[0].text.contains("12345678901234567890123"), "{}", brought.files[0].text);
}

#[test]
fn a_number_of_a_template_is_written_as_javascript_writes_it() {
    let yaml = "prompts: ['Price {{p}} at {{r}}']\nproviders: ['exec: python3 desk.py']\ntests:\n  - vars: {p: 5.0, r: 1e3}\n    \
                assert: [{type: contains, value: '{{p}}'}, {type: equals, value: 2.50}]\n";
    let json = r#"{"prompts": ["Price {{p}} at {{r}}"], "providers": ["exec: python3 desk.py"], "tests": [{"vars": {"p": 5.0, "r": 1e3},
        "assert": [{"type": "contains", "value": "{{p}}"}, {"type": "equals", "value": 2.50}]}]}"#;
    for (path, text) in [("c.yaml", yaml), ("c.json", json)] {
        let files = MemoryFiles::new().with(path, text);
        let brought = import::promptfoo(path, &files, &aim(), Some("")).unwrap();
        assert_eq!(expectations(&brought), [json!([{"contains": "5"}, {"equals": "2.5"}])], "{path}");
        let case = brought.files.iter().find(|file| file.path.starts_with("cases/")).unwrap();
        assert!(case.text.contains("Price 5 at 1000") && case.text.contains("{p: 5, r: 1000}"), "{}", case.text);
    }
}

#[test]
fn a_line_with_a_doubled_key_is_left_behind_and_named_at_its_place() {
    let lines = "{\"id\": 1}\n{\"id\": 2, \"q\": \"a\", \"q\": \"b\"}\n";
    let brought = import::jsonl("r.jsonl", lines.as_bytes(), &aim(), &options("id")).unwrap();
    assert_eq!((brought.tally.found, brought.tally.brought, brought.tally.left), (2, 1, 1));
    let of_line = brought.notes.iter().filter(|note| note.line == 2);
    let found: Vec<_> = of_line.map(|note| (note.path.as_str(), note.kind, note.why.as_str())).collect();
    assert_eq!(found, [("r.jsonl", Kind::Left, "the key `q` stands there twice")]);
    let alone = lines.lines().nth(1).unwrap();
    let errors = import::jsonl("r.jsonl", alone.as_bytes(), &aim(), &options("id")).unwrap_err();
    let found: Vec<_> = errors.iter().map(|error| (error.path.as_str(), error.line, error.message.as_str())).collect();
    assert_eq!(found, [("r.jsonl", 1, "the key `q` stands there twice")]);
}
