//! Whether records are all the parts of one run, each there once and whole.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{CaseId, ExitCode};
use crate::selection::Plan;
use crate::store::{PartOfRun, RunHeader, RunSummary};

use super::super::resume::some;
use super::Brought;

/// All that keeps these records from being one run, a sentence each; nothing where they are one.
pub(super) fn what_is_wrong(parts: &[Brought]) -> Vec<String> {
    let mut wrong: Vec<String> = parts.iter().filter_map(not_a_part).collect();
    let numbered: Vec<(&Brought, &PartOfRun)> =
        parts.iter().filter_map(|part| Some((part, part.header().part.as_ref()?))).collect();
    let Some((first, of_first)) = numbered.first() else {
        return if wrong.is_empty() { vec!["no part was named".to_owned()] } else { wrong };
    };
    for (part, of) in &numbered[1..] {
        let differs = differences((first.header(), of_first), (part.header(), of));
        if !differs.is_empty() {
            let (name, other, differs) = (name(part), name(first), differs.join(", "));
            wrong.push(format!("{name} is of another run than {other}: it differs in {differs}"));
        }
    }
    wrong.extend(doubled(&numbered));
    wrong.extend(missing(&numbered, of_first.part.of));
    wrong.extend(parts.iter().filter_map(unfinished));
    wrong
}

/// Cases of the run that no part has, or more than one.
pub(super) fn uncovered(parts: &[Brought], plan: &Plan) -> Vec<String> {
    let mut holders: BTreeMap<&CaseId, Vec<&Brought>> = BTreeMap::new();
    for part in parts {
        part.header().cases.keys().for_each(|case| holders.entry(case).or_default().push(part));
    }
    let mut wrong = Vec::new();
    let selected: BTreeSet<&CaseId> = plan.selected.iter().map(|selected| &selected.case).collect();
    let missing: Vec<String> =
        selected.iter().filter(|case| !holders.contains_key(**case)).map(ToString::to_string).collect();
    if !missing.is_empty() {
        wrong.push(format!("no part has the cases {}", some(&missing)));
    }
    for (case, holders) in holders {
        let names: Vec<String> = holders.iter().map(|part| name(part)).collect();
        if names.len() > 1 {
            wrong.push(format!("case {case} stands in more than one part: {}", names.join(", ")));
        } else if !selected.contains(case) {
            wrong.push(format!("case {case} of {} is none of the run", names.join(", ")));
        }
    }
    wrong
}

/// `part 3 of 8 (run 2026..., in DIR/run.sqlite)`.
fn name(part: &Brought) -> String {
    let header = part.header();
    let what = header.part.as_ref().map_or_else(|| "a whole run".to_owned(), |of| of.part.to_string());
    format!("{what} (run {}, in {})", header.run, part.path.display())
}

fn not_a_part(part: &Brought) -> Option<String> {
    part.header()
        .part
        .is_none()
        .then(|| format!("run {} in {} is no part of a run", part.header().run, part.path.display()))
}

fn unfinished(part: &Brought) -> Option<String> {
    let header = part.header();
    let again = format!(
        "start it again, or finish it where it ran with `holdpoint {} --resume {}`",
        header.kind.name(),
        header.run
    );
    let how = match &part.record.record.summary {
        None => "was cut off",
        Some(RunSummary { exit_code, .. }) if *exit_code == ExitCode::Cancelled.number() => "was cancelled",
        Some(RunSummary { exit_code, .. }) if *exit_code == ExitCode::Paused.number() => "was paused",
        Some(RunSummary { verdict, .. }) if verdict == RunSummary::TIME_LIMIT => "was out of time",
        Some(_) => return None,
    };
    header.part.is_some().then(|| format!("{} {how} before its end: {again}", name(part)))
}

fn doubled(parts: &[(&Brought, &PartOfRun)]) -> Vec<String> {
    let mut by_number: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (part, of) in parts {
        by_number.entry(of.part.number).or_default().push(name(part));
    }
    let twice = by_number.into_iter().filter(|(_, names)| names.len() > 1);
    twice.map(|(number, names)| format!("part {number} is there more than once: {}", names.join(" and "))).collect()
}

fn missing(parts: &[(&Brought, &PartOfRun)], of: u32) -> Option<String> {
    let there: BTreeSet<u32> = parts.iter().map(|(_, of)| of.part.number).collect();
    let missing: Vec<String> =
        (1..=of).filter(|number| !there.contains(number)).map(|number| number.to_string()).collect();
    (!missing.is_empty()).then(|| format!("of {of} parts are missing: {}", some(&missing)))
}

/// What two parts of one run must have in common and these have not.
fn differences(a: (&RunHeader, &PartOfRun), b: (&RunHeader, &PartOfRun)) -> Vec<String> {
    let ((a, of_a), (b, of_b)) = (a, b);
    let asked = |header: &RunHeader| header.asked.clone();
    let base = |header: &RunHeader| asked(header).and_then(|asked| asked.base_commit);
    let request = |header: &RunHeader| asked(header).map(|asked| (asked.choice, asked.trials, asked.mutate));
    let differs = [
        ("the number of parts", of_a.part.of != of_b.part.of),
        ("what it is divided by", of_a.by != of_b.by),
        ("the durations it is divided by", of_a.durations != of_b.durations),
        ("the command", a.kind != b.kind),
        ("what was asked for", request(a) != request(b)),
        ("the project file", a.snapshot.project_file != b.snapshot.project_file),
        ("the fingerprint of the head", a.fingerprint != b.fingerprint),
        ("the code", a.snapshot.rest.code != b.snapshot.rest.code),
        ("the commit", a.commit != b.commit),
        ("the base", base(a) != base(b)),
        ("what was accepted", a.baseline_heads != b.baseline_heads),
        ("the cases selected", of_a.selection != of_b.selection),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}
