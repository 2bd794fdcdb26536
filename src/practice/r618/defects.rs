//! Seeded defects: known ways of going wrong, switched on by `settings.defect` in the manifest of the part that
//! would bring them. They prove that the case sets can see what they are there to see.

use std::collections::BTreeMap;

use crate::domain::PartId;
use crate::manifest::{Part, PartKind};
use crate::practice::PracticeError;

use super::conduct::Conduct;

macro_rules! defects {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $kind:ident, $rule:ident;)*) => {
        /// A seeded defect, with the kind of part that would bring it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Defect {
            $($(#[$doc])* $variant,)*
        }

        impl Defect {
            /// Every defect.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name used in `settings.defect`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The kind of part in whose manifest it can be switched on.
            pub fn home(self) -> PartKind {
                match self { $(Self::$variant => PartKind::$kind,)* }
            }

            /// The one rule of the sound workflow that the defect breaks.
            fn broken_rule(self, conduct: &mut Conduct) -> &mut bool {
                match self { $(Self::$variant => &mut conduct.$rule,)* }
            }
        }
    };
}

defects! {
    /// A denied permission is asked for again and again.
    RetriesPermissionError, "retries_permission_error", Connector, takes_denial_as_final;
    /// A refused parameter is sent again and again.
    RetriesValidationError, "retries_validation_error", Connector, takes_refusal_as_final;
    /// Each attempt carries a key of its own.
    NewKeyPerRetry, "new_key_per_retry", Connector, keeps_key;
    /// A retry asks for one more.
    ChangesQuantityInRetry, "changes_quantity_in_retry", Connector, keeps_parameters;
    /// One empty answer, given at once, is taken as proof that nothing happened.
    TrustsOneEmptyAnswer, "trusts_one_empty_answer", Connector, looks_again;
    /// After a lost answer the step is simply made again.
    RepeatsWithoutLooking, "repeats_without_looking", Connector, looks_before_repeating;
    /// The confirmation goes out while the reservation is unknown.
    SendsWhileUnknown, "sends_while_unknown", Connector, blocks_while_unknown;
    /// A step counts as done as soon as the target has taken the request in.
    TrustsAcceptance, "trusts_acceptance", Connector, verifies_at_target;
    /// A message that was sent is reported as recalled.
    ReportsRecall, "reports_recall", Connector, reports_sent_as_sent;
    /// The target's request to wait is ignored.
    IgnoresRetryAfter, "ignores_retry_after", Connector, honours_retry_after;
    /// Attempts go on without a bound.
    RetriesWithoutBound, "retries_without_bound", Connector, limits_attempts;
    /// Attempts go on beyond the time that they may take together.
    IgnoresTimeBudget, "ignores_time_budget", Connector, limits_time;
    /// A key is relied on after the target has forgotten it.
    RetriesAfterWindow, "retries_after_window", Connector, minds_key_window;
    /// A restart begins the workflow anew.
    RestartsWholeWorkflow, "restarts_whole_workflow", Connector, continues_from_record;
    /// Somebody else's allocation of the same component passes for its own.
    TakesAnyAllocation, "takes_any_allocation", Connector, matches_whole_record;
    /// A stock that went down passes for the reservation.
    TrustsStockChange, "trusts_stock_change", Connector, ignores_stock_changes;
    /// Remaining steps are made without another look at what has changed.
    SkipsRecheck, "skips_recheck", Connector, rechecks_conditions;
    /// A lost answer is reported as a failure.
    CallsLostAnswerFailed, "calls_lost_answer_failed", Connector, keeps_lost_answer_unknown;
    /// What stays unresolved is given to nobody.
    HoldsForNobody, "holds_for_nobody", Connector, names_an_owner;
    /// A failed reservation takes the case with it.
    ClosesCaseOnFailure, "closes_case_on_failure", Connector, keeps_finished_steps;
    /// "Still running" is taken for a refusal.
    TakesInFlightAsRefusal, "takes_in_flight_as_refusal", Connector, waits_for_first_request;
    /// A request that comes again with another quantity is taken as the same.
    AcceptsChangedRequest, "accepts_changed_request", Connector, refuses_changed_request;
    /// An approval that is over or revoked is used.
    UsesEndedApproval, "uses_ended_approval", Permissions, minds_approvals_end;
    /// An approval is used for what it does not cover.
    StretchesApproval, "stretches_approval", Permissions, minds_approvals_extent;
    /// Anybody who may run the workflow may undo what it did.
    UndoesWithoutAuthority, "undoes_without_authority", Permissions, undoes_with_authority;
    /// Anybody may let a held operation go on.
    ResumesForAnyone, "resumes_for_anyone", Permissions, resumes_with_role;
}

/// The conduct of a workflow made of these parts: sound, but for the defects that their manifests switch on.
///
/// # Errors
/// When a manifest names a defect that does not exist, or one that another kind of part would bring: a misspelled
/// defect must not pass for a sound workflow.
pub(super) fn conduct_of(parts: &BTreeMap<PartId, Part>) -> Result<Conduct, PracticeError> {
    let mut conduct = Conduct::sound();
    for part in parts.values() {
        let Some(setting) = part.document.get("settings").and_then(|settings| settings.get("defect")) else { continue };
        let of_kind = Defect::ALL.iter().copied().filter(|defect| defect.home() == part.kind);
        let Some(defect) = of_kind.clone().find(|defect| setting.as_str() == Some(defect.name())) else {
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
    use serde_json::json;

    use super::*;

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
    fn a_defect_in_the_wrong_manifest_or_misspelled_is_an_error_and_no_sound_workflow() {
        assert!(conduct_of(&part(PartKind::Permissions, "skips_recheck")).is_err());
        assert!(conduct_of(&part(PartKind::Connector, "skips_rechecks")).is_err());
    }
}
