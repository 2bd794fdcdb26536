//! Ways that touch the accepted results themselves.

use std::fs;
use std::path::PathBuf;

use crate::desk::Desk;
use crate::way::{Way, play};

/// The files of the ledger below this folder of it, without the hidden ones.
fn ledger(desk: &Desk, folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(desk.sandbox.project().join("baselines").join(folder)).unwrap();
    let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut files: Vec<PathBuf> =
        files.filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.')).collect();
    files.sort();
    assert!(!files.is_empty(), "nothing was accepted");
    files
}

/// Replaces a passage of every file in this folder of the ledger that has it.
fn edit(desk: &Desk, folder: &str, from: &str, to: &str) {
    let mut edited = 0;
    for file in ledger(desk, folder) {
        let text = fs::read_to_string(&file).unwrap();
        edited += usize::from(text.contains(from));
        fs::write(&file, text.replace(from, to)).unwrap();
    }
    assert!(edited > 0, "no file of `{folder}` has `{from}`");
}

/// The digest of the newest record.
fn head(desk: &Desk) -> String {
    let listed = desk.sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
    listed["records"][0]["digest"].as_str().unwrap().to_owned()
}

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "edits a record so that the case was always failing",
        play: |desk| {
            desk.open_two();
            edit(desk, "", "\"status\":\"passed\"", "\"status\":\"failed\"");
            desk.gate_change()
        },
        ends: 12,
        says: "was changed after acceptance",
    },
    Way {
        trick: "edits a record and names its file after the new content",
        play: |desk| {
            desk.open_two();
            edit(desk, "", "\"status\":\"passed\"", "\"status\":\"failed\"");
            let file = ledger(desk, "").remove(0);
            let ran = desk.sandbox.ran(desk.sandbox.command("sha256sum").arg(&file));
            let name = format!("{}.json", ran.stdout.split_whitespace().next().unwrap());
            fs::rename(&file, file.with_file_name(name)).unwrap();
            desk.gate_change()
        },
        ends: 12,
        says: "an earlier commit has it, and it was taken away since",
    },
    Way {
        trick: "edits an accepted part, so that the change is none",
        play: |desk| {
            desk.be_rude();
            edit(desk, "parts", "greeting", "greating");
            desk.gate_here()
        },
        ends: 12,
        says: "was changed after acceptance",
    },
    Way {
        trick: "edits an accepted answer, so that both sides of the report look alike",
        play: |desk| {
            desk.be_rude();
            edit(desk, "outputs", "Good morning", "Go away");
            desk.gate_here()
        },
        ends: 12,
        says: "was changed after acceptance",
    },
    Way {
        trick: "deletes the newest record",
        play: |desk| {
            desk.open_two();
            fs::remove_file(ledger(desk, "").pop().unwrap()).unwrap();
            desk.gate_here()
        },
        ends: 12,
        says: "an earlier commit has it, and it was taken away since",
    },
    Way {
        trick: "deletes the newest record, commits that, and goes on committing",
        play: |desk| {
            desk.open_two();
            fs::remove_file(ledger(desk, "").pop().unwrap()).unwrap();
            desk.commit();
            desk.write("README.md", "A desk, still.\n");
            desk.gate_change()
        },
        ends: 12,
        says: "If a commit took them away, restore them from the one before it.",
    },
    Way {
        trick: "deletes the whole folder of accepted results, and no longer requires any",
        play: |desk| {
            desk.open_two();
            fs::remove_dir_all(desk.sandbox.project().join("baselines")).unwrap();
            desk.edit("holdpoint.yaml", "gate: {", "gate: {require_baseline: false, ");
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "at_least: 1");
            desk.gate_change()
        },
        ends: 12,
        says: "an earlier commit has it, and it was taken away since",
    },
    Way {
        trick: "has git ignore the folder of accepted results and deletes it",
        play: |desk| {
            desk.open_two();
            desk.write(".gitignore", "reports/\n.holdpoint/\nbaselines/\n");
            fs::remove_dir_all(desk.sandbox.project().join("baselines")).unwrap();
            desk.gate_here()
        },
        ends: 12,
        says: "an earlier commit has it, and it was taken away since",
    },
    Way {
        trick: "makes the whole chain anew in a new repository, where someone noted the head",
        play: |desk| {
            let noted = head(desk);
            for folder in [".git", "baselines"] {
                fs::remove_dir_all(desk.sandbox.project().join(folder)).unwrap();
            }
            desk.sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
            desk.open_two();
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "at_least: 1");
            desk.commit();
            desk.gate_here().expect(12);
            desk.sandbox.accept();
            desk.gate_here().expect(0);
            desk.sandbox.holdpoint(&["baseline", "verify", "--head", &noted]).expect(12);
            desk.gate(&["--expect-head", &noted])
        },
        ends: 12,
        says: "was expected and is not there",
    },
    Way {
        trick: "puts a link to other results where the folder was",
        play: |desk| {
            desk.open_two();
            let folder = desk.sandbox.project().join("baselines");
            fs::rename(&folder, desk.sandbox.project().join("elsewhere")).unwrap();
            std::os::unix::fs::symlink("elsewhere", folder).unwrap();
            desk.gate_here()
        },
        ends: 12,
        says: "symbolic link",
    },
    Way {
        trick: "writes a record in a format of the future",
        play: |desk| {
            desk.open_two();
            let text = "{\"schema\":\"holdpoint.baseline/3\"}";
            desk.write("record", text);
            let ran = desk.sandbox.ran(desk.sandbox.command("sha256sum").arg("record"));
            let name = ran.stdout.split_whitespace().next().unwrap().to_owned();
            desk.remove("record");
            desk.write(&format!("baselines/{name}.json"), text);
            desk.gate_change()
        },
        ends: 12,
        says: "its format is `holdpoint.baseline/3`, and this holdpoint reads up to `holdpoint.baseline/2`",
    },
    Way {
        trick: "writes a record by hand that accepts everything",
        play: |desk| {
            desk.open_two();
            desk.write("baselines/accepted.json", "{}");
            desk.gate_change()
        },
        ends: 12,
        says: "its name is no digest",
    },
    Way {
        trick: "revokes the acceptance, so that nothing is in force",
        play: |desk| {
            desk.open_two();
            desk.edit("holdpoint.yaml", "gate: {", "gate: {require_baseline: false, ");
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "at_least: 1");
            let who = ["--by", "M. Allory", "--reason", "not needed"];
            desk.sandbox.holdpoint(&[&["baseline", "revoke", &head(desk)][..], &who].concat()).expect(0);
            desk.gate_change()
        },
        ends: 12,
        says: "no accepted result is in force any more, and the project requires a baseline",
    },
    Way {
        trick: "merges a branch that accepted the defect into one that accepted something else",
        play: |desk| {
            desk.sandbox.git(&["switch", "--quiet", "--create", "side"]);
            desk.open_two();
            desk.gate_change().expect(10);
            desk.accept(&[]).expect(0);
            desk.commit();
            desk.sandbox.git(&["switch", "--quiet", "main"]);
            desk.write("desk.sh", &format!("{}# honest\n", crate::desk::DESK));
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "at_most: 1");
            desk.gate_change().expect(0);
            desk.accept(&[]).expect(0);
            desk.commit();
            desk.sandbox.git(&["merge", "--quiet", "--no-edit", "--strategy-option", "theirs", "side"]);
            let verified = desk.sandbox.holdpoint(&["baseline", "verify"]).expect(0);
            assert!(verified.stdout.contains("nobody settled it since: "), "{}", verified.told());
            desk.sandbox.holdpoint(&["baseline", "show", "one-ticket"]).expect(0).says("disputed: record");
            desk.gate(&["--base", "HEAD~1"])
        },
        ends: 10,
        says: "two branches accepted 1 case differently: accept one of them (one-ticket)",
    },
];

#[test]
fn the_accepted_results_themselves() {
    play(&Desk::honest(), WAYS);
}
