//! What the lines of a ledger must be to each other.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::entry::{AnswerWord, Entry, LEDGER_SCHEMA};
use super::read::{Errors, Line};
use crate::operations::account::StatementKind;

/// What has been said so far.
#[derive(Default)]
struct Sofar<'a> {
    last: Option<Timestamp>,
    cases: BTreeSet<&'a str>,
    operations: BTreeMap<&'a str, u32>,
    notes: BTreeMap<&'a str, StatementKind>,
    actions: BTreeSet<&'a str>,
}

/// Checks all lines, in order.
pub(super) fn check(lines: &[Line], errors: &mut Errors<'_>) {
    let mut sofar = Sofar::default();
    for (index, line) in lines.iter().enumerate() {
        let mut complain = |message: String, hint: &str| errors.add(line.number, "", message, hint);
        if index == 0 && !matches!(line.entry, Entry::Ledger(_)) {
            complain("the first line is no `ledger`".to_owned(), "The first line names the format and the workflow.");
        }
        if sofar.last.is_some_and(|last| line.at < last) {
            let message = format!("`at` lies before that of an earlier line: `{}`", line.entry.at());
            complain(message, "Entries stand in the order of their times.");
        }
        sofar.last = sofar.last.max(Some(line.at));
        references(line, &sofar, &mut complain);
        numbers(line, &mut complain);
        identities(line, index, &mut sofar, &mut complain);
    }
}

/// Everything that is named must have been introduced before.
fn references(line: &Line, sofar: &Sofar<'_>, complain: &mut impl FnMut(String, &str)) {
    if let Some(case) = line.entry.case_named().filter(|case| !sofar.cases.contains(case.0.as_str())) {
        complain(format!("no earlier line brings in the case `{}`", case.0), "An entry `case` comes first.");
    }
    for operation in line.entry.operations_named() {
        if !sofar.operations.contains_key(operation.0.as_str()) {
            let message = format!("no earlier line intends the operation `{}`", operation.0);
            complain(message, "An entry `operation` comes first.");
        }
    }
    if let Entry::Operation(entry) = &line.entry
        && let Some(action) = entry
            .action
            .as_ref()
            .filter(|action| !sofar.actions.is_empty() && !sofar.actions.contains(action.0.as_str()))
    {
        complain(format!("the first line has no action `{}`", action.0), "Add it to `actions`, or correct the name.");
    }
    if let Entry::Note(entry) = &line.entry
        && let Some(answers) = &entry.answers
        && sofar.notes.get(answers.0.as_str()) != Some(&StatementKind::Question)
    {
        complain(
            format!("no earlier note asks the question `{}`", answers.0),
            "A note about `question` with that `id` comes first.",
        );
    }
}

/// Numbers and words that the types alone do not hold in bounds.
fn numbers(line: &Line, complain: &mut impl FnMut(String, &str)) {
    match &line.entry {
        Entry::Effort(entry) if !(0.0..=100_000.0).contains(&entry.minutes) => {
            complain(format!("`minutes` is out of bounds: {}", entry.minutes), "From 0 to 100000.");
        }
        Entry::Cost(entry) => {
            let amounts = || [entry.model, entry.tool].into_iter().flatten();
            if amounts().next().is_none() {
                complain("a `cost` without `model` and without `tool` costs nothing".to_owned(), "Leave the line out.");
            }
            if amounts().any(|amount| !(0.0..=1e9).contains(&amount)) {
                complain("an amount is out of bounds".to_owned(), "From 0 to 1000000000.");
            }
            if entry.currency.len() != 3 || !entry.currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
                complain("`currency` is no code of three capital letters".to_owned(), "Write ISO 4217: EUR.");
            }
        }
        Entry::Look(entry) if entry.effects > 1000 => {
            complain(format!("`effects` is out of bounds: {}", entry.effects), "From 0 to 1000.");
        }
        Entry::Look(entry) if !entry.readable && (entry.effects > 0 || entry.settled) => {
            complain(
                "a target that could not be read shows nothing".to_owned(),
                "Write `effects` 0 and leave `settled` out.",
            );
        }
        Entry::Attempt(entry) => {
            let says_done = matches!(entry.answered, AnswerWord::Done | AnswerWord::Replayed);
            if entry.receipt.is_some() && !says_done {
                complain("only `done` and `replayed` come with a receipt".to_owned(), "Leave `receipt` out.");
            }
            if entry.reason.is_some() != (entry.answered == AnswerWord::Refused) {
                complain(
                    "`refused` comes with a `reason`, and nothing else does".to_owned(),
                    "Write the target's code.",
                );
            }
        }
        Entry::Note(entry) => {
            if let Some(due) = entry.due.as_ref().filter(|due| due.parse::<Timestamp>().is_err()) {
                complain(format!("`due` is no time: `{due}`"), "Write RFC 3339: 2026-03-02T09:00:00Z.");
            }
        }
        _ => {}
    }
}

/// Identities are given once, and attempts are counted without a gap.
fn identities<'a>(line: &'a Line, index: usize, sofar: &mut Sofar<'a>, complain: &mut impl FnMut(String, &str)) {
    match &line.entry {
        Entry::Ledger(entry) => {
            if index > 0 {
                complain("a second `ledger`".to_owned(), "Only the first line has it.");
            }
            if entry.schema != LEDGER_SCHEMA {
                complain(
                    format!("`{}` is a format that is not known", entry.schema),
                    "This version reads holdpoint.ledger/1.",
                );
            }
            sofar.actions.extend(entry.actions.keys().map(String::as_str));
        }
        Entry::Case(entry) if !sofar.cases.insert(&entry.case.0) => {
            complain(format!("the case `{}` came in before", entry.case.0), "A case comes in once.");
        }
        Entry::Operation(entry) if sofar.operations.insert(&entry.operation.0, 0).is_some() => {
            let hint = "An operation keeps its identity over all its attempts and is intended once.";
            complain(format!("the operation `{}` was intended before", entry.operation.0), hint);
        }
        Entry::Attempt(entry) => {
            if let Some(made) = sofar.operations.get_mut(entry.operation.0.as_str()) {
                if entry.number != *made + 1 {
                    let message = format!("attempt {} follows on attempt {made}", entry.number);
                    complain(message, "Attempts at an operation are counted from 1 without a gap.");
                }
                *made = entry.number.min(u32::MAX - 1);
            }
        }
        Entry::Note(entry) => {
            if let Some(id) = &entry.id
                && sofar.notes.insert(&id.0, entry.about).is_some()
            {
                complain(format!("a note `{}` stands before", id.0), "An `id` is given once.");
            }
        }
        _ => {}
    }
}
