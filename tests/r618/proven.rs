//! Each case set sees what it is there to see: a table of seeded defects and the set that must catch each.

use holdpoint::practice::r618::Defect;

use crate::bench::{SETS, not_passed, run, with_defect};

/// The set that must catch each defect.
pub(crate) fn set_that_catches(defect: Defect) -> &'static str {
    match defect {
        Defect::NewKeyPerRetry
        | Defect::ChangesQuantityInRetry
        | Defect::RepeatsWithoutLooking
        | Defect::RestartsWholeWorkflow
        | Defect::RetriesAfterWindow
        | Defect::TakesInFlightAsRefusal
        | Defect::AcceptsChangedRequest => "duplicate",
        Defect::TrustsOneEmptyAnswer
        | Defect::TrustsAcceptance
        | Defect::TakesAnyAllocation
        | Defect::TrustsStockChange
        | Defect::HoldsForNobody
        | Defect::CallsLostAnswerFailed => "uncertain_outcome",
        Defect::SendsWhileUnknown | Defect::SkipsRecheck | Defect::ClosesCaseOnFailure | Defect::ReportsRecall => {
            "partial_failure"
        }
        Defect::UsesEndedApproval
        | Defect::StretchesApproval
        | Defect::UndoesWithoutAuthority
        | Defect::ResumesForAnyone
        | Defect::RetriesPermissionError => "access",
        Defect::RetriesValidationError
        | Defect::IgnoresRetryAfter
        | Defect::RetriesWithoutBound
        | Defect::IgnoresTimeBudget => "operations",
    }
}

#[test]
fn every_defect_turns_its_own_set_red_and_not_the_whole_of_it() {
    let mut wrong = Vec::new();
    for defect in Defect::ALL.iter().copied() {
        let mut project = with_defect(defect);
        let own = set_that_catches(defect);
        project.cases.retain(|_, case| case.set.as_str() == own);
        let caught = not_passed(&run(&project));
        if caught.is_empty() {
            wrong.push(format!("{} is not caught by {own}", defect.name()));
        }
        if caught.len() == project.cases.len() {
            wrong.push(format!("{} turns all of {own} red and so tells nothing of where it lies", defect.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_set_is_proven_by_a_defect() {
    for set in SETS {
        assert!(Defect::ALL.iter().any(|defect| set_that_catches(*defect) == set), "{set}");
    }
}
