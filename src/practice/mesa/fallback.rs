//! The manual fallback: the question goes to a person with the policy beside it, and what is open stays open until that
//! person has answered. It needs no approval and no queue, so it stays open during a pause.

use rusqlite::Connection;
use serde_json::Value;

use jiff::Timestamp;

use super::answer::Answer;
use super::desk::{Desk, Stop};
use super::drafter::Draft;
use super::pause::Pause;
use super::request::{Action, Request};
use super::waypoints::Write;

const BY_HAND: &str = "For a reviewer to answer by hand from the policy. Nothing is staged and no time is confirmed.";

impl Desk<'_> {
    /// Hands the question on. What the draft could not answer is kept as an open question with its owner.
    pub(super) fn fall_back(&self, request: &Request) -> Result<Answer, Stop> {
        self.permissions.demand(request, Action::Draft, &self.conduct)?;
        if !self.conduct.keeps_fallback_open
            && let Some(pause) = Pause::find(&self.connection)?
        {
            return Err(pause.refusal().into());
        }
        let (draft, lookup) = self.drafted(request, &self.conduct.in_fallback());
        self.durably(Write::OpenQuestion, || keep_open(&self.connection, request, &draft, self.now))?;
        Ok(Answer::new("manual_fallback", format!("{BY_HAND}\n{}", draft.text)).with_draft(&draft, &lookup))
    }
}

/// Keeps what is open, by reference. To hand an operation's question on twice is to hand it on once.
fn keep_open(connection: &Connection, request: &Request, draft: &Draft, now: Timestamp) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO open_questions (operation, customer, what, owner, opened_s) SELECT ?1, ?2, ?3, ?4, ?5 \
         WHERE ?1 = '' OR NOT EXISTS \
         (SELECT 1 FROM open_questions WHERE operation = ?1 AND what = ?3 AND answered_s IS NULL)",
    )?;
    for open in &draft.unanswered {
        let word = |name: &str| open.get(name).and_then(Value::as_str).unwrap_or_default();
        let opened_s = now.as_second();
        insert.execute((request.operation.as_str(), &request.customer, word("what"), word("who"), opened_s))?;
    }
    Ok(())
}
