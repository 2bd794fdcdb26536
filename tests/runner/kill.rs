//! SIGKILL at random moments and at every durable write: what was told of is on record, and the verdict is the same.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use crate::sandbox::Sandbox;

/// Random moments, over all of them.
const MOMENTS: u32 = 50;

/// What leaves a run's traces on disk: a kill falls right before the call takes effect.
const POINTS: [(&str, &str, u32); 5] = [
    ("record, history and reports, on disk", "fdatasync,fsync", 40),
    ("reports, in place", "rename,renameat,renameat2", 8),
    ("the link to the newest", "symlink,symlinkat", 1),
    ("folders of trials", "mkdir,mkdirat", 16),
    ("what trials leave", "rmdir,unlinkat", 12),
];

const WORKFLOW: &str = r#"asked=$(cat)
id=${asked#*\"case\":\"}
echo "${id%%\"*}" >> ../log
sleep 0.0$((${#id} % 5))
case "$asked" in *Bad*) echo Go away; exit ;; esac
echo Good morning
"#;

/// Mesa in process, and a program beside it; one case fails.
pub(crate) fn project() -> Sandbox {
    let sandbox = Sandbox::practice();
    for set in fs::read_dir(sandbox.project().join("cases")).unwrap() {
        fs::remove_dir_all(set.unwrap().path()).unwrap();
    }
    let greeter = r#"
  greeter:
    command: {run: [sh, workflow.sh]}
    parts: [visit-policy]
    code: [workflow.sh]
    now: "2026-03-02T09:00:00Z"

probes:"#;
    sandbox.edit("holdpoint.yaml", "\nprobes:", greeter);
    sandbox.write("workflow.sh", WORKFLOW);
    let case = |id: &str, asked: &str| {
        format!(
            "id: {id}\ntitle: It greets\nworkflow: greeter\ntrials: 2\ninput: {{question: {asked}}}\nexpect:\n  \
             - contains: Good morning\n"
        )
    };
    for id in ["g1", "g2", "g3", "g4"] {
        sandbox.write(&format!("cases/policy_accuracy/{id}.yaml"), &case(id, "Hello"));
    }
    sandbox.write("cases/policy_accuracy/bad.yaml", &case("bad", "Bad"));
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["approved-in-steps", "changed-source", "expired-approval"] {
        let path = format!("cases/action/{name}.yaml");
        sandbox.write(&path, &fs::read_to_string(repository.join(&path)).unwrap());
    }
    sandbox.commit("begin");
    sandbox
}

/// How every case ended, undisturbed.
type Statuses = BTreeMap<String, String>;

fn statuses(sandbox: &Sandbox) -> Statuses {
    let report = sandbox.report();
    assert_eq!(report["exit_code"], 10);
    let cases = report["cases"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    cases.iter().map(|case| (text(&case["id"]), text(&case["status"]))).collect()
}

const RUN: [&str; 5] = ["run", "--all", "-v", "--jobs", "2"];

/// What the program told of before it was killed: `case (trial n): status`.
fn told(output: &Output) -> Vec<(String, u32, String)> {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().filter_map(|line| {
        let (trial, status) = line.split_once("): ")?;
        let (case, number) = trial.split_once(" (trial ")?;
        Some((case.to_owned(), number.parse().ok()?, status.to_owned()))
    });
    lines.collect()
}

/// After a kill: nothing that was told of is lost or made again, and the run ends as it would have.
fn nothing_is_lost(sandbox: &Sandbox, killed: &Output, undisturbed: &Statuses, when: &str) {
    let (told, recorded) = (told(killed), sandbox.recorded());
    for trial in &told {
        assert!(recorded.contains(trial), "{when}: {trial:?} was told of and is not on record: {recorded:?}");
    }
    let mut resumed = sandbox.holdpoint(&["run", "--resume", "latest", "-v", "--jobs", "2"]);
    if resumed.code == 2 && resumed.stderr.contains("no run is recorded here yet") {
        assert!(told.is_empty(), "{when}: its record is gone");
        resumed = sandbox.holdpoint(&RUN);
    }
    assert_eq!(resumed.code, 10, "{when}: {}", resumed.told());
    assert_eq!(&statuses(sandbox), undisturbed, "{when}");
    for (case, number, _) in &told {
        let again = format!("{case} (trial {number}): ");
        assert!(!resumed.stderr.contains(&again), "{when}: {again} was made again\n{}", resumed.told());
    }
    let runs = fs::read_dir(sandbox.project().join(".holdpoint/runs")).unwrap();
    for run in runs {
        let left: Vec<_> = fs::read_dir(run.unwrap().path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name == "state"), "{when}: {left:?}");
    }
}

fn afresh(sandbox: &Sandbox) {
    for folder in [".holdpoint", "reports"] {
        let _ = fs::remove_dir_all(sandbox.project().join(folder));
    }
}

#[test]
fn at_any_moment() {
    let sandbox = project();
    let began = Instant::now();
    sandbox.holdpoint(&RUN).expect(10);
    let took = began.elapsed();
    let undisturbed = statuses(&sandbox);
    // A linear congruential generator (Knuth's MMIX): the same moments each time, as shares of the run.
    let mut state: u64 = 20_260_301;
    let (mut cut_off, mut told_of) = (0, 0);
    for moment in 0..MOMENTS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let after = took.mul_f64((state >> 11) as f64 / (1_u64 << 53) as f64);
        afresh(&sandbox);
        let mut command = sandbox.holdpoint_command();
        let mut child = command.args(RUN).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(after);
        child.kill().unwrap();
        let killed = child.wait_with_output().unwrap();
        cut_off += u32::from(killed.status.signal().is_some());
        told_of += told(&killed).len();
        nothing_is_lost(&sandbox, &killed, &undisturbed, &format!("moment {moment}, after {after:?}"));
    }
    assert!(cut_off > MOMENTS / 2 && told_of > 0, "{cut_off} kills, {told_of} trials told of: they show nothing");
}

#[test]
fn before_every_durable_write() {
    let sandbox = project();
    sandbox.holdpoint(&RUN).expect(10);
    let undisturbed = statuses(&sandbox);
    assert!(Command::new("strace").arg("-V").output().is_ok(), "strace, which ./test installs, is not there");
    for (name, calls, most) in POINTS {
        let (mut cut_off, mut step) = (0, 1);
        let mut nth = 1;
        while nth <= most {
            afresh(&sandbox);
            let mut command = sandbox.command("strace");
            command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}")]);
            command.args(["-e", &format!("inject={calls}:signal=KILL:when={nth}")]);
            let killed = command.arg(env!("CARGO_BIN_EXE_holdpoint")).args(RUN).output().unwrap();
            let when = format!("{name}: {calls}, number {nth}");
            let signalled = killed.status.signal().is_some() || killed.status.code() == Some(137);
            if !signalled {
                assert_eq!(killed.status.code(), Some(10), "{when}: {}", String::from_utf8_lossy(&killed.stderr));
                break;
            }
            cut_off += 1;
            nothing_is_lost(&sandbox, &killed, &undisturbed, &when);
            // The first calls are each a place of their own; later ones repeat them for further trials.
            if nth >= 6 {
                step += 1;
            }
            nth += step;
        }
        assert!(cut_off > 0, "{name}: no call of {calls} was met");
    }
}
