//! A case that is being brought: what goes in, what is expected, and what of that could not be.

use serde_json::{Map, Value, json};

use crate::domain::WorkflowId;
use crate::manifest::{MemoryFiles, load_project, schema_line, unreadable, yaml_quoted as quoted, yaml_word as word};

use super::Aim;
use super::brought::{Brought, Kind};
use super::written::{flow, yaml};

/// Longest text of a placeholder, in characters.
const SHOWN: usize = 400;

/// Longest title in a note, in characters.
const TITLE: usize = 80;

/// Why a case without an expectation gets a placeholder.
const NOTHING_EXPECTED: &str = "the test says nothing of what must hold";

/// A case before it has its file.
#[derive(Clone, Debug)]
pub(super) struct CaseDraft {
    pub(super) title: String,
    pub(super) workflow: WorkflowId,
    pub(super) trials: u64,
    pub(super) input: Value,
    pub(super) expect: Vec<Expected>,
    /// Where it comes from.
    pub(super) path: String,
    pub(super) line: usize,
}

/// One expectation of a draft.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// In our own words, and in its own.
    Mapped { expectation: Value, was: String, line: usize },
    /// Not to be had.
    Placeholder { was: String, why: String, line: usize },
}

impl CaseDraft {
    /// Writes the case under the id that is given, or under that id with a number where another case has it. A case whose file
    /// would not be read is not written, and named: it would make the whole project invalid.
    pub(super) fn write(self, id: &str, aim: &Aim, brought: &mut Brought) {
        self.write_named(id, "another test says the same of itself", aim, brought);
    }

    /// The same under an id that the test states.
    pub(super) fn write_under(self, id: &str, aim: &Aim, brought: &mut Brought) {
        self.write_named(id, &format!("the id {id} is another test's already"), aim, brought);
    }

    fn write_named(mut self, id: &str, taken: &str, aim: &Aim, brought: &mut Brought) {
        let (tally, notes) = (brought.tally, brought.notes.len());
        let (id, is_numbered) = brought.names.take(id);
        if is_numbered {
            let why = format!("{taken}, so it became {id}: its name hangs on their order");
            brought.note(Kind::Changed, (&self.path, self.line), quoted(&self.title), why);
        }
        if self.expect.is_empty() {
            let (was, why) = ("an expectation".to_owned(), NOTHING_EXPECTED.to_owned());
            self.expect.push(Expected::Placeholder { was, why, line: self.line });
        }
        let from = place(&self.path, self.line);
        let mut text = schema_line("../..", "case") + "\n";
        text.push_str(&format!("# Brought from {}.\n", from.replace(char::is_control, " ")));
        text.push_str(&format!("id: {}\n", word(&id)));
        text.push_str(&format!("title: {}\n", quoted(&one_line(&self.title, SHOWN))));
        text.push_str(&format!("workflow: {}\n", word(self.workflow.as_str())));
        if self.trials > 1 {
            text.push_str(&format!("trials: {}\n", self.trials));
        }
        text.push_str(&yaml("input", &self.input, 0));
        text.push_str("expect:\n");
        for expected in std::mem::take(&mut self.expect) {
            text.push_str(&format!("  - {}\n", flow(&self.expectation(expected, brought))));
        }
        let file = format!("cases/{}/{id}.yaml", aim.set);
        if let Some(why) = unreadable(&file, &text) {
            brought.names.give_back(&id);
            brought.tally = tally;
            brought.notes.truncate(notes);
            let what = format!("the test {}", quoted(&one_line(&self.title, TITLE)));
            brought.left_out((&self.path, self.line), what, format!("no project would read its case: {why}"));
            return;
        }
        brought.case_file(file, text, (&self.path, self.line));
    }

    /// The expectation as it stands in the file; one that the project's own rules refuse becomes a placeholder that says so.
    fn expectation(&self, expected: Expected, brought: &mut Brought) -> Value {
        let (was, why, line) = match expected {
            Expected::Mapped { expectation, was, line } => match refusal(&expectation) {
                None => {
                    brought.tally.expectations += 1;
                    return expectation;
                }
                Some(why) => (was, why, line),
            },
            Expected::Placeholder { was, why, line } => (was, why, line),
        };
        brought.tally.placeholders += 1;
        let (was, why) = (one_line(&was, SHOWN), one_line(&why, SHOWN));
        brought.note(Kind::Placeholder, (&self.path, line), was.clone(), why.clone());
        json!({"placeholder": {"stands_for": was, "from": place(&self.path, line), "why": why}})
    }
}

fn place(path: &str, line: usize) -> String {
    if line == 0 { path.to_owned() } else { format!("{path}:{line}") }
}

/// A text on one line, cut.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(char::is_control, " ");
    if words.chars().count() <= most {
        return words;
    }
    words.chars().take(most).chain(['…']).collect()
}

/// Why a project would refuse an expectation; `None` where it would not. The project's own rules are asked, on a project of
/// this one expectation.
fn refusal(expectation: &Value) -> Option<String> {
    let case = json!({"id": "a", "title": "t", "workflow": "w", "input": {}, "expect": [expectation]});
    let project = json!({
        "schema": "holdpoint.project/1",
        "name": "n",
        "workflows": {"w": {"command": {"run": ["w"]}, "parts": []}},
    });
    let files =
        MemoryFiles::new().with("holdpoint.yaml", yaml_file(&project)).with("cases/action/a.yaml", yaml_file(&case));
    let errors = load_project(&files, &std::collections::BTreeMap::new()).err()?;
    errors.into_iter().next().map(|error| error.message)
}

fn yaml_file(value: &Value) -> String {
    let empty = Map::new();
    value.as_object().unwrap_or(&empty).iter().map(|(key, value)| yaml(key, value, 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_project_would_refuse_is_known_beforehand() {
        assert_eq!(refusal(&json!({"contains": "x"})), None);
        assert_eq!(refusal(&json!({"placeholder": {"stands_for": "x"}})), None);
        for refused in [json!({"contains": ""}), json!({"regex": "(?=a)"}), json!({"json_schema": {"schema": {}}})] {
            assert!(refusal(&refused).is_some(), "{refused}");
        }
    }

    fn draft(input: Value) -> CaseDraft {
        CaseDraft {
            title: "one\ntwo".to_owned(),
            workflow: "desk".into(),
            trials: 3,
            input,
            expect: Vec::new(),
            path: "t.csv".to_owned(),
            line: 7,
        }
    }

    #[test]
    fn a_case_that_no_project_would_read_is_named_and_not_written() {
        let aim = Aim { set: "action".into(), workflow: None };
        let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
        let many = (0..60_000).map(|_| json!(1)).collect::<Value>();
        for input in [json!({"q": "x".repeat(1024 * 1024)}), json!({"q": deep}), json!({"q": many})] {
            let mut brought = Brought::default();
            draft(input).write("a", &aim, &mut brought);
            assert!(brought.files.is_empty());
            assert_eq!(brought.tally, crate::import::Tally { left: 1, ..Default::default() });
            let [note] = &brought.notes[..] else { panic!("{:?}", brought.notes) };
            assert_eq!(
                (note.kind, note.place().as_str(), note.what.as_str()),
                (Kind::Left, "t.csv:7", "the test \"one two\"")
            );
            draft(json!({"q": "x"})).write("a", &aim, &mut brought);
            assert_eq!(brought.files[0].path, "cases/action/a.yaml", "its name is free again");
        }
    }

    #[test]
    fn a_case_without_an_expectation_fails() {
        let mut brought = Brought::default();
        let draft = draft(json!({"q": "a\nb"}));
        draft.write("a", &Aim { set: "action".into(), workflow: None }, &mut brought);
        assert_eq!(
            brought.files[0].text,
            "# yaml-language-server: $schema=../../.holdpoint/schemas/case.json\n# Brought from t.csv:7.\nid: a\ntitle: \"one two\"\nworkflow: desk\ntrials: 3\ninput: {q: \"a\\nb\"}\nexpect:\n  \
             - {placeholder: {stands_for: \"an expectation\", from: \"t.csv:7\", why: \"the test says nothing of what must hold\"}}\n"
        );
        assert_eq!((brought.tally.brought, brought.tally.placeholders, brought.notes.len()), (1, 1, 1));
    }
}
