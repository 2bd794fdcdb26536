//! A rate that is never shown without its count and its interval.

use serde::{Deserialize, Serialize};

/// The standard normal quantile that belongs to a two-sided 95 %.
const Z: f64 = 1.959_964;

/// How many of how many, with the Wilson score interval of the share at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How many.
    pub count: usize,
    /// Of how many.
    pub of: usize,
    /// The share, from 0 to 1; `None` of nothing.
    pub share: Option<f64>,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

impl Rate {
    /// `count` of `of`. Each of them must be a case of its own: repeats of one case would make the interval too small.
    pub fn new(count: usize, of: usize) -> Self {
        let interval = wilson(count, of);
        Self {
            count,
            of,
            share: interval.map(|_| real(count) / real(of)),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        }
    }

    /// The rate for a reader: `3 of 4 (75 %, 95 % interval 30 % to 95 %)`.
    pub fn text(&self) -> String {
        let counts = format!("{} of {}", self.count, self.of);
        match (self.share, self.low, self.high) {
            (Some(share), Some(low), Some(high)) => {
                format!("{counts} ({}, 95 % interval {} to {})", percent(share), percent(low), percent(high))
            }
            _ => counts,
        }
    }
}

/// The Wilson score interval (Wilson 1927; Newcombe 1998, Statistics in Medicine 17:857, method 3). `None` of nothing,
/// and where more than all are counted.
fn wilson(count: usize, of: usize) -> Option<(f64, f64)> {
    if of == 0 || count > of {
        return None;
    }
    let (n, p) = (real(of), real(count) / real(of));
    let z2 = Z * Z;
    let centre = 2.0 * n * p + z2;
    let spread = Z * (z2 + 4.0 * n * p * (1.0 - p)).sqrt();
    let scale = 2.0 * (n + z2);
    // At the ends the formula gives 0 and 1 exactly; floating-point arithmetic falls short of them.
    let low = if count == 0 { 0.0 } else { ((centre - spread) / scale).max(0.0) };
    let high = if count == of { 1.0 } else { ((centre + spread) / scale).min(1.0) };
    Some((low, high))
}

/// Counts of cases stay far below 2^52, so nothing is lost.
#[expect(clippy::cast_precision_loss, reason = "counts of cases stay far below 2^52")]
fn real(count: usize) -> f64 {
    count as f64
}

/// A share in percent with one digit, without a digit where it is whole.
fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_the_published_intervals_of_newcombe_1998() {
        for (count, of, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let rate = Rate::new(count, of);
            assert!((rate.low.unwrap() - low).abs() < 5e-5, "{count}/{of}: {rate:?}");
            assert!((rate.high.unwrap() - high).abs() < 5e-5, "{count}/{of}: {rate:?}");
        }
    }

    #[test]
    fn twenty_of_twenty_is_no_certainty() {
        let rate = Rate::new(20, 20);
        assert!((rate.low.unwrap() - 0.838_875).abs() < 5e-7 && rate.high == Some(1.0), "{rate:?}");
        assert_eq!(rate.text(), "20 of 20 (100 %, 95 % interval 83.9 % to 100 %)");
    }

    #[test]
    fn of_nothing_there_is_no_share() {
        assert_eq!(Rate::new(0, 0), Rate { count: 0, of: 0, share: None, low: None, high: None });
        assert_eq!(Rate::new(0, 0).text(), "0 of 0");
    }

    proptest! {
        #[test]
        fn the_interval_lies_between_nothing_and_all_around_the_share(of in 1_usize..2000, part in 0.0_f64..=1.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2000 and not negative")]
            let count = (part * real(of)) as usize;
            let rate = Rate::new(count, of);
            let (low, share, high) = (rate.low.unwrap(), rate.share.unwrap(), rate.high.unwrap());
            prop_assert!(0.0 <= low && low <= share + 1e-12 && share <= high + 1e-12 && high <= 1.0);
        }
    }
}
