//! What other programs read: one JSON document and nothing else, also where the reader goes away.

use std::io::Read as _;
use std::process::Stdio;

use crate::small_project::{accepted_project, case};

#[test]
fn plan_prints_one_document_and_nothing_else() {
    let sandbox = accepted_project();
    let ran = sandbox.holdpoint(&["plan", "--json"]).expect(0);
    let plan = ran.json();
    assert_eq!(plan["schema"], "holdpoint.plan/1");
    let expected =
        ["base", "head", "mode", "mode_reason", "changes", "selected", "excluded", "unclassified", "uncovered"];
    for field in expected {
        assert!(plan.get(field).is_some(), "no `{field}` in {plan:#}");
    }
    assert!(ran.stderr.is_empty(), "{}", ran.told());
}

#[test]
fn gate_prints_its_report_as_one_document() {
    let sandbox = accepted_project();
    let ran = sandbox.holdpoint(&["gate", "--all", "--json"]).expect(0);
    let report = ran.json();
    assert_eq!(report["schema"], "holdpoint.report/1");
    assert_eq!(report["exit_code"], 0);
    assert_eq!(report, sandbox.report());
}

#[test]
fn what_ends_without_its_document_prints_one_that_says_why() {
    let sandbox = accepted_project();
    sandbox.edit("holdpoint.yaml", "name: small", "nmae: small");
    for arguments in [&["gate", "--json"][..], &["plan", "--json"], &["run", "--all", "--json"]] {
        let ran = sandbox.holdpoint(arguments).expect(13);
        let error = ran.json();
        assert_eq!((&error["schema"], &error["exit_code"]), (&"holdpoint.error/1".into(), &13.into()));
        let second = &error["errors"][1];
        assert_eq!((&second["path"], &second["line"]), (&"holdpoint.yaml".into(), &2.into()), "{}", ran.told());
        assert!(second["message"].as_str().unwrap().contains("nmae"), "{}", ran.told());
        assert!(ran.stderr.contains("nmae"), "{}", ran.told());
    }
    sandbox.edit("holdpoint.yaml", "nmae: small", "name: small");
    let unknown = sandbox.holdpoint(&["run", "greet", "--json"]).expect(14).json();
    assert_eq!((&unknown["exit_code"], &unknown["errors"][0]["path"]), (&14.into(), &serde_json::Value::Null));
}

#[test]
fn what_was_asked_for_and_cannot_be_written_is_an_error() {
    let sandbox = accepted_project();
    for arguments in
        [&["plan"][..], &["check"], &["runs"], &["report", "latest"], &["gate"], &["plan", "--json"], &["--help"]]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = sandbox.ran(sandbox.holdpoint_command().args(arguments).stdout(full)).expect(1);
        assert!(arguments == ["--help"] || ran.stderr.contains("No space left"), "{}", ran.told());
    }
}

#[test]
fn a_reader_that_goes_away_ends_nothing_in_noise() {
    let sandbox = accepted_project();
    for number in 0..2000 {
        sandbox.write(&format!("cases/action/c{number}.yaml"), &case(&format!("c{number}"), "Good morning"));
    }
    for arguments in [&["plan", "--json"][..], &["plan"], &["rules"], &["schema"]] {
        let mut child =
            sandbox.holdpoint_command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0_u8; 1];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        assert!(said.is_empty(), "{arguments:?}: {said}");
    }
}

#[test]
fn colour_is_only_for_terminals() {
    let sandbox = accepted_project();
    for arguments in [&["plan"][..], &["gate"], &["rules"]] {
        let ran = sandbox.holdpoint(arguments).expect(0);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{}", ran.told());
    }
}

#[test]
fn every_command_finds_the_project_that_it_is_told() {
    let sandbox = accepted_project();
    let project = sandbox.project();
    let elsewhere = project.parent().unwrap();
    let mut command = sandbox.holdpoint_command();
    command.current_dir(elsewhere).args(["--project", "project", "gate", "--all"]);
    sandbox.ran(&mut command).expect(0);
    assert!(!elsewhere.join("reports").exists());
}

#[test]
fn every_manual_page_says_which_program_it_is_of() {
    let sandbox = crate::sandbox::Sandbox::empty();
    sandbox.holdpoint(&["man", "pages"]).expect(0);
    let pages: Vec<_> =
        std::fs::read_dir(sandbox.project().join("pages")).unwrap().map(|page| page.unwrap().path()).collect();
    assert!(pages.len() > 30, "{pages:?}");
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let title = text.lines().find(|line| line.starts_with(".TH ")).unwrap();
        let name = page.file_stem().unwrap().to_str().unwrap();
        assert_eq!(title, format!(".TH {name} 1 \"\" \"holdpoint {}\" \"holdpoint\"", env!("CARGO_PKG_VERSION")));
    }
}
