//! The project's files, from YAML text to checked values: project file, manifests, cases.
//!
//! A file passes through three steps: its text becomes a tree that remembers lines ([`node`]); the tree is held
//! against the JSON Schema that is generated from the types below ([`schema`]); what refers to something else
//! is checked over the whole project ([`load`]). Each step gathers all of its errors.

mod case_file;
mod diagnostic;
mod expectation;
mod files;
mod part;
mod project;
mod project_file;

pub use case_file::{CaseFile, ClockStep, FaultName, FaultSpec, InvokeStep, RestartStep, Step};
pub use diagnostic::{Diagnostic, Severity};
pub use expectation::{
    BehaviourClaim, Cites, ClaimForm, ClaimWord, CommandGrader, Contains, ContainsForm, Count, DurationLimit,
    EffectCount, Expectation, Grader, HttpStatus, JsonCheck, JsonKind, JsonSchemaCheck, Length, LengthUnit,
    NumberCheck, OneOrMany, OperationOutcome, RegexCheck, RegexForm, Similar,
};
pub use files::{DiskFiles, EntryKind, FileError, FileSource};
pub use part::{Part, PartKind};
pub use project::{Case, Fixture, Project};
pub use project_file::{
    AnswerForm, CommandWorkflow, GatePolicy, HttpReady, HttpWorkflow, PracticeName, PracticeWorkflow, Probe,
    ProjectFile, SqlProbe, WorkflowEnv, WorkflowSpec,
};
