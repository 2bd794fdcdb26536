//! From an uncovered risk to a case that shows it, by the commands that the gate prints.

use crate::sandbox::{Ran, Sandbox, entry};
use crate::small_project::{FILES, PROJECT, accepted_project, small_project};

/// The small project with a gate that does not pass while a risk is uncovered, and an accepted baseline.
fn strict_project() -> Sandbox {
    let sandbox = Sandbox::with_files(&FILES);
    sandbox.write("holdpoint.yaml", &PROJECT.replace("gate: {uncovered_is_inconclusive: false}\n", ""));
    sandbox.commit("be strict");
    sandbox.measure_and_accept();
    sandbox
}

/// The words of each command that begins with `holdpoint case new`, without the program's name.
fn commands(ran: &Ran) -> Vec<Vec<String>> {
    let lines = ran.stdout.lines().map(str::trim).filter(|line| line.starts_with("holdpoint case new"));
    lines.map(|line| line.split(' ').skip(1).map(str::to_owned).collect()).collect()
}

fn follow(sandbox: &Sandbox, command: &[String]) -> Ran {
    sandbox.holdpoint(&command.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_gates_own_hints_lead_to_cases_that_let_it_pass() {
    let sandbox = strict_project();
    sandbox.write("prompts/greeting.txt", "Good morning, friend\n");
    sandbox.edit("manifests/greeting.yaml", "\"1\"", "\"2\"");
    sandbox.holdpoint(&["gate"]).expect(11).says("holdpoint case new --for greeting/context_boundaries");

    let hints = commands(&sandbox.holdpoint(&["plan"]).expect(0));
    assert_eq!(hints.len(), 5, "a prompt puts six risks at stake, and one is shown: {hints:?}");
    let begun: Vec<Ran> = hints.iter().map(|command| follow(&sandbox, command).expect(0)).collect();
    let paths: Vec<&str> = begun.iter().map(|ran| ran.stdout.trim_end()).collect();
    assert_eq!(paths[0], "cases/context_boundaries/greeting-context-boundaries.yaml");

    let refused = sandbox.holdpoint(&["check"]).expect(13);
    for (ran, path) in begun.iter().zip(&paths) {
        let line = sandbox.read(path).lines().position(|line| line == "expect: []").unwrap() + 1;
        assert!(refused.stderr.contains(&format!("{path}:{line}:")), "{}", refused.told());
        assert!(ran.stderr.contains(&format!("line {line} ")), "{}", ran.told());
    }
    assert!(refused.stderr.contains("5 errors"), "{}", refused.told());
    sandbox.holdpoint(&["gate"]).expect(13);

    for path in paths {
        let example = "#  - contains: \"<what the answer must say>\"";
        let text = sandbox.read(path).replace("expect: []", "expect:\n  - contains: friend");
        sandbox.write(path, &text);
        sandbox.holdpoint(&["check"]).expect(13).says("`<question>` is still what `case new` wrote there");
        let text = text.replace("<question>", "Hello");
        assert!(text.contains(example) || path.contains("malformed"), "{text}");
        sandbox.write(path, &text);
    }
    sandbox.holdpoint(&["check"]).expect(0);
    sandbox.holdpoint(&["gate"]).expect(0);
    assert_eq!(sandbox.report()["uncovered"].as_array().unwrap().len(), 0);
    assert_eq!(sandbox.report()["comparison"]["new"], 5);
}

#[test]
fn the_fault_of_a_new_case_falls_on_a_call_that_the_usual_input_leads_to() {
    let sandbox = Sandbox::empty();
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(0);
    for (connector, risk, operation, other) in [
        ("inventory", "uncertain_outcome", "reserve", "release"),
        ("inventory", "partial_failure", "reserve", "release"),
        ("case-desk", "uncertain_outcome", "create", "close"),
        ("case-desk", "duplicate", "create", "close"),
    ] {
        let begun = sandbox.holdpoint(&["case", "new", "--for", &format!("{connector}/{risk}")]).expect(0);
        let text = sandbox.read(begun.stdout.trim());
        assert!(
            text.contains(&format!("#  - {{connector: {connector}, operation: {operation}, attempt: 1,")),
            "{text}"
        );
        assert!(text.contains("# a fault that never fires is an error of the trial."), "{text}");
        let others = text.lines().find(|line| line.starts_with(&format!("# Other operations of {connector}: ")));
        assert!(others.is_some_and(|line| line.contains(other)), "{text}");
    }
}

#[test]
fn a_hint_from_another_folder_names_the_project_and_works_there() {
    let sandbox = strict_project();
    sandbox.write("prompts/greeting.txt", "Good morning, friend\n");
    let elsewhere = sandbox.project().parent().unwrap().to_owned();
    let run = |arguments: &[&str]| {
        sandbox.ran(sandbox.holdpoint_command().current_dir(&elsewhere).args(["--project", "project"]).args(arguments))
    };
    let command = "holdpoint --project project case new --for greeting/context_boundaries";
    let ran = run(&["gate"]).expect(11).says(command);
    assert_eq!(sandbox.report()["uncovered"][0]["command"], command, "{}", ran.told());
    let planned = run(&["plan", "--json"]).expect(0).json();
    assert_eq!(planned["uncovered"][0]["command"], command);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let begun = sandbox.ran(sandbox.holdpoint_command().current_dir(&elsewhere).args(words)).expect(0);
    let path = begun.stdout.trim_end();
    assert_eq!(path, "project/cases/context_boundaries/greeting-context-boundaries.yaml");
    assert!(elsewhere.join(path).is_file());
}

#[test]
fn a_file_that_exists_is_never_overwritten() {
    let sandbox = small_project();
    sandbox.write("cases/access/mine.yaml", "half a thought\n");
    let before = sandbox.contents("cases");
    for arguments in [["--id", "mine"], ["--id", "Mine"], ["--id", "greets"]] {
        let ran = sandbox.holdpoint(&[&["case", "new", "--for", "greeting/access"], &arguments[..]].concat());
        ran.expect(2).says("already taken");
        assert_eq!(sandbox.contents("cases"), before);
    }
    for path in ["greeting-access", "greeting-access-2"] {
        let ran = sandbox.holdpoint(&["case", "new", "--for", "greeting/access"]).expect(0);
        assert_eq!(ran.stdout, format!("cases/access/{path}.yaml\n"));
        assert!(ran.stderr.contains("No change of greeting puts access at risk"), "{}", ran.told());
    }
    let after = sandbox.contents("cases");
    assert!(before.iter().all(|file| after.contains(file)), "what was there is as it was");
}

#[test]
fn no_case_is_written_through_a_link() {
    let sandbox = small_project();
    let outside = sandbox.project().parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, sandbox.project().join("cases/access")).unwrap();
    sandbox.holdpoint(&["case", "new", "--for", "greeting/access"]).expect(2).says("links are not followed");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn what_is_not_known_is_wrong_usage_and_writes_nothing() {
    let sandbox = small_project();
    let before = sandbox.contents("cases");
    for (arguments, words) in [
        (&["greting/access"][..], "did you mean `greeting`?"),
        (&["greeting/acces"], "did you mean `access`?"),
        (&["greeting"], "PART/RISK"),
        (&["greeting/access", "--id", "../../up"], "is no case id"),
        (&["greeting/access", "--workflow", "greeters"], "did you mean `greeter`?"),
    ] {
        sandbox.holdpoint(&[&["case", "new", "--for"], arguments].concat()).expect(2).says(words);
    }
    assert_eq!(sandbox.contents("cases"), before);
    sandbox.edit("manifests/greeting.yaml", "kind: prompt", "kind: promt");
    sandbox.holdpoint(&["case", "new", "--for", "greeting/access"]).expect(13).says("did you mean `prompt`?");
}

#[test]
fn the_list_counts_cases_names_gaps_with_their_command_and_says_how_cases_last_ended() {
    let sandbox = small_project();
    let text = sandbox.holdpoint(&["case", "list"]).expect(0).stdout;
    assert!(text.contains("Last results on this machine: 1 never ran"), "{text}");
    sandbox.measure_and_accept();
    let listed = sandbox.holdpoint(&["case", "list", "--json"]).expect(0).json();
    assert_eq!(listed["schema"], "holdpoint.cases/1");
    assert_eq!(entry(&listed["cases"], "case", "greets")["last"], "passed");
    assert_eq!(listed["last"], serde_json::json!({"passed": 1, "never_ran": 0}));
    assert_eq!(entry(&listed["sets"], "set", "policy_accuracy")["workflows"]["greeter"], 1);
    let cell = &entry(&listed["sets"], "set", "policy_accuracy")["cells"]["greeter"];
    let expected =
        serde_json::json!({"cases": 1, "of_other_sets": 0, "last": {"passed": 1, "never_ran": 0}, "gaps": []});
    assert_eq!(*cell, expected);
    let cell = &entry(&listed["sets"], "set", "malformed_output")["cells"]["greeter"];
    let expected = serde_json::json!({"cases": 0, "of_other_sets": 0, "last": {"never_ran": 0}, "gaps": ["greeting"]});
    assert_eq!(*cell, expected);
    assert_eq!(entry(&listed["sets"], "set", "duplicate")["total"], 0);
    let shown = entry(&listed["coverage"], "risk", "policy_accuracy");
    assert_eq!((&shown["cases"], &shown["command"]), (&1.into(), &serde_json::Value::Null));
    let gap = entry(&listed["coverage"], "risk", "malformed_output");
    let command = "holdpoint case new --for greeting/malformed_output";
    assert_eq!((&gap["cases"], &gap["command"]), (&0.into(), &command.into()));
    let by_part = entry(&listed["matrix"], "risk", "policy_accuracy");
    let expected = serde_json::json!({
        "part": "greeting", "kind": "prompt", "risk": "policy_accuracy", "cases": 1,
        "last": {"passed": 1, "never_ran": 0}, "gap": false, "command": null,
    });
    assert_eq!(*by_part, expected);
    let gap = entry(&listed["matrix"], "risk", "malformed_output");
    assert_eq!((&gap["gap"], &gap["command"]), (&true.into(), &command.into()));
    let at_stake = listed["matrix"].as_array().unwrap();
    assert!(at_stake.iter().all(|cell| cell["risk"] != "duplicate"), "no rule puts it at stake with a prompt");
    let text = sandbox.holdpoint(&["case", "list"]).expect(0).stdout;
    assert_eq!(row(&text, "  greeting"), ["greeting", "1", "gap", "gap", "gap", "gap", "gap"]);
    assert_eq!(row(&text, "every case"), ["every", "case", "1"]);
    for line in ["Gaps (5)", command, "Last results on this machine: 1 passed"] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

fn row<'t>(text: &'t str, label: &str) -> Vec<&'t str> {
    text.lines().find(|line| line.starts_with(label)).unwrap().split_whitespace().collect()
}

#[test]
fn the_list_counts_by_sets_and_workflows_too() {
    let sandbox = accepted_project();
    let text = sandbox.holdpoint(&["case", "list", "--sets"]).expect(0).stdout;
    assert_eq!(row(&text, "policy_accuracy"), ["policy_accuracy", "1", "passed", "1"]);
    assert_eq!(row(&text, "malformed_output"), ["malformed_output", "gap", "-"]);
    assert_eq!(row(&text, "duplicate"), ["duplicate", "-", "-"]);
    sandbox.holdpoint(&["case", "list", "--sets", "--json"]).expect(2);
}

#[test]
fn a_project_whose_cases_show_everything_has_no_gaps() {
    let sandbox = accepted_project();
    sandbox.edit(
        "cases/policy_accuracy/greets.yaml",
        "workflow: greeter\n",
        "workflow: greeter\nrisks: [missing_availability, injected_instructions, malformed_output, source_conflict, \
         context_boundaries]\n",
    );
    let text = sandbox.holdpoint(&["case", "list"]).expect(0).says("No gaps").stdout.clone();
    assert_eq!(row(&text, "  greeting")[1..], ["1"; 6], "one case shows all six");
    let text = sandbox.holdpoint(&["case", "list", "--sets"]).expect(0).stdout.clone();
    assert_eq!(row(&text, "malformed_output"), ["malformed_output", "+1", "-"], "its set has none of its own");
    assert!(text.contains("+N: cases of other sets"), "{text}");
    let listed = sandbox.holdpoint(&["case", "list", "--json"]).expect(0).json();
    let cell = &entry(&listed["sets"], "set", "malformed_output")["cells"]["greeter"];
    assert_eq!((&cell["cases"], &cell["of_other_sets"]), (&0.into(), &1.into()));
}

#[test]
fn a_part_that_no_workflow_uses_is_said_to_be_one_where_it_leaves_gaps() {
    let sandbox = accepted_project();
    sandbox.write("manifests/stray.yaml", "kind: permissions\nid: stray\nversion: '1'\nactors: {guest: {}}\n");
    let said = sandbox.holdpoint(&["check"]);
    assert!(said.stderr.contains("no workflow uses the part `stray`"), "{}", said.stderr);
    assert!(said.stderr.contains("until then a change of it counts for every workflow"), "{}", said.stderr);
    sandbox.holdpoint(&["case", "list"]).expect(0).says("access of the permissions stray, which no workflow uses");
    let lacking = "no workflow uses stray: list it under the `parts` of the one that does, or remove it";
    sandbox.holdpoint(&["plan"]).expect(0).says(lacking);
    sandbox.holdpoint(&["gate"]).expect(0).says(&format!("none exists. Or: {lacking}."));
    let report = sandbox.report();
    assert!(report["uncovered"].as_array().unwrap().iter().all(|one| one["unused"] == true), "{}", report["uncovered"]);
}

#[test]
fn what_a_new_case_is_to_be_made_of_has_to_be_said_and_how() {
    let sandbox = small_project();
    let said = |arguments: &[&str], words: &str, hint: &str| {
        sandbox.holdpoint(&[&["case", "new"], arguments].concat()).expect(2).says(words).says(hint);
    };
    said(&[], "`--for PART/RISK`, or `--from`", "`holdpoint case list` names");
    said(&["--from"], "expected `--from RUN/CASE` or `--from incident FILE`", "`holdpoint runs` lists the runs");
    said(&["--from", "latest"], "as in `--from latest/lost-answer`", "`latest` is the last");
    said(&["--from", "incident"], "the incident's file", "holdpoint incident RUN --about CASE --json");
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    said(&["--from", "latest/nowhere-to-be-seen"], "recorded no trial", "`holdpoint report 2");
}

#[test]
fn where_there_is_neither_a_part_nor_a_case_the_list_says_so() {
    let project =
        "schema: holdpoint.project/1\nname: bare\nworkflows:\n  desk:\n    command: {run: [cat]}\n    parts: []\n";
    let sandbox = Sandbox::with_files(&[("holdpoint.yaml", project)]);
    let said = sandbox.holdpoint(&["case", "list"]).expect(0).stdout;
    assert!(said.contains("There is no part") && said.contains("There is no case."), "{said}");
    for untrue in ["No gaps", "No case is passed", "all passed", "gap  "] {
        assert!(!said.contains(untrue), "{untrue}: {said}");
    }
}
