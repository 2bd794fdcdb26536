//! `placeholder`: what is still to be written never passes.

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::Placeholder;

impl Judge for Placeholder {
    const DOC: GraderDoc = GraderDoc {
        name: "placeholder",
        summary: "An expectation that is still to be written stands here: it fails whatever the workflow does, and under \
                  `not` it is no judgement. `holdpoint import` writes one for each assertion that has no equal here.",
    };

    fn judge(&self, _subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let from = self.from.as_ref().map_or_else(String::new, |from| format!(", from {}", quoted(from)));
        let expected = format!("what stands in place of {}{from}", quoted(&self.stands_for));
        let why = self.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        Ok(Finding::absent(expected, format!("a placeholder{why}")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::grading::specimen::{graded, json_answer, observation, text};

    #[test]
    fn no_answer_passes_not_even_turned_round() {
        let placeholder =
            json!({"placeholder": {"stands_for": "llm-rubric: polite", "from": "a.yaml:3", "why": "no model"}});
        for answer in [None, Some(text("")), Some(text("llm-rubric: polite")), Some(json_answer(json!({"output": 1})))]
        {
            let seen = observation(answer);
            let grade = graded(placeholder.clone(), &seen);
            assert_eq!(grade.pass, Some(false));
            assert_eq!(
                grade.message,
                "expected what stands in place of `llm-rubric: polite`, from `a.yaml:3`; found a placeholder: no model"
            );
            assert_eq!(graded(json!({"not": placeholder}), &seen).pass, None);
            assert_eq!(graded(json!({"not": {"not": placeholder}}), &seen).pass, Some(false));
        }
    }
}
