//! The project's files, from YAML text to checked values: project file, manifests, cases.
//!
//! A file passes through three steps: its text becomes a tree that remembers lines ([`node`]); the tree is held
//! against the JSON Schema that is generated from the types below ([`schema`]); what refers to something else
//! is checked over the whole project ([`load`]). Each step gathers all of its errors.

mod case;
mod case_file;
mod compile;
mod diagnostic;
mod expectation;
mod files;
mod foreign;
mod gate_policy;
mod judging;
mod load;
mod node;
mod own_kinds;
mod part;
mod program_files;
mod project;
mod project_file;
mod retry_policy;
mod scaffold;
mod schema;
mod secret_shapes;
mod suggest;
mod written;
mod yaml;
mod yaml_text;

pub use case::{Case, CaseOutline, CaseRef, Fixture, HeldCase};
pub use case_file::{CaseFile, ClockStep, FaultName, FaultSpec, InvokeStep, RestartStep, Step, Withheld};
pub use compile::{
    JsonSchemaError, compile_glob, compile_json_path, compile_json_schema, compile_regex, compile_time, literal_prefix,
    pattern_at_start, seconds_of_http_date,
};
pub use diagnostic::{Diagnostic, Severity};
pub use expectation::{
    AttemptBounds, BackoffCheck, BehaviourClaim, CallsMeant, Cites, ClaimForm, ClaimWord, CommandGrader, Contains,
    ContainsForm, ContractCheck, ContractForm, ContractWord, Count, Dependency, DurationLimit, EffectCount,
    Expectation, Grader, HttpStatus, JsonCheck, JsonKind, JsonSchemaCheck, Length, LengthUnit, NoRetry, NoRetryAfter,
    NumberCheck, OneOrMany, OperationOutcome, ParametersWord, PermittedCalls, Placeholder, Precedence, RegexCheck,
    RegexForm, RetryAfterForm, RetryAfterWord, RetryLayers, Similar,
};
pub use files::{DiskFiles, EntryKind, FileError, FileSource, MemoryFiles, NEVER_LISTED, readable};
pub use foreign::{ForeignFile, unreadable};
pub use gate_policy::{
    GatePolicy, MinimumRate, NoSignificantDrop, ProjectPolicy, SetPolicy, SetRule, SetSpec, ZeroTolerance,
};
pub use judging::project_path;
pub use load::{
    EarlierCases, Loaded, SHORTEST_SECRET, SideProject, completed_probes, is_address, load_part, load_project,
    load_project_file, load_side, load_side_beside, own_kind_schema,
};
pub use own_kinds::{KindSpec, RuleSpec, facet_lies_in};
pub use part::{
    Action, Actor, AnswerInFlight, AnswerToMismatch, Authority, Backoff, CallName, ConnectorManifest, Effect,
    Idempotency, IdempotencyKey, Jitter, KeptAnswers, Lookup, Manifest, ModelLimits, ModelManifest, Operation,
    OwnManifest, Part, PartKind, PermissionsManifest, Place, Processing, PromptManifest, PromptVariable, ReplaySignal,
    Retry, RetryOn, Sampling, SourceManifest, ToolManifest, Wire,
};
pub use project::Project;
pub use project_file::{
    AnswerForm, CommandProbe, CommandWorkflow, ConnectorSpec, EqualReadings, FileProbe, HttpProbe, HttpReady,
    HttpWorkflow, IfMissing, PracticeName, PracticeWorkflow, Probe, ProjectFile, Settle, SqlProbe, StartedTarget,
    UntilEmpty, Upstream, WorkflowEnv, WorkflowSpec,
};
pub use retry_policy::RetryPolicy;
pub use scaffold::{
    PartAtRisk, ScaffoldError, ScaffoldInput, ScaffoldRequest, Skeleton, blank_input, check_risk, free_id, scaffold,
};
pub use schema::{FileKind, json_schema};
pub use secret_shapes::{REDACTED, conceal_json, conceal_text, without_cut_words};
pub use suggest::nearest;
pub use written::Written;
pub use yaml_text::{hides as hides_in_yaml, quoted as yaml_quoted, schema_line, word as yaml_word};
