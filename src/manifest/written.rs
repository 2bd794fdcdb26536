//! What a project file says, before `${NAME}` is replaced, of what it starts and what it takes from the environment.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::domain::Digest;

use super::project_file::ProjectFile;

/// What decides how workflows and their targets run, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The digest of each setting of a workflow or connector, by path: `workflows.desk.command`, `connectors.shop.upstream`.
    pub started: BTreeMap<String, Digest>,
    /// The environment variables that reach a workflow, a target or a probe.
    pub variables: BTreeSet<String>,
}

impl ProjectFile {
    /// What it says of that; called before `${NAME}` is replaced.
    pub fn written(&self) -> Written {
        let mut written = Written::default();
        for (group, all) in [("workflows", json!(self.workflows)), ("connectors", json!(self.connectors))] {
            for (id, settings) in fields(&all) {
                // What a workflow uses and is made of is told by the changes of those; how many of it run at once starts nothing.
                let settings = fields(settings).filter(|(name, _)| !matches!(name.as_str(), "parts" | "code" | "jobs"));
                let digests = settings.map(|(name, value)| (format!("{group}.{id}.{name}"), Digest::of_json(value)));
                written.started.extend(digests);
            }
            variables_in(&all, &mut written.variables);
        }
        variables_in(&json!(self.probes), &mut written.variables);
        written
    }
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The names under `pass` and `pass_if_set`, and those in `${NAME}`.
fn variables_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let after = text.split("${").skip(1);
            found.extend(after.filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())));
        }
        Value::Array(items) => items.iter().for_each(|item| variables_in(item, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let names = value.as_array().filter(|_| matches!(name.as_str(), "pass" | "pass_if_set"));
                found.extend(names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
                variables_in(value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
schema: holdpoint.project/1
name: desk
workflows:
  desk:
    command: {run: [sh, desk.sh], env: {pass: [HOME], pass_if_set: [TONE], set: {URL: \"http://${HOST}/${PATH_TO}\"}}}
    parts: [greeting]
    code: [desk.sh]
connectors:
  shop: {upstream: {url: \"http://127.0.0.1:1\"}, env: [SHOP_URL]}
probes:
  orders: {http: {connector: shop, path: \"/o?k=${KEY}\"}}
";

    fn written(text: &str) -> Written {
        serde_yaml::from_str::<ProjectFile>(text).unwrap().written()
    }

    #[test]
    fn what_is_started_differs_where_its_setting_does_and_nowhere_else() {
        let before = written(FILE);
        let differing = |from: &str, to: &str| {
            let now = written(&FILE.replace(from, to)).started;
            let differs = before.started.iter().filter(|(name, digest)| now.get(*name) != Some(*digest));
            differs.map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(differing("desk.sh]", "canned.sh]"), ["workflows.desk.command"]);
        assert_eq!(differing("127.0.0.1:1", "127.0.0.1:2"), ["connectors.shop.upstream"]);
        assert_eq!(differing("SHOP_URL", "OTHER_URL"), ["connectors.shop.env"]);
        assert_eq!(differing("parts: [greeting]", "parts: []"), <[String; 0]>::default());
        assert_eq!(differing("name: desk", "name: other"), <[String; 0]>::default());
        assert_eq!(written(&FILE.replace("    code:", "    jobs: 2\n    code:")).started, before.started);
    }

    #[test]
    fn every_variable_that_reaches_a_program_or_a_target_is_named() {
        let names: Vec<String> = written(FILE).variables.into_iter().collect();
        assert_eq!(names, ["HOME", "HOST", "KEY", "PATH_TO", "TONE"]);
    }
}
