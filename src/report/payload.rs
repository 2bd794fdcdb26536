//! Texts that are too long for the page: their beginning stands in it, the whole of each in a file beside it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::domain::Digest;

/// The folder of those files, beside the page.
const FOLDER: &str = "payloads";

/// Bytes that are kept in such files at the most, for one page; the document has what goes beyond.
const MOST_BYTES: usize = 256_000_000;

/// The texts that did not fit, by the name of their file, relative to the page.
#[derive(Debug, Default)]
pub(super) struct Payloads {
    files: RefCell<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    texts: BTreeMap<String, String>,
    bytes: usize,
}

impl Payloads {
    /// What was kept.
    pub(super) fn into_files(self) -> BTreeMap<String, String> {
        self.files.into_inner().texts
    }
}

/// How much of a text the page shows, and where the whole of a longer one goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cap<'a> {
    /// Bytes that the page shows.
    pub(super) bytes: usize,
    payloads: &'a Payloads,
}

impl<'a> Cap<'a> {
    /// At most so many bytes.
    pub(super) fn new(bytes: usize, payloads: &'a Payloads) -> Self {
        Self { bytes, payloads }
    }

    /// The same, with at most so many bytes.
    pub(super) fn at_most(self, bytes: usize) -> Self {
        Self { bytes: self.bytes.min(bytes), ..self }
    }

    /// The file that has the whole text, named after its digest; nothing where the page can show it, or where the files
    /// hold too much already.
    pub(super) fn file(self, whole: &str) -> Option<String> {
        if whole.len() <= self.bytes {
            return None;
        }
        // A name that says nothing but the content: no text that anyone wrote becomes part of a path.
        let name = format!("{FOLDER}/{}.txt", Digest::of(whole.as_bytes()).hex());
        let mut kept = self.payloads.files.borrow_mut();
        if !kept.texts.contains_key(&name) {
            kept.bytes = kept.bytes.checked_add(whole.len()).filter(|bytes| *bytes <= MOST_BYTES)?;
            kept.texts.insert(name.clone(), whole.to_owned());
        }
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_fit_is_kept_and_the_same_text_once() {
        let payloads = Payloads::default();
        let cap = Cap::new(4, &payloads);
        assert_eq!(cap.file("1234"), None);
        let name = cap.file("12345").unwrap();
        assert_eq!(cap.file("12345"), Some(name.clone()));
        assert!(name.starts_with("payloads/") && name.len() == "payloads/.txt".len() + 64, "{name}");
        assert_eq!(payloads.into_files(), BTreeMap::from([(name, "12345".to_owned())]));
    }

    #[test]
    fn beyond_the_most_bytes_nothing_more_is_kept() {
        let payloads = Payloads::default();
        payloads.files.borrow_mut().bytes = MOST_BYTES - 5;
        let cap = Cap::new(4, &payloads);
        assert!(cap.file("12345").is_some());
        assert_eq!(cap.file("123456"), None);
    }
}
