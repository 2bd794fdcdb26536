//! Where a case stands against its baseline. Pure.

mod standing;

pub use standing::{Compared, Standing};
