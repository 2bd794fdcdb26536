//! A fresh git repository with a project in it, and the binary run there in an environment of its own.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A project in a repository of its own, below a folder that is gone when the test ends.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// How long a test waits for something that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// How a program ended.
pub(crate) struct Ran {
    /// The command line, for messages.
    line: String,
    /// The exit code; -1 where a signal ended it.
    pub(crate) code: i32,
    /// All of standard output.
    pub(crate) stdout: String,
    /// All of standard error.
    pub(crate) stderr: String,
}

impl Sandbox {
    /// An empty repository.
    pub(crate) fn empty() -> Self {
        let sandbox = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(sandbox.project()).unwrap();
        fs::create_dir(sandbox.home()).unwrap();
        sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
        sandbox
    }

    /// A repository with these files, committed.
    pub(crate) fn with_files(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::empty();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox.commit("begin");
        sandbox
    }

    /// A copy of another one's project and its history, without what holdpoint keeps on the machine.
    #[allow(dead_code, reason = "not every crate of tests that shares this file copies one")]
    pub(crate) fn copy_of(other: &Self) -> Self {
        let sandbox = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(sandbox.home()).unwrap();
        copy_folder(&other.project(), &sandbox.project());
        sandbox
    }

    /// A copy of `examples/support-desk`, committed, in which nothing was ever accepted.
    pub(crate) fn support_desk() -> Self {
        let sandbox = Self::copy_of_support_desk();
        let baselines = sandbox.project().join("baselines");
        if baselines.exists() {
            fs::remove_dir_all(baselines).unwrap();
        }
        sandbox.commit("begin");
        sandbox
    }

    /// A copy of `examples/support-desk` with the baseline that it ships.
    pub(crate) fn support_desk_as_shipped() -> Self {
        let sandbox = Self::copy_of_support_desk();
        sandbox.commit("begin");
        sandbox
    }

    fn copy_of_support_desk() -> Self {
        let sandbox = Self::empty();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/support-desk");
        copy_folder(&example, &sandbox.project());
        sandbox
    }

    /// A copy of the repository's own project without the program's code, committed, in which nothing was ever accepted.
    pub(crate) fn practice() -> Self {
        let sandbox = Self::empty();
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["manifests", "cases", "practice"] {
            copy_folder(&repository.join(folder), &sandbox.project().join(folder));
        }
        for file in ["holdpoint.yaml", ".gitignore"] {
            fs::copy(repository.join(file), sandbox.project().join(file)).unwrap();
        }
        sandbox.commit("begin");
        sandbox
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes a file, with its folders.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Replaces a passage that must be there.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no `{from}`");
        self.write(path, &text.replacen(from, to, 1));
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// Runs git in the project and gives its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let ran = self.ran(self.command("git").args(arguments));
        assert_eq!(ran.code, 0, "{}", ran.told());
        ran.stdout
    }

    /// Runs the binary in the project's folder.
    pub(crate) fn holdpoint(&self, arguments: &[&str]) -> Ran {
        self.ran(self.holdpoint_command().args(arguments))
    }

    /// The binary as a command that is not started yet.
    pub(crate) fn holdpoint_command(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_holdpoint"))
    }

    /// A command with nothing of the developer's own environment in it.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", PATH.get_or_init(path_with_python))
            .env("HOME", self.home())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_AUTHOR_NAME", "A. Author")
            .env("GIT_AUTHOR_EMAIL", "author@example.org")
            .env("GIT_AUTHOR_DATE", "2026-03-01T08:00:00Z")
            .env("GIT_COMMITTER_NAME", "C. Committer")
            .env("GIT_COMMITTER_EMAIL", "committer@example.org")
            .env("GIT_COMMITTER_DATE", "2026-03-01T08:00:00Z")
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn ran(&self, command: &mut Command) -> Ran {
        let line = format!("{:?} {:?}", command.get_program(), command.get_args().collect::<Vec<_>>());
        let output = command.output().unwrap_or_else(|error| panic!("{line}: {error}"));
        Ran::of(line, &output)
    }

    /// Starts the binary, waits until the workflow has made the file `started`, and sends this signal until it ends.
    pub(crate) fn interrupted(&self, arguments: &[&str], signal: &str) -> Ran {
        self.interrupted_command(self.holdpoint_command().args(arguments), signal)
    }

    /// As [`Self::interrupted`], whatever the command.
    pub(crate) fn interrupted_command(&self, command: &mut Command, signal: &str) -> Ran {
        let mut child = self.started(command);
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < PATIENCE, "it does not end");
            self.ran(self.command("kill").args([signal, &child.id().to_string()]));
            std::thread::sleep(Duration::from_millis(500));
        }
        Ran::of(format!("{command:?}, interrupted"), &child.wait_with_output().unwrap())
    }

    /// Starts a command and waits until the workflow has made the file `started`.
    pub(crate) fn started(&self, command: &mut Command) -> Child {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let began = Instant::now();
        while !self.project().join("started").exists() {
            assert!(began.elapsed() < PATIENCE, "the workflow never started");
            std::thread::sleep(Duration::from_millis(10));
        }
        child
    }

    /// How many trials the newest report shows.
    pub(crate) fn recorded_trials(&self) -> usize {
        let report = self.report();
        report["cases"].as_array().unwrap().iter().map(|case| case["trials"].as_array().map_or(0, Vec::len)).sum()
    }

    /// Accepts what was last measured, and commits the record.
    pub(crate) fn accept(&self) {
        let run = self.latest_run();
        self.holdpoint(&["baseline", "accept", &run, "--by", "R. Viewer", "--reason", "first measurement"]).expect(0);
        self.commit("accept");
    }

    /// Measures everything for the first time and accepts it.
    pub(crate) fn measure_and_accept(&self) {
        self.holdpoint(&["gate"]).expect(12);
        self.accept();
    }

    /// The newest run's id.
    pub(crate) fn latest_run(&self) -> String {
        self.report()["run"].as_str().unwrap().to_owned()
    }

    /// The newest run's report.
    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.read("reports/latest/report.json")).unwrap()
    }

    /// What `plan --json` with these further arguments prints.
    pub(crate) fn plan(&self, arguments: &[&str]) -> Value {
        let ran = self.holdpoint(&[&["plan", "--json"], arguments].concat());
        ran.expect(0).json()
    }

    /// Every path below `folder` with its content, to show that nothing was changed.
    pub(crate) fn contents(&self, folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.project().join(folder), &mut found);
        found.sort();
        found
    }
}

impl Ran {
    /// What an output says.
    pub(crate) fn of(line: String, output: &Output) -> Self {
        Self {
            line,
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails, with all that was printed, where the exit code is another.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.told());
        self
    }

    /// Fails where neither stream says `text`.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text) || self.stderr.contains(text), "nothing says `{text}`\n{}", self.told());
        self
    }

    /// Standard output as the one JSON document that it must be.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}", self.told()))
    }

    /// Everything, for messages.
    pub(crate) fn told(&self) -> String {
        format!("{}\nended {}\nstdout:\n{}\nstderr:\n{}", self.line, self.code, self.stdout, self.stderr)
    }
}

/// The ids in a list of maps, under `key`, sorted.
pub(crate) fn names<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let mut found: Vec<&str> = list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap()).collect();
    found.sort_unstable();
    found
}

/// The entry with this id in a list of maps.
#[track_caller]
pub(crate) fn entry<'a>(list: &'a Value, key: &str, name: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|item| item[key] == name);
    found.unwrap_or_else(|| panic!("no `{name}` in {list:#}"))
}

static PATH: OnceLock<String> = OnceLock::new();

/// PATH with the folder of the real interpreter first: a version manager's stand-in for `python3` may need the
/// environment that is cleared here.
fn path_with_python() -> String {
    let path = std::env::var("PATH").unwrap();
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let output = asked.expect("the example and some tests need python3");
    let executable = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
    format!("{}:{path}", executable.parent().unwrap().display())
}

/// Copies a folder with all below it, but for what is generated.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    const GENERATED: [&str; 3] = [".holdpoint", "reports", "__pycache__"];
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if GENERATED.iter().any(|generated| name == *generated) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to.join(name));
        } else {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
}
