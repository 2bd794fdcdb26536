//! The ledger: a folder of content-addressed records, each naming those that it follows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::change::{PartSnapshot, Snapshot};
use crate::domain::Digest;
use crate::manifest::{DiskFiles, FileSource};

use super::fold;
use super::reading::{self, Finding, OUTPUTS, PARTS, Read};
use super::record::{Baseline, Contents, RECORD_SCHEMA, Record};

/// Keeps git from touching line ends, which would change digests.
const GIT_ATTRIBUTES: &str = "* -text\n";

/// How the name of a file begins that is still being written.
const WRITING: &str = ".writing-";

/// Whether nothing is wrong with the accepted results but that this holdpoint is too old for them.
pub fn all_newer(findings: &[Finding]) -> bool {
    !findings.is_empty() && findings.iter().all(|finding| finding.is_newer)
}

/// So many hints are given at the most.
const HINTS: usize = 3;

/// The fewest digits by which a record can be asked for.
const SHORTEST_PREFIX: usize = 4;

/// A ledger that could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The accepted results are not as they were accepted.
    #[error("the accepted results in `{}` cannot be {}: {}", folder.display(), if all_newer(findings) { "read" } else { "trusted" }, findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Unsound {
        /// The ledger's folder.
        folder: PathBuf,
        /// Everything that is wrong.
        findings: Vec<Finding>,
    },
    /// Something was accepted in the meantime.
    #[error("something else was accepted in the meantime: look again at what is in force, then accept anew")]
    Moved,
    /// A record that does not fit together.
    #[error("the record was not written: {0}")]
    Refused(String),
    /// No record, or more than one, has a digest that begins so.
    #[error(
        "{found} records have a digest that begins with `{prefix}`; give at least {SHORTEST_PREFIX} digits, and enough for one"
    )]
    NoSuchRecord {
        /// What was asked for.
        prefix: String,
        /// How many there are.
        found: usize,
    },
    /// The system refused.
    #[error("`{}` cannot be {what}: {source}", path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// The system's own words.
        source: io::Error,
    },
}

impl LedgerError {
    /// What to do about it, where that can be said.
    pub fn hint(&self) -> Option<String> {
        let Self::Unsound { findings, .. } = self else { return None };
        let mut hints: Vec<&str> = findings.iter().map(|finding| finding.hint.as_str()).collect();
        hints.dedup();
        Some(hints.iter().take(HINTS).copied().collect::<Vec<_>>().join("; "))
    }
}

/// The accepted results, read and checked as a whole.
#[derive(Clone, Debug)]
pub struct Ledger {
    folder: PathBuf,
    records: BTreeMap<Digest, Record>,
    order: Vec<Digest>,
    /// The parts that records keep by digest.
    parts: BTreeMap<Digest, PartSnapshot>,
}

impl Ledger {
    /// Reads the ledger in `folder` and checks all of it. A folder that does not exist is an empty ledger.
    ///
    /// # Errors
    /// [`LedgerError::Unsound`] with everything that is wrong, if anything is.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, LedgerError> {
        let folder = folder.into();
        let read = read_disk(&folder);
        Self::of(folder, read)
    }

    /// Reads and checks as [`Self::open`] does, from the files of a revision in which the ledger is the folder `folder`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn in_revision(files: &dyn FileSource, folder: &str) -> Result<Self, LedgerError> {
        Self::of(PathBuf::from(folder), reading::read(files, folder))
    }

    fn of(folder: PathBuf, read: Read) -> Result<Self, LedgerError> {
        let Read { records, order, parts, findings, .. } = read;
        if findings.is_empty() {
            Ok(Self { folder, records, order, parts })
        } else {
            Err(LedgerError::Unsound { folder, findings })
        }
    }

    /// Everything that is wrong with the ledger in `folder`; empty if nothing is.
    pub fn verify(folder: &Path) -> Vec<Finding> {
        read_disk(folder).findings
    }

    /// The records, each after those that it follows.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = (&Digest, &Record)> {
        self.order.iter().filter_map(|digest| self.records.get_key_value(digest))
    }

    /// One record.
    pub fn record(&self, digest: &Digest) -> Option<&Record> {
        self.records.get(digest)
    }

    /// The parts that a record accepted, in full; `None` where it accepted none.
    pub fn snapshot(&self, record: &Record) -> Option<Snapshot> {
        record.snapshot.as_ref()?.resolve(&self.parts)
    }

    /// The records that are out of force.
    pub fn revoked(&self) -> BTreeSet<&Digest> {
        fold::revoked(&self.records().collect::<Vec<_>>())
    }

    /// The records that no other follows, sorted: one, but for a fork; none in an empty ledger.
    pub fn heads(&self) -> Vec<Digest> {
        fold::heads(&self.records)
    }

    /// What the records add up to.
    pub fn fold(&self) -> Baseline {
        fold::fold(&self.records, &self.order, &self.parts)
    }

    /// What was in force with this record: it and all that it follows, added up.
    pub fn fold_at(&self, digest: &Digest) -> Baseline {
        let kept = self.before(std::slice::from_ref(digest));
        let records = self.records.iter().filter(|(digest, _)| kept.contains(*digest));
        let records: BTreeMap<Digest, Record> =
            records.map(|(digest, record)| (digest.clone(), record.clone())).collect();
        let order: Vec<Digest> = self.order.iter().filter(|digest| records.contains_key(*digest)).cloned().collect();
        fold::fold(&records, &order, &self.parts)
    }

    /// These records and all before them.
    fn before(&self, heads: &[Digest]) -> BTreeSet<&Digest> {
        let mut known: BTreeSet<&Digest> = BTreeSet::new();
        let named = heads.iter().filter_map(|head| self.records.get_key_value(head));
        let mut next: Vec<&Digest> = named.map(|(digest, _)| digest).collect();
        while let Some(digest) = next.pop() {
            if known.insert(digest) {
                let parents = self.records.get(digest).into_iter().flat_map(|record| &record.parents);
                next.extend(parents.filter(|parent| self.records.contains_key(*parent)));
            }
        }
        known
    }

    /// The record whose hexadecimal digest begins with `prefix`.
    ///
    /// # Errors
    /// When there is none or more than one, or the prefix is too short to mean one.
    pub fn find(&self, prefix: &str) -> Result<&Digest, LedgerError> {
        let wanted = prefix.strip_prefix("sha256:").unwrap_or(prefix);
        let long_enough = wanted.len() >= SHORTEST_PREFIX;
        let found: Vec<&Digest> =
            self.records.keys().filter(|digest| long_enough && digest.hex().starts_with(wanted)).collect();
        match found[..] {
            [digest] => Ok(digest),
            _ => Err(LedgerError::NoSuchRecord { prefix: prefix.to_owned(), found: found.len() }),
        }
    }

    /// The records that are not among `heads` and not before them.
    pub fn newer_than(&self, heads: &[Digest]) -> Vec<&Record> {
        let known = self.before(heads);
        self.records().filter(|(digest, _)| !known.contains(digest)).map(|(_, record)| record).collect()
    }

    /// What an earlier state of the ledger's folder had and this one has not: a chain of records cannot tell that its
    /// newest link was taken away, git can. `earlier` are file names of that folder at that time.
    pub fn lost_since<'a>(&self, earlier: impl IntoIterator<Item = &'a str>) -> Vec<Finding> {
        let is_record = |name: &&str| !name.contains('/') && name.ends_with(".json") && !name.starts_with('.');
        let now: BTreeSet<String> = self.records.keys().map(reading::file_name).collect();
        let lost = earlier.into_iter().filter(is_record).filter(|name| !now.contains(*name));
        lost.map(|name| {
            let problem = "an earlier commit has it, and it was taken away since".to_owned();
            let restore = reading::restore_hint(name);
            let hint = format!("{restore}; to take an acceptance back, revoke it: `holdpoint baseline revoke`");
            Finding::damage(name.to_owned(), problem, hint)
        })
        .collect()
    }

    /// The text of an accepted answer.
    ///
    /// # Errors
    /// When it cannot be read or is not what was accepted.
    pub fn output(&self, digest: &Digest) -> Result<String, LedgerError> {
        let (files, folder) = on_disk(&self.folder);
        self.output_in(&files, &folder, digest)
    }

    /// The text of an accepted answer, from files in which the ledger is the folder `folder`.
    ///
    /// # Errors
    /// As [`Self::output`].
    pub fn output_in(&self, files: &dyn FileSource, folder: &str, digest: &Digest) -> Result<String, LedgerError> {
        let name = reading::output_name(digest);
        let unsound = |problem: String| LedgerError::Unsound {
            folder: self.folder.clone(),
            findings: vec![Finding::damage(name.clone(), problem, reading::restore_hint(&name))],
        };
        let bytes = files.read(&format!("{folder}/{name}"));
        let bytes = bytes.map_err(|error| unsound(format!("it cannot be read: {error}")))?;
        let text = String::from_utf8(bytes).ok().filter(|text| Digest::of(text.as_bytes()) == *digest);
        text.ok_or_else(|| unsound("it was changed after acceptance".to_owned()))
    }

    /// Appends a record with the answers and parts that it refers to, and gives its digest. Nothing that exists is
    /// touched; a crash at any moment leaves the ledger as it was, or with the whole record in it.
    ///
    /// # Errors
    /// [`LedgerError::Moved`] where the record does not follow the newest records any more, the other kinds where the
    /// ledger is unsound, the record does not fit, or the system refuses.
    pub fn append(&mut self, record: &Record, contents: &Contents) -> Result<Digest, LedgerError> {
        if self.folder.is_symlink() {
            return Err(LedgerError::Unsound { folder: self.folder.clone(), findings: Self::verify(&self.folder) });
        }
        std::fs::create_dir_all(&self.folder).map_err(|source| failed("created", &self.folder, source))?;
        let lock = File::open(&self.folder).map_err(|source| failed("opened", &self.folder, source))?;
        // Held until `lock` is dropped, also by a crash.
        lock.lock().map_err(|source| failed("locked", &self.folder, source))?;
        self.clear_leftovers();
        let present = read_disk(&self.folder);
        if !present.findings.is_empty() {
            return Err(LedgerError::Unsound { folder: self.folder.clone(), findings: present.findings });
        }
        let mut parents = record.parents.clone();
        parents.sort_unstable();
        if parents != fold::heads(&present.records) {
            return Err(LedgerError::Moved);
        }
        check(record, contents, &present)?;
        let text = record.text().map_err(|error| LedgerError::Refused(error.to_string()))?;
        let digest = Digest::of(text.as_bytes());
        self.write_attributes()?;
        let outputs = contents.outputs.iter().filter(|(output, _)| !present.outputs.contains(output));
        self.write_kept(OUTPUTS, "txt", outputs)?;
        let parts = contents.parts.iter().filter(|(part, _)| !present.parts.contains_key(part));
        self.write_kept(PARTS, "json", parts)?;
        // The record comes last: what it refers to is on disk before anything refers to it.
        write_new(&self.folder, &reading::file_name(&digest), &text)?;
        sync_folder(&self.folder)?;
        *self = Self::open(&self.folder)?;
        Ok(digest)
    }

    /// Takes away what a killed writer left half-written. Only whoever holds the lock may.
    fn clear_leftovers(&self) {
        for folder in [self.folder.clone(), self.folder.join(OUTPUTS), self.folder.join(PARTS)] {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(WRITING) {
                    // No reader ever looks at such a file; that it stays harms nothing.
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
    }

    fn write_kept<'a>(
        &self,
        shelf: &str,
        extension: &str,
        texts: impl Iterator<Item = (&'a Digest, &'a String)>,
    ) -> Result<(), LedgerError> {
        let folder = self.folder.join(shelf);
        std::fs::create_dir_all(&folder).map_err(|source| failed("created", &folder, source))?;
        for (digest, text) in texts {
            write_new(&folder, &format!("{}.{extension}", digest.hex()), text)?;
        }
        sync_folder(&folder)
    }

    fn write_attributes(&self) -> Result<(), LedgerError> {
        if self.folder.join(".gitattributes").exists() {
            return Ok(());
        }
        write_new(&self.folder, ".gitattributes", GIT_ATTRIBUTES)
    }
}

fn read_disk(folder: &Path) -> Read {
    let (files, name) = on_disk(folder);
    reading::read(&files, &name)
}

/// The files around a ledger's folder, and the folder's name among them.
fn on_disk(folder: &Path) -> (DiskFiles, String) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (DiskFiles::new(folder.parent().unwrap_or(folder)), name)
}

/// What a record must be before it is written, beside following the newest ones.
fn check(record: &Record, contents: &Contents, present: &Read) -> Result<(), LedgerError> {
    if record.schema != RECORD_SCHEMA {
        return Err(LedgerError::Refused(format!("its format is `{}`", record.schema)));
    }
    if fold::accepted_at(record).is_none() {
        return Err(LedgerError::Refused(format!("`{}` is no time in RFC 3339", record.accepted)));
    }
    for (digest, text) in contents.outputs.iter().chain(&contents.parts) {
        if Digest::of(text.as_bytes()) != *digest {
            return Err(LedgerError::Refused(format!("a text that it refers to does not have the digest {digest}")));
        }
    }
    for (case, accepted) in &record.cases {
        let has = |output: &Digest| contents.outputs.contains_key(output) || present.outputs.contains(output);
        if accepted.output.as_ref().is_some_and(|output| !has(output)) {
            return Err(LedgerError::Refused(format!("the accepted answer of {case} was not handed in")));
        }
    }
    for (part, kept) in record.snapshot.iter().flat_map(|snapshot| snapshot.kept()) {
        if !contents.parts.contains_key(kept) && !present.parts.contains_key(kept) {
            return Err(LedgerError::Refused(format!("the accepted form of {part} was not handed in")));
        }
    }
    Ok(())
}

/// Writes a file that does not exist yet: whole and on disk under another name first, then named.
fn write_new(folder: &Path, name: &str, text: &str) -> Result<(), LedgerError> {
    let path = folder.join(name);
    let fail = |source| failed("written", &path, source);
    let mut file = tempfile::Builder::new()
        .prefix(WRITING)
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist_noclobber(&path).map_err(|error| fail(error.error))?;
    Ok(())
}

fn sync_folder(folder: &Path) -> Result<(), LedgerError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| failed("written", folder, source))
}

fn failed(what: &'static str, path: &Path, source: io::Error) -> LedgerError {
    LedgerError::Io { what, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
