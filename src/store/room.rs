//! Whether there is room for what a run will write, before anything runs.

use std::path::{Path, PathBuf};

use crate::domain::RunId;

use super::Store;

/// What a record and a report take without any trial.
const FIXED: u64 = 256 * 1024;

/// What each takes for a trial, where the trial says little.
const PER_TRIAL: u64 = 4 * 1024;

impl Store {
    /// What is lacking for what is still to be written of a run's record and report, each with its number of trials, as the folder and a
    /// sentence; nothing where there is room, and where the system does not say.
    pub fn lacking_room(&self, run: &RunId, recorded: usize, report: (&Path, usize)) -> Option<(PathBuf, String)> {
        let record = self.run_folder(run);
        let (folder, sentence) = lacking_room((&record, recorded), report)?;
        Some((folder.to_owned(), sentence))
    }
}

fn lacking_room<'a>(record: (&'a Path, usize), report: (&'a Path, usize)) -> Option<(&'a Path, String)> {
    let ((record, recorded), (report, reported)) = (record, report);
    let same_disk = disk(record).is_some_and(|disk| self::disk(report) == Some(disk));
    let wanted = if same_disk {
        vec![(report, estimate(recorded).saturating_add(estimate(reported)), "the record and the report")]
    } else {
        vec![(record, estimate(recorded), "the record"), (report, estimate(reported), "the report")]
    };
    wanted.into_iter().find_map(|(folder, needed, what)| {
        let sentence = too_little(needed, free(folder)?, what)?;
        Some((folder, sentence))
    })
}

fn estimate(trials: usize) -> u64 {
    PER_TRIAL.saturating_mul(u64::try_from(trials).unwrap_or(u64::MAX)).saturating_add(FIXED)
}

fn too_little(needed: u64, free: u64, what: &str) -> Option<String> {
    let kib = |bytes: u64| bytes.div_ceil(1024);
    (free < needed).then(|| {
        format!(
            "no room for {what}: at least {} KiB will be needed by estimate, and {} KiB are free",
            kib(needed),
            free / 1024
        )
    })
}

/// What is free for whoever is not root: what is set aside for root is no room. Some file systems count nothing at all.
fn free(folder: &Path) -> Option<u64> {
    let of_disk = rustix::fs::statvfs(folder).ok()?;
    (of_disk.f_blocks > 0).then(|| of_disk.f_bavail.saturating_mul(of_disk.f_frsize))
}

fn disk(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).ok().map(|folder| folder.dev())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_grows_with_the_trials_and_what_is_lacking_is_named() {
        assert_eq!(estimate(0), 256 * 1024);
        assert_eq!(estimate(60), 496 * 1024);
        assert!(estimate(usize::MAX) > estimate(1_000_000));
        assert_eq!(too_little(496 * 1024, 496 * 1024, "the report"), None);
        let lacking = too_little(496 * 1024, 300 * 1024 + 5, "the report").unwrap();
        assert_eq!(
            lacking,
            "no room for the report: at least 496 KiB will be needed by estimate, and 300 KiB are free"
        );
    }

    #[test]
    fn record_and_report_on_one_disk_need_room_for_both_and_a_folder_that_is_not_there_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let many = usize::try_from(1_u64 << 46).unwrap();
        let (path, lacking) = lacking_room((folder.path(), many), (folder.path(), 0)).unwrap();
        assert_eq!(path, folder.path());
        assert!(lacking.contains("the record and the report"), "{lacking}");
        assert_eq!(lacking_room((folder.path(), 0), (folder.path(), 0)), None);
        let none = folder.path().join("none");
        assert_eq!(lacking_room((&none, many), (&none, many)), None);
    }
}
