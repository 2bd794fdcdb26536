//! The two cases of a first project. One asks whether the workflow answers at all; the other waits for a fact that only
//! its author knows, and fails until it is there.

use crate::manifest::{PartKind, schema_line, yaml_quoted, yaml_word};

use super::adapter::NOT_JOINED;
use super::names::stem;
use super::parts::{FoundPart, Shows};

use super::{NewFile, Proposal, Start};

/// What stands in the second case until someone writes what must hold.
const UNWRITTEN: &str = "<write here what the answer must say>";

pub(super) fn cases(proposal: &Proposal<'_>, workflow: &str, parts: &[FoundPart<'_>]) -> [NewFile; 2] {
    let source = parts.iter().find(|part| matches!(part.shows, Shows::Source(_) | Shows::SourceFolder(_)));
    let forms_answers = |part: &FoundPart<'_>| matches!(part.kind(), PartKind::Model | PartKind::Prompt);
    let is_reached = source.is_some() || parts.iter().any(forms_answers);
    [answers(proposal, workflow), says_a_fact(workflow, source, is_reached)]
}

fn answers(proposal: &Proposal<'_>, workflow: &str) -> NewFile {
    let mut lines = vec![
        schema_line("../..", "case"),
        "# A case: an input, and what must hold of the answer. Its folder is the risk that it shows; its id never changes.".to_owned(),
        "id: answers-with-text".to_owned(),
        "title: The workflow answers, and with text".to_owned(),
        format!("workflow: {}", yaml_word(workflow)),
        "# Whatever the workflow takes; it finds it under `input`.".to_owned(),
        format!("input: {{question: {}}}", yaml_quoted("What can you help me with?")),
        "expect:".to_owned(),
        "  - length: {at_least: 2}".to_owned(),
        "  - not: {contains: Traceback}".to_owned(),
    ];
    if proposal.start == Start::Adapter {
        lines.push(format!(
            "  - not: {{contains: {}}}    # what the adapter says until it calls your workflow",
            yaml_quoted(NOT_JOINED)
        ));
    }
    let path = "cases/malformed_output/answers-with-text.yaml";
    NewFile::new(path, "a case: the workflow answers at all", lines.join("\n") + "\n")
}

/// `is_reached` says whether a change of some part runs the case by itself.
fn says_a_fact(workflow: &str, source: Option<&FoundPart<'_>>, is_reached: bool) -> NewFile {
    let mut lines = vec![
        schema_line("../..", "case"),
        "# It fails until you ask what your users ask, and write what must stand in the answer.".to_owned(),
        "id: says-a-fact".to_owned(),
        "title: A fact that users ask for is right".to_owned(),
        format!("workflow: {}", yaml_word(workflow)),
    ];
    let question = source.map_or_else(
        || "<a question that your users ask>".to_owned(),
        |source| format!("What does {} say?", stem(&source.from().trim_end_matches('/').replace('_', " "))),
    );
    if let Some(source) = source {
        lines.push("# A change of these sources runs the case.".to_owned());
        lines.push(format!("sources: [{}]", yaml_word(&source.id)));
    }
    if !is_reached {
        lines.push(
            "# Until the project names a model, a prompt or a source, no change of a part would run the case."
                .to_owned(),
        );
        lines.push("always: true".to_owned());
    }
    lines.push(format!("input: {{question: {}}}", yaml_quoted(&question)));
    lines.push("expect:".to_owned());
    lines.push(format!("  - contains: {}", yaml_quoted(UNWRITTEN)));
    lines.push("  # - regex: \"30 (days|calendar days)\"".to_owned());
    if let Some(source) = source {
        lines.push(format!(
            "  # - cites: {{source: {}}}       # where answers name what they rest on",
            yaml_word(&source.id)
        ));
    }
    lines.push("  # - not: {contains: 14 days}        # what was true before".to_owned());
    let path = "cases/policy_accuracy/says-a-fact.yaml";
    NewFile::new(path, "a case that waits for a fact of yours", lines.join("\n") + "\n")
}
