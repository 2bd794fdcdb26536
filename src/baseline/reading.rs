//! Reading a ledger's folder, and everything that can be wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::change::PartSnapshot;
use crate::domain::{Digest, canonical_json};
use crate::manifest::{EntryKind, FileSource};

use super::fold;
use super::record::{READ_SCHEMAS, RECORD_SCHEMA, Record};

/// The folder of the accepted answers, inside the ledger's.
pub(super) const OUTPUTS: &str = "outputs";

/// The folder of the parts that records keep by digest, inside the ledger's.
pub(super) const PARTS: &str = "parts";

/// One thing that is wrong with the accepted results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the ledger's folder.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
    /// Whether it is nothing but a format of a later time.
    pub is_newer: bool,
}

impl Finding {
    /// Something that is not as it was accepted.
    pub(super) fn damage(file: String, problem: String, hint: String) -> Self {
        Self { file, problem, hint, is_newer: false }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.problem)
    }
}

/// All that a ledger's folder holds, and all that is wrong with it.
#[derive(Default)]
pub(super) struct Read {
    pub(super) records: BTreeMap<Digest, Record>,
    /// The records in the order of their chain; empty where there is none.
    pub(super) order: Vec<Digest>,
    pub(super) parts: BTreeMap<Digest, PartSnapshot>,
    pub(super) outputs: BTreeSet<Digest>,
    pub(super) findings: Vec<Finding>,
}

/// Reads the ledger in the folder `folder` of `files`. A folder that does not exist holds nothing.
pub(super) fn read(files: &dyn FileSource, folder: &str) -> Read {
    let mut read = Read { findings: links(files, folder), ..Read::default() };
    if !read.findings.is_empty() {
        // What a link leads to is not the project's, and is not looked at.
        return read;
    }
    let shelves = match Shelves::of(files, folder) {
        Ok(shelves) => shelves,
        Err(finding) => {
            read.findings.push(finding);
            return read;
        }
    };
    let reader = Reader { files, folder };
    for (digest, bytes) in reader.content_addressed(&shelves.records, "", "json", &mut read.findings) {
        match parse(&bytes) {
            Ok(record) => drop(read.records.insert(digest, record)),
            Err(NoRecord { problem, hint, is_newer }) => {
                read.findings.push(Finding { file: file_name(&digest), problem, hint, is_newer });
            }
        }
    }
    for (digest, bytes) in reader.content_addressed(&shelves.parts, PARTS, "json", &mut read.findings) {
        match serde_json::from_slice(&bytes) {
            Ok(part) => drop(read.parts.insert(digest, part)),
            Err(error) => {
                let problem = format!("it is no part: {error}");
                read.findings.push(Finding::damage(part_name(&digest), problem, BY_HAND.to_owned()));
            }
        }
    }
    let outputs = reader.content_addressed(&shelves.outputs, OUTPUTS, "txt", &mut read.findings);
    read.outputs = outputs.into_keys().collect();
    let broken: BTreeSet<String> = read.findings.iter().map(|finding| finding.file.clone()).collect();
    let references = references(&read);
    // A file that is there and broken is named once, for what is wrong with it.
    read.findings.extend(references.into_iter().filter(|finding| !broken.contains(&finding.file)));
    match fold::chain_order(&read.records) {
        Ok(order) => read.order = order,
        Err(cycle) => read.findings.extend(cycle.iter().map(|digest| {
            let (file, problem) = (file_name(digest), "it follows itself over its parents".to_owned());
            Finding::damage(file.clone(), problem, restore_hint(&file))
        })),
    }
    read
}

const BY_HAND: &str = "records are written by `holdpoint baseline` alone";

/// A record's file, relative to the ledger's folder.
pub(super) fn file_name(digest: &Digest) -> String {
    format!("{}.json", digest.hex())
}

/// An accepted answer's file, relative to the ledger's folder.
pub(super) fn output_name(digest: &Digest) -> String {
    format!("{OUTPUTS}/{}.txt", digest.hex())
}

/// A part's file, relative to the ledger's folder.
pub(super) fn part_name(digest: &Digest) -> String {
    format!("{PARTS}/{}.json", digest.hex())
}

pub(super) fn restore_hint(file: &str) -> String {
    format!("`git log --all -- '*{file}'` shows what was done to it; `git restore --source COMMIT` brings it back")
}

/// The ledger's folder, or a folder in it, as a symbolic link: accepted results would be read from and written to
/// a place that the project does not have.
fn links(files: &dyn FileSource, folder: &str) -> Vec<Finding> {
    let inside = [OUTPUTS, PARTS].map(|name| (format!("{folder}/{name}"), format!("{name}/")));
    let places = [(folder.to_owned(), format!("{folder}/"))].into_iter().chain(inside);
    let links = places.filter(|(path, _)| files.kind(path) == Some(EntryKind::Symlink));
    links
        .map(|(_, file)| {
            let problem = "it is a symbolic link, and accepted results would lie elsewhere";
            Finding::damage(file, problem.to_owned(), "put the folder itself there".to_owned())
        })
        .collect()
}

/// The names of the files of each kind. Hidden files and files of other kinds are none of the ledger's.
#[derive(Default)]
struct Shelves {
    records: Vec<String>,
    parts: Vec<String>,
    outputs: Vec<String>,
}

impl Shelves {
    fn of(files: &dyn FileSource, folder: &str) -> Result<Self, Finding> {
        let paths = files.list(folder).map_err(|error| {
            let problem = format!("the folder cannot be read: {error}");
            Finding::damage(format!("{folder}/"), problem, "the accepted results must be readable".to_owned())
        })?;
        let mut shelves = Self::default();
        for path in paths.iter().filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/')) {
            let (shelf, name, extension) = match path.split_once('/') {
                Some((OUTPUTS, name)) => (&mut shelves.outputs, name, ".txt"),
                Some((PARTS, name)) => (&mut shelves.parts, name, ".json"),
                // A folder where a record should be is named by its own name, and cannot be read.
                Some((other, _)) => (&mut shelves.records, other, ".json"),
                None => (&mut shelves.records, path, ".json"),
            };
            if name.ends_with(extension) && !name.starts_with('.') {
                shelf.push(name.to_owned());
            }
        }
        for shelf in [&mut shelves.records, &mut shelves.parts, &mut shelves.outputs] {
            shelf.sort_unstable();
            shelf.dedup();
        }
        Ok(shelves)
    }
}

struct Reader<'a> {
    files: &'a dyn FileSource,
    folder: &'a str,
}

impl Reader<'_> {
    /// The files `<hex digest>.<extension>` whose content is what their name says; the others become findings.
    fn content_addressed(
        &self,
        names: &[String],
        shelf: &str,
        extension: &str,
        findings: &mut Vec<Finding>,
    ) -> BTreeMap<Digest, Vec<u8>> {
        let mut found = BTreeMap::new();
        for name in names {
            let file = if shelf.is_empty() { name.clone() } else { format!("{shelf}/{name}") };
            match self.content(&file, name, extension) {
                Ok((digest, bytes)) => drop(found.insert(digest, bytes)),
                Err(problem) => findings.push(Finding::damage(file.clone(), problem, restore_hint(&file))),
            }
        }
        found
    }

    fn content(&self, file: &str, name: &str, extension: &str) -> Result<(Digest, Vec<u8>), String> {
        let hex = name.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.')).unwrap_or(name);
        let named = Digest::try_from(format!("sha256:{hex}"))
            .map_err(|_| "its name is no digest, so nothing vouches for its content".to_owned())?;
        let bytes = self.files.read(&format!("{}/{file}", self.folder));
        let bytes = bytes.map_err(|error| format!("it cannot be read: {error}"))?;
        let actual = Digest::of(&bytes);
        if actual == named {
            return Ok((named, bytes));
        }
        let how = match bytes.last() {
            None => "it is empty".to_owned(),
            Some(last) if extension == "json" && *last != b'}' => "it was cut off or overwritten".to_owned(),
            Some(_) => "it was changed after acceptance".to_owned(),
        };
        Err(format!("{how}: its content has the digest {}, its name says {}", actual.short(), named.short()))
    }
}

/// Why a file holds no record that can be read.
struct NoRecord {
    problem: String,
    hint: String,
    is_newer: bool,
}

/// What the names of formats begin with; a number follows.
const SCHEMA: &str = "holdpoint.baseline/";

fn format_number(schema: &str) -> Option<u32> {
    schema.strip_prefix(SCHEMA)?.parse().ok()
}

fn parse(bytes: &[u8]) -> Result<Record, NoRecord> {
    let by_hand = |problem: String| NoRecord { problem, hint: BY_HAND.to_owned(), is_newer: false };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| by_hand(format!("it is no JSON: {error}")))?;
    let schema = value.get("schema").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !READ_SCHEMAS.contains(&schema.as_str()) {
        let problem = format!("its format is `{schema}`, and this holdpoint reads up to `{RECORD_SCHEMA}`");
        if format_number(&schema) <= format_number(RECORD_SCHEMA) {
            return Err(by_hand(problem));
        }
        let hint = "a newer holdpoint wrote it: use that one, or one newer still".to_owned();
        return Err(NoRecord { problem, hint, is_newer: true });
    }
    if canonical_json(&value).as_bytes() != bytes {
        return Err(by_hand("it is not in canonical form".to_owned()));
    }
    let record: Record = serde_json::from_value(value).map_err(|error| by_hand(format!("it is no record: {error}")))?;
    if fold::accepted_at(&record).is_none() {
        return Err(by_hand(format!("`{}` is no time of acceptance", record.accepted)));
    }
    Ok(record)
}

/// What records name and the folder does not hold.
fn references(read: &Read) -> Vec<Finding> {
    let mut missing: BTreeMap<String, String> = BTreeMap::new();
    for (digest, record) in &read.records {
        for parent in record.parents.iter().filter(|parent| !read.records.contains_key(*parent)) {
            missing
                .entry(file_name(parent))
                .or_insert_with(|| format!("it is gone, and {} follows it", digest.short()));
        }
        for revoked in record.revokes.iter().filter(|revoked| !read.records.contains_key(*revoked)) {
            missing
                .entry(file_name(revoked))
                .or_insert_with(|| format!("it is gone, and {} revokes it", digest.short()));
        }
        for (case, accepted) in &record.cases {
            if let Some(output) = accepted.output.as_ref().filter(|output| !read.outputs.contains(*output)) {
                let problem = || format!("it is gone, and {} accepted it as the answer of {case}", digest.short());
                missing.entry(output_name(output)).or_insert_with(problem);
            }
        }
        let kept = record.snapshot.iter().flat_map(|snapshot| snapshot.kept());
        for (part, kept) in kept.filter(|(_, kept)| !read.parts.contains_key(*kept)) {
            missing
                .entry(part_name(kept))
                .or_insert_with(|| format!("it is gone, and {} has {part} in that form", digest.short()));
        }
    }
    missing.into_iter().map(|(file, problem)| Finding::damage(file.clone(), problem, restore_hint(&file))).collect()
}
