//! `holdpoint.yaml`: the workflows under test, how to look at what they did, and what the gate demands.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{BUILT_IN_RISKS, PartId, Risk, WorkflowId};

use super::gate_policy::{GatePolicy, SetSpec};
use super::own_kinds::{KindSpec, RuleSpec};
use super::retry_policy::RetryPolicy;

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
    /// The connectors whose calls holdpoint passes on, watches and can fail: by the id of their manifest. The calls to
    /// any other connector go past it.
    #[serde(default)]
    pub connectors: BTreeMap<PartId, ConnectorSpec>,
    /// Questions to the systems that the workflows act on, by name.
    #[serde(default)]
    pub probes: BTreeMap<String, Probe>,
    /// Further risks of this project, beside the built-in ones. Each names a folder below `cases/`.
    #[serde(default)]
    pub risks: Vec<Risk>,
    /// Kinds of part of this project's own, by name, beside the built-in ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, KindSpec>,
    /// What changes put at risk, beside the built-in rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleSpec>,
    /// Globs of paths that cannot change any workflow's behaviour: documentation, mostly. A path that nothing
    /// else knows and that stands here puts nothing at risk; every other unknown path runs everything.
    #[serde(default)]
    pub inert: Vec<String>,
    /// What the gate demands.
    #[serde(default)]
    pub gate: GatePolicy,
    /// What is said of single case sets: how often their cases are executed, and what the gate tolerates in them.
    #[serde(default)]
    pub sets: BTreeMap<Risk, SetSpec>,
    /// How often what could not be reached is tried again.
    #[serde(default)]
    pub retry: RetryPolicy,
    /// Seconds that a run may take, from when its first trial can start; by default as long as it takes. Then no trial starts
    /// any more, and steps in flight are ended as by `timeout_s`. Cases that did not run are errored; `--resume` goes on
    /// with them, and the time counts anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_592_000))]
    pub run_timeout_s: Option<u64>,
}

impl ProjectFile {
    /// Whether a workflow lists the part.
    pub fn uses(&self, part: &PartId) -> bool {
        self.workflows.values().any(|workflow| workflow.parts.contains(part))
    }

    /// The names of the risks that the project knows: the built-in ones, then its own.
    pub fn risk_names(&self) -> Vec<&str> {
        BUILT_IN_RISKS.into_iter().chain(self.risks.iter().map(Risk::as_str)).collect()
    }
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
    /// How an answer is read: `auto` takes JSON where the whole answer is a JSON object and text otherwise. Where an answer
    /// that is taken as JSON has `output`, that is what most expectations look at; as a text, all of it is.
    #[serde(default)]
    pub answer: AnswerForm,
    /// Seconds that one step may take.
    #[serde(default = "default_timeout_s")]
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_s: u64,
    /// Seconds that the steps of one trial may take together, waits before another try included; by default only each
    /// step is limited. A step that may fail ends its trial here all the same. A step of a practice workflow is not ended: the
    /// time counts before its next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_592_000))]
    pub trial_timeout_s: Option<u64>,
    /// Bytes of an answer that are read at the most; a longer answer is an error of the trial.
    #[serde(default = "default_output_cap")]
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub output_cap_bytes: usize,
    /// Bytes of memory that each process of a command, or of a service with `http.start`, may take: private writable
    /// memory (RLIMIT_DATA), of each process and not of all together. Without it there is no limit. Kept on Linux alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 16_777_216))]
    pub memory_cap_bytes: Option<u64>,
    /// Trials of this workflow at once at the most, beside what `--jobs` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub jobs: Option<usize>,
    /// The time that the workflow is told as `now`, for cases that name none. RFC 3339; by default the real time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// Whether what a trial does can outlive it, in a target that holdpoint does not start for the trial. By default
    /// told by the connectors, probes and `http.start`. Such a trial that was in flight when a run was killed is held
    /// for a person, not repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlives_trials: Option<bool>,
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
    /// Always text, whatever is in it: nothing is taken for its `output` or its claims. `json`, `json_schema` and the paths
    /// of `number` and `cites` look into it where it is JSON.
    Text,
    /// As `text`, but white space at both ends is not looked at, nor are the escape sequences (ANSI) by which a terminal is told
    /// colours. For programs that print for people.
    TrimmedText,
}

/// A workflow that is a program. It is started without a shell, with the invocation on standard input.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandWorkflow {
    /// The program and its arguments. A program name without `/` is looked up in PATH; one with `/` is
    /// relative to the project's folder, which is also the working directory.
    #[schemars(length(min = 1))]
    pub run: Vec<String>,
    /// Further arguments, taken from the invocation: a JSON pointer (RFC 6901) for each, such as `/input/question`. A text is
    /// given as it is, any other value as JSON. For programs that take their input as arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// The environment it gets; nothing else is passed on.
    #[serde(default)]
    pub env: WorkflowEnv,
}

/// The environment of a started program. It begins empty, but for PATH and what stands here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// A connector whose calls holdpoint passes on to where they belong.
///
/// Each trial gets an address of its own on the loopback device, which the workflow finds in its invocation under
/// `connectors`, and in the environment under the names in `env`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectorSpec {
    /// Where the calls go in the end.
    pub upstream: Upstream,
    /// The environment variables that hold the connector's address for a `command` workflow.
    #[serde(default)]
    pub env: Vec<String>,
    /// A path that is part of the address, such as `/v1`.
    #[serde(default)]
    pub base_path: String,
    /// Further headers that are recorded, beside those that no secret stands in. One that is not listed is passed on and
    /// not recorded.
    #[serde(default)]
    pub record_headers: Vec<String>,
    /// Bytes of each body that are recorded. The digest is always that of the whole.
    #[serde(default = "default_record_bytes")]
    #[schemars(range(min = 0, max = 16_777_216))]
    pub record_bytes: usize,
    /// Trials of all workflows that have this connector, at once at the most, beside what `--jobs` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub jobs: Option<usize>,
    /// Seconds that the upstream may take to begin its answer, and to go on with it.
    #[serde(default = "default_upstream_timeout_s")]
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_s: u64,
}

fn default_record_bytes() -> usize {
    64 * 1024
}

fn default_upstream_timeout_s() -> u64 {
    60
}

/// Where a connector's calls go: exactly one of its fields.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Upstream {
    /// A service that runs anyway: `http://` or `https://`. `${NAME}` stands for an environment variable that must be
    /// set. What a trial leaves there outlives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A service that is started for each trial and belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartedTarget>,
}

/// A service that is started for each trial, on the trial's state directory. It is told its port by
/// `HOLDPOINT_PORT` and must listen there on 127.0.0.1.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartedTarget {
    /// The program and its arguments, as `command.run`.
    #[schemars(length(min = 1))]
    pub run: Vec<String>,
    /// The environment it gets.
    #[serde(default)]
    pub env: WorkflowEnv,
    /// The path that answers 2xx once it is ready. By default it is ready when its port takes a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
    /// Seconds to wait for that at the most.
    #[serde(default = "default_ready_s")]
    #[schemars(range(min = 1, max = 3600))]
    pub ready_timeout_s: u64,
}

/// A question to a target system, asked after the last step of a trial. Exactly one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The workflow whose trials it looks at; without one, those of every workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowId>,
    /// A query on a SQLite file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<SqlProbe>,
    /// A GET to a target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpProbe>,
    /// A program that asks a target: PostgreSQL by `psql`, say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandProbe>,
    /// A file of JSON, or of JSON lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileProbe>,
    /// The field of an effect that holds the identity of the operation which made it. With it every trial of the workflow
    /// is looked at, and the effects are evidence for the outcome of operations. Where several probes of a
    /// workflow name such a field for the same operation, its effect must show in each, or its outcome is uncertain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Which connector's operation makes these effects, as `connector/operation`: an effect of the identity `O-1` is then
    /// that of the operation `<operation>:O-1`, and says nothing of any other connector's operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The field of an effect that holds the receipt that callers get for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// Fields of an effect that must be what the first attempt asked for: the field's name, and where the value
    /// stands in the request's JSON body (a JSON pointer). Needs `of`.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// When the look is worth something. By default at once.
    #[serde(default)]
    pub settle: Settle,
    /// Whether the target looked at is the system of record. `false` for a view that may lag or leave out; such a look
    /// needs another, authoritative probe beside it to conclude anything.
    #[serde(default = "yes")]
    pub authoritative: bool,
}

/// When a look is settled, so that an effect which does not show is not on its way any more. At most one of its
/// fields; with none, the look is settled at once: nothing can still be on its way when it is had. Where the contract of an
/// operation states `processing.within_s`, no look but one by `until_empty` is had before so long after a call that got no
/// answer which says whether it was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("maxProperties" = 1))]
pub struct Settle {
    /// So many seconds after the trial's last call had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub after_s: Option<f64>,
    /// Once another probe, of what is still on its way, shows nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_empty: Option<UntilEmpty>,
    /// Once so many readings in a row were equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_readings: Option<EqualReadings>,
    /// Never by itself: the look is worth what a second, authoritative probe of that name, had after it, confirms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
}

/// A look that is settled once nothing is on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UntilEmpty {
    /// The probe that shows what is on its way.
    pub probe: String,
    /// Seconds to wait for that at the most; what still shows something then is not settled.
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub within_s: f64,
}

/// A look that is settled once it is steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EqualReadings {
    /// So many readings in a row are equal.
    #[schemars(range(min = 2, max = 1000))]
    pub count: u32,
    /// Seconds between two of them.
    #[schemars(range(min = 0.001, max = 3600.0))]
    pub every_s: f64,
    /// Seconds to wait for that at the most; what is not steady then is not settled.
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub within_s: f64,
}

/// A query on a SQLite file, opened read-only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SqlProbe {
    /// The file, relative to the trial's state directory.
    pub database: String,
    /// One SELECT. Each row becomes an effect, its columns the effect's fields.
    pub query: String,
    /// What a file that does not exist means. By default nothing: a name with a typing error must not read as "no effects".
    #[serde(default)]
    pub if_missing: IfMissing,
}

/// A GET to a target, past the faults: the question itself is never failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpProbe {
    /// The connector whose upstream is asked; `path` is then below its address. Without it, `path` is a whole address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<PartId>,
    /// The path and query, or the whole address. `${NAME}` stands for an environment variable that must be set.
    pub path: String,
    /// Request headers. `${NAME}` stands for an environment variable that must be set.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// A JSONPath (RFC 9535) to the effects in the JSON answer: each map that it finds is one. The list that it chooses from
    /// must be there, and so must the one place that it leads to otherwise, where `null` says that there is none: an answer
    /// of another form is not one without effects.
    #[serde(default = "every_item")]
    pub effects: String,
    /// Whether the status 404 means that there is nothing. By default the target then counts as unreadable.
    #[serde(default)]
    pub not_found_is_empty: bool,
    /// Seconds that it may take.
    #[serde(default = "default_probe_timeout")]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_s: u64,
}

fn every_item() -> String {
    "$[*]".to_owned()
}

fn default_probe_timeout() -> u64 {
    10
}

/// A program that asks a target and prints a JSON list of maps, or JSON lines of maps: each map is an effect. On standard
/// input it gets `holdpoint.probe/1`: the probe, the case, the trial, its state directory, and where the connectors' targets
/// listen. One that ends badly has read nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandProbe {
    /// The program and its arguments, started without a shell in the project's folder.
    #[schemars(length(min = 1))]
    pub run: Vec<String>,
    /// The environment it gets.
    #[serde(default)]
    pub env: WorkflowEnv,
    /// Seconds that it may take.
    #[serde(default = "default_probe_timeout")]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_s: u64,
    /// The folder that it is started in; the project's own, but for the old form of a case, which is judged by its own files.
    #[serde(skip)]
    pub started_in: Option<PathBuf>,
}

/// A file in the trial's state directory: a JSON list of maps, one map, or JSON lines of maps. Each map is an effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileProbe {
    /// The file, relative to the trial's state directory.
    pub path: String,
    /// What a file that does not exist means.
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

fn yes() -> bool {
    true
}
