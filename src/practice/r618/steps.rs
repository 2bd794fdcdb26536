//! The steps of R-618, and the points at which its process can be killed.

use crate::practice::targets::{Target, operation_of};

/// One step: an operation at one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A case is created.
    Case,
    /// A component is reserved for it.
    Reservation,
    /// The customer is told.
    Confirmation,
    /// The reservation is given back: an action of its own.
    Release,
    /// The case is closed: an action of its own.
    Closure,
}

impl Step {
    /// Every step.
    pub const ALL: [Self; 5] = [Self::Case, Self::Reservation, Self::Confirmation, Self::Release, Self::Closure];

    /// The way forward, in the order in which each step needs the one before.
    pub(super) const FORWARD: [Self; 3] = [Self::Case, Self::Reservation, Self::Confirmation];

    /// The name used in records, answers and references.
    pub fn name(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Reservation => "reservation",
            Self::Confirmation => "confirmation",
            Self::Release => "release",
            Self::Closure => "closure",
        }
    }

    /// The target at which it leaves its effect.
    pub(super) fn target(self) -> Target {
        match self {
            Self::Case | Self::Closure => Target::CaseDesk,
            Self::Reservation | Self::Release => Target::Inventory,
            Self::Confirmation => Target::Messaging,
        }
    }

    /// The target's operation that makes it.
    pub(super) fn call(self) -> &'static str {
        match self {
            Self::Case => "create",
            Self::Reservation => "reserve",
            Self::Confirmation => "send",
            Self::Release => "release",
            Self::Closure => "close",
        }
    }

    /// The target's view in which its record shows.
    pub(super) fn view(self) -> &'static str {
        match self.target() {
            Target::CaseDesk => "cases",
            Target::Inventory => "allocations",
            Target::Messaging => "messages",
        }
    }

    /// The reference of this step of a request: `R-618/reservation`. It stays the same over all attempts.
    pub(super) fn reference(self, request: &str) -> String {
        operation_of(self.call(), request).unwrap_or_default()
    }
}

/// A point on the way at which the process can be killed, and from which it must be able to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// Nothing is recorded yet.
    Begun,
    /// The request is recorded.
    Recorded,
    /// An approval that came with the request is recorded.
    Approved,
    /// A point within one step.
    In(Step, StepPoint),
    /// Everything is done; the answer was not given yet.
    Finished,
}

/// A point within one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepPoint {
    /// It was decided on, and nothing of it is recorded.
    Decided,
    /// The attempt is recorded, and not yet made.
    Requested,
    /// The attempt was made, and its answer is not recorded.
    Called,
    /// The answer is recorded.
    Answered,
    /// The target was looked at, and what it shows is not recorded.
    Looked,
    /// What the target shows is recorded.
    Verified,
}

impl StepPoint {
    const ALL: [Self; 6] = [Self::Decided, Self::Requested, Self::Called, Self::Answered, Self::Looked, Self::Verified];

    fn name(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Requested => "requested",
            Self::Called => "called",
            Self::Answered => "answered",
            Self::Looked => "looked",
            Self::Verified => "verified",
        }
    }
}

impl Point {
    /// Every point, in the order of the way.
    pub fn all() -> Vec<Self> {
        let steps = Step::ALL.into_iter().flat_map(|step| StepPoint::ALL.map(|point| Self::In(step, point)));
        [Self::Begun, Self::Recorded, Self::Approved].into_iter().chain(steps).chain([Self::Finished]).collect()
    }

    /// The name used on the command line.
    pub fn name(self) -> String {
        match self {
            Self::Begun => "begun".to_owned(),
            Self::Recorded => "recorded".to_owned(),
            Self::Approved => "approved".to_owned(),
            Self::In(step, point) => format!("{}.{}", step.name(), point.name()),
            Self::Finished => "finished".to_owned(),
        }
    }
}

/// Who is told of every point that is reached. A process that is to die at one does so here.
pub trait Waypoints {
    /// The point is reached.
    fn reach(&mut self, point: Point);
}

/// Nobody is told.
pub struct Unwatched;

impl Waypoints for Unwatched {
    fn reach(&mut self, _: Point) {}
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_point_has_a_name_of_its_own_and_every_step_a_reference_that_its_target_knows() {
        let names: BTreeSet<String> = Point::all().into_iter().map(Point::name).collect();
        assert_eq!(names.len(), 34);
        for step in Step::ALL {
            assert_eq!(step.reference("R-618"), format!("R-618/{}", step.name()));
        }
    }
}
