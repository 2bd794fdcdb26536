//! A folder of its own with a small project around the practice workflow, and the binary run there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Cases of the repository's own project: one lost acknowledgment that is replayed, one that stays unknown to the workflow,
/// one refusal, one failure before the commit, one plain staging, and one of an answer set.
const CASES: [&str; 6] = [
    "duplicate/lost-acknowledgment-is-replayed.yaml",
    "duplicate/lost-acknowledgment-is-unknown.yaml",
    "duplicate/failure-before-the-commit-leaves-nothing.yaml",
    "duplicate/same-operation-twice.yaml",
    "action/revoked-approval.yaml",
    "missing_availability/tuesday-at-ten.yaml",
];

/// A project's folder, gone when the test ends.
pub(crate) struct Scene {
    folder: TempDir,
}

/// How the binary ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Scene {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// A project with the practice workflow, its parts and a few of its cases.
    pub(crate) fn project() -> Self {
        let scene = Self::empty();
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in ["holdpoint.yaml", "manifests", "practice"] {
            copy(&repository.join(name), &scene.path(name));
        }
        for case in CASES {
            let target = scene.path("cases").join(case);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            copy(&repository.join("cases").join(case), &target);
        }
        scene
    }

    /// The same, with one recorded run of every case.
    pub(crate) fn after_a_run() -> Self {
        let scene = Self::project();
        let ran = scene.holdpoint(&["run", "--all"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        scene
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs the binary here, with an environment of its own.
    pub(crate) fn holdpoint(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// What the binary printed, which must have gone well.
    pub(crate) fn printed(&self, arguments: &[&str]) -> String {
        let ran = self.holdpoint(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// The one document that the binary printed.
    pub(crate) fn document(&self, arguments: &[&str]) -> Value {
        let text = self.printed(arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}
