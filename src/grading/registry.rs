//! The registry: which grader judges an expectation.

use crate::manifest::{
    AttemptBounds, BackoffCheck, BehaviourClaim, Cites, CommandGrader, Contains, Dependency, DurationLimit,
    EffectCount, Expectation, Grader, HttpStatus, JsonCheck, JsonSchemaCheck, Length, NoRetry, NumberCheck,
    OperationOutcome, PermittedCalls, Placeholder, RegexCheck, RetryLayers, Similar,
};

use super::grade::Grade;
use super::graders::{
    ClaimsMatchEvidence, ContractKept, Equals, IdentityKept, InOrder, ParametersUnchanged, RetryAfterHonoured,
};
use super::judge::{GraderDoc, Judge, NoJudgement, Subject, grade_of};

/// Every grader, in the order in which the reference shows them.
pub fn reference() -> [GraderDoc; 27] {
    [
        Equals::DOC,
        Contains::DOC,
        RegexCheck::DOC,
        JsonCheck::DOC,
        JsonSchemaCheck::DOC,
        Similar::DOC,
        NumberCheck::DOC,
        Length::DOC,
        DurationLimit::DOC,
        Cites::DOC,
        EffectCount::DOC,
        OperationOutcome::DOC,
        BehaviourClaim::DOC,
        AttemptBounds::DOC,
        BackoffCheck::DOC,
        RetryAfterHonoured::DOC,
        NoRetry::DOC,
        IdentityKept::DOC,
        ParametersUnchanged::DOC,
        InOrder::DOC,
        Dependency::DOC,
        PermittedCalls::DOC,
        RetryLayers::DOC,
        ContractKept::DOC,
        HttpStatus::DOC,
        CommandGrader::DOC,
        Placeholder::DOC,
    ]
}

/// Judges one expectation.
pub(super) fn judge(expectation: &Expectation, subject: &Subject<'_>) -> Grade {
    let Some((grader, negated)) = expectation.grader() else {
        let doc = GraderDoc { name: "unknown", summary: "" };
        return grade_of(doc, false, Err(NoJudgement::new("the expectation names no grader, or several")));
    };
    match &grader {
        Grader::Equals(value) => by(&Equals(value), negated, subject),
        Grader::Contains(settings) => by(settings, negated, subject),
        Grader::Regex(settings) => by(settings, negated, subject),
        Grader::Json(settings) => by(settings, negated, subject),
        Grader::JsonSchema(settings) => by(settings, negated, subject),
        Grader::Similar(settings) => by(settings, negated, subject),
        Grader::Number(settings) => by(settings, negated, subject),
        Grader::Length(settings) => by(settings, negated, subject),
        Grader::Duration(settings) => by(settings, negated, subject),
        Grader::Cites(settings) => by(settings, negated, subject),
        Grader::Effects(settings) => by(settings, negated, subject),
        Grader::Outcome(settings) => by(settings, negated, subject),
        Grader::Claim(settings) => by(settings, negated, subject),
        Grader::ClaimMatchesEvidence => by(&ClaimsMatchEvidence, negated, subject),
        Grader::Attempts(settings) => by(settings, negated, subject),
        Grader::Backoff(settings) => by(settings, negated, subject),
        Grader::RetryAfter(calls) => by(&RetryAfterHonoured(calls), negated, subject),
        Grader::NoRetry(settings) => by(settings, negated, subject),
        Grader::Identity(calls) => by(&IdentityKept(calls), negated, subject),
        Grader::ParametersUnchanged => by(&ParametersUnchanged, negated, subject),
        Grader::Order(pairs) => by(&InOrder(pairs), negated, subject),
        Grader::Depends(settings) => by(settings, negated, subject),
        Grader::PermittedCalls(settings) => by(settings, negated, subject),
        Grader::RetryLayers(settings) => by(settings, negated, subject),
        Grader::Contract(rules) => by(&ContractKept(rules), negated, subject),
        Grader::HttpStatus(settings) => by(settings, negated, subject),
        Grader::Command(settings) => by(settings, negated, subject),
        Grader::Placeholder(settings) => by(settings, negated, subject),
    }
}

fn by<J: Judge>(judge: &J, negated: bool, subject: &Subject<'_>) -> Grade {
    grade_of(J::DOC, negated, judge.judge(subject))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grading::specimen::{graded, observation, text};
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn every_expectation_that_a_case_can_write_has_its_grader() {
        let schema = serde_json::to_value(schemars::schema_for!(Expectation)).unwrap();
        let fields = schema["properties"].as_object().unwrap().keys().map(String::as_str);
        let expected: BTreeSet<&str> = fields.filter(|name| *name != "not").collect();
        assert_eq!(reference().map(|doc| doc.name).into_iter().collect::<BTreeSet<_>>(), expected);
    }

    #[test]
    fn an_expectation_that_asserts_nothing_is_no_judgement() {
        assert_eq!(graded(json!({}), &observation(Some(text("x")))).pass, None);
        assert_eq!(graded(json!({"not": {}}), &observation(Some(text("x")))).pass, None);
    }

    #[test]
    fn two_turns_round_are_none() {
        let grade = graded(json!({"not": {"not": {"equals": "x"}}}), &observation(Some(text("x"))));
        assert_eq!((grade.grader.as_str(), grade.pass), ("equals", Some(true)));
    }
}
