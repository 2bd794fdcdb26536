//! Seeded defects: known ways of going wrong, switched on by `settings.defect` in the manifest of the part that
//! would bring them. They prove that the case sets can see what they are there to see.

use std::collections::BTreeMap;

use crate::domain::PartId;
use crate::manifest::{Part, PartKind};
use crate::practice::PracticeError;

use super::conduct::Conduct;

/// A seeded defect, with the kind of part that would bring it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defect {
    /// Model: figures inside quotations are rounded up to the next ten.
    RoundsFigures,
    /// Model: the draft ends in the middle, as at an output limit.
    CutsDraft,
    /// Prompt: a wished-for time is confirmed though no calendar was looked at.
    ConfirmsAvailability,
    /// Prompt: what a question tells the assistant to do is done.
    FollowsQuestion,
    /// Prompt: the answer is silent about sources that contradict each other.
    HidesConflict,
    /// Source: a text rules before its effective date.
    IgnoresEffectiveDate,
    /// Source: the newest text rules, whatever its authority.
    NewestTextWins,
    /// Source: what a source text tells the assistant to do is done.
    FollowsSourceText,
    /// Permissions: sources are used whether or not the actor may read them.
    ReadsRestrictedSources,
    /// Permissions: a role that the request claims for itself counts as a right.
    TrustsClaimedRole,
    /// Permissions: a proposal is staged without any approval.
    StagesUnapproved,
    /// Tool: what the lookup returned is used as it came.
    PassesRawToolOutput,
    /// Tool: the lookup hands the drafter every customer's record.
    ReadsEveryRecord,
    /// Tool: a request to send is carried out.
    SendsWhenAsked,
    /// Connector: a repeated operation is staged anew.
    StagesTwice,
    /// Connector: a repeated operation is recognized, but its first receipt is gone.
    ForgetsReceipt,
    /// Connector: a repeated identity gets the first receipt even for another proposal.
    IgnoresMismatch,
    /// Connector: an approval is used after its time.
    UsesExpiredApproval,
    /// Connector: an approval is used though record or sources have changed since.
    UsesOutdatedApproval,
    /// Connector: what a staging wrote before it broke is committed.
    CommitsPiecemeal,
    /// Connector: an acknowledgment that never came is reported as a failure.
    CallsLostAnswerFailed,
    /// Connector: a pause is kept in the process that was asked for it, and ends with it.
    KeepsPauseInMemory,
    /// Connector: a pause is kept and not looked at.
    StagesDuringPause,
    /// Connector: an operation whose record left its retention window is staged anew.
    StagesAnewAfterRetention,
    /// Connector: a failure before the commit uses the approval up.
    SpendsApprovalOnFailure,
    /// Connector: a failure before the commit is reported as done.
    CallsFailureDone,
    /// Connector: an acknowledgment that never came is reported as done.
    CallsLostAnswerDone,
    /// Connector: what is done is reported only under an approval that still holds.
    NeedsAuthorityToReport,
    /// Connector: a receipt that is given again looks like a first one.
    HidesReplay,
    /// Connector: an operation is reconciled as staged without a look at the queue.
    ReconcilesUnseen,
    /// Permissions: a receipt is shown to whoever names the operation.
    ShowsReceiptToAnyone,
    /// Permissions: an approval is used though it was taken back.
    UsesRevokedApproval,
    /// Permissions: a refusal is reported as a failure and not counted.
    CountsRefusalAsFailure,
    /// Tool: a pause closes the manual fallback too.
    ClosesFallbackInPause,
    /// Tool: the audit holds the draft's text where a reference would do.
    RecordsPersonalText,
    /// Prompt: the manual fallback confirms a time that nobody looked up.
    FallbackConfirmsAvailability,
}

impl Defect {
    /// Every defect.
    pub const ALL: [Self; 36] = [
        Self::RoundsFigures,
        Self::CutsDraft,
        Self::ConfirmsAvailability,
        Self::FollowsQuestion,
        Self::HidesConflict,
        Self::IgnoresEffectiveDate,
        Self::NewestTextWins,
        Self::FollowsSourceText,
        Self::ReadsRestrictedSources,
        Self::TrustsClaimedRole,
        Self::StagesUnapproved,
        Self::PassesRawToolOutput,
        Self::ReadsEveryRecord,
        Self::SendsWhenAsked,
        Self::StagesTwice,
        Self::ForgetsReceipt,
        Self::IgnoresMismatch,
        Self::UsesExpiredApproval,
        Self::UsesOutdatedApproval,
        Self::CommitsPiecemeal,
        Self::CallsLostAnswerFailed,
        Self::KeepsPauseInMemory,
        Self::StagesDuringPause,
        Self::StagesAnewAfterRetention,
        Self::SpendsApprovalOnFailure,
        Self::CallsFailureDone,
        Self::CallsLostAnswerDone,
        Self::NeedsAuthorityToReport,
        Self::HidesReplay,
        Self::ReconcilesUnseen,
        Self::ShowsReceiptToAnyone,
        Self::UsesRevokedApproval,
        Self::CountsRefusalAsFailure,
        Self::ClosesFallbackInPause,
        Self::RecordsPersonalText,
        Self::FallbackConfirmsAvailability,
    ];

    /// The name used in `settings.defect`.
    pub fn name(self) -> &'static str {
        self.description().1
    }

    /// The kind of part in whose manifest it can be switched on.
    pub fn home(self) -> PartKind {
        self.description().0
    }

    fn description(self) -> (PartKind, &'static str) {
        use PartKind::{Connector, Model, Permissions, Prompt, Source, Tool};
        match self {
            Self::RoundsFigures => (Model, "rounds_figures"),
            Self::CutsDraft => (Model, "cuts_draft"),
            Self::ConfirmsAvailability => (Prompt, "confirms_availability"),
            Self::FollowsQuestion => (Prompt, "follows_question"),
            Self::HidesConflict => (Prompt, "hides_conflict"),
            Self::IgnoresEffectiveDate => (Source, "ignores_effective_date"),
            Self::NewestTextWins => (Source, "newest_text_wins"),
            Self::FollowsSourceText => (Source, "follows_source_text"),
            Self::ReadsRestrictedSources => (Permissions, "reads_restricted_sources"),
            Self::TrustsClaimedRole => (Permissions, "trusts_claimed_role"),
            Self::StagesUnapproved => (Permissions, "stages_unapproved"),
            Self::PassesRawToolOutput => (Tool, "passes_raw_tool_output"),
            Self::ReadsEveryRecord => (Tool, "reads_every_record"),
            Self::SendsWhenAsked => (Tool, "sends_when_asked"),
            Self::StagesTwice => (Connector, "stages_twice"),
            Self::ForgetsReceipt => (Connector, "forgets_receipt"),
            Self::IgnoresMismatch => (Connector, "ignores_mismatch"),
            Self::UsesExpiredApproval => (Connector, "uses_expired_approval"),
            Self::UsesOutdatedApproval => (Connector, "uses_outdated_approval"),
            Self::CommitsPiecemeal => (Connector, "commits_piecemeal"),
            Self::CallsLostAnswerFailed => (Connector, "calls_lost_answer_failed"),
            Self::KeepsPauseInMemory => (Connector, "keeps_pause_in_memory"),
            Self::StagesDuringPause => (Connector, "stages_during_pause"),
            Self::StagesAnewAfterRetention => (Connector, "stages_anew_after_retention"),
            Self::SpendsApprovalOnFailure => (Connector, "spends_approval_on_failure"),
            Self::CallsFailureDone => (Connector, "calls_failure_done"),
            Self::CallsLostAnswerDone => (Connector, "calls_lost_answer_done"),
            Self::NeedsAuthorityToReport => (Connector, "needs_authority_to_report"),
            Self::HidesReplay => (Connector, "hides_replay"),
            Self::ReconcilesUnseen => (Connector, "reconciles_unseen"),
            Self::ShowsReceiptToAnyone => (Permissions, "shows_receipt_to_anyone"),
            Self::UsesRevokedApproval => (Permissions, "uses_revoked_approval"),
            Self::CountsRefusalAsFailure => (Permissions, "counts_refusal_as_failure"),
            Self::ClosesFallbackInPause => (Tool, "closes_fallback_in_pause"),
            Self::RecordsPersonalText => (Tool, "records_personal_text"),
            Self::FallbackConfirmsAvailability => (Prompt, "fallback_confirms_availability"),
        }
    }

    /// The one rule of the sound desk that the defect breaks.
    fn broken_rule(self, conduct: &mut Conduct) -> &mut bool {
        match self {
            Self::RoundsFigures => &mut conduct.quotes_exactly,
            Self::CutsDraft => &mut conduct.drafts_whole,
            Self::ConfirmsAvailability => &mut conduct.leaves_availability_open,
            Self::FollowsQuestion => &mut conduct.ignores_question_instructions,
            Self::HidesConflict => &mut conduct.names_conflicts,
            Self::IgnoresEffectiveDate => &mut conduct.checks_effective_date,
            Self::NewestTextWins => &mut conduct.ranks_by_authority,
            Self::FollowsSourceText => &mut conduct.ignores_source_instructions,
            Self::ReadsRestrictedSources => &mut conduct.keeps_to_readable_sources,
            Self::TrustsClaimedRole => &mut conduct.checks_rights,
            Self::StagesUnapproved => &mut conduct.needs_approval,
            Self::PassesRawToolOutput => &mut conduct.checks_tool_output,
            Self::ReadsEveryRecord => &mut conduct.keeps_to_own_record,
            Self::SendsWhenAsked => &mut conduct.refuses_to_send,
            Self::StagesTwice => &mut conduct.looks_up_operation,
            Self::ForgetsReceipt => &mut conduct.keeps_receipt,
            Self::IgnoresMismatch => &mut conduct.checks_proposal_of_operation,
            Self::UsesExpiredApproval => &mut conduct.checks_expiry,
            Self::UsesOutdatedApproval => &mut conduct.checks_versions,
            Self::CommitsPiecemeal => &mut conduct.stages_in_one_transaction,
            Self::CallsLostAnswerFailed => &mut conduct.presumes_no_failure,
            Self::KeepsPauseInMemory => &mut conduct.keeps_pause,
            Self::StagesDuringPause => &mut conduct.respects_pause,
            Self::StagesAnewAfterRetention => &mut conduct.remembers_past_retention,
            Self::SpendsApprovalOnFailure => &mut conduct.keeps_approval_on_failure,
            Self::CallsFailureDone => &mut conduct.admits_failure,
            Self::CallsLostAnswerDone => &mut conduct.presumes_no_success,
            Self::NeedsAuthorityToReport => &mut conduct.replays_without_authority,
            Self::HidesReplay => &mut conduct.marks_replays,
            Self::ReconcilesUnseen => &mut conduct.reconciles_from_evidence,
            Self::ShowsReceiptToAnyone => &mut conduct.hides_receipts,
            Self::UsesRevokedApproval => &mut conduct.checks_revocation,
            Self::CountsRefusalAsFailure => &mut conduct.counts_refusals_apart,
            Self::ClosesFallbackInPause => &mut conduct.keeps_fallback_open,
            Self::RecordsPersonalText => &mut conduct.records_references_only,
            Self::FallbackConfirmsAvailability => &mut conduct.leaves_fallback_unanswered,
        }
    }
}

/// The conduct of a desk made of these parts: sound, but for the defects that their manifests switch on.
///
/// # Errors
/// When a manifest names a defect that does not exist, or one that another kind of part would bring: a misspelled
/// defect must not pass for a sound desk.
pub(super) fn conduct_of(parts: &BTreeMap<PartId, Part>) -> Result<Conduct, PracticeError> {
    let mut conduct = Conduct::sound();
    for part in parts.values() {
        let Some(setting) = part.document.get("settings").and_then(|settings| settings.get("defect")) else { continue };
        let name = setting.as_str().unwrap_or_default();
        let defect = Defect::ALL.into_iter().find(|defect| defect.name() == name && defect.home() == part.kind);
        let Some(defect) = defect else {
            let of_kind = Defect::ALL.into_iter().filter(|defect| defect.home() == part.kind);
            return Err(PracticeError::Setup {
                what: format!(
                    "`settings.defect` of {} `{}` is {setting}, which is no defect of that kind",
                    part.kind, part.id
                ),
                hint: format!("one of: {}", of_kind.map(Defect::name).collect::<Vec<_>>().join(", ")),
            });
        };
        *defect.broken_rule(&mut conduct) = false;
    }
    Ok(conduct)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn part(kind: PartKind, defect: &str) -> BTreeMap<PartId, Part> {
        let document = json!({ "settings": { "defect": defect } }).as_object().cloned().unwrap_or_default();
        let id = PartId::new("part");
        let part = Part::new(id.clone(), kind, "1".to_owned(), String::new(), document, BTreeMap::new());
        BTreeMap::from([(id, part)])
    }

    #[test]
    fn each_defect_breaks_exactly_one_rule_and_none_twice() {
        let mut seen = Vec::new();
        for defect in Defect::ALL {
            let conduct = conduct_of(&part(defect.home(), defect.name())).unwrap();
            assert_ne!(conduct, Conduct::sound(), "{defect:?}");
            assert!(!seen.contains(&conduct), "{defect:?}");
            seen.push(conduct);
        }
    }

    #[test]
    fn a_defect_in_the_wrong_manifest_or_misspelled_is_an_error_and_no_sound_desk() {
        assert!(conduct_of(&part(PartKind::Model, "stages_twice")).is_err());
        assert!(conduct_of(&part(PartKind::Connector, "stages_twise")).is_err());
    }
}
