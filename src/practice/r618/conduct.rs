//! How the workflow conducts itself: every rule that a seeded defect can break, named by what the sound one does.

/// The rules. All hold on the sound workflow; [`super::defects`] is the only place that turns one off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conduct {
    /// A denied permission ends the attempts.
    pub(super) takes_denial_as_final: bool,
    /// A refused parameter ends the attempts.
    pub(super) takes_refusal_as_final: bool,
    /// Every attempt of one intention carries the same key.
    pub(super) keeps_key: bool,
    /// Every attempt of one intention asks for the same.
    pub(super) keeps_parameters: bool,
    /// An empty answer is believed only after the documented time and a second look.
    pub(super) looks_again: bool,
    /// After an attempt without a clear answer the target is looked at before another.
    pub(super) looks_before_repeating: bool,
    /// The confirmation waits for a verified reservation.
    pub(super) blocks_while_unknown: bool,
    /// A step counts as done when the target's record shows it, not when its answer says so.
    pub(super) verifies_at_target: bool,
    /// A message that was sent is reported as sent.
    pub(super) reports_sent_as_sent: bool,
    /// The target's own request to wait is honoured.
    pub(super) honours_retry_after: bool,
    /// The number of attempts is bounded.
    pub(super) limits_attempts: bool,
    /// The time of all attempts together is bounded.
    pub(super) limits_time: bool,
    /// A key is relied on only within the target's window.
    pub(super) minds_key_window: bool,
    /// A restart goes on from the record.
    pub(super) continues_from_record: bool,
    /// An allocation settles the reservation only as a whole: case, component, quantity, request.
    pub(super) matches_whole_record: bool,
    /// A change of the stock settles nothing.
    pub(super) ignores_stock_changes: bool,
    /// Each remaining step is checked again before it is made.
    pub(super) rechecks_conditions: bool,
    /// An answer that never came is unknown, not failed.
    pub(super) keeps_lost_answer_unknown: bool,
    /// What stays unresolved is given to a named role.
    pub(super) names_an_owner: bool,
    /// What succeeded is kept when a later step fails.
    pub(super) keeps_finished_steps: bool,
    /// "The first request still runs" is a reason to wait, not a refusal.
    pub(super) waits_for_first_request: bool,
    /// A changed quantity or component is a new decision, not a retry.
    pub(super) refuses_changed_request: bool,
    /// An approval ends when its time is over or it is revoked.
    pub(super) minds_approvals_end: bool,
    /// An approval covers what was looked at, and nothing else.
    pub(super) minds_approvals_extent: bool,
    /// Undoing needs a right of its own.
    pub(super) undoes_with_authority: bool,
    /// A held operation goes on only through the role that it was given to.
    pub(super) resumes_with_role: bool,
}

impl Conduct {
    /// The sound workflow.
    pub(super) fn sound() -> Self {
        Self {
            takes_denial_as_final: true,
            takes_refusal_as_final: true,
            keeps_key: true,
            keeps_parameters: true,
            looks_again: true,
            looks_before_repeating: true,
            blocks_while_unknown: true,
            verifies_at_target: true,
            reports_sent_as_sent: true,
            honours_retry_after: true,
            limits_attempts: true,
            limits_time: true,
            minds_key_window: true,
            continues_from_record: true,
            matches_whole_record: true,
            ignores_stock_changes: true,
            rechecks_conditions: true,
            keeps_lost_answer_unknown: true,
            names_an_owner: true,
            keeps_finished_steps: true,
            waits_for_first_request: true,
            refuses_changed_request: true,
            minds_approvals_end: true,
            minds_approvals_extent: true,
            undoes_with_authority: true,
            resumes_with_role: true,
        }
    }
}
