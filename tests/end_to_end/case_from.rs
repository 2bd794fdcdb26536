//! Cases begun from what was recorded: of a run, and of an incident paper. They assert nothing before a person has said what must
//! hold, and what went wrong is never asked for again.

use std::fs;

use crate::sandbox::Sandbox;
use crate::small_project::{CASE, FILES, PROJECT};

/// The example that acts, with a defect, and a run of the cases that show it.
fn with_a_defect() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(0);
    sandbox.commit("the example");
    sandbox.edit("manifests/r618-inventory.yaml", "settings: {", "settings: {defect: new_key_per_retry, ");
    sandbox.holdpoint(&["run", FELL]).expect(10);
    sandbox
}

const FELL: &str = "r618-replayed-under-the-key";

/// The file with every offered line taken into use.
fn taken_into_use(sandbox: &Sandbox, path: &str) -> String {
    let text = sandbox.read(path);
    assert!(text.contains("\nexpect: []\n"), "{text}");
    let lines = text.lines().map(|line| match line.strip_prefix("#  - ") {
        Some(expectation) => format!("  - {expectation}"),
        None if line == "expect: []" => "expect:".to_owned(),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_case_of_a_run_asks_the_same_and_is_refused_until_someone_says_what_must_hold() {
    let sandbox = with_a_defect();
    let begun = sandbox.holdpoint(&["case", "new", "--from", &format!("latest/{FELL}")]).expect(0);
    let path = format!("cases/duplicate/{FELL}-seen.yaml");
    assert_eq!(begun.stdout.trim(), path);
    let (old, new) = (sandbox.read(&format!("cases/duplicate/{FELL}.yaml")), sandbox.read(&path));
    assert!(new.starts_with("# yaml-language-server: "), "{new}");
    assert!(old.contains("fault: lost_ack") && new.contains("fault: lost_ack"), "{new}");
    assert!(new.contains("ended as failed") && new.contains("it fell: "), "{new}");
    sandbox.holdpoint(&["check"]).expect(13).says("expect: []");
    sandbox.holdpoint(&["run", FELL]).expect(13);
}

#[test]
fn with_every_line_in_use_the_case_still_falls_where_what_was_seen_was_wrong() {
    let sandbox = with_a_defect();
    sandbox.holdpoint(&["case", "new", "--from", &format!("latest/{FELL}"), "--id", "again"]).expect(0);
    let path = "cases/duplicate/again.yaml";
    let text = taken_into_use(&sandbox, path);
    sandbox.write(path, &text);
    sandbox.holdpoint(&["check"]).expect(0);
    sandbox.holdpoint(&["run", "again"]).expect(10);
}

#[test]
fn the_form_that_ran_is_taken_from_its_commit_and_one_that_is_gone_is_refused() {
    let sandbox = Sandbox::with_files(&FILES);
    sandbox.measure_and_accept();
    sandbox.edit("cases/policy_accuracy/greets.yaml", "question: Hello", "question: Goodbye");
    sandbox.holdpoint(&["case", "new", "--from", "latest/greets"]).expect(0);
    let text = sandbox.read("cases/policy_accuracy/greets-seen.yaml");
    assert!(text.contains("question: Hello"), "{text}");
    assert!(text.contains("#  - contains: Good morning") || text.contains("#  - contains: \"Good morning\""), "{text}");
    fs::remove_file(sandbox.project().join("cases/policy_accuracy/greets-seen.yaml")).unwrap();
    sandbox.holdpoint(&["run", "greets"]).expect(0);
    sandbox.edit("cases/policy_accuracy/greets.yaml", "question: Goodbye", "question: Good night");
    sandbox.holdpoint(&["case", "new", "--from", "latest/greets"]).expect(2).says("edited and not committed");
    sandbox.holdpoint(&["case", "new", "--from", "latest/greet"]).expect(2).says("did you mean `greets`?");
    sandbox.holdpoint(&["case", "new", "--from", "latest"]).expect(2).says("latest/lost-answer");
    sandbox.holdpoint(&["case", "new", "--from", "incident", "missing.json"]).expect(2).says("cannot be read");
    sandbox.holdpoint(&["case", "new", "--from", "latest/greets", "--for", "greeting/access"]).expect(2);
    sandbox.holdpoint(&["case", "new"]).expect(2);
}

#[test]
fn secrets_stay_out_of_a_case_as_they_do_out_of_records() {
    let file = PROJECT.replace("run: [sh, workflow.sh]", "run: [sh, workflow.sh]\n      env: {pass: [DESK_TOKEN]}");
    let case = CASE.replace("question: Hello", "question: my token is s3cr3t-value");
    let mut files = FILES.to_vec();
    (files[0].1, files[4].1) = (&file, &case);
    let sandbox = Sandbox::with_files(&files);
    let with =
        |arguments: &[&str]| sandbox.ran(sandbox.holdpoint_command().args(arguments).env("DESK_TOKEN", "s3cr3t-value"));
    with(&["run", "--all"]).expect(0);
    with(&["case", "new", "--from", "latest/greets"]).expect(0);
    let text = sandbox.read("cases/policy_accuracy/greets-seen.yaml");
    assert!(text.contains("[redacted:DESK_TOKEN]") && !text.contains("s3cr3t"), "{text}");
    assert!(!text.contains("# Not looked for"), "{text}");
}

#[test]
fn a_secret_whose_variable_is_not_set_is_named_as_not_looked_for() {
    let env =
        "env: {pass: [DESK_CODE, PATH], pass_if_set: [DESK_PIN], set: {ADDRESS: \"${DESK_HOST}/$${DESK_PLAIN}\"}}";
    let file = PROJECT.replace("run: [sh, workflow.sh]", &format!("run: [sh, workflow.sh]\n      {env}"));
    let case = CASE.replace("question: Hello", "question: the word is amber-lamp");
    let mut files = FILES.to_vec();
    (files[0].1, files[4].1) = (&file, &case);
    let sandbox = Sandbox::with_files(&files);
    let set = [("DESK_CODE", "amber-lamp"), ("DESK_PIN", "123456"), ("DESK_HOST", "desk.example")];
    let with = |arguments: &[&str], set: &[(&str, &str)]| {
        sandbox.ran(sandbox.holdpoint_command().args(arguments).envs(set.iter().copied())).expect(0)
    };
    with(&["run", "--all"], &set);
    let whole = with(&["case", "new", "--from", "latest/greets", "--id", "with"], &set);
    assert!(!whole.stderr.contains("looked for"), "{}", whole.stderr);
    let without = with(&["case", "new", "--from", "latest/greets", "--id", "without"], &[]);
    let names = "DESK_CODE, DESK_HOST, DESK_PIN.";
    let said = without.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains(&format!("could not be looked for and may stand in the case in the clear: {names}")),
        "{said}"
    );
    let text = sandbox.read("cases/policy_accuracy/without.yaml");
    assert!(text.contains(&format!("# Not looked for, since not set when this was written: {names}")), "{text}");
}

#[test]
fn a_case_of_an_incident_is_that_of_its_run_or_of_what_the_paper_says() {
    let sandbox = with_a_defect();
    let paper =
        sandbox.holdpoint(&["incident", "latest", "--json", "--cause", "a new key on each attempt"]).expect(0).stdout;
    sandbox.write("incident.json", &paper);
    let ran = sandbox.holdpoint(&["case", "new", "--from", "incident", "incident.json"]).expect(0);
    let text = sandbox.read(ran.stdout.trim());
    assert!(text.contains("# Cause: a new key on each attempt") && text.contains("fault: lost_ack"), "{text}");
    fs::remove_dir_all(sandbox.project().join(".holdpoint")).unwrap();
    let ran =
        sandbox.holdpoint(&["case", "new", "--from", "incident", "incident.json", "--id", "of-the-paper"]).expect(0);
    let path = ran.stdout.trim().to_owned();
    let text = sandbox.read(&path);
    assert!(path.starts_with("cases/duplicate/"), "two allocations are a duplicate: {path}");
    assert!(text.contains("is not recorded here") && text.contains("request: \"<request>\""), "{text}");
    assert!(text.contains("#  - not: {outcome: {operation: \"R-618/reservation\", is: duplicated}}"), "{text}");
    assert!(text.contains("fault lost_ack"), "{text}");
    let used = taken_into_use(&sandbox, &path);
    sandbox.write(&path, &used);
    sandbox.holdpoint(&["check"]).expect(13).says("`<request>` is still what `case new` wrote there");
    sandbox.write(&path, &used.replace("\"<", "\"a <"));
    fs::remove_file(sandbox.project().join("cases/duplicate/r618-replayed-under-the-key-seen.yaml")).unwrap();
    sandbox.holdpoint(&["check"]).expect(0);
}

#[test]
fn a_case_of_a_run_keeps_its_workflow_and_another_one_is_refused() {
    let sandbox = Sandbox::with_files(&FILES);
    let other = "  other:\n    command: {run: [sh, workflow.sh]}\n    parts: []\ninert:";
    sandbox.write("holdpoint.yaml", &PROJECT.replace("inert:", other));
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let asked = |workflow: &str| sandbox.holdpoint(&["case", "new", "--from", "latest/greets", "--workflow", workflow]);
    asked("greter").expect(2).says("the project file has no workflow `greter`").says("did you mean `greeter`?");
    asked("other").expect(2).says("ran against the workflow `greeter`").says("leave `--workflow` out");
    assert!(!sandbox.project().join("cases/policy_accuracy/greets-seen.yaml").exists(), "nothing was written");
    asked("greeter").expect(0);
    assert!(sandbox.read("cases/policy_accuracy/greets-seen.yaml").contains("workflow: greeter\n"));
}

/// Secrets that nobody declared, of some of the shapes, put together here so that none stands in this file.
fn tokens() -> [String; 3] {
    let letters = "A1b2C3d4E5f6G7h8";
    [format!("sk-{letters}{letters}"), format!("ghp_{letters}{letters}abcd"), format!("xoxb-{letters}-{letters}")]
}

#[test]
fn what_looks_like_a_secret_stands_in_no_case_that_is_made_of_a_record() {
    let [key, token, slack] = tokens();
    let sandbox = Sandbox::with_files(&FILES);
    sandbox.write("prompts/greeting.txt", &format!("Good night, {token}, call https://me:hunter2@a.example/\n"));
    let case = CASE.replace("{question: Hello}", &format!("{{question: 'Use {key}', password: hunter2}}"));
    let case = case.replace("contains: Good morning", &format!("contains: Good morning {slack}"));
    sandbox.write("cases/policy_accuracy/greets.yaml", &case);
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    sandbox.holdpoint(&["case", "new", "--from", "latest/greets"]).expect(0);
    let text = sandbox.read("cases/policy_accuracy/greets-seen.yaml");
    for secret in [&key, &token, &slack, "hunter2"] {
        assert!(!text.contains(secret), "{secret} in\n{text}");
    }
    assert!(text.contains("texts that look like secrets were replaced"), "{text}");
    assert!(text.contains("# What the case asks with held one of them: put a stand-in there"), "{text}");
    let told: usize =
        text.lines().find_map(|line| line.strip_prefix("# ")?.split_once(" texts that")?.0.parse().ok()).unwrap();
    assert_eq!(
        text.lines().skip_while(|line| !line.starts_with("id:")).collect::<String>().matches("[redacted:").count(),
        told
    );

    fs::remove_file(sandbox.project().join("cases/policy_accuracy/greets-seen.yaml")).unwrap();
    sandbox.write("cases/policy_accuracy/greets.yaml", CASE);
    sandbox.write("prompts/greeting.txt", "Good night\n");
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    sandbox.holdpoint(&["case", "new", "--from", "latest/greets", "--id", "plain"]).expect(0);
    let plain = sandbox.read("cases/policy_accuracy/plain.yaml");
    assert!(plain.contains("# Nothing in it looks like a secret. Look it over"), "{plain}");
}

#[test]
fn an_incident_of_a_text_that_fell_becomes_a_case_here_and_elsewhere() {
    let sandbox = Sandbox::with_files(&FILES);
    sandbox.write("prompts/greeting.txt", "Good night\n");
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    let paper = sandbox.holdpoint(&["incident", "latest", "--about", "greets", "--json"]).expect(0);
    assert!(
        paper.stdout.contains("The case greets ended as failed; no operation of it is noted here."),
        "{}",
        paper.told()
    );
    sandbox.write("incident.json", &paper.stdout);
    sandbox.holdpoint(&["case", "new", "--from", "incident", "incident.json"]).expect(0);
    let here = sandbox.read("cases/policy_accuracy/greets-seen.yaml");
    assert!(here.contains("question: Hello") && here.contains("It answered: Good night"), "{here}");

    let elsewhere = Sandbox::with_files(&FILES);
    elsewhere.write("incident.json", &paper.stdout);
    elsewhere.holdpoint(&["case", "new", "--from", "incident", "incident.json"]).expect(0);
    let there = elsewhere.read("cases/policy_accuracy/greets-seen.yaml");
    assert!(there.contains("workflow: greeter") && there.contains("ended as failed"), "{there}");
    elsewhere.holdpoint(&["check"]).expect(13).says("expect: []");
}

#[test]
fn a_text_that_fell_is_in_the_paper_of_its_run_and_several_are_named() {
    let sandbox = Sandbox::with_files(&FILES);
    sandbox.write("prompts/greeting.txt", "Good night\n");
    let second = CASE.replace("id: greets", "id: greets-too");
    assert_ne!(second, CASE, "the case has its id there");
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    let note = sandbox.holdpoint(&["incident", "latest"]).expect(0).stdout;
    assert!(note.contains("The case greets ended as failed") && !note.contains("Nothing is established"), "{note}");
    assert!(note.contains("of which 1 did not pass: greets"), "{note}");
    let paper = sandbox.holdpoint(&["incident", "latest", "--json"]).expect(0).stdout;
    sandbox.write("p.json", &paper);
    let made = sandbox.holdpoint(&["case", "new", "--from", "incident", "p.json"]).expect(0);
    assert_eq!(made.stdout.trim(), "cases/policy_accuracy/greets-seen.yaml");
    fs::remove_file(sandbox.project().join("cases/policy_accuracy/greets-seen.yaml")).unwrap();

    // Elsewhere the paper alone speaks.
    let elsewhere = Sandbox::with_files(&FILES);
    elsewhere.write("p.json", &paper);
    elsewhere.holdpoint(&["case", "new", "--from", "incident", "p.json"]).expect(0);
    let there = elsewhere.read("cases/policy_accuracy/greets-seen.yaml");
    assert!(there.contains("The case greets ended as failed"), "{there}");

    sandbox.write("cases/policy_accuracy/greets-too.yaml", &second);
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    let paper = sandbox.holdpoint(&["incident", "latest", "--json"]).expect(0).stdout;
    sandbox.write("p.json", &paper);
    let refused = sandbox.holdpoint(&["case", "new", "--from", "incident", "p.json"]).expect(2);
    refused.says("speaks of 2 cases (greets, greets-too)").says("--about greets --json");
}
