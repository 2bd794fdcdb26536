//! Where a fault falls on the way of a call, and what it does, in words.

use crate::manifest::FaultName;

/// The places on a call's way at which a fault can fall, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultPlace {
    /// On the way to the target: before anything can be committed.
    Request,
    /// In the target itself, before it commits.
    Target,
    /// On the way back: the target has done what it does.
    Answer,
}

/// A fault as records name it: its name, with how an answer was withheld behind it (`lost_ack by timeout`).
pub(super) fn fault_of(recorded: &str) -> Option<FaultName> {
    let name = recorded.split_once(' ').map_or(recorded, |(name, _)| name);
    FaultName::ALL.into_iter().find(|fault| fault.name() == name)
}

/// Where it falls.
pub(super) fn place(fault: FaultName) -> FaultPlace {
    use FaultName::{
        CorruptJson, Delay, DropBefore, DuplicateDelivery, ErrorAfterCommit, FailBeforeCommit, InjectText, LateCommit,
        LostAck, LostRequest, OutOfOrder, RateLimited, Refuse, ReplaceBody, Stall, Status, TruncateAbrupt,
        TruncateClean, Unavailable,
    };
    match fault {
        LostRequest | DropBefore | Refuse | Status | DuplicateDelivery | OutOfOrder => FaultPlace::Request,
        FailBeforeCommit | Unavailable | RateLimited => FaultPlace::Target,
        LostAck | LateCommit | ErrorAfterCommit | Delay | Stall | TruncateClean | TruncateAbrupt | CorruptJson
        | ReplaceBody | InjectText => FaultPlace::Answer,
    }
}

/// What it does, in a sentence.
pub(super) fn sentence(fault: FaultName) -> &'static str {
    match fault {
        FaultName::FailBeforeCommit => "The call failed inside the target before it committed.",
        FaultName::LostAck => "The request went on to the target, and its answer was kept back.",
        FaultName::LostRequest => "The request was kept back, and no answer came.",
        FaultName::LateCommit => "No answer came, and the request went on only after the workflow had given up.",
        FaultName::ErrorAfterCommit => {
            "The request went on to the target, and the workflow got an error in place of its answer."
        }
        FaultName::Unavailable => "The workflow was told that the target is unavailable; nothing was done.",
        FaultName::RateLimited => "The workflow was told that it calls too often; nothing was done.",
        FaultName::Delay => "The answer came later than usual.",
        FaultName::DropBefore => "The request was kept back, and the connection ended.",
        FaultName::Refuse => "The connection ended as soon as it was made.",
        FaultName::Status => "A status was answered in the target's place; nothing was forwarded.",
        FaultName::DuplicateDelivery => "The target got the request twice.",
        FaultName::Stall => "The answer began and then stood still.",
        FaultName::TruncateClean => "The answer ended early, and its end looked like an end.",
        FaultName::TruncateAbrupt => "The answer ended early, because the connection broke.",
        FaultName::CorruptJson => "The answer was made unreadable as JSON.",
        FaultName::ReplaceBody => "The answer was replaced by another one.",
        FaultName::InjectText => "A text was slipped into the answer.",
        FaultName::OutOfOrder => "The request was held back until a later one had gone on.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_fault_is_known_by_its_name_whatever_stands_behind_it() {
        for fault in FaultName::ALL {
            assert_eq!(fault_of(fault.name()), Some(fault));
            assert_eq!(fault_of(&format!("{} by timeout", fault.name())), Some(fault));
        }
        assert_eq!(fault_of("lost"), None);
    }

    #[test]
    fn what_keeps_the_request_back_falls_before_the_target_and_what_keeps_the_answer_back_after_it() {
        assert_eq!(place(FaultName::DropBefore), FaultPlace::Request);
        assert_eq!(place(FaultName::FailBeforeCommit), FaultPlace::Target);
        assert_eq!(place(FaultName::LostAck), FaultPlace::Answer);
    }
}
