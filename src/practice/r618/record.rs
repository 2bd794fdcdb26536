//! The workflow's durable record: what was requested, what was answered, what was verified, and what is held.
//!
//! Every method is one transaction. Only `requests` and `approvals` hold whom to write to: it is what was asked for
//! and what was approved. Every other table holds references.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::practice::targets::open;
use crate::practice::{Durability, PracticeError};

use super::request::Wanted;
use super::steps::Step;

/// The database file in a trial's state directory.
pub(super) const DATABASE: &str = "r618.db";

const TABLES: &str = "
CREATE TABLE requests (
    request TEXT PRIMARY KEY, customer TEXT NOT NULL, matter TEXT NOT NULL, contact TEXT NOT NULL,
    component TEXT NOT NULL, quantity INTEGER NOT NULL, actor TEXT NOT NULL, asked_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE approvals (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, approver TEXT NOT NULL, contact TEXT NOT NULL,
    component TEXT NOT NULL, quantity INTEGER NOT NULL, approved_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,
    revoked_by TEXT
) STRICT;
CREATE TABLE steps (
    request TEXT NOT NULL, step TEXT NOT NULL, state TEXT NOT NULL, reference TEXT NOT NULL, receipt TEXT,
    reason TEXT, attempts INTEGER NOT NULL, first_ms INTEGER NOT NULL, ended_ms INTEGER,
    round_attempts INTEGER NOT NULL, round_ms INTEGER NOT NULL, PRIMARY KEY (request, step)
) STRICT, WITHOUT ROWID;
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, step TEXT NOT NULL, number INTEGER NOT NULL, key TEXT,
    requested_ms INTEGER NOT NULL, answered TEXT, answered_ms INTEGER
) STRICT;
CREATE TABLE looks (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, step TEXT NOT NULL, source TEXT NOT NULL, found TEXT NOT NULL,
    looked_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE holds (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, step TEXT NOT NULL, reason TEXT NOT NULL, question TEXT NOT NULL,
    role TEXT, may_retry INTEGER NOT NULL, resumes_with TEXT NOT NULL, since_ms INTEGER NOT NULL, ended_by TEXT
) STRICT;
CREATE TABLE refusals (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, reason TEXT NOT NULL,
    refused_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE waits (id INTEGER PRIMARY KEY, now_ms INTEGER NOT NULL) STRICT;
";

/// How far a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// An attempt was made, or was about to be; what came of it is not known.
    Requested,
    /// The target answered that it is done, or taken in; its record was not seen yet.
    Answered,
    /// The target's record shows it.
    Verified,
    /// The target refused, as it documents.
    Refused,
    /// Settled looks show that nothing came of it.
    Absent,
}

impl State {
    const ALL: [Self; 5] = [Self::Requested, Self::Answered, Self::Verified, Self::Refused, Self::Absent];

    /// The name used in records and answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Answered => "answered",
            Self::Verified => "verified",
            Self::Refused => "refused",
            Self::Absent => "absent",
        }
    }
}

/// The record of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepRecord {
    pub(super) state: State,
    /// The target's id of the record, once it is verified.
    pub(super) receipt: Option<String>,
    /// Why the target refused.
    pub(super) reason: Option<String>,
    /// Attempts over all rounds.
    pub(super) attempts: u32,
    /// When the first attempt of all was made.
    pub(super) first_ms: i64,
    /// When the last attempt had ended for the caller; `None` where the process died before it knew.
    pub(super) ended_ms: Option<i64>,
    /// Attempts of this round, and when it began. A round begins anew when a person lets a held step go on.
    pub(super) round_attempts: u32,
    pub(super) round_ms: i64,
}

/// An approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Approval {
    pub(super) contact: String,
    pub(super) component: String,
    pub(super) quantity: i64,
    pub(super) expires_ms: i64,
    pub(super) revoked: bool,
}

/// A step that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    pub(super) step: Step,
    pub(super) reason: String,
    /// What a person has to find out or decide.
    pub(super) question: String,
    /// Who.
    pub(super) role: Option<String>,
    /// Whether another attempt is permitted once it is resumed.
    pub(super) may_retry: bool,
    /// The evidence that lets it go on.
    pub(super) resumes_with: String,
    pub(super) since_ms: i64,
}

/// The record, open.
pub(super) struct Record {
    connection: Connection,
}

impl Record {
    /// Opens the record at `path`.
    pub(super) fn open(path: &Path, durability: Durability) -> Result<Self, PracticeError> {
        Ok(Self { connection: open(path, &[TABLES], durability)? })
    }

    /// The request as it was first asked.
    pub(super) fn wanted(&self, request: &str) -> rusqlite::Result<Option<Wanted>> {
        let select = "SELECT customer, matter, contact, component, quantity FROM requests WHERE request = ?1";
        let row = self.connection.query_row(select, [request], |row| {
            Ok(Wanted {
                customer: row.get(0)?,
                matter: row.get(1)?,
                contact: row.get(2)?,
                component: row.get(3)?,
                quantity: row.get(4)?,
            })
        });
        row.optional()
    }

    pub(super) fn ask(&self, request: &str, wanted: &Wanted, actor: &str, now_ms: i64) -> rusqlite::Result<()> {
        self.connection.execute(
            "INSERT INTO requests (request, customer, matter, contact, component, quantity, actor, asked_ms) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                request,
                wanted.customer,
                wanted.matter,
                wanted.contact,
                wanted.component,
                wanted.quantity,
                actor,
                now_ms
            ],
        )?;
        Ok(())
    }

    /// Puts what a request wants in place of what it wanted, as only a defect does.
    pub(super) fn replace_wanted(&self, request: &str, wanted: &Wanted) -> rusqlite::Result<()> {
        let update = "UPDATE requests SET component = ?2, quantity = ?3 WHERE request = ?1";
        self.connection.execute(update, params![request, wanted.component, wanted.quantity])?;
        Ok(())
    }

    pub(super) fn approve(
        &self,
        request: &str,
        approver: &str,
        wanted: &Wanted,
        now_ms: i64,
        expires_ms: i64,
    ) -> rusqlite::Result<()> {
        self.connection.execute(
            "INSERT INTO approvals (request, approver, contact, component, quantity, approved_ms, expires_ms) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![request, approver, wanted.contact, wanted.component, wanted.quantity, now_ms, expires_ms],
        )?;
        Ok(())
    }

    /// Takes every approval of the request back; answers how many there were.
    pub(super) fn revoke(&self, request: &str, by: &str) -> rusqlite::Result<usize> {
        let update = "UPDATE approvals SET revoked_by = ?2 WHERE request = ?1 AND revoked_by IS NULL";
        self.connection.execute(update, params![request, by])
    }

    /// The newest approval of the request.
    pub(super) fn approval(&self, request: &str) -> rusqlite::Result<Option<Approval>> {
        let select = "SELECT contact, component, quantity, expires_ms, revoked_by IS NOT NULL FROM approvals \
                      WHERE request = ?1 ORDER BY id DESC LIMIT 1";
        let row = self.connection.query_row(select, [request], |row| {
            Ok(Approval {
                contact: row.get(0)?,
                component: row.get(1)?,
                quantity: row.get(2)?,
                expires_ms: row.get(3)?,
                revoked: row.get(4)?,
            })
        });
        row.optional()
    }

    /// What is recorded of a step.
    pub(super) fn step(&self, request: &str, step: Step) -> rusqlite::Result<Option<StepRecord>> {
        let select = "SELECT state, receipt, reason, attempts, first_ms, ended_ms, round_attempts, round_ms \
                      FROM steps WHERE request = ?1 AND step = ?2";
        let row = self.connection.query_row(select, params![request, step.name()], |row| {
            let state: String = row.get(0)?;
            // A state that this version does not know is the least certain one.
            let state = State::ALL.into_iter().find(|known| known.name() == state).unwrap_or(State::Requested);
            Ok(StepRecord {
                state,
                receipt: row.get(1)?,
                reason: row.get(2)?,
                attempts: row.get(3)?,
                first_ms: row.get(4)?,
                ended_ms: row.get(5)?,
                round_attempts: row.get(6)?,
                round_ms: row.get(7)?,
            })
        });
        row.optional()
    }

    /// Notes that an attempt is about to be made; answers its number over all rounds.
    pub(super) fn begin_attempt(
        &mut self,
        request: &str,
        step: Step,
        key: Option<&str>,
        now_ms: i64,
    ) -> rusqlite::Result<u32> {
        let transaction = self.connection.transaction()?;
        transaction.execute(
            "INSERT INTO steps (request, step, state, reference, attempts, first_ms, round_attempts, round_ms) \
             VALUES (?1, ?2, 'requested', ?3, 1, ?4, 1, ?4) ON CONFLICT DO UPDATE SET state = 'requested', \
             attempts = attempts + 1, round_attempts = round_attempts + 1, ended_ms = NULL",
            params![request, step.name(), step.reference(request), now_ms],
        )?;
        let select = "SELECT attempts FROM steps WHERE request = ?1 AND step = ?2";
        let number = transaction.query_row(select, params![request, step.name()], |row| row.get(0))?;
        transaction.execute(
            "INSERT INTO attempts (request, step, number, key, requested_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![request, step.name(), number, key, now_ms],
        )?;
        transaction.commit()?;
        Ok(number)
    }

    /// Notes what came back from the last attempt, and where that leaves the step.
    pub(super) fn note_answer(
        &mut self,
        request: &str,
        step: Step,
        answered: &str,
        state: State,
        reason: Option<&str>,
        now_ms: i64,
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        transaction.execute(
            "UPDATE attempts SET answered = ?3, answered_ms = ?4 WHERE id = \
             (SELECT max(id) FROM attempts WHERE request = ?1 AND step = ?2)",
            params![request, step.name(), answered, now_ms],
        )?;
        transaction.execute(
            "UPDATE steps SET state = ?3, reason = ?4, ended_ms = ?5 WHERE request = ?1 AND step = ?2",
            params![request, step.name(), state.name(), reason, now_ms],
        )?;
        transaction.commit()
    }

    /// Notes where a look left the step.
    pub(super) fn settle(
        &self,
        request: &str,
        step: Step,
        state: State,
        receipt: Option<&str>,
    ) -> rusqlite::Result<()> {
        let update = "UPDATE steps SET state = ?3, receipt = ?4 WHERE request = ?1 AND step = ?2";
        self.connection.execute(update, params![request, step.name(), state.name(), receipt])?;
        Ok(())
    }

    pub(super) fn note_look(
        &self,
        request: &str,
        step: Step,
        source: &str,
        found: &str,
        now_ms: i64,
    ) -> rusqlite::Result<()> {
        let insert = "INSERT INTO looks (request, step, source, found, looked_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.execute(insert, params![request, step.name(), source, found, now_ms])?;
        Ok(())
    }

    /// The looks at a step so far, in order: where, and what was found.
    pub(super) fn looks(&self, request: &str, step: Step) -> rusqlite::Result<Vec<(String, String)>> {
        let mut select = self
            .connection
            .prepare_cached("SELECT source, found FROM looks WHERE request = ?1 AND step = ?2 ORDER BY id")?;
        let rows = select.query_map(params![request, step.name()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    }

    /// The hold that is open.
    pub(super) fn hold(&self, request: &str) -> rusqlite::Result<Option<Hold>> {
        let select = "SELECT step, reason, question, role, may_retry, resumes_with, since_ms FROM holds \
                      WHERE request = ?1 AND ended_by IS NULL ORDER BY id DESC LIMIT 1";
        let row = self.connection.query_row(select, [request], |row| {
            let step: String = row.get(0)?;
            let step = Step::ALL.into_iter().find(|known| known.name() == step).unwrap_or(Step::Case);
            Ok(Hold {
                step,
                reason: row.get(1)?,
                question: row.get(2)?,
                role: row.get(3)?,
                may_retry: row.get(4)?,
                resumes_with: row.get(5)?,
                since_ms: row.get(6)?,
            })
        });
        row.optional()
    }

    /// Puts a request on hold. An open hold for another reason ends with it.
    pub(super) fn put_on_hold(&mut self, request: &str, hold: &Hold) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        let update = "UPDATE holds SET ended_by = 'a later hold' WHERE request = ?1 AND ended_by IS NULL";
        transaction.execute(update, [request])?;
        transaction.execute(
            "INSERT INTO holds (request, step, reason, question, role, may_retry, resumes_with, since_ms) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                request,
                hold.step.name(),
                hold.reason,
                hold.question,
                hold.role,
                hold.may_retry,
                hold.resumes_with,
                hold.since_ms
            ],
        )?;
        transaction.commit()
    }

    /// Ends the hold, and begins a new round of attempts for its step.
    pub(super) fn end_hold(&mut self, request: &str, by: &str, now_ms: i64) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        let rounds = "UPDATE steps SET round_attempts = 0, round_ms = ?2 WHERE request = ?1 AND state <> 'verified'";
        transaction.execute(rounds, params![request, now_ms])?;
        let holds = "UPDATE holds SET ended_by = ?2 WHERE request = ?1 AND ended_by IS NULL";
        transaction.execute(holds, params![request, by])?;
        transaction.commit()
    }

    pub(super) fn count_refusal(
        &self,
        request: &str,
        actor: &str,
        action: &str,
        reason: &str,
        now_ms: i64,
    ) -> rusqlite::Result<()> {
        let insert = "INSERT INTO refusals (request, actor, action, reason, refused_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.execute(insert, params![request, actor, action, reason, now_ms])?;
        Ok(())
    }

    /// Forgets every step, as only a defect does.
    pub(super) fn forget_steps(&self, request: &str) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM steps WHERE request = ?1", [request])?;
        self.connection.execute("DELETE FROM holds WHERE request = ?1", [request])?;
        Ok(())
    }

    /// The latest time that simulated waiting has come to, where there was any.
    pub(super) fn waited_until(&self) -> rusqlite::Result<Option<i64>> {
        self.connection.query_row("SELECT now_ms FROM waits WHERE id = 1", [], |row| row.get(0)).optional()
    }

    /// Keeps that time for the next invocation.
    pub(super) fn keep_waited_until(&self, now_ms: i64) -> rusqlite::Result<()> {
        self.connection.execute("INSERT OR REPLACE INTO waits VALUES (1, ?1)", [now_ms])?;
        Ok(())
    }
}
