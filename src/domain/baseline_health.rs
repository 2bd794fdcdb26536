//! What can be said of the accepted results as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether there are accepted results to stand on, and why not where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BaselineHealth {
    /// There are some, and they are as they were accepted.
    #[default]
    Sound,
    /// Nothing was ever accepted.
    Missing,
    /// There are records, and nothing of them is in force any more.
    Empty,
    /// No record is here, and git's history is cut short, so that nobody can tell whether there ever was one.
    Unseen,
    /// They are in a format that this holdpoint does not know.
    Newer,
    /// They are not as they were accepted.
    Damaged,
}

impl BaselineHealth {
    /// Why nothing stands on them, as the beginning of a sentence; nothing where results can.
    pub fn why_none(self) -> Option<&'static str> {
        match self {
            Self::Sound => None,
            Self::Missing => Some("no result was ever accepted"),
            Self::Empty => Some("no accepted result is in force any more"),
            Self::Unseen => Some(
                "no accepted result is here, and git's history is cut short, so whether one ever was cannot be told",
            ),
            Self::Newer => Some("what was accepted is in a format of a newer holdpoint"),
            Self::Damaged => Some("what was accepted cannot be trusted"),
        }
    }

    /// Whether there is something that was accepted and cannot be read or relied on.
    pub fn is_unreadable(self) -> bool {
        matches!(self, Self::Newer | Self::Damaged)
    }
}
