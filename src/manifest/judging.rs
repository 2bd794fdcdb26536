//! What judges a case beside its own file: the programs that it starts, and the probes that it is held against.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::domain::{Aspect, Digest};

use super::case::HeldCase;
use super::expectation::Expectation;
use super::files::FileSource;
use super::program_files::ProgramFiles;
use super::project_file::Probe;

/// The words with which graders are started, each as a path from the project's folder.
pub(super) fn arguments_of(expect: &[Expectation]) -> impl Iterator<Item = &str> {
    let commands = expect.iter().filter_map(|expectation| innermost(expectation).command.as_ref());
    commands.flat_map(|command| &command.run).filter_map(|word| project_path(word))
}

/// The probes that expectations name.
pub(super) fn probes_of(expect: &[Expectation]) -> impl Iterator<Item = &str> {
    expect.iter().filter_map(|expectation| Some(innermost(expectation).effects.as_ref()?.probe.as_str()))
}

/// What stands inside of every `not`.
fn innermost(expectation: &Expectation) -> &Expectation {
    let mut inner = expectation;
    while let Some(negated) = &inner.not {
        inner = negated;
    }
    inner
}

/// A word as a path inside the project, without the `./` before it; `None` where it can be none.
pub fn project_path(word: &str) -> Option<&str> {
    let path = word.trim_start_matches("./");
    let is_plain = !path.is_empty() && path.split('/').all(|name| !matches!(name, "" | "." | ".."));
    is_plain.then_some(path)
}

/// Completes what the cases ask by the programs that judge each, with all that these rest on.
pub(super) fn ask_programs<'a>(files: &dyn FileSource, cases: impl Iterator<Item = &'a mut HeldCase>) {
    let mut programs = ProgramFiles::new(files);
    for case in cases {
        let digest = programs.digest(case.programs());
        case.ask(Aspect::JudgingPrograms, digest);
    }
}

/// Completes what the cases ask by the probes that each is held against: those that its expectations name, those that are
/// evidence for its workflow's operations, and those that these rest on. `${NAME}` counts as it is written.
pub(super) fn ask_probes<'a>(
    files: &dyn FileSource,
    probes: &BTreeMap<String, Probe>,
    cases: impl Iterator<Item = &'a mut HeldCase>,
) {
    let mut programs = ProgramFiles::new(files);
    let digests: BTreeMap<&str, Digest> =
        probes.iter().map(|(name, probe)| (name.as_str(), probe_digest(&mut programs, probe))).collect();
    for case in cases {
        let used: BTreeMap<&str, Option<&Digest>> =
            used_probes(probes, case).into_iter().map(|name| (name, digests.get(name))).collect();
        let digest = (!used.is_empty()).then(|| Digest::of_json(&json!(used)));
        case.ask(Aspect::Probes, digest);
    }
}

fn probe_digest(programs: &mut ProgramFiles<'_>, probe: &Probe) -> Digest {
    let words = probe.command.iter().flat_map(|command| &command.run).filter_map(|word| project_path(word));
    Digest::of_json(&json!({"probe": probe, "programs": programs.digest(words)}))
}

fn used_probes<'a>(probes: &'a BTreeMap<String, Probe>, case: &HeldCase) -> BTreeSet<&'a str> {
    let named = |name: &str| probes.get_key_value(name).map(|(name, _)| name.as_str());
    let expected = case.probes().filter_map(named);
    let looks_at = |probe: &Probe| probe.workflow.as_ref().is_none_or(|workflow| *workflow == case.workflow);
    let evidence = probes.iter().filter(|(_, probe)| probe.operation.is_some() && looks_at(probe));
    let mut waiting: Vec<&str> = expected.chain(evidence.map(|(name, _)| name.as_str())).collect();
    let mut used = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if !used.insert(name) {
            continue;
        }
        let settle = probes.get(name).map(|probe| &probe.settle);
        let rests_on = settle
            .into_iter()
            .flat_map(|settle| settle.confirmed_by.iter().chain(settle.until_empty.iter().map(|until| &until.probe)));
        waiting.extend(rests_on.filter_map(|name| named(name)));
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{MemoryFiles, load_project, load_side};

    const PROJECT: &str = "\
schema: holdpoint.project/1
name: desk
workflows:
  desk: {command: {run: [sh, desk.sh]}, parts: [answer]}
  other: {command: {run: [sh, desk.sh]}, parts: [answer]}
probes:
  tickets: {sql: {database: desk.db, query: SELECT 1 AS one}}
  pending: {sql: {database: desk.db, query: SELECT 2 AS two}}
  orders: {workflow: other, sql: {database: desk.db, query: SELECT 3 AS op}, operation: op}
";

    fn files(project: &str, case: &str, judge: &str) -> MemoryFiles {
        MemoryFiles::default()
            .with("holdpoint.yaml", project)
            .with("manifests/answer.yaml", "id: answer\nkind: prompt\nversion: \"1\"\nfiles: [answer.md]\n")
            .with("answer.md", "answer")
            .with("tools/judge.py", judge)
            .with("cases/action/one.yaml", case)
    }

    fn question(project: &str, case: &str, judge: &str) -> crate::domain::Question {
        let files = files(project, case, judge);
        let project = load_project(&files, &BTreeMap::new()).unwrap().project;
        let question = project.cases.values().next().unwrap().question.clone();
        assert_eq!(load_side(&files).cases.values().next().unwrap().question, question, "either side asks the same");
        question
    }

    fn case(workflow: &str, expect: &str) -> String {
        format!("id: one\ntitle: It holds\nworkflow: {workflow}\ninput: {{}}\nexpect:\n  - {expect}\n")
    }

    #[test]
    fn an_edited_judging_program_changes_what_is_asked_also_under_not() {
        for expect in ["command: {run: [python3, ./tools/judge.py]}", "not: {command: {run: [tools/judge.py]}}"] {
            let case = case("desk", expect);
            let (one, other) = (question(PROJECT, &case, "a"), question(PROJECT, &case, "b"));
            assert_eq!(one.differing(&other), [Aspect::JudgingPrograms]);
        }
        let plain = case("desk", "contains: yes sir");
        assert_eq!(question(PROJECT, &plain, "a"), question(PROJECT, &plain, "b"));
    }

    #[test]
    fn an_edited_probe_changes_what_is_asked_by_the_cases_that_use_it_alone() {
        let edited = |from: &str, to: &str| PROJECT.replace(from, to);
        let effects = case("desk", "effects: {probe: tickets, count: 1}");
        let plain = case("desk", "contains: yes sir");
        let differs = |project: &str, case: &str| {
            question(PROJECT, case, "").differing(&question(project, case, "")) == [Aspect::Probes]
        };
        let (tickets, pending, orders) =
            (edited("SELECT 1", "SELECT 9"), edited("SELECT 2", "SELECT 9"), edited("SELECT 3", "SELECT 9"));
        assert!(differs(&tickets, &effects) && !differs(&tickets, &plain));
        assert!(!differs(&pending, &effects));
        assert!(differs(&orders, &case("other", "contains: yes sir")), "a probe that is evidence for every case");
        assert!(!differs(&orders, &plain), "another workflow's evidence");
    }

    #[test]
    fn a_word_is_a_path_only_where_it_stays_in_the_project() {
        for (word, path) in [
            ("./a/b.sh", Some("a/b.sh")),
            ("b.sh", Some("b.sh")),
            ("/bin/sh", None),
            ("../b.sh", None),
            ("a/../b", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(project_path(word), path, "{word}");
        }
    }
}
