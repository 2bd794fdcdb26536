//! `holdpoint init`: a first project in a repository of one's own, and whole examples.

use std::fs;

use crate::sandbox::Sandbox;

const DESK: &str = r#"import os

MODEL = "gpt-4o-mini"


def reply(question):
    return "Unused parts can be returned within 30 days." if "return" in question else "I do not know."
"#;

fn repository() -> Sandbox {
    Sandbox::with_files(&[
        ("README.md", "# A desk\n"),
        ("desk.py", DESK),
        ("prompts/answer.md", "Answer from the policies.\n"),
        ("policies/returns.md", "Unused parts: 30 days.\n"),
        (".gitignore", "*.pyc\n"),
    ])
}

#[test]
fn the_gate_runs_at_once_and_is_green_once_its_author_has_written_what_only_they_know() {
    let sandbox = repository();
    let ran = sandbox.holdpoint(&["init"]).expect(0);
    assert!(ran.stdout.contains("manifests/returns.yaml"), "{}", ran.stdout);
    ran.says("join your workflow in the adapter");
    sandbox.holdpoint(&["check"]).expect(0);

    // Nothing is green before anything was written: both cases fail, and say what they lack.
    sandbox
        .holdpoint(&["gate"])
        .expect(12)
        .says("answers-with-text")
        .says("holdpoint_adapter.py, not joined to a workflow yet");

    sandbox.edit(
        "holdpoint_adapter.py",
        "    return {\"output\": f\"holdpoint_adapter.py, not joined to a workflow yet: {question}\"}",
        "    from desk import reply\n    return {\"output\": reply(question)}",
    );
    sandbox.edit("cases/policy_accuracy/says-a-fact.yaml", "\"<write here what the answer must say>\"", "30 days");
    sandbox.edit("cases/policy_accuracy/says-a-fact.yaml", "{question: \"", "{question: \"May I return it? ");
    sandbox.commit("a project");
    // What keeps the generated out of git is in every clone, and so is what editors read; nothing that was generated is.
    let kept = sandbox.git(&["ls-files", ".holdpoint", "reports"]);
    let (schemas, others): (Vec<&str>, Vec<&str>) =
        kept.lines().partition(|path| path.starts_with(".holdpoint/schemas/") && path.ends_with(".json"));
    assert!(schemas.contains(&".holdpoint/schemas/case.json"), "{kept}");
    assert_eq!(others, [".holdpoint/.gitignore", "reports/.gitignore"]);
    sandbox.measure_and_accept();
    sandbox.holdpoint(&["gate"]).expect(0);

    sandbox.edit("desk.py", "30 days", "14 days");
    sandbox.holdpoint(&["gate"]).expect(10).says("says-a-fact");
    let status = sandbox.git(&["status", "--short"]);
    assert_eq!(status.trim(), "M desk.py", "what is generated stays out of git");
}

#[test]
fn nothing_that_stands_there_is_touched() {
    let sandbox = repository();
    sandbox
        .write("manifests/returns.yaml", "kind: source\nid: returns\nversion: \"7\"\nfiles: [policies/returns.md]\n");
    sandbox.write(".github/workflows/holdpoint.yml", "mine\n");
    let ran = sandbox.holdpoint(&["init"]).expect(0);
    ran.says("manifests/returns.yaml stood there already").says(".github/workflows/holdpoint.yml stood there already");
    assert_eq!(sandbox.read(".gitignore"), "*.pyc\n");
    assert_eq!(sandbox.read(".github/workflows/holdpoint.yml"), "mine\n");
    assert!(sandbox.read("manifests/returns.yaml").contains("\"7\""));
    sandbox.holdpoint(&["check"]).expect(0);
    let before = sandbox.read("holdpoint.yaml");
    sandbox.holdpoint(&["init"]).expect(2).says("nothing is overwritten");
    assert_eq!(sandbox.read("holdpoint.yaml"), before);
}

#[test]
fn where_something_is_in_the_way_nothing_is_written_and_a_second_try_is_a_first_one() {
    let sandbox = repository();
    sandbox.write("cases", "notes of mine\n");
    let before = sandbox.contents("");
    sandbox.holdpoint(&["init", "--", "python3", "bot.py"]).expect(1).says("`cases` is no folder");
    assert_eq!(sandbox.contents(""), before);
    std::fs::remove_file(sandbox.project().join("cases")).unwrap();
    sandbox.holdpoint(&["init", "--", "python3", "bot.py"]).expect(0);
}

#[test]
fn a_link_is_not_written_through() {
    let sandbox = repository();
    let outside = sandbox.project().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, sandbox.project().join("manifests")).unwrap();
    sandbox.holdpoint(&["init"]).expect(1).says("links are not followed");
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
}

#[test]
fn editors_find_the_schema_that_the_first_line_of_each_file_names() {
    let sandbox = repository();
    sandbox.holdpoint(&["init"]).expect(0);
    for path in ["holdpoint.yaml", "manifests/returns.yaml", "cases/policy_accuracy/says-a-fact.yaml"] {
        let text = sandbox.read(path);
        let schema = text.lines().next().unwrap().strip_prefix("# yaml-language-server: $schema=").unwrap();
        let file = sandbox.project().join(path).parent().unwrap().join(schema);
        assert!(fs::read_to_string(&file).unwrap().contains("json-schema.org"), "{}", file.display());
    }
    fs::remove_dir_all(sandbox.project().join(".holdpoint/schemas")).unwrap();
    sandbox.holdpoint(&["schema", "--write"]).expect(0);
    assert_eq!(fs::read_dir(sandbox.project().join(".holdpoint/schemas")).unwrap().count(), 8);
}

#[test]
fn the_support_desk_is_laid_down_with_its_accepted_results() {
    let sandbox = Sandbox::empty();
    sandbox.holdpoint(&["init", "--example", "support-desk"]).expect(0);
    sandbox.commit("the example");
    sandbox.holdpoint(&["gate"]).expect(0);
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(2);
}

#[test]
fn the_example_that_acts_is_laid_down_whole_and_finds_its_defect() {
    let sandbox = Sandbox::empty();
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(0);
    sandbox.commit("the example");
    sandbox.measure_and_accept();
    let report = sandbox.report();
    assert!(report["counts"]["passed"].as_u64().unwrap() > 50, "{}", report["counts"]);
    assert_eq!(report["counts"]["passed"], report["counts"]["selected"]);
    sandbox.edit("manifests/r618-inventory.yaml", "settings: {", "settings: {defect: new_key_per_retry, ");
    sandbox.holdpoint(&["gate"]).expect(10);
}
