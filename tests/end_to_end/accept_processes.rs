//! Acceptance by several processes at once, and by processes that are killed: nothing is lost, and nothing is half there.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};
use crate::small_project::{case, small_project};

const ROUNDS: usize = 4;
const PROCESSES: usize = 4;

/// So many moments of an acceptance at which it is killed.
const KILLS: u32 = 48;

fn measured(cases: usize) -> Sandbox {
    let sandbox = small_project();
    for number in 0..cases {
        let id = format!("case-{number}");
        sandbox.write(&format!("cases/policy_accuracy/{id}.yaml"), &case(&id, "Good morning"));
    }
    sandbox.commit("many cases");
    sandbox.holdpoint(&["gate"]).expect(12);
    sandbox
}

fn arguments(case: Option<usize>) -> Vec<String> {
    let only = case.map(|number| ["--case".to_owned(), format!("case-{number}")]).into_iter().flatten();
    let words = ["baseline", "accept", "latest", "--by", "R. Viewer", "--reason", "looked at it"];
    words.map(str::to_owned).into_iter().chain(only).collect()
}

fn records(sandbox: &Sandbox) -> Value {
    sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json()["records"].clone()
}

#[test]
fn of_several_processes_that_accept_at_once_each_succeeds_or_is_told_to_look_again() {
    for round in 0..ROUNDS {
        let sandbox = measured(PROCESSES);
        let accept = |number: usize| {
            let mut command = sandbox.holdpoint_command();
            sandbox.ran(command.args(arguments(Some(number))))
        };
        let mut waiting: Vec<usize> = (0..PROCESSES).collect();
        while !waiting.is_empty() {
            let ended: Vec<(usize, Ran)> = thread::scope(|scope| {
                let started: Vec<_> = waiting.iter().map(|number| (*number, scope.spawn(|| accept(*number)))).collect();
                started.into_iter().map(|(number, thread)| (number, thread.join().unwrap())).collect()
            });
            assert!(ended.iter().any(|(_, ran)| ran.code == 0), "round {round}: nobody got on");
            waiting = ended.iter().filter(|(_, ran)| ran.code != 0).map(|(number, _)| *number).collect();
            for (_, ran) in ended.into_iter().filter(|(_, ran)| ran.code != 0) {
                ran.expect(12).says("look again");
            }
        }
        sandbox.holdpoint(&["baseline", "verify"]).expect(0);
        let records = records(&sandbox);
        assert_eq!(records.as_array().unwrap().len(), PROCESSES, "round {round}: {records:#}");
        for number in 0..PROCESSES {
            sandbox.holdpoint(&["baseline", "show", &format!("case-{number}")]).expect(0);
        }
    }
}

#[test]
fn an_acceptance_that_is_killed_at_any_moment_leaves_the_old_head_or_the_new_one() {
    let sandbox = measured(6);
    let began = Instant::now();
    sandbox.ran(sandbox.holdpoint_command().args(arguments(None))).expect(0);
    let whole = began.elapsed();
    let folder: PathBuf = sandbox.project().join("baselines");
    let (mut before, mut after) = (0, 0);
    for moment in 0..KILLS {
        let _ = fs::remove_dir_all(&folder);
        sandbox.ran(sandbox.holdpoint_command().args(arguments(Some(0)))).expect(0);
        let old = records(&sandbox)[0]["digest"].clone();
        let mut command = sandbox.holdpoint_command();
        command.args(arguments(Some(1))).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // A little more than a whole acceptance takes, so that some kills come too late.
        thread::sleep(whole * moment / (KILLS - 8));
        child.kill().unwrap();
        child.wait().unwrap();

        sandbox.holdpoint(&["baseline", "verify"]).expect(0);
        let now = records(&sandbox);
        match now.as_array().unwrap().len() {
            1 => before += 1,
            2 => after += 1,
            other => panic!("{other} records after a kill at moment {moment}"),
        }
        assert_eq!(now.as_array().unwrap().last().unwrap()["digest"], old);
        // Whoever comes next is not in the way of what was left.
        sandbox.ran(sandbox.holdpoint_command().args(arguments(Some(2)))).expect(0);
        sandbox.holdpoint(&["baseline", "verify"]).expect(0);
    }
    assert!(before > 0 && after > 0, "{before} before and {after} after: the kills did not fall into the acceptance");
}
