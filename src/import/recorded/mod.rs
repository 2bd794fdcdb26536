//! A case begun from what was recorded: of a trial in a run, or of an incident. What was seen stands in it as lines to confirm, and
//! never as what must hold: what was seen may be what is wrong. Pure.

mod incident;
mod seen;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::domain::{CaseId, RunId};
use crate::grading::GradedTrial;
use crate::manifest::{
    Case, REDACTED, conceal_json, conceal_text, schema_line, without_cut_words, yaml_quoted, yaml_word,
};

use super::case_draft::one_line;
use super::written::{flow, yaml};

pub use incident::{IncidentGround, concerned_case, of_incident, risk_of};
use seen::{Line, lines_of_trial};

/// Longest text of a comment, in characters.
const SHOWN: usize = 300;

/// How the line begins that still asserts nothing.
pub const EXPECT: &str = "expect: []";

/// What a case is made of that comes from a trial.
#[derive(Clone, Copy, Debug)]
pub struct TrialGround<'a> {
    /// The new case's id.
    pub id: &'a CaseId,
    /// The folder that it will lie in, which fixtures are named from.
    pub folder: &'a str,
    /// The run.
    pub run: &'a RunId,
    /// The form of the case that ran.
    pub case: &'a Case,
    /// Its input and what it expects, without secrets.
    pub input: &'a Value,
    /// Each expectation, without secrets.
    pub expect: &'a [Value],
    /// The trial, as it was recorded.
    pub trial: &'a GradedTrial,
    /// What else is to be said at the top, a sentence each.
    pub remarks: &'a [String],
}

/// The text of a case that asks again what a trial asked, with what was seen as lines to confirm.
pub fn of_trial(ground: &TrialGround<'_>) -> String {
    let TrialGround { id, run, case, trial, .. } = ground;
    let observation = &trial.observation;
    let from = format!(
        "From run {run}, case {}, trial {}, which ended as {}. The input, the steps and the faults are those of the case that ran.",
        case.id,
        observation.trial,
        trial.status.name()
    );
    let mut text = format!("id: {}\n", yaml_word(id.as_str()));
    text.push_str("# One sentence that says what holds when the case passes.\n");
    text.push_str(&format!("title: {}\n", yaml_quoted(&format!("What must hold where {} was asked", case.id))));
    text.push_str(&format!("workflow: {}\n", yaml_word(case.workflow.as_str())));
    let further: Vec<&str> = case.risks.iter().filter(|risk| **risk != case.set).map(|risk| risk.as_str()).collect();
    if !further.is_empty() {
        text.push_str(&yaml("risks", &json!(further), 0));
    }
    if !case.sources.is_empty() {
        text.push_str(&yaml("sources", &json!(case.sources), 0));
    }
    let mut asked = yaml("input", &conceal_json(ground.input), 0);
    if let Some(now) = &case.now {
        asked.push_str(&yaml("now", &json!(now), 0));
    }
    fixtures(ground, &mut asked);
    if case.steps.len() > 1 {
        asked.push_str(&yaml("steps", &written(&case.steps), 0));
    }
    if !case.faults.is_empty() {
        asked.push_str(&yaml("faults", &written(&case.faults), 0));
    }
    text.push_str(&asked);
    expectations(&lines_of_trial(ground), &mut text);
    headed(&[&[from], ground.remarks].concat(), &text, asked.contains(REDACTED))
}

/// The text of a case with what it begins with: the line for editors, where it comes from, and which texts were concealed. A
/// secret may have a shape that nobody knows, so that somebody must look in any case.
fn headed(remarks: &[String], text: &str, is_needed: bool) -> String {
    let mut head = schema_line("../..", "case") + "\n";
    comments(remarks, &mut head);
    let concealed = text.matches(REDACTED).count();
    let replaced = match concealed {
        0 => "Nothing in it looks like a secret.".to_owned(),
        1 => format!("1 text that looks like a secret was replaced by {REDACTED}…]."),
        many => format!("{many} texts that look like secrets were replaced by {REDACTED}…]."),
    };
    let mut about = vec![format!("{replaced} Look it over before you share it: a secret can look like anything.")];
    if is_needed {
        about.push("What the case asks with held one of them: put a stand-in there that is no secret, or it asks something else.".to_owned());
    }
    head.extend(about.iter().map(|sentence| format!("# {sentence}\n")));
    head + text
}

fn comments(remarks: &[String], text: &mut String) {
    text.extend(remarks.iter().map(|remark| format!("# {}\n", told(remark))));
}

/// A text in a comment: without what looks like a secret, before it is cut where one could stand, and without what an earlier
/// cut may have left of one.
fn told(text: &str) -> String {
    one_line(&without_cut_words(&conceal_text(text)), SHOWN)
}

/// Files are named from the case's own folder. What stands elsewhere has to be copied by hand.
fn fixtures(ground: &TrialGround<'_>, text: &mut String) {
    let mut named = Map::new();
    for fixture in &ground.case.fixtures {
        match fixture.path.strip_prefix(ground.folder).and_then(|path| path.strip_prefix('/')) {
            Some(path) => drop(named.insert(fixture.name.clone(), json!(path))),
            None => {
                let (name, path) = (one_line(&fixture.name, SHOWN), one_line(&fixture.path, SHOWN));
                text.push_str(&format!(
                    "# Its file {name} is {path}: put a copy beside this one, and name it under `fixtures`.\n"
                ));
            }
        }
    }
    if !named.is_empty() {
        text.push_str(&yaml("fixtures", &Value::Object(named), 0));
    }
}

/// What still asserts nothing, and what it could.
fn expectations(lines: &[Line], text: &mut String) {
    text.push_str("# What must hold. Take `[]` away, and the `#` from each line that says so; what was seen is not yet what must hold.\n");
    text.push_str(EXPECT);
    text.push('\n');
    for line in lines {
        text.push_str(&match line {
            Line::Expectation { expectation, remark } => {
                format!("#  - {}  # {}\n", item(&conceal_json(&pruned(expectation))), told(remark))
            }
            Line::Remark(remark) => format!("#  {}\n", told(remark)),
        });
    }
}

/// A map of one key as an item of a list in a file has it.
fn item(value: &Value) -> String {
    match value.as_object().map(|fields| fields.iter().collect::<Vec<_>>()) {
        Some(fields) if fields.len() == 1 => format!("{}: {}", yaml_word(fields[0].0), flow(fields[0].1)),
        _ => flow(value),
    }
}

/// A list of settings as it would stand in a file: without what says nothing.
fn written(items: &[impl serde::Serialize]) -> Value {
    items.iter().map(|item| conceal_json(&pruned(&serde_json::to_value(item).unwrap_or_default()))).collect()
}

/// The value without fields that are empty or null, but for one that stands alone, such as `invoke: {}`.
pub(super) fn pruned(value: &Value) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let says_nothing = |value: &Value| match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let kept = fields.iter().filter(|(_, value)| fields.len() == 1 || !says_nothing(value));
    Value::Object(kept.map(|(key, value)| (key.clone(), pruned(value))).collect())
}
