//! What a person sees: a bar on a terminal, plain lines elsewhere, colour where it is wanted, and what to do next.

use crate::sandbox::Sandbox;
use crate::small_project::{FILES, WORKFLOW, accepted_project, case};

/// A project whose cases take long enough to be watched.
fn slow_project() -> Sandbox {
    let sandbox = Sandbox::with_files(&FILES);
    sandbox.write("workflow.sh", &format!("sleep 0.2\n{WORKFLOW}"));
    for number in 0..6 {
        sandbox.write(&format!("cases/action/c{number}.yaml"), &case(&format!("c{number}"), "Good morning"));
    }
    sandbox
}

/// Runs it on a terminal of its own, 80 columns wide; both streams come back as one.
fn on_a_terminal(sandbox: &Sandbox, arguments: &str, variables: &[(&str, &str)]) -> String {
    let line = format!("stty cols 80; {} {arguments}", env!("CARGO_BIN_EXE_holdpoint"));
    let mut command = sandbox.command("script");
    command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]).env("TERM", "xterm");
    sandbox.ran(command.envs(variables.iter().copied())).stdout
}

#[test]
fn a_terminal_shows_a_bar_that_is_rewritten_and_gone_in_the_end() {
    let shown = on_a_terminal(&slow_project(), "run --all --jobs 1", &[]);
    assert!(shown.contains("\r\u{1b}[K[##"), "{shown:?}");
    assert!(shown.contains(" of 7 trials, "), "{shown:?}");
    let after = shown.rsplit("\r\u{1b}[K").next().unwrap();
    assert!(after.contains(" of 7 cases passed"), "the summary stands on a clean line: {shown:?}");
}

#[test]
fn a_terminal_that_cannot_rewrite_gets_no_bar() {
    let shown = on_a_terminal(&slow_project(), "run --all --jobs 1", &[("TERM", "dumb")]);
    assert!(!shown.contains("\u{1b}[K"), "{shown:?}");
}

#[test]
fn colour_comes_where_it_is_wanted_and_nowhere_else() {
    let sandbox = accepted_project();
    let coloured = |text: &str| text.contains("\u{1b}[1m") || text.contains("\u{1b}[32m");
    assert!(!coloured(&sandbox.holdpoint(&["gate", "--all"]).stdout), "no terminal");
    assert!(coloured(&sandbox.holdpoint(&["--color", "always", "gate", "--all"]).stdout), "asked for");
    assert!(coloured(&on_a_terminal(&sandbox, "gate --all", &[])), "a terminal");
    assert!(!coloured(&on_a_terminal(&sandbox, "gate --all", &[("NO_COLOR", "1")])), "NO_COLOR");
    assert!(!coloured(&on_a_terminal(&sandbox, "--color never gate --all", &[])), "refused");
}

#[test]
fn a_terminal_gets_no_line_broken_within_a_word() {
    let sandbox = accepted_project();
    sandbox.edit("prompts/greeting.txt", "morning", "evening");
    let shown = on_a_terminal(&sandbox, "--color never --quiet gate", &[]);
    let prose = shown.lines().map(str::trim_end).filter(|line| !line.trim_start().starts_with("holdpoint "));
    let long: Vec<&str> = prose.filter(|line| line.len() > 80 && line.trim_start().contains(' ')).collect();
    assert!(shown.contains("Regressions (1)") && long.is_empty(), "{long:#?}");
    let piped = sandbox.holdpoint(&["--quiet", "gate"]).expect(10).stdout;
    assert!(piped.lines().any(|line| line.len() > 80), "where there is no terminal nothing is broken");
    assert!(shown.lines().count() > piped.lines().count(), "and here something was: {shown}");
}

#[test]
fn failures_are_told_in_full_and_the_last_lines_say_what_to_do() {
    let sandbox = accepted_project();
    for number in 0..30 {
        sandbox.write(&format!("cases/action/c{number}.yaml"), &case(&format!("c{number}"), "Good"));
    }
    sandbox.edit("prompts/greeting.txt", "morning", "evening");
    let told = sandbox.holdpoint(&["gate"]).expect(10).stdout;
    assert!(told.contains("30 of 31 cases passed"), "{told}");
    assert!(!told.contains("c17"), "a pass is only counted: {told}");
    assert!(told.contains("Good morning") && told.contains("Good evening"), "{told}");
    let (_, last) = told.split_once("\nNext\n").unwrap();
    assert!(
        last.contains("Repair 1 regression") && told.trim_end().lines().last().unwrap().starts_with("Report: "),
        "{told}"
    );
}
