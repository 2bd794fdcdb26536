//! A rate that is never shown without its count and its interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::statistics::{interval_text, percent_down, percent_up, wilson};

/// The confidence of every interval here.
const CONFIDENCE: f64 = 0.95;

/// How many of how many, with the Wilson score interval of the share at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
        let interval = wilson(count, of, CONFIDENCE);
        Self {
            count,
            of,
            share: interval.map(|_| real(count) / real(of)),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
        }
    }

    /// The rate for a reader: `3 of 4 (75.0 %, 95 % interval 30.0 % to 95.5 %)`. The ends of the interval are rounded
    /// outwards and the share down, as every report does. A share of all or of nothing is not given in percent, which would
    /// look like a certainty.
    pub fn text(&self) -> String {
        let counts = format!("{} of {}", self.count, self.of);
        match (self.share, self.low, self.high) {
            (Some(_), Some(low), _) if self.count == self.of => {
                format!("{counts} (95 % interval from {} % up)", percent_down(low))
            }
            (Some(_), _, Some(high)) if self.count == 0 => {
                format!("{counts} (95 % interval up to {} %)", percent_up(high))
            }
            (Some(share), Some(low), Some(high)) => {
                format!("{counts} ({} %, 95 % interval {})", percent_down(share), interval_text(low, high))
            }
            _ => counts,
        }
    }
}

/// Counts of cases stay far below 2^52, so nothing is lost.
#[expect(clippy::cast_precision_loss, reason = "counts of cases stay far below 2^52")]
fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn twenty_of_twenty_is_no_certainty() {
        let rate = Rate::new(20, 20);
        assert!((rate.low.unwrap() - 0.838_875).abs() < 5e-7 && rate.high == Some(1.0), "{rate:?}");
        assert_eq!(rate.text(), "20 of 20 (95 % interval from 83.8 % up)");
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
