//! Mesa's review desk: drafts an answer from policy sources and stages it for local review. It never sends.

use serde_json::json;

use super::{PracticeAnswer, PracticeCall, PracticeError};

/// Invokes the desk once.
///
/// # Errors
/// When the parts do not describe a desk, or its database cannot be used.
pub fn invoke(call: &PracticeCall<'_>) -> Result<PracticeAnswer, PracticeError> {
    let output = format!("Scripted draft, no model. {}", call.invocation["input"]["question"]);
    let text = json!({ "output": output, "claims": [] }).to_string();
    Ok(PracticeAnswer { text, attempts: Vec::new(), fired: Vec::new(), readings: Vec::new() })
}
