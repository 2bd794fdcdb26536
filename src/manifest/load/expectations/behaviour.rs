//! Expectations of calls that could not be judged, or that no workflow can fail.

use crate::domain::OperationId;
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::expectation::{AttemptBounds, BackoffCheck, EffectCount, Expectation};
use crate::manifest::node::below;
use crate::manifest::part::CallName;
use crate::manifest::yaml::Document;

/// Checks what can be told from the expectation alone.
pub(super) fn check(document: &Document, pointer: &str, expectation: &Expectation, errors: &mut Vec<Diagnostic>) {
    let mut push = |pointer: &str, message: String, hint: &str| {
        errors.push(document.error(pointer, message).with_hint(hint));
    };
    let at = |key: &str| below(pointer, key);
    for (key, operation, call) in meant(expectation) {
        if operation.is_some_and(|operation| operation.as_str().trim().is_empty()) {
            let hint = "name the operation as the workflow does";
            push(&below(&at(key), "operation"), "the operation's name is empty".to_owned(), hint);
        }
        if operation.is_some() && call.is_some() {
            let hint = "an operation is one of those that make a call: keep the narrower of the two";
            push(&at(key), format!("`{key}` names an operation and a call"), hint);
        }
    }
    if let Some(attempts) = &expectation.attempts {
        check_attempts(attempts, |message, hint| push(&at("attempts"), message, hint));
    }
    if let Some(backoff) = &expectation.backoff {
        check_backoff(backoff, |message, hint| push(&at("backoff"), message, hint));
    }
    if let Some(no_retry) = &expectation.no_retry
        && no_retry.after.is_empty()
    {
        let hint = "name `refused`, `may_have_been_done`, or leave `after` out for both";
        push(&below(&at("no_retry"), "after"), "it says after nothing, so no workflow can fail it".to_owned(), hint);
    }
    for (index, pair) in expectation.order.iter().flatten().enumerate() {
        if pair.call == pair.before {
            let hint = "name two different calls";
            push(&below(&at("order"), index), format!("`{}` cannot come before itself", pair.call), hint);
        }
    }
    if let Some(depends) = &expectation.depends {
        if depends.call == depends.on {
            push(&at("depends"), format!("`{}` cannot depend on itself", depends.call), "name two different calls");
        }
        if depends.being.is_empty() {
            let hint = "name the outcomes that are enough, or leave `being` out for committed and replayed";
            push(&below(&at("depends"), "being"), "no outcome is enough".to_owned(), hint);
        }
    }
}

/// Which operation, and which call, each expectation of calls is about.
type Meant<'a> = (&'static str, Option<&'a OperationId>, Option<&'a CallName>);

/// What the expectations that take an operation or a call name.
pub(in crate::manifest::load) fn meant(expectation: &Expectation) -> Vec<Meant<'_>> {
    let mut meant: Vec<Meant<'_>> = Vec::new();
    if let Some(form) = &expectation.attempts {
        meant.push(("attempts", form.operation.as_ref(), form.call.as_ref()));
    }
    if let Some(form) = &expectation.backoff {
        meant.push(("backoff", form.operation.as_ref(), form.call.as_ref()));
    }
    if let Some(crate::manifest::expectation::RetryAfterForm::Some(form)) = expectation.retry_after.as_deref() {
        meant.push(("retry_after", form.operation.as_ref(), form.call.as_ref()));
    }
    if let Some(form) = &expectation.no_retry {
        meant.push(("no_retry", form.operation.as_ref(), form.call.as_ref()));
    }
    if let Some(form) = &expectation.identity {
        meant.push(("identity", form.operation.as_ref(), form.call.as_ref()));
    }
    if let Some(form) = &expectation.retry_layers {
        meant.push(("retry_layers", form.operation.as_ref(), form.call.as_ref()));
    }
    meant
}

fn check_attempts(attempts: &AttemptBounds, mut push: impl FnMut(String, &str)) {
    if attempts.operation.is_none() && attempts.call.is_none() {
        push("it says of nothing how often it is tried".to_owned(), "name an `operation` or a `call`");
    }
    match (attempts.at_least, attempts.at_most, attempts.within_s) {
        (None | Some(0), None, None) => {
            let hint = "give `at_most`, `within_s`, or `at_least` of 1 or more";
            push("every number of attempts passes".to_owned(), hint);
        }
        (Some(least), Some(most), _) if least > most => {
            push(format!("no number is at least {least} and at most {most}"), "exchange the two");
        }
        (_, Some(0), Some(_)) => push("no attempt takes no time".to_owned(), "leave `within_s` out"),
        _ => {}
    }
}

fn check_backoff(backoff: &BackoffCheck, mut push: impl FnMut(String, &str)) {
    let asks = backoff.grows || backoff.jitter || backoff.follows_manifest;
    match (backoff.at_least_s, backoff.at_most_s) {
        (None, None) if !asks => {
            let hint = "ask for `grows`, `jitter` or `follows_manifest`, or give bounds";
            push("it asks nothing of the waits".to_owned(), hint);
        }
        (Some(least), Some(most)) if least > most => {
            push(format!("no wait is at least {least} s and at most {most} s"), "exchange the two");
        }
        _ => {}
    }
}

/// Fields that counted effects must have, against what is counted.
pub(super) fn check_fields(effects: &EffectCount, mut push: impl FnMut(&str, String, &str)) {
    if !effects.fields.is_empty() && (effects.count == Some(0) || effects.at_most == Some(0)) {
        push("fields", "nothing may be there, and what is there must have fields".to_owned(), "leave `fields` out");
    }
    for (field, value) in &effects.fields {
        if effects.r#where.contains_key(field) {
            let is_same = effects.r#where.get(field) == Some(value);
            let message = format!("`where` asks for the field `{field}` already");
            let hint = if is_same { "leave it out here" } else { "no effect can have both values: keep one" };
            push("fields", message, hint);
        }
    }
}
