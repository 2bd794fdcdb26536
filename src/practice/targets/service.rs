//! One call, from its arrival to its answer: what landed meanwhile, access, faults, keys, the act, the journal.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde_json::{Map, Value, json};

use crate::evidence::Answered;
use crate::manifest::{Effect, FaultName, Operation};
use crate::practice::{Durability, PracticeError};

use super::clock::Clock;
use super::contract::{Contract, bound_ms, lag_ms};
use super::database;
use super::faults::{Falling, ServiceFaults};
use super::journal::{self, Entry};
use super::keys::{self, Kept, Key, Known};
use super::target::{Moment, Target, operation_of, text};

/// What happens elsewhere right after a call was served: connector, call, number.
pub type AfterCall = Box<dyn Fn(&str, &str, u32) + Send + Sync>;

/// A target service on its database.
pub struct Service {
    target: Target,
    contract: Contract,
    clock: Clock,
    faults: ServiceFaults,
    after_call: Option<AfterCall>,
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// A call as it arrives.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) call: String,
    pub(super) key: Option<String>,
    pub(super) actor: String,
    pub(super) body: Map<String, Value>,
}

/// How a call ends for the caller.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ended {
    Answered(Reply),
    /// The connection ends without an answer.
    Dropped,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
    /// How much later than at once it is given, in milliseconds.
    pub(super) after_ms: i64,
}

impl Reply {
    pub(super) fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body, after_ms: 0 }
    }
}

/// How a call was served: what the caller gets, and what the journal says of it.
struct Served {
    ended: Ended,
    answered: Option<Answered>,
}

impl Served {
    fn reply(status: u16, body: Value, answered: Answered) -> Self {
        Self { ended: Ended::Answered(Reply::new(status, body)), answered: Some(answered) }
    }

    fn refused(status: u16, code: &str) -> Self {
        Self::reply(status, json!({"error": code}), Answered::Refused { reason: code.to_owned() })
    }

    fn error(status: u16, code: &str) -> Self {
        Self::reply(status, json!({"error": code}), Answered::Error { detail: format!("{status} {code}") })
    }

    fn dropped(answered: Answered) -> Self {
        Self { ended: Ended::Dropped, answered: Some(answered) }
    }
}

/// One call under way.
struct Call<'a> {
    asked: &'a Asked,
    operation: &'a Operation,
    fault: Option<Falling>,
    now_ms: i64,
}

impl Call<'_> {
    fn has(&self, name: FaultName) -> bool {
        self.fault.is_some_and(|fault| fault.name == name)
    }
}

impl Service {
    /// Opens the service on its database file.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn open(
        target: Target,
        contract: Contract,
        path: &Path,
        durability: Durability,
        clock: Clock,
    ) -> Result<Self, PracticeError> {
        let connection = database::open(path, &[journal::TABLES, target.tables()], durability)?;
        let faults = ServiceFaults::default();
        let (path, connection) = (path.to_owned(), Mutex::new(connection));
        let service = Self { target, contract, clock, faults, after_call: None, path, connection };
        let landed = service.land(&mut service.connection(), service.clock.now_ms());
        let failed = |source| PracticeError::Store { path: service.path.clone(), doing: "letting writes land", source };
        landed.map_err(failed)?;
        Ok(service)
    }

    /// Lays faults on its calls.
    #[must_use]
    pub fn with_faults(mut self, faults: ServiceFaults) -> Self {
        self.faults = faults;
        self
    }

    /// Does something elsewhere after each call.
    #[must_use]
    pub fn with_after_call(mut self, after_call: AfterCall) -> Self {
        self.after_call = Some(after_call);
        self
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Serves one call.
    pub(super) fn handle(&self, asked: &Asked) -> Ended {
        let served = {
            let mut connection = self.connection();
            self.serve(&mut connection, asked)
        };
        match served {
            Ok((ended, number)) => {
                if let Some(after_call) = &self.after_call {
                    after_call(self.contract.id().as_str(), &asked.call, number);
                }
                ended
            }
            Err(error) => {
                let body =
                    json!({"error": "database", "path": self.path.display().to_string(), "detail": error.to_string()});
                Ended::Answered(Reply::new(500, body))
            }
        }
    }

    fn serve(&self, connection: &mut Connection, asked: &Asked) -> rusqlite::Result<(Ended, u32)> {
        let now_ms = self.clock.now_ms();
        self.land(connection, now_ms)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let number = journal::calls_of(&transaction, &asked.call)? + 1;
        let operation = operation_of(&asked.call, text(&asked.body, "request"));
        let fault = self.faults.on(&asked.call, number);
        let served = match self.contract.operation(&asked.call) {
            None => Served::refused(404, "unknown_operation"),
            Some(operation) => self.decide(&transaction, &Call { asked, operation, fault, now_ms })?,
        };
        let status = match &served.ended {
            Ended::Answered(reply) => reply.status,
            Ended::Dropped => 0,
        };
        journal::remember(
            &transaction,
            &Entry {
                call: &asked.call,
                number,
                operation: operation.as_deref(),
                identity: asked.key.as_deref(),
                actor: &asked.actor,
                fault: fault.map(|fault| fault.name.name()),
                status,
                answered: served.answered.as_ref().filter(|_| operation.is_some()),
                at_ms: now_ms,
            },
        )?;
        if let (Ended::Answered(reply), Some(fault)) = (&served.ended, fault)
            && matches!(reply.status, 429 | 503)
        {
            journal::ask_to_wait(&transaction, &asked.call, now_ms + fault.ms)?;
        }
        transaction.commit()?;
        Ok((served.ended, number))
    }

    fn decide(&self, transaction: &Transaction<'_>, call: &Call<'_>) -> rusqlite::Result<Served> {
        if let Some(served) = self.before_anything(transaction, call)? {
            return Ok(served);
        }
        let served = if call.operation.effect == Effect::None {
            self.read(transaction, call)?
        } else {
            self.write(transaction, call)?
        };
        Ok(after_all(served, call))
    }

    /// The faults that fall before the target has done anything, and who may call at all.
    fn before_anything(&self, transaction: &Transaction<'_>, call: &Call<'_>) -> rusqlite::Result<Option<Served>> {
        if let Some(fault) = call.fault {
            let slow_down = |status, code| {
                let mut served = Served::error(status, code);
                if let Ended::Answered(reply) = &mut served.ended {
                    reply.headers.push(("retry-after".to_owned(), ((fault.ms + 999) / 1000).to_string()));
                }
                Some(served)
            };
            match fault.name {
                FaultName::LostRequest => return Ok(Some(Served::dropped(Answered::NotForwarded))),
                FaultName::Unavailable => return Ok(slow_down(503, "unavailable")),
                FaultName::RateLimited => return Ok(slow_down(429, "rate_limited")),
                FaultName::LateCommit if call.operation.effect != Effect::None => {
                    let (key, lands_ms) = (call.asked.key.as_deref(), call.now_ms + fault.ms);
                    take_in(transaction, &call.asked.call, &call.asked.body, key, false, lands_ms)?;
                    return Ok(Some(Served::dropped(Answered::NoAnswer)));
                }
                _ => {}
            }
        }
        let select = "SELECT count(*) FROM revoked_access WHERE actor = ?1";
        let revoked: bool = transaction.query_row(select, [&call.asked.actor], |row| row.get(0))?;
        let nobody = call.asked.actor.is_empty();
        Ok((revoked || nobody).then(|| Served::refused(403, "access_denied")))
    }

    fn read(&self, transaction: &Transaction<'_>, call: &Call<'_>) -> rusqlite::Result<Served> {
        if call.has(FaultName::FailBeforeCommit) {
            return Ok(Served::error(500, "internal"));
        }
        let body = &call.asked.body;
        let shown = if call.asked.call == "status" {
            Some(self.status(transaction, text(body, "reference"))?)
        } else {
            self.target.read(transaction, &call.asked.call, body, call.now_ms)?
        };
        Ok(match shown {
            Some(shown) => Served { ended: Ended::Answered(Reply::new(200, shown)), answered: None },
            None => Served::refused(404, "unknown_operation"),
        })
    }

    /// What became of an operation, by its reference: the target's own knowledge, which does not lag.
    fn status(&self, transaction: &Transaction<'_>, reference: &str) -> rusqlite::Result<Value> {
        let records = self.target.records_of(transaction, reference)?;
        if !records.is_empty() {
            return Ok(json!({"state": "done", self.target.records(): records}));
        }
        let select = "SELECT count(*) > 0 FROM pending WHERE reference = ?1 AND known";
        let in_progress: bool = transaction.query_row(select, [reference], |row| row.get(0))?;
        Ok(json!({"state": if in_progress { "in_progress" } else { "unknown" }}))
    }

    fn write(&self, transaction: &Transaction<'_>, call: &Call<'_>) -> rusqlite::Result<Served> {
        let (name, idempotency) = (&call.asked.call, &call.operation.idempotency);
        if text(&call.asked.body, "request").is_empty() {
            return Ok(Served::refused(400, "request_missing"));
        }
        let key = match keys::key_of(idempotency, call.asked.key.as_deref(), &call.asked.body) {
            Ok(key) => key,
            Err(code) => return Ok(Served::refused(400, code)),
        };
        if let Some(key) = &key {
            match keys::look(transaction, name, key, idempotency, call.now_ms)? {
                Known::New => {}
                Known::Answered(kept) => return Ok(replay(kept, call.operation)),
                Known::InFlight => return Ok(Served::error(409, "in_flight")),
                Known::Mismatch => return Ok(Served::refused(422, "key_mismatch")),
            }
        }
        if call.has(FaultName::FailBeforeCommit) {
            let kept = Kept { status: 500, answer: json!({"error": "internal"}), receipt: None };
            if let Some(key) = &key {
                keys::keep(transaction, name, key, idempotency, &kept, call.now_ms)?;
            }
            return Ok(Served::error(500, "internal"));
        }
        let accepts_first = call.operation.processing.is_some_and(|processing| processing.accepts_first);
        if accepts_first { self.accept(transaction, call, key) } else { self.commit(transaction, call, key) }
    }

    fn commit(&self, transaction: &Transaction<'_>, call: &Call<'_>, key: Option<Key>) -> rusqlite::Result<Served> {
        let moment = Moment { now_ms: call.now_ms, visible_ms: call.now_ms + lag_ms(call.operation) };
        let done = match self.target.act(transaction, &call.asked.call, &call.asked.body, moment)? {
            Ok(done) => done,
            Err(refusal) => return Ok(Served::refused(refusal.status, refusal.code)),
        };
        let receipt = Some(done.receipt);
        let kept = Kept { status: 201, answer: done.answer, receipt: receipt.clone() };
        if let Some(key) = &key {
            keys::keep(transaction, &call.asked.call, key, &call.operation.idempotency, &kept, call.now_ms)?;
        }
        Ok(Served::reply(201, kept.answer, Answered::Committed { receipt }))
    }

    /// Takes a request in; its effect comes later. What the target would refuse it refuses at once.
    fn accept(&self, transaction: &Transaction<'_>, call: &Call<'_>, key: Option<Key>) -> rusqlite::Result<Served> {
        let Asked { call: name, body, .. } = call.asked;
        transaction.execute_batch("SAVEPOINT trying")?;
        let moment = Moment { now_ms: call.now_ms, visible_ms: call.now_ms };
        let tried = self.target.act(transaction, name, body, moment)?;
        transaction.execute_batch("ROLLBACK TO trying; RELEASE trying")?;
        if let Err(refusal) = tried {
            return Ok(Served::refused(refusal.status, refusal.code));
        }
        if let Some(key) = &key {
            keys::begin(transaction, name, key, call.now_ms)?;
        }
        let lands_ms = call.now_ms + bound_ms(call.operation).unwrap_or(0);
        take_in(transaction, name, body, key.as_ref().map(|key| key.text.as_str()), true, lands_ms)?;
        let answer = json!({"accepted": true, "reference": text(body, "reference")});
        Ok(Served::reply(202, answer, Answered::Error { detail: "202 taken in, not done yet".to_owned() }))
    }

    /// Lets everything take effect whose time has come. A write that was held up on its way meets the keys only now.
    fn land(&self, connection: &mut Connection, now_ms: i64) -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let due: Vec<(i64, String, String, Option<String>, bool, i64)> = {
            let mut select = transaction.prepare_cached(
                "SELECT id, call, body, key, known, lands_ms FROM pending WHERE lands_ms <= ?1 ORDER BY lands_ms, id",
            )?;
            let rows = select.query_map([now_ms], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
            })?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        for (id, call, body, key, known, lands_ms) in due {
            transaction.execute("DELETE FROM pending WHERE id = ?1", [id])?;
            let (Some(operation), Ok(body)) = (self.contract.operation(&call), serde_json::from_str(&body)) else {
                continue;
            };
            let asked = Asked { call, key, actor: "late".to_owned(), body };
            let call = Call { asked: &asked, operation, fault: None, now_ms: lands_ms };
            let key = keys::key_of(&operation.idempotency, asked.key.as_deref(), &asked.body).ok().flatten();
            if known {
                self.commit(&transaction, &call, key)?;
            } else {
                self.write(&transaction, &call)?;
            }
        }
        transaction.commit()
    }
}

/// The faults that fall once everything is done.
fn after_all(mut served: Served, call: &Call<'_>) -> Served {
    let Some(fault) = call.fault else { return served };
    match fault.name {
        FaultName::LostAck | FaultName::LateCommit => served.ended = Ended::Dropped,
        FaultName::ErrorAfterCommit => return Served::error(500, "internal"),
        FaultName::Delay => {
            if let Ended::Answered(reply) = &mut served.ended {
                reply.after_ms = fault.ms;
            }
        }
        _ => {}
    }
    served
}

/// The kept answer again, with the signal by which the contract says that a replay shows.
fn replay(kept: Kept, operation: &Operation) -> Served {
    let mut reply = Reply::new(kept.status, kept.answer);
    let signal = operation.idempotency.replay_signal.as_ref();
    if let Some(header) = signal.and_then(|signal| signal.header.as_ref()) {
        reply.headers.push((header.clone(), "true".to_owned()));
    }
    if let (Some(field), Some(body)) = (signal.and_then(|signal| signal.field.as_ref()), reply.body.as_object_mut()) {
        body.insert(field.clone(), Value::Bool(true));
    }
    let answered = if kept.status < 300 {
        Answered::Replayed { receipt: kept.receipt }
    } else {
        Answered::Error { detail: format!("{} kept from the first request", kept.status) }
    };
    Served { ended: Ended::Answered(reply), answered: Some(answered) }
}

fn take_in(
    transaction: &Transaction<'_>,
    call: &str,
    body: &Map<String, Value>,
    key: Option<&str>,
    known: bool,
    lands_ms: i64,
) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO pending (call, request, reference, body, key, known, lands_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            call,
            text(body, "request"),
            text(body, "reference"),
            Value::Object(body.clone()).to_string(),
            key,
            known,
            lands_ms
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
