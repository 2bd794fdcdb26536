//! Ids made of names that people gave for other ends.

use std::collections::BTreeSet;

/// The most characters that are kept of a name.
const MAX_LENGTH: usize = 60;

/// A name in the form that an id has: lower-case ASCII letters, digits and `-`. `otherwise` stands where nothing of the
/// name is left.
pub fn name_of(text: &str, otherwise: &str) -> String {
    let mut name = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name.truncate(MAX_LENGTH);
    let name = name.trim_end_matches('-');
    if name.is_empty() { otherwise.to_owned() } else { name.to_owned() }
}

/// A path without its folders and its last ending.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// The name of the folder that a path lies in.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Ids that are all different.
#[derive(Default)]
pub(super) struct Ids(BTreeSet<String>);

impl Ids {
    /// `wanted` where it is free; else with the folder before it, else with a number behind it.
    pub(super) fn free(&mut self, wanted: &str, path: &str) -> String {
        let longer = name_of(&format!("{}-{wanted}", folder(path)), wanted);
        let numbered = (2_usize..).map(|number| format!("{wanted}-{number}"));
        let mut candidates = [wanted.to_owned(), longer].into_iter().chain(numbered);
        let free = candidates.find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.insert(free.clone());
        free
    }
}
