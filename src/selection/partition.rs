//! Which part of a run a case belongs to, where a run is done in parts on several machines.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, Digest};

/// One of the parts in which a run is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct RunPart {
    /// Which, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl RunPart {
    /// So many parts are allowed at the most.
    pub const MOST: u32 = 10_000;

    /// Part `number` of `of`; `None` where there is no such part.
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (of <= Self::MOST && (1..=of).contains(&number)).then_some(Self { number, of })
    }
}

impl fmt::Display for RunPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "part {} of {}", self.number, self.of)
    }
}

/// By what a run is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartitionBy {
    /// By the hash of the case's id: a case that is added moves no other one.
    #[default]
    Hash,
    /// By how long the cases took earlier, so that the parts take about as long.
    Durations,
}

impl PartitionBy {
    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Durations => "durations",
        }
    }
}

/// The part, from 1, that a case belongs to by the hash of its id. It depends on nothing but the id and the number of
/// parts.
pub fn part_by_hash(case: &CaseId, of: u32) -> u32 {
    let hash = Digest::of(case.as_str().as_bytes()).to_bytes();
    let number = hash.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    // Of 2^64 values modulo at most 10,000: the parts differ by less than one case in 10^15.
    u32::try_from(number % u64::from(of.max(1))).unwrap_or(0) + 1
}

/// The part, from 1, of each case, so that the parts take about as long: the longest case first, each to the part that has
/// least to do yet (LPT: Graham, "Bounds on multiprocessing timing anomalies", 1969; the longest part takes at most 4/3 of
/// what the best division would). Durations are in milliseconds; a case of which none is known counts as the median of the
/// known ones. Where two are equal, the lesser id and the lesser number come first, so that the same input gives the same
/// parts.
pub fn parts_by_durations<'a>(
    cases: impl IntoIterator<Item = &'a CaseId>,
    durations: &BTreeMap<CaseId, u64>,
    of: u32,
) -> BTreeMap<&'a CaseId, u32> {
    let cases: Vec<&CaseId> = cases.into_iter().collect();
    let mut known: Vec<u64> = cases.iter().filter_map(|case| durations.get(*case)).copied().collect();
    known.sort_unstable();
    let median = known.get(known.len() / 2).copied().unwrap_or(1);
    // What took no time that a clock shows still has to be started somewhere.
    let weight = |case: &CaseId| durations.get(case).copied().unwrap_or(median).max(1);
    let mut heaviest: Vec<(Reverse<u64>, &CaseId)> = cases.iter().map(|case| (Reverse(weight(case)), *case)).collect();
    heaviest.sort_unstable();
    heaviest.dedup();
    let mut loads: BinaryHeap<Reverse<(u64, u32)>> = (1..=of.max(1)).map(|number| Reverse((0, number))).collect();
    let mut parts = BTreeMap::new();
    for (Reverse(weight), case) in heaviest {
        let Some(Reverse((load, number))) = loads.pop() else { break };
        parts.insert(case, number);
        loads.push(Reverse((load.saturating_add(weight), number)));
    }
    parts
}

#[cfg(test)]
mod tests;
