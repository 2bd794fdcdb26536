//! What the counts of each set support, in `holdpoint.report/1` and `holdpoint.compare/1`, and in words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::statistics::{Interval, interval_text};
use crate::comparison::{
    ALPHA, Compared, Paired, SetComparison, TestLevel, TrialRate, Unpaired, evidence_statement, power_sentence,
    set_comparisons,
};
use crate::domain::counted;
use crate::verdict::SetJudgement;

/// One set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetView {
    /// The counts and what they support.
    #[serde(flatten)]
    pub figures: SetComparison,
    /// What the passes say of the workflow, in one sentence.
    pub statement: String,
    /// What a comparison of this size could have shown at all; nothing where there was nothing to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<String>,
    /// How many of its cases a workflow that does nothing would pass; nothing where that is not known of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub do_nothing: Option<usize>,
    /// What the gate's policy made of it; nothing under zero tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SetJudgement>,
}

/// The sets of which a case ran, by name.
pub(super) fn set_views(compared: &[Compared], judgements: &[SetJudgement]) -> Vec<SetView> {
    let view = |figures: SetComparison| {
        let policy = judgements.iter().find(|judgement| judgement.set == figures.set);
        // Where a policy tests the drop, its level is the one that counts.
        let level = policy.and_then(|judgement| judgement.level);
        let shown = |paired: Paired| TestLevel { alpha: ALPHA, sets: paired.sets };
        SetView {
            statement: evidence_statement(figures.passed, figures.cases),
            do_nothing: None,
            power: figures.paired.map(|paired| power_sentence(paired.cases(), level.unwrap_or_else(|| shown(paired)))),
            policy: policy.cloned(),
            figures,
        }
    };
    set_comparisons(compared).into_iter().map(view).collect()
}

impl SetView {
    /// All of it but the set's name, a sentence each.
    pub(super) fn sentences(&self) -> Vec<String> {
        let figures = &self.figures;
        let mut sentences = vec![self.statement.clone()];
        if let (Some(wilson), Some(exact)) = (figures.wilson, figures.exact) {
            sentences.push(format!(
                "Share of passes at 95 %: {} (Wilson), {} (Clopper-Pearson, exact).",
                shares(wilson),
                shares(exact)
            ));
        }
        sentences.extend(figures.trials.as_ref().map(trial_sentence));
        sentences.extend(figures.paired.as_ref().map(paired_sentence));
        sentences.extend(figures.unpaired.as_ref().map(unpaired_sentence));
        sentences.extend(self.power.clone());
        sentences.extend(self.policy.as_ref().map(|policy| format!("Policy: {}.", policy.why)));
        sentences
    }
}

fn shares(interval: Interval) -> String {
    interval_text(interval.low, interval.high)
}

/// Percentage points with a sign.
fn points(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |interval| {
        format!("; the rate changed by {:+.1} to {:+.1} points", interval.low * 100.0, interval.high * 100.0)
    })
}

fn trial_sentence(trials: &TrialRate) -> String {
    let error = trials
        .standard_error
        .map_or_else(String::new, |error| format!(", standard error {:.1} points (clustered by case)", error * 100.0));
    let tries = trials.tries.last().filter(|tries| tries.k > 1).map_or_else(String::new, |tries| {
        let share = |rate: f64| format!("{:.1} %", rate * 100.0);
        let (all, any) = (share(tries.all_pass), share(tries.any_passes));
        format!("; of {} tries of a case all pass for {all} (pass^k), at least one for {any} (pass@k)", tries.k)
    });
    format!("{} of {} passed{error}{tries}.", trials.passed, counted(trials.trials, "trial"))
}

fn paired_sentence(paired: &Paired) -> String {
    format!(
        "Against the same {} before: {} fail that passed, {} pass that did not; p = {:.4} (McNemar, exact), {:.4} (mid-p), \
         {:.4} with all sets together (Holm){} (Newcombe, paired).",
        counted(paired.cases(), "case"),
        paired.flips.worse,
        paired.flips.better,
        paired.exact_p,
        paired.mid_p,
        paired.adjusted_p,
        points(paired.difference)
    )
}

fn unpaired_sentence(unpaired: &Unpaired) -> String {
    let ((passed, of), (now, of_now)) = (unpaired.before, unpaired.now);
    format!(
        "Some cases are on one side alone, or ask something else: {passed} of {of} passed before, {now} of {of_now} now; \
         p = {:.4} (Fisher, exact){} (Newcombe, independent).",
        unpaired.p,
        points(unpaired.difference)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{Ended, Standing};
    use crate::domain::{CaseId, CaseStatus, Risk};

    fn one(before: CaseStatus, now: CaseStatus, trials: u32) -> Compared {
        let ended = |status| Ended { status, passed: if status == CaseStatus::Passed { trials } else { 0 }, trials };
        let standing = if now == CaseStatus::Passed { Standing::Unchanged } else { Standing::Regressed };
        let new = Compared::new(CaseId::from("c"), Risk::from("access"), standing, "");
        Compared { before: Some(ended(before)), now: Some(ended(now)), ..new }
    }

    #[test]
    fn a_set_is_told_with_its_intervals_its_tests_and_their_power() {
        let mut compared = vec![one(CaseStatus::Passed, CaseStatus::Passed, 1); 17];
        compared.extend(vec![one(CaseStatus::Passed, CaseStatus::Failed, 1); 3]);
        let sentences = set_views(&compared, &[])[0].sentences();
        assert_eq!(
            sentences[1..],
            [
                "Share of passes at 95 %: 63.9 % to 94.8 % (Wilson), 62.1 % to 96.8 % (Clopper-Pearson, exact).",
                "Against the same 20 cases before: 3 fail that passed, 0 pass that did not; p = 0.2500 (McNemar, exact), \
                 0.1250 (mid-p), 0.2500 with all sets together (Holm); the rate changed by -36.0 to +3.8 points \
                 (Newcombe, paired).",
                "Six one-way flips are the least that could show a regression here (McNemar's exact test at 5 %).",
            ]
        );
    }

    #[test]
    fn the_power_is_that_of_the_test_which_counts() {
        let mut compared = vec![one(CaseStatus::Passed, CaseStatus::Passed, 1); 20];
        let power = |compared: &[Compared], judgements: &[SetJudgement]| {
            let views = set_views(compared, judgements);
            views[0].power.clone().unwrap()
        };
        assert!(power(&compared, &[]).starts_with("Six one-way flips"));
        // The policy holds this set to its drop together with one that did not run here.
        let judgement = SetJudgement {
            set: Risk::from("access"),
            decision: crate::verdict::PolicyDecision::Holds,
            why: String::new(),
            level: Some(TestLevel { alpha: 0.05, sets: 2 }),
            covered: Vec::new(),
        };
        assert!(power(&compared, std::slice::from_ref(&judgement)).starts_with("Seven one-way flips"));
        // Without a policy it is that of all sets that are compared, as their adjusted p is.
        let other = |one: &Compared| Compared { set: Risk::from("action"), ..one.clone() };
        compared.extend(compared.clone().iter().map(other));
        assert!(power(&compared, &[]).starts_with("Seven one-way flips"), "{}", power(&compared, &[]));
    }

    #[test]
    fn repeats_are_told_as_repeats() {
        let compared =
            vec![one(CaseStatus::Passed, CaseStatus::Passed, 4), one(CaseStatus::Passed, CaseStatus::Failed, 4)];
        let sentences = set_views(&compared, &[])[0].sentences();
        assert_eq!(
            sentences[2],
            "4 of 8 trials passed, standard error 50.0 points (clustered by case); of 4 tries of a case all pass for 50.0 % \
             (pass^k), at least one for 50.0 % (pass@k)."
        );
    }
}
