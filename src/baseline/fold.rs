//! What a chain of records adds up to. Pure.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::change::PartSnapshot;
use crate::domain::{CaseId, Digest};

use super::record::{AcceptedCase, Baseline, BaselineEntry, ForkConflict, Record};
use super::recorded_parts::RecordedSnapshot;

/// The records in an order in which each follows its parents; among those that could come next the earlier
/// acceptance, then the smaller digest, comes first.
///
/// # Errors
/// With the records that no order can hold: those of a cycle and those behind it.
pub(super) fn chain_order(records: &BTreeMap<Digest, Record>) -> Result<Vec<Digest>, Vec<Digest>> {
    let mut waiting: BTreeMap<&Digest, usize> = BTreeMap::new();
    let mut children: BTreeMap<&Digest, Vec<&Digest>> = BTreeMap::new();
    for (digest, record) in records {
        let parents: BTreeSet<&Digest> = record.parents.iter().filter(|parent| records.contains_key(*parent)).collect();
        waiting.insert(digest, parents.len());
        for parent in parents {
            children.entry(parent).or_default().push(digest);
        }
    }
    let place = |digest: &'_ Digest| (records.get(digest).and_then(accepted_at), digest.clone());
    let mut ready: BTreeSet<(Option<Timestamp>, Digest)> =
        waiting.iter().filter(|(_, parents)| **parents == 0).map(|(digest, _)| place(digest)).collect();
    let mut order = Vec::with_capacity(records.len());
    while let Some((_, digest)) = ready.pop_first() {
        for child in children.get(&digest).into_iter().flatten() {
            if let Some(parents) = waiting.get_mut(child) {
                *parents -= 1;
                if *parents == 0 {
                    ready.insert(place(child));
                }
            }
        }
        waiting.remove(&digest);
        order.push(digest);
    }
    if waiting.is_empty() { Ok(order) } else { Err(waiting.into_keys().cloned().collect()) }
}

/// When a record was accepted. `None` only for a time that is none, which the ledger refuses to read.
pub(super) fn accepted_at(record: &Record) -> Option<Timestamp> {
    record.accepted.parse().ok()
}

/// Adds the records up. `order` is their [`chain_order`], `parts` are those that the records keep by digest.
pub(super) fn fold(
    records: &BTreeMap<Digest, Record>,
    order: &[Digest],
    parts: &BTreeMap<Digest, PartSnapshot>,
) -> Baseline {
    let chain: Vec<(&Digest, &Record)> = order.iter().filter_map(|digest| records.get_key_value(digest)).collect();
    let ancestors = Ancestors::of(&chain);
    let revoked = revoked(&chain);
    let mut snapshots = Newest::default();
    let mut cases: BTreeMap<&CaseId, Newest<Option<&AcceptedCase>>> = BTreeMap::new();
    for (index, (digest, record)) in chain.iter().enumerate() {
        if revoked.contains(digest) {
            continue;
        }
        if let Some(snapshot) = &record.snapshot {
            snapshots.add(index, snapshot, &ancestors);
        }
        for (case, accepted) in &record.cases {
            cases.entry(case).or_default().add(index, Some(accepted), &ancestors);
        }
        for case in &record.removed {
            cases.entry(case).or_default().add(index, None, &ancestors);
        }
    }
    let mut baseline = Baseline { heads: heads(records), records: chain.len(), ..Baseline::default() };
    if let Some((index, snapshot)) = snapshots.taken(&chain) {
        baseline.snapshot = snapshot.resolve(parts);
        let differs = |other: &&RecordedSnapshot| *other != *snapshot && other.resolve(parts) != baseline.snapshot;
        baseline.conflicts.extend(snapshots.conflict(None, index, differs, &chain));
    }
    for (case, newest) in cases {
        let Some((index, accepted)) = newest.taken(&chain) else { continue };
        let differs = |other: &Option<&AcceptedCase>| !says_the_same(*other, *accepted);
        baseline.conflicts.extend(newest.conflict(Some(case), index, differs, &chain));
        if let (Some(accepted), Some((digest, record))) = (accepted, chain.get(index)) {
            baseline.cases.insert(case.clone(), entry(digest, record, accepted, chain.len() - 1 - index));
        }
    }
    baseline
}

/// The records that no other follows, sorted.
pub(super) fn heads(records: &BTreeMap<Digest, Record>) -> Vec<Digest> {
    let followed: BTreeSet<&Digest> = records.values().flat_map(|record| &record.parents).collect();
    records.keys().filter(|digest| !followed.contains(digest)).cloned().collect()
}

fn entry(digest: &Digest, record: &Record, case: &AcceptedCase, acceptances_since: usize) -> BaselineEntry {
    BaselineEntry {
        record: digest.clone(),
        accepted: record.accepted.clone(),
        by: record.by.clone(),
        acceptances_since,
        case: case.clone(),
    }
}

/// Two branches that accepted the same end of the same form agree, though the answers' words may differ. What they
/// excuse must be the same as well.
fn says_the_same(one: Option<&AcceptedCase>, other: Option<&AcceptedCase>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            one.digest == other.digest
                && one.status == other.status
                && one.failing == other.failing
                && one.question.differing(&other.question).is_empty()
        }
        (None, None) => true,
        _ => false,
    }
}

/// The records that are out of force. A later record is looked at before those that it can revoke, so a revocation
/// that is itself revoked does nothing.
pub(super) fn revoked<'a>(chain: &[(&'a Digest, &'a Record)]) -> BTreeSet<&'a Digest> {
    let mut revoked = BTreeSet::new();
    for (digest, record) in chain.iter().rev() {
        if !revoked.contains(digest) {
            revoked.extend(&record.revokes);
        }
    }
    revoked
}

/// What the newest records of each branch say of one thing: one entry, but for a fork.
struct Newest<T> {
    entries: Vec<(usize, T)>,
}

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T> Newest<T> {
    fn add(&mut self, index: usize, value: T, ancestors: &Ancestors) {
        self.entries.retain(|(earlier, _)| !ancestors.has(index, *earlier));
        self.entries.push((index, value));
    }

    /// The one that counts: the latest acceptance, then the greatest digest.
    fn taken(&self, chain: &[(&Digest, &Record)]) -> Option<(usize, &T)> {
        let place = |index: usize| chain.get(index).map(|(digest, record)| (accepted_at(record), *digest));
        self.entries.iter().max_by_key(|(index, _)| place(*index)).map(|(index, value)| (*index, value))
    }

    fn conflict(
        &self,
        case: Option<&CaseId>,
        taken: usize,
        differs: impl Fn(&T) -> bool,
        chain: &[(&Digest, &Record)],
    ) -> Option<ForkConflict> {
        let digest = |index: usize| chain.get(index).map(|(digest, _)| (*digest).clone());
        let others: Vec<Digest> = self
            .entries
            .iter()
            .filter(|(index, value)| *index != taken && differs(value))
            .filter_map(|(index, _)| digest(*index))
            .collect();
        let taken = digest(taken)?;
        (!others.is_empty()).then(|| ForkConflict { case: case.cloned(), taken, others })
    }
}

/// Which record follows which, over any number of steps: a bit for each record and each record before it.
struct Ancestors {
    rows: Vec<Vec<u64>>,
}

impl Ancestors {
    fn of(chain: &[(&Digest, &Record)]) -> Self {
        let index: BTreeMap<&Digest, usize> =
            chain.iter().enumerate().map(|(index, (digest, _))| (*digest, index)).collect();
        let mut rows: Vec<Vec<u64>> = Vec::with_capacity(chain.len());
        for (own, (_, record)) in chain.iter().enumerate() {
            let mut row = vec![0; own / 64 + 1];
            for parent in record.parents.iter().filter_map(|parent| index.get(parent).copied()) {
                for (word, inherited) in row.iter_mut().zip(rows.get(parent).into_iter().flatten()) {
                    *word |= inherited;
                }
                if let Some(word) = row.get_mut(parent / 64) {
                    *word |= 1 << (parent % 64);
                }
            }
            rows.push(row);
        }
        Self { rows }
    }

    fn has(&self, record: usize, earlier: usize) -> bool {
        let word = self.rows.get(record).and_then(|row| row.get(earlier / 64)).copied().unwrap_or_default();
        word & (1 << (earlier % 64)) != 0
    }
}

#[cfg(test)]
mod tests;
