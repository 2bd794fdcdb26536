//! What to do after a run, in the order in which it should be done.

use crate::comparison::ACCEPTED_FORM_NOT_RUN;
use crate::domain::{BaselineHealth, CaseId, ExitCode, Outcome, counted};
use crate::verdict::OUT_OF_TIME;

use super::accept_step::accept_step;
use super::brief::{what_happened, why_it_ran};
use super::document::{CaseView, ReportDocument, UncoveredView};
use super::findings::{first_unpassed, one_line};
use super::group::Group;
use super::words::{change_text, edit_text};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NextStep {
    /// What, in one sentence.
    pub(super) text: String,
    /// The command that does it or begins it.
    pub(super) command: Option<String>,
    /// Where the report says more: a fragment without `#`.
    pub(super) anchor: &'static str,
    /// The cases it is about, as many as are named one by one.
    pub(super) cases: Vec<CaseBrief>,
    /// How many more cases it is about.
    pub(super) more: usize,
    /// Why it is to be done, where no case says so.
    pub(super) why: Option<String>,
}

/// A case that something is to be done about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CaseBrief {
    /// The case.
    pub(super) case: CaseId,
    /// What holds when it passes.
    pub(super) title: String,
    /// What happened.
    pub(super) happened: Option<String>,
    /// Why it ran.
    pub(super) ran: Option<String>,
    /// What its operations need, as the failure table has it.
    pub(super) advice: Option<String>,
}

impl NextStep {
    pub(super) fn new(text: impl Into<String>, command: Option<String>, anchor: &'static str) -> Self {
        Self { text: text.into(), command, anchor, cases: Vec::new(), more: 0, why: None }
    }
}

/// How the verdict speaks of a record that git still has and the folder has not.
const TAKEN_AWAY: &str = "taken away since";

/// Commands for uncovered risks that are named one by one; the report has them all.
const NAMED_UNCOVERED: usize = 3;

/// What is to be done about an uncertain operation whose target is no more.
const NOTHING_LEFT: &str = "Its target ended with the trial, so that nothing is left there to look at. Where the look came too \
                            early, let the probe wait longer or look again; where the workflow claims more than it can know, \
                            repair it.";

/// Cases of which it is told one by one what happened.
const NAMED_CASES: usize = 3;

/// Cases that a command names at the most; it is about all of them, or names none.
const COMMANDED_CASES: usize = 30;

/// Bytes of an accepted claim at the most.
const LONGEST_CLAIM: usize = 40;

/// Bytes of what is said of an edit at the most.
const LONGEST_EDIT: usize = 300;

/// Trials in which a flaky case is looked at again.
const FLAKY_TRIALS: u32 = 10;

/// Paths that are named one by one.
const NAMED_PATHS: usize = 3;

/// What to do after this run; empty where there is nothing to do.
pub(super) fn next_steps(document: &ReportDocument) -> Vec<NextStep> {
    if let Some(step) = interrupted(document) {
        return vec![step];
    }
    let groups = Group::ALL.into_iter().filter(|group| group.needs_attention());
    let mut steps: Vec<NextStep> = baseline_restored(document);
    steps.extend(time_given(document));
    steps.extend(groups.filter_map(|group| step(document, group)));
    steps.extend(selection_widened(document));
    steps.extend(removal_accepted(document));
    steps.extend(uncovered_steps(document));
    steps.extend(inert_named(document));
    steps.extend(accept_step(document));
    steps
}

/// A baseline that was changed behind the back of the ledger cannot be accepted over: there is no command for that. What the
/// last commit has comes back by one command; what a commit took away stands in the commit before that.
fn baseline_restored(document: &ReportDocument) -> Vec<NextStep> {
    let mut steps = Vec::new();
    match document.baseline_state {
        BaselineHealth::Newer => {
            let text =
                "Use the holdpoint that wrote the accepted results, or a newer one, and run again. Nothing is damaged.";
            steps.push(NextStep::new(text, None, "verdict"));
        }
        BaselineHealth::Unseen => {
            let text = "Bring the rest of git's history here, so that accepted results which were taken away show; then run again.";
            steps.push(NextStep::new(text, Some("git fetch --unshallow".to_owned()), "verdict"));
        }
        _ => {}
    }
    let broken = document.baseline_state == BaselineHealth::Damaged;
    if broken {
        let command = "git restore --source=HEAD --staged --worktree -- baselines".to_owned();
        steps.push(NextStep::new("Restore the accepted results, then run again.", Some(command), "verdict"));
    }
    if broken && document.verdict_reasons.iter().any(|reason| reason.text.contains(TAKEN_AWAY)) {
        let text = "If a commit took them away, restore them from the one before it.";
        let command = "git restore --source=\"$(git log -1 --format=%H --diff-filter=D -- baselines)^\" -- baselines";
        steps.push(NextStep::new(text, Some(command.to_owned()), "verdict"));
    }
    steps
}

/// Only where the removal may be what keeps the gate from passing.
fn removal_accepted(document: &ReportDocument) -> Option<NextStep> {
    let undecided = document.verdict_reasons.iter().any(|one| one.exit_code == ExitCode::Inconclusive.number());
    let text = format!("Have the removal of {} accepted.", counted(document.removed.len(), "case"));
    let removed = undecided && document.accept_command.is_some() && !document.removed.is_empty();
    removed.then(|| NextStep::new(text, None, "not-run"))
}

/// Everything ran because no rule knows these paths; only the project can say that they do not matter.
fn inert_named(document: &ReportDocument) -> Option<NextStep> {
    let named: Vec<&str> = document.unclassified.iter().take(NAMED_PATHS).map(String::as_str).collect();
    if document.mode != "all" || named.is_empty() {
        return None;
    }
    let more = match document.unclassified.len() - named.len() {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more path")),
    };
    let them = if document.unclassified.len() == 1 { "it" } else { "them" };
    // A folder that is new as a whole is named by its path alone, which as a pattern would match no file in it.
    let is_file = |path: &&str| path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let folders = if named.iter().all(is_file) { "" } else { ", a folder with `/**` behind its name" };
    let named = named.join(", ");
    let text = format!("If {named}{more} cannot change behaviour, add {them} to `inert` in holdpoint.yaml{folders}.");
    Some(NextStep::new(text, None, "changes"))
}

/// A selection that leaves out what does not pass would have let the change through: it has to be told of the risk.
fn selection_widened(document: &ReportDocument) -> Option<NextStep> {
    let escapes = document.shadow.as_ref().map_or(0, |shadow| shadow.escapes.len());
    (escapes > 0).then(|| {
        let text = format!(
            "Make the selection see {}: name under `risks` in the case what the change touched, or add a rule to \
             holdpoint.yaml.",
            counted(escapes, "escaped case")
        );
        NextStep::new(text, Some(format!("holdpoint{} rules", document.project_option)), "shadow")
    })
}

fn uncovered_steps(document: &ReportDocument) -> Vec<NextStep> {
    let mut steps = Vec::new();
    for uncovered in document.uncovered.iter().take(NAMED_UNCOVERED) {
        let text = format!(
            "Write a case for {} of {}: a change puts it at risk, and none exists.{}",
            uncovered.risk,
            uncovered.part,
            uncovered.unlisted().map(|what| format!(" Or: {what}.")).unwrap_or_default()
        );
        let step = NextStep::new(text, Some(uncovered.command.clone()), "uncovered");
        steps.push(NextStep { why: uncovering_change(document, uncovered), ..step });
    }
    if let Some(more) = document.uncovered.len().checked_sub(NAMED_UNCOVERED).filter(|more| *more > 0) {
        let text = format!("Write cases for {more} more uncovered {}.", if more == 1 { "risk" } else { "risks" });
        steps.push(NextStep::new(text, None, "uncovered"));
    }
    steps
}

/// The first change that puts the uncovered risk at stake, in words.
pub(super) fn uncovering_change(document: &ReportDocument, uncovered: &UncoveredView) -> Option<String> {
    let mut changes = document.changes.iter();
    let change = changes
        .find(|change| change.part.as_ref() == Some(&uncovered.part) && change.risks.contains(&uncovered.risk))?;
    Some(change_text(change))
}

/// A run whose time was up has cases that were never begun: they are not at fault.
fn time_given(document: &ReportDocument) -> Option<NextStep> {
    let out_of_time = document.verdict_reasons.iter().any(|reason| reason.text.starts_with(OUT_OF_TIME));
    let run = &document.run;
    out_of_time.then(|| {
        let text = format!(
            "The run was out of time (`run_timeout_s`): go on with it by `--resume {run}`, given to the command that began it."
        );
        NextStep::new(text, None, "verdict")
    })
}

/// A run that was kept from its work shows nothing that could be repaired or accepted.
fn interrupted(document: &ReportDocument) -> Option<NextStep> {
    let go_on = format!("go on with it by `--resume {}`, given to the command that began it", document.run);
    let (text, command) = if document.exit_code == ExitCode::Paused.number() {
        let command = format!("holdpoint{} pause off", document.project_option);
        (format!("When the reason for the pause is gone, end it and {go_on}."), Some(command))
    } else if document.exit_code == ExitCode::Cancelled.number() {
        (format!("The run was cancelled: {go_on}."), None)
    } else {
        return None;
    };
    Some(NextStep::new(text, command, "verdict"))
}

fn step(document: &ReportDocument, group: Group) -> Option<NextStep> {
    let count = group.cases(document).len();
    let text = match group {
        _ if count == 0 => return None,
        Group::Regressions => format!(
            "Repair {} and run {} again; or, where the new answer is right, change the expectation and have it accepted.",
            counted(count, "regression"),
            if count == 1 { "it" } else { "them" }
        ),
        Group::NewFailures => format!("Repair {}: a new case must pass.", counted(count, "new failure")),
        Group::Failures => format!("Repair {}.", counted(count, "failing case")),
        Group::ExpectationChanges => {
            format!(
                "Have {} read by someone who knows the right answer, and accepted if it is right.",
                counted(count, "changed expectation")
            )
        }
        Group::Uncertain if group.cases(document).iter().all(|case| is_gone(case)) => {
            format!(
                "Settle the evidence of {}, and run {} again: the targets ended with their trials, so nothing is done twice.",
                counted(count, "uncertain case"),
                if count == 1 { "it" } else { "them" }
            )
        }
        Group::Uncertain => {
            format!(
                "Find out what came of {} before anything is repeated: repeating may do it twice.",
                counted(count, "uncertain case")
            )
        }
        Group::Flaky => format!("Find what varies in {}.", counted(count, "flaky case")),
        Group::Errored => format!("Repair the set-up of {} and run again.", counted(count, "errored case")),
        Group::NotComparable => {
            let lacks_old_form = |case: &&CaseView| case.why.contains(ACCEPTED_FORM_NOT_RUN);
            let again = if group.cases(document).iter().any(lacks_old_form) {
                " `gate --base REV`, with a revision at which they were as they were accepted, runs that form too, judged as it \
                 was, and may make them comparable."
            } else {
                ""
            };
            format!("Read {} that cannot be compared, and accept what is right.{again}", counted(count, "case"))
        }
        Group::Tolerated | Group::Fixed | Group::KnownFailures | Group::Passed => return None,
    };
    let cases = group.cases(document);
    let command = command(document, group, &cases);
    let cases: Vec<CaseBrief> = cases.into_iter().take(NAMED_CASES).map(|case| case_brief(document, case)).collect();
    let more = count - cases.len();
    Some(NextStep { cases, more, ..NextStep::new(text, command, group.name()) })
}

/// Whether nothing is left of its trials to look at.
pub(super) fn is_gone(case: &CaseView) -> bool {
    case.outlives_trials == Some(false)
}

fn case_brief(document: &ReportDocument, case: &CaseView) -> CaseBrief {
    let open = document.failure_table.iter().find(|row| row.place.case == case.id && row.outcome == Outcome::Uncertain);
    CaseBrief {
        case: case.id.clone(),
        title: case.title.to_string(),
        happened: edited(document, case).or_else(|| what_happened(case)),
        ran: why_it_ran(case),
        advice: open.map(|row| {
            let changed = claim_changed(case).map(|sentence| format!("{sentence} ")).unwrap_or_default();
            let step = match case.outlives_trials {
                Some(true) => row.next_step.clone(),
                Some(false) => NOTHING_LEFT.to_owned(),
                None => format!("Where the target outlives the trial: {}", row.next_step),
            };
            format!("{changed}{step}")
        }),
    }
}

/// What the workflow claims of an uncertain operation, where it claimed something else when it was accepted.
fn claim_changed(case: &CaseView) -> Option<String> {
    let accepted: serde_json::Value = serde_json::from_str(case.accepted_output.as_deref()?).ok()?;
    let claims = accepted.get("claims")?.as_array()?;
    let operations = &first_unpassed(&case.trials)?.operations;
    operations.iter().filter(|operation| operation.outcome == Outcome::Uncertain).find_map(|operation| {
        let named = claims.iter().find(|claim| claim["operation"] == operation.operation.as_str())?;
        let (before, now) = (named["claim"].as_str()?, operation.claim.map_or("nothing", |claim| claim.name()));
        let told = format!(
            "Of `{}` the workflow claimed {} when accepted, and claims {now} now.",
            operation.operation,
            one_line(before, LONGEST_CLAIM)
        );
        (before != now).then_some(told)
    })
}

/// What was edited in a case that passes only since then.
fn edited(document: &ReportDocument, case: &CaseView) -> Option<String> {
    let edits: Vec<String> = document
        .changes
        .iter()
        .filter(|change| change.case.as_ref() == Some(&case.id) && Group::of(case) == Group::ExpectationChanges)
        .map(edit_text)
        .collect();
    let told = one_line(&edits.join("; "), LONGEST_EDIT);
    (!edits.is_empty()).then(|| format!("Edited: {told}. The answer passes the edited form and fails the old one."))
}

/// The command that does what the group needs, or tries again whether it is done: for all of its cases.
fn command(document: &ReportDocument, group: Group, cases: &[&CaseView]) -> Option<String> {
    let option = &document.project_option;
    let few = cases.len() <= COMMANDED_CASES;
    let each = |before: &str| cases.iter().map(|case| format!(" {before}{}", case.id)).collect::<String>();
    match group {
        // Edited expectations are accepted alone, and only where all of them were read.
        Group::ExpectationChanges | Group::NotComparable => {
            let command = document.accept_command.as_ref().filter(|_| cases.len() <= NAMED_CASES)?;
            Some(format!("{command}{}", each("--case ")))
        }
        // Nothing is repeated before someone has looked, where there is anything to look at.
        Group::Uncertain if !cases.iter().all(|case| is_gone(case)) => {
            let about = if few { each("--about ") } else { String::new() };
            Some(format!("holdpoint{option} incident {}{about}", document.run))
        }
        Group::Flaky => {
            let which = if few { each("") } else { " --all".to_owned() };
            Some(format!("holdpoint{option} run{which} --trials {FLAKY_TRIALS}"))
        }
        _ if few => Some(format!("holdpoint{option} run{}", each(""))),
        _ => Some(format!("holdpoint{option} gate")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::{ReasonView, RemovedView};
    use super::super::sample::Sample;
    use super::*;

    fn texts(document: &ReportDocument) -> Vec<String> {
        next_steps(document).into_iter().map(|step| step.text).collect()
    }

    #[test]
    fn what_is_to_be_done_names_the_cases_and_an_edited_expectation_is_accepted_alone() {
        let document = Sample::full().document();
        let steps = next_steps(&document);
        let of = |anchor: &str| steps.iter().find(|step| step.anchor == anchor).unwrap();
        let named = |step: &NextStep| step.cases.iter().map(|brief| brief.case.to_string()).collect::<Vec<_>>();
        assert_eq!(named(of("regressions")), ["returns-window"]);
        assert_eq!(named(of("uncertain")), ["lost-ack-after-commit"]);
        let command = |anchor: &str| of(anchor).command.clone().unwrap();
        assert_eq!(command("regressions"), "holdpoint run returns-window", "it is repaired, not accepted by rote");
        let looked_into = "holdpoint incident 20260302T091407Z-4f1c --about lost-ack-after-commit";
        assert_eq!(command("uncertain"), looked_into, "and not repeated");
        assert_eq!(command("flaky"), "holdpoint run short-answer --trials 10");
        assert_eq!(command("errored"), "holdpoint run crowded-context");
        let command = of("changed-expectations").command.as_ref().unwrap();
        assert!(
            command.starts_with("holdpoint baseline accept 2026") && command.ends_with(" --case conflicting-hours")
        );
        let many = ReportDocument { cases: [&document.cases[..], &document.cases].concat(), ..document.clone() };
        let many = ReportDocument { cases: [&many.cases[..], &many.cases].concat(), ..many };
        let steps = next_steps(&many);
        let edited = steps.iter().find(|step| step.anchor == "changed-expectations").unwrap();
        assert_eq!((edited.cases.len(), &edited.command), (3, &None), "what is not named is not accepted");
    }

    #[test]
    fn what_is_named_in_part_counts_the_rest_and_its_command_is_for_all() {
        let document = Sample::full().document();
        let regression = document.cases.iter().find(|case| Group::of(case) == Group::Regressions).unwrap();
        let regressed = |count: usize| {
            let renamed = |number| CaseView { id: format!("case-{number}").as_str().into(), ..regression.clone() };
            let document = ReportDocument { cases: (0..count).map(renamed).collect(), ..document.clone() };
            next_steps(&document).into_iter().find(|step| step.anchor == "regressions").unwrap()
        };
        let step = regressed(8);
        assert_eq!((step.cases.len(), step.more), (3, 5));
        let all = "holdpoint run case-0 case-1 case-2 case-3 case-4 case-5 case-6 case-7";
        assert_eq!(step.command.as_deref(), Some(all));
        assert_eq!(regressed(2).more, 0);
        assert_eq!(regressed(31).command.as_deref(), Some("holdpoint gate"), "too many to name");
    }

    #[test]
    fn each_step_says_what_happened_why_it_ran_and_what_to_do() {
        let document = ReportDocument { project_option: " --project desk".to_owned(), ..Sample::full().document() };
        for step in next_steps(&document) {
            let is_whole = |brief: &CaseBrief| brief.ran.is_some() && brief.happened.is_some();
            assert!(step.cases.iter().all(is_whole), "{step:?}");
            assert!(step.command.is_some(), "{step:?}");
            let needs_project = ["run", "incident"].map(|name| format!("holdpoint {name}"));
            let command = step.command.unwrap();
            assert!(
                !needs_project.iter().any(|bare| command.starts_with(bare)),
                "it would not find the project: {command}"
            );
        }
        let steps = next_steps(&document);
        let uncertain = steps.iter().find(|step| step.anchor == "uncertain").unwrap();
        assert!(uncertain.cases[0].advice.as_ref().is_some_and(|advice| !advice.is_empty()));
        let uncovered = steps.iter().find(|step| step.anchor == "uncovered").unwrap();
        assert!(uncovered.why.as_ref().unwrap().starts_with("connector review operations.stage.idempotency.window"));
    }

    #[test]
    fn of_an_uncertain_operation_it_is_told_what_the_workflow_claims_otherwise_than_before() {
        let mut document = Sample::full().document();
        let case = document.cases.iter_mut().find(|case| case.status == crate::domain::CaseStatus::Uncertain).unwrap();
        let operation = case.trials[0].operations[0].clone();
        let now = operation.claim.map_or("nothing", |claim| claim.name());
        let claimed = |claim: &str| {
            let claims = serde_json::json!({"claims": [{"operation": operation.operation, "claim": claim}]});
            Some(claims.to_string())
        };
        case.accepted_output = claimed(now);
        assert_eq!(claim_changed(case), None);
        case.accepted_output = claimed("rejected");
        let expected = format!("claimed rejected when accepted, and claims {now} now.");
        assert!(claim_changed(case).unwrap().ends_with(&expected));
        let steps = next_steps(&document);
        let uncertain = steps.iter().find(|step| step.anchor == "uncertain").unwrap();
        assert!(uncertain.cases[0].advice.as_ref().unwrap().contains(&expected));
    }

    #[test]
    fn of_an_edited_expectation_the_edit_itself_is_told() {
        let mut document = Sample::full().document();
        let mut change = document.changes[0].clone();
        change.kind = crate::change::ChangeKind::Case;
        (change.part, change.case, change.paths) = (None, Some("conflicting-hours".into()), Vec::new());
        change.facet = Some("expect".to_owned());
        change.from = Some(serde_json::json!([{"contains": "ten"}]));
        change.to = Some(serde_json::json!([{"contains": "nine"}]));
        document.changes.push(change);
        let steps = next_steps(&document);
        let edited = steps.iter().find(|step| step.anchor == "changed-expectations").unwrap();
        assert_eq!(
            edited.cases[0].happened.as_deref(),
            Some(
                "Edited: `expect[0].contains` was ten and is nine. The answer passes the edited form and fails the old one."
            )
        );
    }

    #[test]
    fn what_the_selection_missed_is_a_thing_to_do() {
        use super::super::shadow_view::ShadowView;
        let mut document = Sample::full().document();
        assert!(!texts(&document).iter().any(|text| text.contains("escaped")));
        document.shadow = Some(ShadowView::default());
        assert!(!texts(&document).iter().any(|text| text.contains("escaped")), "nothing escaped");
        document.shadow = Some(Sample::shadow());
        assert!(texts(&document).iter().any(|text| text.contains("Make the selection see 1 escaped case")));
    }

    #[test]
    fn a_run_that_was_out_of_time_is_gone_on_with() {
        let mut document = Sample::full().document();
        let says = |document: &ReportDocument| texts(document).iter().any(|text| text.contains("--resume"));
        assert!(!says(&document));
        let text = format!("{OUT_OF_TIME} 60 s (`run_timeout_s`) was over");
        document.verdict_reasons.push(ReasonView { exit_code: 11, text });
        assert!(says(&document));
    }

    #[test]
    fn a_broken_baseline_is_restored_first_and_a_missing_one_accepted() {
        let baseline_state = BaselineHealth::Damaged;
        let mut document =
            ReportDocument { exit_code: 12, baseline_state, accept_command: None, ..Sample::full().document() };
        let first = &next_steps(&document)[0];
        assert_eq!(first.text, "Restore the accepted results, then run again.");
        assert_eq!(first.command.as_deref(), Some("git restore --source=HEAD --staged --worktree -- baselines"));
        let of_commit = "If a commit took them away, restore them from the one before it.".to_owned();
        assert!(!texts(&document).contains(&of_commit));
        document.verdict_reasons = vec![ReasonView { exit_code: 12, text: format!("a.json: {TAKEN_AWAY}") }];
        assert_eq!(texts(&document)[1], of_commit);
        for baseline_state in [BaselineHealth::Sound, BaselineHealth::Missing, BaselineHealth::Empty] {
            let other = ReportDocument { baseline_state, ..document.clone() };
            assert!(!texts(&other).iter().any(|text| text.contains("estore")), "{baseline_state:?}");
        }
    }

    #[test]
    fn what_is_of_a_later_time_or_out_of_sight_is_not_restored() {
        let of = |baseline_state| ReportDocument { exit_code: 12, baseline_state, ..Sample::full().document() };
        let newer = next_steps(&of(BaselineHealth::Newer)).remove(0);
        assert!(newer.text.contains("or a newer one") && newer.command.is_none(), "{newer:?}");
        let unseen = next_steps(&of(BaselineHealth::Unseen)).remove(0);
        assert_eq!(unseen.command.as_deref(), Some("git fetch --unshallow"));
    }

    #[test]
    fn a_target_that_ended_with_its_trial_is_not_looked_into() {
        let mut document = Sample::full().document();
        let uncertain = |document: &ReportDocument| {
            next_steps(document).into_iter().find(|step| step.anchor == "uncertain").unwrap()
        };
        let advice = |document: &ReportDocument| uncertain(document).cases[0].advice.clone().unwrap();
        let set = |document: &mut ReportDocument, outlives: Option<bool>| {
            let mut cases = document.cases.iter_mut();
            let case = cases.find(|case| case.id.as_str() == "lost-ack-after-commit").unwrap();
            case.outlives_trials = outlives;
        };
        assert!(advice(&document).contains("Where the target outlives the trial: "), "it is not known");
        set(&mut document, Some(true));
        assert!(!advice(&document).contains("utlives") && !advice(&document).contains("nothing is left"));
        assert!(uncertain(&document).command.unwrap().contains(" incident "));
        set(&mut document, Some(false));
        let step = uncertain(&document);
        assert!(step.text.contains("the targets ended with their trials, so nothing is done twice"), "{}", step.text);
        assert_eq!(step.command.as_deref(), Some("holdpoint run lost-ack-after-commit"));
        assert!(advice(&document).contains("nothing is left there to look at"), "{}", advice(&document));
    }

    #[test]
    fn a_removal_that_keeps_the_gate_from_passing_is_to_be_accepted() {
        let removed = RemovedView { case: "gone".into(), set: "access".into(), why: "it is gone".to_owned() };
        let reason = ReasonView { exit_code: 11, text: "it cannot be said".to_owned() };
        let mut document = ReportDocument {
            removed: vec![removed],
            verdict_reasons: vec![reason],
            accept_command: Some("holdpoint baseline accept R".to_owned()),
            ..Sample::full().document()
        };
        let wanted = "Have the removal of 1 case accepted.".to_owned();
        assert!(texts(&document).contains(&wanted));
        document.verdict_reasons.clear();
        assert!(!texts(&document).contains(&wanted), "nothing is undecided");
    }

    #[test]
    fn a_path_that_made_everything_run_can_be_named_inert() {
        let unclassified = |paths: &[&str], mode: &str| {
            let unclassified = paths.iter().map(|path| (*path).to_owned()).collect();
            ReportDocument { unclassified, mode: mode.to_owned(), ..Sample::full().document() }
        };
        let hints = |document| {
            let texts: Vec<String> = texts(&document);
            texts.into_iter().filter(|text| text.contains("inert")).collect::<Vec<_>>()
        };
        let one = "If notes.txt cannot change behaviour, add it to `inert` in holdpoint.yaml.";
        assert_eq!(hints(unclassified(&["notes.txt"], "all")), [one]);
        let five = "If a.x, b.x, c.x and 2 more paths cannot change behaviour, add them to `inert` in holdpoint.yaml.";
        assert_eq!(hints(unclassified(&["a.x", "b.x", "c.x", "d.x", "e.x"], "all")), [five]);
        let folder = "If new/tools cannot change behaviour, add it to `inert` in holdpoint.yaml, a folder with `/**` behind its name.";
        assert_eq!(hints(unclassified(&["new/tools"], "all")), [folder]);
        assert!(hints(unclassified(&["notes.txt"], "selective")).is_empty());
        assert!(hints(unclassified(&[], "all")).is_empty());
    }
}
