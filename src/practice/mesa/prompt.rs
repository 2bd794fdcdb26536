//! The drafter's prompt: a Markdown file whose `- name: value` lines are the rules that a scripted drafter can read.

use std::collections::BTreeMap;

use crate::domain::PartId;
use crate::manifest::PromptManifest;

/// The rules of the prompt, with what holds where it is silent.
#[derive(Clone, Debug)]
pub(super) struct Prompt {
    pub(super) greeting: String,
    pub(super) closing: String,
    /// Whether a question about a free time stays unanswered.
    pub(super) leaves_availability_open: bool,
    /// Whether contradicting sources are named.
    pub(super) names_conflicts: bool,
    /// Words that the quoted passages may have together.
    pub(super) word_limit: usize,
}

/// Reads the desk's prompts, their files in the order in which the manifest uses them; a later rule replaces an
/// earlier one.
pub(super) fn read(manifests: &[PromptManifest], texts: &BTreeMap<PartId, BTreeMap<String, String>>) -> Prompt {
    let mut prompt = Prompt {
        greeting: "Good day,".to_owned(),
        closing: String::new(),
        leaves_availability_open: true,
        names_conflicts: true,
        word_limit: 400,
    };
    let files = manifests.iter().flat_map(|manifest| {
        let texts = texts.get(&manifest.id);
        manifest.files.iter().filter_map(move |path| texts?.get(path))
    });
    for line in files.flat_map(|text| text.lines()) {
        let Some((name, value)) = line.trim().strip_prefix("- ").and_then(|rule| rule.split_once(':')) else {
            continue;
        };
        let value = value.trim();
        match name.trim() {
            "greeting" => value.clone_into(&mut prompt.greeting),
            "closing" => value.clone_into(&mut prompt.closing),
            "availability" => prompt.leaves_availability_open = value != "confirm",
            "conflicts" => prompt.names_conflicts = value != "hide",
            "word limit" => prompt.word_limit = value.parse().unwrap_or(prompt.word_limit),
            _ => {}
        }
    }
    prompt
}
