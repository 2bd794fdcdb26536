//! `holdpoint rules`: which change puts what at risk.

use serde_json::json;

use crate::domain::{ExitCode, Risk};
use crate::pipeline;
use crate::selection::{RuleRow, rule_rows};

use super::Context;
use super::arguments::RulesArguments;
use super::console::{FAINT, STRONG, paint};
use super::failure::Failure;

pub(super) fn run(context: &Context, arguments: &RulesArguments) -> Result<ExitCode, Failure> {
    // Outside a project the built-in rules are all there are.
    let project = pipeline::check(&context.project_root, &context.environment).ok();
    let risks = project.map(|(project, _)| project.file.risks).unwrap_or_default();
    let rows = rule_rows(&risks);
    if arguments.json {
        let rows: Vec<_> = rows.iter().map(as_json).collect();
        let text = serde_json::to_string_pretty(&json!({"schema": "holdpoint.rules/1", "rules": rows}))
            .map_err(std::io::Error::from)?;
        context.console.document(&text)?;
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

fn as_json(row: &RuleRow) -> serde_json::Value {
    json!({
        "change": row.change.name(),
        "risks": row.risks,
        "scope": row.scope.phrase(),
        "sentence": row.sentence,
    })
}
