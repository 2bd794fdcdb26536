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
    /// An answer that never came leaves the outcome unknown.
    pub(super) keeps_lost_answer_unknown: bool,
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
            keeps_lost_answer_unknown: true,
        }
    }
}
