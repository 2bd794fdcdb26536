//! Rates as percentages that never round to the favourable side.

/// The small part by which a product in binary may lie off the decimal that is meant: 14.000000000000002 is 14.
const SLACK: f64 = 1e-9;

/// In percent with one digit, rounded up; for what must not be understated, such as a failure rate's limit.
pub fn percent_up(rate: f64) -> String {
    format!("{:.1}", (rate.mul_add(1000.0, -SLACK)).ceil().max(0.0) / 10.0)
}

/// In percent with one digit, rounded down; for what must not be overstated, such as a pass rate's limit.
pub fn percent_down(rate: f64) -> String {
    format!("{:.1}", (rate.mul_add(1000.0, SLACK)).floor().max(0.0) / 10.0)
}

/// In percent, as it stands, without a digit that says nothing: `90`, `97.5`.
pub fn percent(rate: f64) -> String {
    let text = format!("{:.2}", rate * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An interval of a rate in percent, its ends rounded outwards: it never looks narrower than it is.
pub fn interval_text(low: f64, high: f64) -> String {
    format!("{} % to {} %", percent_down(low), percent_up(high))
}
