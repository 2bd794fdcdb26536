//! Ctrl-C, once and twice, over workflows that do not want to end: what is in flight is let go or is gone, with all that it
//! has started.

use std::fs;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::sandbox::Sandbox;
use crate::scene::{ended, project};

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ignores SIGTERM, as do the child that it has and the process that has left its group; ends by itself once the file `go` is there.
const STUBBORN: &str = r#"trap '' TERM INT
asked=$(cat)
id=${asked#*\"case\":\"}
echo "${id%%\"*}" >> ../log
sh -c "trap '' TERM; sleep 600; :" > /dev/null 2>&1 &
echo $! >> ../processes
setsid sh -c 'echo $$ >> ../processes; sleep 600; :' > /dev/null 2>&1 &
echo $$ >> ../processes
while [ "$(wc -l < ../processes)" -lt 3 ]; do sleep 0.05; done
touch started
while [ ! -e ../go ]; do sleep 0.1; done
cat prompts/greeting.txt
"#;

fn stubborn() -> Sandbox {
    let sandbox = project(&[("a", "Hello"), ("b", "Hello")]);
    sandbox.write("workflow.sh", STUBBORN);
    sandbox.edit("holdpoint.yaml", "    parts:", "    timeout_s: 3600\n    parts:");
    sandbox
}

/// Starts a run as the leader of a process group, as a shell does.
fn in_foreground(sandbox: &Sandbox) -> Child {
    sandbox.started(sandbox.holdpoint_command().args(["run", "--all", "--jobs", "1"]).process_group(0))
}

/// What a terminal does on Ctrl-C.
fn ctrl_c(sandbox: &Sandbox, run: &Child) {
    send(sandbox, run, "-INT");
}

/// Sends a signal to all that a terminal would send it to.
fn send(sandbox: &Sandbox, run: &Child, signal: &str) {
    sandbox.ran(sandbox.command("kill").args([signal, "--", &format!("-{}", run.id())])).expect(0);
}

/// Waits until the run has said this on its standard error.
fn says(run: &mut Child, text: &str) {
    let (mut said, mut byte) = (Vec::new(), [0]);
    let stderr = run.stderr.as_mut().unwrap();
    while !String::from_utf8_lossy(&said).contains(text) {
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "it ended with {}", String::from_utf8_lossy(&said));
        said.extend(byte);
    }
}

/// The processes that the workflow has told of.
fn processes(sandbox: &Sandbox) -> Vec<u32> {
    let told = fs::read_to_string(sandbox.project().join("../processes")).unwrap();
    told.lines().map(|line| line.parse().unwrap()).collect()
}

/// Whether a process still runs: one that is dead and not collected yet does not.
fn is_running(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit(')').next().and_then(|rest| rest.trim().chars().next()).is_some_and(|state| !"ZX".contains(state))
}

fn running(sandbox: &Sandbox) -> usize {
    processes(sandbox).into_iter().filter(|process| is_running(*process)).count()
}

#[track_caller]
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn once_lets_what_is_in_flight_finish_begins_nothing_more_and_writes_the_report() {
    let sandbox = stubborn();
    let mut run = in_foreground(&sandbox);
    ctrl_c(&sandbox, &run);
    says(&mut run, "Once more to stop at once.");
    assert_eq!(running(&sandbox), 3, "the first request leaves a trial in flight alone");
    sandbox.beside("go");
    ended(run).expect(130);
    assert_eq!((sandbox.status("a"), sandbox.recorded_trials()), ("passed".to_owned(), 1));
    assert_eq!(["a", "b"].map(|case| sandbox.runs_of(case)), [1, 0]);
    wait_until("something was left running", || running(&sandbox) == 0);
}

#[test]
fn twice_ends_the_trial_in_flight_with_all_that_it_started_and_writes_the_report() {
    let sandbox = stubborn();
    let mut run = in_foreground(&sandbox);
    assert_eq!((processes(&sandbox).len(), running(&sandbox)), (3, 3));
    ctrl_c(&sandbox, &run);
    // The system makes one of two signals of a kind, while the first is not heard yet.
    says(&mut run, "Once more to stop at once.");
    ctrl_c(&sandbox, &run);
    // It does not wait for the file that lets the workflow end.
    ended(run).expect(130).says("Stopping at once.");
    assert_eq!((sandbox.status("a"), sandbox.report()["exit_code"].clone()), ("errored".to_owned(), 130.into()));
    assert_eq!(["a", "b"].map(|case| sandbox.runs_of(case)), [1, 0]);
    wait_until("something was left running", || running(&sandbox) == 0);
}

#[test]
fn sigquit_once_is_as_ctrl_c_twice() {
    let sandbox = stubborn();
    let run = in_foreground(&sandbox);
    send(&sandbox, &run, "-QUIT");
    ended(run).expect(130).says("Stopping at once.");
    assert_eq!((sandbox.status("a"), sandbox.report()["exit_code"].clone()), ("errored".to_owned(), 130.into()));
    assert_eq!(["a", "b"].map(|case| sandbox.runs_of(case)), [1, 0]);
    wait_until("something was left running", || running(&sandbox) == 0);
}

#[test]
fn a_run_that_still_waits_for_its_files_is_ended_by_the_second_request() {
    let sandbox = project(&[("a", "Hello")]);
    sandbox.ran(sandbox.command("mkfifo").arg("../durations")).expect(0);
    let mut run = sandbox.holdpoint_command();
    run.args(["run", "--all", "--partition", "1/2", "--partition-by", "durations", "--durations", "../durations"]);
    let mut run = run.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // This goes on once the run has opened the pipe, and as long as it is held nothing comes and nothing ends.
    let held = fs::OpenOptions::new().write(true).open(sandbox.project().join("../durations")).unwrap();
    send(&sandbox, &run, "-TERM");
    says(&mut run, "Once more to stop at once.");
    send(&sandbox, &run, "-TERM");
    ended(run).expect(130).says("Stopping at once.");
    drop(held);
    assert_eq!(sandbox.runs_of("a"), 0);
}

#[test]
fn what_a_trial_leaves_running_and_hides_ends_with_it_and_is_told() {
    let sandbox = project(&[("a", "Hello"), ("b", "Hello")]);
    let leaves = "case \"$asked\" in *'\"a\"'*)\n  env -i setsid sh -c 'echo $$ > ../processes; sleep 600; :' < /dev/null > /dev/null 2>&1 &\n  \
                  while [ ! -s ../processes ]; do sleep 0.05; done ;;\nesac\ncat prompts/greeting.txt\n";
    sandbox.write("workflow.sh", &format!("asked=$(cat)\n{leaves}"));
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(0);
    assert_eq!((processes(&sandbox).len(), running(&sandbox)), (1, 0));
    assert!(sandbox.notes().contains("were killed after 1 trial, the first of case a:"), "{}", sandbox.notes());
}

#[test]
fn a_trial_that_takes_too_long_ends_with_all_that_it_started() {
    let sandbox = stubborn();
    sandbox.edit("holdpoint.yaml", "timeout_s: 3600", "timeout_s: 4");
    let run = in_foreground(&sandbox);
    ended(run).expect(11);
    assert_eq!((sandbox.status("a"), sandbox.status("b")), ("errored".to_owned(), "errored".to_owned()));
    assert!(processes(&sandbox).len() >= 3);
    wait_until("something was left running", || running(&sandbox) == 0);
}
