//! A project whose workflow can be stopped in the middle, mended without an edit, and asked how often it ran.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::sandbox::{PATIENCE, Ran, Sandbox, entry};
use crate::small_project::{FILES, case};

/// Logs that it runs. `Slow` waits for the file `go` beside the project, `Bad` fails until the file `mended` is there.
pub(crate) const WORKFLOW: &str = r#"asked=$(cat)
id=${asked#*\"case\":\"}
echo "${id%%\"*}" >> ../log
case "$asked" in
  *Slow*) [ -e ../go ] || { touch started; sleep 600; } ;;
  *Bad*) [ -e ../mended ] || { echo Go away; exit; } ;;
esac
cat prompts/greeting.txt
"#;

/// The project with these cases: each an id and what is asked.
pub(crate) fn project(cases: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    for (path, text) in FILES.into_iter().filter(|(path, _)| !path.starts_with("cases/")) {
        sandbox.write(path, text);
    }
    sandbox.write("workflow.sh", WORKFLOW);
    sandbox.write(".gitignore", "reports/\n.holdpoint/\nstarted\n");
    for (id, asked) in cases {
        sandbox.write(&format!("cases/policy_accuracy/{id}.yaml"), &case(id, "Good morning").replace("Hello", asked));
    }
    sandbox.commit("begin");
    sandbox
}

impl Sandbox {
    /// Makes a file beside the project.
    pub(crate) fn beside(&self, name: &str) {
        fs::write(self.project().join("..").join(name), "").unwrap();
    }

    /// How often the workflow ran for a case.
    pub(crate) fn runs_of(&self, case: &str) -> usize {
        let log = fs::read_to_string(self.project().join("../log")).unwrap_or_default();
        log.lines().filter(|line| *line == case).count()
    }

    /// How often the workflow ran for any case.
    fn all_runs(&self) -> usize {
        fs::read_to_string(self.project().join("../log")).unwrap_or_default().lines().count()
    }

    /// The rows of the newest record: case, number and status of each trial; none where there is no record yet.
    pub(crate) fn recorded(&self) -> Vec<(String, u32, String)> {
        let runs = fs::read_dir(self.project().join(".holdpoint/runs")).into_iter().flatten();
        let files = runs.map(|run| run.unwrap().path().join("run.sqlite")).filter(|file| file.exists());
        let Some(newest) = files.max() else { return Vec::new() };
        let connection = Connection::open_with_flags(newest, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        let Ok(mut select) = connection.prepare("SELECT case_id, number, status FROM trial") else { return Vec::new() };
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// Starts the binary with one job, and kills it once the workflow has made the file `started` and every trial
    /// before that one is on record: a row waits a few milliseconds for others, while the next trial begins.
    pub(crate) fn killed(&self, arguments: &[&str]) {
        let before = self.all_runs();
        let mut child = self.until_started(&[arguments, &["--jobs", "1"]].concat());
        let ended = self.all_runs() - before - 1;
        let began = Instant::now();
        while self.recorded().len() < ended {
            assert!(began.elapsed() < PATIENCE, "what had ended was never written: {:?}", self.recorded());
            sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Starts the binary, and waits until the workflow has made the file `started`.
    pub(crate) fn until_started(&self, arguments: &[&str]) -> Child {
        let _ = fs::remove_file(self.project().join("started"));
        self.started(self.holdpoint_command().args(arguments))
    }

    /// How a case ended, by the newest report.
    pub(crate) fn status(&self, case: &str) -> String {
        entry(&self.report()["cases"], "id", case)["status"].as_str().unwrap_or("none").to_owned()
    }

    /// What the newest verdict notes, as one text.
    pub(crate) fn notes(&self) -> String {
        fn texts(value: &Value, into: &mut String) {
            match value {
                Value::String(text) => into.push_str(&format!("{text}\n")),
                Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
                Value::Object(fields) => fields.values().for_each(|item| texts(item, into)),
                _ => {}
            }
        }
        let mut all = String::new();
        texts(&self.report(), &mut all);
        all
    }
}

/// How a child that was left running has ended.
pub(crate) fn ended(child: Child) -> Ran {
    Ran::of("holdpoint, in the background".to_owned(), &child.wait_with_output().unwrap())
}
