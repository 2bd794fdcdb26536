//! What graders make of rules: `contract`, `no_retry`, `identity` and `parameters`.

use super::rows::is_meant;
use crate::domain::Rule;
use crate::evidence::OperationSeen;
use crate::grading::contract::{RuleStanding, Terms, examine_some};
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject};
use crate::manifest::{CallsMeant, NoRetry, NoRetryAfter};

/// `contract`, with the rules that are meant.
pub(in crate::grading) struct ContractKept<'a>(pub(in crate::grading) &'a [Rule]);

impl Judge for ContractKept<'_> {
    const DOC: GraderDoc = GraderDoc {
        name: "contract",
        summary: "Rules about calls are kept. With `kept` the ten that follow from what targets promise of a request that \
                  they get twice: stable_key, key_follows_payload, look_after_window, in_flight_is_no_conflict, \
                  server_error_is_uncertain, replay_adds_nothing, turn_id_is_no_intent, equal_operations_both_succeed, \
                  empty_look_settles_nothing, expired_approval_gives_nothing; with `keeps` those that are named. One breach \
                  fails. A rule that may have been broken unseen is no judgement, and so is a trial that gave no occasion \
                  for any of the rules.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let names: Vec<&str> = self.0.iter().map(|rule| rule.name()).collect();
        let expected = if self.0 == &Rule::ALL[..Rule::OF_CONTRACT] {
            "the contract to be kept".to_owned()
        } else {
            format!("{} to be kept", names.join(", "))
        };
        judge_rules(self.0, subject, |_| true, expected)
    }
}

impl Judge for NoRetry {
    const DOC: GraderDoc = GraderDoc {
        name: "no_retry",
        summary: "Nothing was tried again `after` a documented refusal (`refused`; one that asks to come again later is none), \
                  or after anything that may have been done where the target would take another attempt for a new request and no \
                  look came before it (`may_have_been_done`). Where neither happened there is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let rule = |after: &NoRetryAfter| match after {
            NoRetryAfter::Refused => Rule::RetriedRefusal,
            NoRetryAfter::MayHaveBeenDone => Rule::UnprotectedRetry,
        };
        let rules: Vec<Rule> = self.after.iter().map(rule).collect();
        let meant = CallsMeant { operation: self.operation.clone(), call: self.call.clone() };
        judge_rules(&rules, subject, |seen| is_meant(&meant, seen), "no retry of what must not be retried".to_owned())
    }
}

/// `identity`, with the calls that are meant.
pub(in crate::grading) struct IdentityKept<'a>(pub(in crate::grading) &'a CallsMeant);

impl Judge for IdentityKept<'_> {
    const DOC: GraderDoc = GraderDoc {
        name: "identity",
        summary: "Every attempt whose target makes two requests one by a key carries a key, the same over all attempts at one \
                  operation and another one for another operation; where the calls themselves were seen, also another one for \
                  another payload. Where no attempt needed a key there is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let mut rules = vec![Rule::LostIdentity, Rule::StableKey, Rule::EqualOperationsBothSucceed];
        if !subject.observation.exchanges.is_empty() {
            rules.push(Rule::KeyFollowsPayload);
        }
        judge_rules(&rules, subject, |seen| is_meant(self.0, seen), "one key for each intention".to_owned())
    }
}

/// `parameters: unchanged`.
pub(in crate::grading) struct ParametersUnchanged;

impl Judge for ParametersUnchanged {
    const DOC: GraderDoc = GraderDoc {
        name: "parameters",
        summary: "With `unchanged`: one key never goes with two payloads, at the same operation of a connector. JSON is \
                  compared as what it says. Where no key was used twice there is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let expected = "one payload for each key".to_owned();
        judge_rules(&[Rule::KeyFollowsPayload], subject, |_| true, expected)
    }
}

/// The first breach fails; a rule that may have been broken unseen is no judgement; nor are rules without any occasion.
fn judge_rules(
    rules: &[Rule],
    subject: &Subject<'_>,
    is_meant: impl Fn(&OperationSeen) -> bool,
    expected: String,
) -> Result<Finding, NoJudgement> {
    let terms = Terms::of(subject.case, subject.context);
    let (mut kept, mut missing) = (Vec::new(), None);
    for rule in rules {
        match examine_some(*rule, subject.observation, &terms, &is_meant) {
            RuleStanding::Broken(breaches) => {
                let first = breaches.first().map(|breach| breach.message.as_str()).unwrap_or_default();
                let more = if breaches.len() > 1 { format!(" ({} in all)", breaches.len()) } else { String::new() };
                return Ok(Finding::of(false, expected, format!("{rule} broken{more}: {first}")));
            }
            RuleStanding::Kept(_) => kept.push(rule.name()),
            RuleStanding::NoOccasion => {}
            RuleStanding::NotJudged(reason) => {
                missing.get_or_insert(format!("{rule}: {reason}"));
            }
        }
    }
    match missing {
        Some(missing) => Err(NoJudgement::new(missing)),
        None if kept.is_empty() => Err(NoJudgement::new("nothing happened in which it could have been broken")),
        None => Ok(Finding::of(true, expected, format!("kept: {}", kept.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use crate::grading::contract::specimen::{Call, Trial, shop, trial};
    use crate::grading::specimen::{Shelf, graded_with};
    use serde_json::{Value, json};

    #[track_caller]
    fn assert_pass(document: &Value, seen: &Trial, expected: Option<bool>) {
        let mut shelf = Shelf::new();
        for manifest in shop().into_values() {
            shelf.add(serde_json::to_value(manifest).unwrap());
        }
        let grade = graded_with(document.clone(), &seen.observation, &shelf);
        assert_eq!(grade.pass, expected, "{document}: {}", grade.message);
        let turned = graded_with(json!({ "not": document }), &seen.observation, &shelf);
        assert_eq!(turned.pass, expected.map(|pass| !pass), "not {document}: {}", turned.message);
    }

    fn keyed(key: &str) -> Call {
        Call::reserve("O-1").key(key)
    }

    #[test]
    fn one_breach_breaks_the_contract() {
        let kept = json!({"contract": "kept"});
        assert_pass(&kept, &trial(&[keyed("k").lost(), keyed("k").answer("{}")]), Some(true));
        assert_pass(&kept, &trial(&[keyed("k").lost(), keyed("l").answer("{}")]), Some(false));
        assert_pass(&kept, &trial(&[]), None);
    }

    #[test]
    fn a_rule_that_may_have_been_broken_unseen_is_no_judgement() {
        let seen = trial(&[keyed("k").lost(), keyed("k").answer("{}")]).without_exchanges();
        assert_pass(&json!({"contract": "kept"}), &seen, None);
        assert_pass(&json!({"contract": {"keeps": ["stable_key"]}}), &seen, Some(true));
        assert_pass(&json!({"contract": {"keeps": ["silent"]}}), &seen, Some(false));
    }

    #[test]
    fn what_must_not_be_tried_again_is_told_apart() {
        let refused = || keyed("k").status(422);
        let after = |words: &[&str]| json!({"no_retry": {"after": words}});
        assert_pass(&json!({"no_retry": {}}), &trial(&[refused(), refused()]), Some(false));
        assert_pass(&after(&["may_have_been_done"]), &trial(&[refused(), refused()]), Some(true));
        assert_pass(&after(&["refused"]), &trial(&[refused()]), Some(true));
        let sent = || Call::send("O-1");
        assert_pass(&after(&["may_have_been_done"]), &trial(&[sent().lost(), sent()]), Some(false));
        assert_pass(&after(&["may_have_been_done"]), &trial(&[sent().lost()]), Some(true));
        assert_pass(&after(&["refused"]), &trial(&[sent().lost(), sent()]), None);
        let only = json!({"no_retry": {"call": "inventory/reserve"}});
        assert_pass(&only, &trial(&[sent().lost(), sent(), refused()]), Some(true));
        let one = json!({"no_retry": {"operation": "send:O-1"}});
        assert_pass(&one, &trial(&[sent().lost(), sent(), refused()]), Some(false));
    }

    #[test]
    fn identity_is_there_stable_and_ones_own() {
        let identity = json!({"identity": {"call": "inventory/reserve"}});
        let other = |key: &str| Call::reserve("O-2").key(key);
        assert_pass(&identity, &trial(&[keyed("k").lost(), keyed("k"), other("l")]), Some(true));
        assert_pass(&identity, &trial(&[keyed("k").lost(), keyed("m"), other("l")]), Some(false));
        assert_pass(&identity, &trial(&[keyed("k"), other("k")]), Some(false));
        assert_pass(&identity, &trial(&[keyed("k"), Call::reserve("O-2")]), Some(false));
        let changed = keyed("k").body(r#"{"order": "O-1", "quantity": 7}"#);
        assert_pass(&identity, &trial(&[keyed("k").lost(), changed]), Some(false));
        assert_pass(&identity, &trial(&[Call::send("O-1")]), None);
        assert_pass(&identity, &trial(&[keyed("k").lost(), keyed("k")]).without_exchanges(), Some(true));
    }

    #[test]
    fn the_identity_of_other_calls_is_not_meant() {
        let identity = json!({"identity": {"operation": "reserve:O-1"}});
        let other = || Call::reserve("O-2").key("x").lost();
        assert_pass(&identity, &trial(&[keyed("k"), other(), Call::reserve("O-2").key("y")]), Some(true));
    }

    #[test]
    fn parameters_under_one_key_stay() {
        let unchanged = json!({"parameters": "unchanged"});
        let changed = keyed("k").body(r#"{"order": "O-1", "quantity": 7}"#);
        assert_pass(&unchanged, &trial(&[keyed("k").lost(), keyed("k")]), Some(true));
        assert_pass(&unchanged, &trial(&[keyed("k").lost(), changed]), Some(false));
        assert_pass(&unchanged, &trial(&[keyed("k").lost(), keyed("l")]), None);
    }
}
