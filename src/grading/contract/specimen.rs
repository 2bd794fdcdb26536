//! Trials made up for the tests of rules: a shop whose inventory takes keys and whose messages are sent once each time.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::{Claim, Digest, OperationId, Outcome, PartId, Rule};
use crate::evidence::{
    ClaimMade, Delivered, Exchange, FaultLaid, Forwarded, Message, Observation, OperationSeen, StepObservation,
    attempts_at_operations,
};
use crate::grading::specimen::{claiming, observation};
use crate::manifest::ConnectorManifest;

use super::{RuleStanding, Terms, examine};

const SECOND_US: u64 = 1_000_000;

/// One call to be made up.
#[derive(Clone)]
pub(in crate::grading) struct Call {
    exchange: Exchange,
    at_s: Option<u64>,
}

impl Call {
    fn new(connector: &str, operation: &str, intention: Option<&str>) -> Self {
        let answer = |text: &str| Message {
            headers: Vec::new(),
            bytes: text.len() as u64,
            digest: Some(Digest::of(text.as_bytes())),
            text: text.to_owned(),
            is_cut: false,
        };
        let order = intention.and_then(|id| id.split_once(':')).map_or("", |(_, order)| order);
        let exchange = Exchange {
            number: 0,
            step: 1,
            connector: connector.into(),
            operation: Some(operation.to_owned()),
            intention: intention.map(OperationId::new),
            key: None,
            begun_us: 0,
            sent_us: None,
            answered_us: None,
            ended_us: 0,
            method: "POST".to_owned(),
            target: format!("/{operation}"),
            request: answer(&format!("{{\"order\": \"{order}\", \"quantity\": 1}}")),
            forwarded: Forwarded::Whole,
            answer: Some(answer(&format!("{{\"receipt\": \"R-{order}\"}}"))),
            status: Some(201),
            delivered: Delivered::Whole,
            delivered_status: Some(201),
            retry_after: None,
            fault: None,
            problem: None,
        };
        Self { exchange, at_s: None }
    }

    pub(in crate::grading) fn reserve(order: &str) -> Self {
        Self::new("inventory", "reserve", Some(&format!("reserve:{order}")))
    }

    pub(in crate::grading) fn release(order: &str) -> Self {
        Self::new("inventory", "release", Some(&format!("release:{order}")))
    }

    pub(in crate::grading) fn send(order: &str) -> Self {
        Self::new("messaging", "send", Some(&format!("send:{order}")))
    }

    /// A look at the inventory that finds nothing of an order.
    pub(in crate::grading) fn look(order: &str) -> Self {
        let mut call = Self::new("inventory", "allocations", None).status(200).answer("[]");
        call.exchange.method = "GET".to_owned();
        call.exchange.target = format!("/allocations?order={order}");
        call.exchange.request = Message::default();
        call
    }

    /// A look at the messages that finds nothing of an order.
    pub(in crate::grading) fn look_for_message(order: &str) -> Self {
        let mut call = Self::look(order).to("messaging", "messages");
        call.exchange.target = format!("/messages?order={order}");
        call
    }

    /// A call to a model.
    pub(in crate::grading) fn model(answer: &str) -> Self {
        Self::new("model", "chat", Some("chat:1")).status(200).answer(answer)
    }

    pub(in crate::grading) fn to(mut self, connector: &str, operation: &str) -> Self {
        self.exchange.connector = connector.into();
        self.exchange.operation = Some(operation.to_owned());
        self
    }

    /// A call that no manifest knows.
    pub(in crate::grading) fn unknown(mut self) -> Self {
        (self.exchange.operation, self.exchange.intention) = (None, None);
        self
    }

    pub(in crate::grading) fn key(mut self, key: &str) -> Self {
        self.exchange.key = Some(key.to_owned());
        self
    }

    pub(in crate::grading) fn body(mut self, text: &str) -> Self {
        self.exchange.request.digest = Some(Digest::of(text.as_bytes()));
        text.clone_into(&mut self.exchange.request.text);
        self
    }

    /// With a request that did not arrive as a whole.
    pub(in crate::grading) fn unread(mut self) -> Self {
        self.exchange.request.digest = None;
        self
    }

    /// With a header of the request.
    pub(in crate::grading) fn header(mut self, name: &str, value: &str) -> Self {
        self.exchange.request.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(in crate::grading) fn status(mut self, status: u16) -> Self {
        (self.exchange.status, self.exchange.delivered_status) = (Some(status), Some(status));
        self
    }

    pub(in crate::grading) fn answer(mut self, text: &str) -> Self {
        let answer = self.exchange.answer.get_or_insert_default();
        text.clone_into(&mut answer.text);
        answer.digest = Some(Digest::of(text.as_bytes()));
        self
    }

    /// Whose answer never arrives.
    pub(in crate::grading) fn lost(mut self) -> Self {
        (self.exchange.delivered, self.exchange.delivered_status) = (Delivered::No, None);
        self.fault("lost_ack by reset")
    }

    pub(in crate::grading) fn fault(mut self, name: &str) -> Self {
        self.exchange.fault = Some(FaultLaid { index: 0, name: name.to_owned() });
        self
    }

    pub(in crate::grading) fn retry_after(mut self, text: &str) -> Self {
        self.exchange.retry_after = Some(text.to_owned());
        self
    }

    /// So many seconds after the first step began; by default a second after the call before it.
    pub(in crate::grading) fn at(mut self, seconds: u64) -> Self {
        self.at_s = Some(seconds);
        self
    }

    /// So many milliseconds after the first step began.
    pub(in crate::grading) fn at_ms(mut self, milliseconds: u64) -> Self {
        self.exchange.begun_us = milliseconds * 1_000;
        self
    }

    pub(in crate::grading) fn step(mut self, step: u32) -> Self {
        self.exchange.step = step;
        self
    }
}

/// A trial and its terms.
#[derive(Clone)]
pub(in crate::grading) struct Trial {
    pub(in crate::grading) observation: Observation,
    pub(in crate::grading) terms: Terms,
}

/// A trial of these calls. An operation that its target called done has one effect; any other is uncertain.
pub(in crate::grading) fn trial(calls: &[Call]) -> Trial {
    let mut seen = observation(Some(claiming(&[])));
    let mut now_us = 0;
    for (number, call) in (1..).zip(calls) {
        let mut exchange = call.exchange.clone();
        exchange.number = number;
        if exchange.begun_us == 0 {
            exchange.begun_us = call.at_s.map_or(now_us + SECOND_US, |at_s| at_s * SECOND_US);
        }
        exchange.ended_us = exchange.begun_us + 1_000;
        exchange.answered_us = exchange.status.map(|_| exchange.ended_us);
        now_us = exchange.begun_us;
        seen.exchanges.push(exchange);
    }
    let connectors = shop().into_iter().map(|(id, manifest)| (id, Arc::new(manifest))).collect();
    for (operation, attempts) in attempts_at_operations(&seen.exchanges, &connectors) {
        let is_done = attempts.iter().any(|attempt| attempt.answered.says_done());
        let (outcome, effects) = if is_done { (Outcome::Committed, 1) } else { (Outcome::Uncertain, 0) };
        seen.operations.push(OperationSeen { operation, outcome, attempts, effects, evidence: Vec::new() });
    }
    Trial { observation: seen, terms: Terms { connectors: shop(), ..Terms::default() } }
}

impl Trial {
    pub(in crate::grading) fn outcome(mut self, operation: &str, outcome: Outcome, effects: usize) -> Self {
        let operations = &mut self.observation.operations;
        match operations.iter_mut().find(|seen| seen.operation.as_str() == operation) {
            Some(seen) => (seen.outcome, seen.effects) = (outcome, effects),
            None => operations.push(crate::grading::specimen::operation(operation, outcome, effects)),
        }
        self
    }

    /// A claim in the answer of a step; steps that are missing are invokes.
    pub(in crate::grading) fn claim(mut self, step: u32, operation: &str, claim: Claim) -> Self {
        self.steps_to(step);
        let claims = self.observation.steps.iter_mut().filter(|seen| seen.number == step);
        let made = ClaimMade { operation: operation.into(), claim };
        claims.flat_map(|seen| &mut seen.answer).for_each(|answer| answer.claims.push(made.clone()));
        self
    }

    /// A step that moves the workflow's time on.
    pub(in crate::grading) fn clock(mut self, step: u32, seconds: u64) -> Self {
        self.steps_to(step);
        self.terms.clock_steps.insert(step, seconds);
        for seen in self.observation.steps.iter_mut().filter(|seen| seen.number == step) {
            "clock".clone_into(&mut seen.kind);
            seen.answer = None;
        }
        self
    }

    fn steps_to(&mut self, last: u32) {
        while self.observation.steps.len() < last as usize {
            let number = u32::try_from(self.observation.steps.len()).unwrap() + 1;
            let first = self.observation.steps[0].clone();
            self.observation.steps.push(StepObservation { number, answer: Some(claiming(&[])), ..first });
        }
    }

    /// The trial as a practice workflow would show it: attempts, and nothing of the wire.
    pub(in crate::grading) fn without_exchanges(mut self) -> Self {
        self.observation.exchanges.clear();
        let attempts = self.observation.operations.iter_mut().flat_map(|seen| &mut seen.attempts);
        attempts.for_each(|attempt| attempt.exchange = None);
        self
    }

    #[track_caller]
    pub(in crate::grading) fn standing(&self, rule: Rule) -> RuleStanding {
        examine(rule, &self.observation, &self.terms)
    }
}

/// The connectors of the shop.
pub(in crate::grading) fn shop() -> BTreeMap<PartId, ConnectorManifest> {
    let key = json!({"header": "idempotency-key"});
    let order = json!({"body": "/order"});
    let wire = |path: &str| {
        json!({"method": "POST", "path": path, "intention": order, "key": key,
        "receipt": "/receipt", "refused": [422], "in_flight": 409})
    };
    let retry = json!({"attempts": 3, "budget_s": 60.0, "backoff": {"base_s": 0.5, "factor": 2.0, "cap_s": 2.0},
        "jitter": "equal", "honour_retry_after": true});
    let keyed =
        json!({"key": "caller", "window_s": 1800, "in_flight": "conflict", "replay_signal": {"field": "replayed"}});
    let read =
        |path: &str| json!({"effect": "none", "retry": {"attempts": 3}, "wire": {"method": "GET", "path": path}});
    let documents = [
        json!({"id": "inventory", "kind": "connector", "version": "1", "release": "1", "operations": {
            "reserve": {"effect": "create", "idempotency": keyed, "retry": retry, "wire": wire("/reserve"),
                "lookup": {"by": "order", "authoritative": false, "lag_s": 60.0}, "processing": {"within_s": 20.0}},
            "hold": {"effect": "create", "idempotency": keyed, "wire": {"method": "POST", "path": "/hold"}},
            "release": {"effect": "update", "idempotency": {"key": "resource"}, "wire": wire("/release")},
            "allocations": read("/allocations")}}),
        json!({"id": "messaging", "kind": "connector", "version": "1", "release": "1", "operations": {
            "send": {"effect": "send", "retry": retry, "wire": wire("/send"), "requires": ["inventory/reserve"],
                "lookup": {"by": "order", "authoritative": true, "lag_s": 10.0}},
            "messages": read("/messages")}}),
        json!({"id": "model", "kind": "connector", "version": "1", "release": "1", "operations": {
            "chat": {"effect": "none", "retry": {"attempts": 3}, "wire": {"method": "POST", "path": "/chat"}}}}),
    ];
    let manifest = |document: Value| serde_json::from_value::<ConnectorManifest>(document).expect("it fits its kind");
    documents.into_iter().map(manifest).map(|manifest| (manifest.id.clone(), manifest)).collect()
}

#[track_caller]
pub(in crate::grading) fn assert_kept(rule: Rule, trial: &Trial, occasions: usize) {
    assert_eq!(trial.standing(rule), RuleStanding::Kept(occasions));
}

#[track_caller]
pub(in crate::grading) fn assert_no_occasion(rule: Rule, trial: &Trial) {
    assert_eq!(trial.standing(rule), RuleStanding::NoOccasion);
}

#[track_caller]
pub(in crate::grading) fn assert_not_judged(rule: Rule, trial: &Trial) {
    let standing = trial.standing(rule);
    assert!(matches!(standing, RuleStanding::NotJudged(_)), "{standing:?}");
}

/// Asserts that there is exactly one breach, of this operation by these attempts.
#[track_caller]
pub(in crate::grading) fn assert_breach(rule: Rule, trial: &Trial, operation: Option<&str>, attempts: &[u32]) {
    let standing = trial.standing(rule);
    let RuleStanding::Broken(breaches) = &standing else { panic!("{standing:?}") };
    assert_eq!(breaches.len(), 1, "{breaches:?}");
    let breach = &breaches[0];
    assert_eq!((breach.rule, breach.operation.as_ref().map(OperationId::as_str)), (rule, operation));
    assert_eq!(breach.attempts, attempts, "{}", breach.message);
    assert!(breach.message.ends_with('.'), "{}", breach.message);
}
