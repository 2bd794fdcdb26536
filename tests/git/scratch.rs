//! A repository to try things in: fixed identity and time, and none of the machine's own settings.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use holdpoint::change::{Entry, GitProject, Listing, PathChange, diff_listings};
use tempfile::TempDir;

/// A repository in a temporary folder.
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// An empty repository whose branch is `main`.
    pub(crate) fn new() -> Self {
        Self::with_options(&[])
    }

    /// An empty repository with further options of `git init`.
    pub(crate) fn with_options(options: &[&str]) -> Self {
        let scratch = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(scratch.root()).unwrap();
        scratch.git(&[&["init", "-q", "-b", "main"], options].concat());
        scratch
    }

    /// An empty folder that is no repository.
    pub(crate) fn without_git() -> Self {
        let scratch = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(scratch.root()).unwrap();
        scratch
    }

    /// A clone of `origin` over the file transport, which respects `--depth` and `--filter`.
    pub(crate) fn clone_of(origin: &Self, options: &[&str]) -> Self {
        let scratch = Self { folder: TempDir::new().unwrap() };
        let url = format!("file://{}", origin.root().display());
        let target = scratch.root().display().to_string();
        let arguments = [&["clone", "-q"], options, &[url.as_str(), target.as_str()]].concat();
        run(scratch.folder.path(), scratch.folder.path(), &arguments);
        scratch
    }

    /// The top folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    /// What `git` prints for these arguments; it must succeed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        run(self.folder.path(), &self.root(), arguments)
    }

    /// Writes a file, with the folders it needs.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        self.write_bytes(path.as_bytes(), content)
    }

    /// Writes a file whose name need not be UTF-8.
    pub(crate) fn write_bytes(&self, path: &[u8], content: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(OsStr::from_bytes(path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Removes a file.
    pub(crate) fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.root().join(path)).unwrap();
        self
    }

    /// Lets a file be executed.
    pub(crate) fn make_executable(&self, path: &str) -> &Self {
        fs::set_permissions(self.root().join(path), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Makes a symbolic link.
    pub(crate) fn link(&self, path: &str, target: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.root().join(path)).unwrap();
        self
    }

    /// Commits everything and gives the commit's name.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Adds commits in bulk, in the form that `git fast-import` reads.
    pub(crate) fn import(&self, stream: &str) {
        let file = self.folder.path().join("stream");
        fs::write(&file, stream).unwrap();
        let mut command = Command::new("git");
        // A hook that runs the tests leaves GIT_DIR behind, and this must not write there.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.current_dir(self.root()).args(["fast-import", "--quiet"]).stdin(fs::File::open(file).unwrap());
        assert!(command.status().unwrap().success());
    }

    /// The repository as the change room opens it.
    pub(crate) fn open(&self) -> GitProject {
        GitProject::open(&self.root()).unwrap()
    }
}

fn run(home: &Path, folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Tester").env(format!("GIT_{role}_EMAIL"), "tester@example.org");
        command.env(format!("GIT_{role}_DATE"), "2026-01-02T03:04:05Z");
    }
    // What is thrown away in a moment need not survive a power cut.
    command.env("GIT_CONFIG_COUNT", "2").env("GIT_CONFIG_KEY_1", "core.fsync").env("GIT_CONFIG_VALUE_1", "none");
    command.env("GIT_CONFIG_KEY_0", "protocol.file.allow").env("GIT_CONFIG_VALUE_0", "always");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The files of a revision.
pub(crate) fn tree(git: &GitProject, revision: &str) -> Listing {
    git.tree(git.commit(revision).unwrap().id).unwrap()
}

/// What differs between two revisions.
pub(crate) fn diff(git: &GitProject, base: &str, head: &str) -> Vec<PathChange> {
    diff_listings(&tree(git, base), &tree(git, head))
}

/// What differs between a revision and the working tree.
pub(crate) fn diff_to_disk(git: &GitProject, base: &str) -> Vec<PathChange> {
    diff_listings(&tree(git, base), &git.working_tree().unwrap().listing)
}

/// The paths of changes, as a reader sees them.
pub(crate) fn paths(changes: &[PathChange]) -> Vec<String> {
    changes.iter().map(|change| change.path.to_string()).collect()
}

/// A listing in the words of the test: path, kind, object name.
pub(crate) fn entries(listing: &Listing) -> Vec<(String, Entry)> {
    listing.iter().map(|(path, entry)| (path.to_string(), *entry)).collect()
}
