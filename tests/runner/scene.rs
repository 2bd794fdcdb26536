//! A project whose workflow can be stopped in the middle, mended without an edit, and asked how often it ran.

use std::fs;
use std::process::Child;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox, entry};
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

    /// Starts the binary, and kills it once the workflow has made the file `started`.
    pub(crate) fn killed(&self, arguments: &[&str]) {
        let mut child = self.until_started(arguments);
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
