//! What the counts of a whole set support: its rate now, and whether it differs from what it was.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseStatus, Risk};

use super::standing::{Compared, Ended, Standing};
use super::statistics::{
    CaseTrials, Flips, Interval, Table, clopper_pearson, clustered_rate, fisher_two_sided, holm,
    independent_difference, paired_difference, pass_at_k, pass_hat_k, wilson,
};

/// The confidence of every interval that is shown.
pub const CONFIDENCE: f64 = 0.95;

/// The level at which a set's own figures are held, where no policy says another.
pub const ALPHA: f64 = 0.05;

/// So many numbers of tries are worked out at the most, beside the number of trials itself.
const TRIES_SHOWN: usize = 5;

/// One set. A case counts once, however many trials it has, and everything but a pass counts against it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetComparison {
    /// The set.
    pub set: Risk,
    /// Its cases that ran.
    pub cases: usize,
    /// Those that passed in all of their trials.
    pub passed: usize,
    /// The share of passes: the Wilson interval at 95 %, for showing.
    pub wilson: Option<Interval>,
    /// The same: the exact interval of Clopper and Pearson at 95 %.
    pub exact: Option<Interval>,
    /// The trials of these cases, where there are more than cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialRate>,
    /// The cases that were accepted and ran again, asking the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<Paired>,
    /// All cases on either side, where those are not the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpaired: Option<Unpaired>,
}

/// The trials of a set, clustered by case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialRate {
    /// Trials that passed.
    pub passed: usize,
    /// Trials.
    pub trials: usize,
    /// The standard error of that share, clustered by case; `None` of a single case.
    pub standard_error: Option<f64>,
    /// Averaged over the cases, for each number of tries that all of them had.
    pub tries: Vec<Tries>,
}

/// What so many tries of one case would come to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tries {
    /// How many tries.
    pub k: usize,
    /// That all of them pass: pass^k.
    pub all_pass: f64,
    /// That at least one of them passes: pass@k.
    pub any_passes: f64,
}

/// The same cases before and now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Paired {
    /// Passed before and pass now.
    pub both: usize,
    /// Those that flipped.
    pub flips: Flips,
    /// Did not pass on either side.
    pub neither: usize,
    /// McNemar's exact test, two-sided.
    pub exact_p: f64,
    /// The same with mid-p.
    pub mid_p: f64,
    /// The exact p, adjusted for all sets that were compared (Holm).
    pub adjusted_p: f64,
    /// How many sets these are.
    #[serde(default = "one")]
    pub sets: usize,
    /// The rate now minus the rate before: Newcombe's paired interval (method 10) at 95 %.
    pub difference: Option<Interval>,
}

fn one() -> usize {
    1
}

impl Paired {
    /// How many cases.
    pub fn cases(&self) -> usize {
        self.both + self.flips.total() + self.neither
    }
}

/// Different cases before and now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unpaired {
    /// Passed, of how many, before.
    pub before: (usize, usize),
    /// Passed, of how many, now.
    pub now: (usize, usize),
    /// Fisher's exact test, two-sided.
    pub p: f64,
    /// The rate now minus the rate before: Newcombe's interval for independent rates (method 10) at 95 %.
    pub difference: Option<Interval>,
}

/// The sets of which a case ran, by name.
pub fn set_comparisons(compared: &[Compared]) -> Vec<SetComparison> {
    let mut by_set: BTreeMap<&Risk, Vec<&Compared>> = BTreeMap::new();
    for one in compared {
        by_set.entry(&one.set).or_default().push(one);
    }
    let mut sets: Vec<SetComparison> =
        by_set.into_iter().filter_map(|(set, members)| set_comparison(set, &members)).collect();
    let p: Vec<f64> = sets.iter().filter_map(|set| Some(set.paired?.exact_p)).collect();
    let paired = sets.iter_mut().filter_map(|set| set.paired.as_mut());
    paired.zip(holm(&p)).for_each(|(paired, adjusted)| {
        paired.adjusted_p = adjusted;
        paired.sets = p.len();
    });
    sets
}

fn set_comparison(set: &Risk, members: &[&Compared]) -> Option<SetComparison> {
    let now: Vec<Ended> = members.iter().filter_map(|one| one.now).collect();
    if now.is_empty() {
        return None;
    }
    let passed = passes(&now);
    Some(SetComparison {
        set: set.clone(),
        cases: now.len(),
        passed,
        wilson: wilson(passed, now.len(), CONFIDENCE),
        exact: clopper_pearson(passed, now.len(), CONFIDENCE),
        trials: trial_rate(&now),
        paired: paired(members),
        unpaired: unpaired(members),
    })
}

fn is_pass(ended: &Ended) -> bool {
    ended.status == CaseStatus::Passed
}

fn passes(ended: &[Ended]) -> usize {
    ended.iter().filter(|one| is_pass(one)).count()
}

fn trial_rate(now: &[Ended]) -> Option<TrialRate> {
    let wide = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    let cases: Vec<CaseTrials> =
        now.iter().map(|one| CaseTrials { passed: wide(one.passed), trials: wide(one.trials) }).collect();
    let trials: usize = cases.iter().map(|case| case.trials).sum();
    if trials <= cases.len() {
        return None;
    }
    let fewest = cases.iter().map(|case| case.trials).min().unwrap_or(0);
    Some(TrialRate {
        passed: cases.iter().map(|case| case.passed).sum(),
        trials,
        standard_error: clustered_rate(&cases).and_then(|rate| rate.standard_error),
        tries: tries_shown(fewest).filter_map(|k| tries(&cases, k)).collect(),
    })
}

/// Of one case, or of several on average.
fn tries(cases: &[CaseTrials], k: usize) -> Option<Tries> {
    let mean = |of: fn(CaseTrials, usize) -> Option<f64>| {
        let each: Option<Vec<f64>> = cases.iter().map(|case| of(*case, k)).collect();
        each.map(|each| each.iter().sum::<f64>() / super::statistics::real(each.len()))
    };
    Some(Tries { k, all_pass: mean(pass_hat_k)?, any_passes: mean(pass_at_k)? })
}

/// What further tries of one case would come to, by what its trials came to; none of a single trial.
pub fn case_tries(passed: usize, trials: usize) -> Vec<Tries> {
    let shown = if trials > 1 { trials } else { 0 };
    tries_shown(shown).filter_map(|k| tries(&[CaseTrials { passed, trials }], k)).collect()
}

/// 1 to 5, and all of them.
fn tries_shown(trials: usize) -> impl Iterator<Item = usize> {
    (1..=trials.min(TRIES_SHOWN)).chain((trials > TRIES_SHOWN).then_some(trials))
}

fn paired(members: &[&Compared]) -> Option<Paired> {
    let (mut both, mut neither, mut flips) = (0, 0, Flips { worse: 0, better: 0 });
    for (before, now) in members.iter().filter_map(|one| one.pair()) {
        match (is_pass(&before), is_pass(&now)) {
            (true, true) => both += 1,
            (true, false) => flips.worse += 1,
            (false, true) => flips.better += 1,
            (false, false) => neither += 1,
        }
    }
    let exact_p = flips.exact();
    let paired = Paired {
        both,
        flips,
        neither,
        exact_p,
        mid_p: flips.mid_p(),
        adjusted_p: exact_p,
        sets: 1,
        difference: paired_difference(both, flips.better, flips.worse, neither, CONFIDENCE),
    };
    (paired.cases() > 0).then_some(paired)
}

/// All that stood before against all that ran, where some are on one side alone or ask something else. What was left out
/// stands on neither side.
fn unpaired(members: &[&Compared]) -> Option<Unpaired> {
    let differ = |one: &&&Compared| one.pair().is_none() && one.standing != Standing::Inherited;
    members.iter().find(differ)?;
    let took_part = members.iter().filter(|one| one.standing != Standing::Inherited);
    let before: Vec<Ended> = took_part.filter_map(|one| one.before).collect();
    let now: Vec<Ended> = members.iter().filter_map(|one| one.now).collect();
    let (then, today) = ((passes(&before), before.len()), (passes(&now), now.len()));
    let table = Table { first: (today.0, today.1 - today.0), second: (then.0, then.1 - then.0) };
    (!before.is_empty()).then(|| Unpaired {
        before: then,
        now: today,
        p: fisher_two_sided(table),
        difference: independent_difference(today, then, CONFIDENCE),
    })
}

#[cfg(test)]
mod tests;
