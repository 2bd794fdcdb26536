//! What an import comes to: files to write, pieces of a project file, and what stayed behind.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::names::Names;
use super::written::yaml;
use crate::manifest::{AnswerForm, schema_line, yaml_quoted as quoted};

/// A file that is to be written where nothing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its path, relative to the project's folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What became of something that could not be brought as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It stands in its case as a placeholder, which fails.
    Placeholder,
    /// It was left behind.
    Left,
    /// It was brought, and something about it is to be known.
    Changed,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Placeholder => "placeholder",
            Self::Left => "not brought",
            Self::Changed => "to be looked at",
        }
    }
}

/// Something that could not be brought as it was, with its place and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What became of it.
    pub kind: Kind,
    /// The file it stands in.
    pub path: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// What it is.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Note {
    /// The place, as in `tests.csv:3`.
    pub fn place(&self) -> String {
        if self.line == 0 { self.path.clone() } else { format!("{}:{}", self.path, self.line) }
    }
}

/// A workflow for the project file, under its name.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowPiece {
    /// The name.
    pub name: String,
    /// Its entry below `workflows`.
    pub entry: Map<String, Value>,
    /// What a reader of the entry should know, a sentence each.
    pub remarks: Vec<String>,
}

impl WorkflowPiece {
    /// How its answer is to be read.
    pub fn answer(&self) -> AnswerForm {
        serde_json::from_value(self.entry.get("answer").cloned().unwrap_or_default()).unwrap_or_default()
    }
}

/// How much was found and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests, rows, samples, spans or entries that were read.
    pub found: usize,
    /// Cases, trials or operations that came of them.
    pub brought: usize,
    /// Expectations that were brought as what they were.
    pub expectations: usize,
    /// Placeholders among the expectations.
    pub placeholders: usize,
    /// Tests, files of tests, prompts and lines that should have come to cases, and did not.
    pub left: usize,
}

/// All that came of an import.
#[derive(Clone, Debug, Default)]
pub struct Brought {
    /// Files to write: cases, manifests, prompts, ledgers.
    pub files: Vec<NewFile>,
    /// Workflows that the project file must have for the cases.
    pub workflows: Vec<WorkflowPiece>,
    /// Files of the other tool that change nothing once their content is brought.
    pub inert: Vec<String>,
    /// What could not be brought as it was.
    pub notes: Vec<Note>,
    /// How much there was.
    pub tally: Tally,
    pub(super) names: Names,
    unread: BTreeMap<(String, String), (usize, usize)>,
    /// Where each case comes from, by the path of its file.
    origins: BTreeMap<String, (String, usize)>,
}

impl Brought {
    /// Adds a note.
    pub(super) fn note(
        &mut self,
        kind: Kind,
        (path, line): (&str, usize),
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.notes.push(Note { kind, path: path.to_owned(), line, what: what.into(), why: why.into() });
    }

    /// Adds a note on a test, or on what should have come to some, of which nothing came.
    pub(super) fn left_out(&mut self, place: (&str, usize), what: impl Into<String>, why: impl Into<String>) {
        self.tally.left += 1;
        self.note(Kind::Left, place, what, why);
    }

    /// Adds the file of a case, with the place that it comes from.
    pub(super) fn case_file(&mut self, path: String, text: String, (from, line): (&str, usize)) {
        self.tally.brought += 1;
        self.origins.insert(path.clone(), (from.to_owned(), line));
        self.file(path, text);
    }

    /// Counts each case as left behind in whose place a file with another content stands; whatever else was kept costs no test.
    pub fn leave_kept(&mut self, kept: &[String]) {
        for path in kept {
            let Some((from, line)) = self.origins.remove(path) else { continue };
            self.tally.brought = self.tally.brought.saturating_sub(1);
            let why = "a file with another content is there, and was left as it is";
            self.left_out((&from, line), format!("the case `{path}`"), why);
        }
    }

    /// Adds that a workflow which is there already does not read its answer as `wanted`, though what was brought looks at that.
    pub fn reads_otherwise(&mut self, project_file: &str, workflow: &str, wanted: AnswerForm, found: AnswerForm) {
        let (form, difference) = match (wanted, found) {
            (AnswerForm::TrimmedText, AnswerForm::Text) => {
                ("trimmed_text", "white space at its ends and the colours of a terminal would be looked at, too")
            }
            (AnswerForm::TrimmedText, _) => {
                ("trimmed_text", "of a JSON object, only its `output` or another way of writing it would be looked at")
            }
            (_, AnswerForm::TrimmedText) => ("text", "white space at its ends would not be looked at"),
            _ => ("text", "of a JSON object, only its `output` or another way of writing it would be looked at"),
        };
        let why = format!(
            "the assertions mean the whole answer as a text, and this workflow reads it otherwise: {difference}. \
             Write `answer: {form}` into its entry"
        );
        self.note(Kind::Changed, (project_file, 0), format!("the workflow `{workflow}`"), why);
    }

    /// Adds a file.
    pub(super) fn file(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.files.push(NewFile { path: path.into(), text: text.into() });
    }

    /// Counts a key that nothing is made of; each is told once for a file, with how often it stood there.
    pub(super) fn unread(&mut self, path: &str, line: usize, key: &str) {
        self.unread.entry((path.to_owned(), key.to_owned())).or_insert((0, line)).0 += 1;
    }

    /// Turns what was only counted into notes, and sorts all notes by their places.
    pub(super) fn finish(mut self) -> Self {
        for ((path, key), (times, line)) in std::mem::take(&mut self.unread) {
            let often = if times == 1 { String::new() } else { format!(" ({times} times, first here)") };
            self.note(Kind::Left, (&path, line), format!("`{key}`{often}"), "nothing here has that meaning");
        }
        // What every test inherits is to be looked at once.
        self.notes.sort_by(|a, b| (&a.path, a.line, &a.what, &a.why).cmp(&(&b.path, b.line, &b.what, &b.why)));
        self.notes.dedup_by(|one, before| one.kind == Kind::Changed && one == before);
        self
    }

    /// The text of a new project file that has these workflows.
    pub fn project_file(&self, name: &str, from: &str) -> String {
        let mut text = schema_line("", "project") + "\n";
        text.push_str(&format!("# Begun by an import of {from}: look every entry over.\n"));
        text.push_str("schema: holdpoint.project/1\n");
        text.push_str(&format!("name: {}\n\n", quoted(name)));
        text.push_str(&self.workflow_entries());
        text.push_str("\n# What changes nothing: what was imported, for one.\n");
        let inert = self.inert.iter().map(String::as_str).chain([".gitignore"]);
        text.push_str(&yaml("inert", &inert.collect::<Value>(), 0));
        text
    }

    /// The entries for a project file that exists, as they would stand in it.
    pub fn workflow_entries(&self) -> String {
        let mut text = "workflows:\n".to_owned();
        for piece in &self.workflows {
            text.extend(piece.remarks.iter().map(|remark| format!("  # {}\n", remark.replace(char::is_control, " "))));
            text.push_str(&yaml(&piece.name, &Value::Object(piece.entry.clone()), 1));
        }
        text
    }
}
