//! What completes a command line, sourced by the shells themselves.

use crate::sandbox::Sandbox;

/// What a shell says to this, once it has read the script that is printed for it; it must have nothing to complain of.
fn said(shell: &[&str], script: &str) -> String {
    let sandbox = Sandbox::empty();
    let printed = sandbox.holdpoint(&["completions", shell[0]]).expect(0).stdout;
    sandbox.write("script", &printed);
    let ran = sandbox.ran(sandbox.command(shell[0]).args(&shell[1..]).args(["-c", script])).expect(0);
    assert_eq!(ran.stderr, "", "{}", ran.told());
    ran.stdout
}

#[test]
fn bash_completes_commands_options_and_kinds_of_file() {
    let complete = |words: &str| {
        let script = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _holdpoint holdpoint \
             \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        said(&["bash", "--norc"], &script).trim().to_owned()
    };
    assert_eq!(complete("holdpoint exer"), "exercise");
    assert_eq!(complete("holdpoint case list --se"), "--sets");
    assert_eq!(complete("holdpoint schema evaluation"), "evaluation-plan");
    assert_eq!(complete("holdpoint run --set dupl"), "duplicate");
}

#[test]
fn fish_completes_commands_options_and_kinds_of_file() {
    let complete = |line: &str| {
        let offered = said(&["fish", "--no-config"], &format!("source script; complete -C '{line}'"));
        offered.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(complete("holdpoint exer"), ["exercise"]);
    assert_eq!(complete("holdpoint case list --se"), ["--sets"]);
    assert_eq!(complete("holdpoint schema evaluation"), ["evaluation-plan"]);
    assert_eq!(complete("holdpoint completions el"), ["elvish"]);
}

/// Its completion runs in its line editor alone, so what is asked is what it has taken in.
#[test]
fn zsh_takes_the_script_in_for_the_command() {
    let script = "autoload -Uz compinit && compinit -D -u && source ./script && print ${_comps[holdpoint]} && functions _holdpoint";
    let taken_in = said(&["zsh", "-f"], script);
    assert_eq!(taken_in.lines().next(), Some("_holdpoint"));
    for word in ["--sets", "evaluation-plan"] {
        assert!(taken_in.contains(word), "{word} in {taken_in}");
    }
}
