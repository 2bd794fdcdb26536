//! What can be said of an import.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// The formats.
#[derive(Debug, Subcommand)]
pub(super) enum ImportCommand {
    /// A promptfoo configuration (YAML or JSON) with the files of tests and prompts that it names: cases, prompts, workflows.
    Promptfoo(CasesArguments),
    /// Samples of OpenAI's evals (JSON lines of `input` and `ideal`): cases.
    OpenaiEvals {
        #[command(flatten)]
        cases: CasesArguments,
        /// How `ideal` is held against the answer.
        #[arg(long = "match", value_enum, default_value = "includes", value_name = "HOW")]
        by: MatchWord,
    },
    /// A CSV file: each row a case, each column a field of its input.
    Csv(TableArguments),
    /// JSON lines: each line a case, each key a field of its input.
    Jsonl(TableArguments),
    /// An Inspect log (.eval): a run that can be compared, and never accepted.
    Inspect(InspectArguments),
    /// OpenTelemetry spans (OTLP in JSON): an operation ledger for the papers.
    Otel(LedgerArguments),
    /// A plain ledger of operations (JSON lines): an operation ledger for the papers.
    Ledger(LedgerArguments),
}

impl ImportCommand {
    /// Whether one JSON document was asked for.
    pub(super) fn wants_json(&self) -> bool {
        match self {
            Self::Promptfoo(cases) | Self::OpenaiEvals { cases, .. } => cases.json,
            Self::Csv(table) | Self::Jsonl(table) => table.cases.json,
            Self::Inspect(arguments) => arguments.json,
            Self::Otel(arguments) | Self::Ledger(arguments) => arguments.json,
        }
    }
}

/// How an expected text is held against the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MatchWord {
    /// The answer contains it.
    Includes,
    /// The answer contains it, whatever the letter case.
    IncludesAnyCase,
    /// The answer is it.
    Exact,
}

/// An import of cases.
#[derive(Debug, Args)]
pub(super) struct CasesArguments {
    /// The file.
    pub(super) file: PathBuf,
    /// The project's folder that the cases go to; by default the one of `--project`.
    #[arg(long, value_name = "DIR")]
    pub(super) into: Option<PathBuf>,
    /// The set that the cases go to.
    #[arg(long, value_name = "RISK", default_value = "policy_accuracy")]
    pub(super) set: String,
    /// The workflow of the project that all cases run against.
    #[arg(long, value_name = "NAME")]
    pub(super) workflow: Option<String>,
    /// Say what would be written, and write nothing; with `-v` the files themselves.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print what came of it as one JSON document (holdpoint.import/1).
    #[arg(long)]
    pub(super) json: bool,
}

/// An import of a table.
#[derive(Debug, Args)]
pub(super) struct TableArguments {
    #[command(flatten)]
    pub(super) cases: CasesArguments,
    /// The column of what is expected.
    #[arg(long, value_name = "COLUMN")]
    pub(super) expect: Option<String>,
    /// How it is held against the answer.
    #[arg(long = "match", value_enum, default_value = "includes", value_name = "HOW")]
    pub(super) by: MatchWord,
    /// The column of the case's id; by default ids are made of the row's content.
    #[arg(long, value_name = "COLUMN")]
    pub(super) id: Option<String>,
}

/// A score that others can be held against: nothing is at least `nan`, and an infinite one would pass everything or nothing.
fn score(text: &str) -> Result<f64, String> {
    let score = text.parse::<f64>().map_err(|_| "it is no number; write it as in 0.5".to_owned())?;
    if score.is_finite() { Ok(score) } else { Err("it must be a finite number, as in 0.5".to_owned()) }
}

/// An import of a run.
#[derive(Debug, Args)]
pub(super) struct InspectArguments {
    /// The log.
    pub(super) file: PathBuf,
    /// The least score that is a pass: C is 1, P is 0.5, I and N are 0.
    #[arg(long, value_name = "SCORE", default_value = "1", value_parser = score)]
    pub(super) pass_at: f64,
    /// The set that the cases stand in.
    #[arg(long, value_name = "RISK", default_value = "policy_accuracy")]
    pub(super) set: String,
    /// Say what would be recorded, and record nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print what came of it as one JSON document (holdpoint.import/1).
    #[arg(long)]
    pub(super) json: bool,
}

/// An import of a ledger.
#[derive(Debug, Args)]
pub(super) struct LedgerArguments {
    /// The file.
    pub(super) file: PathBuf,
    /// The folder below which `reports/imported/` gets the ledger; by default the one of `--project`.
    #[arg(long, value_name = "DIR")]
    pub(super) into: Option<PathBuf>,
    /// Say what would be written, and write nothing; with `-v` the ledger itself.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print what came of it as one JSON document (holdpoint.import/1).
    #[arg(long)]
    pub(super) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_that_nothing_can_be_held_against_is_refused() {
        assert_eq!((score("0.5"), score("1"), score("-1")), (Ok(0.5), Ok(1.0), Ok(-1.0)));
        for text in ["nan", "NaN", "inf", "-inf", "infinity", "1e999", "C", ""] {
            assert!(score(text).is_err(), "{text}");
        }
    }
}
