//! What every paper can do: be written as text, as Markdown, or as one JSON document.

use serde::Serialize;

use super::account::Source;
use super::reference::shown;
use super::sheet::Sheet;
use crate::domain::counted;

/// The forms of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a terminal.
    Text,
    /// GitHub's Markdown.
    Markdown,
    /// One JSON document, whose field `schema` names its format.
    Json,
}

/// A paper.
#[expect(private_bounds, reason = "papers are written in this room alone")]
pub trait Paper: Serialize + OnSheet {
    /// The paper laid out, for a form that is made elsewhere.
    fn laid_out(&self) -> Sheet {
        self.sheet()
    }

    /// The paper in one of its forms.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which no paper shows.
    fn write(&self, form: Form) -> Result<String, serde_json::Error> {
        match form {
            Form::Text => Ok(self.sheet().to_text()),
            Form::Markdown => Ok(self.sheet().to_markdown()),
            Form::Json => serde_json::to_string_pretty(self).map(|text| text + "\n"),
        }
    }
}

impl<T: Serialize + OnSheet> Paper for T {}

/// Lays a paper out.
pub(super) trait OnSheet {
    /// The paper on a sheet.
    fn sheet(&self) -> Sheet;
}

/// What stands where nothing was observed.
pub(super) const NOT_OBSERVED: &str = "not observed";

/// What stands where nobody recorded anything.
pub(super) const NOT_RECORDED: &str = "not recorded";

/// A number, or that it was not observed.
pub(super) fn observed(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NOT_OBSERVED.to_owned(), |value| value.to_string())
}

/// A text, or that it was not recorded.
pub(super) fn recorded(text: Option<&str>) -> String {
    text.map_or_else(|| NOT_RECORDED.to_owned(), str::to_owned)
}

/// Where a paper comes from, as facts.
pub(super) fn source_facts(source: &Source) -> Vec<(String, String)> {
    let facts = match source {
        Source::Run { run, started, finished, verdict, commit, fingerprint } => vec![
            ("Made from", format!("recorded run {}", shown(run.as_str()))),
            ("Began", started.clone()),
            ("Ended", finished.clone().unwrap_or_else(|| "cut off".to_owned())),
            ("Verdict", recorded(verdict.as_deref())),
            ("Commit", recorded(commit.as_deref())),
            ("Parts", fingerprint.as_str().to_owned()),
        ],
        Source::Ledger { workflow, digest, entries, first, last } => vec![
            ("Made from", format!("the operation ledger of {}, {entries} entries", shown(workflow))),
            ("Ledger", digest.as_str().to_owned()),
            ("From", first.clone()),
            ("To", format!("{last}; ages are as of then")),
        ],
    };
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Remarks, where there are any.
pub(super) fn push_remarks(sheet: &mut Sheet, remarks: &[String]) {
    if !remarks.is_empty() {
        sheet.heading("What to bear in mind");
        sheet.list(remarks.iter().cloned());
    }
}

/// The sum of what was observed; `None` where nothing was.
pub(super) fn sum_observed(counts: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    counts.flatten().fold(None, |sum, count| Some(sum.unwrap_or(0) + count))
}

/// `2 attempts`, or that they were not observed.
pub(super) fn attempts_words(attempts: Option<usize>) -> String {
    attempts.map_or_else(|| "attempts not observed".to_owned(), |made| counted(made, "attempt"))
}
