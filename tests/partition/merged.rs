//! Parts that are put together say what the single run says.

use std::fs;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::scene::{ended, project};

/// The cases `case-00` and on, each with what is asked: by `Bad` it fails, by `Slow` it waits.
fn cases(number: usize, special: &[(usize, &'static str)]) -> Vec<(String, &'static str)> {
    let asked = |index: usize| special.iter().find(|(one, _)| *one == index).map_or("Hello", |(_, asked)| asked);
    (0..number).map(|index| (format!("case-{index:02}"), asked(index))).collect()
}

fn sandbox(number: usize, special: &[(usize, &'static str)]) -> Sandbox {
    let cases = cases(number, special);
    project(&cases.iter().map(|(id, asked)| (id.as_str(), *asked)).collect::<Vec<_>>())
}

/// A report without what cannot be the same in two runs: when they were, how long they took, and what names them.
fn comparable(mut report: Value) -> Value {
    fn strip(value: &mut Value, run: &str) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !matches!(name.as_str(), "run" | "started" | "finished" | "duration_ms"));
                fields.values_mut().for_each(|value| strip(value, run));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| strip(item, run)),
            Value::String(text) => *text = text.replace(run, "RUN"),
            _ => {}
        }
    }
    let run = report["run"].as_str().unwrap().to_owned();
    report["scorecard"]["effort"]["machine_minutes"] = Value::Null;
    strip(&mut report, &run);
    report
}

/// Carries out the parts `1..=of` one after another, as these arguments say.
fn parts(sandbox: &Sandbox, arguments: &[&str], of: usize) -> Vec<i32> {
    let part = |number: usize| {
        let said = format!("{number}/{of}");
        sandbox.holdpoint(&[arguments, &["--partition", &said]].concat()).code
    };
    (1..=of).map(part).collect()
}

#[test]
fn merged_parts_report_what_the_single_run_reports() {
    for by in [&[][..], &["--partition-by", "durations"]] {
        let sandbox = sandbox(12, &[(3, "Bad")]);
        sandbox.holdpoint(&["gate"]).expect(12);
        sandbox.accept();
        sandbox.edit("prompts/greeting.txt", "Good morning", "Good morning to you");
        sandbox.edit("cases/policy_accuracy/case-05.yaml", "Good morning", "Good");
        sandbox.commit("politer");
        let (alone, copy) = (Sandbox::copy_of(&sandbox), Sandbox::copy_of(&sandbox));
        alone.holdpoint(&["gate", "--base", "HEAD~1", "--trials", "2"]).expect(0);
        let single = alone.report();
        assert_eq!(single["counts"]["selected"], 12, "{single}");

        let codes = parts(&copy, &[&["gate", "--base", "HEAD~1", "--trials", "2"], by].concat(), 3);
        assert_eq!(codes, [0; 3]);
        let runs = part_runs(&copy);
        let merged = copy.holdpoint(&["merge", "--json", &runs[2], &runs[0], &runs[1]]).expect(0).json();
        assert_eq!(merged, copy.report());
        assert_eq!(comparable(merged), comparable(single));
        copy.holdpoint(&["baseline", "accept", "latest", "--by", "R. Viewer", "--reason", "as reviewed"]).expect(0);
    }
}

/// The ids of the recorded runs that are parts, oldest first.
fn part_runs(sandbox: &Sandbox) -> Vec<String> {
    runs(sandbox, |run| !run["part"].is_null())
}

/// The ids of the recorded runs of which this holds, oldest first.
fn runs(sandbox: &Sandbox, holds: impl Fn(&Value) -> bool) -> Vec<String> {
    let all = sandbox.holdpoint(&["runs", "--json"]).expect(0).json();
    let found = all["runs"].as_array().unwrap().iter().rev().filter(|run| holds(run));
    found.map(|run| run["run"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn of_eight_parts_two_are_killed_and_started_again_and_the_verdict_is_that_of_the_single_run() {
    let special = [(4, "Bad"), (9, "Slow"), (17, "Slow")];
    let single = sandbox(24, &special);
    single.beside("go");
    single.holdpoint(&["run", "--all"]).expect(10);
    let expected = single.report();

    let sandbox = sandbox(24, &special);
    let start = |number: usize| -> Child {
        let said = format!("{number}/8");
        let mut command = sandbox.holdpoint_command();
        command.args(["run", "--all", "--jobs", "1", "--partition", &said]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut children: Vec<Child> = (1..=8).map(start).collect();
    let mut killed = 0;
    // The two parts that wait for what never comes are those that do not end.
    let began = std::time::Instant::now();
    let waiting = || ["case-09", "case-17"].map(|case| sandbox.runs_of(case));
    loop {
        let codes: Vec<_> = children.iter_mut().map(|child| child.try_wait().unwrap()).collect();
        if codes.iter().filter(|code| code.is_none()).count() == 2 && waiting() == [1, 1] {
            break;
        }
        if began.elapsed().as_secs() > 120 || codes.iter().filter(|code| code.is_some()).count() > 6 {
            let at_hand = format!("{codes:?}, started {:?}", waiting());
            children.iter_mut().for_each(|child| child.kill().unwrap());
            let told: Vec<String> = children.into_iter().map(|child| ended(child).told()).collect();
            panic!("{at_hand}: {}", told.join("\n"));
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for child in &mut children {
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            killed += 1;
        }
    }
    let codes: Vec<i32> = children.into_iter().map(|child| ended(child).code).collect();
    assert_eq!((killed, codes.iter().filter(|code| **code == 10).count()), (2, 1), "{codes:?}");

    // Whoever puts them together now hears which are not whole, and how to go on.
    let refused = sandbox.holdpoint(&["merge", ".holdpoint/runs"]).expect(2).says("was cut off before its end");
    sandbox.beside("go");
    let cut_off = runs(&sandbox, |run| run["verdict"] == "cut off");
    assert_eq!(cut_off.len(), 2, "{codes:?}");
    for run in &cut_off {
        assert!(refused.stderr.contains(&format!("--resume {run}")), "{}", refused.told());
        sandbox.holdpoint(&["run", "--resume", run]).expect(0).says("alone: passed");
    }
    sandbox.holdpoint(&["merge", ".holdpoint/runs"]).expect(10);
    let merged = sandbox.report();
    for field in ["verdict", "exit_code", "verdict_reasons", "counts", "comparison", "limits"] {
        assert_eq!(merged[field], expected[field], "{field}");
    }
    let statuses = |report: &Value| -> Vec<(Value, Value)> {
        report["cases"].as_array().unwrap().iter().map(|case| (case["id"].clone(), case["status"].clone())).collect()
    };
    assert_eq!(statuses(&merged), statuses(&expected));
    let ran: usize = (0..24).map(|index| sandbox.runs_of(&format!("case-{index:02}"))).sum();
    assert_eq!(ran, 26, "every case once, and again the two that were in flight");
    assert!(sandbox.notes().contains("the run went on at"), "{}", sandbox.notes());
}

#[test]
fn a_part_says_that_it_is_one_and_is_never_accepted_by_itself() {
    let sandbox = sandbox(6, &[]);
    let ran = sandbox.holdpoint(&["gate", "--partition", "1/2"]).expect(12).says("Part 1 of 2 alone: inconclusive");
    assert!(!ran.stdout.contains("baseline accept"), "{}", ran.told());
    let report = sandbox.report();
    let own = report["counts"]["selected"].as_u64().unwrap();
    assert_eq!((report["part"]["number"].as_u64(), report["part"]["of"].as_u64()), (Some(1), Some(2)));
    assert_eq!(own + report["part"]["elsewhere"].as_u64().unwrap(), 6);
    assert_eq!(report["counts"]["total"], own);
    assert!(report["verdict_notes"][0].as_str().unwrap().contains("no verdict of the whole"), "{report}");
    for page in ["report.html", "summary.md"] {
        assert!(sandbox.read(&format!("reports/latest/{page}")).contains("Part 1 of 2 alone"), "{page}");
    }
    let accept = ["baseline", "accept", "latest", "--by", "R. Viewer", "--reason", "half of it"];
    sandbox.holdpoint(&accept).expect(2).says("part 1 of 2 alone").says("holdpoint merge");

    sandbox.holdpoint(&["gate", "--partition", "2/2"]).expect(12);
    sandbox.holdpoint(&["merge", ".holdpoint/runs"]).expect(12).says("baseline accept");
    assert!(sandbox.report()["part"].is_null());
    sandbox.holdpoint(&accept).expect(0);
    assert_eq!(sandbox.report()["trend"].as_array().unwrap().len(), 1, "parts are no runs of their own");
    // What is put together runs nothing, so there is nothing to go on with.
    sandbox.holdpoint(&["gate", "--resume", "latest"]).expect(2).says("put together from parts");
}

#[test]
fn a_part_without_a_case_of_its_own_is_no_error() {
    let sandbox = sandbox(2, &[]);
    let codes = parts(&sandbox, &["run", "--all"], 5);
    assert_eq!(codes, [0; 5]);
    sandbox.holdpoint(&["merge", ".holdpoint/runs"]).expect(0);
    assert_eq!(sandbox.report()["counts"]["passed"], 2);
}

#[test]
fn every_part_is_found_by_what_the_system_says_of_it() {
    let sandbox = sandbox(5, &[]);
    for index in ["1", "2", "3"] {
        let mut command = sandbox.holdpoint_command();
        command.args(["run", "--all", "--partition", "auto"]).env("CI_NODE_INDEX", index).env("CI_NODE_TOTAL", "3");
        sandbox.ran(&mut command).expect(0).says(&format!("Part {index} of 3 alone: passed"));
    }
    sandbox.holdpoint(&["merge", ".holdpoint/runs"]).expect(0);
    sandbox.holdpoint(&["run", "--all", "--partition", "auto"]).expect(2).says("finds no index in the environment");
}

#[test]
fn parts_by_durations_stand_on_earlier_runs_or_on_a_file() {
    let sandbox = sandbox(6, &[]);
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let durations = sandbox.holdpoint(&["runs", "--durations"]).expect(0).json();
    assert_eq!(durations["schema"], "holdpoint.durations/1");
    assert_eq!(durations["cases"].as_object().unwrap().len(), 6);
    // One case that takes longer than all others together has a part to itself.
    let mut durations = durations;
    durations["cases"]["case-03"] = 1_000_000.into();
    let file = sandbox.project().join("../durations.json");
    fs::write(&file, durations.to_string()).unwrap();
    let by_file = ["--partition-by", "durations", "--durations", "../durations.json"];
    let codes = parts(&sandbox, &[&["run", "--all"][..], &by_file].concat(), 2);
    assert_eq!(codes, [0; 2]);
    let runs = part_runs(&sandbox);
    let cases = |run: &str| -> usize {
        let report: Value = serde_json::from_str(&sandbox.read(&format!("reports/{run}/report.json"))).unwrap();
        report["cases"].as_array().unwrap().len()
    };
    assert_eq!((cases(&runs[0]), cases(&runs[1])), (1, 5));
    sandbox.holdpoint(&["merge", &runs[0], &runs[1]]).expect(0);
    sandbox.holdpoint(&["run", "--all", "--partition", "1/2", "--durations", "x"]).expect(2).says("--partition-by");
    fs::write(&file, "[]").unwrap();
    let wrong = [&["run", "--all", "--partition", "1/2"][..], &by_file].concat();
    sandbox.holdpoint(&wrong).expect(2).says("durations.json");
}
