//! A row kept as a case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use crate::domain::{CALL_RISKS, Outcome, Rule};
use crate::evidence::excerpt;
use crate::manifest::schema_line;

use super::table::{ExerciseTable, RowResult, RowVerdict};

/// How much of a finding a comment shows, in characters.
const SHOWN: usize = 300;

/// How the name of the folder of a kept case's files ends, which lies beside the case and begins with its id.
const FILES: &str = ".files";

/// The file of a case that a row was kept as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRow {
    /// The case's id.
    pub id: String,
    /// Its path, relative to the project's folder.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The files that it names: where each stands in the project, and where its copy is to stand.
    pub copies: Vec<(String, String)>,
}

/// The case that asks what a row asked: the same faults, and that every rule is kept.
///
/// # Errors
/// When the row's content cannot be written as JSON, which no row shows.
pub fn keep(table: &ExerciseTable, row: &RowResult) -> Result<KeptRow, serde_json::Error> {
    let id = format!("{}.{}", table.workflow, row.id);
    let mut text = schema_line("../..", "case") + "\n";
    let _ = writeln!(text, "# Kept from an exercise of {}; what came of it: {}.", table.workflow, row.verdict.name());
    for finding in &row.findings {
        let _ = writeln!(text, "# {}: {}", finding.rule, excerpt(&finding.message, SHOWN));
    }
    let _ = writeln!(text, "id: {}", flow(&id)?);
    let _ = writeln!(text, "title: {}", flow(&title(table, row))?);
    let _ = writeln!(text, "workflow: {}", flow(&table.workflow)?);
    text.push_str(further_risk(row));
    let _ = writeln!(text, "input: {}", flow(&table.input)?);
    if let Some(now) = &table.now {
        let _ = writeln!(text, "now: {}", flow(now)?);
    }
    if !table.files.is_empty() {
        let beside = table.files.keys().map(|name| (name, format!("{id}{FILES}/{name}")));
        let _ = writeln!(text, "fixtures: {}", flow(&beside.collect::<BTreeMap<_, _>>())?);
    }
    // What only the first run shows, a second one would cover up.
    let is_kept_again = |rule: &String| row.kept.contains(rule);
    let in_first_alone = !row.findings.is_empty() && row.findings.iter().all(|finding| is_kept_again(&finding.rule));
    let between = if table.restarts { "  - restart: {}\n" } else { "" };
    let again = if in_first_alone { String::new() } else { format!("{between}  - invoke: {{may_fail: true}}\n") };
    let _ = write!(text, "steps:\n  - invoke: {{may_fail: true}}\n{again}");
    text.push_str(if row.faults.is_empty() { "faults: []\n" } else { "faults:\n" });
    for fault in &row.faults {
        let _ = writeln!(text, "  - {}", flow(fault)?);
    }
    // Where nothing was said, claims would come to no judgement.
    let is_silent = in_first_alone && row.findings.iter().any(|finding| finding.rule == Rule::NoAnswer.name());
    text.push_str(if is_silent { "expect:\n" } else { "expect:\n  - claim: matches_evidence\n" });
    // What had no occasion in this row would come to no judgement in its case.
    let broken = row.findings.iter().map(|finding| finding.rule.as_str());
    let kept = row.kept.iter().map(String::as_str).filter(|_| !in_first_alone);
    let rules: BTreeSet<&str> = kept.chain(broken).collect();
    if !rules.is_empty() {
        let _ = writeln!(text, "  - contract: {{keeps: {}}}", flow(&rules)?);
    }
    let shown = if in_first_alone { &row.first } else { &row.again };
    for operation in &shown.operations {
        let name = flow(&operation.operation)?;
        match (row.verdict, operation.outcome) {
            // What a sound row came to is what must be again.
            (RowVerdict::Sound, Outcome::Uncertain) => {}
            (RowVerdict::Sound, outcome) => {
                let _ = writeln!(text, "  - outcome: {{operation: {name}, is: {}}}", outcome.name());
            }
            (_, Outcome::Duplicated | Outcome::Mismatched) => {
                let outcome = operation.outcome.name();
                let _ = writeln!(text, "  - not: {{outcome: {{operation: {name}, is: {outcome}}}}}");
            }
            _ => {}
        }
    }
    let folder = format!("cases/{}", row.risk);
    let copies = table.files.iter().map(|(name, path)| (path.clone(), format!("{folder}/{id}{FILES}/{name}")));
    Ok(KeptRow { path: format!("{folder}/{id}.yaml"), copies: copies.collect(), id, text })
}

/// The risk under which a change of the connector finds a row whose set lies in the answer: what a call that fails in the middle comes to, or
/// what is done on the word of an answer that gives orders.
fn further_risk(row: &RowResult) -> &'static str {
    match row.risk.as_str() {
        _ if row.faults.is_empty() => "",
        risk if CALL_RISKS.contains(&risk) => "",
        "injected_instructions" => "risks: [action]\n",
        _ => "risks: [partial_failure]\n",
    }
}

/// A value in YAML's flow style, of which JSON is a part.
fn flow(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(value)
}

fn title(table: &ExerciseTable, row: &RowResult) -> String {
    match row.faults.as_slice() {
        [] => format!("A second run of {} adds nothing", table.workflow),
        faults => {
            let faults: Vec<String> = faults
                .iter()
                .map(|fault| format!("{} at {}/{}", fault.fault.name(), fault.connector, fault.operation))
                .collect();
            format!("{} keeps its contracts under {}", table.workflow, faults.join(" and "))
        }
    }
}
