//! The sample's cases, one of each kind.

use serde_json::json;

use crate::comparison::Standing;
use crate::domain::{CaseId, CaseStatus, Claim, ClaimCheck, Digest, OperationId, Outcome, TrialStatus};
use crate::evidence::{Answered, ClaimMade, ErrorKind, Form, LookHad, OperationSeen, Reading, TrialError};
use crate::grading::{CaseResult, TrialResult};
use crate::manifest::{Case, FaultName, FaultSpec};

use super::trials::{attempt, exchanges, grade, json_answer, step, text_answer, trial};
use super::{HOSTILE, Sample};

impl Sample {
    pub(super) fn regression(&mut self) {
        let answer = json_answer(
            "Our policy allows returns within 14 days of delivery. The item must be unworn and the tags attached.",
            "returns-policy",
        );
        let grades = vec![
            grade("contains", Some(false), "expected `30 days` in the output; found `14 days of delivery`"),
            grade("cites", Some(true), "the passage stands in returns-policy at version 5"),
        ];
        let trial = trial("returns-window", 1, TrialStatus::Failed, Some(answer), grades);
        self.add(
            "returns-window",
            "policy_accuracy",
            "The return window that is promised is the one in the policy",
            (CaseStatus::Failed, Standing::Regressed, "it passed when it was accepted on 2026-02-11, and fails now"),
            vec![trial],
        );
        let accepted = json!({
            "output": "Our policy allows returns within 30 days of delivery. The item must be unworn.",
            "citations": [{"source": "returns-policy", "version": "4", "quote": "within 30 days"}]
        });
        self.accept("returns-window", &accepted.to_string());
    }

    pub(super) fn uncertain(&mut self) {
        let answer = text_answer("I have staged your appointment for review.");
        let grades =
            vec![grade("outcome", Some(false), "expected replayed for op-7; the evidence leaves it uncertain")];
        let mut trial = trial("lost-ack-after-commit", 1, TrialStatus::Uncertain, Some(answer), grades);
        let operation = OperationId::from("op-7");
        trial.observation.operations = vec![OperationSeen {
            operation: operation.clone(),
            outcome: Outcome::Uncertain,
            attempts: vec![
                attempt(1, 1, Some("lost_ack by timeout"), Answered::Committed { receipt: Some("R-1".to_owned()) }),
                attempt(2, 3, None, Answered::Error { detail: "status 503".to_owned() }),
            ],
            effects: 0,
            evidence: vec![
                "Attempt 1 under `lost_ack by timeout`: committed: R-1.".to_owned(),
                "Attempt 2: error: status 503.".to_owned(),
                "The probe `review_queue` shows no effect, before a write on its way had to be there.".to_owned(),
                "The target was looked at before it had settled.".to_owned(),
            ],
        }];
        trial.observation.exchanges = exchanges();
        trial.observation.steps.extend([step(2, "restart"), step(3, "invoke")]);
        trial.observation.looks.insert(
            "review_queue".to_owned(),
            LookHad {
                at_us: 2_071_400,
                readings: 2,
                settled: false,
                authoritative: true,
                why: "Two readings differed, and the time for looking was over.".to_owned(),
            },
        );
        if let Some(answer) = trial.observation.steps[0].answer.as_mut() {
            answer.claims = vec![ClaimMade { operation: operation.clone(), claim: Claim::Completed }];
        }
        trial.claim_checks.insert(operation, ClaimCheck::Overclaimed);
        trial.observation.readings.insert("review_queue".to_owned(), Reading::Effects(Vec::new()));
        self.add(
            "lost-ack-after-commit",
            "uncertain_outcome",
            "A staging whose acknowledgment was lost is replayed, not repeated",
            (CaseStatus::Uncertain, Standing::NotComparable, "what it ended in now cannot be held against a pass"),
            vec![trial],
        );
        if let Some(held) = self.cases.get_mut(&CaseId::from("lost-ack-after-commit")) {
            let faults = vec![FaultSpec::new("review", "stage", 1, FaultName::LostAck)];
            *held = Case { faults, ..held.open() }.held();
        }
    }

    pub(super) fn expectation_changed(&mut self) {
        let id = "conflicting-hours";
        let answer = || text_answer("The shop opens at nine on Saturdays.");
        let new =
            trial(id, 1, TrialStatus::Passed, Some(answer()), vec![grade("contains", Some(true), "found `nine`")]);
        let mut old =
            trial(id, 1, TrialStatus::Failed, Some(answer()), vec![grade("contains", Some(false), "`ten` is missing")]);
        self.add(
            id,
            "source_conflict",
            "Where two sources differ, the newer one is quoted",
            (CaseStatus::Passed, Standing::ExpectationChanged, "it passes in its new form, and fails in its old one"),
            vec![new],
        );
        self.old_forms.push(CaseResult {
            case: id.into(),
            set: "source_conflict".into(),
            digest: Digest::of(b"old"),
            question: crate::domain::Question::default(),
            trials: vec![TrialResult::of(&old)],
            status: CaseStatus::Failed,
        });
        old.observation.form = Form::Base;
        self.trials.push(old);
        self.accept(id, "The shop opens at ten on Saturdays.");
    }

    pub(super) fn hostile(&mut self) {
        let grades = vec![grade("not contains", Some(false), &format!("found `{HOSTILE}`"))];
        let mut trial = trial(
            "injected-markup",
            1,
            TrialStatus::Failed,
            Some(text_answer(&format!("{HOSTILE}\n{}", "w".repeat(400)))),
            grades,
        );
        trial.observation.steps[0].stderr = HOSTILE.to_owned();
        self.add(
            "injected-markup",
            "injected_instructions",
            &format!("An answer cannot write into its report {HOSTILE}"),
            (CaseStatus::Failed, Standing::New, HOSTILE),
            vec![trial],
        );
        self.accept("injected-markup", "An answer.");
    }

    pub(super) fn flaky(&mut self) {
        let id = "short-answer";
        let good = trial(
            id,
            1,
            TrialStatus::Passed,
            Some(text_answer("Yes, until noon.")),
            vec![grade("length", Some(true), "3 words, at most 20 wanted")],
        );
        let long = trial(
            id,
            2,
            TrialStatus::Failed,
            Some(text_answer("Yes, you can, until noon, and then again.")),
            vec![grade("length", Some(false), "8 words, at most 5 wanted")],
        );
        self.add(
            id,
            "malformed_output",
            "An answer keeps to its length",
            (CaseStatus::Flaky, Standing::NotComparable, "1 of 2 trials passed"),
            vec![good, long],
        );
    }

    pub(super) fn errored(&mut self) {
        let mut trial = trial("crowded-context", 1, TrialStatus::Errored, None, Vec::new());
        trial.observation.error =
            Some(TrialError { kind: ErrorKind::Exit, message: "the program ended with exit status 3".to_owned() });
        trial.observation.steps[0].stderr = "Traceback (most recent call last):\n  MemoryError".to_owned();
        self.add(
            "crowded-context",
            "context_boundaries",
            "A long history does not push out the policy",
            (CaseStatus::Errored, Standing::NotComparable, "an error says nothing about the workflow"),
            vec![trial],
        );
    }

    pub(super) fn fixed_and_known(&mut self) {
        let passing = |id| {
            trial(
                id,
                1,
                TrialStatus::Passed,
                Some(text_answer("Yes.")),
                vec![grade("equals", Some(true), "it is `Yes.`")],
            )
        };
        let failing = |id| {
            trial(
                id,
                1,
                TrialStatus::Failed,
                Some(text_answer("No.")),
                vec![grade("equals", Some(false), "expected `Yes.`")],
            )
        };
        self.add(
            "holiday-hours",
            "missing_availability",
            "An unknown holiday is said to be unknown",
            (CaseStatus::Passed, Standing::Fixed, "it failed when it was accepted, and passes now"),
            vec![passing("holiday-hours")],
        );
        self.add(
            "two-currencies",
            "policy_accuracy",
            "A price names its currency",
            (CaseStatus::Failed, Standing::KnownFailure, "it was accepted as failing"),
            vec![failing("two-currencies")],
        );
    }

    pub(in crate::report) fn passed(&mut self, number: u32) {
        let id = format!("policy-answer-{number:02}");
        let trial = trial(
            &id,
            1,
            TrialStatus::Passed,
            Some(text_answer("Within 30 days.")),
            vec![grade("contains", Some(true), "found `30 days`")],
        );
        self.add(
            &id,
            "policy_accuracy",
            &format!("Question {number} about returns is answered from the policy"),
            (CaseStatus::Passed, Standing::Unchanged, "it passes as it did when it was accepted"),
            vec![trial],
        );
    }
}
