//! `holdpoint rules`: which change puts what at risk.

use crate::domain::{ExitCode, Risk};
use crate::pipeline::{self, ExplainedClaim, ExplainedPath};
use crate::selection::{RuleRow, rule_rows};

use super::Context;
use super::arguments::RulesArguments;
use super::console::{FAINT, STRONG, paint};
use super::documents::{PathView, RULES_SCHEMA, RuleView, RulesDocument};
use super::failure::Failure;

pub(super) fn run(context: &Context, arguments: &RulesArguments) -> Result<ExitCode, Failure> {
    if !arguments.explain.is_empty() {
        return explain(context, arguments);
    }
    // Outside a project the built-in rules are all there are.
    let project = pipeline::check(&context.project_root, &context.environment).ok();
    let rows = rule_rows(project.as_ref().map(|(project, _)| &project.file));
    if arguments.json {
        let rules = rows.iter().map(RuleView::new).collect();
        context.console.json(&RulesDocument { schema: RULES_SCHEMA, rules: Some(rules), paths: None })?;
        return Ok(ExitCode::Passed);
    }
    let widest = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or_default().max(13);
    for row in &rows {
        context.console.say(format!("{}  {}", paint(STRONG, format!("{:<widest$}", name(row))), row.sentence));
        for line in risk_lines(row) {
            context.console.say(format!("{:1$}{2}", "", widest + 2, paint(FAINT, line)));
        }
    }
    context.console.say(
        "Where a case is demanded and none shows the risk, a change is uncovered and ends the gate 11; cases that show what \
         else is at stake run where there are any.",
    );
    Ok(ExitCode::Passed)
}

/// What a rule puts at stake: first that for which a case is demanded.
fn risk_lines(row: &RuleRow) -> Vec<String> {
    let names = |risks: Vec<&Risk>| risks.into_iter().map(Risk::as_str).collect::<Vec<_>>().join(", ");
    let further: Vec<&Risk> = row.risks.iter().filter(|risk| !row.demanded.contains(risk)).collect();
    let demanded =
        (!row.demanded.is_empty()).then(|| format!("demands a case: {}", names(row.demanded.iter().collect())));
    let word = if row.demanded.is_empty() { "at stake, no case demanded" } else { "also at stake" };
    let further = (!further.is_empty()).then(|| format!("{word}: {}", names(further)));
    demanded.into_iter().chain(further).collect()
}

/// What a rule takes: a kind of change, or one facet of it.
fn name(row: &RuleRow) -> String {
    match &row.facet {
        Some(facet) => format!("{} {facet}", row.change.name()),
        None => row.change.name().to_owned(),
    }
}

fn explain(context: &Context, arguments: &RulesArguments) -> Result<ExitCode, Failure> {
    super::check::require_project_file(context)?;
    let paths = pipeline::explain_paths(&context.project_root, &context.environment, &arguments.explain)?;
    // What can be said of the others is said.
    let outside: Vec<&str> = paths.iter().filter(|path| path.outside).map(|path| path.path.as_str()).collect();
    let code = if outside.is_empty() { ExitCode::Passed } else { ExitCode::Usage };
    if arguments.json {
        let paths = paths.iter().map(PathView::new).collect();
        context.console.json(&RulesDocument { schema: RULES_SCHEMA, rules: None, paths: Some(paths) })?;
        return Ok(code);
    }
    for path in &paths {
        let missing = match path {
            ExplainedPath { outside: true, .. } => " lies outside of the project's folder: no rule speaks of it",
            ExplainedPath { exists: false, .. } => " (nothing stands there now; if it did:)",
            _ => "",
        };
        context.console.say(format!("{}{}", paint(STRONG, &path.path), paint(FAINT, missing)));
        for ExplainedClaim { claim, rule, further } in &path.claims {
            context.console.say(format!("  {}", claim.by));
            for rule in rule.iter().chain(further) {
                let by = if rule.own { ", by a rule of the project" } else { "" };
                let what = format!("a change of {}: runs {}{by}", name(rule), rule.scope.phrase());
                context.console.say(format!("    {}", paint(FAINT, what)));
                context.console.say(format!("      {}", rule.sentence));
                for line in risk_lines(rule) {
                    context.console.say(format!("      {}", paint(FAINT, line)));
                }
            }
        }
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_demanded_stands_before_what_is_at_stake_besides() {
        let rows = rule_rows(None);
        let of = |name: &str| rows.iter().find(|row| row.change.name() == name).map(risk_lines).unwrap_or_default();
        let source = [
            "demands a case: missing_availability, policy_accuracy, source_conflict",
            "also at stake: injected_instructions",
        ];
        assert_eq!(of("source"), source);
        assert_eq!(of("permissions"), ["demands a case: access, action, injected_instructions"]);
        assert!(of("code").len() == 1 && of("code")[0].starts_with("at stake, no case demanded: access, "));
        assert!(of("inert").is_empty());
    }
}
