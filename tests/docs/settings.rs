//! Where the command lines are tried that a page names in passing: a ground for each group of them, and what each ends with.
//!
//! Whoever writes a command into a page puts it here, under the setting whose ground fits. What a page carries out from its
//! first command to its last (the tutorial, the pages of how-to, the import page, the ten lines of the first page) needs
//! no line here.

use std::fs;
use std::path::{Path, PathBuf};

use crate::page::{Act, acts, carry_out, run_line};

/// A ground, and what is tried on it, in this order.
pub(crate) struct Setting {
    /// What is there, for who reads that something failed.
    pub(crate) ground: &'static str,
    /// Lays it down in an empty folder.
    pub(crate) begin: fn(&Path),
    /// What is tried.
    pub(crate) said: &'static [Said],
}

/// A command line as pages say it, and as it is tried.
pub(crate) struct Said {
    /// The pages that say it.
    pub(crate) pages: &'static [&'static str],
    /// As it stands there.
    pub(crate) line: &'static str,
    tried: &'static str,
    /// The code that it ends with.
    pub(crate) ends: i32,
}

const fn said(pages: &'static [&'static str], line: &'static str) -> Said {
    Said { pages, line, tried: "", ends: 0 }
}

impl Said {
    /// The same line with its placeholders filled in, or in the middle of what makes it a whole.
    const fn tried(mut self, tried: &'static str) -> Self {
        self.tried = tried;
        self
    }

    const fn ends(mut self, code: i32) -> Self {
        self.ends = code;
        self
    }

    /// The line that a shell gets.
    pub(crate) fn run(&self) -> &'static str {
        if self.tried.is_empty() { self.line } else { self.tried }
    }
}

/// Commands that make no sense in a test, each with the reason. None of them is holdpoint's own.
pub(crate) const EXEMPT: &[(&str, &str)] = &[
    ("./test", "the tests would run themselves"),
    ("./bench", "it measures for minutes and wants the machine for itself"),
    ("./bench proxy", "it measures for minutes and wants the machine for itself"),
    (
        "cargo run --release -- gate",
        "it builds the whole program anew; the gate of this repository is run by tests/end_to_end",
    ),
    (
        "cargo install --locked --path .",
        "it builds the whole program anew, and changes what is on the PATH of whoever runs the tests",
    ),
    ("cargo nextest run --test practice", "the tests would run themselves"),
    (
        "pip install duckdb-extension-sqlite-scanner",
        "./test does it once, at a fixed version, and tests/partition loads what it brought",
    ),
];

/// Every setting.
pub(crate) const SETTINGS: &[Setting] =
    &[NOTHING, LEDGER, DESK, RESUMED, HELD, DESK_WHOLE, DESK_CHANGED, PARTS, BUYER, R618, CHECKOUT, COPY];

/// Carries the setting out, and says of each line that ended otherwise on which pages it stands.
#[track_caller]
fn try_out(setting: &Setting) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    fs::create_dir(&project).unwrap();
    (setting.begin)(&project);
    let mut wrong = Vec::new();
    for said in setting.said {
        let (code, told) = run_line(said.run(), &project);
        if code != Some(said.ends) {
            let pages = said.pages.join(", ");
            let (line, run, ends) = (said.line, said.run(), said.ends);
            wrong.push(format!(
                "{pages}: `{line}`\n  tried as `{run}` in {}\n  ended with {code:?}, not {ends}:\n{told}",
                setting.ground
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!setting.said.is_empty(), "{}: nothing is tried", setting.ground);
}

macro_rules! tried {
    ($($test:ident: $setting:ident,)*) => {
        $(#[test]
        fn $test() {
            try_out(&$setting);
        })*

        #[test]
        fn every_setting_is_tried() {
            assert_eq!(SETTINGS.len(), [$(stringify!($setting)),*].len());
        }
    };
}

tried! {
    what_needs_no_project: NOTHING,
    what_is_made_from_a_ledger: LEDGER,
    what_is_asked_of_an_accepted_desk: DESK,
    what_goes_on_after_a_pause: RESUMED,
    what_goes_on_after_a_kill: HELD,
    what_runs_the_whole_desk: DESK_WHOLE,
    what_is_done_about_a_change: DESK_CHANGED,
    what_is_run_in_parts: PARTS,
    what_fails_a_buyers_calls: BUYER,
    what_the_page_of_r618_says: R618,
    what_is_run_from_this_repository: CHECKOUT,
    what_is_run_in_a_copy_of_an_example: COPY,
}

fn page(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn ran(line: &str, ends: i32, project: &Path) {
    carry_out(&[Act::Run { line: line.to_owned(), ends }], project);
}

fn begun(project: &Path) {
    ran("git init --quiet --initial-branch=main", 0, project);
}

/// As the index of the documentation says.
fn desk(project: &Path) {
    carry_out(&acts(&page("docs/README.md")), project);
}

const NOTHING: Setting = Setting {
    ground: "an empty git repository",
    begin: begun,
    said: &[
        said(&["README.md"], "holdpoint init --example support-desk")
            .tried("mkdir desk && cd desk && holdpoint init --example support-desk && holdpoint check"),
        said(&["README.md", "docs/workflow.md"], "holdpoint init")
            .tried("mkdir own && cd own && holdpoint init && holdpoint check"),
        said(&["docs/workflow.md"], "holdpoint --project NAME init")
            .tried("holdpoint --project named init && holdpoint --project named check"),
        said(&["README.md"], "holdpoint completions bash|zsh|fish").tried(
            "for shell in bash zsh fish; do holdpoint completions $shell | grep --quiet exercise || exit 1; done",
        ),
        said(&["README.md"], "holdpoint man DIR").tried("holdpoint man pages && test -s pages/holdpoint-gate.1"),
        said(&["docs/workflow.md"], r"printf 'reports/\n.holdpoint/\n' >> .gitignore"),
        said(&["docs/workflow.md"], "holdpoint schema"),
        said(&["docs/workflow.md"], "holdpoint schema permissions"),
        said(&["docs/workflow.md"], "holdpoint schema connector"),
        said(&["docs/workflow.md"], "holdpoint practice --help"),
        said(&["docs/cases.md"], "holdpoint schema case"),
        said(&["docs/cases.md"], "holdpoint schema exercise"),
        said(&["docs/baselines.md"], "holdpoint schema compare"),
        said(&["docs/report.md", "CHANGELOG.md"], "holdpoint schema report"),
        said(&["CHANGELOG.md"], "holdpoint schema plan"),
        said(&["docs/operation-ledger.md"], "holdpoint schema ledger"),
        said(&["docs/reference.md"], "holdpoint schema KIND").tried("holdpoint schema project"),
        said(&["docs/performance.md"], "holdpoint --version"),
    ],
};

/// The ledger that the page itself shows.
fn ledger(project: &Path) {
    let text = page("docs/operation-ledger.md");
    let lines = text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    fs::write(project.join("operations.jsonl"), lines).unwrap();
}

const LEDGER: Setting = Setting {
    ground: "a folder with the page's own ledger",
    begin: ledger,
    said: &[
        said(&["docs/operation-ledger.md"], "holdpoint scorecard --ledger operations.jsonl"),
        said(&["docs/operation-ledger.md"], "holdpoint failures  --ledger operations.jsonl --format markdown"),
        said(
            &["docs/operation-ledger.md"],
            "holdpoint incident  --ledger operations.jsonl --about R-618 --owner coordinator",
        ),
        said(&["docs/operation-ledger.md"], "holdpoint handover  --ledger operations.jsonl --json"),
    ],
};

fn gated_desk(project: &Path) {
    desk(project);
    ran("holdpoint gate", 0, project);
}

const DESK: Setting = Setting {
    ground: "the support desk, after a gate",
    begin: gated_desk,
    said: &[
        said(&["docs/workflow.md", "docs/report.md"], "holdpoint check"),
        said(&["docs/workflow.md", "docs/running.md", "examples/ci/README.md"], "holdpoint gate"),
        said(&["docs/cases.md"], "holdpoint case list"),
        said(&["docs/how-to/cover-a-change.md"], "case list --sets").tried("holdpoint case list --sets"),
        said(&["docs/how-to/cover-a-change.md", "docs/running.md", "docs/what-a-pass-shows.md"], "case list")
            .tried("holdpoint case list --json"),
        said(&["docs/workflow.md"], "holdpoint rules --explain PATH")
            .tried("holdpoint rules --explain prompts/answer.md"),
        said(&["docs/workflow.md"], "holdpoint rules"),
        said(&["docs/baselines.md"], "holdpoint baseline verify"),
        said(&["README.md", "docs/baselines.md"], "gate --expect-head DIGEST").tried(
            "holdpoint gate --expect-head $(holdpoint baseline verify | grep --only-matching 'sha256:[0-9a-f]*')",
        ),
        said(&["docs/baselines.md"], "holdpoint compare RUN").tried("holdpoint compare latest"),
        said(&["docs/import.md"], "holdpoint compare").tried("holdpoint compare latest --format html"),
        said(&["docs/report.md"], "holdpoint report RUN --format github")
            .tried("holdpoint report latest --format github"),
        said(&["docs/running.md"], "holdpoint report latest --format github"),
        said(&["docs/running.md"], "holdpoint failures"),
        said(&["docs/running.md"], "holdpoint evaluation-plan"),
        said(&["docs/running.md"], "holdpoint runs --durations > FILE")
            .tried("holdpoint runs --durations > durations.json"),
        said(&["docs/import.md"], "holdpoint import")
            .tried("printf 'question,answer\\nWhat?,This\\n' > q.csv && holdpoint import csv q.csv --workflow desk --expect answer --dry-run"),
        said(&["docs/how-to/own-kind.md"], "holdpoint schema --write"),
        said(&["README.md"], "holdpoint pause")
            .tried("holdpoint pause on --by ada --reason so; holdpoint gate; test $? = 15 && holdpoint pause off"),
        said(&["docs/running.md"], r#"holdpoint pause on --by ada --reason "stock is wrong""#),
        said(&["docs/running.md"], "pause off").tried("holdpoint gate; test $? = 15 && holdpoint pause off"),
        said(&["docs/performance.md"], "git diff --name-status"),
        said(&["docs/performance.md"], "git diff"),
    ],
};

/// A workflow on a target that outlives its trials, cut off in the middle of one.
fn held(project: &Path) {
    let files = [
        ("slow.sh", "test -e been || { touch been; kill -9 $(cat holdpoint.pid); sleep 9; }\necho done\n"),
        (
            "holdpoint.yaml",
            "schema: holdpoint.project/1\nname: Slow\nworkflows:\n  slow:\n    command: {run: [sh, slow.sh]}\n    \
             outlives_trials: true\n    parts: []\n    code: [slow.sh]\n",
        ),
        (
            "cases/operations/done.yaml",
            "id: done\ntitle: It is done\nworkflow: slow\ninput: {}\nexpect: [{contains: done}]\n",
        ),
    ];
    let write = |(path, text): (&str, &str)| Act::Write { path: path.to_owned(), text: text.to_owned() };
    carry_out(&files.map(write), project);
    ran("sh -c 'echo $$ > holdpoint.pid; exec holdpoint run --all'", 137, project);
}

const HELD: Setting = Setting {
    ground: "a workflow whose targets outlive its trials, after a run that was killed",
    begin: held,
    said: &[
        said(&["docs/running.md"], "run --resume ID")
            .tried("holdpoint run --resume $(ls .holdpoint/runs | tail -1)")
            .ends(11),
        said(&["docs/how-to/resume.md"], "holdpoint gate --resume latest --rerun CASE").tried(GATE_AND_RELEASE),
    ],
};

/// Of a gate that was killed as well; what it says of results that nobody accepted is not this line's business.
const GATE_AND_RELEASE: &str = "rm been; sh -c 'echo $$ > holdpoint.pid; exec holdpoint gate'; holdpoint gate --resume latest; \
                                test $? = 12 || exit 1; holdpoint gate --resume latest --rerun done; test $? = 12";

const RESUMED: Setting = Setting {
    ground: "the support desk, with a gate that a pause kept from starting anything",
    begin: paused,
    said: &[said(&["docs/running.md"], "holdpoint gate --resume latest")],
};

fn paused(project: &Path) {
    desk(project);
    ran("holdpoint pause on --by ada --reason so", 0, project);
    ran("holdpoint gate", 15, project);
    ran("holdpoint pause off", 0, project);
}

const DESK_WHOLE: Setting = Setting {
    ground: "the support desk",
    begin: desk,
    said: &[
        said(&["docs/baselines.md", "docs/report.md", "docs/what-a-pass-shows.md"], "gate --shadow")
            .tried("holdpoint gate --shadow"),
        said(&["docs/baselines.md"], "plan --audit FROM..TO").tried("holdpoint plan --audit HEAD..HEAD"),
        said(&["docs/what-a-pass-shows.md"], "gate --head REV").tried("holdpoint gate --head HEAD"),
        // A bound in one of its cases is looser than it could be, and that is what this finds.
        said(&["docs/cases.md"], "holdpoint run --all --mutate").ends(11),
        said(&["docs/what-a-pass-shows.md"], "run --mutate").tried("holdpoint run returns-window --mutate"),
        said(&["docs/workflow.md"], "holdpoint case lint"),
        said(&["docs/what-a-pass-shows.md"], "case lint").tried("holdpoint case lint --json"),
    ],
};

fn changed_desk(project: &Path) {
    desk(project);
    ran("sed -i 's/30 days/14 days/' policies/returns.md", 0, project);
}

const DESK_CHANGED: Setting = Setting {
    ground: "the support desk, with another window for returns",
    begin: changed_desk,
    said: &[
        said(&["examples/support-desk/README.md"], "holdpoint plan"),
        said(&["examples/support-desk/README.md", "docs/how-to/gate-in-ci.md"], "holdpoint gate").ends(10),
        said(&["docs/workflow.md"], "holdpoint case new --for PART/RISK")
            .tried("holdpoint case new --for warranty-policy/source_conflict && ! holdpoint check"),
    ],
};

/// All parts of eight but the third.
fn parts(project: &Path) {
    desk(project);
    ran("for part in 1 2 4 5 6 7 8; do holdpoint gate --partition $part/8; done", 0, project);
}

const PARTS: Setting = Setting {
    ground: "the support desk, with seven of eight parts carried out",
    begin: parts,
    said: &[
        said(&["docs/running.md"], "holdpoint gate --partition 3/8"),
        said(&["docs/running.md"], "holdpoint merge PART...").tried("holdpoint merge .holdpoint/runs/*"),
    ],
};

/// As the page says that stands a workflow beside its target.
fn buyer(project: &Path) {
    carry_out(&acts(&page("docs/how-to/connector-and-probe.md")), project);
}

const BUYER: Setting = Setting {
    ground: "the buyer of docs/how-to/connector-and-probe.md",
    begin: buyer,
    said: &[said(&["README.md", "docs/cases.md"], "holdpoint exercise WORKFLOW")
        .tried(r#"holdpoint exercise buyer --jobs 8 --input '{"request": "R-2", "item": "lamp"}'"#)
        .ends(10)],
};

fn r618(project: &Path) {
    begun(project);
    ran("holdpoint init --example r618 && git add . && git commit --quiet --message begin", 0, project);
}

const R618: Setting = Setting {
    ground: "the example R-618",
    begin: r618,
    said: &[
        said(&["examples/r618/README.md"], "holdpoint gate").ends(12),
        said(&["examples/r618/README.md"], r#"holdpoint baseline accept latest --by ada --reason "first look""#),
        said(&["examples/r618/README.md"], "holdpoint gate"),
        said(&["examples/r618/README.md"], "holdpoint plan"),
        // What the page says to break is found.
        said(&["examples/r618/README.md"], "holdpoint gate")
            .tried("sed -i 's/settings: {/settings: {defect: new_key_per_retry, /' manifests/r618-inventory.yaml && holdpoint gate")
            .ends(10),
    ],
};

/// The example as it lies in this repository, and a copy of it that forgets what was accepted.
fn checkout(project: &Path) {
    let from = repository().join("examples/support-desk");
    ran(
        &format!("mkdir examples && cp -r '{}' examples/ && rm -rf examples/support-desk/.holdpoint", from.display()),
        0,
        project,
    );
    ran(COMMITTED, 0, project);
}

const COMMITTED: &str = "git init --quiet && git add . && git commit --quiet --message begin";

const CHECKOUT: Setting = Setting {
    ground: "a repository with the support desk at its place among the examples",
    begin: checkout,
    said: &[
        said(&["examples/support-desk/README.md"], "holdpoint --project examples/support-desk check"),
        said(&["examples/support-desk/README.md"], "holdpoint --project examples/support-desk run --all"),
        said(&["examples/support-desk/README.md"], "holdpoint --project examples/support-desk gate"),
    ],
};

/// A copy of the example as its page says to make one.
fn copied(project: &Path) {
    let from = repository().join("examples/support-desk");
    ran(&format!("cp -r '{}'/* . && rm -r baselines", from.display()), 0, project);
    ran(COMMITTED, 0, project);
}

const COPY: Setting = Setting {
    ground: "a copy of the support desk without its accepted results",
    begin: copied,
    said: &[
        said(&["examples/support-desk/README.md"], "holdpoint gate").ends(12),
        said(
            &["examples/support-desk/README.md"],
            r#"holdpoint baseline accept RUN --by you --reason "first measurement""#,
        )
        .tried(r#"holdpoint baseline accept latest --by you --reason "first measurement""#),
        said(&["examples/support-desk/README.md"], ASKED_BY_HAND),
    ],
};

const ASKED_BY_HAND: &str = r#"echo '{"schema": "holdpoint.invoke/1", "state_dir": "/tmp", "now": "2026-03-02T09:00:00Z", "input": {"actor": "customer", "question": "What does standard delivery cost?"}}' | python3 -B -m support_desk"#;
