//! A zip archive from somebody else: what it may take to read it is bounded.

use std::io::{Cursor, Read as _};

use serde::de::DeserializeOwned;
use zip::ZipArchive;

/// The most files in an archive.
const MOST_FILES: usize = 200_000;
/// The most bytes of one file, unpacked.
const MOST_BYTES: u64 = 128 * 1024 * 1024;
/// The most bytes of all files that are read, unpacked.
const MOST_BYTES_TOGETHER: u64 = 2 * 1024 * 1024 * 1024;

/// An archive that is open for reading. Nothing of it is ever written to disk, so its names cannot lead anywhere.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    read: u64,
}

impl<'a> Archive<'a> {
    /// Opens it.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, String> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is no zip archive: {error}"))?;
        if zip.len() > MOST_FILES {
            return Err(format!("it holds {} files, and at most {MOST_FILES} are read", zip.len()));
        }
        Ok(Self { zip, read: 0 })
    }

    /// The names of the samples, sorted.
    pub(super) fn samples(&self) -> Vec<String> {
        let is_sample = |name: &String| name.starts_with("samples/") && name.ends_with(".json");
        let names = self.zip.file_names().filter_map(Result::ok).map(|name| name.into_owned());
        let mut names: Vec<String> = names.filter(is_sample).collect();
        names.sort_unstable();
        names
    }

    /// The content of a file, read as JSON; none where there is no such file.
    ///
    /// # Errors
    /// When it cannot be unpacked, is larger than is read, or is not what it must be.
    pub(super) fn json<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, String> {
        let Some(index) = self.zip.index_for_name(name) else { return Ok(None) };
        let shown = name.replace(char::is_control, " ");
        let file = self.zip.by_index(index).map_err(|error| format!("{shown} cannot be unpacked: {error}"))?;
        let mut bytes = Vec::new();
        // What the archive says of a file's size is a claim: it is counted while it is unpacked.
        let unpacked = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        unpacked.map_err(|error| format!("{shown} cannot be unpacked: {error}"))?;
        self.read += bytes.len() as u64;
        if bytes.len() as u64 > MOST_BYTES || self.read > MOST_BYTES_TOGETHER {
            return Err(format!("{shown} is larger than is read from a log"));
        }
        let parsed = serde_json::from_slice(&finite(bytes));
        parsed.map(Some).map_err(|error| format!("{shown}, line {}: {error}", error.line()))
    }
}

/// JSON as Python writes it, with `null` for the numbers that JSON does not have.
fn finite(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.windows(3).any(|three| three == b"NaN" || three == b"Inf") {
        return bytes;
    }
    let mut written = Vec::with_capacity(bytes.len());
    let (mut at, mut in_text) = (0, false);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let word: &[&[u8]] = &[b"NaN", b"-Infinity", b"Infinity"];
        if let Some(word) = word.iter().find(|word| !in_text && rest.starts_with(word)) {
            written.extend_from_slice(b"null");
            at += word.len();
            continue;
        }
        if in_text && rest[0] == b'\\' && rest.len() > 1 {
            written.extend_from_slice(&rest[..2]);
            at += 2;
            continue;
        }
        in_text ^= rest[0] == b'"';
        written.push(rest[0]);
        at += 1;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_does_not_have_are_null_and_texts_stay() {
        let text = br#"{"a": NaN, "b": [-Infinity, Infinity, 1], "NaN": "\"NaN Infinity"}"#;
        let expected = br#"{"a": null, "b": [null, null, 1], "NaN": "\"NaN Infinity"}"#;
        assert_eq!(finite(text.to_vec()), expected);
        assert_eq!(finite(b"{\"a\": 1}".to_vec()), b"{\"a\": 1}");
    }
}
