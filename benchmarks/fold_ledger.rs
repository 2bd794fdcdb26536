//! Reads and folds a long ledger, for `./bench`: `fold_ledger write FOLDER CASES ACCEPTANCES CHANGED` makes one of so many
//! acceptances, the first of all cases and each later one of some; `fold_ledger read FOLDER` checks and folds it.
//!
//! `read` prints the seconds that this took, the records and the cases in force.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use holdpoint::baseline::{AcceptedCase, Ledger, RECORD_SCHEMA, Record, Scope};
use holdpoint::domain::{CaseId, CaseStatus, Digest, Question, Risk, RunId};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder, cases, acceptances, changed] => {
            write(Path::new(folder), cases.parse()?, acceptances.parse()?, changed.parse()?)
        }
        ["read", folder] => read(Path::new(folder)),
        _ => Err("usage: fold_ledger write FOLDER CASES ACCEPTANCES CHANGED | fold_ledger read FOLDER".into()),
    }
}

/// Writes the files as appending would, without reading the whole ledger before each.
fn write(folder: &Path, cases: usize, acceptances: usize, changed: usize) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder.join("outputs"))?;
    let mut parents = Vec::new();
    for number in 0..acceptances {
        let output = format!("answer {number}\n");
        let digest = Digest::of(output.as_bytes());
        fs::write(folder.join(format!("outputs/{}.txt", digest.hex())), output)?;
        let which: Vec<usize> = if number == 0 {
            (0..cases).collect()
        } else {
            (0..changed).map(|one| (number * changed + one) % cases).collect()
        };
        let record = record(number, parents, &which, &digest);
        let text = record.text()?;
        let digest = Digest::of(text.as_bytes());
        fs::write(folder.join(format!("{}.json", digest.hex())), text)?;
        parents = vec![digest];
    }
    Ok(())
}

fn record(number: usize, parents: Vec<Digest>, which: &[usize], output: &Digest) -> Record {
    let accepted = |case: usize| AcceptedCase {
        set: Risk::from("access"),
        digest: Digest::of(format!("form {case}").as_bytes()),
        status: CaseStatus::Passed,
        passed: 1,
        trials: 1,
        output: Some(output.clone()),
        outcomes: BTreeMap::from([(format!("op-{case}"), "committed".to_owned())]),
        failing: Vec::new(),
        question: Question::default(),
    };
    Record {
        schema: RECORD_SCHEMA.to_owned(),
        parents,
        by: "the bench".to_owned(),
        reason: "to be measured".to_owned(),
        accepted: format!("2026-01-01T{:02}:{:02}:00Z", number / 60 % 24, number % 60),
        run: RunId::new(format!("run-{number}")),
        reviewed: None,
        commit: None,
        fingerprint: Digest::of(b"fingerprint"),
        scope: Scope::Cases,
        snapshot: None,
        cases: which.iter().map(|case| (CaseId::new(format!("case-{case:05}")), accepted(*case))).collect(),
        removed: Vec::new(),
        revokes: Vec::new(),
    }
}

fn read(folder: &Path) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let ledger = Ledger::open(folder)?;
    let baseline = ledger.fold();
    let seconds = begun.elapsed().as_secs_f64();
    writeln!(std::io::stdout(), "{seconds:.4} {} {}", baseline.records, baseline.cases.len())?;
    Ok(())
}
