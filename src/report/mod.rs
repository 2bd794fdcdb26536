//! Reports: one versioned document of a run, and a file for each form in which it is read.

mod build;
mod document;
mod failure_rate;
mod input;
mod limits;
mod plan_document;

pub use build::build;
pub use document::{
    AttemptView, CaseView, ChangeView, ComparisonCounts, Counts, ErrorView, ExcludedView, GradeView, InheritedView,
    OldFormView, OperationView, REPORT_SCHEMA, ReasonView, RemovedView, ReportDocument, StepView, TrialView,
    UncoveredView,
};
pub use input::ReportInput;
pub use plan_document::{PLAN_SCHEMA, PlanDocument, SelectedView};
