//! All files of one side with what git knows of them, and the plain difference between two such listings.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::model::Direction;
use super::path_name::PathName;

/// The name that git gives to a content: SHA-1 or SHA-256, as the repository has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    bytes: [u8; 32],
    length: u8,
}

impl ObjectId {
    /// Takes the 20 or 32 bytes that git uses; never more than 32.
    pub(super) fn from_bytes(raw: &[u8]) -> Self {
        let mut bytes = [0; 32];
        let kept = raw.len().min(bytes.len());
        bytes[..kept].copy_from_slice(&raw[..kept]);
        Self { bytes, length: if kept == 32 { 32 } else { 20 } }
    }

    /// Reads 40 or 64 hexadecimal digits.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        if !text.is_ascii() || !matches!(text.len(), 40 | 64) {
            return None;
        }
        let pairs = (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok());
        Some(Self::from_bytes(&pairs.collect::<Option<Vec<u8>>>()?))
    }

    /// The raw bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// The first twelve digits, for a reader.
    pub fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}

/// What git can keep at a path, in git's own four modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryMode {
    /// 100644, and whatever old versions of git wrote for it.
    Regular,
    /// 100755.
    Executable,
    /// 120000.
    Symlink,
    /// 160000: the commit at which a submodule is pinned.
    Submodule,
}

impl EntryMode {
    /// Reads a mode; `None` for a tree or something unknown.
    pub(super) fn from_bits(bits: u32) -> Option<Self> {
        match bits & 0o170_000 {
            0o100_000 if bits & 0o100 != 0 => Some(Self::Executable),
            0o100_000 => Some(Self::Regular),
            0o120_000 => Some(Self::Symlink),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }

    /// What a reader calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regular => "file",
            Self::Executable => "executable file",
            Self::Symlink => "symbolic link",
            Self::Submodule => "submodule",
        }
    }

    /// Whether it is a file of bytes.
    pub fn is_file(self) -> bool {
        matches!(self, Self::Regular | Self::Executable)
    }
}

/// One file of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub mode: EntryMode,
    /// Its content, as git would store it.
    pub id: ObjectId,
}

/// Every file of a side, sorted by the bytes of its path, each path once. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Listing(Arc<Vec<(PathName, Entry)>>);

impl Listing {
    /// Sorts the entries. Where a path stands twice, the last one counts.
    pub(super) fn new(mut entries: Vec<(PathName, Entry)>) -> Self {
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        entries.reverse();
        entries.dedup_by(|one, other| one.0 == other.0);
        entries.reverse();
        Self(Arc::new(entries))
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&PathName, &Entry)> {
        self.0.iter().map(|(path, entry)| (path, entry))
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry at exactly this path.
    pub fn get(&self, path: &[u8]) -> Option<&Entry> {
        let at = self.0.binary_search_by(|(name, _)| name.as_bytes().cmp(path)).ok()?;
        Some(&self.0[at].1)
    }

    /// The entries whose path begins with these bytes.
    pub(super) fn starting_with<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = (&'a PathName, &'a Entry)> {
        let start = self.0.partition_point(|(name, _)| name.as_bytes() < prefix);
        let rest = self.0[start..].iter().take_while(move |(name, _)| name.as_bytes().starts_with(prefix));
        rest.map(|(path, entry)| (path, entry))
    }

    /// The part below `folder` (empty, or ending in `/`), with paths relative to it.
    pub(super) fn below(&self, folder: &[u8]) -> Self {
        if folder.is_empty() {
            return self.clone();
        }
        let inside = self.starting_with(folder).filter_map(|(path, entry)| Some((path.below(folder)?, *entry)));
        Self(Arc::new(inside.collect()))
    }
}

/// In what respect a path differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// The bytes, or the whole file came or went.
    Content,
    /// Only whether it can be executed.
    Mode,
    /// A file became a link, a link a submodule, and so on.
    Type,
    /// The commit at which a submodule is pinned.
    Submodule,
}

/// One path that differs between two listings. Nothing is ever paired up as a rename: the old path is removed and the
/// new one added, and both count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathChange {
    /// The path.
    pub path: PathName,
    /// Which way.
    pub direction: Direction,
    /// In what respect.
    pub aspect: Aspect,
    /// What the base has there.
    pub from: Option<EntryMode>,
    /// What the head has there.
    pub to: Option<EntryMode>,
}

/// Every path that differs, in order.
pub fn diff_listings(base: &Listing, head: &Listing) -> Vec<PathChange> {
    let (mut base, mut head) = (base.0.as_slice(), head.0.as_slice());
    let mut changes = Vec::new();
    loop {
        let order = match (base.first(), head.first()) {
            (None, None) => return changes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.0.cmp(&other.0),
        };
        let (from, to) = (base.first().filter(|_| order.is_le()), head.first().filter(|_| order.is_ge()));
        changes.extend(diff_entry(from, to));
        base = &base[usize::from(from.is_some())..];
        head = &head[usize::from(to.is_some())..];
    }
}

fn diff_entry(base: Option<&(PathName, Entry)>, head: Option<&(PathName, Entry)>) -> Option<PathChange> {
    let path = &base.or(head)?.0;
    let (from, to) = (base.map(|entry| entry.1), head.map(|entry| entry.1));
    if from == to {
        return None;
    }
    let (direction, aspect) = match (from, to) {
        (Some(from), Some(to)) => (Direction::Modified, aspect_of(from, to)),
        (None, _) => (Direction::Added, one_sided_aspect(to)),
        (_, None) => (Direction::Removed, one_sided_aspect(from)),
    };
    Some(PathChange {
        path: path.clone(),
        direction,
        aspect,
        from: from.map(|entry| entry.mode),
        to: to.map(|entry| entry.mode),
    })
}

fn one_sided_aspect(entry: Option<Entry>) -> Aspect {
    if entry.is_some_and(|entry| entry.mode == EntryMode::Submodule) { Aspect::Submodule } else { Aspect::Content }
}

fn aspect_of(from: Entry, to: Entry) -> Aspect {
    match (from.mode, to.mode) {
        (EntryMode::Submodule, EntryMode::Submodule) => Aspect::Submodule,
        (one, other) if one == other => Aspect::Content,
        (one, other) if one.is_file() && other.is_file() && from.id == to.id => Aspect::Mode,
        (one, other) if one.is_file() && other.is_file() => Aspect::Content,
        _ => Aspect::Type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn entry(mode: EntryMode, content: u8) -> Entry {
        Entry { mode, id: ObjectId::from_bytes(&[content; 20]) }
    }

    fn listing(entries: &[(&str, EntryMode, u8)]) -> Listing {
        Listing::new(entries.iter().map(|(path, mode, id)| (PathName::from(*path), entry(*mode, *id))).collect())
    }

    #[test]
    fn every_kind_of_difference_is_named() {
        use EntryMode::{Executable, Regular, Submodule, Symlink};
        let base = listing(&[
            ("content", Regular, 1),
            ("gone", Regular, 1),
            ("kind", Symlink, 1),
            ("mode", Regular, 1),
            ("pin", Submodule, 1),
            ("same", Regular, 1),
        ]);
        let head = listing(&[
            ("content", Regular, 2),
            ("kind", Regular, 2),
            ("kine", Regular, 1),
            ("mode", Executable, 1),
            ("pin", Submodule, 2),
            ("same", Regular, 1),
        ]);
        let found: Vec<_> = diff_listings(&base, &head)
            .into_iter()
            .map(|change| (change.path.to_string(), change.direction, change.aspect))
            .collect();
        let expected = [
            ("content", Direction::Modified, Aspect::Content),
            ("gone", Direction::Removed, Aspect::Content),
            ("kind", Direction::Modified, Aspect::Type),
            ("kine", Direction::Added, Aspect::Content),
            ("mode", Direction::Modified, Aspect::Mode),
            ("pin", Direction::Modified, Aspect::Submodule),
        ];
        assert_eq!(found, expected.map(|(path, direction, aspect)| (path.to_owned(), direction, aspect)));
    }

    #[test]
    fn ids_of_both_lengths_survive_their_hexadecimal_form() {
        for digits in [40, 64] {
            let text = "0f".repeat(digits / 2);
            assert_eq!(ObjectId::from_hex(&text).unwrap().to_string(), text);
        }
        for text in ["", "0f", "zz", &"é".repeat(20)] {
            assert!(ObjectId::from_hex(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_difference_agrees_with_two_maps(one in proptest::collection::btree_map("[ab/]{1,3}", 0_u8..3, 0..12),
                                               other in proptest::collection::btree_map("[ab/]{1,3}", 0_u8..3, 0..12)) {
            let side = |map: &BTreeMap<String, u8>| {
                Listing::new(map.iter().map(|(path, id)| (path.as_str().into(), entry(EntryMode::Regular, *id))).collect())
            };
            let changed: Vec<String> =
                diff_listings(&side(&one), &side(&other)).into_iter().map(|change| change.path.to_string()).collect();
            let mut expected: Vec<String> = one.keys().chain(other.keys())
                .filter(|path| one.get(*path) != other.get(*path)).cloned().collect();
            expected.sort();
            expected.dedup();
            prop_assert_eq!(changed, expected);
        }
    }
}
