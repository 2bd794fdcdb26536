//! The failure table of an exercise, laid out for people.

use std::collections::BTreeMap;

use crate::domain::{counted, some_of};
use crate::exercise::{ExerciseTable, Finding, LearnedCall, OperationShown, RowResult, RowVerdict};

use super::failures::effects_words;
use super::paper::{OnSheet, push_remarks};
use super::sheet::Sheet;

/// The most rows that a finding names.
const NAMED: usize = 4;

impl OnSheet for ExerciseTable {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new(format!("Exercise of {}", self.workflow));
        let facts = [
            ("Began", self.started.clone()),
            ("Ended", self.finished.clone()),
            ("Parts", self.fingerprint.clone()),
            ("Calls of the clean run", calls(self)),
            ("Rows", counts(self)),
        ];
        let not_failed = ("Not failed, since no manifest describes them", self.not_failed.join(", "));
        sheet.facts(facts.into_iter().chain((!self.not_failed.is_empty()).then_some(not_failed)));
        push_findings(&mut sheet, self);
        for (name, rows) in groups(self) {
            sheet.heading(name);
            let telling = || rows.iter().filter(|row| is_telling(row.verdict));
            if telling().next().is_some() {
                let head = ["fault", "target shows", "claimed", "second run", "found"];
                sheet.table(&head, telling().map(|row| cells(self, row)).collect());
            }
            for (verdict, words) in [
                (RowVerdict::Sound, "Sound under"),
                (RowVerdict::AsClean, "No more than the clean run shows, under"),
                (RowVerdict::NotFired, "The workflow never gets to"),
            ] {
                let names: Vec<&str> =
                    rows.iter().filter(|row| row.verdict == verdict).map(|row| short_name(row)).collect();
                if !names.is_empty() {
                    sheet.text(format!("{words}: {}.", names.join(", ")));
                }
            }
        }
        sheet.heading("How to read this");
        let between = if self.restarts { "follows a restart, on the same state" } else { "is on the same state" };
        sheet.list([
            "A row is named after its call and its fault, as in CALL.lost-ack; `holdpoint exercise --keep ROW` keeps it \
             as a case."
                .to_owned(),
            format!("What the target shows and what is claimed is as of the end of the first run, for the operation whose call \
             was failed. The second run {between}."),
        ]);
        push_remarks(&mut sheet, &self.remarks);
        sheet
    }
}

fn is_telling(verdict: RowVerdict) -> bool {
    matches!(verdict, RowVerdict::Found | RowVerdict::Uncertain | RowVerdict::Errored)
}

fn calls(table: &ExerciseTable) -> String {
    let calls: Vec<String> = table.calls.iter().map(|call| format!("{}/{}", call.connector, call.operation)).collect();
    calls.join(", ")
}

fn counts(table: &ExerciseTable) -> String {
    let all = [
        (RowVerdict::Found, "with findings"),
        (RowVerdict::Uncertain, "uncertain"),
        (RowVerdict::Errored, "errored"),
        (RowVerdict::AsClean, "no more than the clean run"),
        (RowVerdict::NotFired, "whose fault never fell"),
        (RowVerdict::Sound, "sound"),
    ];
    let shown: Vec<String> = all
        .into_iter()
        .map(|(verdict, words)| (table.count(verdict), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    format!("{}: {}", table.rows.len(), shown.join(", "))
}

/// Something that is wrong: as it was seen first, and the rows that show it.
struct Shown<'a> {
    first: &'a Finding,
    rows: Vec<&'a RowResult>,
}

/// Each thing that is wrong once, with the rows that show it.
fn push_findings(sheet: &mut Sheet, table: &ExerciseTable) {
    let mut shown: BTreeMap<(&str, Option<&str>), Shown<'_>> = BTreeMap::new();
    for row in &table.rows {
        for finding in &row.findings {
            let key = (finding.rule.as_str(), finding.operation.as_ref().map(|operation| operation.as_str()));
            let rows = &mut shown.entry(key).or_insert_with(|| Shown { first: finding, rows: Vec::new() }).rows;
            if rows.last().is_none_or(|last| last.id != row.id) {
                rows.push(row);
            }
        }
    }
    if shown.is_empty() {
        return;
    }
    sheet.heading("What is wrong");
    let rows = shown.into_iter().map(|((rule, operation), Shown { first, rows })| {
        let named = some_of(rows.iter().map(|row| &row.id), NAMED);
        let operation = operation.unwrap_or_default().to_owned();
        vec![rule.to_owned(), operation, first.message.clone(), named]
    });
    sheet.table(&["rule", "operation", "what was seen first", "rows"], rows.collect());
}

/// The rows by the call that they fail, the clean one first and pairs last.
fn groups(table: &ExerciseTable) -> Vec<(String, Vec<&RowResult>)> {
    let mut groups: Vec<(String, Vec<&RowResult>)> = Vec::new();
    for row in &table.rows {
        let name = match row.faults.as_slice() {
            [] => "Without a fault".to_owned(),
            [_] => row.id.rsplit_once('.').map_or(row.id.as_str(), |(call, _)| call).to_owned(),
            _ => "Pairs of faults".to_owned(),
        };
        match groups.last_mut() {
            Some((last, rows)) if *last == name => rows.push(row),
            _ => groups.push((name, vec![row])),
        }
    }
    groups
}

/// The fault's part of a row's name.
fn short_name(row: &RowResult) -> &str {
    match row.faults.as_slice() {
        [_] => row.id.rsplit_once('.').map_or(row.id.as_str(), |(_, fault)| fault),
        _ => &row.id,
    }
}

fn cells(table: &ExerciseTable, row: &RowResult) -> Vec<String> {
    if let Some(problem) = row.first.problem.as_ref().or(row.again.problem.as_ref()) {
        return vec![short_name(row).to_owned(), problem.clone(), String::new(), String::new(), "errored".to_owned()];
    }
    let concerned: Vec<&OperationShown> = concerned(table, row);
    // Only where there are several does it need saying which is which.
    let name = |shown: &OperationShown| {
        if concerned.len() > 1 { format!("{} ", shown.operation) } else { String::new() }
    };
    let target = concerned.iter().map(|shown| {
        let (effects, attempts) = (effects_words(Some(shown.effects)), counted(shown.attempts, "attempt"));
        format!("{}{}: {effects}, {attempts}", name(shown), shown.outcome.name())
    });
    let claims = concerned.iter().map(|shown| match shown.claim {
        Some(claim) => format!("{}{} ({})", name(shown), claim.name(), shown.claim_check),
        None => format!("{}nothing", name(shown)),
    });
    let found = if row.findings.is_empty() { row.verdict.name().to_owned() } else { found(row, &concerned) };
    vec![
        short_name(row).to_owned(),
        target.collect::<Vec<_>>().join("; "),
        claims.collect::<Vec<_>>().join("; "),
        row.second_run.clone(),
        found,
    ]
}

/// The operations whose calls a row fails, as the first run left them; all of them where it fails none.
fn concerned<'a>(table: &ExerciseTable, row: &'a RowResult) -> Vec<&'a OperationShown> {
    let is_failed = |call: &&LearnedCall| {
        let is_at = |fault: &crate::manifest::FaultSpec| {
            (&fault.connector, &fault.operation, fault.attempt) == (&call.connector, &call.operation, call.occurrence)
        };
        row.faults.iter().any(is_at)
    };
    let intentions: Vec<_> = table.calls.iter().filter(is_failed).filter_map(|call| call.intention.as_ref()).collect();
    let operations = row.first.operations.iter();
    operations.filter(|shown| row.faults.is_empty() || intentions.contains(&&shown.operation)).collect()
}

/// The rules that a row breaks, each once; with the operation where that is another one.
fn found(row: &RowResult, concerned: &[&OperationShown]) -> String {
    let mut names: Vec<String> = Vec::new();
    for finding in &row.findings {
        let elsewhere = finding.operation.as_ref().filter(|id| concerned.iter().all(|shown| shown.operation != **id));
        let mut name = finding.rule.clone();
        if let Some(operation) = elsewhere {
            name.push_str(&format!(" of {operation}"));
        }
        if finding.after_second_run {
            name.push_str(" (second run)");
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join("; ")
}
