//! `permitted_calls`: every call is one that the permissions manifest allows.

use std::collections::BTreeSet;

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{Manifest, PermissionsManifest, PermittedCalls};

impl Judge for PermittedCalls {
    const DOC: GraderDoc = GraderDoc {
        name: "permitted_calls",
        summary: "Every call belongs to an operation of its connector's manifest, and that is one of the `calls` of an action \
                  in the permissions manifest `by` (by default the project's only one that names calls); with `actor`, of an \
                  action that this actor may take. No call at all is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let permissions = self.permissions(subject)?;
        let permitted = self.permitted(permissions)?;
        let made = calls_made(subject);
        if made.is_empty() {
            return Err(NoJudgement::new("no call was seen"));
        }
        let whose = self.actor.as_ref().map(|actor| format!(" to {}", quoted(actor))).unwrap_or_default();
        let expected = format!("only calls that {} permits{whose}", quoted(permissions.id.as_str()));
        let wrong = made.iter().find(|call| match call {
            Made::Known(call) => !permitted.contains(call),
            Made::Unknown(_) => true,
        });
        let found = match wrong {
            Some(Made::Known(call)) => quoted(call),
            Some(Made::Unknown(call)) => format!("{}, which no manifest knows", quoted(call)),
            None => format!("{} that are", made.len()),
        };
        Ok(Finding::of(wrong.is_none(), expected, found))
    }
}

/// A call that was made, once however often.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Made {
    /// `connector/operation`.
    Known(String),
    /// What no operation of a manifest describes.
    Unknown(String),
}

fn calls_made(subject: &Subject<'_>) -> BTreeSet<Made> {
    let exchanges = subject.observation.exchanges.iter().map(|exchange| match &exchange.operation {
        Some(operation) => Made::Known(format!("{}/{operation}", exchange.connector)),
        None => Made::Unknown(format!("{}: {} {}", exchange.connector, exchange.method, exchange.target)),
    });
    let attempts = subject.observation.operations.iter().flat_map(|seen| &seen.attempts);
    let attempts = attempts.filter_map(|attempt| attempt.call.as_ref()).map(|call| Made::Known(call.to_string()));
    exchanges.chain(attempts).collect()
}

impl PermittedCalls {
    fn permissions<'s>(&self, subject: &Subject<'s>) -> Result<&'s PermissionsManifest, NoJudgement> {
        let all = subject.context.parts.values().filter_map(|part| match part.manifest() {
            Ok(Manifest::Permissions(permissions)) => Some(permissions),
            _ => None,
        });
        let mut meant = all.filter(|permissions| match &self.by {
            Some(id) => permissions.id == *id,
            None => permissions.actions.values().any(|action| !action.calls.is_empty()),
        });
        match (meant.next(), meant.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(NoJudgement::new("there is no such permissions manifest")),
            (Some(_), Some(_)) => {
                Err(NoJudgement::new("several permissions manifests name calls: name one under `by`"))
            }
        }
    }

    fn permitted(&self, permissions: &PermissionsManifest) -> Result<BTreeSet<String>, NoJudgement> {
        let actor = match &self.actor {
            Some(name) => {
                let missing = || NoJudgement::new(format!("the manifest has no actor {}", quoted(name)));
                Some(permissions.actors.get(name).ok_or_else(missing)?)
            }
            None => None,
        };
        let actions = permissions.actions.iter();
        let may = |name: &String| actor.is_none_or(|actor| actor.actions.contains(name));
        let calls = actions.filter(|(name, _)| may(name)).flat_map(|(_, action)| &action.calls);
        let calls: BTreeSet<String> = calls.map(ToString::to_string).collect();
        let names_none = permissions.actions.values().all(|action| action.calls.is_empty());
        if names_none {
            return Err(NoJudgement::new("no action of the permissions manifest says which calls it consists of"));
        }
        Ok(calls)
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::Observation;
    use crate::grading::contract::specimen::{Call, trial};
    use crate::grading::specimen::{Shelf, graded_with};
    use serde_json::{Value, json};

    fn shelf() -> Shelf {
        let mut shelf = Shelf::new();
        shelf.add(json!({"id": "clerks", "kind": "permissions", "version": "1",
            "actors": {"clerk": {"actions": ["reserve"]}, "lead": {"actions": ["reserve", "confirm"]}, "guest": {}},
            "actions": {
                "reserve": {"calls": ["inventory/reserve", "inventory/allocations"]},
                "confirm": {"calls": ["messaging/send"]}, "rest": {}}}));
        shelf
    }

    #[track_caller]
    fn assert_pass(settings: Value, seen: &Observation, shelf: &Shelf, expected: Option<bool>) {
        let grade = graded_with(json!({"permitted_calls": settings}), seen, shelf);
        assert_eq!(grade.pass, expected, "{settings}: {}", grade.message);
    }

    fn seen(calls: &[Call]) -> Observation {
        trial(calls).observation
    }

    #[test]
    fn every_call_is_one_of_an_actions() {
        let all = [Call::reserve("O-1"), Call::look("O-1"), Call::send("O-1")];
        assert_pass(json!({}), &seen(&all), &shelf(), Some(true));
        assert_pass(json!({}), &seen(&[Call::reserve("O-1"), Call::release("O-1")]), &shelf(), Some(false));
        assert_pass(json!({"by": "clerks"}), &seen(&[Call::model("{}")]), &shelf(), Some(false));
    }

    #[test]
    fn an_actor_may_make_the_calls_of_its_own_actions() {
        let sent = seen(&[Call::reserve("O-1"), Call::send("O-1")]);
        assert_pass(json!({"actor": "lead"}), &sent, &shelf(), Some(true));
        assert_pass(json!({"actor": "clerk"}), &sent, &shelf(), Some(false));
        assert_pass(json!({"actor": "guest"}), &sent, &shelf(), Some(false));
        assert_pass(json!({"actor": "nobody"}), &sent, &shelf(), None);
    }

    #[test]
    fn a_call_that_no_manifest_knows_is_not_permitted() {
        assert_pass(json!({}), &seen(&[Call::reserve("O-1"), Call::reserve("O-1").unknown()]), &shelf(), Some(false));
    }

    #[test]
    fn attempts_count_where_the_calls_were_not_seen() {
        let unseen = trial(&[Call::reserve("O-1"), Call::release("O-1")]).without_exchanges().observation;
        assert_pass(json!({}), &unseen, &shelf(), Some(false));
    }

    #[test]
    fn without_a_call_or_a_manifest_there_is_no_judgement() {
        assert_pass(json!({}), &seen(&[]), &shelf(), None);
        assert_pass(json!({}), &seen(&[Call::reserve("O-1")]), &Shelf::new(), None);
        assert_pass(json!({"by": "others"}), &seen(&[Call::reserve("O-1")]), &shelf(), None);
    }
}
