//! The policy sources: which texts there are, from when they rule, with what authority, and who may read them.

use std::collections::BTreeMap;

use crate::domain::PartId;
use crate::manifest::{Authority, SourceManifest};
use crate::practice::PracticeError;
use jiff::civil::Date;

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
    /// Its place among sources of the same authority: the lower number wins.
    pub(super) rank: u32,
    pub(super) sections: Vec<Section>,
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

/// Reads every policy source among the desk's parts. Sources whose files are no Markdown are data, not policy.
///
/// # Errors
/// When a manifest's date is none.
pub(super) fn read(
    manifests: &[SourceManifest],
    texts: &BTreeMap<PartId, BTreeMap<String, String>>,
) -> Result<Vec<PolicySource>, PracticeError> {
    let mut sources = Vec::new();
    for manifest in manifests {
        let files = texts.get(&manifest.id).into_iter().flatten().filter(|(path, _)| path.ends_with(".md"));
        let sections: Vec<Section> = files.flat_map(|(_, text)| sections_of(text)).collect();
        if sections.is_empty() {
            continue;
        }
        sources.push(PolicySource {
            id: manifest.id.clone(),
            version: manifest.version.clone(),
            effective: date(&manifest.id, manifest.effective.as_deref())?,
            expires: date(&manifest.id, manifest.expires.as_deref())?,
            authority: manifest.authority,
            rank: manifest.rank,
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

fn date(source: &PartId, text: Option<&str>) -> Result<Option<Date>, PracticeError> {
    let Some(text) = text else { return Ok(None) };
    text.parse().map(Some).map_err(|_| PracticeError::Setup {
        what: format!("a date of source `{source}` is `{text}`"),
        hint: "a date is written as in 2026-01-31".to_owned(),
    })
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
