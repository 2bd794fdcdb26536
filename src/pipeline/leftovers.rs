//! What a killed run leaves behind: processes that live on, such as a service at the port that the next run needs, and
//! its trials' state.

use crate::domain::RunId;
use crate::execution::end_leftovers;
use crate::store::Store;

/// Ends and removes what dead runs of this project left on this machine. Their records stay. What cannot be removed
/// harms no result: no run ever looks into another's state.
pub(super) fn clear(store: &Store) {
    for dead in store.dead_runs() {
        end_leftovers(&dead.state_folder);
        let _ = std::fs::remove_dir_all(&dead.checkout_folder);
        let _ = std::fs::remove_dir_all(&dead.base_folder);
    }
}

/// The same for a run that this process holds and goes on with.
pub(super) fn clear_own(store: &Store, run: &RunId) {
    end_leftovers(&store.state_folder(run));
    let _ = std::fs::remove_dir_all(store.checkout_folder(run));
    let _ = std::fs::remove_dir_all(store.base_folder(run));
}
