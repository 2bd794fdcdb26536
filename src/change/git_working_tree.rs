//! The working tree as the git library sees it: the index, overlaid with what stands on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use git2::{
    AttrCheckFlags, AttrValue, Delta, DiffDelta, DiffOptions, Error, IndexEntry, IndexEntryExtendedFlag,
    IndexEntryFlag, Mempack, ObjectType, Oid, Repository, StatusOptions,
};

use super::git::WorkingTree;
use super::git_attributes::AttributeTexts;
use super::git_library::object_id;
use super::git_rewritten::checked_out_as;
use super::listing::{Entry, EntryMode, Listing, ObjectId};
use super::path_name::PathName;

/// A file above this size is hashed as it stands, since hashing through filters holds it in memory.
const FILTERED_SIZE: u64 = 16 * 1024 * 1024;

/// Above the priorities of the loose and the packed objects (1 and 2), so that what is hashed lands in memory.
const MEMORY_PRIORITY: i32 = 1000;

/// Where the index keeps the stage of a conflict.
const STAGE_BITS: u16 = 0x3000;

/// Reads the index, then corrects it by every path that differs on disk.
pub(super) fn read_working_tree(
    repository: &Repository,
    top: &Path,
    personal_attributes: Option<&Path>,
) -> Result<WorkingTree, Error> {
    // Hashing a file through its filters is only offered as writing it. That goes to memory, through a handle of its
    // own, so that looking at a repository never writes to it.
    let hashing = Repository::open(top)?;
    let objects = hashing.odb()?;
    let memory = objects.add_new_mempack_backend(MEMORY_PRIORITY)?;
    let mut disk = Disk {
        hashing: &hashing,
        memory: &memory,
        top,
        trusts_mode: trusts_mode(repository),
        rewritten: BTreeSet::new(),
    };
    let mut index = repository.index()?;
    index.read(false)?;
    let mut staged = BTreeMap::new();
    let mut suspects = BTreeSet::new();
    let mut sparse = BTreeSet::new();
    for entry in index.iter() {
        let path = PathName::new(entry.path.clone());
        if is_unsettled(&entry) {
            suspects.insert(path);
            continue;
        }
        let Some(mode) = EntryMode::from_bits(entry.mode) else { continue };
        if mode == EntryMode::Submodule || is_flag(&entry, IndexEntryFlag::VALID) {
            suspects.insert(path.clone());
        }
        if IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended).is_skip_worktree() {
            sparse.insert(path.clone());
        }
        staged.insert(path, Entry { mode, id: object_id(entry.id) });
    }
    suspects.extend(changed_on_disk(repository)?);
    suspects.extend(sparse.iter().cloned());
    if !trusts_times(repository) {
        suspects.extend(staged.keys().cloned());
    }
    let added = suspects.iter().filter(|path| !staged.contains_key(*path)).map(|path| (path, None));
    let paths = || staged.iter().map(|(path, entry)| (path, Some(entry))).chain(added.clone());
    let texts = AttributeTexts::read(repository, top, personal_attributes, paths());
    disk.rewritten = rewritten(repository, &texts, paths().map(|(path, _)| path))?;
    suspects.extend(disk.rewritten.iter().cloned());
    overlay(&disk, staged, &suspects, &sparse)
}

/// Replaces what the index says of each suspect by what stands on disk.
fn overlay(
    disk: &Disk<'_>,
    mut files: BTreeMap<PathName, Entry>,
    suspects: &BTreeSet<PathName>,
    sparse: &BTreeSet<PathName>,
) -> Result<WorkingTree, Error> {
    let mut uncommitted = BTreeSet::new();
    for path in suspects {
        let known = files.get(path).copied();
        match disk.entry(path, known)? {
            found if found == known => {}
            Some(found) => {
                files.insert(path.clone(), found);
                uncommitted.insert(path.clone());
            }
            // A sparse checkout leaves files out on purpose: they are as committed.
            None if sparse.contains(path) => {}
            None => {
                files.remove(path);
            }
        }
    }
    Ok(WorkingTree { listing: Listing::new(files.into_iter().collect()), uncommitted })
}

/// Every path for which git sees a difference between the index and the disk.
fn changed_on_disk(repository: &Repository) -> Result<BTreeSet<PathName>, Error> {
    let mut options = DiffOptions::new();
    options
        .include_untracked(true)
        .recurse_untracked_dirs(true)
        .include_typechange(true)
        .include_unreadable(true)
        .ignore_submodules(true)
        .skip_binary_check(true);
    let diff = repository.diff_index_to_workdir(None, Some(&mut options))?;
    Ok(diff.deltas().flat_map(|delta| paths_of(&delta)).collect())
}

fn paths_of(delta: &DiffDelta<'_>) -> Vec<PathName> {
    if matches!(delta.status(), Delta::Unmodified | Delta::Ignored) {
        return Vec::new();
    }
    let paths = [delta.old_file().path_bytes(), delta.new_file().path_bytes()];
    // A repository inside this one, which is no submodule yet, is reported with a slash at its end.
    paths.into_iter().flatten().map(|path| PathName::new(path.strip_suffix(b"/").unwrap_or(path))).collect()
}

/// In conflict, or announced by `git add -N`: the index has no content that could count.
fn is_unsettled(entry: &IndexEntry) -> bool {
    let extended = IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended);
    entry.flags & STAGE_BITS != 0 || extended.contains(IndexEntryExtendedFlag::INTENT_TO_ADD)
}

fn is_flag(entry: &IndexEntry, flag: IndexEntryFlag) -> bool {
    IndexEntryFlag::from_bits_truncate(entry.flags).contains(flag)
}

fn trusts_mode(repository: &Repository) -> bool {
    repository.config().and_then(|config| config.get_bool("core.filemode")).unwrap_or(true)
}

/// Whether a file that looks as old and as long as before can be taken for the same. Where git is told to look at less, an
/// edit can be made to look like none.
fn trusts_times(repository: &Repository) -> bool {
    let Ok(config) = repository.config() else { return true };
    let is_minimal = config.get_string("core.checkStat").is_ok_and(|value| value.eq_ignore_ascii_case("minimal"));
    !is_minimal && config.get_bool("core.trustctime").unwrap_or(true)
}

/// The paths whose content git rewrites on its way into a commit, by a filter of the project's or by its own mark: what is
/// committed there is not what a workflow reads.
fn rewritten<'p>(
    repository: &Repository,
    texts: &AttributeTexts,
    paths: impl Iterator<Item = &'p PathName>,
) -> Result<BTreeSet<PathName>, Error> {
    let (filter, ident) = (texts.reach("filter"), texts.reach("ident"));
    let mut found = BTreeSet::new();
    for path in paths {
        let attribute = |name: &str| {
            let value = repository.get_attr_bytes(path.as_path(), name, AttrCheckFlags::FILE_THEN_INDEX)?;
            Ok::<_, Error>(AttrValue::from_bytes(value))
        };
        if (filter.has(path) && matches!(attribute("filter")?, AttrValue::String(_) | AttrValue::Bytes(_)))
            || (ident.has(path) && attribute("ident")? == AttrValue::True)
        {
            found.insert(path.clone());
        }
    }
    Ok(found)
}

/// The files below the repository's top folder.
struct Disk<'a> {
    hashing: &'a Repository,
    memory: &'a Mempack<'a>,
    top: &'a Path,
    /// Whether the file system keeps the executable bit (`core.fileMode`).
    trusts_mode: bool,
    /// The paths of which git commits something else than what stands there.
    rewritten: BTreeSet<PathName>,
}

impl Disk<'_> {
    /// What git would store for what stands at a path now; `known` is what the index has.
    fn entry(&self, path: &PathName, known: Option<Entry>) -> Result<Option<Entry>, Error> {
        let full = self.top.join(path.as_path());
        let Ok(metadata) = full.symlink_metadata() else { return Ok(None) };
        if metadata.is_symlink() {
            let target = std::fs::read_link(&full).map_err(|error| Error::from_str(&error.to_string()))?;
            let id = Oid::hash_object(ObjectType::Blob, target.as_os_str().as_bytes())?;
            return Ok(Some(Entry { mode: EntryMode::Symlink, id: object_id(id) }));
        }
        if metadata.is_dir() {
            return Ok(nested_repository(&full, known));
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        let id = match (self.rewritten.contains(path), known) {
            (true, known) => self.as_it_stands(&full, known)?,
            (false, _) => object_id(self.hash(&full, &metadata)?),
        };
        Ok(Some(Entry { mode: self.mode(&metadata, known), id }))
    }

    fn mode(&self, metadata: &Metadata, known: Option<Entry>) -> EntryMode {
        match known {
            Some(entry) if !self.trusts_mode && entry.mode.is_file() => entry.mode,
            _ if metadata.permissions().mode() & 0o100 != 0 => EntryMode::Executable,
            _ => EntryMode::Regular,
        }
    }

    /// The name of what really stands there; that of the commit where a checkout of it would give exactly this.
    fn as_it_stands(&self, full: &Path, known: Option<Entry>) -> Result<ObjectId, Error> {
        let committed = known.filter(|entry| entry.mode.is_file()).map(|entry| entry.id);
        let raw = object_id(Oid::hash_file(ObjectType::Blob, full)?);
        let Some(committed) = committed.filter(|committed| *committed != raw) else { return Ok(raw) };
        let blob = self.hashing.find_blob(Oid::from_bytes(committed.as_bytes())?)?;
        let content = std::fs::read(full).map_err(|error| Error::from_str(&error.to_string()))?;
        Ok(if checked_out_as(blob.content(), committed, &content) { committed } else { raw })
    }

    /// The name that the file would have in git, after `core.autocrlf` and the attributes have been applied.
    fn hash(&self, full: &Path, metadata: &Metadata) -> Result<Oid, Error> {
        if metadata.len() <= FILTERED_SIZE
            && let Ok(id) = self.hashing.blob_path(full)
        {
            self.memory.reset()?;
            return Ok(id);
        }
        Oid::hash_file(ObjectType::Blob, full)
    }
}

/// The commit that is checked out in a submodule. Where files in it were edited, the name is one that no commit has,
/// so that it differs from every pin. A folder that holds no repository keeps the pin of a submodule that was
/// never fetched, and is nothing otherwise.
fn nested_repository(folder: &Path, known: Option<Entry>) -> Option<Entry> {
    let pinned = known.filter(|entry| entry.mode == EntryMode::Submodule);
    if !folder.join(".git").exists() {
        return pinned;
    }
    let opened = Repository::open(folder).ok()?;
    let commit = opened.head().ok()?.target()?;
    let mut options = StatusOptions::new();
    options.include_untracked(true);
    let is_clean = opened.statuses(Some(&mut options)).is_ok_and(|statuses| statuses.is_empty());
    let id = if is_clean {
        commit
    } else {
        Oid::hash_object(ObjectType::Blob, format!("edited over {commit}").as_bytes()).ok()?
    };
    Some(Entry { mode: EntryMode::Submodule, id: object_id(id) })
}
