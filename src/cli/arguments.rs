//! What can be said on the command line.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::domain::{BUILT_IN_RISKS, Digest};
use crate::manifest::PartAtRisk;

use super::run_arguments::digest;

pub(super) use super::import_arguments::{
    CasesArguments, ImportCommand, InspectArguments, LedgerArguments, MatchWord, TableArguments,
};
pub(super) use super::paper_arguments::{
    EvaluationArguments, FormArguments, IncidentArguments, PaperArguments, PaperForm,
};
pub(super) use super::run_arguments::{
    EffortArguments, GateArguments, MergeArguments, PartitionArguments, PartitionByWord, PlanArguments,
    ResumeArguments, RunArguments, SideArguments,
};

/// Change-gated evaluation and regression runs for AI workflows that act on other systems.
#[derive(Debug, Parser)]
#[command(name = "holdpoint", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(super) struct Arguments {
    /// The project's folder, where holdpoint.yaml lies; by default this one.
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) project: Option<PathBuf>,
    /// When to colour.
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(super) color: Color,
    /// Say only what went wrong.
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Show the plan too, on standard error.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 passed, 1 internal error, 2 wrong usage, 10 failed, 11 inconclusive, 12 baseline missing or changed,
13 project invalid, 14 no case matched, 15 paused, 130 cancelled.";

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// Where a terminal shows it and NO_COLOR is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run what the change puts at risk, compare with the baseline, and answer with an exit code and a report.
    Gate(GateArguments),
    /// Say what the gate would run, and why; run nothing.
    Plan(PlanArguments),
    /// Begin a project here: look at the repository, write a project file, manifests, two cases and a CI file; overwrite nothing.
    Init(InitArguments),
    /// Check the project's files; run nothing.
    Check,
    /// Run cases without looking at changes.
    Run(RunArguments),
    /// Put the parts of a run together that other machines carried out with --partition: one run, one verdict.
    Merge(MergeArguments),
    /// Run every step of a workflow with every fault, without a case written for it, and print the failure table.
    Exercise(ExerciseArguments),
    /// Hold a run against another one, or against what was accepted; run nothing.
    Compare(CompareArguments),
    /// Accept results, and look after what was accepted.
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Begin a case, and see what the cases that exist would show.
    #[command(subcommand)]
    Case(CaseCommand),
    /// Bring what other tools hold: tests as cases, logs as runs, records as ledgers.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Show the report of a recorded run.
    Report(ReportArguments),
    /// List the recorded runs.
    Runs(RunsArguments),
    /// What came of the work and what it took: cases, operations, exceptions, effort, cost, review load.
    Scorecard(PaperArguments),
    /// A row for each operation: step, fault, what the target shows, what was claimed, outcome, next step, owner.
    Failures(PaperArguments),
    /// An incident note: requested, known, uncertain, scope, containment, owner, next check.
    Incident(IncidentArguments),
    /// What someone needs who takes the work over: what is verified, open, blocked, and permitted.
    Handover(PaperArguments),
    /// The cases on which a real model is to be tried, with blank results where none was.
    EvaluationPlan(EvaluationArguments),
    /// Stop new cases from starting, in every process of this project.
    #[command(subcommand)]
    Pause(PauseCommand),
    /// Show which change puts what at risk.
    Rules(RulesArguments),
    /// Print the JSON Schema of a kind of file.
    Schema(SchemaArguments),
    /// Print what completes this command line in a shell.
    Completions(CompletionsArguments),
    /// Write the manual pages, one for each command.
    Man(ManArguments),
    /// A practice workflow, or a target that one acts on, as a process of its own.
    #[command(subcommand)]
    Practice(PracticeCommand),
}

impl Command {
    /// Whether one JSON document was asked for.
    pub(super) fn wants_json(&self) -> bool {
        match self {
            Self::Gate(arguments) => arguments.json,
            Self::Plan(arguments) => arguments.json,
            Self::Run(arguments) => arguments.json,
            Self::Merge(arguments) => arguments.json,
            Self::Compare(arguments) => arguments.json || arguments.format == CompareForm::Json,
            Self::Baseline(BaselineCommand::List { json }) => *json,
            Self::Import(command) => command.wants_json(),
            Self::Case(CaseCommand::List(arguments)) => arguments.json,
            Self::Case(CaseCommand::Lint(arguments)) => arguments.json,
            Self::Report(arguments) => arguments.format == ReportForm::Json,
            Self::Runs(arguments) => arguments.json,
            Self::Scorecard(paper) | Self::Failures(paper) | Self::Handover(paper) => paper.form.wants_json(),
            Self::Incident(arguments) => arguments.paper.form.wants_json(),
            Self::EvaluationPlan(arguments) => arguments.form.wants_json(),
            Self::Exercise(arguments) => arguments.form.wants_json(),
            Self::Rules(arguments) => arguments.json,
            Self::Init(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Check
            | Self::Baseline(_)
            | Self::Case(_)
            | Self::Pause(_)
            | Self::Schema(_)
            | Self::Practice(_) => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum PracticeCommand {
    /// Mesa's review desk: reads one invocation (holdpoint.invoke/1) from standard input and answers on standard output.
    Mesa(MesaArguments),
    /// reads one invocation (holdpoint.invoke/1) from standard input, goes on from its record, and answers on
    /// standard output.
    R618(R618Arguments),
    /// The case desk, as an HTTP service.
    CaseDesk(ServiceArguments),
    /// The inventory, as an HTTP service.
    Inventory(ServiceArguments),
    /// The messaging service, as an HTTP service.
    Messaging(ServiceArguments),
}

#[derive(Debug, Args)]
pub(super) struct MesaArguments {
    /// The folder of its database; it is made where there is none.
    #[arg(long, value_name = "DIR", required_unless_present = "crash_points")]
    pub(super) state_dir: Option<PathBuf>,
    /// Die by SIGKILL where this point is first reached.
    #[arg(long, value_name = "POINT")]
    pub(super) crash_at: Option<String>,
    /// List the points, and do nothing else.
    #[arg(long)]
    pub(super) crash_points: bool,
}

#[derive(Debug, Args)]
pub(super) struct R618Arguments {
    /// The file of its durable record.
    #[arg(long, value_name = "FILE", required_unless_present = "crash_points")]
    pub(super) record: Option<PathBuf>,
    /// Where the case desk listens.
    #[arg(long, value_name = "URL", required_unless_present = "crash_points")]
    pub(super) case_desk: Option<String>,
    /// Where the inventory listens.
    #[arg(long, value_name = "URL", required_unless_present = "crash_points")]
    pub(super) inventory: Option<String>,
    /// Where the messaging service listens.
    #[arg(long, value_name = "URL", required_unless_present = "crash_points")]
    pub(super) messaging: Option<String>,
    /// Die by SIGKILL where this point is first reached.
    #[arg(long, value_name = "POINT")]
    pub(super) crash_at: Option<String>,
    /// List the points, and do nothing else.
    #[arg(long)]
    pub(super) crash_points: bool,
}

#[derive(Debug, Args)]
pub(super) struct ServiceArguments {
    /// Its database file.
    #[arg(long, value_name = "FILE")]
    pub(super) database: PathBuf,
    /// Where to listen; port 0 is a free one, which is printed.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub(super) listen: SocketAddr,
    /// The manifest of its connector, which is its contract. By default the project's.
    #[arg(long, value_name = "FILE")]
    pub(super) contract: Option<PathBuf>,
    /// What is done to one call: `reserve:1:lost_ack`, or with seconds `reserve:2:unavailable:3`.
    #[arg(long = "fault", value_name = "OPERATION:ATTEMPT:FAULT[:SECONDS]")]
    pub(super) faults: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum BaselineCommand {
    /// Accept what a recorded run measured: append it to the baseline.
    Accept(AcceptArguments),
    /// List the acceptances, newest first.
    List {
        /// Print them as one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show one acceptance, or with a case's id what is in force for that case.
    Show {
        /// The first digits of a record's digest, or the id of a case.
        what: String,
    },
    /// Check every record, part and output against its digest, and the records against git's history.
    Verify {
        /// A record that must be there: the head that an earlier report printed. Can be given more than once.
        #[arg(long = "head", value_name = "DIGEST", value_parser = digest)]
        expected: Vec<Digest>,
    },
    /// Take an acceptance out of force by appending to the baseline; nothing is removed.
    Revoke {
        /// The first digits of the record's digest.
        record: String,
        #[command(flatten)]
        who: WhoAndWhy,
    },
}

/// Who decides, and why.
#[derive(Debug, Args)]
pub(super) struct WhoAndWhy {
    /// Who decides.
    #[arg(long, value_name = "WHO")]
    pub(super) by: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
}

#[derive(Debug, Args)]
pub(super) struct AcceptArguments {
    /// The run: its id, the beginning of it, or `latest`.
    pub(super) run: String,
    #[command(flatten)]
    pub(super) who: WhoAndWhy,
    /// The digest of the results as the report shows it, or its first twelve digits: what is accepted is what was looked at.
    #[arg(long, value_name = "DIGEST")]
    pub(super) reviewed: Option<String>,
    /// Accept these cases alone.
    #[arg(long = "case", value_name = "ID")]
    pub(super) cases: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum CaseCommand {
    /// Write the file of a new case, with everything but what must hold; nothing is overwritten.
    New(CaseNewArguments),
    /// Show for each part and risk how many cases there are, how they last ended, and where there is none.
    List(CaseListArguments),
    /// Find cases that cannot fail, that repeat each other, or that no change of a part would run.
    Lint(CaseLintArguments),
}

#[derive(Debug, Args)]
pub(super) struct CaseNewArguments {
    /// The part, and the risk that a change of it puts at stake.
    #[arg(long = "for", value_name = "PART/RISK", conflicts_with = "from")]
    pub(super) shows: Option<PartAtRisk>,
    /// What was recorded: `RUN/CASE`, a case of a run (or `latest/CASE`); or `incident FILE`, a paper as `holdpoint incident --json`
    /// writes it.
    #[arg(long, value_name = "WHAT", num_args = 0..=2)]
    pub(super) from: Option<Vec<String>>,
    /// The case's id; by default made of part and risk, or of the recorded case's.
    #[arg(long, value_name = "ID")]
    pub(super) id: Option<String>,
    /// The workflow it runs against, where several could be meant; a case of a recorded run keeps that run's.
    #[arg(long, value_name = "NAME")]
    pub(super) workflow: Option<String>,
    /// With --from: the set that it goes to; by default the recorded case's, or that of what went wrong.
    #[arg(long, value_name = "RISK", requires = "from")]
    pub(super) set: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct CaseListArguments {
    /// Count them by their sets and by workflow, not by what a change of a part would run.
    #[arg(long)]
    pub(super) sets: bool,
    /// Print all of it as one JSON document (holdpoint.cases/1).
    #[arg(long, conflicts_with = "sets")]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CaseLintArguments {
    /// Print what was found as one JSON document (holdpoint.case-lint/1).
    #[arg(long)]
    pub(super) json: bool,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportForm {
    /// The path of the HTML file.
    Html,
    /// report.json itself.
    Json,
    /// JUnit XML.
    Junit,
    /// A summary in Markdown.
    Markdown,
    /// GitHub annotations.
    Github,
    /// GitLab's code quality report.
    Gitlab,
}

#[derive(Debug, Args)]
pub(super) struct ExerciseArguments {
    /// The workflow; can be left out where only one has connectors whose calls holdpoint passes on.
    pub(super) workflow: Option<String>,
    /// What it gets: JSON, `@FILE`, or `-` for standard input. By default the input of a case.
    #[arg(long, value_name = "JSON")]
    pub(super) input: Option<String>,
    /// The case whose input is taken; by default the workflow's first one without faults.
    #[arg(long, value_name = "ID")]
    pub(super) case: Option<String>,
    /// After the single faults, pairs of them at two different calls.
    #[arg(long)]
    pub(super) pairs: bool,
    /// Trials at the same time; by default one for each processor.
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
    /// Keep this row of the newest exercise as a case, and run nothing.
    #[arg(long, value_name = "ROW", conflicts_with_all = ["workflow", "input", "case", "pairs", "jobs"])]
    pub(super) keep: Option<String>,
    #[command(flatten)]
    pub(super) form: FormArguments,
}

#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// The run: its id, the beginning of it, or `latest`.
    pub(super) run: String,
    /// The form.
    #[arg(long, value_enum, default_value = "html")]
    pub(super) format: ReportForm,
}

/// The forms of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareForm {
    /// For a terminal.
    Text,
    /// One JSON document (holdpoint.compare/1).
    Json,
    /// Markdown.
    Markdown,
    /// One HTML file without scripts.
    Html,
}

#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// What is looked at: a run's id, the beginning of it, or `latest`; `baseline`, or the first digits of a record's digest.
    #[arg(value_name = "RUN")]
    pub(super) run: String,
    /// What it is held against, named in the same way. By default what is accepted and in force.
    #[arg(long, value_name = "RUN|BASELINE", default_value = "baseline")]
    pub(super) with: String,
    /// The form.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: CompareForm,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunsArguments {
    /// Print them as one JSON document.
    #[arg(long)]
    pub(super) json: bool,
    /// Print how long each case took in the newest whole run that has it, as a file for --durations.
    #[arg(long, conflicts_with = "json")]
    pub(super) durations: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum PauseCommand {
    /// No new case starts until the pause ends. Work in flight finishes and is recorded.
    On(WhoAndWhy),
    /// End the pause.
    Off,
    /// Say whether the project is paused, by whom and why.
    Status,
}

#[derive(Debug, Args)]
pub(super) struct RulesArguments {
    /// Say of this path which rule takes it, and why; can be given more than once.
    #[arg(long, value_name = "PATH")]
    pub(super) explain: Vec<PathBuf>,
    /// Print them as one JSON document.
    #[arg(long)]
    pub(super) json: bool,
}

/// The systems for which `init` writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CiChoice {
    /// GitHub Actions.
    Github,
    /// GitLab.
    Gitlab,
    /// A script for any other.
    Script,
}

/// The examples that `init` lays down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExampleChoice {
    /// A support desk in Python that answers from policies and opens tickets.
    SupportDesk,
    /// The practice workflow that acts on three services.
    R618,
}

#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// Lay down this example, whole, instead of looking at what is here.
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["url", "ci", "command"])]
    pub(super) example: Option<ExampleChoice>,
    /// The workflow is a service at this address.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(super) url: Option<String>,
    /// The CI system; by default the one that the repository shows.
    #[arg(long, value_enum, value_name = "SYSTEM")]
    pub(super) ci: Option<CiChoice>,
    /// The program that is the workflow, and its arguments; it takes holdpoint.invoke/1 on standard input. Without one an
    /// adapter is written, to be joined to the workflow.
    #[arg(last = true, value_name = "PROGRAM")]
    pub(super) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArguments {
    /// The folder into which they are written; it is made where there is none.
    pub(super) folder: PathBuf,
}

/// Any word, since a project has names of its own; shells complete these, which every project has.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyWord(fn() -> Vec<PossibleValue>);

/// The kind of a file.
pub(super) const KIND_OF_FILE: AnyWord =
    AnyWord(|| super::schema::kinds().map(|(name, what)| PossibleValue::new(name).help(what)).collect());

/// A risk's name.
pub(super) const RISK_NAME: AnyWord = AnyWord(|| BUILT_IN_RISKS.into_iter().map(PossibleValue::new).collect());

impl TypedValueParser for AnyWord {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter()))
    }
}

#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// Write the schemas of all files of a project into .holdpoint/schemas, where the first lines of files point editors to.
    #[arg(long, conflicts_with = "kind")]
    pub(super) write: bool,
    /// The kind of file or document, or one that the project declares; without one, the kinds are listed.
    #[arg(value_parser = KIND_OF_FILE)]
    pub(super) kind: Option<String>,
}
