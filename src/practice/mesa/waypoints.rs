//! The points around each durable write, at which the desk's process can be killed and from which it must be able to
//! go on.

/// A write that must survive its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Write {
    /// The database's tables.
    Tables,
    /// A proposal.
    Proposal,
    /// An approval.
    Approval,
    /// The taking back of an approval.
    Revocation,
    /// The item in the review queue; not durable before [`Write::Staging`].
    Item,
    /// The operation's record; not durable before [`Write::Staging`].
    Record,
    /// The audit row; not durable before [`Write::Staging`].
    Audit,
    /// The commit that makes item, record and audit row durable together.
    Staging,
    /// The receipt of a record whose retention window is over, forgotten.
    Retirement,
    /// The receipt of a reconciled operation, written anew.
    Reconciliation,
    /// A refusal's count.
    Refusal,
    /// The beginning of a pause.
    Pause,
    /// The end of a pause.
    Resumption,
    /// A question that the manual fallback hands to a person.
    OpenQuestion,
    /// The answer, which is no write to the database: after this the caller knows.
    Answer,
}

/// Where a process stands to one of its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// The write is decided on and was not made.
    Before(Write),
    /// The write was made, and nothing after it.
    After(Write),
}

impl Write {
    const ALL: [Self; 15] = [
        Self::Tables,
        Self::Proposal,
        Self::Approval,
        Self::Revocation,
        Self::Item,
        Self::Record,
        Self::Audit,
        Self::Staging,
        Self::Retirement,
        Self::Reconciliation,
        Self::Refusal,
        Self::Pause,
        Self::Resumption,
        Self::OpenQuestion,
        Self::Answer,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Tables => "tables",
            Self::Proposal => "proposal",
            Self::Approval => "approval",
            Self::Revocation => "revocation",
            Self::Item => "item",
            Self::Record => "record",
            Self::Audit => "audit",
            Self::Staging => "staging",
            Self::Retirement => "retirement",
            Self::Reconciliation => "reconciliation",
            Self::Refusal => "refusal",
            Self::Pause => "pause",
            Self::Resumption => "resumption",
            Self::OpenQuestion => "open_question",
            Self::Answer => "answer",
        }
    }
}

impl Point {
    /// Every point, both of a write together.
    pub fn all() -> Vec<Self> {
        Write::ALL.into_iter().flat_map(|write| [Self::Before(write), Self::After(write)]).collect()
    }

    /// The name used on the command line: `before_item`.
    pub fn name(self) -> String {
        match self {
            Self::Before(write) => format!("before_{}", write.name()),
            Self::After(write) => format!("after_{}", write.name()),
        }
    }
}

/// Who is told of every point that is reached. A process that is to die at one does so here.
pub trait Waypoints {
    /// The point is reached.
    fn reach(&self, point: Point);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Waypoints for Unwatched {
    fn reach(&self, _: Point) {}
}

/// Makes a write between its two points.
pub(super) fn around<T, E>(
    waypoints: &dyn Waypoints,
    write: Write,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    waypoints.reach(Point::Before(write));
    let made = make()?;
    waypoints.reach(Point::After(write));
    Ok(made)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_point_has_a_name_of_its_own() {
        let names: BTreeSet<String> = Point::all().into_iter().map(Point::name).collect();
        assert_eq!(names.len(), 2 * Write::ALL.len());
    }
}
