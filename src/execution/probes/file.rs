//! File probes: what a target wrote into the trial's state directory.

use std::path::Path;

use crate::evidence::Reading;
use crate::manifest::{FileProbe, IfMissing};

use super::inside::{content, is_missing};
use super::lines;

/// Reads the file. Every failure is a reading of its own.
pub(super) fn ask(probe: &FileProbe, state_dir: &Path) -> Reading {
    if probe.if_missing == IfMissing::Empty && is_missing(&probe.path, state_dir) {
        return Reading::Effects(Vec::new());
    }
    let read = content(&probe.path, state_dir)
        .and_then(|content| lines::read(&content).map_err(|reason| format!("`{}`: {reason}", probe.path)));
    read.map_or_else(Reading::Unreadable, Reading::Effects)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{FileType, Mode};
    use serde_json::json;

    use super::*;
    use crate::execution::probes::BYTE_CAP;

    fn ask_for(name: &str, state_dir: &Path) -> Reading {
        ask(&FileProbe { path: name.to_owned(), if_missing: IfMissing::Unreadable }, state_dir)
    }

    #[test]
    fn each_map_is_an_effect() {
        let state_dir = tempfile::tempdir().unwrap();
        std::fs::write(state_dir.path().join("sent.jsonl"), "{\"to\": \"K-1\"}\n{\"to\": \"K-2\"}\n").unwrap();
        let Reading::Effects(effects) = ask_for("sent.jsonl", state_dir.path()) else { panic!("unreadable") };
        assert_eq!(json!(effects), json!([{"to": "K-1"}, {"to": "K-2"}]));
    }

    #[test]
    fn a_missing_file_is_no_effect_only_where_the_probe_says_so() {
        let state_dir = tempfile::tempdir().unwrap();
        assert!(matches!(ask_for("sent.jsonl", state_dir.path()), Reading::Unreadable(_)));
        let probe = FileProbe { path: "sent.jsonl".to_owned(), if_missing: IfMissing::Empty };
        assert_eq!(ask(&probe, state_dir.path()), Reading::Effects(Vec::new()));
        std::os::unix::fs::symlink("nowhere", state_dir.path().join("sent.jsonl")).unwrap();
        assert!(matches!(ask(&probe, state_dir.path()), Reading::Unreadable(_)));
    }

    #[test]
    fn a_pipe_a_folder_a_link_out_and_an_endless_file_are_unreadable_at_once() {
        let outside = tempfile::NamedTempFile::new().unwrap();
        let state_dir = tempfile::tempdir().unwrap();
        let at = |name: &str| state_dir.path().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path(), at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zeros")).unwrap();
        std::fs::File::create(at("long")).unwrap().set_len(BYTE_CAP as u64 + 1).unwrap();
        for name in ["pipe", "folder", "link", "zeros", "long", "../x", "/etc/hostname", ""] {
            assert!(matches!(ask_for(name, state_dir.path()), Reading::Unreadable(_)), "{name}");
        }
    }
}
