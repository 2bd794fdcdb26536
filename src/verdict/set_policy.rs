//! What the gate tolerates in a set, and whether the data show that it may.
//!
//! A policy is a rule of the head's project file and of every earlier one that counts: the base's, and that of the accepted
//! parts. Each of these rules is judged, and the worst answer counts, so that no change can be green by lowering its own
//! policy.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::statistics::{
    Flips, holm, lower_limit, paired_difference, percent, percent_down, percent_up, upper_limit,
};
use crate::comparison::{Compared, Standing, TestLevel};
use crate::domain::{CaseId, CaseStatus, Risk};
use crate::manifest::{MinimumRate, NoSignificantDrop, ProjectPolicy, SetRule};
use crate::selection::Plan;

/// What came of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyDecision {
    /// The data show that it holds: what it tolerates is no reason against a pass.
    Holds,
    /// The data cannot decide it.
    Undecided,
    /// The data show that it does not hold.
    Broken,
}

/// One set that is judged by something else than zero tolerance, on either side of the change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetJudgement {
    /// The set.
    pub set: Risk,
    /// What came of it.
    pub decision: PolicyDecision,
    /// By which rules and on which grounds, in one sentence.
    pub why: String,
    /// At what level the drop is tested, where a rule asks for that; of several rules the one that can show the least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<TestLevel>,
    /// The cases that did not pass and that the policy covers, by id: tolerated where it holds, and else the reason.
    pub covered: Vec<CaseId>,
}

impl SetJudgement {
    /// Whether this case did not pass and that is tolerated.
    pub fn tolerates(&self, case: &CaseId) -> bool {
        self.decision == PolicyDecision::Holds && self.covered.contains(case)
    }
}

/// What is said of a set that cannot have dropped: nothing is tolerated in it either.
const NO_PAIRS: &str = "nothing was accepted that ran again, so that nothing can be said";

/// One set with all that speaks of it.
struct Subject<'a> {
    set: &'a Risk,
    /// Its cases that were to run, with those that have no result, and those that ran and were moved out of it.
    selected: usize,
    /// All its cases.
    total: usize,
    members: Vec<&'a Compared>,
}

/// How one rule judges one set.
struct Judged {
    decision: PolicyDecision,
    why: String,
    covered: BTreeSet<CaseId>,
}

/// Judges every set of which a case was to run and that any of the policies gives a rule of its own.
pub(super) fn judge_sets(
    plan: &Plan,
    compared: &[Compared],
    policy: &ProjectPolicy,
    earlier: &[ProjectPolicy],
) -> Vec<SetJudgement> {
    let policies: Vec<&ProjectPolicy> = std::iter::once(policy).chain(earlier).collect();
    let named: BTreeSet<&Risk> = policies.iter().flat_map(|policy| policy.sets.keys()).collect();
    let subjects: Vec<Subject<'_>> =
        named.into_iter().map(|set| Subject::new(set, plan, compared)).filter(|subject| subject.selected > 0).collect();
    let levels: Vec<DropLevels> = policies.iter().map(|policy| DropLevels::of(policy, &subjects)).collect();
    let judge = |(index, subject): (usize, &Subject<'_>)| {
        let mut rules: Vec<(SetRule, Option<&(f64, TestLevel)>)> = Vec::new();
        for (policy, levels) in policies.iter().zip(&levels) {
            let rule = policy.rule(subject.set);
            // The same rule can ask for more where fewer sets are held to it.
            let level = levels.by_subject[index].as_ref();
            if !rules.contains(&(rule, level)) {
                rules.push((rule, level));
            }
        }
        let lenient = rules.iter().any(|(rule, _)| *rule != SetRule::ZeroTolerance);
        lenient.then(|| subject.judge(&rules))
    };
    let mut judgements: Vec<SetJudgement> = subjects.iter().enumerate().filter_map(judge).collect();
    let alone = moved_alone(&judgements, compared);
    judgements.iter_mut().for_each(|judgement| judgement.covered.retain(|case| !alone.contains(case)));
    judgements
}

/// What so many passes of so many say of a rate.
fn rate(passed: usize, of: usize, minimum: MinimumRate) -> (PolicyDecision, String) {
    let MinimumRate { at_least, confidence } = minimum;
    let lower = lower_limit(passed, of, confidence).unwrap_or(0.0);
    let upper = upper_limit(passed, of, confidence).unwrap_or(1.0);
    if lower >= at_least {
        (PolicyDecision::Holds, format!("which shows at least {} %", percent_down(lower)))
    } else if upper < at_least {
        (PolicyDecision::Broken, format!("which shows at most {} %", percent_up(upper)))
    } else {
        let open = format!("which shows only that it is {} % or more", percent_down(lower));
        (PolicyDecision::Undecided, format!("{open}, and leaves open whether it is enough"))
    }
}

/// The cases that stand in another set than before and that the policies of the two do not both cover: they count for
/// themselves, so that no case is moved to where its failure is tolerated.
fn moved_alone(judgements: &[SetJudgement], compared: &[Compared]) -> BTreeSet<CaseId> {
    let covers = |set: &Risk, case: &CaseId| judgements.iter().any(|one| one.set == *set && one.covered.contains(case));
    let moved = compared.iter().filter_map(|one| Some((one, one.former_set.as_ref()?)));
    let alone = moved.filter(|(one, former)| !covers(&one.set, &one.case) || !covers(former, &one.case));
    alone.map(|(one, _)| one.case.clone()).collect()
}

impl<'a> Subject<'a> {
    fn new(set: &'a Risk, plan: &Plan, compared: &'a [Compared]) -> Self {
        let selected = plan.selected.iter().filter(|selected| selected.set == *set).count();
        let excluded = plan.excluded.iter().filter(|excluded| excluded.set == *set).count();
        let moved_away = |one: &&Compared| one.former_set.as_ref() == Some(set) && one.status.is_some();
        let here = compared.iter().filter(|one| one.set == *set && one.status.is_some());
        let members: Vec<&Compared> = here.chain(compared.iter().filter(moved_away)).collect();
        let selected = selected + compared.iter().filter(moved_away).count();
        Self { set, selected, total: selected + excluded, members }
    }

    fn judge(&self, rules: &[(SetRule, Option<&(f64, TestLevel)>)]) -> SetJudgement {
        let judged: Vec<Judged> = rules.iter().map(|(rule, level)| self.by(*rule, *level)).collect();
        let decision = judged.iter().map(|judged| judged.decision).max().unwrap_or(PolicyDecision::Undecided);
        let texts: Vec<&str> = judged.iter().map(|judged| judged.why.as_str()).collect();
        let why = match texts.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("the policy was changed, and the stricter one counts: {}", several.join("; ")),
        };
        // Only what every rule covers can be tolerated.
        let mut covered = judged.iter().map(|judged| judged.covered.clone());
        let first = covered.next().unwrap_or_default();
        let covered = covered.fold(first, |all, next| all.intersection(&next).cloned().collect());
        let levels = rules.iter().filter_map(|(_, level)| level.map(|(_, level)| *level));
        SetJudgement {
            set: self.set.clone(),
            decision,
            why,
            level: levels.max_by_key(|level| level.least_flips()),
            covered: covered.into_iter().collect(),
        }
    }

    fn by(&self, rule: SetRule, level: Option<&(f64, TestLevel)>) -> Judged {
        match rule {
            SetRule::ZeroTolerance => {
                let why = "zero tolerance, so that each case counts for itself".to_owned();
                Judged { decision: PolicyDecision::Holds, why, covered: BTreeSet::new() }
            }
            SetRule::MinimumRate(minimum) => self.by_minimum_rate(minimum),
            SetRule::NoSignificantDrop(drop) => match drop.margin {
                Some(margin) => self.by_margin(drop.alpha, margin),
                None => self.by_drop(drop, level),
            },
        }
    }

    /// A case that was to run and has no result counts as not passed.
    fn by_minimum_rate(&self, minimum: MinimumRate) -> Judged {
        let MinimumRate { at_least, confidence } = minimum;
        let of = self.selected.max(self.members.len());
        let passed = self.members.iter().filter(|one| one.status == Some(CaseStatus::Passed)).count();
        let rule = format!("at least {} % must pass, with {} % confidence", percent(at_least), percent(confidence));
        let counted = format!("{passed} of {of} passed");
        // A part of the set cannot show the rate of the whole; as long as all of it passes there is nothing to tolerate.
        if passed == of && of < self.total {
            let why = format!("{rule}; {counted}, and the other {} did not run", self.total - of);
            return Judged { decision: PolicyDecision::Holds, why, covered: BTreeSet::new() };
        }
        let (mut decision, mut shown) = rate(passed, of, minimum);
        let missing = of - self.members.len();
        if let Some((stricter, alone)) = self.accepted_alone(missing, minimum).filter(|(alone, _)| *alone > decision) {
            decision = stricter;
            shown = format!("{shown}; {alone}");
        }
        let why = format!("{rule}; {counted}, {shown} (one-sided Clopper-Pearson)");
        let covered = self.members.iter().filter(|one| decided_failure(one)).map(|one| one.case.clone()).collect();
        Judged { decision, why, covered }
    }

    /// How the rate stands for the cases that have an accepted result, where one of them did not pass and others are new: whoever
    /// breaks some cannot make up for it by adding cases that pass.
    fn accepted_alone(&self, missing: usize, minimum: MinimumRate) -> Option<(PolicyDecision, String)> {
        let accepted = || self.members.iter().filter(|one| one.standing != Standing::New);
        let of = accepted().count() + missing;
        let passed = accepted().filter(|one| one.status == Some(CaseStatus::Passed)).count();
        if passed == of || accepted().count() == self.members.len() {
            return None;
        }
        let (decision, shown) = rate(passed, of, minimum);
        Some((decision, format!("without the new cases {passed} of {of}, {shown}")))
    }

    /// Whether any of its cases was accepted and ran again, asking the same.
    fn has_pairs(&self) -> bool {
        self.members.iter().any(|one| one.pair().is_some())
    }

    fn flips(&self) -> Flips {
        let pairs = || self.members.iter().filter_map(|one| one.pair());
        let is_pass = |ended: &crate::comparison::Ended| ended.status == CaseStatus::Passed;
        Flips {
            worse: pairs().filter(|(before, now)| is_pass(before) && !is_pass(now)).count(),
            better: pairs().filter(|(before, now)| !is_pass(before) && is_pass(now)).count(),
        }
    }

    fn by_drop(&self, drop: NoSignificantDrop, level: Option<&(f64, TestLevel)>) -> Judged {
        let flips = self.flips();
        let alone = TestLevel { alpha: drop.alpha, sets: 1 };
        let (p, least) = level.map_or((flips.exact(), alone.least_flips()), |(p, level)| (*p, level.least_flips()));
        let rule =
            format!("no significant drop from what was accepted (McNemar's exact test at {} %)", percent(drop.alpha));
        let counted = format!("{} of the same cases fail that passed, {} the other way", flips.worse, flips.better);
        let (decision, shown) = if !self.has_pairs() {
            (PolicyDecision::Holds, NO_PAIRS.to_owned())
        } else if flips.worse == 0 {
            (PolicyDecision::Holds, "no drop at all".to_owned())
        } else if p <= drop.alpha && flips.worse > flips.better {
            (PolicyDecision::Broken, format!("a significant drop, p = {p:.4}"))
        } else if flips.total() < least {
            let open = format!("p = {p:.4}, and fewer than {least} flips cannot show anything");
            (PolicyDecision::Undecided, open)
        } else {
            (PolicyDecision::Holds, format!("no significant drop, p = {p:.4}"))
        };
        Judged { decision, why: format!("{rule}; {counted}: {shown}"), covered: self.dropped() }
    }

    /// The cases that failed and passed at acceptance.
    fn dropped(&self) -> BTreeSet<CaseId> {
        let is_drop = |one: &&&Compared| {
            let passed_before = one.pair().is_some_and(|(before, _)| before.status == CaseStatus::Passed);
            passed_before && decided_failure(one)
        };
        self.members.iter().filter(is_drop).map(|one| one.case.clone()).collect()
    }

    /// No inferiority beyond a margin: the drop must be shown to be smaller, not just fail to be shown. Sets are not adjusted for
    /// one another, for each of them must show it (an intersection-union test: Berger, Technometrics 24 (1982) 295).
    fn by_margin(&self, alpha: f64, margin: f64) -> Judged {
        let flips = self.flips();
        let pairs = || self.members.iter().filter_map(|one| one.pair());
        let passing = |ended: &crate::comparison::Ended| ended.status == CaseStatus::Passed;
        let both = pairs().filter(|(before, now)| passing(before) && passing(now)).count();
        let neither = pairs().filter(|(before, now)| !passing(before) && !passing(now)).count();
        let rule = format!(
            "a drop of less than {} points from what was accepted (Newcombe's paired interval, one-sided at {} %)",
            percent(margin),
            percent(alpha)
        );
        let counted = format!("{} of the same cases fail that passed, {} the other way", flips.worse, flips.better);
        // Twice alpha outside of a two-sided interval is alpha beyond its lower end.
        let interval = paired_difference(both, flips.better, flips.worse, neither, 2.0f64.mul_add(-alpha, 1.0));
        let (decision, shown) = match interval {
            _ if !self.has_pairs() => (PolicyDecision::Holds, NO_PAIRS.to_owned()),
            _ if flips.worse == 0 => (PolicyDecision::Holds, "no drop at all".to_owned()),
            Some(change) if change.low >= -margin => {
                (PolicyDecision::Holds, format!("a drop of {} points at the most", percent_up(-change.low)))
            }
            Some(change) if change.high < -margin => {
                (PolicyDecision::Broken, format!("a drop of {} points at the least", percent_down(-change.high)))
            }
            Some(change) => {
                let open = format!("it may be a drop of {} points", percent_up(-change.low));
                (PolicyDecision::Undecided, format!("{open}, which leaves open whether it is less than the margin"))
            }
            None => (PolicyDecision::Undecided, "nothing could be compared".to_owned()),
        };
        Judged { decision, why: format!("{rule}; {counted}: {shown}"), covered: self.dropped() }
    }
}

/// What failed, or failed in some of its trials: nothing else can be tolerated, for nothing else is known. What was accepted as
/// failing needs no tolerance.
fn decided_failure(one: &Compared) -> bool {
    matches!(one.status, Some(CaseStatus::Failed | CaseStatus::Flaky)) && one.standing != Standing::KnownFailure
}

/// For one policy, the adjusted p of each set that it holds to its drop, and the level of that test; by the place of the set.
struct DropLevels {
    by_subject: Vec<Option<(f64, TestLevel)>>,
}

impl DropLevels {
    fn of(policy: &ProjectPolicy, subjects: &[Subject<'_>]) -> Self {
        let alphas: Vec<Option<f64>> = subjects
            .iter()
            .map(|subject| match policy.rule(subject.set) {
                // A set in which nothing can be tested is no test to correct for.
                SetRule::NoSignificantDrop(drop) if drop.margin.is_none() && subject.has_pairs() => Some(drop.alpha),
                _ => None,
            })
            .collect();
        let together = alphas.iter().flatten().count();
        let with_alpha = || subjects.iter().zip(&alphas).filter(|(_, alpha)| alpha.is_some());
        let p: Vec<f64> = with_alpha().map(|(subject, _)| subject.flips().exact()).collect();
        let mut adjusted = holm(&p).into_iter();
        let level =
            |alpha: &Option<f64>| alpha.and_then(|alpha| Some((adjusted.next()?, TestLevel { alpha, sets: together })));
        Self { by_subject: alphas.iter().map(level).collect() }
    }
}

#[cfg(test)]
mod tests;
