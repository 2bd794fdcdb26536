//! A case that is begun: refused only because it asserts nothing, and sound as soon as it does.

use std::collections::BTreeMap;

use super::*;
use crate::domain::BUILT_IN_RISKS;
use crate::manifest::{Diagnostic, FileSource, MemoryFiles, load_project, load_side};

const PROJECT: &str = "\
schema: holdpoint.project/1
name: Desk
risks: [tone]
workflows:
  desk:
    practice: {name: mesa}
    parts: [drafter, policy, clerks, review]
  lab:
    command: {run: [sh, lab.sh]}
    parts: [drafter, notes]
probes:
  audit:
    sql: {database: desk.db, query: SELECT * FROM audit}
  queue:
    sql: {database: desk.db, query: SELECT * FROM queue}
    operation: operation
";

const CASE: &str = "\
id: plain
title: A plain question is answered
workflow: desk
input:
  operation: op-1
  \"odd: key\": {no: 3, list: [a, b], nothing: null, flag: true}
  question: \"May I return a lamp?\"
expect:
  - contains: thirty days
  - effects: {probe: queue, count: 1}
";

fn files() -> MemoryFiles {
    let source = |id: &str| {
        format!("id: {id}\nkind: source\nversion: 1.0.0\nfiles: [{id}.md]\neffective: 2026-01-01\nauthority: primary\n")
    };
    MemoryFiles::new()
        .with("holdpoint.yaml", PROJECT)
        .with("manifests/drafter.yaml", "id: drafter\nkind: model\nversion: 1.0.0\nprovider: mesa\nname: scripted\n")
        .with("manifests/policy.yaml", source("policy"))
        .with("policy.md", "Thirty days.\n")
        .with("manifests/notes.yaml", source("notes"))
        .with("notes.md", "None.\n")
        .with("manifests/stray.yaml", source("stray"))
        .with("stray.md", "None.\n")
        .with("manifests/clerks.yaml", "id: clerks\nkind: permissions\nversion: 1.0.0\nactions: {}\nactors: {}\n")
        .with(
            "manifests/review.yaml",
            "id: review\nkind: connector\nversion: 1.0.0\nrelease: a\n\
             operations: {look: {effect: none}, stage: {effect: create}}\n",
        )
        .with("cases/policy_accuracy/plain.yaml", CASE)
}

fn begun(
    files: &MemoryFiles,
    shows: &str,
    id: Option<&str>,
    workflow: Option<&str>,
) -> Result<Skeleton, ScaffoldError> {
    let side = load_side(files);
    let paths = files.list("cases").unwrap();
    let file = side.project_file.as_ref().expect("the project file is in order");
    let input = ScaffoldInput { file, parts: &side.parts, cases: &side.cases, paths: &paths };
    let shows = shows.parse().unwrap();
    scaffold(&input, &ScaffoldRequest { shows, id: id.map(CaseId::from), workflow: workflow.map(WorkflowId::from) })
}

fn errors(files: &MemoryFiles) -> Vec<Diagnostic> {
    load_project(files, &BTreeMap::new()).map_or_else(|errors| errors, |_| Vec::new())
}

/// The text with every example taken into use, and with words in its input.
fn filled_in(skeleton: &Skeleton) -> String {
    let uncommented = |line: &str| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') || rest.starts_with("  - ") => rest.to_owned(),
        _ => line.replace("expect: []", "expect:"),
    };
    let taken = skeleton.text.lines().map(uncommented).collect::<Vec<_>>().join("\n") + "\n";
    let taken = crate::manifest::load::UNFILLED.iter().fold(taken, |text, unfilled| text.replace(unfilled, "words"));
    // The names of the keys stand for the input's texts, and for operations.
    taken.replace("\"<", "\"a <")
}

/// Every pair of a part and a risk, with the workflow.
fn all() -> Vec<(String, &'static str)> {
    let risks = BUILT_IN_RISKS.into_iter().chain(["tone"]);
    let pairs = risks.flat_map(|risk| {
        let parts = [("drafter", "desk"), ("drafter", "lab"), ("policy", "desk"), ("notes", "lab"), ("review", "desk")];
        parts.map(|(part, workflow)| (format!("{part}/{risk}"), workflow))
    });
    pairs.collect()
}

#[test]
fn a_skeleton_is_refused_at_the_line_of_its_expect_and_for_nothing_else() {
    assert_eq!(errors(&files()), []);
    for (shows, workflow) in all() {
        let skeleton = begun(&files(), &shows, None, Some(workflow)).unwrap();
        let found = errors(&files().with(&skeleton.path, skeleton.text.clone()));
        assert_eq!(found.len(), 1, "{shows}: {found:?}\n{}", skeleton.text);
        assert_eq!(found[0].message, "the list is empty");
        assert_eq!((found[0].line, found[0].source_line.as_str()), (skeleton.expect_line, "expect: []"));
        assert_eq!(found[0].path, skeleton.path);
    }
}

#[test]
fn with_every_example_taken_into_use_each_skeleton_loads() {
    for (shows, workflow) in all() {
        let skeleton = begun(&files(), &shows, None, Some(workflow)).unwrap();
        let files = files().with(&skeleton.path, filled_in(&skeleton));
        let loaded = load_project(&files, &BTreeMap::new());
        let project = loaded.unwrap_or_else(|errors| panic!("{shows}: {errors:?}\n{}", filled_in(&skeleton))).project;
        let case = &project.cases[&skeleton.id];
        assert_eq!(case.set.as_str(), shows.split('/').nth(1).unwrap());
        assert_eq!(case.workflow.as_str(), workflow);
        assert!(!case.open().expect.is_empty(), "{shows}");
    }
}

#[test]
fn an_example_that_is_taken_into_use_without_its_words_is_refused_where_it_stands() {
    let skeleton = begun(&files(), "policy/policy_accuracy", None, Some("desk")).unwrap();
    let taken = with_input(&skeleton.text).replace("expect: []", "expect:").replace("#  - not:", "  - not:");
    let found = errors(&files().with(&skeleton.path, taken));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].message, "`<what it must not say>` is still what `case new` wrote there");
    assert!(found[0].source_line.contains("<what it must not say>"), "{found:?}");
}

/// The text with words in its input.
fn with_input(text: &str) -> String {
    text.replace("\"<operation>\"", "op-2").replace("\"<question>\"", "And a sofa?").replace("\"<list>\"", "c")
}

#[test]
fn an_input_that_still_holds_the_names_of_its_keys_is_refused_where_each_stands() {
    let skeleton = begun(&files(), "policy/policy_accuracy", None, Some("desk")).unwrap();
    let asserts = skeleton.text.replace("expect: []", "expect:\n  - contains: thirty days");
    let found = errors(&files().with(&skeleton.path, asserts.as_str()));
    let said: Vec<&str> = found.iter().map(|error| error.message.as_str()).collect();
    let left =
        ["<operation>", "<list>", "<question>"].map(|text| format!("`{text}` is still what `case new` wrote there"));
    assert_eq!(said, left, "{found:?}");
    assert!(found[1].source_line.contains("\"odd: key\""), "{found:?}");
    assert_eq!(errors(&files().with(&skeleton.path, with_input(&asserts))), []);
    // Under another key the same text is somebody's own.
    let own = with_input(&asserts).replace("And a sofa?", "<html>");
    assert_eq!(errors(&files().with(&skeleton.path, own)), []);
}

/// The desk as a program of one's own, whose calls to `review` are passed on.
fn wired() -> MemoryFiles {
    let program = PROJECT.replace("practice: {name: mesa}", "command: {run: [sh, desk.sh]}");
    let passed_on = "connectors: {review: {env: [REVIEW], upstream: {url: \"http://127.0.0.1:1\"}}}\n";
    files().with("holdpoint.yaml", format!("{program}{passed_on}")).with("desk.sh", "cat\n").with(
        "manifests/review.yaml",
        "id: review\nkind: connector\nversion: 1.0.0\nrelease: a\noperations:\n  look: {effect: none}\n  stage:\n    effect: create\n\
         \x20   wire: {method: POST, path: /items, intention: {body: /request}}\n",
    )
}

#[test]
fn where_calls_are_passed_on_the_fault_and_the_name_of_the_operation_are_there_to_take() {
    assert_eq!(errors(&wired()), []);
    for (risk, fault) in [("uncertain_outcome", "lost_ack"), ("partial_failure", "drop_before")] {
        let skeleton = begun(&wired(), &format!("review/{risk}"), None, Some("desk")).unwrap();
        let line = format!("#  - {{connector: review, operation: stage, attempt: 1, fault: {fault}}}\n");
        assert!(skeleton.text.contains(&line), "{}", skeleton.text);
        assert!(skeleton.text.contains("outcome: {operation: \"stage:<its identity>\","), "{}", skeleton.text);
        assert_eq!(errors(&wired().with(&skeleton.path, filled_in(&skeleton))), [], "{}", skeleton.text);
    }
    let past = begun(&files(), "notes/uncertain_outcome", None, Some("lab")).unwrap();
    assert!(!past.text.contains("faults"), "no fault falls where nobody stands in between: {}", past.text);
}

#[track_caller]
fn assert_falls_on(files: &MemoryFiles, operation: &str, others: &str) {
    assert_eq!(errors(files), []);
    let text = begun(files, "review/uncertain_outcome", None, None).unwrap().text;
    assert!(text.contains(&format!("{{connector: review, operation: {operation}, attempt: 1,")), "{text}");
    assert!(text.contains(&format!("# Other operations of review: {others}.\n")), "{text}");
}

#[test]
fn the_fault_falls_on_the_call_that_the_cases_name_most_and_else_on_the_first_of_the_manifest() {
    let manifest = "id: review\nkind: connector\nversion: 1.0.0\nrelease: a\n\
                    operations: {look: {effect: none}, stage: {effect: create}, keep: {effect: update}, \
                    drop: {effect: delete}}\n";
    let files = files().with("manifests/review.yaml", manifest);
    let case = |id: &str, input: &str, more: &str, expect: &str| {
        format!("id: {id}\ntitle: It holds\nworkflow: desk\ninput: {input}\n{more}expect:\n  - {expect}\n")
    };
    assert_falls_on(&files, "stage", "keep, drop");
    let given = "{world: {after: {connector: review, operation: drop}}}";
    let files = files.with("cases/tone/given.yaml", case("given", given, "", "contains: x"));
    assert_falls_on(&files, "drop", "stage, keep");
    let counted = "effects: {probe: queue, where: {call: keep}, count: 1}";
    let files = files.with("cases/tone/counted.yaml", case("counted", "{}", "", counted));
    assert_falls_on(&files, "keep", "stage, drop");
    let fault = "faults:\n  - {connector: review, operation: drop, fault: lost_ack}\n";
    let files = files.with("cases/tone/faulted.yaml", case("faulted", "{}", fault, "contains: x"));
    assert_falls_on(&files, "drop", "stage, keep");
}

#[test]
fn a_case_for_a_duplicate_reads_so() {
    let skeleton = begun(&files(), "review/duplicate", None, None).unwrap();
    assert_eq!(skeleton.path, "cases/duplicate/review-duplicate.yaml");
    let expected = "\
# yaml-language-server: $schema=../../.holdpoint/schemas/case.json
# Begun for duplicate of the connector review: a change of it is to show here.
id: review-duplicate
# One sentence that says what holds when the case passes.
title: \"What holds for duplicate when review changes\"
workflow: desk
# What the workflow gets; the keys are those of the case plain.
input:
  operation: \"<operation>\"
  \"odd: key\": {\"no\": 0, list: [\"<list>\"], nothing: null, flag: false}
  question: \"<question>\"
# It is invoked a second time: here the same operation is tried again.
#steps:
#  - invoke: {}
#  - invoke: {}
# What fails, and where relative to the target's commit. With this input the workflow must make the call:
# a fault that never fires is an error of the trial.
#faults:
#  - {connector: review, operation: stage, attempt: 1, fault: lost_ack}
# What must hold. Take `[]` away, and the `#` from each line that fits, with words of this case in it.
expect: []
#  - outcome: {operation: \"<operation>\", is: replayed}  # The second attempt got the first receipt.
#  - effects: {probe: queue, where: {operation: \"<operation>\"}, count: 1}  # However many attempts, one job.
#  - claim: matches_evidence  # Nothing is claimed that the target does not show.
";
    assert_eq!(skeleton.text, expected);
}

#[test]
fn a_source_stands_among_the_cases_sources_and_is_what_the_answer_cites() {
    let skeleton = begun(&files(), "policy/source_conflict", None, None).unwrap();
    assert!(skeleton.text.contains("\nsources: [policy]\n"), "{}", skeleton.text);
    assert!(skeleton.text.contains("#  - cites: {source: policy}"), "{}", skeleton.text);
    let other = begun(&files(), "drafter/source_conflict", None, Some("desk")).unwrap();
    assert!(!other.text.contains("sources:") && !other.text.contains("cites:"), "{}", other.text);
}

#[test]
fn no_value_of_another_case_is_copied_and_where_there_is_no_case_the_input_is_empty() {
    let skeleton = begun(&files(), "policy/tone", None, None).unwrap();
    assert!(!skeleton.text.contains("lamp"), "{}", skeleton.text);
    let skeleton = begun(&files(), "notes/tone", None, None).unwrap();
    assert!(skeleton.text.contains("\ninput: {}\n"), "{}", skeleton.text);
}

#[test]
fn the_input_follows_a_case_of_the_same_set_and_then_the_usual_keys() {
    let case = |id: &str, input: &str| {
        format!("id: {id}\ntitle: It holds\nworkflow: lab\ninput: {input}\nexpect:\n  - contains: yes\n")
            .replace("yes", "\"yes\"")
    };
    let files = files()
        .with("cases/access/a.yaml", case("a", "{odd: 1}"))
        .with("cases/access/b.yaml", case("b", "{one: 1, two: 1}"))
        .with("cases/action/c.yaml", case("c", "{two: 2, one: 2}"))
        .with("cases/operations/d.yaml", case("d", "{special: 1}"))
        .with("cases/operations/e.yaml", case("e", "[no, map]"));
    assert_eq!(errors(&files), []);
    for (risk, model) in [("tone", "b"), ("access", "b"), ("operations", "d")] {
        let skeleton = begun(&files, &format!("notes/{risk}"), None, None).unwrap();
        assert!(skeleton.text.contains(&format!("of the case {model}.")), "{risk}: {}", skeleton.text);
    }
}

#[test]
fn hostile_keys_stay_keys() {
    let keys = "{\"a\\nexpect: [x]\": 1, \"# b\": 2, \"\\u007f\\u0085\\u2028\": 3, \"'\": 4, \"${HOME}\": 5}";
    let files = files().with("cases/tone/odd.yaml", CASE.replace("id: plain", "id: odd").replace("desk", "lab").replace(
        "input:\n  operation: op-1\n  \"odd: key\": {no: 3, list: [a, b], nothing: null, flag: true}\n  question: \"May I return a lamp?\"\n",
        &format!("input: {keys}\n"),
    ));
    assert_eq!(errors(&files), []);
    let skeleton = begun(&files, "notes/tone", None, None).unwrap();
    let files = files.with(&skeleton.path, filled_in(&skeleton));
    let project = load_project(&files, &BTreeMap::new()).unwrap().project;
    let keys = |id: &str| project.cases[id].open().input.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys("notes-tone"), keys("odd"));
}

#[test]
fn an_id_that_is_taken_is_numbered_and_one_that_was_asked_for_is_refused() {
    let mut files = files();
    for id in ["policy-tone", "policy-tone-2", "policy-tone-3"] {
        let skeleton = begun(&files, "policy/tone", None, None).unwrap();
        assert_eq!(skeleton.id.as_str(), id);
        files = files.with(&skeleton.path, skeleton.text);
    }
    for (id, message) in [
        ("PLAIN", "the case id `PLAIN` is already taken in `cases/policy_accuracy/plain.yaml`"),
        ("Policy-tone", "the case id `Policy-tone` is already taken in `cases/tone/policy-tone.yaml`"),
        ("../up", "`../up` is no case id"),
    ] {
        assert_eq!(begun(&files, "policy/tone", Some(id), None).unwrap_err().to_string(), message);
    }
    assert_eq!(begun(&files, "policy/tone", Some("mine"), None).unwrap().path, "cases/tone/mine.yaml");
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest_name() {
    let refused = |shows: &str, workflow: Option<&str>| {
        let error = begun(&files(), shows, None, workflow).unwrap_err();
        (error.to_string(), error.hint().to_owned())
    };
    let (message, hint) = refused("polici/tone", None);
    assert_eq!((message.as_str(), hint.as_str()), ("no manifest has the id `polici`", "did you mean `policy`?"));
    let (message, hint) = refused("policy/duplicat", None);
    assert_eq!(message, "`duplicat` is no risk of this project");
    assert!(hint.starts_with("did you mean `duplicate`?"), "{hint}");
    let (message, hint) = refused("drafter/tone", None);
    assert_eq!(message, "a change of `drafter` reaches 2 workflows: desk and lab");
    assert!(hint.contains("--workflow"), "{hint}");
    let (message, hint) = refused("drafter/tone", Some("desc"));
    assert_eq!((message.as_str(), hint.as_str()), ("the project file has no workflow `desc`", "did you mean `desk`?"));
    let (message, hint) = refused("policy/tone", Some("lab"));
    assert_eq!(message, "the workflow `lab` does not use the part `policy`");
    assert_eq!(hint, "a case for it runs against desk");
}

#[test]
fn a_part_that_no_workflow_lists_can_be_shown_by_any_of_them() {
    let message = begun(&files(), "stray/tone", None, None).unwrap_err().to_string();
    assert_eq!(message, "a change of `stray` reaches 2 workflows: desk and lab");
    assert_eq!(begun(&files(), "stray/tone", None, Some("lab")).unwrap().workflow.as_str(), "lab");
}

#[test]
fn part_and_risk_are_told_apart_by_a_stroke() {
    for text in ["", "policy", "/tone", "policy/"] {
        assert!(text.parse::<PartAtRisk>().is_err(), "{text}");
    }
    let both: PartAtRisk = "policy/tone".parse().unwrap();
    assert_eq!((both.part.as_str(), both.risk.as_str()), ("policy", "tone"));
}
