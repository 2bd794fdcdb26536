//! What the sample's trials are made of: a case, answers, calls, grades.

use std::collections::BTreeMap;

use serde_json::json;

use crate::domain::{CaseId, Digest, OperationId, Risk, TrialStatus};
use crate::evidence::{
    Answer, Answered, AttemptSeen, Call, Delivered, Exchange, FaultLaid, Form, Forwarded, Message, Observation,
    StepObservation,
};
use crate::grading::{Grade, GradedTrial};
use crate::manifest::{Case, CaseOutline};

pub(super) fn case(id: &CaseId, set: &str, title: &str) -> Case {
    let outline = CaseOutline {
        title: title.into(),
        path: format!("cases/{set}/{id}.yaml"),
        line: 1,
        ..CaseOutline::named(id.clone(), Risk::from(set), "mesa".into())
    };
    Case::new(outline, json!({"question": format!("What about {id}?"), "customer": "K-12"}), Vec::new())
}

pub(super) fn text_answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), json: None, output: json!(text), claims: Vec::new() }
}

pub(super) fn json_answer(output: &str, source: &str) -> Answer {
    let json = json!({
        "output": output,
        "citations": [{"source": source, "version": "5", "quote": "within 14 days"}]
    });
    Answer { text: json.to_string(), output: json!(output), json: Some(json), claims: Vec::new() }
}

pub(super) fn attempt(number: u32, step: u32, fault: Option<&str>, answered: Answered) -> AttemptSeen {
    AttemptSeen {
        number,
        step,
        call: Some(Call { connector: "review".into(), operation: "stage".to_owned() }),
        identity: Some("op-7".to_owned()),
        fault: fault.map(str::to_owned),
        answered,
        exchange: Some(number),
        behind: None,
    }
}

pub(super) fn step(number: u32, kind: &str) -> StepObservation {
    let (kind, stderr) = (kind.to_owned(), String::new());
    StepObservation { number, kind, duration_ms: 12, answer: None, http_status: None, stderr, failure: None }
}

/// Two calls of one operation: the first is done and its answer kept back, the second meets a busy target. A third only
/// reads.
pub(super) fn exchanges() -> Vec<Exchange> {
    let body = |text: &str| Message {
        headers: Vec::new(),
        bytes: text.len() as u64,
        digest: Some(Digest::of(text.as_bytes())),
        text: text.to_owned(),
        is_cut: false,
    };
    let call = |number: u32, step: u32, begun_us: u64| Exchange {
        number,
        step,
        connector: "review".into(),
        operation: Some("stage".to_owned()),
        intention: Some(OperationId::from("op-7")),
        key: Some("op-7".to_owned()),
        begun_us,
        sent_us: Some(begun_us + 90),
        answered_us: Some(begun_us + 2_300),
        ended_us: begun_us + 2_410,
        method: "POST".to_owned(),
        target: "/items".to_owned(),
        request: body("{\"customer\": \"K-12\", \"text\": \"Tuesday at ten\"}"),
        forwarded: Forwarded::Whole,
        answer: Some(body("{\"receipt\": \"R-1\"}")),
        status: Some(201),
        delivered: Delivered::Whole,
        delivered_status: Some(201),
        retry_after: None,
        fault: None,
        problem: None,
    };
    let lost = Exchange {
        ended_us: 1_003_120,
        delivered: Delivered::No,
        delivered_status: None,
        fault: Some(FaultLaid { index: 0, name: "lost_ack by timeout".to_owned() }),
        ..call(1, 1, 3_120)
    };
    let busy = Exchange {
        answer: Some(body("busy")),
        status: Some(503),
        delivered_status: Some(503),
        retry_after: Some("2".to_owned()),
        ..call(2, 3, 1_020_500)
    };
    let read = Exchange {
        operation: None,
        intention: None,
        key: None,
        method: "GET".to_owned(),
        target: "/items?customer=K-12".to_owned(),
        request: Message::default(),
        ..call(3, 3, 1_031_000)
    };
    vec![lost, busy, read]
}

pub(super) fn grade(grader: &str, pass: Option<bool>, message: &str) -> Grade {
    Grade { grader: grader.to_owned(), pass, message: message.to_owned() }
}

pub(super) fn trial(
    id: &str,
    number: u32,
    status: TrialStatus,
    answer: Option<Answer>,
    grades: Vec<Grade>,
) -> GradedTrial {
    GradedTrial {
        observation: Observation {
            duration_ms: 41 + u64::from(number),
            steps: vec![StepObservation {
                number: 1,
                kind: "invoke".to_owned(),
                duration_ms: 41,
                answer,
                http_status: None,
                stderr: String::new(),
                failure: None,
            }],
            ..Observation::begun(&id.into(), Form::Head, number, "2026-03-02T09:14:08Z".to_owned())
        },
        grades,
        claim_checks: BTreeMap::new(),
        status,
    }
}
