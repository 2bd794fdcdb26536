//! Every assertion type that is listed, turned round or not, is in the case: as an expectation or as a placeholder.

use serde_json::{Value, json};

use holdpoint::import::{self, ASSERTION_TYPES, Brought, Kind};
use holdpoint::manifest::{ForeignFile, MemoryFiles};

use crate::golden::aim;

/// Types with an equal, with a value that each takes.
fn mapped(kind: &str) -> Option<Value> {
    Some(match kind {
        "equals" | "contains" | "icontains" | "starts-with" | "regex" | "python" | "javascript" => {
            json!({"value": "a b"})
        }
        "contains-all" | "contains-any" | "icontains-all" | "icontains-any" => json!({"value": ["a", "b"]}),
        "is-json" | "contains-json" => json!({"value": {"type": "object", "required": ["a"]}}),
        "word-count" => json!({"value": {"min": 1, "max": 9}}),
        "latency" => json!({"threshold": 100}),
        "levenshtein" => json!({"value": "a b", "threshold": 3}),
        _ => return None,
    })
}

fn brought(assertion: &Value) -> Brought {
    let test = json!({"vars": {"q": "one"}, "assert": [assertion]});
    let config = json!({"prompts": ["{{q}}"], "providers": ["echo"], "tests": [test]});
    let files = MemoryFiles::new().with("c.json", serde_json::to_string_pretty(&config).unwrap());
    import::promptfoo("c.json", &files, &aim(), None).unwrap()
}

fn expectation(brought: &Brought) -> Value {
    let case = brought.files.iter().find(|file| file.path.starts_with("cases/")).unwrap();
    let read = ForeignFile::read(&case.path, case.text.as_bytes()).unwrap();
    let expect = read.json()["expect"].as_array().unwrap().clone();
    assert_eq!(expect.len(), 1, "{}", case.text);
    expect[0].clone()
}

#[test]
fn each_type_is_an_expectation_or_a_placeholder_with_its_place() {
    assert!(ASSERTION_TYPES.len() > 60, "the list has {} types", ASSERTION_TYPES.len());
    for (kind, turns) in ASSERTION_TYPES {
        for negated in [false, true] {
            let written = if negated { format!("not-{kind}") } else { (*kind).to_owned() };
            let mut assertion = mapped(kind).unwrap_or_else(|| json!({"value": "a b", "threshold": 0.5}));
            assertion["type"] = json!(written);
            if *kind == "assert-set" && !negated {
                continue;
            }
            let brought = brought(&assertion);
            let expectation = expectation(&brought);
            let is_mapped = mapped(kind).is_some() && !(negated && ["is-json", "contains-json"].contains(kind));
            if is_mapped && (*turns || !negated) {
                assert!(expectation.get("placeholder").is_none(), "{written}: {expectation}");
                assert_eq!(expectation.get("not").is_some(), negated, "{written}: {expectation}");
                assert_eq!((brought.tally.expectations, brought.tally.placeholders), (1, 0), "{written}");
            } else {
                let placeholder = &expectation["placeholder"];
                assert!(placeholder["stands_for"].as_str().unwrap().starts_with(&written), "{expectation}");
                assert!(placeholder["why"].as_str().is_some_and(|why| why.len() > 10), "{expectation}");
                let from = placeholder["from"].as_str().unwrap();
                assert!(from.starts_with("c.json:"), "{expectation}");
                let note = brought.notes.iter().find(|note| note.kind == Kind::Placeholder).unwrap();
                assert_eq!(note.place(), from);
                assert_eq!((brought.tally.expectations, brought.tally.placeholders), (0, 1), "{written}");
            }
        }
    }
}

#[test]
fn that_an_answer_is_no_json_is_judged_by_a_program_and_that_it_fits_no_schema_is_not() {
    let run = |assertion: &Value| expectation(&brought(assertion))["command"]["run"].clone();
    assert_eq!(
        run(&json!({"type": "not-is-json"})),
        json!(["python3", "tools/promptfoo-judge.py", "no-json", "-", "-", ""])
    );
    let measured = json!(["python3", "tools/promptfoo-judge.py", "levenshtein", "one", "-", "5"]);
    assert_eq!(run(&json!({"type": "levenshtein", "value": "{{q}}"})), measured);
    for kind in
        [json!({"type": "levenshtein", "threshold": 3}), json!({"type": "levenshtein", "value": "a", "threshold": -1})]
    {
        assert!(expectation(&brought(&kind)).get("placeholder").is_some(), "{kind}");
    }
    let transformed = json!({"type": "not-is-json", "transform": "output.trim()"});
    assert!(expectation(&brought(&transformed)).get("placeholder").is_some());
}

#[test]
fn a_map_or_a_list_is_looked_for_in_the_whole_answer_as_json() {
    for value in [json!({"output": "yes", "days": 30}), json!(["a", "b"])] {
        let expected = json!({"json": {"path": "$", "equals": value}});
        assert_eq!(expectation(&brought(&json!({"type": "equals", "value": value}))), expected);
        let turned = expectation(&brought(&json!({"type": "not-equals", "value": value})));
        assert!(turned.get("placeholder").is_some(), "{turned}");
    }
}

#[test]
fn a_set_of_assertions_is_its_assertions() {
    let inner = json!([{"type": "contains", "value": "a"}, {"type": "llm-rubric", "value": "b"}]);
    let plain = brought(&json!({"type": "assert-set", "assert": inner}));
    assert_eq!((plain.tally.expectations, plain.tally.placeholders), (1, 1));
    let tolerant = brought(&json!({"type": "assert-set", "threshold": 0.5, "assert": inner}));
    assert_eq!((tolerant.tally.expectations, tolerant.tally.placeholders), (0, 2));
    let unweighed = brought(&json!({"type": "assert-set", "weight": 0, "assert": inner}));
    assert_eq!((unweighed.tally.expectations, unweighed.tally.placeholders), (0, 1), "nothing else is expected then");
    assert!(unweighed.notes.iter().any(|note| note.kind == Kind::Left && note.why.contains("weight is 0")));
}

#[test]
fn a_type_that_nobody_knows_and_an_attack_are_placeholders() {
    for kind in ["promptfoo:redteam:harmful", "is-poem", "not-not-contains", ""] {
        let brought = brought(&json!({"type": kind, "value": "a"}));
        assert_eq!((brought.tally.expectations, brought.tally.placeholders), (0, 1), "{kind}");
    }
}

#[test]
fn a_threshold_on_a_mean_is_taken_only_where_it_means_that_all_must_pass() {
    let of = |threshold: f64, asserts: Value| {
        let test = json!({"vars": {"q": "one"}, "threshold": threshold, "assert": asserts});
        let config = json!({"prompts": ["{{q}}"], "providers": ["echo"], "tests": [test]});
        let files = MemoryFiles::new().with("c.json", config.to_string());
        let tally = import::promptfoo("c.json", &files, &aim(), None).unwrap().tally;
        (tally.expectations, tally.placeholders)
    };
    let one = || json!([{"type": "contains", "value": "a"}]);
    let two = || json!([{"type": "contains", "value": "a"}, {"type": "contains", "value": "b"}]);
    assert_eq!(
        [of(1.0, two()), of(0.5, two()), of(0.5, one()), of(0.0, one()), of(1.5, one())],
        [(2, 0), (0, 2), (1, 0), (0, 1), (0, 1)]
    );
}

#[test]
fn what_changes_the_answer_first_leaves_no_assertion_as_it_was() {
    let with = |test: Value, provider: Value| {
        let mut test = test;
        test["vars"] = json!({"q": "one"});
        test["assert"] = json!([{"type": "contains", "value": "a"}]);
        let config = json!({"prompts": ["{{q}}"], "providers": [provider], "tests": [test]});
        let files = MemoryFiles::new().with("c.json", config.to_string());
        import::promptfoo("c.json", &files, &aim(), None).unwrap().tally.placeholders
    };
    assert_eq!(with(json!({}), json!("echo")), 0);
    assert_eq!(with(json!({"options": {"transform": "output.trim()"}}), json!("echo")), 1);
    assert_eq!(with(json!({"providerOutput": "a"}), json!("echo")), 1);
    assert_eq!(with(json!({"assertScoringFunction": "file://score.js"}), json!("echo")), 1);
    assert_eq!(with(json!({}), json!({"id": "echo", "transform": "output.trim()"})), 1);
}
