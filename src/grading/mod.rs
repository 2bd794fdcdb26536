//! Graders: each judges one aspect of an observed trial. Pure: all that a grader may look at is handed to it.

mod grade;

pub use grade::{CaseResult, Grade, GradedTrial, GradingContext};
