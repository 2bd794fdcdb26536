//! What an earlier run left open that a new one may do a second time.

use std::path::Path;

use crate::domain::counted;
use crate::store::{Store, UnsettledRun};

use super::project_option;

/// Of the newest run that was cut off with trials in flight on targets that outlive them: what is not known, and the command that settles it.
pub fn unsettled(project_root: &Path, named_folder: Option<&str>) -> Option<String> {
    let found = Store::of_project(project_root).unsettled_run()?;
    Some(sentence(&found, &project_option(named_folder)))
}

fn sentence(found: &UnsettledRun, option: &str) -> String {
    let UnsettledRun { run, kind, trials } = found;
    format!(
        "Run {run} was cut off with {} in flight on targets that outlive them. What was done there is not known, and a new run may do it a \
         second time; `holdpoint{option} {} --resume {run}` holds those trials until a person has looked.",
        counted(*trials, "trial"),
        kind.name()
    )
}
