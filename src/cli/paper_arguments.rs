//! What can be said of the papers that are made from a run or a ledger.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The forms of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PaperForm {
    /// For a terminal.
    Text,
    /// Markdown.
    Markdown,
    /// One JSON document.
    Json,
}

/// How a paper is printed.
#[derive(Clone, Debug, Args)]
pub(super) struct FormArguments {
    /// The form.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: PaperForm,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
}

impl FormArguments {
    pub(super) fn wants_json(&self) -> bool {
        self.json || self.format == PaperForm::Json
    }
}

/// What a paper is made from.
#[derive(Clone, Debug, Args)]
pub(super) struct PaperArguments {
    /// The run: its id, the beginning of it, or `latest`.
    #[arg(default_value = "latest")]
    pub(super) run: String,
    /// Make it from an operation ledger (JSON Lines, `holdpoint schema ledger`) instead of a run.
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    pub(super) ledger: Option<PathBuf>,
    /// Only this operation, or the operations of this case; can be given more than once.
    #[arg(long, value_name = "ID")]
    pub(super) about: Vec<String>,
    /// Incident note and handover leave out what went as it should; take it in.
    #[arg(long)]
    pub(super) everything: bool,
    #[command(flatten)]
    pub(super) form: FormArguments,
}

#[derive(Debug, Args)]
pub(super) struct IncidentArguments {
    #[command(flatten)]
    pub(super) paper: PaperArguments,
    /// Who is answerable.
    #[arg(long, value_name = "WHO")]
    pub(super) owner: Option<String>,
    /// What keeps the damage from growing.
    #[arg(long, value_name = "TEXT")]
    pub(super) containment: Option<String>,
    /// What is looked at next, and when.
    #[arg(long, value_name = "TEXT")]
    pub(super) next_check: Option<String>,
    /// Why it happened, once that is known.
    #[arg(long, value_name = "TEXT")]
    pub(super) cause: Option<String>,
    /// The change that would prevent it or show it earlier: a commit, or another reference.
    #[arg(long, value_name = "REF")]
    pub(super) change: Option<String>,
    /// The case that verifies that change; its result is looked up in the run.
    #[arg(long, value_name = "ID")]
    pub(super) case: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct EvaluationArguments {
    /// The run whose results are filled in, where a real model was run.
    #[arg(default_value = "latest")]
    pub(super) run: String,
    #[command(flatten)]
    pub(super) form: FormArguments,
}
