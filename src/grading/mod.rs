//! Graders: each judges one aspect of an observed trial. Pure: all that a grader may look at is handed to it.
//!
//! A grader comes to one of four findings (see [`judge`]): the expectation holds; it fails; what it speaks of is not
//! there at all, so that it fails and its opposite is not shown either; or there is nothing to judge by. `not`
//! turns only the first two round. Whatever is not a verdict makes the trial errored and never a pass.

mod case_result;
mod claims;
mod contract;
mod do_nothing;
mod grade;
mod graders;
mod json_equality;
mod json_path;
mod judge;
mod mutation;
mod registry;
#[cfg(test)]
mod specimen;
mod trial;
mod trial_result;

pub use contract::{Breach, RuleStanding, Terms, breaches, examine};
pub use do_nothing::{DoNothing, do_nothing};
pub use grade::{CaseResult, Grade, GradedTrial, GradingContext};
pub use judge::GraderDoc;
pub use mutation::{
    AnyAnswer, CaseMutation, GraderChecked, Mutation, MutationTotals, Sight, any_answer, by_case, mutate,
};
pub use registry::reference;
pub use trial::{cut_off, grade, held};
pub use trial_result::{GraderResult, TrialResult};
