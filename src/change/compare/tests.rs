//! Two sides held in memory, loaded as any project is, and what is said to differ between them.

use std::collections::BTreeMap;

use super::*;
use crate::change::base_contents::load_base;
use crate::change::listing::{Entry, EntryMode, Listing, ObjectId, diff_listings};
use crate::change::model::Snapshot;
use crate::change::snapshot::{compare_snapshots, rest_digests};
use crate::manifest::{EarlierCases, FileSource, MemoryFiles, load_project};

const PROJECT: &str = "\
schema: holdpoint.project/1
name: Desk
workflows:
  desk:
    command: {run: [python3, desk.py]}
    parts: [answer, policy, review]
    code: ['*.py', 'app/**']
inert: ['docs/**', '**/*.txt']
";
const REVIEW: &str = "\
id: review
kind: connector
version: 1.0.0
release: 2024-06
operations:
  stage:
    effect: create
    idempotency: {key: caller, window_s: 86400}
";
const CASE: &str = "\
id: plain
title: A plain question is answered
workflow: desk
input: {question: May I return a lamp?}
expect:
  - contains: thirty days
";
const POLICY: &str = "id: policy\nkind: source\nversion: 1.0.0\nglobs: ['policies/**/*.md']\n";

fn valid() -> MemoryFiles {
    MemoryFiles::new()
        .with("holdpoint.yaml", PROJECT)
        .with("manifests/answer.yaml", "id: answer\nkind: prompt\nversion: 1.0.0\nfiles: [prompts/answer.md]\n")
        .with("prompts/answer.md", "Answer from the policy.\n")
        .with("manifests/policy.yaml", POLICY)
        .with("policies/returns.md", "Returns within thirty days.\n")
        .with("manifests/review.yaml", REVIEW)
        .with("cases/policy_accuracy/plain.yaml", CASE)
        .with("desk.py", "print()\n")
}

/// The valid project with one text replaced in one file.
fn edited(path: &str, from: &str, to: &str) -> MemoryFiles {
    let before = String::from_utf8(valid().read(path).unwrap()).unwrap();
    assert!(before.contains(from), "{path} has no `{from}`");
    valid().with(path, before.replace(from, to))
}

/// The valid project without one file.
fn without(path: &str) -> MemoryFiles {
    let mut files = MemoryFiles::new();
    for other in valid().list("").unwrap() {
        if other != path {
            files = files.with(&other, valid().read(&other).unwrap());
        }
    }
    files
}

fn listing(files: &MemoryFiles) -> Listing {
    let entry = |path: &String| {
        let id = ObjectId::from_bytes(&Digest::of(&files.read(path).unwrap()).hex().as_bytes()[..20]);
        (PathName::from(path.as_str()), Entry { mode: EntryMode::Regular, id })
    };
    Listing::new(files.list("").unwrap().iter().map(entry).collect())
}

fn load(files: &MemoryFiles) -> Project {
    load_project(files, &BTreeMap::new()).unwrap().project
}

fn differences(base: &MemoryFiles, head: &MemoryFiles) -> Differences {
    let paths = diff_listings(&listing(base), &listing(head));
    let project = load(head);
    let found = [EarlierCases::of(head, &project), EarlierCases::default()].map(|earlier| {
        let mut found = compare_sides(load_base(base, &earlier).contents(), &project, &paths);
        found.settle();
        found
    });
    let [found, read_anew] = found;
    assert_eq!(format!("{found:?}"), format!("{read_anew:?}"), "what is taken over says what is read");
    found
}

/// `kind owner facet direction`, one for each change.
fn shown(differences: &Differences) -> Vec<String> {
    let show = |change: &Change| {
        let owner = change.part.as_ref().map(PartId::as_str).or(change.case.as_ref().map(CaseId::as_str));
        let words = [Some(change.kind.name()), owner, change.facet.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        format!("{} {:?}", words.join(" "), change.direction).to_lowercase()
    };
    differences.changes.iter().map(show).collect()
}

#[track_caller]
fn assert_changes(base: &MemoryFiles, head: &MemoryFiles, expected: &[&str]) -> Differences {
    let found = differences(base, head);
    assert_eq!(shown(&found), expected);
    found
}

/// What differs for a base without git: from what was recorded of it.
fn since_snapshot(base: &MemoryFiles, head: &MemoryFiles) -> Vec<String> {
    let snapshot = |files: &MemoryFiles| {
        let project = load(files);
        let rest = rest_digests(&listing(files), &project);
        Snapshot::of(&project, rest)
    };
    let recorded = serde_json::from_str(&serde_json::to_string(&snapshot(base)).unwrap()).unwrap();
    let mut found = compare_snapshots(&recorded, &snapshot(head));
    found.settle();
    shown(&found)
}

#[test]
fn nothing_differs_between_a_project_and_itself() {
    assert_changes(&valid(), &valid(), &[]);
    assert!(since_snapshot(&valid(), &valid()).is_empty());
}

#[test]
fn one_field_of_a_manifest_is_one_facet_with_both_values() {
    let head = edited("manifests/review.yaml", "window_s: 86400", "window_s: 60");
    let facet = "connector review operations.stage.idempotency.window_s modified";
    let found = assert_changes(&valid(), &head, &[facet]);
    let change = &found.changes[0];
    assert_eq!((&change.from, &change.to), (&Some(Value::from(86400)), &Some(Value::from(60))));
    assert_eq!(change.paths, ["manifests/review.yaml"]);
    assert!(found.changes_without_bump.contains("review"));
    assert_eq!(since_snapshot(&valid(), &head), [facet]);
}

#[test]
fn a_named_file_that_is_edited_is_its_part_s_change() {
    let head = edited("prompts/answer.md", "Answer", "Reply");
    let found = assert_changes(&valid(), &head, &["prompt answer file:prompts/answer.md modified"]);
    assert!(found.changes_without_bump.contains("answer"));
    assert_eq!(since_snapshot(&valid(), &head), ["prompt answer file:prompts/answer.md modified"]);
}

#[test]
fn files_that_a_glob_matches_on_either_side_count() {
    let moved = without("policies/returns.md").with("policies/new.md", "Returns within thirty days.\n");
    let expected = ["source policy file:policies/new.md added", "source policy file:policies/returns.md removed"];
    assert_changes(&valid(), &moved, &expected);
    assert_eq!(since_snapshot(&valid(), &moved), expected);
    let more = valid().with("policies/more.md", "More.\n");
    assert_changes(&more, &valid(), &["source policy file:policies/more.md removed"]);
}

#[test]
fn a_bump_without_a_change_and_a_change_with_its_bump_are_told_apart() {
    let bumped = edited("manifests/review.yaml", "version: 1.0.0", "version: 1.1.0");
    let found = assert_changes(&valid(), &bumped, &["connector review version modified"]);
    assert_eq!(found.bumps_without_change, BTreeSet::from([PartId::from("review")]));
    let both = bumped.with("manifests/review.yaml", REVIEW.replace("1.0.0", "1.1.0").replace("2024-06", "2024-07"));
    let found = assert_changes(&valid(), &both, &["connector review release modified"]);
    assert!(found.bumps_without_change.is_empty() && found.changes_without_bump.is_empty());
}

#[test]
fn a_comment_in_a_manifest_changes_nothing() {
    let head = valid().with("manifests/review.yaml", format!("# a comment\n{REVIEW}"));
    assert_changes(&valid(), &head, &[]);
}

#[test]
fn a_description_is_a_facet_for_a_model_may_read_it() {
    let head = valid().with("manifests/review.yaml", format!("description: the desk\n{REVIEW}"));
    let found = assert_changes(&valid(), &head, &["connector review description added"]);
    assert!(found.changes_without_bump.contains("review"));
    assert_eq!(since_snapshot(&valid(), &head), ["connector review description added"]);
}

#[test]
fn a_part_that_comes_goes_or_becomes_another_kind_is_a_change_as_a_whole() {
    let model = "id: extra\nkind: model\nversion: 1.0.0\nprovider: x\nname: y\n";
    let tool = "id: extra\nkind: tool\nversion: 1.0.0\nschema: {type: object}\n";
    let with_model = valid().with("manifests/extra.yaml", model);
    let with_tool = valid().with("manifests/extra.yaml", tool);
    assert_changes(&valid(), &with_model, &["model extra added"]);
    assert_changes(&with_model, &valid(), &["model extra removed"]);
    assert_changes(&with_model, &with_tool, &["model extra removed", "tool extra added"]);
    assert_eq!(since_snapshot(&with_model, &with_tool), ["model extra removed", "tool extra added"]);
}

#[test]
fn a_manifest_that_only_moves_changes_nothing() {
    let head = without("manifests/review.yaml").with("manifests/moved/review.yaml", REVIEW);
    assert_changes(&valid(), &head, &[]);
}

#[test]
fn an_inert_glob_hides_only_what_nobody_else_knows() {
    let inert = |files: MemoryFiles| files.with("holdpoint.yaml", PROJECT.replace("'docs/**'", "'**', 'docs/**'"));
    let base = inert(valid().with("docs/a.md", "1"));
    let head = inert(
        edited("prompts/answer.md", "Answer", "Reply")
            .with("manifests/review.yaml", REVIEW.replace("2024-06", "2024-07"))
            .with("cases/policy_accuracy/plain.yaml", CASE.replace("thirty", "forty"))
            .with("desk.py", "print(1)\n")
            .with("docs/a.md", "2"),
    );
    let expected = [
        "prompt answer file:prompts/answer.md modified",
        "connector review release modified",
        "code file:desk.py modified",
        "case plain expect modified",
        "inert file:docs/a.md modified",
    ];
    assert_changes(&base, &head, &expected);
}

#[test]
fn a_path_that_no_rule_knows_is_unclassified() {
    let paths = [".gitattributes", "README.md", "cases/policy_accuracy/notes.md", "templates/reply.html"];
    let head = paths.iter().fold(valid(), |files, path| files.with(path, "x"));
    let expected: Vec<String> =
        paths.iter().map(|path| format!("unclassified file:{path} added").to_lowercase()).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    assert_changes(&valid(), &head, &expected);
    let rest = [".gitattributes", "readme.md", "cases", "templates"];
    assert_eq!(since_snapshot(&valid(), &head), rest.map(|name| format!("unclassified file:{name} added")));
}

#[test]
fn the_template_of_the_report_puts_nothing_at_risk() {
    let head = valid().with("templates/report.html", "x");
    assert_changes(&valid(), &head, &["inert file:templates/report.html added"]);
    assert!(since_snapshot(&valid(), &head).is_empty());
}

#[test]
fn what_holdpoint_writes_is_no_change_unless_a_manifest_names_it() {
    let written = |content: &str| {
        valid()
            .with("baselines/a.json", content)
            .with("reports/r/report.json", content)
            .with(".holdpoint/runs", content)
    };
    assert_changes(&written("1"), &written("2"), &[]);
    assert!(since_snapshot(&written("1"), &written("2")).is_empty());
    let manifest = "id: answer\nkind: prompt\nversion: 1.0.0\nfiles: [baselines/a.json]\n";
    let named = |content: &str| written(content).with("manifests/answer.yaml", manifest);
    assert_changes(&named("1"), &named("2"), &["prompt answer file:baselines/a.json modified"]);
}

#[test]
fn code_is_matched_by_the_globs_of_both_sides() {
    let narrowed =
        |content: &str| valid().with("holdpoint.yaml", PROJECT.replace("'*.py', ", "")).with("desk.py", content);
    assert_changes(&valid(), &narrowed("2"), &["code file:desk.py modified", "project modified"]);
    assert_changes(&narrowed("2"), &valid(), &["code file:desk.py modified", "project modified"]);
    assert_eq!(since_snapshot(&valid(), &edited("desk.py", "print", "input")), ["code file:desk.py modified"]);
}

#[test]
fn a_file_that_is_both_code_and_named_is_reported_as_both() {
    let manifest = "id: answer\nkind: prompt\nversion: 1.0.0\nfiles: [app/answer.md]\n";
    let side = |content: &str| valid().with("manifests/answer.yaml", manifest).with("app/answer.md", content);
    let expected = ["prompt answer file:app/answer.md modified", "code file:app/answer.md modified"];
    assert_changes(&side("1"), &side("2"), &expected);
}

/// The valid project with these words to start its workflow, no code of its own, and everything inert.
fn started_by(run: &str, content: &str) -> MemoryFiles {
    let project = PROJECT.replace("python3, desk.py", run).replace("'*.py', 'app/**'", "").replace("'docs/**'", "'**'");
    valid().with("holdpoint.yaml", project).with("w.sh", content).with("reports/w.sh", content)
}

#[test]
fn a_file_that_a_workflow_is_started_with_is_its_code_though_it_is_inert_or_lies_where_reports_do() {
    for (run, path) in [("sh, w.sh", "w.sh"), ("./w.sh", "w.sh"), ("sh, reports/w.sh", "reports/w.sh")] {
        let expected = format!("code file:{path} modified");
        let found = differences(&started_by(run, "1"), &started_by(run, "2"));
        assert!(shown(&found).contains(&expected), "{run}: {:?}", shown(&found));
    }
    assert_changes(&started_by("sh, other.sh", "1"), &started_by("sh, other.sh", "2"), &["inert file:w.sh modified"]);
    let http = |content: &str| {
        let start = "http: {url: 'http://127.0.0.1:1/', start: [sh, ./w.sh]}";
        let files = started_by("x", content);
        let project = String::from_utf8(files.read("holdpoint.yaml").unwrap()).unwrap();
        files.with("holdpoint.yaml", project.replace("command: {run: [x]}", start))
    };
    assert_changes(&http("1"), &http("2"), &["code file:w.sh modified"]);
    assert_eq!(since_snapshot(&http("1"), &http("2")), ["code file:w.sh modified"]);
}

#[test]
fn a_file_that_a_target_is_started_with_is_code_though_it_is_inert() {
    let connector = "id: shop\nkind: connector\nversion: 1.0.0\nrelease: '1'\noperations:\n  \
                     order: {effect: create, wire: {method: POST, path: /orders}}\n";
    let side = |content: &str| {
        let files = started_by("x", content);
        let project = String::from_utf8(files.read("holdpoint.yaml").unwrap()).unwrap();
        let target = "connectors:\n  shop: {upstream: {start: {run: [sh, w.sh]}}}\n";
        files.with("holdpoint.yaml", project + target).with("manifests/shop.yaml", connector)
    };
    assert_changes(&side("1"), &side("2"), &["code file:w.sh modified"]);
}

#[test]
fn a_file_that_a_grader_is_started_with_is_a_change_of_its_cases() {
    let side = |content: &str| {
        let project = PROJECT.replace("'docs/**'", "'**'");
        let case = format!("{CASE}  - not: {{command: {{run: [sh, ./judge.sh]}}}}\n");
        let files = valid().with("holdpoint.yaml", project).with("cases/policy_accuracy/plain.yaml", case);
        files.with("cases/access/other.yaml", CASE.replace("id: plain", "id: other")).with("judge.sh", content)
    };
    let found = assert_changes(&side("1"), &side("2"), &["case plain file:judge.sh modified"]);
    assert!(!found.cases[&CaseId::from("plain")].expectation_only);
    assert_eq!(since_snapshot(&side("1"), &side("2")), ["code file:judge.sh modified"]);
}

#[test]
fn an_edited_expectation_keeps_its_old_form() {
    let head = edited("cases/policy_accuracy/plain.yaml", "thirty", "forty");
    let found = assert_changes(&valid(), &head, &["case plain expect modified"]);
    let change = &found.cases[&CaseId::from("plain")];
    assert!(change.expectation_only);
    assert_eq!(change.base, load(&valid()).cases.get("plain").cloned());
    let both = edited("cases/policy_accuracy/plain.yaml", "thirty", "forty")
        .with("cases/policy_accuracy/plain.yaml", CASE.replace("thirty", "forty").replace("lamp", "chair"));
    let found = assert_changes(&valid(), &both, &["case plain expect modified", "case plain input modified"]);
    assert!(!found.cases[&CaseId::from("plain")].expectation_only);
}

#[test]
fn a_case_that_comes_or_goes_is_a_change_and_a_title_or_comment_is_none() {
    let more = valid().with("cases/access/more.yaml", CASE.replace("id: plain", "id: more"));
    let found = assert_changes(&valid(), &more, &["case more added"]);
    assert_eq!(found.cases[&CaseId::from("more")].base, None);
    let found = assert_changes(&more, &valid(), &["case more removed"]);
    assert!(found.cases[&CaseId::from("more")].base.is_some());
    assert_changes(&valid(), &edited("cases/policy_accuracy/plain.yaml", "title: A", "title: Any"), &[]);
    let moved = without("cases/policy_accuracy/plain.yaml").with("cases/access/plain.yaml", CASE);
    assert_changes(&valid(), &moved, &["case plain risks modified", "case plain set modified"]);
}

#[test]
fn an_edited_fixture_changes_its_case() {
    let side = |content: &str| {
        valid()
            .with("cases/policy_accuracy/plain.yaml", format!("{CASE}fixtures: {{order.json: order.json}}\n"))
            .with("cases/policy_accuracy/order.json", content)
    };
    let found = assert_changes(&side("1"), &side("2"), &["case plain file:cases/policy_accuracy/order.json modified"]);
    assert!(!found.cases[&CaseId::from("plain")].expectation_only);
}

#[test]
fn a_base_manifest_that_cannot_be_parsed_is_a_change_of_everything_in_it() {
    let base = valid().with("manifests/review.yaml", "id: review\nkind: connector\nversion: [");
    assert_changes(&base, &valid(), &["connector review * modified"]);
    let moved = without("manifests/review.yaml").with("manifests/moved.yaml", REVIEW);
    let gone = "unclassified file:manifests/review.yaml removed";
    assert_changes(&base, &moved, &["connector review added", "unclassified * modified", gone]);
}

#[test]
fn a_base_case_that_cannot_be_parsed_is_a_change_of_that_case_or_of_anything() {
    let base = valid().with("cases/policy_accuracy/plain.yaml", "id: plain\nexpect: {");
    let found = assert_changes(&base, &valid(), &["case plain * modified"]);
    assert_eq!(found.cases[&CaseId::from("plain")], CaseChange { base: None, expectation_only: false });
    let gone = valid().with("cases/access/gone.yaml", "id: gone\nexpect: {");
    let expected = ["unclassified * modified", "unclassified file:cases/access/gone.yaml removed"];
    assert_changes(&gone, &valid(), &expected);
}

#[test]
fn a_base_project_file_that_cannot_be_read_is_a_change_of_the_project() {
    for content in ["schema: [", "schema: holdpoint.project/99\n", "schema: holdpoint.project/1\nname: x\nodd: 1\n"] {
        assert_changes(&valid().with("holdpoint.yaml", content), &valid(), &["project * modified"]);
    }
    assert_changes(&without("holdpoint.yaml"), &valid(), &["project * modified"]);
}

#[test]
fn the_project_file_counts_by_what_it_says() {
    let head = valid().with("holdpoint.yaml", format!("# a comment\n{PROJECT}"));
    assert_changes(&valid(), &head, &[]);
    let head = edited("holdpoint.yaml", "'docs/**', ", "");
    assert_changes(&valid(), &head, &["project modified"]);
    assert_eq!(since_snapshot(&valid(), &head), ["project modified"]);
}

#[test]
fn a_named_file_with_a_new_mode_is_its_part_s_change() {
    let touch = |path: &str| PathChange {
        path: path.into(),
        direction: Direction::Modified,
        aspect: Aspect::Mode,
        from: Some(EntryMode::Regular),
        to: Some(EntryMode::Executable),
    };
    let paths = [touch("prompts/answer.md"), touch("manifests/answer.yaml")];
    let found = compare_sides(load_base(&valid(), &EarlierCases::default()).contents(), &load(&valid()), &paths);
    assert_eq!(shown(&found), ["prompt answer file:prompts/answer.md modified"]);
    assert_eq!(found.changes[0].to, Some(Value::from("executable file")));
}

#[test]
fn a_name_that_is_no_utf_8_is_unclassified_and_shown_in_full() {
    let path = PathName::new(b"caf\xe9\n.md".to_vec());
    let added = PathChange {
        path,
        direction: Direction::Added,
        aspect: Aspect::Content,
        from: None,
        to: Some(EntryMode::Regular),
    };
    let found = compare_sides(load_base(&valid(), &EarlierCases::default()).contents(), &load(&valid()), &[added]);
    assert_eq!(found.changes[0].kind, ChangeKind::Unclassified);
    assert_eq!(found.changes[0].paths, [r"caf\xe9\u{a}.md"]);
}

#[test]
fn the_differences_from_two_bases_are_united() {
    let head = valid();
    let mut found = differences(&edited("prompts/answer.md", "Answer", "Reply"), &head);
    found.unite(differences(&edited("manifests/review.yaml", "2024-06", "2024-07"), &head));
    found.unite(differences(&edited("manifests/answer.yaml", "1.0.0", "0.9.0"), &head));
    found.settle();
    assert_eq!(shown(&found), ["prompt answer file:prompts/answer.md modified", "connector review release modified"]);
    assert!(found.bumps_without_change.is_empty());
}
