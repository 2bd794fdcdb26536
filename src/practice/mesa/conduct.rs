//! How the desk conducts itself: every rule that a seeded defect can break, named by what the sound desk does.

/// The rules. All hold on the sound desk; [`super::defects`] is the only place that turns one off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conduct {
    /// A quoted passage keeps every figure as its source has it.
    pub(super) quotes_exactly: bool,
    /// A source rules only from its effective date on.
    pub(super) checks_effective_date: bool,
    /// Among sources in force the higher authority rules, and only then the later date.
    pub(super) ranks_by_authority: bool,
    /// A conflict between sources is named in the answer.
    pub(super) names_conflicts: bool,
    /// A question about a free time stays unanswered, since no calendar is connected.
    pub(super) leaves_availability_open: bool,
    /// An instruction in a customer's question is text, not an instruction.
    pub(super) ignores_question_instructions: bool,
    /// An instruction in a source or a customer's record is text, not an instruction.
    pub(super) ignores_source_instructions: bool,
    /// What a tool returned is used only where it has the promised form.
    pub(super) checks_tool_output: bool,
    /// A draft is given whole.
    pub(super) drafts_whole: bool,
    /// Only the asking customer's record is used.
    pub(super) keeps_to_own_record: bool,
    /// Only sources that the actor may read are used.
    pub(super) keeps_to_readable_sources: bool,
    /// Rights come from the permissions, not from what a request claims.
    pub(super) checks_rights: bool,
    /// Sending is refused.
    pub(super) refuses_to_send: bool,
    /// Staging needs an approval.
    pub(super) needs_approval: bool,
    /// An approval ends when its time is over.
    pub(super) checks_expiry: bool,
    /// An approval holds only for the record and the sources that were looked at.
    pub(super) checks_versions: bool,
    /// An operation that already has a record is not staged anew.
    pub(super) looks_up_operation: bool,
    /// A repeated operation gets its first receipt.
    pub(super) keeps_receipt: bool,
    /// One operation identity stands for one proposal.
    pub(super) checks_proposal_of_operation: bool,
    /// Queue row, operation record and audit row are written together or not at all.
    pub(super) stages_in_one_transaction: bool,
    /// A failure before the commit leaves the approval as it was.
    pub(super) keeps_approval_on_failure: bool,
    /// A staging that failed is said to have failed.
    pub(super) admits_failure: bool,
    /// An answer that never came is no sign of a failure.
    pub(super) presumes_no_failure: bool,
    /// An answer that never came is no sign of a success.
    pub(super) presumes_no_success: bool,
    /// To report what is done takes no approval.
    pub(super) replays_without_authority: bool,
    /// A receipt that is given again says so.
    pub(super) marks_replays: bool,
    /// An operation is reconciled from what queue and audit show.
    pub(super) reconciles_from_evidence: bool,
    /// A receipt is given again only to someone who may see results.
    pub(super) hides_receipts: bool,
    /// An approval that was taken back is none.
    pub(super) checks_revocation: bool,
    /// An identity stands for its operation also when its record left the retention window.
    pub(super) remembers_past_retention: bool,
    /// A pause lies in the database.
    pub(super) keeps_pause: bool,
    /// A pause blocks new staging.
    pub(super) respects_pause: bool,
    /// The manual fallback stays open during a pause.
    pub(super) keeps_fallback_open: bool,
    /// The manual fallback leaves a question about a free time unanswered.
    pub(super) leaves_fallback_unanswered: bool,
    /// A refusal is counted as one, and not as a failure.
    pub(super) counts_refusals_apart: bool,
    /// Records and audit hold references alone.
    pub(super) records_references_only: bool,
}

impl Conduct {
    /// The sound desk.
    pub(super) fn sound() -> Self {
        Self {
            quotes_exactly: true,
            checks_effective_date: true,
            ranks_by_authority: true,
            names_conflicts: true,
            leaves_availability_open: true,
            ignores_question_instructions: true,
            ignores_source_instructions: true,
            checks_tool_output: true,
            drafts_whole: true,
            keeps_to_own_record: true,
            keeps_to_readable_sources: true,
            checks_rights: true,
            refuses_to_send: true,
            needs_approval: true,
            checks_expiry: true,
            checks_versions: true,
            looks_up_operation: true,
            keeps_receipt: true,
            checks_proposal_of_operation: true,
            stages_in_one_transaction: true,
            keeps_approval_on_failure: true,
            admits_failure: true,
            presumes_no_failure: true,
            presumes_no_success: true,
            replays_without_authority: true,
            marks_replays: true,
            reconciles_from_evidence: true,
            hides_receipts: true,
            checks_revocation: true,
            remembers_past_retention: true,
            keeps_pause: true,
            respects_pause: true,
            keeps_fallback_open: true,
            leaves_fallback_unanswered: true,
            counts_refusals_apart: true,
            records_references_only: true,
        }
    }

    /// The same desk while it hands a question to a person.
    pub(super) fn in_fallback(&self) -> Self {
        let leaves_availability_open = self.leaves_availability_open && self.leaves_fallback_unanswered;
        Self { leaves_availability_open, ..self.clone() }
    }
}
