//! `retry_layers`: which layers tried again, told by the count that a client library sends.

use super::rows::{Row, rows};
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{CallsMeant, RetryLayers};

impl Judge for RetryLayers {
    const DOC: GraderDoc = GraderDoc {
        name: "retry_layers",
        summary: "So many layers tried again, at most. A client library that counts its retries in a `header` (by default \
                  x-stainless-retry-count) begins at 0 again when a layer around it starts anew: one run with retries is one \
                  layer, a second run of the same intention in one step shows another one around it. Calls without that header \
                  are no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let meant = CallsMeant { operation: self.operation.clone(), call: self.call.clone() };
        let most = usize::try_from(self.at_most).unwrap_or(usize::MAX);
        let expected = format!("at most {most} {} that try again", if most == 1 { "layer" } else { "layers" });
        let mut worst: Option<(usize, String)> = None;
        for row in rows(subject, &meant)? {
            for runs in self.runs(&row)? {
                let layers = layers_of(&runs);
                if worst.as_ref().is_none_or(|(most, _)| layers > *most) {
                    worst = Some((layers, phrase(&row, &runs, layers)));
                }
            }
        }
        let Some((layers, found)) = worst else {
            let header = quoted(&self.header);
            return Err(NoJudgement::new(format!("no call carried the header {header}, or it is not recorded")));
        };
        Ok(Finding::of(layers <= most, expected, found))
    }
}

impl RetryLayers {
    /// The lengths of the runs of each step's attempts: a run begins where the count does.
    fn runs(&self, row: &Row<'_>) -> Result<Vec<Vec<usize>>, NoJudgement> {
        let name = self.header.to_ascii_lowercase();
        let mut steps: Vec<(u32, Vec<usize>)> = Vec::new();
        for attempt in &row.attempts {
            let Some(text) = attempt.exchange.and_then(|exchange| exchange.request.header(&name)) else { continue };
            let count: u64 = text.trim().parse().map_err(|_| {
                NoJudgement::new(format!("the header {} says {}, which is no count", quoted(&name), quoted(text)))
            })?;
            if steps.last().is_none_or(|(step, _)| *step != attempt.step) {
                steps.push((attempt.step, Vec::new()));
            }
            if let Some((_, runs)) = steps.last_mut() {
                match runs.last_mut() {
                    Some(length) if count > 0 => *length += 1,
                    _ => runs.push(1),
                }
            }
        }
        Ok(steps.into_iter().map(|(_, runs)| runs).collect())
    }
}

/// One for the library where it tried again, one for what is around it where the library began anew.
fn layers_of(runs: &[usize]) -> usize {
    usize::from(runs.iter().any(|length| *length > 1)) + usize::from(runs.len() > 1)
}

fn phrase(row: &Row<'_>, runs: &[usize], layers: usize) -> String {
    let attempts: usize = runs.iter().sum();
    let noun = if layers == 1 { "layer" } else { "layers" };
    let lengths: Vec<String> = runs.iter().map(ToString::to_string).collect();
    format!("{layers} {noun}, {attempts} attempts in runs of {} at {}", lengths.join(" + "), row.name)
}

#[cfg(test)]
mod tests {
    use crate::evidence::Observation;
    use crate::grading::contract::specimen::{Call, trial};
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded};
    use serde_json::{Value, json};

    const HEADER: &str = "x-stainless-retry-count";

    fn counting(counts: &[&str]) -> Observation {
        let call = |count: &&str| Call::model("{}").status(500).header(HEADER, count);
        trial(&counts.iter().map(call).collect::<Vec<_>>()).observation
    }

    fn at_most(layers: u32) -> Value {
        json!({"retry_layers": {"call": "model/chat", "at_most": layers}})
    }

    #[test]
    fn a_run_is_one_layer_and_a_restart_shows_another() {
        for (counts, layers) in [
            (&["0"][..], 0),
            (&["0", "1", "2"], 1),
            (&["0", "0", "0"], 1),
            (&["0", "1", "2", "0", "1", "2", "0", "1", "2"], 2),
        ] {
            assert_both(&at_most(layers), &counting(counts), Some(true), Some(false));
            if layers > 0 {
                assert_both(&at_most(layers - 1), &counting(counts), Some(false), Some(true));
            }
        }
    }

    #[test]
    fn the_message_has_layers_and_attempts() {
        let message = graded(at_most(1), &counting(&["0", "1", "0", "1", "2"])).message;
        assert_eq!(
            message,
            "expected at most 1 layer that try again; found 2 layers, 5 attempts in runs of 2 + 3 at `chat:1`"
        );
    }

    #[test]
    fn another_step_is_no_restart() {
        let call = |step, count: &str| Call::model("{}").step(step).header(HEADER, count);
        let seen = trial(&[call(1, "0"), call(1, "1"), call(3, "0"), call(3, "1")]).observation;
        assert_both(&at_most(1), &seen, Some(true), Some(false));
    }

    #[test]
    fn a_header_of_another_name_can_be_told() {
        let call = |count: &str| Call::model("{}").header("x-attempt", count);
        let seen = trial(&[call("0"), call("0")]).observation;
        let named = json!({"retry_layers": {"at_most": 0, "header": "X-Attempt"}});
        assert_both(&named, &seen, Some(false), Some(true));
        assert_no_judgement(&at_most(0), &seen);
    }

    #[test]
    fn what_is_no_count_is_no_judgement() {
        assert_no_judgement(&at_most(1), &counting(&["0", "many"]));
        assert_no_judgement(&at_most(1), &trial(&[]).observation);
    }
}
