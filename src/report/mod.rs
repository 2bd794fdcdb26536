//! Reports: one versioned document of a run, and a file for each form in which it is read.

mod accept_step;
mod answer_diff;
mod audit_document;
mod audit_text;
mod blocks;
mod brief;
mod build;
mod cases_document;
mod change_values;
mod changed_answer;
mod compare_document;
mod compare_html;
#[cfg(test)]
mod compare_sample;
mod compare_text;
mod document;
mod doing_nothing;
mod fault_words;
mod findings;
mod github;
mod gitlab;
mod group;
mod html;
mod html_case;
mod html_changes;
mod html_figures;
mod html_not_run;
mod html_page;
mod ink;
mod input;
mod junit;
mod limits;
mod markdown;
mod mutation;
mod next_step;
mod payload;
mod plan_document;
mod plan_text;
mod prose;
#[cfg(test)]
mod sample;
mod schema;
mod set_view;
mod shadow_view;
mod sheet_html;
mod summary;
mod timeline;
mod trend_view;
mod trial_view;
mod undefined;
mod visible;
mod words;

pub use audit_document::{
    AUDIT_SCHEMA, AuditDocument, AuditEscape, AuditStep, AuditTotals, ShadowTotals, UnplannedStep,
};
pub use audit_text::audit_text;
pub use blocks::check_templates;
pub use build::{CaseFeed, build, case_new_command};
pub use cases_document::{
    CASES_SCHEMA, CasesDocument, CoverageView, ListedCase, ListedSet, MatrixView, SetCell, counts_by_name,
};
pub use compare_document::{
    COMPARE_SCHEMA, CaseDetail, CompareDocument, CompareInput, ComparedCaseView, SideKind, SideView,
};
pub use compare_html::render_compare_html;
pub use compare_text::{compare_markdown, compare_text};
pub use document::{
    CaseView, ChangeView, ComparisonCounts, Counts, ExcludedView, InheritedView, OldFormView, PartView, REPORT_SCHEMA,
    ReasonView, RemovedView, ReportDocument, UncoveredView,
};
pub use github::github_annotations;
pub use gitlab::gitlab_code_quality;
pub use html::{
    CustomTemplate, HtmlError, HtmlReport, SHIPPED_TEMPLATE, TEMPLATE_ENTRY, TEMPLATES_FOLDER, render_html,
};
pub use input::{Papers, ReportInput};
pub use junit::render_junit;
pub use markdown::{PULL_REQUEST_LIMIT, STEP_SUMMARY_LIMIT, render_markdown};
pub use mutation::{MUTATION_SCHEMA, MutationDocument, blind_sentences, mutation_text};
pub use plan_document::{PLAN_SCHEMA, PlanDocument, SelectedView};
pub use plan_text::plan_text;
pub use schema::{cases_schema, compare_schema, document_schema, exercise_schema, plan_schema, report_schema};
pub use set_view::SetView;
pub use shadow_view::{EscapeView, ShadowView};
pub use sheet_html::render_sheet_html;
pub use summary::summary_text;
pub use trend_view::TrendPoint;
pub use trial_view::{AttemptView, BodyView, ErrorView, ExchangeView, GradeView, OperationView, StepView, TrialView};
pub use words::shell_word;
