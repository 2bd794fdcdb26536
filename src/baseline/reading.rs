//! Reading a ledger's folder, and everything that can be wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;

use serde_json::Value;

use crate::domain::{Digest, canonical_json};

use super::fold;
use super::record::{RECORD_SCHEMA, Record};

/// The folder of the accepted answers, inside the ledger's.
pub(super) const OUTPUTS: &str = "outputs";

/// One thing that is wrong with the accepted results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the ledger's folder.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.problem)
    }
}

/// All that a ledger's folder holds, and all that is wrong with it.
pub(super) struct Read {
    pub(super) records: BTreeMap<Digest, Record>,
    /// The records in the order of their chain; empty where there is none.
    pub(super) order: Vec<Digest>,
    pub(super) outputs: BTreeSet<Digest>,
    pub(super) findings: Vec<Finding>,
}

/// Reads everything. A folder that does not exist holds nothing.
pub(super) fn read(folder: &Path) -> Read {
    let mut read = Read { records: BTreeMap::new(), order: Vec::new(), outputs: BTreeSet::new(), findings: Vec::new() };
    let (files, findings) = content_addressed(folder, "", "json");
    read.findings.extend(findings);
    for (digest, bytes) in files {
        match parse(&bytes) {
            Ok(record) => drop(read.records.insert(digest, record)),
            Err((problem, hint)) => read.findings.push(Finding { file: file_name(&digest), problem, hint }),
        }
    }
    let (outputs, findings) = content_addressed(&folder.join(OUTPUTS), "outputs/", "txt");
    read.outputs = outputs.into_keys().collect();
    read.findings.extend(findings);
    let broken: BTreeSet<String> = read.findings.iter().map(|finding| finding.file.clone()).collect();
    let references = references(&read);
    // A file that is there and broken is named once, for what is wrong with it.
    read.findings.extend(references.into_iter().filter(|finding| !broken.contains(&finding.file)));
    match fold::chain_order(&read.records) {
        Ok(order) => read.order = order,
        Err(cycle) => read.findings.extend(cycle.iter().map(|digest| Finding {
            file: file_name(digest),
            problem: "it follows itself over its parents".to_owned(),
            hint: restore_hint(&file_name(digest)),
        })),
    }
    read
}

/// A record's file, relative to the ledger's folder.
pub(super) fn file_name(digest: &Digest) -> String {
    format!("{}.json", digest.hex())
}

/// An accepted answer's file, relative to the ledger's folder.
pub(super) fn output_name(digest: &Digest) -> String {
    format!("{OUTPUTS}/{}.txt", digest.hex())
}

pub(super) fn restore_hint(file: &str) -> String {
    format!("`git log --all -- '*{file}'` shows what was done to it; `git restore --source COMMIT` brings it back")
}

/// The files `<hex digest>.<extension>` of one folder whose content is what their name says. Hidden files and files of
/// other kinds are none of the ledger's.
fn content_addressed(folder: &Path, prefix: &str, extension: &str) -> (BTreeMap<Digest, Vec<u8>>, Vec<Finding>) {
    let (mut files, mut findings) = (BTreeMap::new(), Vec::new());
    let names = match names(folder, extension) {
        Ok(names) => names,
        Err(error) => {
            findings.push(Finding {
                file: prefix.to_owned(),
                problem: format!("the folder cannot be read: {error}"),
                hint: "the accepted results must be readable".to_owned(),
            });
            Vec::new()
        }
    };
    for name in names {
        let file = format!("{prefix}{name}");
        match content(&folder.join(&name), &name, extension) {
            Ok((digest, bytes)) => drop(files.insert(digest, bytes)),
            Err(problem) => findings.push(Finding { hint: restore_hint(&file), file, problem }),
        }
    }
    (files, findings)
}

fn names(folder: &Path, extension: &str) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_meant = Path::new(&name).extension().is_some_and(|found| found == extension);
        if is_meant && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn content(path: &Path, name: &str, extension: &str) -> Result<(Digest, Vec<u8>), String> {
    let hex = name.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.')).unwrap_or(name);
    let named = Digest::try_from(format!("sha256:{hex}"))
        .map_err(|_| "its name is no digest, so nothing vouches for its content".to_owned())?;
    let bytes = std::fs::read(path).map_err(|error| format!("it cannot be read: {error}"))?;
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

fn parse(bytes: &[u8]) -> Result<Record, (String, String)> {
    let by_hand = || "records are written by `holdpoint baseline` alone".to_owned();
    let value: Value = serde_json::from_slice(bytes).map_err(|error| (format!("it is no JSON: {error}"), by_hand()))?;
    let schema = value.get("schema").and_then(Value::as_str).unwrap_or_default().to_owned();
    if schema != RECORD_SCHEMA {
        let problem = format!("its format is `{schema}`, and this holdpoint reads `{RECORD_SCHEMA}` alone");
        return Err((problem, "a newer holdpoint may have written it: use that one".to_owned()));
    }
    if canonical_json(&value).as_bytes() != bytes {
        return Err(("it is not in canonical form".to_owned(), by_hand()));
    }
    let record: Record =
        serde_json::from_value(value).map_err(|error| (format!("it is no record: {error}"), by_hand()))?;
    if fold::accepted_at(&record).is_none() {
        return Err((format!("`{}` is no time of acceptance", record.accepted), by_hand()));
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
    }
    missing.into_iter().map(|(file, problem)| Finding { hint: restore_hint(&file), file, problem }).collect()
}
