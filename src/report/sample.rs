//! A run with one of everything that a reader can meet, for tests and for looking at the page.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::change::{Change, ChangeKind, Direction, RestDigests, Side, Snapshot};
use crate::comparison::{Compared, Ended, Standing};
use crate::domain::{
    CaseId, CaseStatus, Claim, ClaimCheck, Digest, ExitCode, OperationId, Outcome, Risk, RunId, TrialStatus,
};
use crate::evidence::{
    Answer, Answered, AttemptSeen, Call, ClaimMade, Delivered, ErrorKind, Exchange, FaultLaid, Form, Forwarded,
    LookHad, Message, Observation, OperationSeen, Reading, StepObservation, TrialError,
};
use crate::grading::{CaseResult, DoNothing, Grade, GradedTrial};
use crate::manifest::{Case, FaultName, FaultSpec};
use crate::operations::{RunCase, RunSource, account_of_run, failure_table, scorecard};
use crate::selection::{
    Excluded, ExclusionReason, Inherited, Mode, Plan, PlannedChange, Selected, SelectionReason, Uncovered,
};
use crate::verdict::{Verdict, VerdictReason, VerdictWord};

use super::{Papers, ReportDocument, ReportInput, TrendPoint, build};

/// Text that tries to run, to hide and to break out.
pub(super) const HOSTILE: &str = "</pre></script><script>document.title='owned'</script><img src=x onerror=alert(1)> \
     {{ 7*7 }} {% raw %} \u{202e}desrever\u{202c} \u{1b}[31mred\u{1b}[0m NUL:\0 \\ud83d <!-- ]]> & \"quoted\" 'single'";

/// The pieces of a [`ReportInput`], owned.
pub(super) struct Sample {
    pub(super) run: RunId,
    pub(super) plan: Plan,
    pub(super) fingerprint: Digest,
    pub(super) baseline_heads: Vec<Digest>,
    pub(super) verdict: Verdict,
    pub(super) compared: Vec<Compared>,
    pub(super) results: Vec<CaseResult>,
    pub(super) old_forms: Vec<CaseResult>,
    pub(super) cases: BTreeMap<CaseId, Case>,
    pub(super) accepted_outputs: BTreeMap<CaseId, String>,
    pub(super) do_nothing: BTreeMap<CaseId, DoNothing>,
    pub(super) papers: Option<Papers>,
    pub(super) earlier_runs: Vec<TrendPoint>,
    pub(super) limits: Vec<String>,
}

impl Sample {
    /// A run with a regression, an uncertain operation, an edited expectation, an uncovered risk and hostile answers.
    pub(super) fn full() -> Self {
        let mut sample = Self::empty();
        sample.regression();
        sample.uncertain();
        sample.expectation_changed();
        sample.hostile();
        sample.flaky();
        sample.errored();
        sample.fixed_and_known();
        for number in 1..=14 {
            sample.passed(number);
        }
        sample.plan.selected.sort_by(|one, other| one.case.cmp(&other.case));
        sample.do_nothing = sample.results.iter().map(|result| (result.case.clone(), DoNothing::Fails)).collect();
        sample.do_nothing.insert("policy-answer-01".into(), DoNothing::Passes);
        sample.do_nothing.insert("policy-answer-02".into(), DoNothing::NotJudged);
        sample.papers = Some(sample.papers());
        sample
    }

    /// The papers of what stands in the sample so far.
    fn papers(&self) -> Papers {
        let planned = |result| {
            let CaseResult { case, digest, trials, .. }: &CaseResult = result;
            let title = self.cases.get(case).map(|case| case.title.as_str());
            let trials = u32::try_from(trials.len()).unwrap_or(u32::MAX);
            let do_nothing = self.do_nothing.get(case).copied();
            (case, RunCase { title, digest, trials, calls_seen: false, do_nothing })
        };
        let account = account_of_run(&RunSource {
            run: &self.run,
            started: "2026-03-02T09:14:07Z",
            finished: Some("2026-03-02T09:14:19.4Z"),
            verdict: Some("fail"),
            commit: None,
            fingerprint: &self.fingerprint,
            snapshot: &Snapshot {
                parts: BTreeMap::new(),
                project_file: Digest::of(b"project"),
                policy: None,
                rest: RestDigests::default(),
            },
            cases: self.results.iter().map(planned).collect(),
            trials: self.results.iter().flat_map(|result| &result.trials).collect(),
        });
        Papers { scorecard: scorecard(&account), failures: failure_table(&account.notable()) }
    }

    pub(super) fn input(&self) -> ReportInput<'_> {
        ReportInput {
            run: &self.run,
            project: "Mesa review desk",
            started: "2026-03-02T09:14:07Z",
            finished: "2026-03-02T09:14:19.4Z",
            plan: &self.plan,
            fingerprint: &self.fingerprint,
            baseline_heads: &self.baseline_heads,
            verdict: &self.verdict,
            results_digest: Some(&self.fingerprint),
            shadow: None,
            compared: &self.compared,
            results: &self.results,
            old_forms: &self.old_forms,
            cases: &self.cases,
            accepted_outputs: &self.accepted_outputs,
            do_nothing: &self.do_nothing,
            papers: self.papers.as_ref(),
            earlier_runs: &self.earlier_runs,
            limits: &self.limits,
            accept_command: Some("holdpoint baseline accept 20260302T091407Z-4f1c --by \"YOUR NAME\" --reason \"WHY\""),
            project_option: "",
        }
    }

    pub(super) fn document(&self) -> ReportDocument {
        build(&self.input())
    }

    fn empty() -> Self {
        Self {
            run: RunId::from("20260302T091407Z-4f1c"),
            plan: plan(),
            fingerprint: Digest::of(b"fingerprint"),
            baseline_heads: vec![Digest::of(b"baseline head")],
            verdict: Verdict {
                word: VerdictWord::Fail,
                code: ExitCode::Failed,
                reasons: vec![
                    VerdictReason { code: ExitCode::Failed, text: "1 case regressed.".to_owned() },
                    VerdictReason { code: ExitCode::Failed, text: "1 new case fails.".to_owned() },
                    VerdictReason {
                        code: ExitCode::Inconclusive,
                        text: "1 case passes only under its edited expectation.".to_owned(),
                    },
                    VerdictReason { code: ExitCode::Inconclusive, text: "1 case is uncertain.".to_owned() },
                    VerdictReason { code: ExitCode::Inconclusive, text: "1 risk is uncovered.".to_owned() },
                ],
                notes: vec!["1 case that was accepted as failing passes now.".to_owned()],
                sets: Vec::new(),
            },
            compared: Vec::new(),
            results: Vec::new(),
            old_forms: Vec::new(),
            cases: BTreeMap::new(),
            accepted_outputs: BTreeMap::new(),
            do_nothing: BTreeMap::new(),
            papers: None,
            earlier_runs: earlier_runs(),
            limits: vec!["The drafter of the practice workflow is scripted; it is no model.".to_owned()],
        }
    }

    fn add(&mut self, id: &str, set: &str, title: &str, ended: (CaseStatus, Standing, &str), trials: Vec<GradedTrial>) {
        let (status, standing, why) = ended;
        let id = CaseId::from(id);
        self.plan.selected.push(Selected {
            case: id.clone(),
            set: Risk::from(set),
            reasons: vec![SelectionReason::AtRisk {
                risk: Risk::from(set),
                change: "source returns-policy file:policies/returns.md modified".to_owned(),
            }],
        });
        self.cases.insert(id.clone(), case(&id, set, title));
        let compared = Compared::new(id.clone(), Risk::from(set), standing, why);
        let passed = trials.iter().filter(|trial| trial.status == TrialStatus::Passed).count();
        let ended = |status, passed: usize| {
            let (passed, trials) = (u32::try_from(passed).unwrap(), u32::try_from(trials.len()).unwrap());
            Ended { status, passed, trials }
        };
        let before = match standing {
            Standing::Regressed | Standing::Unchanged => Some(ended(CaseStatus::Passed, trials.len())),
            Standing::Fixed | Standing::KnownFailure => Some(ended(CaseStatus::Failed, 0)),
            _ => None,
        };
        let now = Some(ended(status, passed));
        self.compared.push(Compared { status: Some(status), before, now, ..compared });
        self.results.push(CaseResult {
            case: id,
            set: Risk::from(set),
            digest: Digest::of(b"case"),
            question: crate::domain::Question::default(),
            trials,
            status,
        });
    }

    fn regression(&mut self) {
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
        self.accepted_outputs.insert(CaseId::from("returns-window"), accepted.to_string());
    }

    fn uncertain(&mut self) {
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
        if let Some(case) = self.cases.get_mut(&CaseId::from("lost-ack-after-commit")) {
            case.faults = vec![FaultSpec::new("review", "stage", 1, FaultName::LostAck)];
        }
    }

    fn expectation_changed(&mut self) {
        let id = "conflicting-hours";
        let answer = || text_answer("The shop opens at nine on Saturdays.");
        let new =
            trial(id, 1, TrialStatus::Passed, Some(answer()), vec![grade("contains", Some(true), "found `nine`")]);
        let old =
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
            trials: vec![old],
            status: CaseStatus::Failed,
        });
        self.accepted_outputs.insert(id.into(), "The shop opens at ten on Saturdays.".to_owned());
    }

    fn hostile(&mut self) {
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
        self.accepted_outputs.insert("injected-markup".into(), "An answer.".to_owned());
    }

    fn flaky(&mut self) {
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

    fn errored(&mut self) {
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

    fn fixed_and_known(&mut self) {
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

    fn passed(&mut self, number: u32) {
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

fn plan() -> Plan {
    let change = |kind, part: Option<&str>, facet: &str, from: Value, to: Value, path: &str| Change {
        kind,
        part: part.map(Into::into),
        case: None,
        facet: Some(facet.to_owned()),
        direction: Direction::Modified,
        from: Some(from),
        to: Some(to),
        paths: vec![path.to_owned()],
    };
    let (old, new) = (Digest::of(b"old policy"), Digest::of(b"new policy"));
    let source = change(
        ChangeKind::Source,
        Some("returns-policy"),
        "file:policies/returns.md",
        json!(old.as_str()),
        json!(new.as_str()),
        "policies/returns.md",
    );
    let connector = change(
        ChangeKind::Connector,
        Some("review"),
        "operations.stage.idempotency.window",
        json!("24h"),
        json!("1h"),
        "manifests/review.yaml",
    );
    let risks = |names: &[&str]| names.iter().map(|name| Risk::from(*name)).collect();
    Plan {
        base: Side {
            name: "merge base with origin/main".to_owned(),
            commit: Some("4be1d2a09c6f1f0f6f2f9e6f6b0f4a3e0c1d2b3a".to_owned()),
            note: None,
        },
        head: Side {
            name: "working tree".to_owned(),
            commit: None,
            note: Some("2 files are not committed".to_owned()),
        },
        mode: Mode::Selective,
        mode_reason: "The changes choose the cases.".to_owned(),
        changes: vec![
            PlannedChange {
                change: source,
                risks: risks(&["policy_accuracy", "source_conflict", "missing_availability"]),
            },
            PlannedChange { change: connector, risks: risks(&["duplicate", "uncertain_outcome", "partial_failure"]) },
        ],
        selected: Vec::new(),
        excluded: (1..=6).map(excluded).collect(),
        unclassified: Vec::new(),
        uncovered: vec![Uncovered { part: "review".into(), risk: Risk::from("partial_failure") }],
        bumps_without_change: Vec::new(),
        changes_without_bump: vec!["review".into()],
        outside_project: 3,
    }
}

fn earlier_runs() -> Vec<TrendPoint> {
    let runs =
        [(VerdictWord::Pass, 0, 22, 22), (VerdictWord::Inconclusive, 11, 20, 19), (VerdictWord::Pass, 0, 22, 22)];
    let point = |(day, (verdict, exit_code, selected, passed))| TrendPoint {
        run: RunId::new(format!("2026022{day}T091407Z-4f1c")),
        finished: format!("2026-02-2{day}T09:14:19Z"),
        verdict,
        exit_code,
        selected,
        passed,
    };
    (5..).zip(runs).map(point).collect()
}

fn excluded(number: u32) -> Excluded {
    Excluded {
        case: CaseId::new(format!("access-{number}")),
        set: Risk::from("access"),
        reason: ExclusionReason::NoRiskTouched,
        inherited: Some(Inherited {
            record: Digest::of(if number < 4 { b"first record" } else { b"later record" }),
            accepted: if number < 4 { "2026-02-11T10:00:00Z" } else { "2026-02-20T16:30:00Z" }.to_owned(),
            acceptances_since: 0,
            judged_otherwise: false,
            status: CaseStatus::Passed,
            digest: Digest::of(b"case"),
        }),
    }
}

fn case(id: &CaseId, set: &str, title: &str) -> Case {
    Case {
        id: id.clone(),
        set: Risk::from(set),
        title: title.to_owned(),
        path: format!("cases/{set}/{id}.yaml"),
        line: 1,
        workflow: "mesa".into(),
        risks: vec![Risk::from(set)],
        sources: Vec::new(),
        trials: 1,
        always: false,
        input: json!({"question": format!("What about {id}?"), "customer": "K-12"}),
        fixtures: Vec::new(),
        steps: Vec::new(),
        faults: Vec::new(),
        now: None,
        expect: Vec::new(),
        digest: Digest::of(b"case"),
        expectation_digest: Digest::of(b"expectation"),
        question: crate::domain::Question::default(),
    }
}

fn text_answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), json: None, output: json!(text), claims: Vec::new() }
}

fn json_answer(output: &str, source: &str) -> Answer {
    let json = json!({
        "output": output,
        "citations": [{"source": source, "version": "5", "quote": "within 14 days"}]
    });
    Answer { text: json.to_string(), output: json!(output), json: Some(json), claims: Vec::new() }
}

fn attempt(number: u32, step: u32, fault: Option<&str>, answered: Answered) -> AttemptSeen {
    AttemptSeen {
        number,
        step,
        call: Some(Call { connector: "review".into(), operation: "stage".to_owned() }),
        identity: Some("op-7".to_owned()),
        fault: fault.map(str::to_owned),
        answered,
        exchange: Some(number),
    }
}

fn step(number: u32, kind: &str) -> StepObservation {
    let (kind, stderr) = (kind.to_owned(), String::new());
    StepObservation { number, kind, duration_ms: 12, answer: None, http_status: None, stderr, failure: None }
}

/// Two calls of one operation: the first is done and its answer kept back, the second meets a busy target. A third only
/// reads.
fn exchanges() -> Vec<Exchange> {
    let body = |text: &str| Message {
        headers: Vec::new(),
        bytes: text.len() as u64,
        digest: Some(Digest::of(text.as_bytes())),
        text: text.to_owned(),
        is_cut: false,
    };
    let call = |number: u32, step: u32, begun_us: u64| Exchange {
        number,
        step,
        connector: "review".into(),
        operation: Some("stage".to_owned()),
        intention: Some(OperationId::from("op-7")),
        key: Some("op-7".to_owned()),
        begun_us,
        answered_us: Some(begun_us + 2_300),
        ended_us: begun_us + 2_410,
        method: "POST".to_owned(),
        target: "/items".to_owned(),
        request: body("{\"customer\": \"K-12\", \"text\": \"Tuesday at ten\"}"),
        forwarded: Forwarded::Whole,
        answer: Some(body("{\"receipt\": \"R-1\"}")),
        status: Some(201),
        delivered: Delivered::Whole,
        delivered_status: Some(201),
        retry_after: None,
        fault: None,
        problem: None,
    };
    let lost = Exchange {
        ended_us: 1_003_120,
        delivered: Delivered::No,
        delivered_status: None,
        fault: Some(FaultLaid { index: 0, name: "lost_ack by timeout".to_owned() }),
        ..call(1, 1, 3_120)
    };
    let busy = Exchange {
        answer: Some(body("busy")),
        status: Some(503),
        delivered_status: Some(503),
        retry_after: Some("2".to_owned()),
        ..call(2, 3, 1_020_500)
    };
    let read = Exchange {
        operation: None,
        intention: None,
        key: None,
        method: "GET".to_owned(),
        target: "/items?customer=K-12".to_owned(),
        request: Message::default(),
        ..call(3, 3, 1_031_000)
    };
    vec![lost, busy, read]
}

fn grade(grader: &str, pass: Option<bool>, message: &str) -> Grade {
    Grade { grader: grader.to_owned(), pass, message: message.to_owned() }
}

fn trial(id: &str, number: u32, status: TrialStatus, answer: Option<Answer>, grades: Vec<Grade>) -> GradedTrial {
    GradedTrial {
        observation: Observation {
            case: id.into(),
            form: Form::Head,
            trial: number,
            started: "2026-03-02T09:14:08Z".to_owned(),
            duration_ms: 41 + u64::from(number),
            steps: vec![StepObservation {
                number: 1,
                kind: "invoke".to_owned(),
                duration_ms: 41,
                answer,
                http_status: None,
                stderr: String::new(),
                failure: None,
            }],
            operations: Vec::new(),
            readings: BTreeMap::new(),
            looks: BTreeMap::new(),
            exchanges: Vec::new(),
            judgements: BTreeMap::new(),
            error: None,
        },
        grades,
        claim_checks: BTreeMap::new(),
        status,
    }
}
