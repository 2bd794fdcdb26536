//! Reading what `git ls-tree -z`, `git ls-files --stage -z` and `git status --porcelain=v2 -z` print. Pure.

use std::collections::BTreeMap;

use super::listing::{Entry, EntryMode, Listing, ObjectId};
use super::path_name::PathName;

/// A path for which the disk differs from the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatusRecord {
    /// The path.
    pub(super) path: PathName,
    /// The mode on disk, where git says it.
    pub(super) mode: Option<EntryMode>,
    /// Whether it was printed as a folder: a repository inside this one.
    pub(super) is_folder: bool,
}

fn records(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// Splits a record at its first spaces into `N` fields; the last one is the rest and may hold spaces.
fn fields<const N: usize>(record: &[u8]) -> Option<[&[u8]; N]> {
    let parts: Vec<&[u8]> = record.splitn(N, |byte| *byte == b' ').collect();
    parts.try_into().ok()
}

fn mode(text: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()
}

fn id(text: &[u8]) -> Option<ObjectId> {
    ObjectId::from_hex(std::str::from_utf8(text).ok()?)
}

/// `<mode> SP <type> SP <name> TAB <path>`.
pub(super) fn parse_tree(answer: &[u8]) -> Option<Listing> {
    let entries = records(answer).map(|record| {
        let (head, path) = split_at_tab(record)?;
        let [bits, _, name] = fields::<3>(head)?;
        Some((PathName::new(path), Entry { mode: EntryMode::from_bits(mode(bits)?)?, id: id(name)? }))
    });
    Some(Listing::new(entries.collect::<Option<Vec<_>>>()?))
}

/// `<mode> SP <name> SP <stage> TAB <path>`. What is in conflict has no content that counts and is left out; the status
/// names it again.
pub(super) fn parse_index(answer: &[u8]) -> Option<BTreeMap<PathName, Entry>> {
    let mut files = BTreeMap::new();
    for record in records(answer) {
        let (head, path) = split_at_tab(record)?;
        let [bits, name, stage] = fields::<3>(head)?;
        if stage == b"0" {
            files.insert(PathName::new(path), Entry { mode: EntryMode::from_bits(mode(bits)?)?, id: id(name)? });
        }
    }
    Some(files)
}

fn split_at_tab(record: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = record.iter().position(|byte| *byte == b'\t')?;
    Some((&record[..at], &record[at + 1..]))
}

/// The records of porcelain v2 for which the working tree differs: `1` (ordinary), `u` (in conflict), `?` (untracked).
/// A record of another kind, such as a rename that was asked not to be looked for, is an unknown form.
pub(super) fn parse_status(answer: &[u8]) -> Option<Vec<StatusRecord>> {
    let mut found = Vec::new();
    for record in records(answer) {
        match record {
            [b'?', b' ', path @ ..] => found.push(untracked(path)),
            [b'1', ..] => {
                let [_, states, _, _, _, bits, _, _, path] = fields::<9>(record)?;
                // The second letter is the working tree against the index.
                if states.get(1) != Some(&b'.') {
                    let mode = EntryMode::from_bits(mode(bits)?);
                    found.push(StatusRecord { path: PathName::new(path), mode, is_folder: false });
                }
            }
            [b'u', ..] => {
                let [_, _, _, _, _, _, bits, _, _, _, path] = fields::<11>(record)?;
                let mode = EntryMode::from_bits(mode(bits)?);
                found.push(StatusRecord { path: PathName::new(path), mode, is_folder: false });
            }
            [b'#' | b'!', ..] => {}
            _ => return None,
        }
    }
    Some(found)
}

fn untracked(path: &[u8]) -> StatusRecord {
    let folder = path.strip_suffix(b"/");
    StatusRecord { path: PathName::new(folder.unwrap_or(path)), mode: None, is_folder: folder.is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "ce013625030ba8dba906f756967f9e9ca394464a";

    #[test]
    fn names_with_spaces_newlines_and_foreign_bytes_are_read_whole() {
        let mut answer = format!("100644 blob {NAME}\ta b\nc\0120000 blob {NAME}\tcaf").into_bytes();
        answer.extend_from_slice(b"\xe9\0");
        let listing = parse_tree(&answer).unwrap();
        assert_eq!(listing.get(b"a b\nc").unwrap().mode, EntryMode::Regular);
        assert_eq!(listing.get(b"caf\xe9").unwrap().mode, EntryMode::Symlink);
    }

    #[test]
    fn only_paths_whose_disk_differs_from_the_index_are_taken_from_the_status() {
        let zeros = "0".repeat(40);
        let answer = format!(
            "1 M. N... 100644 100644 100644 {NAME} {NAME} staged only\0\
             1 .M N... 100644 100644 100755 {NAME} {NAME} edited too\0\
             1 .D N... 100644 100644 000000 {NAME} {NAME} gone\0\
             u UU N... 100644 100644 100644 100644 {NAME} {NAME} {zeros} torn\0\
             ? new one\0? inner/\0"
        );
        let found = parse_status(answer.as_bytes()).unwrap();
        let paths: Vec<String> = found.iter().map(|record| record.path.to_string()).collect();
        assert_eq!(paths, ["edited too", "gone", "torn", "new one", "inner"]);
        assert_eq!(found[0].mode, Some(EntryMode::Executable));
        assert!(found[4].is_folder);
    }

    #[test]
    fn an_answer_of_another_form_is_no_answer() {
        assert!(parse_tree(b"100644 blob nonsense\tx\0").is_none());
        assert!(parse_status(b"2 R. something\0").is_none());
        assert!(parse_index(b"100644\0").is_none());
    }
}
