//! JUnit held against the schemas that others publish, and against what viewers without one say of it.
//!
//! `tests/junit-schemas` brings Surefire's schema (Apache License 2.0) from Debian's source of Maven Surefire, and that of
//! Jenkins' xUnit plugin (MIT) from the sources of pytest on PyPI; `./test` calls it. GitLab and CircleCI publish no schema:
//! their documentation says which elements and attributes they read.

#[path = "../browser/documents.rs"]
mod documents;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use holdpoint::report::render_junit;
use tempfile::TempDir;

use self::documents::{HOSTILE, green, hostile, inconclusive, red};
use crate::small_project::accepted_project;

/// What `xmllint` says against these texts under a public schema; nothing where they are valid.
fn complaints(schema: &str, texts: &[String]) -> String {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/junit-schemas").join(schema);
    assert!(schema.is_file(), "{} is needed for this test: tests/junit-schemas brings it", schema.display());
    let folder = TempDir::new().unwrap();
    let files: Vec<PathBuf> = (0..texts.len()).map(|number| folder.path().join(format!("{number}.xml"))).collect();
    for (file, text) in files.iter().zip(texts) {
        fs::write(file, text).unwrap();
    }
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--huge", "--schema"])
        .arg(schema)
        .args(&files)
        .output()
        .expect("xmllint is needed for this test: apt-get install libxml2-utils");
    let told = String::from_utf8_lossy(&output.stderr);
    let complaints = told.lines().filter(|line| !line.ends_with(" validates")).collect::<Vec<_>>().join("\n");
    assert_eq!(output.status.success(), complaints.is_empty(), "{told}");
    complaints
}

/// What Jenkins' xUnit plugin takes.
const JENKINS: &str = "junit-10.xsd";
/// What Maven Surefire writes; it knows no `testsuites`, only one suite to a file.
const SUREFIRE: &str = "surefire-test-report.xsd";

/// Each suite as a document of its own.
fn suites(junit: &str) -> Vec<String> {
    let suites: Vec<String> = junit
        .split("<testsuite ")
        .skip(1)
        .map(|suite| format!("<testsuite {}", suite.trim_end().trim_end_matches("</testsuites>")))
        .collect();
    assert!(!suites.is_empty(), "{junit}");
    suites
}

/// The JUnit files of a run of each kind, and of a real one.
fn every_kind() -> Vec<(&'static str, String)> {
    let sandbox = accepted_project();
    sandbox.edit("prompts/greeting.txt", "morning", "evening");
    sandbox.holdpoint(&["gate"]).expect(10);
    let real = sandbox.holdpoint(&["report", "latest", "--format", "junit"]).expect(0).stdout;
    let made = [("green", green()), ("red", red()), ("inconclusive", inconclusive()), ("hostile", hostile())];
    let made = made.map(|(name, document)| (name, render_junit(&document).unwrap()));
    [("real", real)].into_iter().chain(made).collect()
}

#[test]
fn every_kind_of_run_is_valid_under_the_public_schemas() {
    for (name, junit) in every_kind() {
        assert_eq!(complaints(JENKINS, std::slice::from_ref(&junit)), "", "{name}");
        assert_eq!(complaints(SUREFIRE, &suites(&junit)), "", "{name}");
    }
}

#[test]
fn what_those_schemas_refuse_is_refused() {
    let junit = render_junit(&red()).unwrap();
    for (from, to) in [("<testsuites ", "<testsuites skipped=\"1\" "), ("<testcase ", "<testcase file=\"a.yaml\" ")] {
        assert_ne!(complaints(JENKINS, &[junit.replacen(from, to, 1)]), "", "{to}");
    }
    let suite = &suites(&junit)[0];
    for (from, to) in
        [(" time=\"", " time=\"0.0001"), (" skipped=\"", " skept=\""), ("<testcase ", "<testcase file=\"a\" ")]
    {
        assert_ne!(complaints(SUREFIRE, &[suite.replacen(from, to, 1)]), "", "{to}");
    }
}

/// The value of an attribute in a start tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next())
}

#[test]
fn gitlab_and_circleci_find_what_they_read() {
    for (name, junit) in every_kind() {
        assert!(junit.len() < 30_000_000, "{name}: GitLab takes less than 30 MB");
        let mut seen = BTreeSet::new();
        let tests: Vec<&str> = junit.split("<testcase ").skip(1).map(|rest| rest.split('>').next().unwrap()).collect();
        assert!(tests.len() > 1, "{name}");
        for tag in tests {
            let tag = format!(" {tag}");
            let [test, class, time] =
                ["name", "classname", "time"].map(|wanted| attribute(&tag, wanted).unwrap_or_default());
            assert!(!test.is_empty() && !class.is_empty(), "{name}: {tag}");
            assert!(time.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0), "{name}: {tag}");
            // Of two tests with the same names GitLab keeps the first.
            assert!(seen.insert((class.to_owned(), test.to_owned())), "{name}: {class} {test} twice");
        }
        for (element, count) in [("failure", "failures"), ("error", "errors"), ("skipped", "skipped")] {
            for suite in suites(&junit) {
                let told: usize = attribute(&suite, count).unwrap().parse().unwrap();
                assert_eq!(suite.matches(&format!("<{element} ")).count(), told, "{name}: {element}");
            }
        }
    }
}

#[test]
fn a_hostile_run_is_hostile_in_its_junit_too() {
    let junit = render_junit(&hostile()).unwrap();
    assert!(HOSTILE.contains("<script>") && junit.contains("&lt;script&gt;"), "the text is there, as text");
}
