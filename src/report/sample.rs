//! A run with one of everything that a reader can meet, for tests and for looking at the page.

mod cases;
mod plan;
mod trials;

use std::collections::BTreeMap;
use std::convert::Infallible;

use crate::change::{RestDigests, Snapshot};
use crate::comparison::{Compared, Ended, Standing};
use crate::domain::{BaselineHealth, CaseId, CaseStatus, Digest, ExitCode, Risk, RunId, TrialStatus, WorkflowId};
use crate::evidence::Form;
use crate::grading::{CaseResult, DoNothing, GradedTrial, TrialResult};
use crate::manifest::{Case, HeldCase};
use crate::operations::{RunCase, RunSource, account_of_run, failure_table, scorecard};
use crate::selection::{ExclusionReason, Plan, Selected, SelectionReason};
use crate::verdict::{Shadow, Verdict, VerdictReason, VerdictWord};

use super::document::CaseView;
use super::{CaseFeed, Papers, ReportDocument, ReportInput, ShadowView, TrendPoint, build};

use self::plan::{earlier_runs, plan};
use self::trials::case;

/// Text that tries to run, to hide and to break out.
pub(super) const HOSTILE: &str = "</pre></script><script>document.title='owned'</script><img src=x onerror=alert(1)> \
     {{ 7*7 }} {% raw %} \u{202e}desrever\u{202c} \u{1b}[31mred\u{1b}[0m NUL:\0 \\ud83d <!-- ]]> & \"quoted\" 'single'";

/// The pieces of a [`ReportInput`], owned.
pub(super) struct Sample {
    pub(super) run: RunId,
    pub(super) plan: Plan,
    pub(super) fingerprint: Digest,
    pub(super) baseline_heads: Vec<Digest>,
    pub(super) baseline_state: BaselineHealth,
    pub(super) verdict: Verdict,
    pub(super) compared: Vec<Compared>,
    pub(super) results: Vec<CaseResult>,
    pub(super) old_forms: Vec<CaseResult>,
    /// What the results rest on.
    pub(super) trials: Vec<GradedTrial>,
    pub(super) cases: BTreeMap<CaseId, HeldCase>,
    pub(super) accepted_outputs: BTreeMap<CaseId, String>,
    pub(super) accepted_answers: BTreeMap<CaseId, Digest>,
    pub(super) do_nothing: BTreeMap<CaseId, DoNothing>,
    pub(super) outlives_trials: BTreeMap<WorkflowId, bool>,
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
            let title = self.cases.get(case).map(|case| &*case.title);
            let trials = u32::try_from(trials.len()).unwrap_or(u32::MAX);
            let do_nothing = self.do_nothing.get(case).copied();
            (case, RunCase { title, digest, trials, calls_seen: false, do_nothing })
        };
        let source = RunSource {
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
        };
        let account = account_of_run(source, &self.trials);
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
            baseline_state: self.baseline_state,
            verdict: &self.verdict,
            results_digest: Some(&self.fingerprint),
            part: None,
            shadow: None,
            compared: &self.compared,
            results: &self.results,
            old_forms: &self.old_forms,
            accepted_answers: &self.accepted_answers,
            do_nothing: &self.do_nothing,
            outlives_trials: &self.outlives_trials,
            earlier_runs: &self.earlier_runs,
            limits: &self.limits,
            accept_command: Some("holdpoint baseline accept 20260302T091407Z-4f1c --by \"YOUR NAME\" --reason \"WHY\""),
            project_option: "",
        }
    }

    pub(super) fn document(&self) -> ReportDocument {
        let Ok(mut document) = build(&self.input(), &mut self.feed());
        if let Some(papers) = self.papers.clone() {
            document.show_papers(papers);
        }
        document
    }

    /// The trials, for a report that goes nowhere.
    pub(super) fn feed(&self) -> SampleFeed<'_> {
        SampleFeed { cases: &self.cases, trials: &self.trials, accepted: &self.accepted_outputs, whole: Vec::new() }
    }

    /// Has this text accepted for a case.
    pub(super) fn accept(&mut self, case: &str, text: &str) {
        self.accepted_outputs.insert(case.into(), text.to_owned());
        self.accepted_answers.insert(case.into(), Digest::of(text.as_bytes()));
    }

    fn empty() -> Self {
        Self {
            run: RunId::from("20260302T091407Z-4f1c"),
            plan: plan(),
            fingerprint: Digest::of(b"fingerprint"),
            baseline_heads: vec![Digest::of(b"baseline head")],
            baseline_state: BaselineHealth::Sound,
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
            trials: Vec::new(),
            cases: BTreeMap::new(),
            accepted_outputs: BTreeMap::new(),
            accepted_answers: BTreeMap::new(),
            do_nothing: BTreeMap::new(),
            outlives_trials: BTreeMap::new(),
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
        self.cases.insert(id.clone(), case(&id, set, title).held());
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
            trials: trials.iter().map(TrialResult::of).collect(),
            status,
        });
        self.trials.extend(trials);
    }

    /// The sample run in shadow: three passes and the regression would have been left out.
    pub(super) fn shadow() -> ShadowView {
        let sample = Self::full();
        let left_out = ["policy-answer-01", "policy-answer-02", "policy-answer-03", "returns-window"].map(CaseId::from);
        let shadow = Shadow {
            would_select: sample.cases.keys().filter(|case| !left_out.contains(case)).cloned().collect(),
            left_out: left_out.map(|case| (case, ExclusionReason::NoRiskTouched.to_string())).into(),
            escapes: vec![(CaseId::from("returns-window"), ExitCode::Failed)],
        };
        let Ok(document) = build(&ReportInput { shadow: Some(&shadow), ..sample.input() }, &mut sample.feed());
        document.shadow.unwrap()
    }
}

/// Trials from memory, and the cases that were handed over whole.
pub(super) struct SampleFeed<'a> {
    cases: &'a BTreeMap<CaseId, HeldCase>,
    trials: &'a [GradedTrial],
    accepted: &'a BTreeMap<CaseId, String>,
    pub(super) whole: Vec<CaseView>,
}

impl CaseFeed for SampleFeed<'_> {
    type Error = Infallible;

    fn case(&mut self, case: &CaseId) -> Option<Case> {
        self.cases.get(case).map(HeldCase::open)
    }

    fn trials(&mut self, case: &CaseId, form: Form, _recorded: usize) -> Result<Vec<GradedTrial>, Infallible> {
        let is_of = |trial: &&GradedTrial| trial.observation.case == *case && trial.observation.form == form;
        Ok(self.trials.iter().filter(is_of).cloned().collect())
    }

    fn accepted(&mut self, case: &CaseId) -> Result<Option<String>, Infallible> {
        Ok(self.accepted.get(case).cloned())
    }

    fn whole(&mut self, case: &mut CaseView) -> Result<(), Infallible> {
        self.whole.push(case.clone());
        Ok(())
    }
}
