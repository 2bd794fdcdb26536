//! The promise of the idempotency key, as the contract has it: scope, window, kept failures, mismatch, replay.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value};

use crate::domain::Digest;
use crate::manifest::{AnswerInFlight, AnswerToMismatch, Idempotency, IdempotencyKey, KeptAnswers};

use super::clock::ms;

/// A key as a call carries it, with the digest of what it asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) digest: String,
}

/// What the target knows of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    /// Nothing, or nothing any more: the request runs.
    New,
    /// The request was answered before; this is the answer.
    Answered(Kept),
    /// The first request with this key still runs.
    InFlight,
    /// The key stands for another request.
    Mismatch,
}

/// An answer that was kept for a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    pub(super) status: u16,
    pub(super) answer: Value,
    pub(super) receipt: Option<String>,
}

/// The key of a call; `Err` is the code of the refusal where it must have one and has none that will do.
pub(super) fn key_of(
    idempotency: &Idempotency,
    header: Option<&str>,
    body: &Map<String, Value>,
) -> Result<Option<Key>, &'static str> {
    let digest = Digest::of_json(&Value::Object(body.clone())).hex().to_owned();
    let text = match idempotency.key {
        IdempotencyKey::None => return Ok(None),
        IdempotencyKey::Content => digest.clone(),
        IdempotencyKey::Resource => body.get("reference").and_then(Value::as_str).unwrap_or_default().to_owned(),
        IdempotencyKey::Caller => header.unwrap_or_default().to_owned(),
    };
    if text.is_empty() {
        return Err("key_missing");
    }
    let longest = idempotency.max_key_length.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    if text.chars().count() > longest {
        return Err("key_too_long");
    }
    Ok(Some(Key { text, digest }))
}

/// What is known of `key` for `call` at this time.
pub(super) fn look(
    connection: &Connection,
    call: &str,
    key: &Key,
    idempotency: &Idempotency,
    now_ms: i64,
) -> rusqlite::Result<Known> {
    let select = "SELECT digest, running, status, answer, receipt, since_ms FROM keys WHERE call = ?1 AND key = ?2";
    let row = connection.query_row(select, params![call, key.text], |row| {
        let answer: String = row.get(3)?;
        let answer = serde_json::from_str(&answer).unwrap_or(Value::Null);
        let kept = Kept { status: row.get(2)?, answer, receipt: row.get(4)? };
        Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?, kept, row.get::<_, i64>(5)?))
    });
    let Some((digest, running, kept, since_ms)) = row.optional()? else { return Ok(Known::New) };
    let window_ms = idempotency.window_s.map_or(i64::MAX, |window_s| ms(window_s as f64));
    if now_ms.saturating_sub(since_ms) > window_ms {
        return Ok(Known::New);
    }
    if digest != key.digest {
        return Ok(match idempotency.mismatch {
            AnswerToMismatch::Refuse | AnswerToMismatch::Unstated => Known::Mismatch,
            AnswerToMismatch::FirstAnswer if !running => Known::Answered(kept),
            AnswerToMismatch::FirstAnswer => Known::InFlight,
            AnswerToMismatch::RunAgain => Known::New,
        });
    }
    Ok(match (running, idempotency.in_flight) {
        (false, _) => Known::Answered(kept),
        (true, AnswerInFlight::RunAgain) => Known::New,
        (true, _) => Known::InFlight,
    })
}

/// Notes that the request of `key` runs and is not answered yet.
pub(super) fn begin(connection: &Connection, call: &str, key: &Key, now_ms: i64) -> rusqlite::Result<()> {
    write(connection, call, key, true, &Kept { status: 0, answer: Value::Null, receipt: None }, now_ms)
}

/// Keeps the answer for `key`, where the contract says that an answer of its kind is kept.
pub(super) fn keep(
    connection: &Connection,
    call: &str,
    key: &Key,
    idempotency: &Idempotency,
    kept: &Kept,
    now_ms: i64,
) -> rusqlite::Result<()> {
    if kept.status >= 300 && idempotency.keeps != KeptAnswers::All {
        return Ok(());
    }
    write(connection, call, key, false, kept, now_ms)
}

fn write(
    connection: &Connection,
    call: &str,
    key: &Key,
    running: bool,
    kept: &Kept,
    now_ms: i64,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR REPLACE INTO keys (call, key, digest, running, status, answer, receipt, since_ms) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![call, key.text, key.digest, running, kept.status, kept.answer.to_string(), kept.receipt, now_ms],
    )?;
    Ok(())
}
