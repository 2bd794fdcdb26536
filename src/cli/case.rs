//! `holdpoint case`: begins a case, and says what the cases that exist would show.

use crate::domain::{CaseId, ExitCode, WorkflowId, counted};
use crate::manifest::{HeldCase, ScaffoldRequest, Skeleton};
use crate::pipeline::{self, CaseOverview};
use crate::report::{
    CASES_SCHEMA, CasesDocument, CoverageView, ListedCase, MatrixView, case_new_command, counts_by_name,
};
use crate::selection::Coverage;

use super::arguments::{CaseCommand, CaseListArguments, CaseNewArguments};
use super::console::{FAINT, WARN, paint};
use super::failure::Failure;
use super::wrap::columns;
use super::{Context, case_from, case_lint, case_matrix, check, risk_matrix, schema};

pub(super) fn run(context: &Context, command: &CaseCommand) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    match command {
        CaseCommand::New(arguments) => begin(context, arguments),
        CaseCommand::List(arguments) => list(context, arguments),
        CaseCommand::Lint(arguments) => case_lint::run(context, arguments),
    }
}

fn begin(context: &Context, arguments: &CaseNewArguments) -> Result<ExitCode, Failure> {
    let Some(shows) = &arguments.shows else { return case_from::run(context, arguments) };
    let request = ScaffoldRequest {
        shows: shows.clone(),
        id: arguments.id.as_deref().map(CaseId::from),
        workflow: arguments.workflow.as_deref().map(WorkflowId::from),
    };
    let new = pipeline::new_case(&context.project_root, &request)?;
    schema::lay_down(context, &context.project_root)?;
    announce(
        context,
        &new.skeleton,
        "It asserts nothing yet",
        "Give it a title and an input, take the `#` from the expectations that fit",
    );
    if !new.at_stake {
        context.console.remark(format!(
            "No change of {} puts {} at risk by itself: `holdpoint rules` says for what the case will run.",
            shows.part, shows.risk
        ));
    }
    Ok(ExitCode::Passed)
}

/// Says where a case was begun, and what is still to be done.
pub(super) fn announce(context: &Context, skeleton: &Skeleton, what: &str, todo: &str) {
    let named = context.named_folder.as_ref().map(|folder| std::path::Path::new(folder).join(&skeleton.path));
    let console = &context.console;
    console.say(named.map_or_else(|| skeleton.path.clone(), |path| path.display().to_string()));
    console.remark(format!(
        "{what}: `holdpoint check` refuses it at line {} until `expect` says what must hold.\n{todo}, then try it:",
        skeleton.expect_line
    ));
    let option = pipeline::project_option(context.named_folder.as_deref());
    console.remark(format!("  holdpoint{option} run {}", skeleton.id));
}

fn list(context: &Context, arguments: &CaseListArguments) -> Result<ExitCode, Failure> {
    let overview = pipeline::case_overview(&context.project_root, &context.environment)?;
    let option = pipeline::project_option(context.named_folder.as_deref());
    if arguments.json {
        context.console.json(&document(&overview, &option))?;
    } else {
        let columns = columns(std::io::stdout());
        let (table, legend) = match arguments.sets {
            true => (case_matrix::lines(&overview), Vec::new()),
            false => (risk_matrix::lines(&overview.matrix, columns), risk_matrix::legend(&overview.matrix)),
        };
        context.console.lines(&table.join("\n"));
        context.console.say("");
        let sections = [legend, gaps(&overview, &option), doing_nothing(&overview), last_results(&overview)];
        let sections: Vec<String> =
            sections.into_iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")).collect();
        context.console.prose(&sections.join("\n\n"));
    }
    Ok(ExitCode::Passed)
}

/// What changes would leave uncovered, with the commands that begin the cases.
fn gaps(overview: &CaseOverview, option: &str) -> Vec<String> {
    let gaps: Vec<&Coverage> = overview.coverage.iter().filter(|row| row.cases == 0).collect();
    if overview.project.parts.is_empty() {
        return vec!["There is no part: `manifests/` describes none, so no gap can be named.".to_owned()];
    }
    if gaps.is_empty() {
        let parts = counted(overview.project.parts.len(), "part");
        return vec![format!(
            "No gaps: whatever changes in any of {parts}, a case shows each risk that it puts at stake."
        )];
    }
    let mut lines = vec![paint(WARN, format!("Gaps ({}): a change would put at stake what no case shows", gaps.len()))];
    for gap in gaps {
        let is_used = overview.project.file.uses(&gap.part);
        let unused = if is_used { "" } else { ", which no workflow uses" };
        lines.push(format!("  {} of the {} {}{unused}", gap.risk, gap.kind, gap.part));
        lines.push(paint(FAINT, format!("    {}", case_new_command(option, &gap.part, &gap.risk))));
    }
    lines
}

/// The cases that a workflow which does nothing would pass: their passes show nothing.
fn doing_nothing(overview: &CaseOverview) -> Vec<String> {
    if overview.do_nothing.is_empty() {
        return vec!["There is no case.".to_owned()];
    }
    let cases = || overview.do_nothing.iter();
    let passed: Vec<&CaseId> = cases().filter(|(_, word)| word.passes()).map(|(case, _)| case).collect();
    let open = cases().filter(|(_, word)| word.is_open()).count();
    let open = if open == 0 {
        String::new()
    } else {
        format!(" Of {} only a judging program could say.", counted(open, "case"))
    };
    if passed.is_empty() {
        return vec![format!("No case is passed by a workflow that does nothing.{open}")];
    }
    let count = counted(passed.len(), "case");
    let mut lines =
        vec![paint(WARN, format!("Passed by a workflow that does nothing ({count}): a pass shows nothing.{open}"))];
    lines.extend(passed.into_iter().map(|case| format!("  {case}")));
    lines
}

/// How many cases ended how when they last ran here.
fn last_results(overview: &CaseOverview) -> Vec<String> {
    let tally = overview.tally();
    let mut counts: Vec<String> = tally.last.iter().map(|(status, cases)| format!("{cases} {status}")).collect();
    if tally.never_ran() > 0 {
        counts.push(format!("{} never ran", tally.never_ran()));
    }
    let counts = if counts.is_empty() { "none, there is no case".to_owned() } else { counts.join(", ") };
    vec![format!("Last results on this machine: {counts}")]
}

fn document(overview: &CaseOverview, option: &str) -> CasesDocument {
    let cases = overview.project.cases.values();
    let listed = |case: &HeldCase| {
        ListedCase::new(case, overview.last.get(&case.id).copied(), overview.do_nothing.get(&case.id).copied())
    };
    CasesDocument {
        schema: CASES_SCHEMA.to_owned(),
        cases: cases.map(listed).collect(),
        sets: overview.risks.iter().map(|risk| case_matrix::set(overview, risk)).collect(),
        coverage: overview.coverage.iter().map(|row| CoverageView::new(row, option)).collect(),
        matrix: MatrixView::all(&overview.matrix, option),
        last: counts_by_name(&overview.tally()),
    }
}
