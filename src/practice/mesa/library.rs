//! The policy sources: which texts there are, from when they rule, with what authority, and who may read them.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::Value;

use crate::domain::PartId;
use crate::manifest::{Part, PartKind};
use crate::practice::PracticeError;

use super::words::plain;

/// The line below a heading that lists how customers ask for the topic.
const ASKED_AS: &str = "Asked as:";

/// One policy source.
#[derive(Clone, Debug)]
pub(super) struct PolicySource {
    pub(super) id: PartId,
    pub(super) version: String,
    /// The first day on which it rules; `None` where it always has.
    pub(super) effective: Option<Date>,
    /// The last day on which it rules.
    pub(super) expires: Option<Date>,
    pub(super) authority: Authority,
    pub(super) sections: Vec<Section>,
}

/// How much a source weighs, as its manifest says; weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Authority {
    /// Background.
    Reference,
    /// Explains a primary text and yields to it.
    Secondary,
    /// Binds.
    Primary,
}

impl PolicySource {
    /// Whether it rules on that day.
    pub(super) fn in_force(&self, day: Date) -> bool {
        self.effective.is_none_or(|first| first <= day) && self.expires.is_none_or(|last| day <= last)
    }

    /// Whether it will rule only later.
    pub(super) fn upcoming(&self, day: Date) -> bool {
        self.effective.is_some_and(|first| first > day)
    }
}

/// One topic of a source.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Its heading; sections of several sources with the same heading speak of the same thing.
    pub(super) topic: String,
    /// How customers ask for it, as plain words.
    pub(super) asked_as: Vec<String>,
    /// Its first paragraph, on one line as in the source.
    pub(super) passage: String,
}

/// Reads every policy source among the parts. Sources whose files are no Markdown are data, not policy.
///
/// # Errors
/// When a manifest's effective date or authority is none that the desk knows.
pub(super) fn read(
    parts: &BTreeMap<PartId, Part>,
    texts: &BTreeMap<PartId, BTreeMap<String, String>>,
) -> Result<Vec<PolicySource>, PracticeError> {
    let mut sources = Vec::new();
    for part in parts.values().filter(|part| part.kind == PartKind::Source) {
        let files = texts.get(&part.id).into_iter().flatten().filter(|(path, _)| path.ends_with(".md"));
        let sections: Vec<Section> = files.flat_map(|(_, text)| sections_of(text)).collect();
        if sections.is_empty() {
            continue;
        }
        sources.push(PolicySource {
            id: part.id.clone(),
            version: part.version.clone(),
            effective: date(part, "effective")?,
            expires: date(part, "expires")?,
            authority: authority(part)?,
            sections,
        });
    }
    Ok(sources)
}

fn sections_of(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix("## ") {
            let topic = heading.trim().to_owned();
            sections.push(Section { asked_as: vec![plain(&topic)], topic, passage: String::new() });
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        if let Some(phrases) = line.strip_prefix(ASKED_AS) {
            section.asked_as.extend(phrases.split(',').map(plain).filter(|phrase| !phrase.trim().is_empty()));
        } else if section.passage.is_empty() {
            line.clone_into(&mut section.passage);
        }
    }
    sections.retain(|section| !section.passage.is_empty());
    sections
}

fn date(part: &Part, field: &str) -> Result<Option<Date>, PracticeError> {
    let Some(value) = part.document.get(field) else { return Ok(None) };
    let date = value.as_str().and_then(|text| text.parse().ok());
    date.map(Some).ok_or_else(|| setup(part, field, value, "a date, as in 2026-01-31"))
}

fn authority(part: &Part) -> Result<Authority, PracticeError> {
    let Some(value) = part.document.get("authority") else { return Ok(Authority::Primary) };
    match value.as_str() {
        Some("primary") => Ok(Authority::Primary),
        Some("secondary") => Ok(Authority::Secondary),
        Some("reference") => Ok(Authority::Reference),
        _ => Err(setup(part, "authority", value, "primary, secondary or reference")),
    }
}

fn setup(part: &Part, field: &str, value: &Value, expected: &str) -> PracticeError {
    PracticeError::Setup {
        what: format!("`{field}` of source `{}` is {value}", part.id),
        hint: format!("{field} is {expected}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_its_heading_its_phrases_and_its_first_paragraph() {
        let sections = sections_of(
            "# Title\n\nIntro.\n\n## Return period\nAsked as: return, send back\n\nWithin 30 days.\n\nMore.\n\n## Empty\n",
        );
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0].topic, "Return period");
        assert_eq!(sections[0].asked_as, [" return period ", " return ", " send back "]);
        assert_eq!(sections[0].passage, "Within 30 days.");
    }
}
