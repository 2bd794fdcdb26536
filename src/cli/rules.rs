//! `holdpoint rules`: which change puts what at risk.

use serde_json::json;

use crate::domain::{ExitCode, Risk};
use crate::pipeline::{self, ExplainedClaim, ExplainedPath};
use crate::selection::{RuleRow, rule_rows};

use super::Context;
use super::arguments::RulesArguments;
use super::console::{FAINT, STRONG, paint};
use super::failure::Failure;

pub(super) fn run(context: &Context, arguments: &RulesArguments) -> Result<ExitCode, Failure> {
    if !arguments.explain.is_empty() {
        return explain(context, arguments);
    }
    // Outside a project the built-in rules are all there are.
    let project = pipeline::check(&context.project_root, &context.environment).ok();
    let risks = project.map(|(project, _)| project.file.risks).unwrap_or_default();
    let rows = rule_rows(&risks);
    if arguments.json {
        let rows: Vec<_> = rows.iter().map(as_json).collect();
        context.console.json(&json!({"schema": "holdpoint.rules/1", "rules": rows}))?;
        return Ok(ExitCode::Passed);
    }
    for row in &rows {
        context.console.say(format!("{}  {}", paint(STRONG, format!("{:<13}", row.change.name())), row.sentence));
        if !row.risks.is_empty() {
            let names: Vec<&str> = row.risks.iter().map(Risk::as_str).collect();
            context.console.say(format!("{:15}{}", "", paint(FAINT, names.join(", "))));
        }
    }
    Ok(ExitCode::Passed)
}

fn explain(context: &Context, arguments: &RulesArguments) -> Result<ExitCode, Failure> {
    super::check::require_project_file(context)?;
    let paths = pipeline::explain_paths(&context.project_root, &context.environment, &arguments.explain)?;
    if arguments.json {
        let paths: Vec<_> = paths.iter().map(explained).collect();
        context.console.json(&json!({"schema": "holdpoint.rules/1", "paths": paths}))?;
        return Ok(ExitCode::Passed);
    }
    for path in &paths {
        let missing = if path.exists { "" } else { " (nothing stands there now)" };
        context.console.say(format!("{}{}", paint(STRONG, &path.path), paint(FAINT, missing)));
        for ExplainedClaim { claim, rule } in &path.claims {
            context.console.say(format!("  {}", claim.by));
            let Some(rule) = rule else { continue };
            let risks: Vec<&str> = rule.risks.iter().map(Risk::as_str).collect();
            let at_stake = if risks.is_empty() { String::new() } else { format!(", at stake: {}", risks.join(", ")) };
            let what = format!("a change of {}: runs {}{at_stake}", rule.change.name(), rule.scope.phrase());
            context.console.say(format!("    {}", paint(FAINT, what)));
        }
    }
    Ok(ExitCode::Passed)
}

fn explained(path: &ExplainedPath) -> serde_json::Value {
    let claim = |ExplainedClaim { claim, rule }: &ExplainedClaim| {
        json!({
            "by": claim.by,
            "change": claim.change.map(|change| change.name()),
            "rule": rule.as_ref().map(as_json),
        })
    };
    json!({"path": path.path, "exists": path.exists, "claims": path.claims.iter().map(claim).collect::<Vec<_>>()})
}

fn as_json(row: &RuleRow) -> serde_json::Value {
    json!({
        "change": row.change.name(),
        "risks": row.risks,
        "scope": row.scope.phrase(),
        "sentence": row.sentence,
    })
}
