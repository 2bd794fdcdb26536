//! Records that are not the parts of one run are refused, and named.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::{Ran, Sandbox};
use crate::scene::project;

const CASES: [(&str, &str); 6] =
    [("a", "Hello"), ("b", "Hello"), ("c", "Hello"), ("d", "Hello"), ("e", "Hello"), ("f", "Hello")];

fn part(sandbox: &Sandbox, said: &str, more: &[&str]) -> PathBuf {
    sandbox.holdpoint(&[&["run", "--all", "--partition", said], more].concat()).expect(0);
    sandbox.project().join(".holdpoint/runs").join(sandbox.latest_run())
}

fn merge(sandbox: &Sandbox, parts: &[&Path]) -> Ran {
    let parts: Vec<&str> = parts.iter().map(|part| part.to_str().unwrap()).collect();
    sandbox.holdpoint(&[&["merge"], &parts[..]].concat())
}

fn run_of(folder: &Path) -> &str {
    folder.file_name().unwrap().to_str().unwrap()
}

#[test]
fn parts_are_brought_from_anywhere_and_left_as_they_are() {
    let there = project(&CASES);
    let (one, two) = (part(&there, "1/2", &[]), part(&there, "2/2", &[]));
    let here = Sandbox::copy_of(&there);
    let brought = here.project().join("../brought");
    for (from, to) in [(&one, "x/y"), (&two, "z")] {
        fs::create_dir_all(brought.join(to)).unwrap();
        let to = brought.join(to).join("run.sqlite");
        fs::copy(from.join("run.sqlite"), &to).unwrap();
        let mut rights = fs::metadata(&to).unwrap().permissions();
        rights.set_readonly(true);
        fs::set_permissions(&to, rights).unwrap();
    }
    let before = fs::read(brought.join("z/run.sqlite")).unwrap();
    merge(&here, &[&brought]).expect(0);
    assert_eq!(here.report()["counts"]["passed"], 6);
    assert_eq!(fs::read(brought.join("z/run.sqlite")).unwrap(), before);
    assert_eq!(fs::read_dir(brought.join("z")).unwrap().count(), 1, "nothing is left beside it");
    let runs = here.holdpoint(&["runs", "--json"]).json();
    assert_eq!(runs["runs"][0]["merged_from"], serde_json::json!([run_of(&one), run_of(&two)]));
    let left: Vec<_> =
        fs::read_dir(here.project().join(".holdpoint")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().starts_with("merge-")), "{left:?}");
}

#[test]
fn a_missing_and_a_doubled_part_are_named() {
    let sandbox = project(&CASES);
    let (one, three) = (part(&sandbox, "1/4", &[]), part(&sandbox, "3/4", &[]));
    merge(&sandbox, &[&one, &three]).expect(2).says("of 4 parts are missing: 2, 4");
    let again = part(&sandbox, "1/4", &[]);
    let ran =
        merge(&sandbox, &[&one, &again]).expect(2).says("part 1 is there more than once").says("missing: 2, 3, 4");
    for run in [&one, &again] {
        assert!(ran.stderr.contains(run_of(run)), "{}", ran.told());
    }
    merge(&sandbox, &[&one, &one]).expect(2).says("part 1 is there more than once");
    merge(&sandbox, &[Path::new("nothing")]).expect(2).says("neither a record file");
    assert_eq!(sandbox.holdpoint(&["runs", "--json"]).json()["runs"].as_array().unwrap().len(), 3, "nothing was begun");
}

#[test]
fn a_part_of_another_run_is_named_with_what_differs() {
    type Change<'a> = (&'a str, &'a str, &'a [&'a str], &'a dyn Fn(&Sandbox));
    let changes: [Change<'_>; 7] = [
        ("the number of parts", "2/3", &[], &|_| {}),
        ("what it is divided by", "2/2", &["--partition-by", "durations"], &|_| {}),
        ("what was asked for", "2/2", &["--trials", "2"], &|_| {}),
        ("the fingerprint of the head", "2/2", &[], &|sandbox| {
            sandbox.edit("prompts/greeting.txt", "Good morning", "Good morning to you");
        }),
        ("the project file", "2/2", &[], &|sandbox| sandbox.edit("holdpoint.yaml", "name: small", "name: other")),
        ("the code", "2/2", &[], &|sandbox| sandbox.edit("workflow.sh", "cat prompts", "cat ./prompts")),
        ("the cases selected", "2/2", &[], &|sandbox| {
            sandbox.edit("cases/policy_accuracy/a.yaml", "Good morning", "Good");
        }),
    ];
    for (name, said, more, change) in changes {
        let sandbox = project(&CASES);
        let one = part(&sandbox, "1/2", &[]);
        change(&sandbox);
        let two = part(&sandbox, said, more);
        let ran = merge(&sandbox, &[&one, &two]).expect(2).says(name);
        assert!(ran.stderr.contains(run_of(&two)), "{}", ran.told());
    }
}

#[test]
fn a_project_that_is_not_what_the_parts_ran_gets_no_verdict() {
    type Change<'a> = (&'a str, &'a dyn Fn(&Sandbox));
    let changes: [Change<'_>; 3] = [
        ("greeting", &|sandbox| sandbox.edit("prompts/greeting.txt", "Good morning", "Go away")),
        ("case a (its expectations)", &|sandbox| sandbox.edit("cases/policy_accuracy/a.yaml", "Good morning", "Good")),
        ("the commit", &|sandbox| sandbox.commit("nothing new")),
    ];
    for (name, change) in changes {
        let sandbox = project(&CASES);
        let (one, two) = (part(&sandbox, "1/2", &[]), part(&sandbox, "2/2", &[]));
        change(&sandbox);
        merge(&sandbox, &[&one, &two]).expect(2).says(name);
    }
}

#[test]
fn a_whole_run_and_a_file_that_is_none_are_no_parts() {
    let sandbox = project(&CASES);
    let one = part(&sandbox, "1/2", &[]);
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let whole = sandbox.project().join(".holdpoint/runs").join(sandbox.latest_run());
    let ran = merge(&sandbox, &[&one, &whole]).expect(2).says("is no part of a run");
    assert!(ran.stderr.contains(run_of(&whole)), "{}", ran.told());
    let file = sandbox.project().join("../broken.sqlite");
    fs::write(&file, "no database at all, though it is long enough to be taken for one, at first sight at least")
        .unwrap();
    let ran = merge(&sandbox, &[&one, &file]).says("broken.sqlite");
    assert_ne!(ran.code, 0);
}

#[test]
fn a_part_whose_run_would_be_another_by_now_does_not_go_on() {
    let sandbox = project(&[("a", "Slow"), ("b", "Hello")]);
    sandbox.killed(&["run", "--all", "--partition", "1/1"]);
    sandbox.beside("go");
    sandbox.holdpoint(&["run", "--resume", "latest", "--partition", "1/2"]).expect(2).says("--partition");
    sandbox.edit("cases/policy_accuracy/b.yaml", "Good morning", "Good");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(2).says("begin every part of it again");
}
