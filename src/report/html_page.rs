//! What the HTML template prints: the document put into the order and the words of the page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::{Digest, counted};
use crate::verdict::VerdictWord;

use super::answer_diff::pretty;
use super::changed_answer::{answer_changed, changed_passes};
use super::document::{CaseView, ReportDocument, UncoveredView};
use super::group::Group;
use super::html_case::{Budget, CaseItem};
use super::html_changes::{ChangeRow, change_rows, diff_command};
use super::html_figures::{Figures, figures};
use super::html_not_run::{ExcludedGroup, ShadowItem, excluded_groups, shadow_item};
use super::limits::unfinished;
use super::next_step::{CaseBrief, NextStep, next_steps, uncovering_change};
use super::payload::Payloads;
use super::words::{baseline_word, duration_text, exit_code_meaning, verdict_title};

/// More passes than these are counted by set in the page instead of listed.
const LISTED_PASSES: usize = 10_000;

/// Digits of a digest or a commit that are shown; its whole is the title of what is shown.
const SHORT: usize = 12;

/// Cases of which a thing to do says what happened.
const TOLD_CASES: usize = 2;

/// More passes than these are folded, all but those whose answer changed: what comes after them would be far away.
const OPEN_PASSES: usize = 40;

/// The whole page.
#[derive(Debug, Serialize)]
pub(super) struct HtmlPage {
    project: String,
    run: String,
    started: String,
    finished: String,
    duration: Option<String>,
    verdict: VerdictBox,
    facts: Vec<Fact>,
    tally: Vec<Tally>,
    tally_text: String,
    next_steps: Vec<Step>,
    /// How the cases were chosen, a sentence; nothing where nothing changed and nothing else chose them.
    mode_reason: Option<String>,
    changes: Vec<ChangeRow>,
    /// The command that shows them line by line.
    diff_command: Option<String>,
    shadow: Option<ShadowItem>,
    notes: Vec<String>,
    unclassified: Vec<String>,
    groups: Vec<GroupItem>,
    passes_by_set: Vec<SetCount>,
    excluded: Vec<ExcludedGroup>,
    removed: Vec<[String; 3]>,
    uncovered: Vec<UncoveredRow>,
    figures: Figures,
    limits: Vec<String>,
    evidence: String,
}

/// The verdict.
#[derive(Debug, Serialize)]
struct VerdictBox {
    word: Cow<'static, str>,
    class: &'static str,
    exit_code: u8,
    meaning: &'static str,
    reasons: Vec<String>,
    notes: Vec<String>,
}

/// One line of what the run was.
#[derive(Debug, Serialize)]
struct Fact {
    term: &'static str,
    detail: String,
    code: Option<String>,
    /// The whole of what `code` shows the beginning of.
    whole: Option<String>,
    note: Option<String>,
}

/// One count, and its stretch of the bar: `x` and `width` in thousandths.
#[derive(Debug, Serialize)]
struct Tally {
    label: &'static str,
    class: &'static str,
    count: usize,
    x: usize,
    width: usize,
}

/// One thing to do.
#[derive(Debug, Serialize)]
struct Step {
    text: String,
    command: Option<String>,
    anchor: &'static str,
    cases: Vec<StepCase>,
    /// How many more cases it is about, where it names not all of them.
    more: Option<usize>,
    why: Option<String>,
}

/// A case of it; of those after the first ones only what they are is given.
#[derive(Debug, Serialize)]
struct StepCase {
    id: String,
    title: String,
    happened: Option<String>,
    ran: Option<String>,
    advice: Option<String>,
}

/// One risk without a case.
#[derive(Debug, Serialize)]
struct UncoveredRow {
    part: String,
    risk: String,
    command: String,
    why: Option<String>,
    /// Whether what is to be done next says all of this already.
    said: bool,
}

/// One group of cases.
#[derive(Debug, Serialize)]
struct GroupItem {
    title: &'static str,
    name: &'static str,
    advice: &'static str,
    changed_answers: Option<String>,
    count: usize,
    attention: bool,
    cases: Vec<CaseItem>,
    /// Those that are folded, and what the fold is called.
    folded: Vec<CaseItem>,
    fold: String,
}

/// Passes of one set, where there are too many to list.
#[derive(Debug, Serialize)]
struct SetCount {
    set: String,
    count: usize,
}

impl HtmlPage {
    /// The page of this document. Texts that are too long for it go to `payloads`.
    pub(super) fn of(document: &ReportDocument, payloads: &Payloads) -> Self {
        let steps = next_steps(document);
        let too_many_passes = Group::Passed.cases(document).len() > LISTED_PASSES;
        Self {
            project: document.project.clone(),
            run: document.run.to_string(),
            started: document.started.clone(),
            finished: document.finished.clone(),
            duration: duration_text(&document.started, &document.finished),
            verdict: verdict(document),
            facts: facts(document),
            tally: tally(document),
            tally_text: tally_text(document),
            uncovered: uncovered_rows(document, &steps),
            next_steps: steps.into_iter().map(step).collect(),
            mode_reason: mode_reason(document),
            changes: change_rows(document),
            diff_command: diff_command(document),
            shadow: shadow_item(document),
            notes: notes(document),
            unclassified: document.unclassified.clone(),
            groups: groups(document, too_many_passes, payloads),
            passes_by_set: if too_many_passes { passes_by_set(document) } else { Vec::new() },
            excluded: excluded_groups(&document.excluded),
            removed: document
                .removed
                .iter()
                .map(|removed| [removed.case.to_string(), removed.set.to_string(), removed.why.clone()])
                .collect(),
            figures: figures(document),
            // What the passes support stands beside the verdict.
            limits: document.limits.iter().filter(|limit| **limit != document.evidence_statement).cloned().collect(),
            evidence: document.evidence_statement.clone(),
        }
    }
}

/// Of the first cases it is told what happened: the others have it at their own place.
fn step(step: NextStep) -> Step {
    let case = |(index, brief): (usize, CaseBrief)| {
        let told = |text: Option<String>| text.filter(|_| index < TOLD_CASES);
        StepCase {
            id: brief.case.to_string(),
            title: brief.title,
            happened: told(brief.happened),
            ran: told(brief.ran),
            advice: told(brief.advice),
        }
    };
    let cases = step.cases.into_iter().enumerate().map(case).collect();
    let more = Some(step.more).filter(|more| *more > 0);
    Step { text: step.text, command: step.command, anchor: step.anchor, cases, more, why: step.why }
}

fn uncovered_rows(document: &ReportDocument, steps: &[NextStep]) -> Vec<UncoveredRow> {
    let row = |uncovered: &UncoveredView| UncoveredRow {
        part: uncovered.part.to_string(),
        risk: uncovered.risk.to_string(),
        command: uncovered.command.clone(),
        why: uncovering_change(document, uncovered),
        said: steps.iter().any(|step| step.command.as_ref() == Some(&uncovered.command)),
    };
    document.uncovered.iter().map(row).collect()
}

fn verdict(document: &ReportDocument) -> VerdictBox {
    VerdictBox {
        word: verdict_title(document),
        class: match document.verdict {
            VerdictWord::Pass => "pass",
            VerdictWord::Fail => "fail",
            VerdictWord::Inconclusive => "inconclusive",
        },
        exit_code: document.exit_code,
        meaning: exit_code_meaning(document.exit_code),
        reasons: document.verdict_reasons.iter().map(|reason| reason.text.clone()).collect(),
        notes: document.verdict_notes.clone(),
    }
}

fn facts(document: &ReportDocument) -> Vec<Fact> {
    let side = |term, side: &crate::change::Side| Fact {
        term,
        detail: side.name.clone(),
        code: side.commit.as_ref().map(|commit| commit.chars().take(SHORT).collect()),
        whole: side.commit.clone(),
        note: side.note.as_deref().map(|note| unrepeated(side, note)),
    };
    let digests = |term, detail: String, digests: &[Digest], note: Option<&str>| Fact {
        term,
        detail,
        code: Some(digests.iter().map(Digest::short).collect::<Vec<_>>().join(", ")).filter(|code| !code.is_empty()),
        whole: Some(digests.iter().map(Digest::as_str).collect::<Vec<_>>().join(", "))
            .filter(|whole| !whole.is_empty()),
        note: note.map(str::to_owned),
    };
    let forked = Some(document.baseline_heads.len()).filter(|heads| *heads > 1);
    let baseline = [
        baseline_word(document.baseline_state).map(str::to_owned),
        forked.map(|heads| format!("forked: {heads} records that no other follows")),
    ];
    let baseline = baseline.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let fingerprint = std::slice::from_ref(&document.fingerprint);
    let mut facts = vec![
        side("Base", &document.base),
        side("Head", &document.head),
        digests("Baseline", baseline, &document.baseline_heads, None),
        digests("Fingerprint of the parts", String::new(), fingerprint, None),
    ];
    let results = document.results_digest.as_slice();
    if !results.is_empty() {
        facts.push(digests("Digest of the results", String::new(), results, Some("for `baseline accept --reviewed`")));
    }
    facts
}

/// The note without the name and the commit, where it begins with them: they stand before it.
fn unrepeated(side: &crate::change::Side, note: &str) -> String {
    let commit: String = side.commit.iter().flat_map(|commit| commit.chars()).take(SHORT).collect();
    let said = format!("`{}` is {commit} ", side.name);
    note.strip_prefix(&said).filter(|_| !commit.is_empty()).unwrap_or(note).to_owned()
}

fn tally(document: &ReportDocument) -> Vec<Tally> {
    let counts = &document.counts;
    let entries = [
        ("failed", "fail", counts.failed),
        ("errored", "error", counts.errored),
        ("uncertain", "uncertain", counts.uncertain),
        ("flaky", "flaky", counts.flaky),
        ("passed", "pass", counts.passed),
        ("inherited, not run", "inherited", counts.inherited),
        ("not run", "inherited", counts.not_run),
    ];
    let total = counts.total.max(1);
    let mut before = 0;
    let mut tally = Vec::new();
    for (label, class, count) in entries.into_iter().filter(|entry| entry.2 > 0) {
        let (x, end) = (before * 1000 / total, (before + count) * 1000 / total);
        before += count;
        tally.push(Tally { label, class, count, x, width: end - x });
    }
    tally
}

fn mode_reason(document: &ReportDocument) -> Option<String> {
    let reason = document.mode_reason.trim_end_matches('.');
    match document.mode.as_str() {
        "all" => Some(format!("Every case was selected: {reason}.")),
        _ if document.changes.is_empty() => None,
        _ => Some(format!("The changes chose the cases: {reason}.")),
    }
}

fn tally_text(document: &ReportDocument) -> String {
    let counts = &document.counts;
    let selected = format!("{} of {}", counts.selected, counted(counts.total, "case"));
    let ran = match unfinished(document) {
        0 => format!("{selected} ran"),
        unfinished => format!("{selected} selected; {} ran", counts.selected.saturating_sub(unfinished)),
    };
    format!("{ran}, in {}.", counted(counts.trials, "trial"))
}

fn notes(document: &ReportDocument) -> Vec<String> {
    let bumps = document
        .bumps_without_change
        .iter()
        .map(|part| format!("{part}: the version was raised though nothing else in it changed."));
    let changes =
        document.changes_without_bump.iter().map(|part| format!("{part}: it changed though its version did not."));
    bumps.chain(changes).collect()
}

fn groups(document: &ReportDocument, too_many_passes: bool, payloads: &Payloads) -> Vec<GroupItem> {
    let is_listed = |case: &&CaseView| !(too_many_passes && Group::of(case) == Group::Passed);
    let mut budget = Budget::new(document.cases.iter().filter(is_listed));
    let mut items = Vec::new();
    for group in Group::ALL {
        let mut cases = group.cases(document);
        if cases.is_empty() {
            continue;
        }
        let count = cases.len();
        if group == Group::Passed {
            cases.sort_by_key(|case| !answer_changed(case));
        }
        let listed = if group == Group::Passed && too_many_passes { Vec::new() } else { cases };
        let unfolded = unfolded(group, &listed);
        let mut listed: Vec<CaseItem> =
            listed.into_iter().map(|case| CaseItem::of(case, group, &mut budget, payloads)).collect();
        let folded = listed.split_off(unfolded);
        items.push(GroupItem {
            title: group.title(),
            name: group.name(),
            advice: group.advice(),
            changed_answers: changed_passes(document).filter(|_| group == Group::Passed),
            count,
            attention: group.needs_attention(),
            fold: format!("Show {}", counted(folded.len(), if unfolded == 0 { "case" } else { "more case" })),
            cases: listed,
            folded,
        });
    }
    items
}

/// How many cases of a group stand before its fold, in the order in which they are listed.
fn unfolded(group: Group, cases: &[&CaseView]) -> usize {
    match group {
        Group::KnownFailures => 0,
        Group::Passed if cases.len() > OPEN_PASSES => cases.iter().take_while(|case| answer_changed(case)).count(),
        _ => cases.len(),
    }
}

fn passes_by_set(document: &ReportDocument) -> Vec<SetCount> {
    let mut by_set: BTreeMap<String, usize> = BTreeMap::new();
    for case in Group::Passed.cases(document) {
        *by_set.entry(case.set.to_string()).or_default() += 1;
    }
    by_set.into_iter().map(|(set, count)| SetCount { set, count }).collect()
}

/// A JSON value as text for a reader.
pub(super) fn value_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| pretty(value), str::to_owned)
}
