//! When two JSON values are the same value.

use serde_json::{Number, Value};

/// JSON equality: types count, the order of keys does not, and numbers are compared by what they are worth, so
/// that `1`, `1.0` and `1e0` are one value, as RFC 9535 compares them in a JSONPath.
pub(super) fn json_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => numbers_equal(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| json_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| json_equal(value, other)))
        }
        (one, other) => one == other,
    }
}

fn numbers_equal(one: &Number, other: &Number) -> bool {
    match (as_integer(one), as_integer(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.as_f64() == other.as_f64(),
        _ => false,
    }
}

/// The number as a whole number, exactly; a float too large for `i128` counts as none.
fn as_integer(number: &Number) -> Option<i128> {
    if let Some(whole) = number.as_i128() {
        return Some(whole);
    }
    let float = number.as_f64()?;
    let is_whole = float.fract() == 0.0 && float.abs() < 1e30;
    // The cast is exact: the value is whole and lies within the range.
    is_whole.then_some(float as i128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_compared_by_their_worth() {
        assert!(json_equal(&json!(1), &json!(1.0)));
        assert!(json_equal(&json!({"a": [1.0, 2]}), &json!({"a": [1, 2.0]})));
        assert!(json_equal(&json!(0.5), &json!(5e-1)));
        assert!(!json_equal(&json!(1), &json!(1.5)));
    }

    #[test]
    fn large_whole_numbers_are_not_rounded_together() {
        assert!(!json_equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992.0)));
        assert!(!json_equal(&json!(u64::MAX), &json!(u64::MAX - 1)));
        assert!(json_equal(&json!(1e300), &json!(1e300)));
    }

    #[test]
    fn types_count_and_the_order_of_keys_does_not() {
        assert!(!json_equal(&json!(1), &json!("1")));
        assert!(!json_equal(&json!(null), &json!(false)));
        assert!(!json_equal(&json!([1, 2]), &json!([2, 1])));
        assert!(!json_equal(&json!({"a": 1}), &json!({"a": 1, "b": null})));
        assert!(!json_equal(&json!({"a": 1, "b": 2}), &json!({"a": 1, "c": 2})));
        assert!(json_equal(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})));
    }
}
