//! `command` graders: programs that judge an answer. Anything but a clear verdict is no verdict.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::domain::CaseId;
use crate::evidence::{Answer, Judgement, Reading, excerpt};
use crate::manifest::{CommandGrader, WorkflowEnv};

use super::cancellation::Cancellation;
use super::command_workflow::end_error;
use super::orphans::{Spare, end_orphans};
use super::process::{self, Limits};
use super::program::{Program, Surroundings};
use super::strict_json;

const SCHEMA: &str = "holdpoint.judge/1";

/// Bytes that a judge may print.
const OUTPUT_CAP: usize = 1024 * 1024;

/// How much of a judge's reason is kept, in characters.
const REASON_SHOWN: usize = 4000;

/// What a judge gets on standard input.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct JudgeInput<'a> {
    schema: &'static str,
    case: &'a CaseId,
    trial: u32,
    input: &'a Value,
    answer: JudgedAnswer<'a>,
    readings: &'a BTreeMap<String, Reading>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct JudgedAnswer<'a> {
    text: &'a str,
    json: Option<&'a Value>,
    output: &'a Value,
}

impl<'a> JudgeInput<'a> {
    pub(super) fn new(
        case: &'a CaseId,
        trial: u32,
        input: &'a Value,
        answer: &'a Answer,
        readings: &'a BTreeMap<String, Reading>,
    ) -> Self {
        let answer = JudgedAnswer { text: &answer.text, json: answer.json.as_ref(), output: &answer.output };
        Self { schema: SCHEMA, case, trial, input, answer, readings }
    }
}

/// Runs one judge to its verdict. Its environment is empty but for PATH and the state directory.
pub(super) fn judge(
    grader: &CommandGrader,
    input: &JudgeInput<'_>,
    state_dir: &Path,
    surroundings: Surroundings<'_>,
    cancellation: &Cancellation,
) -> Judgement {
    run(grader, input, state_dir, surroundings, cancellation)
        .and_then(|printed| read_verdict(&printed))
        .unwrap_or_else(Judgement::Unclear)
}

fn run(
    grader: &CommandGrader,
    input: &JudgeInput<'_>,
    state_dir: &Path,
    surroundings: Surroundings<'_>,
    cancellation: &Cancellation,
) -> Result<Vec<u8>, String> {
    let surroundings = surroundings.started_in(grader.started_in.as_deref());
    let program = Program::find(&grader.run, &WorkflowEnv::default(), surroundings).map_err(|error| error.message)?;
    let input = serde_json::to_vec(input).map_err(|error| error.to_string())?;
    let limits = Limits { timeout: Duration::from_secs(grader.timeout_s), output_cap: OUTPUT_CAP, cancellation };
    let finished = process::run(program.command(state_dir), &input, &limits)
        .map_err(|error| program.start_error(&error).message)?;
    if finished.held_open {
        end_orphans(state_dir, Spare::Nothing);
    }
    match end_error(program.name(), &finished, grader.timeout_s, OUTPUT_CAP) {
        Some(error) => Err(error.message),
        None => Ok(finished.stdout),
    }
}

/// Exactly one JSON object with a `pass` that is `true` or `false`.
fn read_verdict(printed: &[u8]) -> Result<Judgement, String> {
    let value = strict_json::parse(printed).map_err(|error| format!("the judge's answer: {error}"))?;
    let shown = |value: &Value| excerpt(&value.to_string(), 100);
    let Value::Object(fields) = &value else {
        return Err(format!("the judge's answer is no object: {}", shown(&value)));
    };
    let pass = match fields.get("pass") {
        Some(Value::Bool(pass)) => *pass,
        Some(other) => return Err(format!("the judge's `pass` is neither true nor false: {}", shown(other))),
        None => return Err("the judge's answer has no `pass`".to_owned()),
    };
    let message = match fields.get("message") {
        None => String::new(),
        Some(Value::String(message)) => excerpt(message, REASON_SHOWN),
        Some(other) => return Err(format!("the judge's `message` is no text: {}", shown(other))),
    };
    Ok(Judgement::Verdict { pass, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_verdict_is_taken() {
        let verdict = |pass, message: &str| Ok(Judgement::Verdict { pass, message: message.to_owned() });
        assert_eq!(read_verdict(br#" {"pass": true} "#), verdict(true, ""));
        assert_eq!(
            read_verdict(br#"{"message": "too long", "pass": false, "score": 0.2}"#),
            verdict(false, "too long")
        );
    }

    #[test]
    fn anything_but_a_clear_verdict_is_none() {
        for printed in [
            "",
            "true",
            "pass",
            "{}",
            "[{\"pass\": true}]",
            "{\"pass\": \"false\"}",
            "{\"pass\": null}",
            "{\"pass\": 1}",
            "{\"pass\": NaN}",
            "{\"pass\": true, \"pass\": false}",
            "{\"pass\": true} {\"pass\": true}",
            "{\"pass\": true}\n{\"pass\": false}",
            "{\"pass\": true, \"message\": 7}",
            "{\"pass\": tr",
            "{\"Pass\": true}",
        ] {
            assert!(read_verdict(printed.as_bytes()).is_err(), "{printed}");
        }
    }
}
