//! Whether a step still serves: asked anew before every attempt, since the world goes on meanwhile.

use serde_json::{Value, json};

use crate::practice::targets::Target;

use super::request::Wanted;
use super::steps::Step;
use super::workflow::Workflow;

/// Why a step no longer serves: the reason's code, and what is to be decided.
struct Objection {
    code: &'static str,
    question: &'static str,
}

const CANCELLED: Objection = Objection {
    code: "customer_cancelled",
    question: "The customer has cancelled. What becomes of the case and of what is reserved?",
};
const ARRANGED: Objection = Objection {
    code: "arranged_otherwise",
    question: "Another coordinator has arranged something else. Which of the two holds?",
};
const CLOSED: Objection =
    Objection { code: "case_closed", question: "The case was closed elsewhere. Does the request still stand?" };
const UNSUITABLE: Objection = Objection {
    code: "component_unsuitable",
    question: "The component is no longer suitable. Which one, under which approval, takes its place?",
};
const RELEASED: Objection =
    Objection { code: "reservation_gone", question: "The reservation no longer stands. Is the customer to be told?" };
const UNREADABLE: Objection =
    Objection { code: "conditions_unreadable", question: "The target could not be read. Does the step still serve?" };
const UNAPPROVED: Objection = Objection { code: "approval_missing", question: "Is this request approved?" };
const EXPIRED: Objection = Objection { code: "approval_expired", question: "Is this request approved anew?" };
const REVOKED: Objection = Objection { code: "approval_revoked", question: "Is this request approved anew?" };
const NOT_COVERED: Objection = Objection {
    code: "approval_does_not_cover",
    question: "What is to be done differs from what was approved. Is it approved as it is now?",
};

impl Workflow<'_> {
    /// Whether the step still serves. If not, it is held for a decision.
    pub(super) fn still_serves(&mut self, step: Step) -> rusqlite::Result<bool> {
        if !Step::FORWARD.contains(&step) {
            return Ok(true);
        }
        match self.objection(step)? {
            None => Ok(true),
            Some(Objection { code, question }) => {
                self.hold_for_decision(step, code, question)?;
                Ok(false)
            }
        }
    }

    fn objection(&mut self, step: Step) -> rusqlite::Result<Option<Objection>> {
        let wanted = self.wanted()?;
        let body = json!({"request": self.request.reference, "component": wanted.component});
        let body = body.as_object().cloned().unwrap_or_default();
        let Some(desk) = self.read(Target::CaseDesk, "cases", &body) else { return Ok(Some(UNREADABLE)) };
        if self.conduct.rechecks_conditions {
            if let Some(objection) = at_the_desk(step, &desk) {
                return Ok(Some(objection));
            }
            if step != Step::Case
                && let Some(objection) = self.at_the_inventory(step, &wanted)?
            {
                return Ok(Some(objection));
            }
        }
        // Creating a case commits nobody to anything; reserving and sending need the approval.
        if step == Step::Case { Ok(None) } else { self.at_the_approval(&wanted, &desk) }
    }

    fn at_the_inventory(&mut self, step: Step, wanted: &Wanted) -> rusqlite::Result<Option<Objection>> {
        let body = json!({"request": self.request.reference, "component": wanted.component});
        let body = body.as_object().cloned().unwrap_or_default();
        let Some(shelf) = self.read(Target::Inventory, "components", &body) else { return Ok(Some(UNREADABLE)) };
        let component = &shelf["components"][0];
        if step == Step::Reservation {
            self.stock_before = component["stock"].as_i64();
        }
        // A component that the inventory does not know is the inventory's to refuse.
        if component["suitable"] == 0 {
            return Ok(Some(UNSUITABLE));
        }
        if step != Step::Confirmation {
            return Ok(None);
        }
        let allocation = self.receipt(Step::Reservation)?;
        let Some(shown) = self.read(Target::Inventory, "allocations", &body) else { return Ok(None) };
        let mut allocations = shown["allocations"].as_array().into_iter().flatten();
        let ours = allocations.find(|shown| shown["allocation"].as_str() == allocation.as_deref());
        // A view that lags may not show it yet, and its absence says nothing.
        Ok(ours.filter(|ours| ours["status"] == "released").map(|_| RELEASED))
    }

    fn at_the_approval(&self, wanted: &Wanted, desk: &Value) -> rusqlite::Result<Option<Objection>> {
        if !self.rights.run_needs_approval() {
            return Ok(None);
        }
        let Some(approval) = self.record.approval(&self.request.reference)? else { return Ok(Some(UNAPPROVED)) };
        if self.conduct.minds_approvals_end {
            if approval.revoked {
                return Ok(Some(REVOKED));
            }
            if self.clock.now_ms() >= approval.expires_ms {
                return Ok(Some(EXPIRED));
            }
        }
        let contact = desk["cases"][0]["contact"].as_str().unwrap_or(&wanted.contact);
        let covers = approval.component == wanted.component
            && approval.quantity == wanted.quantity
            && approval.contact == wanted.contact
            && approval.contact == contact;
        Ok((!covers && self.conduct.minds_approvals_extent).then_some(NOT_COVERED))
    }
}

fn at_the_desk(step: Step, desk: &Value) -> Option<Objection> {
    if desk["arrangements"].as_array().is_some_and(|arrangements| !arrangements.is_empty()) {
        return Some(ARRANGED);
    }
    let case = &desk["cases"][0];
    if step == Step::Case || case.is_null() {
        return None;
    }
    if case["cancelled"] == 1 {
        return Some(CANCELLED);
    }
    (case["status"] == "closed").then_some(CLOSED)
}
