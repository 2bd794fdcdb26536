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
        "Expect what only the right answer has: a sentence that has nothing to do with it, or a value far from it, passes as well.",
    ),
    ("near_copies", "Take one away, or let each ask what the other does not."),
    (
        "never_selected",
        "Move it to a set that a rule for one of its parts names (`holdpoint rules`), correct its `sources`, or mark it `always: true`.",
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
    say(
        "near_copies",
        "Near copies of each other",
        lint.near_copy_groups.iter().map(|group| alike(&lint, group)).collect(),
    );
    say("never_selected", "No change of a part would run them", of(&lint.never_selected));
    for (title, cases) in lesser(&lint) {
        let lines = of(cases);
        if !lines.is_empty() {
            context.console.say(format!("{title} ({})", lines.len()));
            lines.iter().for_each(|line| context.console.say(format!("  {line}")));
        }
    }
    summary(context, &lint, project.cases.len());
    Ok(code)
}

/// What is said and is no finding.
fn lesser(lint: &CaseLint) -> [(&'static str, &[CaseId]); 4] {
    [
        (
            "No finding: they ask for the form of the answer and nothing else, and any answer of that form passes",
            &lint.form_only,
        ),
        (
            "Not tried: no damage to what was observed concerned what they expect, so whether they can fail is not known",
            &lint.graders_untried,
        ),
        (
            "Not tried: a program judges, or it only forbids, and neither can be asked about what never happened",
            &lint.not_judged,
        ),
        (
            "No finding: no change of a part would run them, but one of the code, the project file or an unknown path does",
            &lint.run_by_code_alone,
        ),
    ]
}

/// A group of near copies in a line.
fn alike(lint: &CaseLint, group: &[CaseId]) -> String {
    let of_group = lint.near_copies.iter().filter(|pair| group.contains(&pair.case));
    let (least, most) =
        of_group.fold((1.0_f32, 0.0_f32), |(least, most), pair| (least.min(pair.alike), most.max(pair.alike)));
    let percent = |share: f32| format!("{:.0}", 100.0 * share);
    let (least, most) = (percent(least), percent(most));
    let range = if least == most { least } else { format!("{least} to {most}") };
    let ids: Vec<&str> = group.iter().map(CaseId::as_str).collect();
    format!("{}: {range} % alike", ids.join(", "))
}

fn summary(context: &Context, lint: &CaseLint, cases: usize) {
    if lint.is_clean() {
        context.console.say(nothing_found(lint, cases));
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
}

/// The line where nothing was found, with how much of that is known.
fn nothing_found(lint: &CaseLint, cases: usize) -> String {
    let (found, of) = (paint(GOOD, "nothing found"), counted(cases, "case"));
    match lint.never_ran.len() {
        0 => format!("{found}: {of}"),
        never if never == cases => {
            let (has, they) = if cases == 1 { ("it has not run", "it") } else { ("none of them has run", "they") };
            format!("{found} in what can be told without a run: {of}; {has}, so whether {they} can fail is not known")
        }
        never => format!("{found}: {of}, of which {never} never ran, so that whether those can fail is not known"),
    }
}

fn as_it_stands(cases: usize) -> &'static str {
    if cases == 1 { "it stands now" } else { "they stand now" }
}
