//! What can be said of a plan, a gate, a run, and the parts of one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::domain::Digest;

use super::arguments::RISK_NAME;
use super::partition::PartitionWord;

/// A whole digest, with or without `sha256:` before it: fewer digits could be met by another record.
pub(super) fn digest(text: &str) -> Result<Digest, String> {
    let text = if text.starts_with("sha256:") { text.to_owned() } else { format!("sha256:{text}") };
    Digest::try_from(text).map_err(|error| error.to_string())
}

/// The two sides of a comparison.
#[derive(Clone, Debug, Args)]
pub(super) struct SideArguments {
    /// The revision to compare with, through its merge base with the head. By default the target branch that CI names,
    /// else the parts that the baseline recorded.
    #[arg(long, value_name = "REV")]
    pub(super) base: Option<String>,
    /// The revision to test. By default the working tree.
    #[arg(long, value_name = "REV")]
    pub(super) head: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct GateArguments {
    #[command(flatten)]
    pub(super) sides: SideArguments,
    /// Run every case, whatever changed.
    #[arg(long)]
    pub(super) all: bool,
    /// Run every case, and report what the changes would have left out and whether any of that failed.
    #[arg(long)]
    pub(super) shadow: bool,
    /// A record that must be among the accepted ones: the head that an earlier report printed. Can be given more than once.
    #[arg(long = "expect-head", value_name = "DIGEST", value_parser = digest)]
    pub(super) expected_heads: Vec<Digest>,
    #[command(flatten)]
    pub(super) effort: EffortArguments,
    #[command(flatten)]
    pub(super) partition: PartitionArguments,
    #[command(flatten)]
    pub(super) resume: ResumeArguments,
    /// Print report.json to standard output, and nothing else there.
    #[arg(long)]
    pub(super) json: bool,
}

/// A run that is done in parts.
#[derive(Clone, Debug, Args)]
pub(super) struct PartitionArguments {
    /// Run one part of several alone, as 3/8; `merge` puts them together. `auto` takes both figures from GitLab, Buildkite,
    /// CircleCI, a SLURM array, or HOLDPOINT_PARTITION_INDEX (from 0) and HOLDPOINT_PARTITION_TOTAL; `auto/8` the index
    /// alone, as for a Kubernetes Indexed Job.
    #[arg(long, value_name = "M/N")]
    pub(super) partition: Option<PartitionWord>,
    /// How to divide: by the hash of a case's id, so that a new case moves no other; or by how long cases took earlier, so that
    /// the parts take about as long.
    #[arg(long, value_enum, value_name = "HOW", requires = "partition")]
    pub(super) partition_by: Option<PartitionByWord>,
    /// The durations to divide by, as `holdpoint runs --durations` prints them; by default the records of this machine, which
    /// only parts that run on it can share.
    #[arg(long, value_name = "FILE", requires = "partition_by")]
    pub(super) durations: Option<PathBuf>,
}

/// By what a run is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PartitionByWord {
    /// By the hash of the case's id.
    Hash,
    /// By recorded durations.
    Durations,
}

#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// The parts: run folders or record files (run.sqlite) brought from other machines, folders with such below them, or ids of
    /// runs that are recorded here.
    #[arg(value_name = "PART", required = true)]
    pub(super) parts: Vec<String>,
    /// Print report.json to standard output, and nothing else there.
    #[arg(long)]
    pub(super) json: bool,
}

/// A run that goes on.
#[derive(Clone, Debug, Args)]
pub(super) struct ResumeArguments {
    /// Go on with a run that was killed, cancelled or paused: its id, the beginning of it, or `latest`. What it was asked for is
    /// on record and need not be said again; every trial that had ended counts as it was recorded.
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<String>,
    /// Let a trial of this case run anew that is held because it was in flight on a target that outlives it: say so once you
    /// have looked at that target. Can be given more than once.
    #[arg(long, value_name = "CASE", requires = "resume")]
    pub(super) rerun: Vec<String>,
}

/// How hard to work.
#[derive(Clone, Debug, Args)]
pub(super) struct EffortArguments {
    /// Trials at the same time; by default one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// At least so many trials of each case; a case that says more gets more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) trials: Option<u32>,
}

#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    #[command(flatten)]
    pub(super) sides: SideArguments,
    /// Plan for every case, whatever changed.
    #[arg(long)]
    pub(super) all: bool,
    /// Plan every commit of a stretch of history against the one before it, and say how much the selection saves and, with
    /// recorded results, what escapes it.
    #[arg(long, value_name = "FROM..TO", conflicts_with_all = ["base", "head", "all"])]
    pub(super) audit: Option<String>,
    /// Print the plan as one JSON document (holdpoint.plan/1, of an audit holdpoint.audit/1).
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The cases to run.
    #[arg(value_name = "CASE")]
    pub(super) cases: Vec<String>,
    /// Run every case of a set.
    #[arg(long = "set", value_name = "RISK", value_parser = RISK_NAME, hide_possible_values = true)]
    pub(super) sets: Vec<String>,
    /// Run every case.
    #[arg(long)]
    pub(super) all: bool,
    /// Damage each trial that passed in one place at a time (drop an effect, alter a field or an argument, flip an outcome or a
    /// claim) and grade it again. A grader that none of the damage to what it looks at makes fail is blind: the run then ends 11
    /// instead of 0. What was tried, what nobody noticed and what was left out stands in mutation.json beside the report. A judging
    /// program cannot be asked again and counts as not judged.
    #[arg(long)]
    pub(super) mutate: bool,
    #[command(flatten)]
    pub(super) effort: EffortArguments,
    #[command(flatten)]
    pub(super) partition: PartitionArguments,
    #[command(flatten)]
    pub(super) resume: ResumeArguments,
    /// Print report.json to standard output, and nothing else there.
    #[arg(long)]
    pub(super) json: bool,
}
