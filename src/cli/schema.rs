//! `holdpoint schema`: the JSON Schema that files are held against, for editors and for reading.

use std::path::Path;

use serde_json::Value;

use crate::baseline::{KeptPart, RECORD_SCHEMA, Record};
use crate::domain::{ExitCode, some_of};
use crate::manifest::{FileKind, json_schema};
use crate::operations::{EvaluationPlan, FailureTable, Handover, Incident, Scorecard, ledger_schema};
use crate::pipeline::{self, Renewal};
use crate::report::{
    AUDIT_SCHEMA, AuditDocument, MUTATION_SCHEMA, MutationDocument, cases_schema, compare_schema, document_schema,
    exercise_schema, plan_schema, report_schema,
};
use crate::store::{DURATIONS, Durations, Pause};

use super::Context;
use super::arguments::SchemaArguments;
use super::documents::{
    BASELINES_SCHEMA, BaselinesDocument, CASE_LINT_SCHEMA, CaseLintDocument, IMPORT_SCHEMA, ImportDocument,
    RULES_SCHEMA, RUNS_SCHEMA, RulesDocument, RunsDocument,
};
use super::error_document::{ERROR_SCHEMA, ErrorDocument};
use super::failure::Failure;

/// A kind of document that is no file of a project which people write: its name, what it is, and its schema.
struct Other {
    name: &'static str,
    what: &'static str,
    schema: fn() -> Value,
}

const fn other(name: &'static str, what: &'static str, schema: fn() -> Value) -> Other {
    Other { name, what, schema }
}

/// An operation ledger, which workflows write, and what holdpoint itself writes.
const OTHERS: [Other; 23] = [
    other("ledger", "a line of an operation ledger, as a workflow writes it", ledger_schema),
    other("report", "report.json, and run, gate, merge --json", report_schema),
    other("plan", "plan --json", plan_schema),
    other("compare", "compare --json", compare_schema),
    other("exercise", "exercise.json, and exercise --json", exercise_schema),
    other("mutation", "mutation.json of a run with --mutate", || document_schema::<MutationDocument>(MUTATION_SCHEMA)),
    other("audit", "plan --audit --json", || document_schema::<AuditDocument>(AUDIT_SCHEMA)),
    other("cases", "case list --json", cases_schema),
    other("case-lint", "case lint --json", || document_schema::<CaseLintDocument<'_>>(CASE_LINT_SCHEMA)),
    other("rules", "rules --json", || document_schema::<RulesDocument>(RULES_SCHEMA)),
    other("import", "import --json", || document_schema::<ImportDocument>(IMPORT_SCHEMA)),
    other("runs", "runs --json", || document_schema::<RunsDocument>(RUNS_SCHEMA)),
    other("durations", "runs --durations, and the file for --durations", || document_schema::<Durations>(DURATIONS)),
    other("baselines", "baseline list --json", || document_schema::<BaselinesDocument>(BASELINES_SCHEMA)),
    other("baseline", "a record in baselines/", record_schema),
    other("baseline-part", "a part as a record holds it, in baselines/parts/", || {
        document_schema::<KeptPart>("holdpoint baseline part")
    }),
    other("scorecard", "scorecard --json", || document_schema::<Scorecard>("holdpoint.scorecard/1")),
    other("failures", "failures --json", || document_schema::<FailureTable>("holdpoint.failures/1")),
    other("incident", "incident --json, the paper that a case can be made of", || {
        document_schema::<Incident>("holdpoint.incident/1")
    }),
    other("handover", "handover --json", || document_schema::<Handover>("holdpoint.handover/1")),
    other("evaluation-plan", "evaluation-plan --json", || {
        document_schema::<EvaluationPlan>("holdpoint.evaluation-plan/1")
    }),
    other("pause", "the file that pauses a project", || document_schema::<Pause>("holdpoint pause")),
    other("error", "what --json prints where a command ends without its document", || {
        document_schema::<ErrorDocument<'_>>(ERROR_SCHEMA)
    }),
];

/// Records of every format that was ever written are read.
fn record_schema() -> Value {
    let mut schema = document_schema::<Record>(RECORD_SCHEMA);
    if let Some(field) = schema.pointer_mut("/properties/schema").and_then(Value::as_object_mut) {
        field.remove("const");
        field.insert("enum".to_owned(), crate::baseline::READ_SCHEMAS.into());
    }
    schema
}

/// Every kind of which there is a schema whatever the project, with what it is.
pub(super) fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    let what = |kind: &FileKind| match kind {
        FileKind::Project => "holdpoint.yaml",
        FileKind::Case => "a case in cases/",
        FileKind::Manifest(_) => "a manifest in manifests/",
    };
    let files = FileKind::ALL.iter().map(move |kind| (kind.name(), what(kind)));
    files.chain(OTHERS.iter().map(|other| (other.name, other.what)))
}

/// Lays the schemas down to which the first lines of new files lead; a fresh checkout may have none yet.
pub(super) fn lay_down(context: &Context, project_root: &Path) -> Result<(), Failure> {
    let written = pipeline::write_schemas(project_root, Renewal::Keep)?;
    if !written.left.is_empty() {
        let option = pipeline::project_option(context.named_folder.as_deref());
        context.console.remark(format!(
            "{} stood there already and is as it was; `holdpoint{option} schema --write` renews what another version wrote",
            some_of(written.left, 2)
        ));
    }
    Ok(())
}

pub(super) fn run(context: &Context, arguments: &SchemaArguments) -> Result<ExitCode, Failure> {
    if arguments.write {
        super::check::require_project_file(context)?;
        let written = pipeline::write_schemas(&context.project_root, Renewal::Renew)?;
        if !written.left.is_empty() {
            let text = format!("{} is no schema that holdpoint wrote, and was left as it is", written.left.join(", "));
            let hint = "Put it elsewhere: editors look there for the schema of the project's files.".to_owned();
            return Err(Failure::Other { code: ExitCode::Usage, text, hint: Some(hint) });
        }
        context.console.say(written.folder.display().to_string());
        return Ok(ExitCode::Passed);
    }
    let own = pipeline::own_kind_schemas(&context.project_root);
    let Some(wanted) = &arguments.kind else {
        let built_in = FileKind::ALL.iter().map(FileKind::name);
        let others = OTHERS.iter().map(|other| other.name);
        built_in.chain(own.keys().map(String::as_str)).chain(others).for_each(|name| context.console.say(name));
        return Ok(ExitCode::Passed);
    };
    if let Some(other) = OTHERS.iter().find(|other| other.name == wanted) {
        context.console.json(&(other.schema)())?;
    } else if let Some(schema) = own.get(wanted) {
        context.console.json(schema)?;
    } else if let Some(kind) = FileKind::ALL.into_iter().find(|kind| kind.name() == wanted) {
        context.console.json(json_schema(kind))?;
    } else {
        let names: Vec<&str> = kinds().map(|(name, _)| name).chain(own.keys().map(String::as_str)).collect();
        let text = format!("there is no kind of file called `{}`", wanted.escape_debug());
        return Err(Failure::unknown(text, wanted, &names, format!("There are {}.", names.join(", "))));
    }
    Ok(ExitCode::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_that_are_offered_are_those_of_which_there_is_a_schema() {
        let offered: Vec<&str> = kinds().map(|(name, _)| name).collect();
        let mut there: Vec<String> = FileKind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
        there.extend(OTHERS.iter().map(|other| other.name.to_owned()));
        assert_eq!(offered, there);
    }

    #[test]
    fn every_schema_of_a_document_is_one_and_says_what_each_field_is() {
        fn look(value: &Value, at: &str, bare: &mut Vec<String>) {
            let Value::Object(fields) = value else { return };
            for (key, value) in fields {
                let at = format!("{at}/{key}");
                if key == "properties" {
                    let keys = value.as_object().into_iter().flatten();
                    // A field that holds a type alone is described by its type.
                    let bare_ones =
                        keys.filter(|(_, field)| field.get("description").is_none() && field.get("$ref").is_none());
                    bare.extend(bare_ones.map(|(key, _)| format!("{at}/{key}")));
                }
                look(value, &at, bare);
            }
        }
        for other in &OTHERS {
            let schema = (other.schema)();
            assert!(jsonschema::meta::is_valid(&schema), "{}", other.name);
            let mut bare = Vec::new();
            look(&schema, other.name, &mut bare);
            bare.retain(|at| !at.ends_with("/kind") && !at.ends_with("/from"));
            assert_eq!(bare, [""; 0]);
        }
    }
}
