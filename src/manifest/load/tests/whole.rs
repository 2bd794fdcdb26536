//! A valid project, and the digests over it.

use super::*;
use crate::manifest::files::DiskFiles;

#[test]
fn a_valid_project_is_loaded_whole() {
    let loaded = load_project(&valid(), &BTreeMap::new()).unwrap();
    let project = loaded.project;
    assert_eq!(loaded.warnings, []);
    assert_eq!(project.parts.len(), 6);
    let policy = &project.parts["policy"];
    assert_eq!(policy.files.keys().collect::<Vec<_>>(), ["policies/old/returns.md", "policies/returns.md"]);
    assert_eq!(policy.files["policies/returns.md"], Digest::of(b"Returns within thirty days.\n"));
    assert_eq!(project.texts["policy"]["policies/returns.md"], "Returns within thirty days.\n");
    assert!(!policy.document.contains_key("settings"), "defaults are not filled in");
    let case = &project.cases["plain-answer"];
    assert_eq!((case.set.as_str(), case.line, case.trials, case.open().steps.len()), ("policy_accuracy", 1, 1, 1));
}

#[test]
fn the_example_that_comes_with_holdpoint_is_valid() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/support-desk");
    let loaded = load_project(&DiskFiles::new(root), &BTreeMap::new());
    let errors = loaded.err().unwrap_or_default();
    assert_eq!(errors.iter().map(shown).collect::<Vec<_>>(), Vec::<String>::new());
}
