//! A case begun from an incident paper, whose run is not recorded here: what the paper says, and blanks where it says nothing.

use crate::domain::{CaseId, ClaimCheck, Outcome, Risk, WorkflowId, counted};
use crate::manifest::{conceal_text, yaml_quoted, yaml_word};
use crate::operations::{Incident, Source};

use super::seen::{Line, lines_of_operation};
use super::{comments, expectations, headed};

/// What a case is made of that comes from an incident paper alone.
#[derive(Clone, Copy, Debug)]
pub struct IncidentGround<'a> {
    /// The new case's id.
    pub id: &'a CaseId,
    /// The workflow that it runs against.
    pub workflow: &'a WorkflowId,
    /// The lines of an input that has the keys of the workflow's other cases.
    pub input: &'a [String],
    /// The paper.
    pub incident: &'a Incident,
    /// What else is to be said at the top, a sentence each.
    pub remarks: &'a [String],
}

/// The one case that a paper speaks of; else how many there are. It is the one that did not pass; where each did, the one whose
/// operations it tells of, or the only one.
///
/// # Errors
/// The cases, where there is not one.
pub fn concerned_case(incident: &Incident) -> Result<CaseId, Vec<CaseId>> {
    let mut cases: Vec<CaseId> = incident.fallen().into_iter().map(|(case, _)| case).collect();
    if cases.is_empty() {
        cases = incident.requested.iter().map(|requested| requested.place.case.clone()).collect();
    }
    if cases.is_empty() {
        cases = incident.cases.iter().map(|case| case.case.clone()).collect();
    }
    cases.sort_unstable();
    cases.dedup();
    match cases.as_slice() {
        [only] => Ok(only.clone()),
        _ => Err(cases),
    }
}

/// The risk under which a case for what went wrong belongs: that of the worst outcome in the paper.
pub fn risk_of(incident: &Incident) -> Risk {
    let has = |outcome: Outcome| {
        incident.by_outcome.iter().any(|group| group.outcome == outcome && !group.operations.is_empty())
    };
    let risk = match () {
        () if has(Outcome::Duplicated) => "duplicate",
        () if has(Outcome::Mismatched) => "action",
        () if has(Outcome::Uncertain) => "uncertain_outcome",
        () if has(Outcome::NotCommitted) => "partial_failure",
        () if has(Outcome::Rejected) => "access",
        // Nothing was done, so that what went wrong is the answer.
        () if incident.requested.is_empty() => "policy_accuracy",
        () => "operations",
    };
    Risk::from(risk)
}

/// The text of a case for an incident. A paper holds no inputs, so the input is a blank, and the faults that it names stand as a
/// remark: where they fell is not in it.
pub fn of_incident(ground: &IncidentGround<'_>) -> String {
    let IncidentGround { id, workflow, incident, .. } = ground;
    let from = match &incident.source {
        Source::Run { run, .. } => format!("run {run}, which is not recorded here"),
        Source::Ledger { workflow, .. } => format!("the operation ledger of {workflow}"),
    };
    let about = match incident.requested.len() {
        0 => "a case without a known operation".to_owned(),
        operations => counted(operations, "operation"),
    };
    let opening = format!("From an incident paper on {about} in {from}. What the paper does not say is blank.");
    let mut text = format!("id: {}\n", yaml_word(id.as_str()));
    text.push_str("# One sentence that says what holds when the case passes.\n");
    let intended = incident.requested.iter().find_map(|requested| requested.intended.clone());
    let intended = intended.or_else(|| incident.cases.iter().find_map(|case| case.intended.clone()));
    let title = intended.unwrap_or_else(|| "What must hold where it went wrong".to_owned());
    text.push_str(&format!("title: {}\n", yaml_quoted(&conceal_text(&title))));
    text.push_str(&format!("workflow: {}\n", yaml_word(workflow.as_str())));
    text.extend(ground.input.iter().map(|line| format!("{line}\n")));
    for attempted in incident.attempted.iter().filter(|attempted| attempted.attempts.len() > 1) {
        let tried = counted(attempted.attempts.len(), "attempt");
        comments(
            &[format!("{} saw {tried}; `steps` and `faults` can bring that about:", attempted.place.operation)],
            &mut text,
        );
        comments(&attempted.attempts.iter().map(|attempt| format!("  {attempt}")).collect::<Vec<_>>(), &mut text);
    }
    expectations(&lines(incident), &mut text);
    headed(&[&[opening][..], ground.remarks, remarks(incident).as_slice()].concat(), &text, false)
}

fn remarks(incident: &Incident) -> Vec<String> {
    let of = |what: &str, statements: &[crate::operations::Statement]| {
        statements.iter().map(|statement| format!("{what}: {}", statement.text)).collect::<Vec<_>>()
    };
    let found = incident.known.iter().chain(&incident.uncertain);
    let findings = found.map(|finding| match &finding.place {
        Some(place) => format!("{}: {}", place.operation, finding.text),
        None => finding.text.clone(),
    });
    findings.chain(of("Cause", &incident.cause)).chain(of("Change", &incident.change)).collect()
}

fn lines(incident: &Incident) -> Vec<Line> {
    let groups = incident.by_outcome.iter();
    let mut lines: Vec<Line> = groups
        .flat_map(|group| group.operations.iter().filter_map(|finding| Some((group.outcome, finding.place.as_ref()?))))
        .flat_map(|(outcome, place)| lines_of_operation(&place.operation, outcome, None, None::<ClaimCheck>))
        .collect();
    lines.push(Line::Expectation {
        expectation: serde_json::json!({"claim": "matches_evidence"}),
        remark: "Whatever comes of it, nothing is claimed that the target does not show.".to_owned(),
    });
    lines
}
