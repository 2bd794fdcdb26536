//! A probe or a judging program that is edited in the change that breaks what it looks at.

use crate::sandbox::{Ran, Sandbox, entry};
use crate::small_project;

const PROJECT: &str = "\
schema: holdpoint.project/1
name: desk
workflows:
  desk:
    command: {run: [python3, desk.py]}
    parts: [greeting]
    code: [desk.py]
probes:
  tickets: {sql: {database: desk.db, query: SELECT customer FROM tickets}}
inert: [.gitignore]
gate: {uncovered_is_inconclusive: false}
";

/// Opens as many tickets as its code says, and answers with the prompt's file.
const DESK: &str = "\
import json, os, sqlite3, sys
json.load(sys.stdin)
TICKETS = 1
with sqlite3.connect(os.path.join(os.environ['HOLDPOINT_STATE_DIR'], 'desk.db')) as desk:
    desk.execute('CREATE TABLE tickets (customer TEXT)')
    for _ in range(TICKETS):
        desk.execute('INSERT INTO tickets VALUES (?)', ['K-1'])
print(open('greeting.txt').read())
";

const JUDGE: &str = "\
import json, sys
polite = 'Good morning' in json.load(sys.stdin)['answer']['text']
print(json.dumps({'pass': polite}))
";

const FILES: [(&str, &str); 8] = [
    ("holdpoint.yaml", PROJECT),
    ("manifests/greeting.yaml", "id: greeting\nkind: prompt\nversion: \"1\"\nfiles: [greeting.txt]\n"),
    ("greeting.txt", "Good morning\n"),
    ("desk.py", DESK),
    ("judges/polite.py", JUDGE),
    (".gitignore", "reports/\n.holdpoint/\n"),
    (
        "cases/duplicate/one-ticket.yaml",
        "id: one-ticket\ntitle: One ticket is opened\nworkflow: desk\ninput: {}\nexpect:\n  - effects: {probe: tickets, count: 1}\n",
    ),
    (
        "cases/policy_accuracy/polite.yaml",
        "id: polite\ntitle: It is polite\nworkflow: desk\ninput: {}\nexpect:\n  - command: {run: [python3, judges/polite.py]}\n",
    ),
];

fn accepted() -> Sandbox {
    let sandbox = Sandbox::with_files(&FILES);
    sandbox.measure_and_accept();
    sandbox
}

fn standing(sandbox: &Sandbox, case: &str) -> String {
    entry(&sandbox.report()["cases"], "id", case)["comparison"].as_str().unwrap().to_owned()
}

fn gate(sandbox: &Sandbox, base: &[&str]) -> Ran {
    sandbox.holdpoint(&[&["gate"], base].concat())
}

/// Both ways to find a base: a revision, which has the old form, and what was accepted, which has it not.
const REVISION: &[&str] = &["--base", "HEAD~1"];
const ACCEPTED: &[&str] = &[];

#[test]
fn a_query_that_is_edited_to_overlook_the_second_ticket_is_not_green() {
    for (base, expected) in [(REVISION, "expectation_changed"), (ACCEPTED, "not_comparable")] {
        let sandbox = accepted();
        sandbox.edit("desk.py", "TICKETS = 1", "TICKETS = 2");
        sandbox.edit("holdpoint.yaml", "SELECT customer", "SELECT DISTINCT customer");
        sandbox.commit("open two, and look at one");
        gate(&sandbox, base).expect(11).says("one-ticket");
        assert_eq!(standing(&sandbox, "one-ticket"), expected);
        assert_eq!(standing(&sandbox, "polite"), "unchanged", "it is judged as before");
        let differs = entry(&sandbox.report()["cases"], "id", "one-ticket")["differs"].clone();
        assert_eq!(differs, serde_json::json!(["probes"]));
    }
}

#[test]
fn a_judging_program_that_is_edited_to_let_everything_pass_is_not_green() {
    for (base, expected) in [(REVISION, "expectation_changed"), (ACCEPTED, "not_comparable")] {
        let sandbox = accepted();
        sandbox.write("greeting.txt", "Go away\n");
        sandbox.edit("judges/polite.py", "'pass': polite", "'pass': True");
        sandbox.commit("be rude, and judge nothing");
        gate(&sandbox, base).expect(11).says("polite");
        assert_eq!(standing(&sandbox, "polite"), expected);
        let differs = entry(&sandbox.report()["cases"], "id", "polite")["differs"].clone();
        assert_eq!(differs, serde_json::json!(["judging_programs"]));
    }
}

#[test]
fn an_edit_under_which_the_old_form_still_passes_is_unchanged_and_one_that_nobody_could_check_waits_for_a_person() {
    let edit = |sandbox: &Sandbox| {
        sandbox.edit("holdpoint.yaml", "SELECT customer", "SELECT DISTINCT customer");
        sandbox.edit("judges/polite.py", "'pass': polite", "'pass': bool(polite)");
        sandbox.commit("tidy up");
    };
    let sandbox = accepted();
    edit(&sandbox);
    gate(&sandbox, REVISION).expect(0);
    assert_eq!(standing(&sandbox, "one-ticket"), "unchanged");
    assert_eq!(standing(&sandbox, "polite"), "unchanged");

    let sandbox = accepted();
    edit(&sandbox);
    gate(&sandbox, ACCEPTED)
        .expect(11)
        .says("`gate --base REV`, with a revision at which they were as they were accepted");
    sandbox.accept();
    gate(&sandbox, ACCEPTED).expect(0);
    assert_eq!(sandbox.report()["counts"]["selected"], 0, "nothing is left to ask");
}

#[test]
fn what_fails_under_the_edited_judge_is_a_regression() {
    let sandbox = accepted();
    sandbox.edit("judges/polite.py", "'pass': polite", "'pass': False");
    sandbox.commit("judge harder");
    gate(&sandbox, REVISION).expect(10);
    assert_eq!(standing(&sandbox, "polite"), "regressed");
}

#[test]
fn an_edit_that_was_merged_without_an_acceptance_is_still_found_later() {
    let sandbox = accepted();
    sandbox.edit("holdpoint.yaml", "SELECT customer", "SELECT DISTINCT customer");
    sandbox.commit("merged without anyone looking");
    sandbox.write("README.txt", "unknown to every rule");
    sandbox.commit("something else");
    gate(&sandbox, REVISION).expect(11);
    assert_eq!(standing(&sandbox, "one-ticket"), "not_comparable");
}

#[test]
fn a_probe_of_the_base_takes_its_variables_from_the_environment_of_now() {
    let probe = |variable: &str| {
        let look = format!("{{command: {{run: [sh, look.sh], env: {{set: {{FILE: \"${{{variable}}}\"}}}}}}}}");
        format!("{}probes: {{tickets: {look}}}\n", small_project::PROJECT)
    };
    let sandbox = Sandbox::with_files(&small_project::FILES);
    let path = "cases/policy_accuracy/greets.yaml";
    sandbox.edit(path, "  - contains", "  - effects: {probe: tickets, count: 1}\n  - contains");
    sandbox.write("look.sh", "cat $FILE\n");
    sandbox.write("tickets.jsonl", "{\"customer\": \"K-1\"}\n");
    sandbox.write("holdpoint.yaml", &probe("TICKETS"));
    sandbox.commit("look by a variable");
    let gate = |arguments: &[&str], set: &[&str]| {
        let mut command = sandbox.holdpoint_command();
        command.args(arguments).envs(set.iter().map(|name| (*name, "tickets.jsonl")));
        sandbox.ran(&mut command)
    };
    gate(&["gate"], &["TICKETS"]).expect(12);
    sandbox.accept();
    sandbox.write("holdpoint.yaml", &probe("RECORDS"));
    sandbox.commit("call the variable otherwise");
    gate(&["gate", "--base", "HEAD~1"], &["TICKETS", "RECORDS"]).expect(0);
    assert_eq!(standing(&sandbox, "greets"), "unchanged");
    let ran = gate(&["gate", "--base", "HEAD~1"], &["RECORDS"]).expect(11);
    ran.says("the old form of greets could not run")
        .says("a probe of the base needs environment variables that are not set: TICKETS");
    gate(&["gate", "--base", "HEAD~1"], &["TICKETS"]).expect(13).says("`RECORDS` is not set");
}
