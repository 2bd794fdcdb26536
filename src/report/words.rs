//! The words and short forms that several forms of the report share.

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::Value;

use crate::change::Direction;
use crate::domain::{BaselineHealth, Digest};
use crate::verdict::VerdictWord;

use super::change_values::{differences, placed};
use super::document::{ChangeView, ReportDocument};
use super::visible::capped;

/// The verdict as a heading.
pub(super) fn verdict_title(document: &ReportDocument) -> Cow<'static, str> {
    let word = match document.verdict {
        VerdictWord::Pass => "Passed",
        VerdictWord::Fail => "Failed",
        VerdictWord::Inconclusive => "Inconclusive",
    };
    // A part is never to be taken for the whole, wherever only the first words are read.
    document.part.as_ref().map_or(Cow::Borrowed(word), |part| {
        Cow::Owned(format!("Part {} of {} alone: {}", part.number, part.of, word.to_lowercase()))
    })
}

/// What an exit code of the contract means.
pub(super) fn exit_code_meaning(code: u8) -> &'static str {
    match code {
        0 => "nothing stands against it",
        1 => "something inside holdpoint went wrong",
        2 => "the command line could not be understood",
        10 => "something got worse",
        11 => "it cannot be said",
        12 => "a baseline is required, and it is missing, unreadable or was changed",
        13 => "the project is invalid",
        14 => "there were no cases to run",
        15 => "the project is paused",
        130 => "the run was cancelled",
        _ => "see the table of exit codes",
    }
}

/// The newest accepted records, in full, so that any later run can be asked for them; and what is wrong with them, if anything
/// is.
pub(super) fn baseline_heads(document: &ReportDocument) -> String {
    let heads: Vec<&str> = document.baseline_heads.iter().map(Digest::as_str).collect();
    match baseline_word(document.baseline_state) {
        None if heads.is_empty() => "none".to_owned(),
        None => heads.join(", "),
        Some(word) if heads.is_empty() => word.to_owned(),
        Some(word) => format!("{} ({word})", heads.join(", ")),
    }
}

/// What is wrong with the accepted results, in a phrase; nothing where they are sound.
pub(super) fn baseline_word(state: BaselineHealth) -> Option<&'static str> {
    match state {
        BaselineHealth::Sound => None,
        BaselineHealth::Missing => Some("none was ever accepted"),
        BaselineHealth::Empty => Some("nothing of it is in force any more"),
        BaselineHealth::Unseen => {
            Some("none is here, and with git's history cut short nobody can tell whether one was")
        }
        BaselineHealth::Newer => Some("in a format of a newer holdpoint"),
        BaselineHealth::Damaged => Some("not as it was accepted"),
    }
}

/// The name of a direction in files and reports.
pub(super) fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Added => "added",
        Direction::Removed => "removed",
        Direction::Modified => "modified",
    }
}

/// A changed value on one line: digests short, long values cut.
pub(super) fn change_value(value: &Value) -> String {
    const LONGEST: usize = 160;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(hex) = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64 && hex.is_ascii()) {
        return hex[..12].to_owned();
    }
    match capped(&text, LONGEST) {
        (shown, 0) => shown.to_owned(),
        (shown, _) => format!("{shown}…"),
    }
}

/// A text as one word of a shell's command line, in quotes where a shell would take it for anything else.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '@' | '+');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A change on one line: what it is of, which way it went, from what to what.
pub(super) fn change_text(change: &ChangeView) -> String {
    let mut text = change.kind.name().to_owned();
    let subject = change.part.as_ref().map(ToString::to_string).or(change.case.as_ref().map(ToString::to_string));
    let facet = change.facet.as_deref().map(|facet| if facet == "*" { "everything" } else { facet }.to_owned());
    for word in subject.into_iter().chain(facet) {
        text.push(' ');
        text.push_str(&word);
    }
    text.push(' ');
    text.push_str(direction_name(change.change));
    let value = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), change_value);
    if change.from.is_some() || change.to.is_some() {
        let differences = differences(change.from.as_ref(), change.to.as_ref()).into_iter().map(|one| {
            let place = if one.place.is_empty() { String::new() } else { format!("{}: ", one.place) };
            format!("{place}{} -> {}", value(one.from), value(one.to))
        });
        text.push_str(&format!(": {}", differences.collect::<Vec<_>>().join("; ")));
    }
    let paths: Vec<&str> = unnamed_paths(change).map(String::as_str).collect();
    if !paths.is_empty() {
        text.push_str(&format!(" ({})", paths.join(", ")));
    }
    text
}

/// What was edited: each place, and what it says now.
pub(super) fn edit_text(change: &ChangeView) -> String {
    let value = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), change_value);
    let facet = change.facet.as_deref().unwrap_or_default();
    let edits = differences(change.from.as_ref(), change.to.as_ref())
        .into_iter()
        .map(|one| format!("`{}` was {} and is {}", placed(facet, &one.place), value(one.from), value(one.to)));
    edits.collect::<Vec<_>>().join("; ")
}

/// The paths of a change that its facet does not name already.
pub(super) fn unnamed_paths(change: &ChangeView) -> impl Iterator<Item = &String> {
    let named = change.facet.as_deref().and_then(|facet| facet.strip_prefix("file:"));
    change.paths.iter().filter(move |path| named != Some(path.as_str()))
}

/// How long it took from one RFC 3339 time to another.
pub(super) fn duration_text(started: &str, finished: &str) -> Option<String> {
    let (started, finished): (Timestamp, Timestamp) = (started.parse().ok()?, finished.parse().ok()?);
    let millis = finished.duration_since(started).as_millis();
    u64::try_from(millis).ok().map(millis_text)
}

/// Whole days from one RFC 3339 time to a later one.
pub(super) fn days_between(from: &str, to: &str) -> Option<u64> {
    let (from, to): (Timestamp, Timestamp) = (from.parse().ok()?, to.parse().ok()?);
    u64::try_from(to.duration_since(from).as_hours() / 24).ok()
}

/// Milliseconds in the unit that suits them.
pub(super) fn millis_text(millis: u64) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        _ => format!("{} min {} s", millis / 60_000, millis % 60_000 / 1000),
    }
}

/// Microseconds in the unit that suits them.
pub(super) fn micros_text(micros: u64) -> String {
    match micros {
        0..1_000_000 => format!("{}.{:02} ms", micros / 1000, micros % 1000 / 10),
        1_000_000..60_000_000 => format!("{}.{:03} s", micros / 1_000_000, micros % 1_000_000 / 1000),
        _ => millis_text(micros / 1000),
    }
}
