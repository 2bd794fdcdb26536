//! Repeats of a case: they tell how steady it is, and are no cases of their own.

use super::real;

/// One case's trials: how many passed, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseTrials {
    /// Trials that passed.
    pub passed: usize,
    /// Trials.
    pub trials: usize,
}

/// The chance that `k` further tries all pass, estimated without bias from `passed` of `trials`: C(passed, k) /
/// C(trials, k), pass^k (Yao and others, tau-bench, 2024). `None` where there are fewer than `k` trials, or `k` is 0.
pub fn pass_hat_k(of: CaseTrials, k: usize) -> Option<f64> {
    share_of_draws(of.passed, of.trials, k)
}

/// The chance that at least one of `k` further tries passes: 1 - C(failed, k) / C(trials, k), pass@k (Chen and others,
/// Evaluating Large Language Models Trained on Code, 2021). `None` as for [`pass_hat_k`].
pub fn pass_at_k(of: CaseTrials, k: usize) -> Option<f64> {
    share_of_draws(of.trials.checked_sub(of.passed)?, of.trials, k).map(|none| 1.0 - none)
}

/// C(count, k) / C(of, k).
fn share_of_draws(count: usize, of: usize, k: usize) -> Option<f64> {
    if k == 0 || k > of || count > of {
        return None;
    }
    let factor = |drawn: usize| if drawn < count { real(count - drawn) / real(of - drawn) } else { 0.0 };
    Some((0..k).map(factor).product())
}

/// A rate over trials, with its standard error where the trials of one case belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredRate {
    /// The share of trials that passed.
    pub rate: f64,
    /// Its standard error; `None` of a single case, which shows nothing of how cases differ.
    pub standard_error: Option<f64>,
}

/// The rate over all trials of several cases, with the cluster-robust standard error: the square root of
/// `m / (m - 1) * sum of (passed - rate * trials)^2 / all trials^2` over the `m` cases (Liang and Zeger, Biometrika
/// 73 (1986) 13; Miller, Adding Error Bars to Evals, 2024). `None` without trials.
pub fn clustered_rate(cases: &[CaseTrials]) -> Option<ClusteredRate> {
    let trials: usize = cases.iter().map(|case| case.trials).sum();
    if trials == 0 {
        return None;
    }
    let passed: usize = cases.iter().map(|case| case.passed).sum();
    let rate = real(passed) / real(trials);
    let squares: f64 = cases.iter().map(|case| rate.mul_add(-real(case.trials), real(case.passed)).powi(2)).sum();
    let clusters = cases.iter().filter(|case| case.trials > 0).count();
    let variance = || squares / real(trials).powi(2) * real(clusters) / real(clusters - 1);
    Some(ClusteredRate { rate, standard_error: (clusters > 1).then(|| variance().sqrt()) })
}
