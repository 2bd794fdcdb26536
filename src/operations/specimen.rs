//! Runs and operations to make papers of in tests.

use std::collections::BTreeMap;

use serde_json::json;

use crate::change::{PartSnapshot, RestDigests, Snapshot};
use crate::domain::{CaseId, Claim, Digest, OperationId, Outcome, PartId, RunId, TrialStatus};
use crate::evidence::{
    Answer, Answered, AttemptSeen, Call, ClaimMade, EffectSeen, Form, Look, Observation, OperationSeen,
    StepObservation, check_claim, conclude,
};
use crate::grading::{DoNothing, GradedTrial};
use crate::manifest::{IdempotencyKey, Lookup, PartKind};

use super::account::Account;
use super::account::OperationAccount;
use super::contract::Contract;
use super::run::{RunCase, RunSource, account_of_run};

/// A customer's name, which no paper may ever show.
pub(super) const PERSONAL: &str = "Jane Doe of Elm Street";

/// An operation that came to this outcome, with this claim and number of attempts.
pub(super) fn operation(outcome: Outcome, claim: Option<Claim>, attempts: u32) -> OperationAccount {
    OperationAccount {
        operation: OperationId::new("op-1"),
        case: CaseId::new("case-1"),
        trial: Some(1),
        action: Some("desk/stage".to_owned()),
        intended: None,
        waits_for: Vec::new(),
        outcome,
        claim,
        claim_check: check_claim(outcome, claim),
        attempts_observed: true,
        attempts: (1..=attempts).map(|number| attempt(number, None, Answered::NoAnswer)).collect(),
        effects: None,
        grounds: Vec::new(),
        contract: Some(contract(IdempotencyKey::Caller, 2)),
        right: None,
        owner: None,
        resolution: None,
    }
}

/// A contract with a lookup and an approver.
pub(super) fn contract(key: IdempotencyKey, attempts: u32) -> Contract {
    Contract {
        source: "connector desk, version 1".to_owned(),
        key,
        window_s: Some(600),
        attempts,
        lookup: Some(Lookup { by: "operation".to_owned(), authoritative: true, lag_s: 0.0 }),
        needs_approval: Some(true),
        approvers: vec!["reviewer".to_owned()],
    }
}

pub(super) fn attempt(number: u32, fault: Option<&str>, answered: Answered) -> AttemptSeen {
    let call = Call { connector: PartId::new("desk"), operation: "stage".to_owned() };
    let identity = Some("op-1".to_owned());
    AttemptSeen {
        number,
        step: number,
        call: Some(call),
        identity,
        fault: fault.map(str::to_owned),
        answered,
        exchange: None,
        behind: None,
    }
}

/// A run's own data; [`RunFixture::source`] is a view of it.
pub(super) struct RunFixture {
    run: RunId,
    digest: Digest,
    snapshot: Snapshot,
    pub(super) planned: Vec<(CaseId, &'static str, u32)>,
    pub(super) trials: Vec<GradedTrial>,
}

impl RunFixture {
    /// Nothing ran.
    pub(super) fn empty() -> Self {
        Self {
            run: RunId::new("20260302-090000000-00c0de"),
            digest: Digest::of(b"case"),
            snapshot: snapshot(),
            planned: Vec::new(),
            trials: Vec::new(),
        }
    }

    /// One operation whose acknowledgment was lost and that was replayed, one that the target refused, and one whose
    /// acknowledgment was lost without anyone having looked since.
    pub(super) fn lost_acknowledgments() -> Self {
        let done = |receipt: &str| Answered::Committed { receipt: Some(receipt.to_owned()) };
        let again = Answered::Replayed { receipt: Some("item 3".to_owned()) };
        let effect = EffectSeen { receipt: None, parameters_match: Some(true) };
        let mut fixture = Self::empty();
        fixture.add(
            "lost-acknowledgment",
            "A staging whose acknowledgment was lost is replayed, not repeated",
            &[("op-7", Claim::Completed)],
            conclude(
                &OperationId::new("op-7"),
                &[attempt(1, Some("lost_ack"), done("item 3")), attempt(2, None, again)],
                &[Look::settled("queue", vec![effect])],
            ),
        );
        let reason = Answered::Refused { reason: "approval_expired".to_owned() };
        fixture.add(
            "expired-approval",
            "An expired approval stages nothing",
            &[("op-8", Claim::Rejected)],
            conclude(&OperationId::new("op-8"), &[attempt(1, None, reason)], &[Look::settled("queue", Vec::new())]),
        );
        fixture.add(
            "nobody-looked",
            "A lost answer is reported as unknown",
            &[("op-9", Claim::Unknown)],
            conclude(&OperationId::new("op-9"), &[attempt(1, Some("no_answer"), Answered::NoAnswer)], &[]),
        );
        fixture
    }

    /// Plans a case and records a passed trial of it with one operation.
    pub(super) fn add(&mut self, case: &str, title: &'static str, claims: &[(&str, Claim)], seen: OperationSeen) {
        self.planned.push((CaseId::new(case), title, 1));
        let claims = claims.iter().map(|(id, claim)| ClaimMade { operation: OperationId::new(*id), claim: *claim });
        let answer = Answer {
            text: format!("Dear {PERSONAL}"),
            json: None,
            output: json!(format!("Dear {PERSONAL}")),
            claims: claims.collect(),
        };
        let step = StepObservation {
            number: 1,
            kind: "invoke".to_owned(),
            duration_ms: 30_000,
            answer: Some(answer),
            http_status: None,
            stderr: PERSONAL.to_owned(),
            failure: None,
        };
        let observation = Observation {
            duration_ms: 30_000,
            steps: vec![step],
            operations: vec![seen],
            ..Observation::begun(&CaseId::new(case), Form::Head, 1, "2026-03-02T09:00:00Z".to_owned())
        };
        let (grades, claim_checks) = (Vec::new(), BTreeMap::new());
        self.trials.push(GradedTrial { observation, grades, claim_checks, status: TrialStatus::Passed });
    }

    /// The account of the run.
    pub(super) fn account(&self) -> Account {
        account_of_run(self.source(), &self.trials)
    }

    pub(super) fn source(&self) -> RunSource<'_> {
        let case = |(id, title, trials): &'_ (CaseId, &'static str, u32)| {
            (
                id.clone(),
                RunCase {
                    title: Some(title),
                    digest: &self.digest,
                    trials: *trials,
                    calls_seen: true,
                    do_nothing: Some(DoNothing::Fails),
                },
            )
        };
        let cases = self.planned.iter().map(|planned| (&planned.0, case(planned).1)).collect();
        RunSource {
            run: &self.run,
            started: "2026-03-02T09:00:00Z",
            finished: Some("2026-03-02T09:01:30Z"),
            verdict: Some("pass"),
            commit: None,
            fingerprint: &self.digest,
            snapshot: &self.snapshot,
            cases,
        }
    }
}

fn snapshot() -> Snapshot {
    let part = |kind, facets: &[(&str, serde_json::Value)]| PartSnapshot {
        kind,
        version: "1".to_owned(),
        path: "manifests/part.yaml".to_owned(),
        facets: facets.iter().map(|(path, value)| ((*path).to_owned(), value.clone())).collect(),
        files: BTreeMap::new(),
    };
    let desk = part(
        PartKind::Connector,
        &[
            ("operations.stage.effect", json!("create")),
            ("operations.stage.idempotency.key", json!("caller")),
            ("operations.stage.idempotency.window_s", json!(2_592_000)),
            ("operations.stage.lookup.by", json!("operation")),
            ("operations.stage.lookup.authoritative", json!(true)),
            ("operations.stage.retry.attempts", json!(2)),
        ],
    );
    let permissions = part(
        PartKind::Permissions,
        &[
            ("actions.stage.needs_approval", json!(true)),
            ("actions.stage.approvers[0]", json!("reviewer")),
            ("actions.stage.approvers[1]", json!("lead")),
        ],
    );
    Snapshot {
        parts: BTreeMap::from([(PartId::new("desk"), desk), (PartId::new("permissions"), permissions)]),
        project_file: Digest::of(b"project"),
        policy: None,
        rest: RestDigests::default(),
    }
}
