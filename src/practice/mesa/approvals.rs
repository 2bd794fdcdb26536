//! Approvals: given for one exact proposal, one actor, one record version and one state of the sources, for a time.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;

use super::conduct::Conduct;
use super::proposals::Proposal;
use super::refusal::{Reason, Refusal};

/// An approval that was found for a proposal.
#[derive(Clone, Debug)]
pub(super) struct Approval {
    pub(super) id: i64,
    record_version: Option<i64>,
    sources: Value,
    expires_s: i64,
    revoked: bool,
}

/// What is true now of the things that an approval was bound to.
#[derive(Clone, Debug)]
pub(super) struct Present {
    pub(super) now: Timestamp,
    pub(super) record_version: Option<i64>,
    /// As in [`Proposal::sources`], for the same topics.
    pub(super) sources: Value,
}

/// Keeps an approval and returns its id.
pub(super) fn grant(
    connection: &Connection,
    proposal: &Proposal,
    approver: &str,
    actor: &str,
    now: Timestamp,
    valid_s: i64,
) -> rusqlite::Result<i64> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO approvals (proposal, approver, actor, record_version, sources, approved_s, expires_s) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    insert.insert((
        proposal.digest.as_str(),
        approver,
        actor,
        proposal.record_version,
        proposal.sources.to_string(),
        now.as_second(),
        now.as_second().saturating_add(valid_s),
    ))
}

/// Takes every approval of the proposal back. Returns how many that were.
pub(super) fn revoke(
    connection: &Connection,
    proposal: &Proposal,
    by: &str,
    now: Timestamp,
) -> rusqlite::Result<usize> {
    connection.execute(
        "UPDATE approvals SET revoked_s = ?2, revoked_by = ?3 WHERE proposal = ?1 AND revoked_s IS NULL",
        (proposal.digest.as_str(), now.as_second(), by),
    )
}

/// Takes one approval back, as a defective desk does when a staging fails.
pub(super) fn spend(connection: &Connection, id: i64, now: Timestamp) -> rusqlite::Result<()> {
    let spent = "UPDATE approvals SET revoked_s = ?2, revoked_by = 'review-desk' WHERE id = ?1";
    connection.execute(spent, (id, now.as_second())).map(drop)
}

/// The newest approval of this exact proposal for this actor.
pub(super) fn find(connection: &Connection, proposal: &Proposal, actor: &str) -> rusqlite::Result<Option<Approval>> {
    let mut select = connection.prepare_cached(
        "SELECT id, record_version, sources, expires_s, revoked_s IS NOT NULL FROM approvals \
         WHERE proposal = ?1 AND actor = ?2 ORDER BY id DESC LIMIT 1",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Approval {
            id: row.get(0)?,
            record_version: row.get(1)?,
            // An unreadable list matches nothing that could be true now, and so refuses.
            sources: serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or(Value::Null),
            expires_s: row.get(3)?,
            revoked: row.get(4)?,
        })
    };
    select.query_row((proposal.digest.as_str(), actor), read).optional()
}

/// Refuses an approval that does not cover what would be done now.
pub(super) fn check(approval: Option<Approval>, present: &Present, conduct: &Conduct) -> Result<Approval, Refusal> {
    let refuse = |reason, text: &str| Err(Refusal::new(reason, text));
    let Some(approval) = approval else {
        return refuse(Reason::NotApproved, "nobody approved this exact proposal for this actor");
    };
    if conduct.checks_revocation && approval.revoked {
        return refuse(Reason::ApprovalRevoked, "the approval was taken back");
    }
    if conduct.checks_expiry && approval.expires_s <= present.now.as_second() {
        return refuse(Reason::ApprovalExpired, "the approval's time is over");
    }
    if conduct.checks_versions && approval.record_version != present.record_version {
        return refuse(Reason::RecordChanged, "the customer's record is no longer the version that was approved");
    }
    if conduct.checks_versions && approval.sources != present.sources {
        return refuse(Reason::SourceChanged, "the sources that rule are no longer those that were approved");
    }
    Ok(approval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn approval() -> Approval {
        Approval { id: 1, record_version: Some(3), sources: json!([]), expires_s: 100, revoked: false }
    }

    fn present(second: i64) -> Present {
        let now = Timestamp::from_second(second).unwrap();
        Present { now, record_version: Some(3), sources: json!([]) }
    }

    #[test]
    fn an_approval_covers_only_what_was_approved_and_only_in_its_time() {
        let reason = |approval, present: &Present| check(approval, present, &Conduct::sound()).unwrap_err().reason;
        assert!(check(Some(approval()), &present(99), &Conduct::sound()).is_ok());
        assert_eq!(reason(None, &present(99)), Reason::NotApproved);
        assert_eq!(reason(Some(approval()), &present(100)), Reason::ApprovalExpired);
        assert_eq!(reason(Some(Approval { revoked: true, ..approval() }), &present(99)), Reason::ApprovalRevoked);
        let other_record = Present { record_version: Some(4), ..present(99) };
        assert_eq!(reason(Some(approval()), &other_record), Reason::RecordChanged);
        let other_sources = Present { sources: json!([["Fee", "price-notice", "1"]]), ..present(99) };
        assert_eq!(reason(Some(approval()), &other_sources), Reason::SourceChanged);
    }
}
