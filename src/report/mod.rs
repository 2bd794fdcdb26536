//! Reports: one versioned document of a run, and a file for each form in which it is read.

mod answer_diff;
mod build;
mod document;
mod failure_rate;
mod group;
mod html;
mod html_case;
mod html_page;
mod input;
mod limits;
mod next_step;
mod plan_document;
#[cfg(test)]
mod sample;
mod visible;
mod words;

pub use build::build;
pub use document::{
    AttemptView, CaseView, ChangeView, ComparisonCounts, Counts, ErrorView, ExcludedView, GradeView, InheritedView,
    OldFormView, OperationView, REPORT_SCHEMA, ReasonView, RemovedView, ReportDocument, StepView, TrialView,
    UncoveredView,
};
pub use html::{CustomTemplate, HtmlError, SHIPPED_TEMPLATE, render_html};
pub use input::ReportInput;
pub use plan_document::{PLAN_SCHEMA, PlanDocument, SelectedView};
