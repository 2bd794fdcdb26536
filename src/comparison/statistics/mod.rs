//! What counts support, and no more: intervals, tests and repeats. Small, pure, each with the source of its formula.

mod difference;
mod fisher;
mod holm;
mod mcnemar;
mod percent;
mod rate;
mod repeats;
mod sequential;
#[cfg(test)]
mod tests;

pub use difference::{independent_difference, paired_difference};
pub use fisher::{Table, fisher_greater, fisher_two_sided};
pub use holm::holm;
pub use mcnemar::{Flips, chi_square_p, least_flips};
pub use percent::{interval_text, percent, percent_down, percent_up};
pub use rate::{Interval, clopper_pearson, lower_limit, upper_limit, wilson};
pub use repeats::{CaseTrials, ClusteredRate, clustered_rate, pass_at_k, pass_hat_k};
pub use sequential::sprt_bounds;

/// A count as a real number. Counts of cases and trials stay far below 2^52, so nothing is lost.
#[expect(clippy::cast_precision_loss, reason = "counts of cases and trials stay far below 2^52")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}
