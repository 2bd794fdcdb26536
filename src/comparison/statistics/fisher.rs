//! Different cases on two sides: Fisher's exact test.

use statrs::function::factorial::ln_binomial;

/// Two rates as counts: passed and not, on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The first side: passed, not passed.
    pub first: (usize, usize),
    /// The second side: passed, not passed.
    pub second: (usize, usize),
}

/// The probability of so many passes on the first side, or more, with all margins as they are (Fisher, The Design of
/// Experiments, 1935). 1 where a side is empty.
pub fn fisher_greater(table: Table) -> f64 {
    let (_, most) = range(table);
    (table.first.0..=most).map(|passes| probability(table, passes)).sum::<f64>().min(1.0)
}

/// The two-sided test: the probability of every table that is no likelier than this one. 1 where a side is empty.
pub fn fisher_two_sided(table: Table) -> f64 {
    // Tables that are equally likely differ in their last digits.
    const SLACK: f64 = 1.0 + 1e-7;
    let seen = probability(table, table.first.0) * SLACK;
    let (least, most) = range(table);
    (least..=most).map(|passes| probability(table, passes)).filter(|each| *each <= seen).sum::<f64>().min(1.0)
}

/// How many passes the first side can have with these margins.
fn range(table: Table) -> (usize, usize) {
    let first = table.first.0 + table.first.1;
    let passed = table.first.0 + table.second.0;
    let second = table.second.0 + table.second.1;
    (passed.saturating_sub(second), first.min(passed))
}

/// The hypergeometric probability of `passes` on the first side.
fn probability(table: Table, passes: usize) -> f64 {
    let first = table.first.0 + table.first.1;
    let second = table.second.0 + table.second.1;
    let passed = table.first.0 + table.second.0;
    let ways = |of: usize, count: usize| ln_binomial(wide(of), wide(count));
    (ways(first, passes) + ways(second, passed - passes) - ways(first + second, passed)).exp()
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
