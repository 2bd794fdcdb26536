//! `duration`: how long the trial's steps took together.

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject};
use crate::manifest::DurationLimit;

impl Judge for DurationLimit {
    const DOC: GraderDoc = GraderDoc {
        name: "duration",
        summary: "The trial's steps took at most so many milliseconds together. The time is the runner's own, under \
                  whatever load the machine had.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let taken = subject.observation.duration_ms;
        Ok(Finding::of(taken <= self.at_most_ms, format!("at most {} ms", self.at_most_ms), format!("{taken} ms")))
    }
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, observation};
    use serde_json::json;

    #[test]
    fn the_limit_itself_is_within() {
        let seen = observation(None);
        assert_both(&json!({"duration": {"at_most_ms": 20}}), &seen, Some(true), Some(false));
        assert_both(&json!({"duration": {"at_most_ms": 19}}), &seen, Some(false), Some(true));
    }
}
