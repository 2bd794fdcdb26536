//! `holdpoint.yaml`: the workflows under test, how to look at what they did, and what the gate demands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{PartId, Risk, WorkflowId};

/// The project file, `holdpoint.yaml` in the project's folder.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectFile {
    /// The format of this file: `holdpoint.project/1`.
    pub schema: String,
    /// What the project is called in reports.
    pub name: String,
    /// The workflows under test, by name.
    pub workflows: BTreeMap<WorkflowId, WorkflowSpec>,
    /// Questions to the systems that the workflows act on, by name.
    #[serde(default)]
    pub probes: BTreeMap<String, Probe>,
    /// Further risks of this project, beside the built-in ones. Each names a folder below `cases/`.
    #[serde(default)]
    pub risks: Vec<Risk>,
    /// Globs of paths that cannot change any workflow's behaviour: documentation, mostly. A path that nothing
    /// else knows and that stands here puts nothing at risk; every other unknown path runs everything.
    #[serde(default)]
    pub inert: Vec<String>,
    /// What the gate demands.
    #[serde(default)]
    pub gate: GatePolicy,
}

/// One workflow under test: exactly one of `command`, `http` and `practice`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowSpec {
    /// A program started anew for each step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandWorkflow>,
    /// A service that is asked by POST.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpWorkflow>,
    /// A practice workflow, built into holdpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub practice: Option<PracticeWorkflow>,
    /// The parts that produce this workflow's results: ids of manifests.
    pub parts: Vec<PartId>,
    /// Globs of the files that are this workflow's code.
    #[serde(default)]
    pub code: Vec<String>,
    /// How an answer is read: `auto` takes JSON where the whole answer is a JSON object and text otherwise.
    #[serde(default)]
    pub answer: AnswerForm,
    /// Seconds that one step may take.
    #[serde(default = "default_timeout_s")]
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_s: u64,
    /// Bytes of an answer that are read at the most; a longer answer is an error of the trial.
    #[serde(default = "default_output_cap")]
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub output_cap_bytes: usize,
    /// The time that the workflow is told as `now`, for cases that name none. RFC 3339; by default the real time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

fn default_timeout_s() -> u64 {
    60
}

fn default_output_cap() -> usize {
    4 * 1024 * 1024
}

/// How an answer is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// JSON where the whole answer is a JSON object, text otherwise.
    #[default]
    Auto,
    /// Always JSON; an answer that is none is an error of the trial.
    Json,
    /// Always text.
    Text,
}

/// A workflow that is a program. It is started without a shell, with the invocation on standard input.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandWorkflow {
    /// The program and its arguments. A program name without `/` is looked up in PATH; one with `/` is
    /// relative to the project's folder, which is also the working directory.
    #[schemars(length(min = 1))]
    pub run: Vec<String>,
    /// The environment it gets; nothing else is passed on.
    #[serde(default)]
    pub env: WorkflowEnv,
}

/// The environment of a started program. It begins empty, but for PATH and what stands here.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkflowEnv {
    /// Names that are passed on and must be set; one that is not is an error of the project.
    #[serde(default)]
    pub pass: Vec<String>,
    /// Names that are passed on where they are set.
    #[serde(default)]
    pub pass_if_set: Vec<String>,
    /// Names with their values. `${NAME}` stands for a variable that must be set, `$${` for a plain `${`.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

/// A workflow that is a service. The invocation is POSTed as JSON.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpWorkflow {
    /// Where to POST. `${NAME}` stands for an environment variable that must be set.
    pub url: String,
    /// Further request headers. `${NAME}` stands for an environment variable that must be set.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// A program that starts the service for the length of the run, as `command.run`.
    #[serde(default)]
    pub start: Vec<String>,
    /// The environment of `start`.
    #[serde(default)]
    pub env: WorkflowEnv,
    /// How to know that the service is ready; without it the service is taken to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<HttpReady>,
}

/// A readiness check: GET until the answer's status is 2xx.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpReady {
    /// What to GET. `${NAME}` stands for an environment variable that must be set.
    pub url: String,
    /// Seconds to wait at the most.
    #[serde(default = "default_ready_s")]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_s: u64,
}

fn default_ready_s() -> u64 {
    30
}

/// A workflow that is built in.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PracticeWorkflow {
    /// Which one.
    pub name: PracticeName,
}

/// The practice workflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PracticeName {
    /// Mesa's review desk: drafts an answer from policy sources and stages it for review.
    Mesa,
    /// creates a case, reserves a component and sends a confirmation, over three target services.
    R618,
}

/// A question to a target system, asked after the last step of a trial. Exactly one kind.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The workflow whose trials it looks at; without one, those of every workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowId>,
    /// A query on a SQLite file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<SqlProbe>,
}

/// A query on a SQLite file, opened read-only.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SqlProbe {
    /// The file, relative to the trial's state directory.
    pub database: String,
    /// One SELECT. Each row becomes an effect, its columns the effect's fields.
    pub query: String,
    /// The column that holds the identity of the operation which made the row. With it every trial of the workflow is
    /// looked at, and the rows are evidence for the outcome of operations. The file belongs to the trial and
    /// is read after everything in it has ended, so the look is settled. Where several probes of a workflow name such a
    /// column, an operation's effect must show in each of them, or its outcome is uncertain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// What a file that does not exist means. By default nothing: a name with a typing error must not read as "no effects".
    #[serde(default)]
    pub if_missing: IfMissing,
}

/// What a database that does not exist means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IfMissing {
    /// The target cannot be read.
    #[default]
    Unreadable,
    /// The workflow makes the file with its first effect: there is none yet.
    Empty,
}

/// What the gate demands before it passes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GatePolicy {
    /// Whether a baseline must exist. Without it a project that never accepted one is judged by its cases alone.
    #[serde(default = "yes")]
    pub require_baseline: bool,
    /// Whether a change that puts a risk on a part without any case keeps the gate from passing.
    #[serde(default = "yes")]
    pub uncovered_is_inconclusive: bool,
}

fn yes() -> bool {
    true
}

impl Default for GatePolicy {
    fn default() -> Self {
        Self { require_baseline: true, uncovered_is_inconclusive: true }
    }
}
