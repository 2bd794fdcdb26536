//! Where things stand, as one JSON object: for the caller, and for whoever takes over.

use serde_json::{Map, Value, json};

use crate::domain::Claim;

use super::record::{Hold, State, StepRecord};
use super::request::Action;
use super::steps::Step;
use super::workflow::{Refusal, Workflow};

/// The report of one invocation.
pub(super) struct Report {
    fields: Map<String, Value>,
}

/// What can be said of one of the three things that must be explained together.
struct Account {
    /// One word.
    word: &'static str,
    text: String,
}

impl Account {
    fn is_known(&self) -> bool {
        self.word != "unknown"
    }
}

impl Report {
    /// Reports on the workflow's request.
    pub(super) fn make(workflow: &Workflow<'_>, refusal: Option<Refusal>) -> rusqlite::Result<Self> {
        let request = &workflow.request.reference;
        let mut steps = Vec::new();
        for step in Step::ALL {
            steps.push((step, workflow.record.step(request, step)?));
        }
        let hold = workflow.record.hold(request)?;
        let of = |wanted: Step| steps.iter().find(|(step, _)| *step == wanted).and_then(|(_, record)| record.as_ref());
        let case = case(of(Step::Case), of(Step::Closure));
        let reservation = reservation(of(Step::Reservation), of(Step::Release));
        let recalled = workflow.request.action == Action::Recall && !workflow.conduct.reports_sent_as_sent;
        let communication = communication(of(Step::Confirmation), recalled);
        let together = [&case, &reservation, &communication].into_iter().all(Account::is_known);
        let status = status(of(Step::Confirmation), of(Step::Release), of(Step::Closure), hold.as_ref(), recalled);
        let output = sentence(request, &case, &reservation, &communication, hold.as_ref(), refusal.as_ref());
        let mut report = json!({
            "schema": "r618.answer/1",
            "request": request,
            "status": if refusal.is_some() { "refused" } else { status },
            "position": status,
            "output": output,
            "explanation": {
                "case": case.word, "reservation": reservation.word, "communication": communication.word,
                "together": together,
            },
            "steps": described(workflow, &steps)?,
            "claims": claims(workflow, &steps, hold.as_ref()),
        });
        report["reason"] = refusal.map_or(Value::Null, |refusal| json!({"code": refusal.code, "text": refusal.text}));
        report["hold"] = hold.map_or(Value::Null, |hold| {
            json!({
                "step": hold.step.name(), "reason": hold.reason, "question": hold.question, "role": hold.role,
                "another_attempt": if hold.may_retry { "permitted" } else { "not permitted" },
                "resumes_with": hold.resumes_with,
                "since": jiff::Timestamp::from_millisecond(hold.since_ms).map(|since| since.to_string()).ok(),
            })
        });
        Ok(Self { fields: report.as_object().cloned().unwrap_or_default() })
    }

    /// The text of the report.
    pub(super) fn into_text(self) -> String {
        Value::Object(self.fields).to_string()
    }
}

fn case(case: Option<&StepRecord>, closure: Option<&StepRecord>) -> Account {
    let receipt = receipt(case);
    match (state(case), state(closure)) {
        (Some(State::Verified), Some(State::Verified)) => {
            Account { word: "closed", text: format!("{receipt} is closed") }
        }
        (Some(State::Verified), Some(State::Requested | State::Answered)) => {
            Account { word: "unknown", text: format!("whether {receipt} was closed is not known") }
        }
        (Some(State::Verified), _) => Account { word: "open", text: format!("{receipt} is open") },
        (Some(State::Requested | State::Answered), _) => {
            Account { word: "unknown", text: "whether a case was created is not known".to_owned() }
        }
        (Some(State::Refused | State::Absent) | None, _) => {
            Account { word: "none", text: "no case was created".to_owned() }
        }
    }
}

fn reservation(reservation: Option<&StepRecord>, release: Option<&StepRecord>) -> Account {
    let receipt = receipt(reservation);
    match (state(reservation), state(release)) {
        (Some(State::Verified), Some(State::Verified)) => {
            Account { word: "released", text: format!("{receipt} is released") }
        }
        (Some(State::Verified), Some(State::Requested | State::Answered)) => {
            Account { word: "unknown", text: format!("whether {receipt} was released is not known") }
        }
        (Some(State::Verified), _) => Account { word: "reserved", text: format!("{receipt} is reserved") },
        (Some(State::Requested | State::Answered), _) => {
            Account { word: "unknown", text: "whether the component was reserved is not known".to_owned() }
        }
        (Some(State::Refused | State::Absent) | None, _) => {
            Account { word: "none", text: "nothing is reserved".to_owned() }
        }
    }
}

fn communication(confirmation: Option<&StepRecord>, recalled: bool) -> Account {
    let receipt = receipt(confirmation);
    match state(confirmation) {
        Some(State::Verified) if recalled => Account { word: "recalled", text: format!("{receipt} is recalled") },
        Some(State::Verified) => Account {
            word: "sent",
            text: format!("{receipt} was accepted for sending, which nothing takes back; its delivery is not shown"),
        },
        Some(State::Requested | State::Answered) => {
            Account { word: "unknown", text: "whether the customer was told is not known".to_owned() }
        }
        Some(State::Refused | State::Absent) | None => {
            Account { word: "none", text: "the customer was not told".to_owned() }
        }
    }
}

fn state(record: Option<&StepRecord>) -> Option<State> {
    record.map(|record| record.state)
}

fn receipt(record: Option<&StepRecord>) -> &str {
    record.and_then(|record| record.receipt.as_deref()).unwrap_or("its record")
}

fn status(
    confirmation: Option<&StepRecord>,
    release: Option<&StepRecord>,
    closure: Option<&StepRecord>,
    hold: Option<&Hold>,
    recalled: bool,
) -> &'static str {
    let verified = |record: Option<&StepRecord>| state(record) == Some(State::Verified);
    match hold {
        _ if recalled => "recalled",
        _ if verified(closure) => "closed",
        Some(hold) if hold.reason == "approval_missing" => "awaiting_approval",
        Some(_) => "held",
        None if verified(release) => "released",
        None if verified(confirmation) => "completed",
        None => "open",
    }
}

fn sentence(
    request: &str,
    case: &Account,
    reservation: &Account,
    communication: &Account,
    hold: Option<&Hold>,
    refusal: Option<&Refusal>,
) -> String {
    let mut text = String::new();
    if let Some(refusal) = refusal {
        text.push_str(&format!("Refused: {}. ", refusal.text));
    }
    text.push_str(&format!("{request}: {}; {}; {}.", case.text, reservation.text, communication.text));
    if let Some(hold) = hold {
        let role = hold.role.as_deref().map_or_else(|| "nobody".to_owned(), |role| format!("`{role}`"));
        text.push_str(&format!(" Held at the {} for {role}: {}", hold.step.name(), hold.question));
    }
    text
}

fn described(workflow: &Workflow<'_>, steps: &[(Step, Option<StepRecord>)]) -> rusqlite::Result<Value> {
    let mut described = Map::new();
    for (step, record) in steps {
        let Some(record) = record else { continue };
        let looks = workflow.record.looks(&workflow.request.reference, *step)?;
        let looks = looks.into_iter().map(|(place, found)| json!({"at": place, "found": found}));
        let text = json!({
            "state": record.state.name(), "record": record.receipt, "reason": record.reason,
            "reference": step.reference(&workflow.request.reference), "attempts": record.attempts,
            "looks": looks.collect::<Vec<_>>(),
        });
        described.insert(step.name().to_owned(), text);
    }
    Ok(Value::Object(described))
}

fn claims(workflow: &Workflow<'_>, steps: &[(Step, Option<StepRecord>)], hold: Option<&Hold>) -> Value {
    let claims = steps.iter().filter_map(|(step, record)| {
        let held = hold.is_some_and(|hold| hold.step == *step);
        let claim = match record.as_ref()?.state {
            State::Verified => Claim::Completed,
            State::Refused => Claim::Rejected,
            State::Absent if held => Claim::Held,
            State::Absent => Claim::Failed,
            State::Requested | State::Answered if !workflow.conduct.keeps_lost_answer_unknown => Claim::Failed,
            State::Requested | State::Answered if held => Claim::Held,
            State::Requested | State::Answered => Claim::Unknown,
        };
        let reference = step.reference(&workflow.request.reference);
        Some(json!({"operation": reference, "claim": claim.name()}))
    });
    claims.collect()
}
