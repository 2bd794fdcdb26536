//! The accepted results as a command finds them: from which files they are read, whether anything was taken from them,
//! and what in them is new.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::baseline::{Baseline, Finding, Ledger, LedgerError, Record, Scope, all_newer};
use crate::change::{BaseKind, HistoryReach, Sides, SidesRequest};
use crate::domain::{CaseStatus, Digest, some_of};
use crate::evidence::excerpt;
use crate::manifest::FileSource;
use crate::verdict::BaselineState;

use super::{PipelineError, Request};

/// The folder of accepted results, below the project's folder.
pub(super) const BASELINES_FOLDER: &str = "baselines";

/// So many new records are told one by one.
const RECORDS_TOLD: usize = 3;

/// So many things that two branches accepted differently are told one by one.
const DISPUTES_TOLD: usize = 10;

/// Characters of a name or a reason that are told.
const TEXT_CAP: usize = 160;

/// The ledger of the project in `project_root`.
///
/// # Errors
/// When a record is not as it was accepted.
pub fn open_ledger(project_root: &Path) -> Result<Ledger, PipelineError> {
    Ok(Ledger::open(project_root.join(BASELINES_FOLDER))?)
}

/// What a check of the accepted results found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerCheck {
    /// All that is not as it was accepted, a sentence each.
    pub findings: Vec<String>,
    /// What a reader should know of what is, a sentence each.
    pub notes: Vec<String>,
}

/// Checks the records themselves, and looks for records that git shows to have been taken away and expected ones that are
/// not there.
///
/// # Errors
/// When git cannot be read.
pub fn verify_ledger(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
    expected: &[Digest],
) -> Result<LedgerCheck, PipelineError> {
    let ledger = match sound(open_ledger(project_root))? {
        Ok(ledger) => ledger,
        Err(findings) => {
            let hinted = |finding: &Finding| format!("{finding} ({})", finding.hint);
            return Ok(LedgerCheck { findings: findings.iter().map(hinted).collect(), notes: Vec::new() });
        }
    };
    let Missing { sentences, note, .. } = missing_here(project_root, environment, &ledger, expected)?;
    let notes = note.into_iter().chain(disputed(&ledger.fold())).collect();
    Ok(LedgerCheck { findings: sentences, notes })
}

/// Refuses to build on a chain of which a record was taken away, as far as git tells: what was accepted there would be gone for
/// good, and whoever puts it back would find a fork.
pub(super) fn require_all_records(project_root: &Path, ledger: &Ledger) -> Result<(), PipelineError> {
    match missing_here(project_root, &BTreeMap::new(), ledger, &[])?.sentences.first() {
        Some(first) => {
            Err(PipelineError::NotAcceptable(format!("{first}; nothing is accepted on top of that: put it back first")))
        }
        None => Ok(()),
    }
}

/// The ledger, or all that is not as it was accepted.
fn sound(opened: Result<Ledger, PipelineError>) -> Result<Result<Ledger, Vec<Finding>>, PipelineError> {
    match opened {
        Ok(ledger) => Ok(Ok(ledger)),
        Err(PipelineError::Ledger(LedgerError::Unsound { findings, .. })) => Ok(Err(findings)),
        Err(error) => Err(error),
    }
}

/// The accepted results of the head: those of its own revision where one was asked for, so that what lies uncommitted in
/// the working tree vouches for nothing that is in none.
pub(super) struct AcceptedResults {
    /// Record by record; `None` where they are not as they were accepted.
    pub(super) ledger: Option<Ledger>,
    /// What they add up to.
    pub(super) baseline: Baseline,
    /// Whether they can be trusted.
    pub(super) state: BaselineState,
    /// What a reader should know of them, a sentence each.
    pub(super) notes: Vec<String>,
}

impl AcceptedResults {
    /// Reads them. A ledger that cannot be trusted does not end the run: everything is run, and the verdict says what is
    /// wrong. `head` are the head's files.
    pub(super) fn read(request: &Request, head: &dyn FileSource) -> Result<Self, PipelineError> {
        let opened = match &request.head {
            Some(_) => Ledger::in_revision(head, BASELINES_FOLDER).map_err(PipelineError::from),
            None => open_ledger(&request.project_root),
        };
        let (ledger, baseline, state) = match sound(opened)? {
            Err(findings) => (None, Baseline::default(), unreadable(&findings)),
            Ok(ledger) => {
                let baseline = ledger.fold();
                let state = match (baseline.is_empty(), baseline.heads.is_empty()) {
                    (false, _) => BaselineState::Sound,
                    (true, false) => BaselineState::Empty,
                    (true, true) => BaselineState::Missing,
                };
                (Some(ledger), baseline, state)
            }
        };
        Ok(Self { ledger, baseline, state, notes: Vec::new() })
    }

    /// Holds them against git: what was taken away from them, and what is new in them.
    pub(super) fn hold_against(&mut self, sides: &Sides, expected: &[Digest]) -> Result<(), PipelineError> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let missing = missing(ledger, sides, expected)?;
        if !missing.sentences.is_empty() {
            self.state = BaselineState::Broken(missing.sentences);
        } else if self.state == BaselineState::Missing && missing.is_cut_short {
            self.state = BaselineState::Unseen;
        }
        self.notes.extend(missing.note);
        if let Some(before) = sides.names_before(BASELINES_FOLDER)? {
            self.notes.extend(new_records(ledger, &before, sides.base_kind()));
        }
        Ok(())
    }

    /// The text of an accepted answer; `None` where it cannot be read, which the check of the whole ledger has said.
    pub(super) fn output(&self, files: Option<&dyn FileSource>, digest: &Digest) -> Option<String> {
        let ledger = self.ledger.as_ref()?;
        match files {
            Some(files) => ledger.output_in(files, BASELINES_FOLDER, digest).ok(),
            None => ledger.output(digest).ok(),
        }
    }
}

/// What two branches accepted differently and no later acceptance settled; `None` where there is no such thing.
fn disputed(baseline: &Baseline) -> Option<String> {
    let cases: Vec<&str> =
        baseline.conflicts.iter().filter_map(|conflict| Some(conflict.case.as_ref()?.as_str())).collect();
    let parts = baseline.conflicts.iter().any(|conflict| conflict.case.is_none()).then_some("the parts");
    let all: Vec<&str> = parts.into_iter().chain(cases).collect();
    let told = some_of(&all, DISPUTES_TOLD);
    (!all.is_empty()).then(|| format!("two branches accepted differently, and nobody settled it since: {told}"))
}

/// A state in which nothing that was accepted counts, for these reasons.
fn unreadable(findings: &[Finding]) -> BaselineState {
    let told = findings.iter().map(ToString::to_string).collect();
    if all_newer(findings) { BaselineState::Newer(told) } else { BaselineState::Broken(told) }
}

struct Missing {
    sentences: Vec<String>,
    note: Option<String>,
    /// Whether git has a history here, and not all of it was looked at.
    is_cut_short: bool,
}

/// What is missing in the working tree, by all of its history.
fn missing_here(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
    ledger: &Ledger,
    expected: &[Digest],
) -> Result<Missing, PipelineError> {
    let request = SidesRequest { project_root, base: None, head: None, environment, has_accepted: false };
    missing(ledger, &Sides::resolve(request)?, expected)
}

/// A chain of records cannot tell that its newest link was taken away, or that it was made anew from the first link on. Git
/// can, and so can whoever noted an earlier head.
fn missing(ledger: &Ledger, sides: &Sides, expected: &[Digest]) -> Result<Missing, PipelineError> {
    let earlier = sides.earlier_names(BASELINES_FOLDER)?;
    let lost = ledger.lost_since(earlier.names.iter().map(String::as_str));
    let mut sentences: Vec<String> = lost.iter().map(ToString::to_string).collect();
    sentences.extend(expected.iter().filter(|digest| ledger.record(digest).is_none()).map(|digest| {
        format!("record {digest} was expected and is not there: the chain was cut or made anew since that was its head")
    }));
    let note =
        not_looked_at(earlier.reach).filter(|_| !ledger.heads().is_empty() || earlier.reach != HistoryReach::None);
    let is_cut_short = matches!(earlier.reach, HistoryReach::Part | HistoryReach::Shallow);
    Ok(Missing { sentences, note: note.map(str::to_owned), is_cut_short })
}

/// What a look into so much of the history cannot tell.
fn not_looked_at(reach: HistoryReach) -> Option<&'static str> {
    match reach {
        HistoryReach::Whole => None,
        HistoryReach::Part => Some(
            "whether a record was taken away was looked up in a part of git's history alone, for all of it is too long",
        ),
        HistoryReach::Shallow => Some(
            "git's history is shallow here: whether a record was taken away cannot be told; `git fetch --unshallow` brings the \
             rest, and `holdpoint gate --expect-head DIGEST` asks for the head of an earlier report",
        ),
        HistoryReach::None => Some(
            "no git history is here: whether a record was taken away cannot be told; `holdpoint gate --expect-head \
             DIGEST` asks for the head of an earlier report",
        ),
    }
}

/// A sentence that names the records which the change itself brings: whoever reads what got worse must hear what was
/// accepted along with it.
fn new_records(ledger: &Ledger, before: &BTreeSet<String>, base: &BaseKind) -> Option<String> {
    let is_new = |digest: &Digest| !before.contains(&format!("{}.json", digest.hex()));
    let new: Vec<(&Digest, &Record)> = ledger.records().rev().filter(|(digest, _)| is_new(digest)).collect();
    let mut told: Vec<String> = new.iter().take(RECORDS_TOLD).map(|(digest, record)| told(digest, record)).collect();
    if let Some(more) = new.len().checked_sub(RECORDS_TOLD).filter(|more| *more > 0) {
        told.push(format!("and {more} more"));
    }
    let when = match base {
        BaseKind::Revisions(_) => "accepted within this change",
        BaseKind::Baseline | BaseKind::None(_) => "accepted and not committed yet",
    };
    (!told.is_empty()).then(|| format!("{when}: {}", told.join("; ")))
}

/// `record 54c207ea8d42 by Ada, 3 results, 1 of them of a case that fails: new drafter`.
fn told(digest: &Digest, record: &Record) -> String {
    let text = |text: &str| excerpt(text, TEXT_CAP);
    let counted = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let what = match record.scope {
        Scope::Revocation => format!("takes {} out of force", counted(record.revokes.len(), "record")),
        Scope::Run | Scope::Cases => counted(record.cases.len(), "result"),
    };
    let failing = record.cases.values().filter(|case| case.status == CaseStatus::Failed).count();
    let failing = (failing > 0).then(|| format!(", {failing} of them of a case that fails"));
    let removed =
        (!record.removed.is_empty()).then(|| format!(", {} taken out", counted(record.removed.len(), "case")));
    format!(
        "record {} by {}, {what}{}{}: {}",
        digest.short(),
        text(&record.by),
        failing.unwrap_or_default(),
        removed.unwrap_or_default(),
        text(&record.reason)
    )
}
