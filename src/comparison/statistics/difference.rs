//! The difference of two rates. Both intervals put Wilson's intervals of the two rates together.

use super::rate::{Interval, wilson};
use super::real;

/// The interval of `first - second` for rates of different cases: Newcombe, Statistics in Medicine 17 (1998) 873,
/// method 10. Each rate is how many of how many. `None` where either is of nothing.
pub fn independent_difference(first: (usize, usize), second: (usize, usize), confidence: f64) -> Option<Interval> {
    let (one, other) = (wilson(first.0, first.1, confidence)?, wilson(second.0, second.1, confidence)?);
    let (p1, p2) = (real(first.0) / real(first.1), real(second.0) / real(second.1));
    Some(combined(p1, one, p2, other, 0.0))
}

/// The interval of the difference of two rates of the same cases: Newcombe, Statistics in Medicine 17 (1998) 2635,
/// method 10, with the continuity-corrected phi. `both` cases count on both sides, `first` and `second` on one side
/// alone, `neither` on none. `None` without cases.
pub fn paired_difference(
    both: usize,
    first: usize,
    second: usize,
    neither: usize,
    confidence: f64,
) -> Option<Interval> {
    let of = both + first + second + neither;
    let (one, other) = (wilson(both + first, of, confidence)?, wilson(both + second, of, confidence)?);
    let (p1, p2) = (real(both + first) / real(of), real(both + second) / real(of));
    Some(combined(p1, one, p2, other, corrected_phi(real(both), real(first), real(second), real(neither))))
}

/// How much the two sides agree beyond chance, moved by half a case towards none.
fn corrected_phi(both: f64, first: f64, second: f64, neither: f64) -> f64 {
    let margins = (both + first) * (second + neither) * (both + second) * (first + neither);
    let product = both.mul_add(neither, -(first * second));
    let half = (both + first + second + neither) / 2.0;
    let corrected = if product > half { product - half } else { product.min(0.0) };
    if margins > 0.0 { corrected / margins.sqrt() } else { 0.0 }
}

fn combined(p1: f64, one: Interval, p2: f64, other: Interval, phi: f64) -> Interval {
    let spread = |a: f64, b: f64| (2.0 * phi * a).mul_add(-b, a.mul_add(a, b * b)).max(0.0).sqrt();
    let difference = p1 - p2;
    Interval {
        low: (difference - spread(p1 - one.low, other.high - p2)).max(-1.0),
        high: (difference + spread(one.high - p1, p2 - other.low)).min(1.0),
    }
}
