//! One rate, from how many of how many.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF, Normal};

use super::real;

/// A confidence interval of a rate or of a difference of rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The Wilson score interval at this two-sided `confidence`, for showing a rate (Wilson, JASA 22 (1927) 209; Newcombe,
/// Statistics in Medicine 17 (1998) 857, method 3). `None` of nothing, and where more than all are counted.
pub fn wilson(count: usize, of: usize, confidence: f64) -> Option<Interval> {
    if of == 0 || count > of {
        return None;
    }
    let z = normal_quantile(f64::midpoint(1.0, confidence))?;
    let (n, share, square) = (real(of), real(count) / real(of), z * z);
    let centre = (2.0 * n).mul_add(share, square);
    let spread = z * (4.0 * n * share).mul_add(1.0 - share, square).sqrt();
    let scale = 2.0 * (n + square);
    // At the ends the formula gives 0 and 1 exactly; floating-point arithmetic falls short of them.
    let low = if count == 0 { 0.0 } else { ((centre - spread) / scale).max(0.0) };
    let high = if count == of { 1.0 } else { ((centre + spread) / scale).min(1.0) };
    Some(Interval { low, high })
}

/// The exact interval of Clopper and Pearson (Biometrika 26 (1934) 404) at this two-sided `confidence`: each end leaves
/// half of the rest outside. `None` of nothing, and where more than all are counted.
pub fn clopper_pearson(count: usize, of: usize, confidence: f64) -> Option<Interval> {
    let one_sided = f64::midpoint(1.0, confidence);
    Some(Interval { low: lower_limit(count, of, one_sided)?, high: upper_limit(count, of, one_sided)? })
}

/// The one-sided exact lower limit at this `confidence` (Clopper and Pearson): the rate at which so many or more would
/// be counted with the probability `1 - confidence`. 0 where nothing was counted; `None` of nothing.
pub fn lower_limit(count: usize, of: usize, confidence: f64) -> Option<f64> {
    match (count, of) {
        (_, 0) => None,
        (count, of) if count > of => None,
        (0, _) => Some(0.0),
        (count, of) => beta_quantile(real(count), real(of - count) + 1.0, 1.0 - confidence),
    }
}

/// The one-sided exact upper limit at this `confidence` (Clopper and Pearson): the rate at which so many or fewer would
/// be counted with the probability `1 - confidence`. 1 where all were counted; `None` of nothing. Of none in `n` it is
/// `1 - (1 - confidence)^(1/n)`.
pub fn upper_limit(count: usize, of: usize, confidence: f64) -> Option<f64> {
    match (count, of) {
        (_, 0) => None,
        (count, of) if count > of => None,
        (count, of) if count == of => Some(1.0),
        (count, of) => beta_quantile(real(count) + 1.0, real(of - count), confidence),
    }
}

fn beta_quantile(a: f64, b: f64, probability: f64) -> Option<f64> {
    let distribution = Beta::new(a, b).ok()?;
    (probability > 0.0 && probability < 1.0).then(|| refined(&distribution, probability))
}

/// The quantile by halving: the library's own Newton step stops short of six digits for some shapes.
fn refined(distribution: &Beta, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    // Sixty halvings leave less than a double's own step between the two.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if distribution.cdf(middle) < probability { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The quantile of the standard normal distribution. `None` outside 0 to 1.
fn normal_quantile(probability: f64) -> Option<f64> {
    (probability > 0.0 && probability < 1.0).then(|| Normal::standard().inverse_cdf(probability))
}
