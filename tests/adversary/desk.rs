//! The honest project: a desk that greets and opens one ticket, with its cases, each way of judging one, and an accepted
//! baseline.

use std::fs;

use crate::sandbox::{Ran, Sandbox, copy_folder};
use crate::way::{Way, first_screen, play};

/// The project file.
pub(crate) const PROJECT: &str = "\
schema: holdpoint.project/1
name: desk
workflows:
  desk:
    command: {run: [sh, desk.sh]}
    parts: [greeting]
    code: [desk.sh]
probes:
  tickets: {file: {path: tickets.jsonl, if_missing: empty}}
inert: [README.md, .gitignore]
gate: {uncovered_is_inconclusive: false}
";

/// Opens a ticket and greets.
pub(crate) const DESK: &str = "\
invocation=$(cat)
echo '{\"customer\": \"K-1\"}' >> \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"
cat greeting.txt
";

/// Judges whether an answer is polite, by words that stand in another file.
pub(crate) const JUDGE: &str = "\
. judges/words.sh
if grep -q \"$polite\"; then echo '{\"pass\": true}'; else echo '{\"pass\": false}'; fi
";

/// The one line of the honest answer, a number of days.
pub(crate) const GREETING: &str = "Good morning, you have 30 days\n";

/// What the adversary wants to get past the gate.
pub(crate) const RUDE: &str = "Go away, take 30 days\n";

const FILES: [(&str, &str); 13] = [
    ("holdpoint.yaml", PROJECT),
    ("manifests/greeting.yaml", "id: greeting\nkind: prompt\nversion: \"1\"\nfiles: [greeting.txt]\n"),
    ("greeting.txt", GREETING),
    ("desk.sh", DESK),
    ("judges/polite.sh", JUDGE),
    ("judges/words.sh", "polite='you have'\n"),
    (".gitignore", "reports/\n.holdpoint/\n"),
    ("README.md", "A desk.\n"),
    (
        GREETS,
        "id: greets\ntitle: It greets, in few words\nworkflow: desk\ninput: {}\nexpect:\n  - contains: Good morning\n  - length: {at_most: 40}\n",
    ),
    (
        "cases/policy_accuracy/steady.yaml",
        "id: steady\ntitle: It always greets\nworkflow: desk\ntrials: 3\ninput: {}\nexpect:\n  - contains: Good morning\n",
    ),
    (
        "cases/policy_accuracy/polite.yaml",
        "id: polite\ntitle: It is polite\nworkflow: desk\ninput: {}\nexpect:\n  - command: {run: [sh, judges/polite.sh]}\n",
    ),
    (
        "cases/missing_availability/quiet.yaml",
        "id: quiet\ntitle: It sends nobody away\nworkflow: desk\ninput: {}\nexpect:\n  - not: {contains: Go away}\n",
    ),
    (
        "cases/duplicate/one-ticket.yaml",
        "id: one-ticket\ntitle: One ticket is opened\nworkflow: desk\ninput: {}\nexpect:\n  - effects: {probe: tickets, count: 1}\n",
    ),
];

/// The file of the case that expects a greeting.
pub(crate) const GREETS: &str = "cases/policy_accuracy/greets.yaml";

/// A project in a repository of its own.
pub(crate) struct Desk {
    pub(crate) sandbox: Sandbox,
}

impl Desk {
    /// The honest project, accepted and committed.
    pub(crate) fn honest() -> Self {
        let desk = Self { sandbox: Sandbox::with_files(&FILES) };
        desk.sandbox.measure_and_accept();
        desk
    }

    /// The honest project with further files or other ones.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let desk = Self { sandbox: Sandbox::with_files(&FILES) };
        files.iter().for_each(|(path, text)| desk.write(path, text));
        desk.sandbox.commit("set up");
        desk.sandbox.measure_and_accept();
        desk
    }

    /// The same, apart.
    pub(crate) fn copy(&self) -> Self {
        let sandbox = Sandbox::empty();
        fs::remove_dir_all(sandbox.project()).unwrap();
        copy_folder(&self.sandbox.project(), &sandbox.project());
        Self { sandbox }
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        self.sandbox.write(path, text);
    }

    /// Replaces a passage that must be there.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        self.sandbox.edit(path, from, to);
    }

    /// Takes a file away.
    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.sandbox.project().join(path)).unwrap();
    }

    /// Makes the answer rude: what every case but that of the ticket would notice.
    pub(crate) fn be_rude(&self) {
        self.write("greeting.txt", RUDE);
    }

    /// Opens a second ticket: what one case would notice.
    pub(crate) fn open_two(&self) {
        let line = DESK.lines().nth(1).unwrap();
        self.edit("desk.sh", line, &format!("{line}\n{line}"));
    }

    /// Commits all that was done, as one change.
    pub(crate) fn commit(&self) {
        self.sandbox.commit("a change");
    }

    /// Runs the gate with these further arguments. What an earlier gate reported is out of the way.
    pub(crate) fn gate(&self, arguments: &[&str]) -> Ran {
        let latest = self.sandbox.project().join("reports/latest");
        if latest.is_symlink() {
            fs::remove_file(latest).unwrap();
        }
        self.sandbox.holdpoint(&[&["gate"], arguments].concat())
    }

    /// Commits all that was done and holds it against the commit before it, as CI does.
    pub(crate) fn gate_change(&self) -> Ran {
        self.commit();
        self.gate(&["--base", "HEAD~1"])
    }

    /// Runs the gate against what was accepted, on what lies in the folder.
    pub(crate) fn gate_here(&self) -> Ran {
        self.gate(&[])
    }

    /// Accepts the newest run, with these further arguments.
    pub(crate) fn accept(&self, arguments: &[&str]) -> Ran {
        let run = self.sandbox.latest_run();
        let who = ["--by", "M. Allory", "--reason", "looks right"];
        self.sandbox.holdpoint(&[&["baseline", "accept", &run], arguments, &who].concat())
    }
}

/// Without any trick each defect is red: what the ways hide is really there.
const DEFECTS: [Way; 2] = [
    Way {
        trick: "a rude answer, and no trick at all",
        play: |desk| {
            desk.be_rude();
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "a second ticket, and no trick at all",
        play: |desk| {
            desk.open_two();
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
];

#[test]
fn the_honest_project_is_green_and_each_defect_is_red() {
    let desk = Desk::honest();
    for arguments in [&[][..], &["--all"], &["--base", "HEAD"]] {
        desk.gate(arguments).expect(0);
    }
    let screen = first_screen(&desk).unwrap();
    assert!(screen.contains("Passed"), "{screen}");
    play(&desk, &DEFECTS);
}
