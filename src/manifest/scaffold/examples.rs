//! What a case for each risk could assert: lines that become expectations when their `#` is taken away.

use std::collections::BTreeMap;

use crate::domain::{Claim, Outcome};
use crate::manifest::case::Case;
use crate::manifest::case_file::FaultName;
use crate::manifest::part::{Part, PartKind};
use crate::manifest::project_file::Probe;
use crate::manifest::yaml_text::{quoted, word};

use super::super::load::{UNFILLED, placeholder};
use super::faulty::{Faulty, faulty};
use super::text::{Material, placeholder_of};

/// What the examples may name.
pub(super) struct Ground<'a> {
    part: &'a Part,
    risk: &'a str,
    /// The probes of the workflow, the one that its cases ask most often first.
    probes: Vec<(&'a str, &'a Probe)>,
    /// An operation of a connector that leaves something behind, where the runner stands in between.
    faulty: Option<Faulty<'a>>,
    /// Whether it stands in between on the wire, and not within a practice workflow.
    is_wired: bool,
    /// What stands for the operation's identity.
    operation: String,
}

impl<'a> Ground<'a> {
    /// The ground of a case.
    pub(super) fn of(material: &Material<'a>, model: Option<&Case>) -> Self {
        let spec = material.input.file.workflows.get(material.workflow);
        let names_operation =
            model.is_some_and(|case| case.input.get("operation").is_some_and(serde_json::Value::is_string));
        let is_wired = spec.is_some_and(|spec| spec.practice.is_none());
        let faulty = spec.and_then(|spec| faulty(material, spec));
        Self {
            part: material.part,
            risk: material.risk.as_str(),
            probes: probes(material),
            operation: match &faulty {
                // Seen on the way, an operation is named by what is called and by what its calls carry.
                Some(faulty) if is_wired => placeholder_of(&faulty.operation),
                _ => placeholder(if names_operation { "operation" } else { "operation's identity" }),
            },
            faulty,
            is_wired,
        }
    }
}

/// The probes that can be asked after a trial of the workflow, those that its cases ask first.
fn probes<'a>(material: &Material<'a>) -> Vec<(&'a str, &'a Probe)> {
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    for case in material.input.cases.values().filter(|case| case.workflow == *material.workflow) {
        for probe in case.probes() {
            *asked.entry(probe).or_default() += 1;
        }
    }
    let own = |probe: &Probe| probe.workflow.as_ref().is_none_or(|workflow| workflow == material.workflow);
    let times = |name: &str| asked.get(name).copied().unwrap_or_default();
    let all = material.input.file.probes.iter().filter(|(_, probe)| own(probe));
    let mut probes: Vec<(&str, &Probe)> = all.map(|(name, probe)| (name.as_str(), probe)).collect();
    probes.sort_by_key(|(name, _)| std::cmp::Reverse(times(name)));
    // Where the cases ask some probes, the others are most likely another workflow's.
    if !asked.is_empty() {
        probes.retain(|(name, probe)| times(name) > 0 || probe.workflow.is_some());
    }
    probes
}

/// One thing that a case could assert.
#[derive(Clone, Copy)]
enum Example {
    /// The answer says something.
    Says(&'static str),
    /// The answer does not say something.
    SaysNot(&'static str),
    /// What the answer quotes stands in the source.
    Cites,
    /// A value stands in the answer.
    Field(&'static str),
    /// The answer has a form.
    Form,
    /// What the evidence supports for the operation.
    Is(Outcome, &'static str),
    /// So many effects.
    Effects(usize, &'static str),
    /// Nothing is claimed that the evidence does not bear out.
    HonestClaim,
    /// The workflow says this of the operation.
    Claims(Claim, &'static str),
}

/// What fits the risk, what says most first.
fn examples(risk: &str) -> &'static [Example] {
    use Example::{Cites, Claims, Effects, Field, Form, HonestClaim, Is, Says, SaysNot};
    match risk {
        "policy_accuracy" => {
            &[Says("The figure, the date or the rule in force."), Cites, SaysNot("What held before, or never did.")]
        }
        "missing_availability" => {
            &[Says("That it is not known, and who will say."), SaysNot("The promise that nothing bears out.")]
        }
        "injected_instructions" => &[
            Says("The answer to what was really asked."),
            SaysNot("What the injected text asks for."),
            Effects(0, "Nothing was done that it asks for."),
        ],
        "malformed_output" => &[Form, Field("A value that must be there, and be right.")],
        "source_conflict" => {
            &[Says("What holds, and that the sources disagree."), Cites, SaysNot("What the weaker source says.")]
        }
        "context_boundaries" => {
            &[Says("What may be said here."), SaysNot("What belongs to someone else, or to another conversation.")]
        }
        "access" => &[
            Field("The reason of the refusal."),
            Is(Outcome::NotStarted, "Nothing was tried: it was refused before."),
            Effects(0, "The target shows nothing."),
        ],
        "action" => &[
            Is(Outcome::Committed, "Done once, for whom and as it was approved."),
            Effects(1, "The target shows one."),
            HonestClaim,
        ],
        "duplicate" => &[
            Is(Outcome::Replayed, "The second attempt got the first receipt."),
            Effects(1, "However many attempts, one job."),
            HonestClaim,
        ],
        "uncertain_outcome" => &[
            Claims(Claim::Unknown, "Without an answer nobody knows, and that is what is said."),
            Is(Outcome::Committed, "What the target really shows."),
            HonestClaim,
        ],
        "partial_failure" => &[
            Is(Outcome::NotCommitted, "The step that failed left nothing."),
            Effects(1, "What was done before it stays."),
            HonestClaim,
        ],
        "operations" => {
            &[Field("The state that the operator is told."), Effects(0, "Nothing new was begun."), HonestClaim]
        }
        _ => {
            &[Says("What the answer must say."), SaysNot("What it must not say."), Field("A value that must be right.")]
        }
    }
}

/// Lines below `expect`, each a comment.
pub(super) fn expectations(ground: &Ground<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for example in examples(ground.risk) {
        lines.extend(ground.line(*example).map(|(line, why)| format!("#  - {line}  # {why}")));
    }
    let asks = examples(ground.risk).iter().any(|example| matches!(example, Example::Effects(..)));
    match ground.probes.as_slice() {
        _ if !asks => {}
        [] => lines.push("# To count what the target shows, name a probe under `probes` in holdpoint.yaml.".to_owned()),
        [_] => {}
        [_, others @ ..] => {
            let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
            lines.push(format!("# Further probes: {}.", names.join(", ").escape_debug()));
        }
    }
    lines
}

impl Ground<'_> {
    /// The expectation and what it is for; `None` where the project has nothing to say it with.
    fn line(&self, example: Example) -> Option<(String, &'static str)> {
        let operation = quoted(&self.operation);
        Some(match example {
            Example::Says(why) => (format!("contains: {}", quoted(UNFILLED[0])), why),
            Example::SaysNot(why) => (format!("not: {{contains: {}}}", quoted(UNFILLED[1])), why),
            Example::Cites if self.part.kind == PartKind::Source => {
                let source = word(self.part.id.as_str());
                (format!("cites: {{source: {source}}}"), "Each passage that it quotes stands in the source.")
            }
            Example::Cites => return None,
            Example::Field(why) => (format!("json: {{path: $.field, equals: {}}}", quoted(UNFILLED[2])), why),
            Example::Form => (
                "json_schema: {schema: {type: object, required: [field]}}".to_owned(),
                "The whole answer, with all that others read from it.",
            ),
            Example::Is(outcome, why) => (format!("outcome: {{operation: {operation}, is: {}}}", outcome.name()), why),
            Example::Effects(count, why) => {
                let (name, probe) = self.probes.first()?;
                let column = probe.operation.as_deref();
                // A target's own rows know nothing of what the call is called.
                let identity = if self.is_wired { quoted(&placeholder("its identity")) } else { operation };
                let only = column.map(|column| format!("where: {{{}: {identity}}}, ", word(column)));
                (format!("effects: {{probe: {}, {}count: {count}}}", word(name), only.unwrap_or_default()), why)
            }
            Example::HonestClaim => {
                ("claim: matches_evidence".to_owned(), "Nothing is claimed that the target does not show.")
            }
            Example::Claims(claim, why) => (format!("claim: {{operation: {operation}, is: {}}}", claim.name()), why),
        })
    }
}

/// Commented lines with the fault that brings the risk about; none where no fault does, or none can be delivered.
pub(super) fn fault(ground: &Ground<'_>) -> Vec<String> {
    let (fault, again) = match ground.risk {
        "duplicate" => (FaultName::LostAck, true),
        "uncertain_outcome" => (FaultName::LostAck, false),
        // Only a target can fail inside itself.
        "partial_failure" if ground.is_wired => (FaultName::DropBefore, false),
        "partial_failure" => (FaultName::FailBeforeCommit, false),
        _ => return Vec::new(),
    };
    let mut lines = Vec::new();
    if again {
        lines.push("# It is invoked a second time: here the same operation is tried again.".to_owned());
        lines.extend(["#steps:", "#  - invoke: {}", "#  - invoke: {}"].map(str::to_owned));
    }
    if let Some(Faulty { part, operation, others }) = &ground.faulty {
        let (connector, operation) = (word(part.id.as_str()), word(operation));
        lines.push(
            "# What fails, and where relative to the target's commit. With this input the workflow must make the call:"
                .to_owned(),
        );
        lines.push("# a fault that never fires is an error of the trial.".to_owned());
        if !others.is_empty() {
            lines.push(format!("# Other operations of {connector}: {}.", others.join(", ").escape_debug()));
        }
        lines.push("#faults:".to_owned());
        let fault = fault.name();
        lines.push(format!("#  - {{connector: {connector}, operation: {operation}, attempt: 1, fault: {fault}}}"));
    }
    lines
}
