//! The same cases on two sides: only those that flipped say anything of a change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, Discrete, DiscreteCDF};
use statrs::function::erf::erfc;

use super::rate::{Interval, clopper_pearson};
use super::real;

/// How many cases flipped, each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flips {
    /// Passed before and do not now.
    pub worse: usize,
    /// Did not pass before and do now.
    pub better: usize,
}

impl Flips {
    /// All of them.
    pub fn total(self) -> usize {
        self.worse + self.better
    }

    /// The two-sided exact test: the probability of flips at least as one-sided if both ways were equally likely
    /// (McNemar, Psychometrika 12 (1947) 153, with the binomial distribution). 1 without flips.
    pub fn exact(self) -> f64 {
        self.half().map_or(1.0, |half| (2.0 * half.cdf(self.fewer())).min(1.0))
    }

    /// The two-sided mid-p test: the exact one with half of the probability of what was seen (Fagerland, Lydersen and
    /// Laake, BMC Medical Research Methodology 13 (2013) 91). 1 without flips.
    pub fn mid_p(self) -> f64 {
        let mid = |half: Binomial| (2.0 * half.cdf(self.fewer()) - half.pmf(self.fewer())).clamp(0.0, 1.0);
        self.half().map_or(1.0, mid)
    }

    /// The statistic of McNemar's asymptotic test, with one degree of freedom. `None` without flips.
    pub fn chi_square(self) -> Option<f64> {
        let (worse, better) = (real(self.worse), real(self.better));
        (self.total() > 0).then(|| (worse - better).powi(2) / (worse + better))
    }

    /// The same with the continuity correction (Yates; Edwards, Psychometrika 13 (1948) 185). `None` without flips.
    pub fn corrected_chi_square(self) -> Option<f64> {
        let (worse, better) = (real(self.worse), real(self.better));
        (self.total() > 0).then(|| ((worse - better).abs() - 1.0).max(0.0).powi(2) / (worse + better))
    }

    /// The exact interval of `worse / better`, from that of `worse` among all flips (Clopper and Pearson; Armitage and
    /// Berry, Statistical Methods in Medical Research). Its upper end is infinite where nothing became better. `None`
    /// without flips.
    pub fn ratio_interval(self, confidence: f64) -> Option<Interval> {
        let share = clopper_pearson(self.worse, self.total(), confidence)?;
        let odds = |share: f64| if share >= 1.0 { f64::INFINITY } else { share / (1.0 - share) };
        Some(Interval { low: odds(share.low), high: odds(share.high) })
    }

    fn fewer(self) -> u64 {
        u64::try_from(self.worse.min(self.better)).unwrap_or(u64::MAX)
    }

    fn half(self) -> Option<Binomial> {
        let total = u64::try_from(self.total()).ok().filter(|total| *total > 0)?;
        Binomial::new(0.5, total).ok()
    }
}

/// The probability beyond `statistic` of the chi-squared distribution with one degree of freedom.
pub fn chi_square_p(statistic: f64) -> f64 {
    erfc((statistic / 2.0).sqrt())
}

/// The least number of flips, all of them one way, with which the exact test can show `p <= alpha`: 6 at 5 %. So many
/// that there never are for an alpha of 0 or less.
pub fn least_flips(alpha: f64) -> usize {
    // With n flips one way p is 2 * 0.5^n, which is above 0 for every n here.
    let p = |flips: &usize| 0.5_f64.powi(i32::try_from(*flips).unwrap_or(i32::MAX) - 1);
    (1..1_000).find(|flips| p(flips) <= alpha).unwrap_or(usize::MAX)
}
