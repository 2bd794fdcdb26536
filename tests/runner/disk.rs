//! A disk that is full, a folder that cannot be written, a folder that is taken away: a clear error and nothing half.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};
use crate::scene::project;

/// Sets the largest size that a file may have, has the system answer with an error instead of a signal, and goes on as
/// the program that is named.
const LIMITED: &str = "\
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
os.execv(sys.argv[2], sys.argv[2:])
";

/// Runs the binary where no file can grow beyond so many bytes, as on a disk with no more room.
fn with_room_for(sandbox: &Sandbox, bytes: u32, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command("python3");
    command.args(["-c", LIMITED, &bytes.to_string(), env!("CARGO_BIN_EXE_holdpoint")]);
    sandbox.ran(command.args(arguments))
}

/// Twenty cases with long answers, of which the last one fails.
fn talkative() -> Sandbox {
    let ids: Vec<String> = (0..20).map(|number| format!("c{number:02}")).collect();
    let mut cases: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), "Hello")).collect();
    cases[19].1 = "Bad";
    let sandbox = project(&cases);
    sandbox.edit("workflow.sh", "cat prompts", "head -c 30000 /dev/zero | tr '\\0' x\ncat prompts");
    sandbox.commit("talk");
    sandbox
}

/// Every file below `reports` that is there under its own name reads as a whole.
fn no_half_report(sandbox: &Sandbox) {
    for (path, content) in sandbox.contents("reports") {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => drop(serde_json::from_slice::<Value>(&content).unwrap()),
            Some("html") => assert!(content.trim_ascii_end().ends_with(b"</html>"), "{}", path.display()),
            Some("xml") => assert!(content.trim_ascii_end().ends_with(b"</testsuites>"), "{}", path.display()),
            _ => {}
        }
    }
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing_that_was_recorded() {
    let sandbox = talkative();
    let ran = with_room_for(&sandbox, 500_000, &["run", "--all", "--jobs", "1", "-v"]).expect(1);
    assert!(ran.stderr.contains("run.sqlite: ") && ran.stderr.contains("Make room"), "{}", ran.told());
    no_half_report(&sandbox);
    let told = ran.stderr.matches(" (trial 1): ").count();
    assert!(told > 0 && told < 20, "{told} of 20 were told of");
    assert_eq!(sandbox.runs_of("c19"), 0, "what cannot be recorded is not worth running");
    let resumed = sandbox.holdpoint(&["run", "--resume", "latest", "-v"]).expect(10);
    assert_eq!(resumed.stderr.matches(" (trial 1): ").count(), 20 - told, "{}", resumed.told());
    assert_eq!(sandbox.report()["counts"]["passed"], 19);
}

#[test]
fn a_disk_without_any_room_is_found_before_anything_runs() {
    let sandbox = talkative();
    let ran = with_room_for(&sandbox, 1_000, &["run", "--all"]).expect(1);
    assert!(ran.stderr.contains(".holdpoint/"), "{}", ran.told());
    assert_eq!(sandbox.runs_of("c00"), 0);
}

/// As somebody who owns nothing here: the permissions of a folder do not bind root.
fn as_nobody(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let binary = env!("CARGO_BIN_EXE_holdpoint");
    let mut command = if root {
        let mut command = sandbox.command("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", binary]);
        command
    } else {
        sandbox.command(binary)
    };
    sandbox.ran(command.args(arguments))
}

#[test]
fn a_folder_that_cannot_be_written_is_found_before_anything_runs() {
    for folder in ["reports", ".holdpoint/runs", ".holdpoint"] {
        let sandbox = project(&[("a-good", "Hello")]);
        let set = |path: &str, mode: u32| {
            fs::set_permissions(sandbox.project().join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        set("..", 0o777);
        for writable in ["reports", ".holdpoint", ".holdpoint/runs"] {
            fs::create_dir_all(sandbox.project().join(writable)).unwrap();
            set(writable, 0o777);
        }
        set(folder, 0o555);
        let ran = as_nobody(&sandbox, &["run", "--all"]).expect(1);
        assert!(ran.stderr.contains(folder), "{folder}: {}", ran.told());
        assert_eq!(sandbox.runs_of("a-good"), 0, "{folder}: it ran all the same");
        set(folder, 0o777);
    }
}

#[test]
fn a_folder_that_is_taken_away_while_the_run_goes_on_leaves_no_verdict() {
    for (taken, said) in [(".holdpoint/runs", "was taken away while the run went on"), ("reports", "reports/")] {
        let sandbox = project(&[("a-good", "Hello"), ("b-taker", "Hello"), ("c-good", "Hello")]);
        sandbox.edit(
            "workflow.sh",
            "case \"$asked\"",
            &format!("case \"$id\" in b-taker*) rm -rf {taken} ;; esac\ncase \"$asked\""),
        );
        sandbox.commit("take away");
        let ran = sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(1);
        assert!(ran.stderr.contains(said), "{}", ran.told());
        let hint = if taken == "reports" { "made anew" } else { "begin a new run" };
        assert!(ran.stderr.contains(hint) && !ran.stderr.contains("Make room"), "{}", ran.told());
        no_half_report(&sandbox);
        if taken == "reports" {
            // The record is whole: the report is made of it.
            sandbox.holdpoint(&["run", "--resume", "latest"]).expect(0);
            assert_eq!(sandbox.runs_of("a-good"), 1);
        }
    }
}

const NO_DATABASE: &str = "no database at all, though it is long enough to be looked at as one, were it only one";

#[test]
fn a_damaged_file_says_what_it_held_and_what_may_be_done_with_it() {
    let sandbox = project(&[("a-good", "Hello")]);
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    sandbox.write(&format!(".holdpoint/runs/{}/run.sqlite", sandbox.latest_run()), NO_DATABASE);
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(1).says("A run's record cannot be mended");
    sandbox.holdpoint(&["runs"]).expect(0).says("A run's record cannot be mended");
    sandbox.write(".holdpoint/history.sqlite", NO_DATABASE);
    let ran = sandbox.holdpoint(&["run", "--all"]).expect(1).says("Delete history.sqlite");
    assert!(!ran.stderr.contains("Make room"), "{}", ran.told());
    for file in ["history.sqlite", "history.sqlite-wal", "history.sqlite-shm"] {
        let _ = fs::remove_file(sandbox.project().join(".holdpoint").join(file));
    }
    sandbox.holdpoint(&["run", "--all"]).expect(0);
}

#[test]
fn a_project_that_is_only_to_be_read_can_be_planned_and_listed() {
    let sandbox = project(&[("a-good", "Hello")]);
    let set = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&sandbox.project().join(".."), 0o777);
    for recorded in [false, true] {
        let mut folders = vec![sandbox.project()];
        if recorded {
            sandbox.holdpoint(&["run", "--all"]).expect(0);
            let run = sandbox.latest_run();
            let inside = [".holdpoint".to_owned(), ".holdpoint/runs".to_owned(), format!(".holdpoint/runs/{run}")];
            folders.extend(inside.map(|folder| sandbox.project().join(folder)));
        }
        folders.iter().for_each(|folder| set(folder, 0o555));
        let ran = ["plan", "check", "runs"].map(|command| as_nobody(&sandbox, &[command]));
        let listed = as_nobody(&sandbox, &["case", "list"]);
        folders.iter().for_each(|folder| set(folder, 0o755));
        for ran in ran.into_iter().chain([listed]) {
            let told = ran.told();
            ran.expect(0);
            assert!(!told.contains("unable to open"), "{told}");
        }
        assert!(recorded || !sandbox.project().join(".holdpoint").exists(), "whoever only plans makes nothing");
    }
}
