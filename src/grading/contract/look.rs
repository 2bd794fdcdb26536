//! Looks: reads by which a workflow finds out what became of an operation.

use crate::evidence::{Delivered, Exchange};

use super::scene::{Intent, Scene, Try};

/// One read at the connector of an operation, that concerns it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookMade {
    /// When it began, by the workflow's own time.
    pub(super) begun_s: f64,
    pub(super) showed: Showed,
}

/// What a read showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Showed {
    /// The operation's identity in an answer of 2xx.
    Something,
    /// Nothing of it: 404, or an answer of 2xx without its identity.
    Nothing,
}

/// The looks for an operation that were had after one attempt and are `before` something: reads that concern it and got an
/// answer that says something.
pub(super) fn looks_after(
    scene: &Scene<'_>,
    intent: &Intent<'_>,
    after: &Try<'_>,
    before: impl Fn(&Exchange) -> bool,
) -> Vec<LookMade> {
    let Some(attempt) = after.exchange else { return Vec::new() };
    let later = scene.exchanges.iter().copied().filter(|exchange| exchange.begun_us >= attempt.ended_us);
    later
        .filter(|exchange| exchange.connector == attempt.connector && before(exchange) && scene.reads(exchange))
        .filter(|exchange| concerns(exchange, intent, after))
        .filter_map(|exchange| {
            let showed = showed(exchange, intent, after)?;
            Some(LookMade { begun_s: scene.begun_s(exchange), showed })
        })
        .collect()
}

/// Whether looks settle what became of an attempt: the last one began when all that could be on its way had to show, and a
/// view that is not the system of record was read at least twice.
pub(super) fn settle(looks: &[LookMade], after: &Try<'_>) -> bool {
    let (Some(contract), Some(ended_s)) = (after.contract, after.ended_s()) else { return false };
    let lookup = contract.lookup.as_ref();
    let lag_s = lookup.map_or(0.0, |lookup| lookup.lag_s);
    let within_s = contract.processing.map_or(0.0, |processing| processing.within_s);
    let needed = if lookup.is_some_and(|lookup| lookup.authoritative) { 1 } else { 2 };
    looks.len() >= needed && looks.iter().any(|look| look.begun_s >= ended_s + lag_s.max(within_s))
}

/// A read concerns an operation where it names it. Where nothing says how a request names its operation, any read of the
/// connector may.
fn concerns(exchange: &Exchange, intent: &Intent<'_>, attempt: &Try<'_>) -> bool {
    let names_itself = attempt.contract.and_then(|contract| contract.wire.as_ref()?.intention.as_ref()).is_some();
    let answer = exchange.answer.as_ref().map_or("", |answer| answer.text.as_str());
    !names_itself
        || [&exchange.target, &exchange.request.text].into_iter().any(|text| names(text, intent, attempt))
        || names(answer, intent, attempt)
}

fn showed(exchange: &Exchange, intent: &Intent<'_>, attempt: &Try<'_>) -> Option<Showed> {
    let (Delivered::Whole, Some(status)) = (exchange.delivered, exchange.delivered_status) else { return None };
    let answer = exchange.answer.as_ref().filter(|_| exchange.status == Some(status));
    match (status, answer) {
        (404, _) => Some(Showed::Nothing),
        (200..300, Some(answer)) if names(&answer.text, intent, attempt) => Some(Showed::Something),
        (200..300, Some(answer)) if !answer.is_cut => Some(Showed::Nothing),
        _ => None,
    }
}

fn names(text: &str, intent: &Intent<'_>, attempt: &Try<'_>) -> bool {
    let identity = intent.business_identity();
    contains_name(text, identity) || attempt.key().is_some_and(|key| contains_name(text, key))
}

/// Whether a name stands in a text by itself: `O-1` does not stand in `O-10`.
pub(super) fn contains_name(text: &str, name: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    !name.is_empty()
        && text
            .match_indices(name)
            .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next()))
}
