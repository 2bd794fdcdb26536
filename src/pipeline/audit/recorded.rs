//! How cases ended in each state of which a result is recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::change::Snapshot;
use crate::domain::{CaseId, CaseStatus, Digest, RunId};
use crate::manifest::HeldCase;
use crate::store::{RunKind, Store};

use super::super::PipelineError;
use super::super::accepted::open_ledger;

/// All but cases that a result can rest on: the digest of the parts, the code and all else, and that of the inert files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    parts: Digest,
    inert: Digest,
}

impl State {
    /// `None` where the snapshot has no form in JSON.
    pub(super) fn of(snapshot: &Snapshot, inert: Digest) -> Option<Self> {
        Some(Self { parts: parts_of(snapshot)?, inert })
    }
}

fn parts_of(snapshot: &Snapshot) -> Option<Digest> {
    serde_json::to_value(snapshot).ok().map(|value| Digest::of_json(&value))
}

/// A case in one form, and how it ended.
type Ends = BTreeMap<(CaseId, Digest), CaseStatus>;

/// What is recorded on this machine and in the ledger.
#[derive(Default)]
pub(super) struct Recorded {
    states: BTreeMap<State, Ends>,
    /// Of records that do not say what the inert files held: by the digest of the parts.
    open: BTreeMap<Digest, Ends>,
    /// How many such records there are.
    pub(super) silent: usize,
    /// How many records could not be read.
    pub(super) unread: usize,
}

impl Recorded {
    /// From the runs on this machine and from what was accepted. What was accepted of one of these runs is the run's word
    /// already.
    pub(super) fn gather(store: &Store, project_root: &Path) -> Result<Self, PipelineError> {
        let mut recorded = Self::default();
        let mut known = BTreeSet::new();
        for run in store.runs()? {
            recorded.add_run(store, &run, &mut known);
        }
        match open_ledger(project_root) {
            Err(_) => recorded.unread += 1,
            Ok(ledger) => {
                for (_, record) in ledger.records().filter(|(_, record)| !known.contains(&record.run)) {
                    let Some(snapshot) = ledger.snapshot(record) else { continue };
                    let cases = record.cases.iter();
                    let cases = cases.map(|(id, case)| ((id.clone(), case.digest.clone()), case.status));
                    recorded.add(&snapshot, None, cases);
                }
            }
        }
        Ok(recorded)
    }

    fn add_run(&mut self, store: &Store, run: &RunId, known: &mut BTreeSet<RunId>) {
        let Ok(ended) = store.read_statuses(run) else {
            self.unread += 1;
            return;
        };
        let header = &ended.header;
        let is_whole = ended.summary.as_ref().is_some_and(|summary| summary.lost_evidence.is_empty());
        if header.kind == RunKind::Imported || !is_whole {
            return;
        }
        known.insert(run.clone());
        let digest = |case: &CaseId| header.cases.get(case).map(|planned| planned.digest.clone());
        let cases = ended.statuses.iter();
        let cases = cases.filter_map(|(case, status)| Some(((case.clone(), digest(case)?), *status)));
        self.add(&header.snapshot, header.inert.clone(), cases);
    }

    /// Two different ends of one state are what a flaky case shows.
    fn add(
        &mut self,
        snapshot: &Snapshot,
        inert: Option<Digest>,
        cases: impl Iterator<Item = ((CaseId, Digest), CaseStatus)>,
    ) {
        let Some(parts) = parts_of(snapshot) else { return };
        let known = match inert {
            Some(inert) => self.states.entry(State { parts, inert }).or_default(),
            None => {
                self.silent += 1;
                self.open.entry(parts).or_default()
            }
        };
        for (case, status) in cases {
            note(known, case, status);
        }
    }

    /// Decides of which state the records speak that do not say what the inert files held: where these states of the
    /// stretch leave one answer alone, of that; otherwise of none.
    pub(super) fn settle(&mut self, states: &BTreeSet<State>) {
        for (parts, ends) in std::mem::take(&mut self.open) {
            let mut same = states.iter().filter(|state| state.parts == parts);
            let (Some(state), None) = (same.next(), same.next()) else { continue };
            let known = self.states.entry(state.clone()).or_default();
            for (case, status) in ends {
                note(known, case, status);
            }
        }
    }

    pub(super) fn of(&self, state: Option<&State>, cases: &BTreeMap<CaseId, HeldCase>) -> BTreeMap<CaseId, CaseStatus> {
        let Some(known) = state.and_then(|state| self.states.get(state)) else { return BTreeMap::new() };
        let status = |case: &HeldCase| known.get(&(case.id.clone(), case.digest.clone())).copied();
        cases.values().filter_map(|case| Some((case.id.clone(), status(case)?))).collect()
    }
}

fn note(known: &mut Ends, case: (CaseId, Digest), status: CaseStatus) {
    let kept = known.entry(case).or_insert(status);
    if *kept != status {
        *kept = CaseStatus::Flaky;
    }
}
