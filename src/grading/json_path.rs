//! Values in a JSON answer, by JSONPath (RFC 9535).

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::evidence::Answer;

use super::judge::{NoJudgement, quoted};

/// All values that `path` finds in the answer; `None` where the answer is no JSON.
///
/// # Errors
/// Where the path is none.
pub(super) fn values<'a>(answer: &'a Answer, path: &str) -> Result<Option<Vec<&'a Value>>, NoJudgement> {
    let parsed =
        JsonPath::parse(path).map_err(|error| NoJudgement::new(format!("{} is no JSONPath: {error}", quoted(path))))?;
    Ok(answer.json.as_ref().map(|json| parsed.query(json).all()))
}

/// The one value at `path`, or in words what is there instead.
///
/// # Errors
/// Where the path is none.
pub(super) fn one_value<'a>(answer: &'a Answer, path: &str) -> Result<Result<&'a Value, String>, NoJudgement> {
    Ok(match values(answer, path)?.as_deref() {
        None => Err(not_json(answer)),
        Some([value]) => Ok(*value),
        Some([]) => Err(format!("nothing at {}", quoted(path))),
        Some(many) => Err(format!("{} values at {}", many.len(), quoted(path))),
    })
}

/// What is said of an answer that is no JSON.
pub(super) fn not_json(answer: &Answer) -> String {
    format!("an answer that is no JSON: {}", quoted(&answer.text))
}
