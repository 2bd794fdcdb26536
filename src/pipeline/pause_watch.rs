//! The pause while a run goes on: looked at before each trial, but not more often than it could matter.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::store::{Pause, PauseSwitch, Store};

/// How long a look at the pause counts.
const LOOK: Duration = Duration::from_millis(200);

/// The pause in force, if any. One that cannot be read counts as one: a stop is never lost to a bad file.
pub(super) fn read_pause(switch: &PauseSwitch) -> Option<Pause> {
    switch.current().unwrap_or_else(|error| {
        Some(Pause { by: "unknown".to_owned(), reason: error.to_string(), since: "unknown".to_owned() })
    })
}

/// Watches for a pause that begins during a run.
pub(super) struct PauseWatch {
    switch: PauseSwitch,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    looked: Option<Instant>,
    pause: Option<Pause>,
}

impl PauseWatch {
    pub(super) fn new(store: &Store) -> Self {
        Self { switch: store.pause_switch(), seen: Mutex::default() }
    }

    /// Whether a trial may start. Once paused, a run stays so: what it left out it does not take up again.
    pub(super) fn may_start(&self) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = seen.looked.is_none_or(|looked| looked.elapsed() >= LOOK);
        if seen.pause.is_none() && is_due {
            *seen = Seen { looked: Some(Instant::now()), pause: read_pause(&self.switch) };
        }
        seen.pause.is_none()
    }

    /// The pause that was seen.
    pub(super) fn into_pause(self) -> Option<Pause> {
        self.seen.into_inner().unwrap_or_else(PoisonError::into_inner).pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_seen_within_a_look_and_its_end_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of_project(folder.path());
        let watch = PauseWatch::new(&store);
        assert!(watch.may_start());
        let pause = Pause { by: "Ada".into(), reason: "stock is wrong".into(), since: "2026-01-01T00:00:00Z".into() };
        store.pause_switch().turn_on(&pause).unwrap();
        std::thread::sleep(LOOK);
        assert!(!watch.may_start());
        store.pause_switch().turn_off().unwrap();
        std::thread::sleep(LOOK);
        assert!(!watch.may_start());
        assert_eq!(watch.into_pause(), Some(pause));
    }

    #[test]
    fn a_pause_that_cannot_be_read_counts_as_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".holdpoint/pause.json")).unwrap();
        assert!(!PauseWatch::new(&Store::of_project(folder.path())).may_start());
    }
}
