//! Client libraries as people use them, driven through the proxy: how often each asks for one thing when the answer is
//! lost, and what it carries then. The project beside this file says it in cases, against stand-ins for the services.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Where `./test` installs the libraries.
fn environment() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/clients/bin");
    assert!(folder.join("python").exists(), "the client libraries are not installed: `./test` does it");
    folder
}

#[test]
fn each_library_asks_as_often_as_it_is_known_to_and_carries_what_it_is_known_to() {
    let project = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/project");
    let copied = Command::new("cp").arg("-R").arg(source.join(".")).arg(project.path()).status().unwrap();
    assert!(copied.success());
    let path = std::env::join_paths([environment(), PathBuf::from("/usr/bin"), PathBuf::from("/bin")]).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
        .args(["-q", "run", "--all", "--json", "--jobs", "2"])
        .current_dir(project.path())
        .env("PATH", path)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {errors}"));
    let wrong: Vec<String> = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["status"] != "passed")
        .map(|case| format!("{}: {}", case["id"], case["trials"]))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(report["counts"]["passed"], 16);
    assert_eq!(output.status.code(), Some(0));
}
