//! Which scheduled fault falls on which call.

use crate::manifest::{FaultName, FaultSpec};

use super::clock::ms;

/// The faults of one target: those of a trial that name its connector.
#[derive(Clone, Debug, Default)]
pub struct ServiceFaults {
    faults: Vec<FaultSpec>,
}

/// A fault that falls on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Falling {
    pub(super) name: FaultName,
    /// Its time in milliseconds.
    pub(super) ms: i64,
}

impl ServiceFaults {
    /// These faults.
    pub fn new(faults: Vec<FaultSpec>) -> Self {
        Self { faults }
    }

    /// The fault that falls on attempt `number` at `call`.
    pub(super) fn on(&self, call: &str, number: u32) -> Option<Falling> {
        let fault = self.faults.iter().find(|fault| fault.operation == call && fault.attempt == number)?;
        Some(Falling { name: fault.fault, ms: fault.seconds.map_or(default_ms(fault.fault), ms) })
    }
}

fn default_ms(fault: FaultName) -> i64 {
    match fault {
        FaultName::LateCommit => 10_000,
        FaultName::Unavailable | FaultName::RateLimited => 3_000,
        FaultName::Delay => 30_000,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_falls_on_the_one_attempt_that_it_names_with_its_own_time_or_the_usual_one() {
        let fault = |attempt, seconds| FaultSpec {
            seconds,
            ..FaultSpec::new("inventory", "reserve", attempt, FaultName::Unavailable)
        };
        let faults = ServiceFaults::new(vec![fault(1, None), fault(2, Some(0.5))]);
        let falling = |number| faults.on("reserve", number).map(|falling| falling.ms);
        assert_eq!([falling(1), falling(2), falling(3)], [Some(3_000), Some(500), None]);
        assert_eq!(faults.on("release", 1), None);
    }
}
