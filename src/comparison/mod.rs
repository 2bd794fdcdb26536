//! Where a case stands against its baseline. Pure.

mod compare;
mod standing;

pub use compare::{CompareInput, compare};
pub use standing::{Compared, Standing};
