//! Stopping early without deceiving oneself.

/// The bounds of Wald's sequential probability ratio test (Annals of Mathematical Statistics 16 (1945) 117) for the
/// logarithm of the likelihood ratio: stop and conclude for the alternative at or above the first, against it at or below the
/// second; go on between them. `alpha` and `beta` are the chances of a false alarm and of a miss.
pub fn sprt_bounds(alpha: f64, beta: f64) -> (f64, f64) {
    (((1.0 - beta) / alpha).ln(), (beta / (1.0 - alpha)).ln())
}
