//! The documents that lists print with `--json`. Fields are added, never renamed or taken away.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{CaseId, Digest, Risk, RunId};
use crate::pipeline::{CaseLint, ExplainedClaim, ExplainedPath};
use crate::selection::RuleRow;
use crate::store::{PartOfRun, RunRecord};

pub(super) const RUNS_SCHEMA: &str = "holdpoint.runs/1";
pub(super) const BASELINES_SCHEMA: &str = "holdpoint.baselines/1";
pub(super) const RULES_SCHEMA: &str = "holdpoint.rules/1";
pub(super) const IMPORT_SCHEMA: &str = "holdpoint.import/1";
pub(super) const CASE_LINT_SCHEMA: &str = "holdpoint.case-lint/1";

/// The runs that were recorded on this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunsDocument {
    /// `holdpoint.runs/1`.
    pub(super) schema: &'static str,
    /// The runs, newest first.
    pub(super) runs: Vec<RunRow>,
}

/// One run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunRow {
    /// Its id.
    pub(super) run: RunId,
    /// `gate`, `run`, or another kind.
    pub(super) kind: &'static str,
    /// When it began, RFC 3339 in UTC.
    pub(super) started: String,
    /// When it ended; `null` where it was cut off.
    pub(super) finished: Option<String>,
    /// `pass`, `fail`, `inconclusive`, or `cut off`.
    pub(super) verdict: String,
    /// The exit code; `null` where it was cut off.
    pub(super) exit_code: Option<u8>,
    /// How many trials are on record.
    pub(super) trials: usize,
    /// How many trials were in flight on targets that outlive them when the run was cut off, and wait for a person.
    pub(super) held: usize,
    /// Which part of a run it is, where it is not a whole one.
    pub(super) part: Option<PartOfRun>,
    /// The runs that it was put together from.
    pub(super) merged_from: Vec<RunId>,
}

impl RunRow {
    pub(super) fn new(record: &RunRecord, held: usize) -> Self {
        let (header, summary) = (&record.header, record.summary.as_ref());
        Self {
            run: header.run.clone(),
            kind: header.kind.name(),
            started: header.started.clone(),
            finished: summary.map(|summary| summary.finished.clone()),
            verdict: summary.map_or_else(|| "cut off".to_owned(), |summary| summary.verdict.clone()),
            exit_code: summary.map(|summary| summary.exit_code),
            trials: record.trials.len(),
            held,
            part: header.part.clone(),
            merged_from: header.merged_from.clone(),
        }
    }
}

/// The acceptances.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BaselinesDocument {
    /// `holdpoint.baselines/1`.
    pub(super) schema: &'static str,
    /// The records that no other follows.
    pub(super) heads: Vec<Digest>,
    /// What two branches accepted differently, and no later acceptance joins.
    pub(super) disputed: Vec<String>,
    /// The records, newest first.
    pub(super) records: Vec<BaselineRow>,
}

/// One acceptance.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BaselineRow {
    /// The digest of its record.
    pub(super) digest: Digest,
    /// The records that it follows.
    pub(super) parents: Vec<Digest>,
    /// When, RFC 3339 in UTC.
    pub(super) accepted: String,
    /// Who.
    pub(super) by: String,
    /// Why.
    pub(super) reason: String,
    /// The run whose results were accepted.
    pub(super) run: RunId,
    /// How many results.
    pub(super) cases: usize,
    /// The cases that it takes out.
    pub(super) removed: Vec<CaseId>,
}

/// The rules, or what they say of paths.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RulesDocument {
    /// `holdpoint.rules/1`.
    pub(super) schema: &'static str,
    /// Every rule; not with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rules: Option<Vec<RuleView>>,
    /// The paths that `--explain` names; with it alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paths: Option<Vec<PathView>>,
}

/// One rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RuleView {
    /// The kind of change.
    change: String,
    /// The facet that it takes; every change of the kind where there is none.
    facet: Option<String>,
    /// Whether the project says it.
    own: bool,
    /// The risks that it puts at stake.
    risks: Vec<Risk>,
    /// Those for which a case is demanded.
    demanded: Vec<Risk>,
    /// Whose cases it reaches, as a phrase.
    scope: &'static str,
    /// Why it is so.
    sentence: String,
}

/// One path.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PathView {
    /// The path, relative to the project's folder.
    path: String,
    /// Whether anything stands there now. What is said of a path where nothing stands holds as soon as something does.
    exists: bool,
    /// Whether it lies outside of the project's folder, so that no rule speaks of it.
    outside: bool,
    /// Who knows it.
    claims: Vec<ClaimView>,
}

/// One who knows a path.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClaimView {
    /// Who.
    by: String,
    /// What kind of change a change of the path is.
    change: Option<String>,
    /// The rule for it.
    rule: Option<RuleView>,
    /// Further rules that take it.
    further: Vec<RuleView>,
}

impl RuleView {
    pub(super) fn new(row: &RuleRow) -> Self {
        Self {
            change: row.change.name().to_owned(),
            facet: row.facet.clone(),
            own: row.own,
            risks: row.risks.clone(),
            demanded: row.demanded.clone(),
            scope: row.scope.phrase(),
            sentence: row.sentence.clone(),
        }
    }
}

impl PathView {
    pub(super) fn new(path: &ExplainedPath) -> Self {
        let claim = |ExplainedClaim { claim, rule, further }: &ExplainedClaim| ClaimView {
            by: claim.by.clone(),
            change: claim.change.as_ref().map(|change| change.name().to_owned()),
            rule: rule.as_ref().map(RuleView::new),
            further: further.iter().map(RuleView::new).collect(),
        };
        Self {
            path: path.path.clone(),
            exists: path.exists,
            outside: path.outside,
            claims: path.claims.iter().map(claim).collect(),
        }
    }
}

/// What came of an import.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ImportDocument {
    /// `holdpoint.import/1`.
    pub(super) schema: &'static str,
    /// The name of the file.
    pub(super) from: String,
    /// The run as which a log was recorded.
    pub(super) run: Option<String>,
    /// How much.
    pub(super) counts: ImportCounts,
    /// What was changed or left behind, each with its place.
    pub(super) notes: Vec<ImportNote>,
    /// The files that were written, or would be.
    pub(super) written: Vec<String>,
    /// The files that were there already, just so.
    pub(super) there: Vec<String>,
    /// The files that were there with another content, and were left as they are.
    pub(super) kept: Vec<String>,
}

/// How much an import brought.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ImportCounts {
    /// Tests, samples or records that were found.
    pub(super) found: usize,
    /// Cases, trials or operations that came of them.
    pub(super) brought: usize,
    /// Expectations.
    pub(super) expectations: usize,
    /// Expectations that fail until somebody writes them.
    pub(super) placeholders: usize,
    /// Tests, files of tests, prompts and lines that should have come to cases, and did not: then the command ends 11.
    pub(super) left: usize,
}

/// What became of one thing.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ImportNote {
    /// What became of it.
    pub(super) kind: &'static str,
    /// The file.
    pub(super) path: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub(super) line: usize,
    /// What it is.
    pub(super) what: String,
    /// Why.
    pub(super) why: String,
}

/// What is wrong with cases that are in order.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CaseLintDocument<'a> {
    /// What was found.
    #[serde(flatten)]
    pub(super) lint: &'a CaseLint,
    /// `holdpoint.case-lint/1`.
    pub(super) schema: &'static str,
    /// What to do about each kind of finding that there is, by its field.
    pub(super) to_do: BTreeMap<&'static str, &'static str>,
}
