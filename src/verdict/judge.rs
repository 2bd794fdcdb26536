//! From standings and policy to a verdict.

use std::collections::{BTreeMap, BTreeSet};

use crate::comparison::{Compared, Standing};
use crate::domain::{BaselineHealth, CaseId, CaseStatus, ExitCode, counted, some_of};
use crate::manifest::ProjectPolicy;
use crate::selection::{Mode, Plan};

use super::judgement::{Verdict, VerdictReason, VerdictWord};
use super::set_policy::{PolicyDecision, SetJudgement, judge_sets};

/// So many cases are named in a reason; the report lists all.
const CASES_NAMED: usize = 5;

/// So many cases are named that a policy tolerates.
const TOLERATED_NAMED: usize = 50;

/// How the reason begins of a run whose time was up.
pub const OUT_OF_TIME: &str = "the run's limit of";

/// What asks for the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The release gate: policy holds, and what is uncovered counts.
    Gate,
    /// A run without gating: what was asked for is judged, and nothing else.
    Run,
}

/// The state of the accepted results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaselineState {
    /// There are some, and they are as they were accepted.
    Sound,
    /// Nothing was ever accepted.
    Missing,
    /// There are records, and nothing of them is in force any more.
    Empty,
    /// There is none here, and git's history is cut short: nobody can tell whether there ever was one.
    Unseen,
    /// They are in a format that this holdpoint does not know. What is so, a sentence each.
    Newer(Vec<String>),
    /// They cannot be trusted: unreadable, or changed after acceptance. What is wrong, a sentence each.
    Broken(Vec<String>),
}

impl BaselineState {
    /// The state in a word.
    pub fn health(&self) -> BaselineHealth {
        match self {
            Self::Sound => BaselineHealth::Sound,
            Self::Missing => BaselineHealth::Missing,
            Self::Empty => BaselineHealth::Empty,
            Self::Unseen => BaselineHealth::Unseen,
            Self::Newer(_) => BaselineHealth::Newer,
            Self::Broken(_) => BaselineHealth::Damaged,
        }
    }
}

/// Why a run ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// The project was paused: no new case was started.
    Paused,
    /// The user cancelled it.
    Cancelled,
    /// The time that the project gives a run was up: no new trial was started.
    TimeLimit {
        /// How long that is, in seconds.
        seconds: u64,
    },
}

/// All that a verdict rests on.
#[derive(Clone, Debug)]
pub struct VerdictInput<'a> {
    /// What asks.
    pub purpose: Purpose,
    /// What was to run.
    pub plan: &'a Plan,
    /// How each case stands.
    pub compared: &'a [Compared],
    /// What the project demands, by the head's project file.
    pub policy: &'a ProjectPolicy,
    /// What the base and the accepted project file demand: where that is stricter, it counts.
    pub earlier: &'a [ProjectPolicy],
    /// The accepted results.
    pub baseline: BaselineState,
    /// The cases that two branches accepted differently and no later acceptance settled.
    pub conflicting_cases: BTreeSet<CaseId>,
    /// Whether two branches accepted the parts differently, so that it is in doubt what changed since.
    pub base_in_doubt: bool,
    /// How many cases of the run other parts of it run; 0 for a whole run.
    pub elsewhere: usize,
    /// Whether the run ended before its time.
    pub interruption: Option<Interruption>,
    /// Who paused the project, since when and why, in a phrase; empty where nobody did.
    pub paused: &'a str,
    /// How many trials were executed, whatever came of them.
    pub trials_executed: usize,
    /// Graders that no damage to what they look at could make fail, a sentence each.
    pub blind_graders: &'a [String],
    /// Evidence that could not be kept, or no longer speaks of what stands there, a sentence each.
    pub lost_evidence: &'a [String],
}

/// Sums up. The verdict is a pass only if every selected case has a result and each of them either passed, without
/// a standing that speaks against it, or is a failure that was accepted as known.
pub fn verdict(input: &VerdictInput<'_>) -> Verdict {
    let sets = if input.purpose == Purpose::Gate {
        judge_sets(input.plan, input.compared, input.policy, input.earlier)
    } else {
        Vec::new()
    };
    let mut reasons = standing_in_the_way(input);
    reasons.extend(sets.iter().filter_map(set_reason));
    reasons.extend(case_reasons(input, &sets));
    reasons.extend(conflicts(input));
    reasons.extend(uncovered(input));
    let mut notes: Vec<String> = sets.iter().filter_map(policy_note).collect();
    notes.extend(stricter_gate(input));
    notes.extend(self::notes(input));
    concluded(reasons, notes, sets, input.interruption == Some(Interruption::Cancelled))
}

/// The verdict that these reasons against a pass add up to.
pub(super) fn concluded(
    mut reasons: Vec<VerdictReason>,
    notes: Vec<String>,
    sets: Vec<SetJudgement>,
    cancelled: bool,
) -> Verdict {
    // Stable, so that reasons of one code keep the order in which they are looked for.
    reasons.sort_by_key(|reason| rank(reason.code));
    let codes = reasons.iter().map(|reason| reason.code);
    let code = if cancelled { ExitCode::Cancelled } else { ExitCode::strongest(codes) };
    Verdict { word: word(&reasons), code, reasons, notes, sets }
}

fn word(reasons: &[VerdictReason]) -> VerdictWord {
    if reasons.iter().any(|reason| reason.code == ExitCode::Failed) {
        VerdictWord::Fail
    } else if reasons.is_empty() {
        VerdictWord::Pass
    } else {
        VerdictWord::Inconclusive
    }
}

fn rank(code: ExitCode) -> u8 {
    match code {
        ExitCode::Cancelled => 0,
        ExitCode::InvalidProject => 1,
        ExitCode::NoCases => 2,
        ExitCode::Paused => 3,
        ExitCode::Baseline => 4,
        ExitCode::Failed => 5,
        _ => 6,
    }
}

fn reason(code: ExitCode, text: impl Into<String>) -> VerdictReason {
    VerdictReason { code, text: text.into() }
}

/// What keeps the results, whatever they are, from being a pass.
fn standing_in_the_way(input: &VerdictInput<'_>) -> Vec<VerdictReason> {
    let selected = input.plan.selected.len();
    let mut reasons = Vec::new();
    let whole = selected + input.elsewhere;
    if whole + input.plan.excluded.len() == 0 {
        reasons.push(reason(ExitCode::NoCases, "the project has no cases"));
    } else if whole == 0 && input.purpose == Purpose::Run {
        reasons.push(reason(ExitCode::NoCases, "cases were asked for and none matched"));
    }
    match input.interruption {
        Some(Interruption::Paused) => {
            reasons.push(reason(ExitCode::Paused, format!("the project is paused{}: no case is started", input.paused)))
        }
        Some(Interruption::Cancelled) => {
            reasons.push(reason(ExitCode::Cancelled, "the run was cancelled before its end"))
        }
        Some(Interruption::TimeLimit { seconds }) => {
            let text = format!("{OUT_OF_TIME} {seconds} s (`run_timeout_s`) was over before every trial had begun");
            reasons.push(reason(ExitCode::Inconclusive, text))
        }
        None => {}
    }
    reasons.extend(baseline_in_the_way(input).map(|text| reason(ExitCode::Baseline, text)));
    if selected > 0 && input.trials_executed == 0 {
        reasons.push(reason(ExitCode::Inconclusive, "cases were selected and not one trial was executed"));
    }
    for why in input.lost_evidence.iter().chain(input.blind_graders) {
        reasons.push(reason(ExitCode::Inconclusive, why.clone()));
    }
    reasons
}

/// Results that cannot be read, whoever asks; none at all only where the project requires a baseline.
fn baseline_in_the_way(input: &VerdictInput<'_>) -> Option<String> {
    let joined = |findings: &[String]| {
        let findings: Vec<&str> = findings.iter().map(|finding| finding.trim_end_matches('.')).collect();
        findings.join("; ")
    };
    match &input.baseline {
        BaselineState::Broken(findings) => {
            Some(format!("the accepted results cannot be trusted: {}", joined(findings)))
        }
        BaselineState::Newer(findings) => Some(format!("the accepted results cannot be read: {}", joined(findings))),
        other => {
            let why = other.health().why_none().filter(|_| baseline_is_required(input))?;
            Some(format!("{why}, and the project requires a baseline"))
        }
    }
}

fn baseline_is_required(input: &VerdictInput<'_>) -> bool {
    input.purpose == Purpose::Gate && policies(input).any(|policy| policy.gate.require_baseline)
}

fn uncovered_counts(input: &VerdictInput<'_>) -> bool {
    input.purpose == Purpose::Gate && policies(input).any(|policy| policy.gate.uncovered_is_inconclusive)
}

/// The head's policy, and those before it.
fn policies<'a>(input: &VerdictInput<'a>) -> impl Iterator<Item = &'a ProjectPolicy> {
    std::iter::once(input.policy).chain(input.earlier)
}

/// What the head would demand less of than the policy before it, which therefore counts.
fn stricter_gate(input: &VerdictInput<'_>) -> Option<String> {
    let lowered = |demands: fn(&ProjectPolicy) -> bool| {
        !demands(input.policy) && input.earlier.iter().any(demands) && input.purpose == Purpose::Gate
    };
    let names: Vec<&str> = [
        ("require_baseline", lowered(|policy| policy.gate.require_baseline)),
        ("uncovered_is_inconclusive", lowered(|policy| policy.gate.uncovered_is_inconclusive)),
    ]
    .into_iter()
    .filter_map(|(name, lowered)| lowered.then_some(name))
    .collect();
    (!names.is_empty())
        .then(|| format!("the gate's policy is lower than it was, and the stricter one counts: {}", names.join(", ")))
}

/// A set whose policy does not hold, or cannot be decided.
fn set_reason(judgement: &SetJudgement) -> Option<VerdictReason> {
    let (code, what) = match judgement.decision {
        PolicyDecision::Holds => return None,
        PolicyDecision::Undecided => (ExitCode::Inconclusive, "undecided"),
        PolicyDecision::Broken => (ExitCode::Failed, "broken"),
    };
    let covered: BTreeSet<&CaseId> = judgement.covered.iter().collect();
    let cases = if covered.is_empty() {
        String::new()
    } else {
        format!("; did not pass: {} ({})", counted(covered.len(), "case"), some_of(&covered, TOLERATED_NAMED))
    };
    Some(reason(code, format!("the policy of {} is {what}: {}{cases}", judgement.set, judgement.why)))
}

/// A policy other than zero tolerance is said also where it holds, with all that it tolerates.
fn policy_note(judgement: &SetJudgement) -> Option<String> {
    let covered: BTreeSet<&CaseId> = judgement.covered.iter().collect();
    let tolerated = if covered.is_empty() {
        "nothing".to_owned()
    } else {
        format!("{} that did not pass ({})", counted(covered.len(), "case"), some_of(&covered, TOLERATED_NAMED))
    };
    let holds = judgement.decision == PolicyDecision::Holds;
    holds.then(|| format!("the policy of {} tolerates {tolerated}: {}", judgement.set, judgement.why))
}

/// What speaks against one case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Against {
    Regressed,
    NewFailed,
    Failed,
    NoResult,
    NothingInherited,
    Errored,
    Uncertain,
    Flaky,
    ExpectationChanged,
    NotComparable,
    Removed,
}

impl Against {
    /// By status first: what did not come to a conclusion can be no regression, and what failed cannot pass, whatever
    /// its standing.
    pub(super) fn of(compared: &Compared, purpose: Purpose) -> Option<Self> {
        let gate = purpose == Purpose::Gate;
        match (compared.status, compared.standing) {
            (None, Standing::New | Standing::NotComparable) => gate.then_some(Self::NothingInherited),
            // A case that is gone can show nothing any more: someone has to say that this is right.
            (None, Standing::Removed) => gate.then_some(Self::Removed),
            (None, _) => None,
            (Some(CaseStatus::Errored), _) => Some(Self::Errored),
            (Some(CaseStatus::Uncertain), _) => Some(Self::Uncertain),
            (Some(CaseStatus::Flaky), _) => Some(Self::Flaky),
            (Some(CaseStatus::Failed), Standing::KnownFailure) => None,
            (Some(CaseStatus::Failed), Standing::Regressed) => Some(Self::Regressed),
            (Some(CaseStatus::Failed), Standing::New | Standing::NoBaseline) => Some(Self::NewFailed),
            (Some(CaseStatus::Failed), _) => Some(Self::Failed),
            (Some(CaseStatus::Passed), standing) => Self::of_pass(standing).filter(|_| gate),
        }
    }

    /// What speaks against a pass at the gate. A standing that no pass can have means that the pass is not to be
    /// believed.
    fn of_pass(standing: Standing) -> Option<Self> {
        match standing {
            Standing::Unchanged | Standing::Fixed | Standing::New | Standing::NoBaseline => None,
            Standing::ExpectationChanged => Some(Self::ExpectationChanged),
            Standing::Regressed
            | Standing::KnownFailure
            | Standing::Removed
            | Standing::Flaky
            | Standing::Errored
            | Standing::Uncertain
            | Standing::NotComparable
            | Standing::Inherited => Some(Self::NotComparable),
        }
    }

    pub(super) fn code(self) -> ExitCode {
        match self {
            Self::Regressed | Self::NewFailed | Self::Failed => ExitCode::Failed,
            _ => ExitCode::Inconclusive,
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            Self::Regressed => "failed, and worse than at acceptance",
            Self::NewFailed => "failed, and never accepted",
            Self::Failed => "failed, and not comparable with what was accepted",
            Self::NoResult => "selected, and without a result",
            Self::NothingInherited => "left out, and without an accepted result to stand on",
            Self::Errored => "errored",
            Self::Uncertain => "uncertain, for the evidence supports neither side",
            Self::Flaky => "flaky, passed in some trials and failed in others",
            Self::ExpectationChanged => "passed only since the case itself was changed",
            Self::NotComparable => "passed, and not comparable with what was accepted",
            Self::Removed => "accepted, and no longer in the project: have someone accept that",
        }
    }
}

/// Cases that a set's policy covers are that policy's business: its own reason names them.
fn case_reasons(input: &VerdictInput<'_>, sets: &[SetJudgement]) -> Vec<VerdictReason> {
    let covered: BTreeSet<&CaseId> = sets.iter().flat_map(|judgement| &judgement.covered).collect();
    let selected: BTreeSet<&CaseId> = input.plan.selected.iter().map(|selected| &selected.case).collect();
    let ran = input.compared.iter().filter(|compared| compared.status.is_some()).map(|compared| &compared.case);
    let missing: BTreeSet<&CaseId> = selected.difference(&ran.collect()).copied().collect();
    let mut against: BTreeMap<Against, BTreeSet<&CaseId>> = BTreeMap::new();
    let by_itself = |one: &&Compared| !missing.contains(&one.case) && !covered.contains(&one.case);
    for compared in input.compared.iter().filter(by_itself) {
        if let Some(what) = Against::of(compared, input.purpose) {
            against.entry(what).or_default().insert(&compared.case);
        }
    }
    if !missing.is_empty() {
        against.insert(Against::NoResult, missing);
    }
    let unreadable = input.baseline.health().is_unreadable();
    let phrase = |what: Against| match what {
        Against::NewFailed if unreadable => "failed, and what was accepted of it cannot be told",
        _ => what.phrase(),
    };
    against.into_iter().map(|(what, cases)| reason(what.code(), sentence(&cases, phrase(what)))).collect()
}

/// `errored: 2 cases (a, b)`.
pub(super) fn sentence(cases: &BTreeSet<&CaseId>, phrase: &str) -> String {
    format!("{phrase}: {} ({})", counted(cases.len(), "case"), some_of(cases, CASES_NAMED))
}

/// What was accepted in two ways vouches for neither. A run without gating is concerned by the cases that it ran alone.
fn conflicts(input: &VerdictInput<'_>) -> Vec<VerdictReason> {
    let gate = input.purpose == Purpose::Gate;
    let ran = |case: &CaseId| input.compared.iter().any(|compared| compared.case == *case && compared.status.is_some());
    let cases: BTreeSet<&CaseId> = input.conflicting_cases.iter().filter(|case| gate || ran(case)).collect();
    let mut reasons = Vec::new();
    if !cases.is_empty() {
        let text = format!(
            "two branches accepted {} differently: accept one of them ({})",
            counted(cases.len(), "case"),
            some_of(&cases, CASES_NAMED)
        );
        reasons.push(reason(ExitCode::Inconclusive, text));
    }
    // What changed is not known where the base is in doubt; a run of all cases does not ask what changed.
    let everything = input.plan.mode == Mode::All && input.plan.excluded.is_empty();
    if gate && input.base_in_doubt && !everything {
        let text = "two branches accepted the parts differently, so that what changed since is in doubt: run all cases \
                    with `--all` and accept them";
        reasons.push(reason(ExitCode::Inconclusive, text));
    }
    reasons
}

fn uncovered(input: &VerdictInput<'_>) -> Option<VerdictReason> {
    let counts = uncovered_counts(input);
    (counts && !input.plan.uncovered.is_empty()).then(|| reason(ExitCode::Inconclusive, uncovered_sentence(input.plan)))
}

fn uncovered_sentence(plan: &Plan) -> String {
    let risks: Vec<String> =
        plan.uncovered.iter().map(|uncovered| format!("{} on {}", uncovered.risk, uncovered.part)).collect();
    format!("no case shows {} that the change brings: {}", counted(risks.len(), "risk"), risks.join(", "))
}

/// What is no reason against a pass and must be said all the same.
fn notes(input: &VerdictInput<'_>) -> Vec<String> {
    let selected: BTreeSet<&CaseId> = input.plan.selected.iter().map(|selected| &selected.case).collect();
    let with = |standing: Standing| -> BTreeSet<&CaseId> {
        let cases = input.compared.iter().filter(|compared| compared.standing == standing);
        // A case that was to run and has no result stands on nothing, whatever was accepted for it earlier.
        let stands = |case: &&CaseId| standing != Standing::Inherited || !selected.contains(case);
        cases.map(|compared| &compared.case).filter(stands).collect()
    };
    let mut notes = Vec::new();
    let known = with(Standing::KnownFailure);
    if !known.is_empty() {
        notes.push(sentence(&known, "failed, as was accepted"));
    }
    notes.extend(edited(input));
    if input.plan.selected.len() + input.elsewhere == 0 && !input.plan.excluded.is_empty() {
        notes.push(if input.plan.changes.is_empty() {
            format!("no case was at risk: {}", input.plan.mode_reason)
        } else {
            "no case was at risk from what changed".to_owned()
        });
    }
    if !input.plan.uncovered.is_empty() && uncovered(input).is_none() {
        notes.push(uncovered_sentence(input.plan));
    }
    // Where a baseline is required, the reason has said so already.
    if baseline_in_the_way(input).is_none() {
        notes.extend(input.baseline.health().why_none().map(|why| format!("{why}: nothing could be compared")));
    }
    notes
}

/// Cases that pass as they were and as they are now: no reason against a pass, and yet what they ask from now on is for a
/// person to weigh. A sentence for each thing that differs.
fn edited(input: &VerdictInput<'_>) -> Vec<String> {
    if input.purpose != Purpose::Gate {
        return Vec::new();
    }
    let mut by_aspects: BTreeMap<String, BTreeSet<&CaseId>> = BTreeMap::new();
    let passed = input.compared.iter().filter(|compared| compared.old_form == Some(CaseStatus::Passed));
    for compared in passed.filter(|compared| Against::of(compared, Purpose::Gate).is_none()) {
        let aspects: Vec<String> = compared.differs.iter().map(ToString::to_string).collect();
        by_aspects.entry(aspects.join(" and ")).or_default().insert(&compared.case);
    }
    let told = |(aspects, cases): (String, BTreeSet<&CaseId>)| {
        let what = if aspects.is_empty() { String::new() } else { format!("; what differs: {aspects}") };
        format!("{}{what}", sentence(&cases, "edited, and passed as it was and as it is now"))
    };
    by_aspects.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests;
