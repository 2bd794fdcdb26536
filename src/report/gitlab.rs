//! GitLab's code quality report: a list of findings, each at a line of the case's file.

use std::io;

use serde::Serialize;

use crate::domain::Digest;

use super::document::{CaseView, ReportDocument, UncoveredView};
use super::findings::{headline, one_line};
use super::group::Group;

/// Bytes of one description at the most.
const DESCRIPTION_CAP: usize = 1_000;

/// Where findings stand that belong to no case's file.
const PROJECT_FILE: &str = "holdpoint.yaml";

#[derive(Serialize)]
struct Finding {
    description: String,
    check_name: String,
    /// The same for the same finding in another run: GitLab tells by it what is new in a merge request.
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// The findings as one JSON document: each case that needs attention, and each risk without a case. `project_folder` is the
/// project's folder relative to the repository, empty or without a `/` at its end.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn gitlab_code_quality(document: &ReportDocument, project_folder: &str) -> io::Result<String> {
    let groups = Group::ALL.into_iter().filter(|group| group.needs_attention());
    let of_group = |group: Group| group.cases(document).into_iter().map(move |case| (group, case));
    let cases = groups.flat_map(of_group).map(|(group, case)| case_finding(group, case, project_folder));
    let uncovered = document.uncovered.iter().map(|uncovered| uncovered_finding(uncovered, project_folder));
    let findings: Vec<Finding> = cases.chain(uncovered).collect();
    Ok(serde_json::to_string_pretty(&findings)? + "\n")
}

fn case_finding(group: Group, case: &CaseView, project_folder: &str) -> Finding {
    let rest = headline(case, DESCRIPTION_CAP).map(|headline| format!("; {headline}")).unwrap_or_default();
    finding(
        format!("{}: {}; {}{rest}", group.title(), case.id, case.why),
        group.name(),
        case.id.as_str(),
        match group {
            Group::Regressions | Group::NewFailures | Group::Failures => "critical",
            _ => "major",
        },
        Location {
            path: inside(project_folder, case.path.as_deref().unwrap_or(PROJECT_FILE)),
            lines: Lines { begin: case.line.unwrap_or(1) },
        },
    )
}

fn uncovered_finding(uncovered: &UncoveredView, project_folder: &str) -> Finding {
    finding(
        format!("Uncovered: no case would show {} of {}; {}", uncovered.risk, uncovered.part, uncovered.command),
        "uncovered",
        &format!("{}/{}", uncovered.part, uncovered.risk),
        "major",
        Location { path: inside(project_folder, PROJECT_FILE), lines: Lines { begin: 1 } },
    )
}

fn finding(description: String, kind: &str, about: &str, severity: &'static str, location: Location) -> Finding {
    Finding {
        description: one_line(&description, DESCRIPTION_CAP),
        check_name: format!("holdpoint/{kind}"),
        fingerprint: Digest::of(format!("{kind}\n{about}").as_bytes()).hex().to_owned(),
        severity,
        location,
    }
}

fn inside(project_folder: &str, path: &str) -> String {
    if project_folder.is_empty() { path.to_owned() } else { format!("{project_folder}/{path}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::sample::Sample;
    use super::*;

    fn findings(document: &ReportDocument) -> Vec<Value> {
        serde_json::from_str(&gitlab_code_quality(document, "desk").unwrap()).unwrap()
    }

    #[test]
    fn each_finding_has_what_gitlab_needs_and_a_fingerprint_of_its_own() {
        let found = findings(&Sample::full().document());
        assert_eq!(found.len(), 7, "six cases and an uncovered risk");
        let fingerprints: BTreeSet<&str> = found.iter().filter_map(|one| one["fingerprint"].as_str()).collect();
        assert_eq!(fingerprints.len(), found.len());
        for one in &found {
            assert!(one["description"].is_string() && one["check_name"].is_string(), "{one}");
            assert!(one["location"]["lines"]["begin"].as_u64() >= Some(1), "{one}");
            assert!(one["location"]["path"].as_str().is_some_and(|path| path.starts_with("desk/")), "{one}");
        }
        assert_eq!(found[0]["severity"], "critical");
        assert_eq!(found[0]["location"]["path"], "desk/cases/policy_accuracy/returns-window.yaml");
    }

    #[test]
    fn the_same_finding_has_the_same_fingerprint_whatever_is_said_of_it() {
        let document = Sample::full().document();
        let mut later = document.clone();
        later.cases.iter_mut().for_each(|case| case.why = format!("{}, again", case.why).into());
        let of = |document| findings(document).iter().map(|one| one["fingerprint"].clone()).collect::<Vec<_>>();
        assert_eq!(of(&document), of(&later));
    }

    #[test]
    fn a_run_without_findings_is_an_empty_list() {
        let mut document = Sample::full().document();
        document.cases.clear();
        document.uncovered.clear();
        assert_eq!(gitlab_code_quality(&document, "").unwrap(), "[]\n");
    }
}
