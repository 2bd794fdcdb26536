//! `holdpoint case lint`: cases that are in order and show less than they seem to.

use crate::domain::{CaseId, ExitCode, counted};
use crate::pipeline::{self, CaseLint};

use super::Context;
use super::arguments::CaseListArguments;
use super::console::{FAINT, GOOD, WARN, paint};
use super::failure::Failure;

pub(super) fn run(context: &Context, arguments: &CaseListArguments) -> Result<ExitCode, Failure> {
    let (project, lint) = pipeline::lint_cases(&context.project_root, &context.environment)?;
    let code = if lint.is_clean() { ExitCode::Passed } else { ExitCode::Inconclusive };
    if arguments.json {
        let mut document = serde_json::to_value(&lint).map_err(std::io::Error::from)?;
        document["schema"] = "holdpoint.case-lint/1".into();
        context.console.json(&document)?;
        return Ok(code);
    }
    let of = |cases: &[CaseId]| {
        let line = |id: &CaseId| {
            project.cases.get(id).map_or_else(|| id.to_string(), |case| format!("{id}  {}", paint(FAINT, &case.path)))
        };
        cases.iter().map(line).collect::<Vec<_>>()
    };
    let say = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            context.console.say(paint(WARN, format!("{title} ({})", lines.len())));
            lines.iter().for_each(|line| context.console.say(format!("  {line}")));
        }
    };
    say("Passed by a workflow that does nothing", of(&lint.passed_by_nothing));
    say("No damage to what was observed makes them fail", of(&lint.cannot_fail));
    let copy =
        |pair: &pipeline::NearCopy| format!("{} and {}, {:.0} % alike", pair.case, pair.other, 100.0 * pair.alike);
    say("Near copies of each other", lint.near_copies.iter().map(copy).collect());
    say("No change of a part would run them", of(&lint.never_selected));
    summary(context, &lint, project.cases.len());
    Ok(code)
}

fn summary(context: &Context, lint: &CaseLint, cases: usize) {
    if lint.is_clean() {
        context.console.say(format!("{}: {}", paint(GOOD, "nothing found"), counted(cases, "case")));
    }
    if !lint.untried.is_empty() {
        context.console.remark(format!(
            "{} did not pass here as they stand now, so nothing could be damaged: `holdpoint run --all` first.",
            counted(lint.untried.len(), "case")
        ));
    }
    if !lint.not_judged.is_empty() {
        context.console.remark(format!(
            "{} judged by a program alone, which cannot be asked about what never happened.",
            counted(lint.not_judged.len(), "case")
        ));
    }
}
