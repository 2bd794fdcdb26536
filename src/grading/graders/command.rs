//! `command`: a program judges. It ran in the execution room; here its answer is read.

use crate::evidence::Judgement;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::CommandGrader;

impl Judge for CommandGrader {
    const DOC: GraderDoc = GraderDoc {
        name: "command",
        summary: "A program of the project judges: JSON in, `{\"pass\": true|false, \"message\": \"...\"}` out. \
                  Anything but a clear verdict (another exit status, a missing or quoted `pass`, no answer in time) is \
                  no judgement, never a pass.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let program = quoted(self.run.first().map_or("", String::as_str));
        match subject.observation.judgements.get(&subject.index) {
            Some(Judgement::Verdict { pass, message }) => {
                let verdict = if *pass { "pass" } else { "fail" };
                let found = format!("{verdict}, as it says {}", quoted(message));
                Ok(Finding::of(*pass, format!("{program} to pass this"), found))
            }
            Some(Judgement::Unclear(reason)) => {
                Err(NoJudgement::new(format!("{program} gave no clear verdict: {reason}")))
            }
            None => Err(NoJudgement::new(format!("{program} was not asked"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::{Judgement, Observation};
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, observation};
    use serde_json::{Value, json};

    fn judged(index: usize, judgement: Judgement) -> Observation {
        let mut seen = observation(None);
        seen.judgements.insert(index, judgement);
        seen
    }

    fn command() -> Value {
        json!({"command": {"run": ["./judge"]}})
    }

    #[test]
    fn a_clear_verdict_counts() {
        let verdict = |pass| Judgement::Verdict { pass, message: "tone".to_owned() };
        assert_both(&command(), &judged(0, verdict(true)), Some(true), Some(false));
        assert_both(&command(), &judged(0, verdict(false)), Some(false), Some(true));
        assert_eq!(
            graded(command(), &judged(0, verdict(false))).message,
            "expected `./judge` to pass this; found fail, as it says `tone`"
        );
    }

    #[test]
    fn anything_but_a_clear_verdict_is_no_judgement() {
        assert_no_judgement(&command(), &judged(0, Judgement::Unclear("`pass` is the text \"false\"".to_owned())));
        assert_no_judgement(&command(), &observation(None));
    }

    #[test]
    fn the_verdict_on_another_expectation_does_not_count() {
        assert_no_judgement(&command(), &judged(1, Judgement::Verdict { pass: true, message: String::new() }));
    }
}
