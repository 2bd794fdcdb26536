//! What a killed run leaves behind: processes that live on, such as a service at the port that the next run needs, and
//! its trials' state.

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
