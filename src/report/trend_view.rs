//! How the runs before this one ended, in `holdpoint.report/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::RunId;
use crate::verdict::VerdictWord;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrendPoint {
    /// The run.
    pub run: RunId,
    /// When it ended, RFC 3339.
    pub finished: String,
    /// Its verdict.
    pub verdict: VerdictWord,
    /// Its exit code.
    pub exit_code: u8,
    /// Cases that ran.
    pub selected: usize,
    /// Those that passed.
    pub passed: usize,
}
