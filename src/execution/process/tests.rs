//! Tests with real programs, the hostile ones above all.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};

use super::*;

/// A timeout that no well-behaved program here comes near.
const LONG: Duration = Duration::from_secs(60);

/// A timeout for programs that would never end by themselves.
const SHORT: Duration = Duration::from_millis(400);

struct Bench {
    folder: tempfile::TempDir,
    cancellation: Cancellation,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), cancellation: Cancellation::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, program: &str, script: &str, input: &[u8], timeout: Duration, output_cap: usize) -> Finished {
        let mut command = Command::new(program);
        command.arg("-c").arg(script).current_dir(self.folder.path());
        run(command, input, &Limits { timeout, output_cap, cancellation: &self.cancellation }).unwrap()
    }

    fn sh(&self, script: &str) -> Finished {
        self.run("sh", script, b"", LONG, 1000)
    }

    /// The process whose number a script wrote into this file.
    fn process(&self, name: &str) -> u32 {
        std::fs::read_to_string(self.path(name)).unwrap().trim().parse().unwrap()
    }
}

fn exit_code(finished: &Finished) -> Option<i32> {
    match finished.end {
        End::Exited(status) => status.code(),
        _ => None,
    }
}

/// Whether a process is still running: a zombie that nobody has collected yet is not.
fn is_running(process: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    status.is_ok_and(|status| {
        !matches!(status.rsplit(')').next().and_then(|rest| rest.trim().chars().next()), Some('Z' | 'X'))
    })
}

/// Waits until a killed process is gone, which is the kernel's to do; fails only where it never goes.
fn assert_gone(process: u32) {
    let gone = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !is_running(process)
    });
    assert!(gone, "process {process} is still running");
}

#[test]
fn input_goes_in_and_both_streams_come_out() {
    let finished = Bench::new().run("sh", "cat; echo diagnostics >&2; exit 3", b"input", LONG, 1000);
    assert_eq!((exit_code(&finished), finished.stdout.as_slice()), (Some(3), b"input".as_slice()));
    assert_eq!(finished.stderr, "diagnostics\n");
    assert!(!finished.held_open);
}

#[test]
fn input_and_output_larger_than_any_pipe_do_not_block_each_other() {
    let input: Vec<u8> = (0..4_000_000_u32).map(|n| b'a' + (n % 26) as u8).collect();
    let finished = Bench::new().run("sh", "cat", &input, LONG, input.len());
    assert_eq!(exit_code(&finished), Some(0));
    assert!(finished.stdout == input);
}

#[test]
fn a_program_that_never_reads_its_input_is_in_its_good_right() {
    let input = vec![b'x'; 1_000_000];
    for script in ["echo done", "exec <&-; sleep 0.1; echo done"] {
        let finished = Bench::new().run("sh", script, &input, LONG, 1000);
        assert_eq!((exit_code(&finished), finished.stdout.as_slice()), (Some(0), b"done\n".as_slice()), "{script}");
    }
}

#[test]
fn a_program_that_prints_nothing_has_printed_nothing() {
    let finished = Bench::new().sh("exit 0");
    assert_eq!((exit_code(&finished), finished.stdout.len(), finished.stderr.len()), (Some(0), 0, 0));
}

#[test]
fn a_program_that_closed_its_streams_is_waited_for() {
    let bench = Bench::new();
    let finished = bench.sh("exec >&- 2>&-; sleep 0.3; : > done; exit 5");
    assert_eq!(exit_code(&finished), Some(5));
    assert!(bench.path("done").exists());
}

#[test]
fn a_signal_is_told_apart_from_an_exit_code() {
    let finished = Bench::new().sh("kill -KILL $$");
    let End::Exited(status) = finished.end else { panic!("{:?}", finished.end) };
    assert_eq!((status.code(), status.signal()), (None, Some(9)));
}

#[test]
fn a_program_that_runs_too_long_ends_with_all_its_children() {
    let bench = Bench::new();
    let script = "sleep 600 & echo $! > child; echo $$ > self; echo begun; wait";
    let finished = bench.run("sh", script, b"", SHORT, 1000);
    assert_eq!((finished.end, finished.stdout.as_slice()), (End::TimedOut, b"begun\n".as_slice()));
    assert_gone(bench.process("self"));
    assert_gone(bench.process("child"));
}

#[test]
fn a_program_may_clean_up_when_it_is_told_to_end() {
    let bench = Bench::new();
    let finished = bench.run("sh", "trap ': > cleaned; exit 0' TERM; while :; do sleep 0.05; done", b"", SHORT, 1000);
    assert_eq!(finished.end, End::TimedOut);
    assert!(bench.path("cleaned").exists());
}

#[test]
fn a_program_that_ignores_the_request_to_end_is_killed() {
    let bench = Bench::new();
    let script = "trap '' TERM; echo $$ > self; (trap '' TERM; echo stubborn; sleep 600) & echo $! > child; while :; do sleep 1; done";
    let finished = bench.run("sh", script, b"", SHORT, 1000);
    assert_eq!(finished.end, End::TimedOut);
    assert_gone(bench.process("self"));
    assert_gone(bench.process("child"));
}

#[test]
fn an_output_of_exactly_the_cap_is_whole_and_one_byte_more_is_too_much() {
    let bench = Bench::new();
    let finished = bench.run("sh", "printf 12345", b"", LONG, 5);
    assert_eq!((exit_code(&finished), finished.stdout.as_slice()), (Some(0), b"12345".as_slice()));
    let finished = bench.run("sh", "printf 123456", b"", LONG, 5);
    assert_eq!((finished.end, finished.stdout.as_slice()), (End::OutputCap, b"12345".as_slice()));
}

#[test]
fn a_program_that_prints_without_end_is_ended() {
    let bench = Bench::new();
    let finished =
        bench.run("sh", "echo $$ > self; trap '' TERM PIPE; while :; do echo spam; done", b"", LONG, 100_000);
    assert_eq!((finished.end, finished.stdout.len()), (End::OutputCap, 100_000));
    assert_gone(bench.process("self"));
}

#[test]
fn a_hundred_megabytes_are_not_kept() {
    let script = "import sys\nfor _ in range(100): sys.stdout.write('x' * 1_000_000)";
    let finished = Bench::new().run("python3", script, b"", LONG, 1_000_000);
    assert_eq!((finished.end, finished.stdout.len()), (End::OutputCap, 1_000_000));
}

#[test]
fn of_a_long_standard_error_the_end_is_kept_and_the_answer_stays_whole() {
    let script = "i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done >&2; echo answer";
    let finished = Bench::new().sh(script);
    assert_eq!((exit_code(&finished), finished.stdout.as_slice()), (Some(0), b"answer\n".as_slice()));
    assert!(finished.stderr.starts_with('[') && finished.stderr.ends_with("line 29999\n"));
    assert!(finished.stderr.len() < STDERR_CAP + 100);
}

#[test]
fn a_grandchild_that_holds_the_pipe_neither_hangs_the_trial_nor_survives_it() {
    let bench = Bench::new();
    let finished = bench.sh("sleep 600 & echo $! > child; echo answer");
    assert_eq!((exit_code(&finished), finished.stdout.as_slice()), (Some(0), b"answer\n".as_slice()));
    assert!(finished.held_open);
    assert_gone(bench.process("child"));
}

#[test]
fn a_grandchild_that_holds_no_pipe_does_not_survive_either() {
    let bench = Bench::new();
    let finished = bench.sh("sleep 600 >/dev/null 2>&1 </dev/null & echo $! > child; echo answer");
    assert_eq!((exit_code(&finished), finished.held_open), (Some(0), false));
    assert_gone(bench.process("child"));
}

#[test]
fn a_daemon_that_left_the_group_is_found_by_its_state_directory() {
    let bench = Bench::new();
    let script = "import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open('daemon', 'w').write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
while not os.path.exists('daemon') or not open('daemon').read(): time.sleep(0.01)
print('answer')";
    let mut command = Command::new("python3");
    let state_dir = bench.folder.path().canonicalize().unwrap();
    command.arg("-c").arg(script).current_dir(&state_dir).env(super::super::orphans::STATE_DIR_VARIABLE, &state_dir);
    let limits = Limits { timeout: LONG, output_cap: 1000, cancellation: &bench.cancellation };
    let finished = run(command, b"", &limits).unwrap();
    assert_eq!((exit_code(&finished), finished.stdout.as_slice()), (Some(0), b"answer\n".as_slice()));
    assert!(finished.held_open);
    assert!(is_running(bench.process("daemon")));
    super::super::orphans::end_orphans(&state_dir.join("other"), super::super::orphans::Spare::Nothing);
    assert!(is_running(bench.process("daemon")));
    super::super::orphans::end_orphans(&state_dir, super::super::orphans::Spare::Nothing);
    assert_gone(bench.process("daemon"));
}

#[test]
fn a_forced_cancellation_kills_at_once() {
    let bench = Bench::new();
    std::thread::scope(|scope| {
        let running =
            scope.spawn(|| bench.run("sh", "trap '' TERM; echo $$ > self; while :; do sleep 1; done", b"", LONG, 1000));
        while !std::fs::read_to_string(bench.path("self")).is_ok_and(|text| text.ends_with('\n')) {
            std::thread::sleep(Duration::from_millis(5));
        }
        bench.cancellation.request();
        std::thread::sleep(Duration::from_millis(50));
        assert!(is_running(bench.process("self")), "the first request leaves a trial in flight alone");
        bench.cancellation.request();
        assert_eq!(running.join().unwrap().end, End::Cancelled);
    });
    assert_gone(bench.process("self"));
}

#[test]
fn a_program_that_cannot_be_started_is_an_error() {
    let bench = Bench::new();
    let limits = Limits { timeout: LONG, output_cap: 1, cancellation: &bench.cancellation };
    assert!(run(Command::new(bench.path("nothing")), b"", &limits).is_err());
    assert!(run(Command::new(bench.folder.path()), b"", &limits).is_err());
}
