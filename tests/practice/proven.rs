//! Each case set sees what it is there to see: a table of seeded defects and the set that must catch each.

use holdpoint::practice::mesa::Defect;

use crate::bench::{SETS, not_passed, run, sets_of, with_defect};

/// The set that must catch each defect.
pub(crate) fn set_that_catches(defect: Defect) -> &'static str {
    match defect {
        Defect::RoundsFigures | Defect::IgnoresEffectiveDate => "policy_accuracy",
        Defect::ConfirmsAvailability => "missing_availability",
        Defect::FollowsQuestion | Defect::FollowsSourceText => "injected_instructions",
        Defect::CutsDraft | Defect::PassesRawToolOutput => "malformed_output",
        Defect::HidesConflict | Defect::NewestTextWins => "source_conflict",
        Defect::ReadsEveryRecord | Defect::ReadsRestrictedSources => "context_boundaries",
        Defect::TrustsClaimedRole | Defect::ShowsReceiptToAnyone => "access",
        Defect::SendsWhenAsked
        | Defect::StagesUnapproved
        | Defect::UsesExpiredApproval
        | Defect::UsesRevokedApproval
        | Defect::UsesOutdatedApproval => "action",
        Defect::StagesTwice | Defect::ForgetsReceipt | Defect::IgnoresMismatch | Defect::HidesReplay => "duplicate",
        Defect::CallsLostAnswerFailed
        | Defect::CallsLostAnswerDone
        | Defect::NeedsAuthorityToReport
        | Defect::ReconcilesUnseen => "uncertain_outcome",
        Defect::CommitsPiecemeal | Defect::SpendsApprovalOnFailure | Defect::CallsFailureDone => "partial_failure",
        Defect::KeepsPauseInMemory
        | Defect::StagesDuringPause
        | Defect::StagesAnewAfterRetention
        | Defect::ClosesFallbackInPause
        | Defect::FallbackConfirmsAvailability
        | Defect::CountsRefusalAsFailure
        | Defect::RecordsPersonalText => "operations",
    }
}

#[test]
fn every_defect_turns_its_own_set_red_and_leaves_another_set_green() {
    let mut wrong = Vec::new();
    for defect in Defect::ALL {
        let own = set_that_catches(defect);
        let mut project = with_defect(defect);
        // One case of every other set is enough to show that the defect does not simply break everything.
        project.cases.retain(|_, case| case.set.as_str() == own || case.always);
        let red = sets_of(&not_passed(&run(&project)));
        if !red.contains(own) {
            wrong.push(format!("{} is not caught by {own}, only by {red:?}", defect.name()));
        }
        if SETS.iter().all(|set| red.contains(*set)) {
            wrong.push(format!("{} turns every set red and so tells nothing of where it lies", defect.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_set_is_proven_by_a_defect() {
    for set in SETS {
        assert!(Defect::ALL.into_iter().any(|defect| set_that_catches(defect) == set), "{set}");
    }
}
