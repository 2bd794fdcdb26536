//! `http_status`: the status of the HTTP answer.

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject};
use crate::manifest::HttpStatus;

impl Judge for HttpStatus {
    const DOC: GraderDoc = GraderDoc {
        name: "http_status",
        summary: "The last HTTP answer has this status. Without this expectation a status outside 2xx is an error of \
                  the trial. A workflow that is no HTTP service has no status: no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let status = subject.observation.steps.iter().rev().find_map(|step| step.http_status);
        let status = status.ok_or_else(|| NoJudgement::new("there was no HTTP answer"))?;
        Ok(Finding::of(status == self.is, format!("status {}", self.is), status.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, observation};
    use serde_json::json;

    #[test]
    fn the_status_is_the_one_expected_or_another() {
        let mut seen = observation(None);
        seen.steps[0].http_status = Some(404);
        assert_both(&json!({"http_status": {"is": 404}}), &seen, Some(true), Some(false));
        assert_both(&json!({"http_status": {"is": 200}}), &seen, Some(false), Some(true));
    }

    #[test]
    fn the_last_answer_counts() {
        let mut seen = observation(None);
        seen.steps[0].http_status = Some(200);
        seen.steps.push(seen.steps[0].clone());
        seen.steps[1].http_status = Some(409);
        assert_both(&json!({"http_status": {"is": 409}}), &seen, Some(true), Some(false));
    }

    #[test]
    fn without_an_http_answer_there_is_no_judgement() {
        assert_no_judgement(&json!({"http_status": {"is": 200}}), &observation(None));
    }
}
