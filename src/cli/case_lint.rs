//! `holdpoint case lint`: cases that are in order and show less than they seem to.

use crate::domain::{CaseId, ExitCode, counted};
use crate::pipeline::{self, CaseLint};

use super::Context;
use super::arguments::CaseLintArguments;
use super::console::{FAINT, GOOD, WARN, paint};
use super::documents::{CASE_LINT_SCHEMA, CaseLintDocument};
use super::failure::Failure;

/// What to do about each finding, by its field in the document.
const TO_DO: [(&str, &str); 5] = [
    (
        "passed_by_nothing",
        "Expect what only a workflow that works can show: words of the answer, an `outcome`, `effects` with a count.",
    ),
    (
        "cannot_fail",
        "Expect more, or more exactly: `holdpoint run CASE --mutate` names each damage that nobody noticed.",
    ),
    (
        "any_words_pass",
        "Expect words that only the right answer has: another case's answer, or the opposite, passes as well.",
    ),
    ("near_copies", "Take one away, or let each ask what the other does not."),
    (
        "never_selected",
        "Move it to a set that a rule names (`holdpoint rules`), correct its `sources`, or mark it `always: true`.",
    ),
];

pub(super) fn run(context: &Context, arguments: &CaseLintArguments) -> Result<ExitCode, Failure> {
    let (project, lint) = pipeline::lint_cases(&context.project_root, &context.environment)?;
    let code = if lint.is_clean() { ExitCode::Passed } else { ExitCode::Inconclusive };
    if arguments.json {
        let found = serde_json::to_value(&lint).map_err(std::io::Error::from)?;
        let found = |field: &str| found[field].as_array().is_some_and(|cases| !cases.is_empty());
        let to_do = TO_DO.into_iter().filter(|(field, _)| found(field)).collect();
        context.console.json(&CaseLintDocument { lint: &lint, schema: CASE_LINT_SCHEMA, to_do })?;
        return Ok(code);
    }
    let of = |cases: &[CaseId]| {
        let line = |id: &CaseId| {
            project.cases.get(id).map_or_else(|| id.to_string(), |case| format!("{id}  {}", paint(FAINT, &case.path)))
        };
        cases.iter().map(line).collect::<Vec<_>>()
    };
    let say = |field: &str, title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            context.console.say(paint(WARN, format!("{title} ({})", lines.len())));
            lines.iter().for_each(|line| context.console.say(format!("  {line}")));
            let to_do = TO_DO.into_iter().find(|(of, _)| *of == field).map_or("", |(_, what)| what);
            context.console.say(format!("  {}", paint(FAINT, to_do)));
        }
    };
    say("passed_by_nothing", "Passed by a workflow that does nothing", of(&lint.passed_by_nothing));
    say("cannot_fail", "No damage to what was observed makes them fail", of(&lint.cannot_fail));
    say("any_words_pass", "Whatever is answered passes, as long as it is anything", of(&lint.any_words_pass));
    let copy =
        |pair: &pipeline::NearCopy| format!("{} and {}, {:.0} % alike", pair.case, pair.other, 100.0 * pair.alike);
    say("near_copies", "Near copies of each other", lint.near_copies.iter().map(copy).collect());
    say("never_selected", "No change of a part would run them", of(&lint.never_selected));
    summary(context, &lint, project.cases.len());
    Ok(code)
}

fn summary(context: &Context, lint: &CaseLint, cases: usize) {
    if lint.is_clean() {
        context.console.say(format!("{}: {}", paint(GOOD, "nothing found"), counted(cases, "case")));
    }
    if !lint.never_ran.is_empty() {
        context.console.remark(format!(
            "{} never ran here as {}, so nothing could be damaged: `holdpoint run --all` first.",
            counted(lint.never_ran.len(), "case"),
            as_it_stands(lint.never_ran.len())
        ));
    }
    let failed = lint.untried.len() - lint.never_ran.len();
    if failed > 0 {
        context.console.remark(format!(
            "{} ran here as {} and did not pass, so nothing could be damaged: `holdpoint report latest` says why.",
            counted(failed, "case"),
            as_it_stands(failed)
        ));
    }
    if !lint.not_judged.is_empty() {
        context.console.remark(format!(
            "Nothing could be damaged in {}: a program judges, or it only forbids, and neither can be asked about what never happened.",
            counted(lint.not_judged.len(), "case")
        ));
    }
}

fn as_it_stands(cases: usize) -> &'static str {
    if cases == 1 { "it stands now" } else { "they stand now" }
}
