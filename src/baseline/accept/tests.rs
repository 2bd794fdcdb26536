//! What can be accepted, what cannot, and that refusing writes nothing.

use tempfile::TempDir;

use super::super::samples::{digest, digest_of, kept, outputs, record, result, snapshot};
use super::*;

use CaseStatus::{Errored, Failed, Flaky, Passed, Uncertain};

fn ids(names: &[&str]) -> BTreeSet<CaseId> {
    names.iter().copied().map(CaseId::from).collect()
}

/// A run with its results, as a pipeline hands it in.
struct Run {
    run: RunId,
    fingerprint: Digest,
    snapshot: Snapshot,
    heads: Vec<Digest>,
    results: Vec<CaseResult>,
    answers: BTreeMap<Digest, String>,
    selected: BTreeSet<CaseId>,
    left_out: BTreeSet<CaseId>,
}

impl Run {
    /// A run, held against the ledger as it is, of these cases with these ends and answers.
    fn of(ledger: &Ledger, results: &[(&str, CaseStatus, &str)]) -> Self {
        Self {
            run: RunId::from("run-7"),
            fingerprint: digest("fingerprint"),
            snapshot: snapshot(0.7),
            heads: ledger.heads(),
            results: results.iter().map(|(case, status, answer)| result(case, *status, answer)).collect(),
            answers: results.iter().map(|(.., answer)| (digest(answer), (*answer).to_owned())).collect(),
            selected: results.iter().map(|(case, ..)| CaseId::from(*case)).collect(),
            left_out: BTreeSet::new(),
        }
    }

    fn request<'a>(&'a self, only: Option<&'a BTreeSet<CaseId>>) -> AcceptRequest<'a> {
        AcceptRequest {
            by: "Ada",
            reason: "looked at it",
            accepted: "2026-02-01T00:00:00Z",
            run: &self.run,
            reviewed: &self.fingerprint,
            commit: Some("c0ffee"),
            fingerprint: &self.fingerprint,
            snapshot: &self.snapshot,
            run_heads: &self.heads,
            results: &self.results,
            answers: &self.answers,
            selected: &self.selected,
            left_out: &self.left_out,
            only,
            covers: true,
        }
    }
}

/// A ledger in which `a` and `b` are accepted with the answers `one` and `two`.
fn ledger() -> (TempDir, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    let run = Run::of(&ledger, &[("a", Passed, "one"), ("b", Passed, "two")]);
    let Acceptance { record, contents, .. } = accept(&run.request(None), &ledger).unwrap();
    ledger.append(&record, &contents).unwrap();
    (folder, ledger)
}

fn names(record: &Record) -> Vec<&str> {
    record.cases.keys().map(CaseId::as_str).collect()
}

#[test]
fn a_whole_run_is_accepted_with_its_parts_its_answers_and_its_provenance() {
    let (_folder, ledger) = ledger();
    let (head, record) = ledger.records().next().unwrap();
    assert_eq!(record.scope, Scope::Run);
    assert_eq!(record.snapshot, Some(kept(&snapshot(0.7))));
    assert_eq!(ledger.fold().snapshot, Some(snapshot(0.7)));
    assert_eq!((record.by.as_str(), record.run.as_str(), record.commit.as_deref()), ("Ada", "run-7", Some("c0ffee")));
    assert_eq!(record.reviewed, Some(digest("fingerprint")));
    assert_eq!(names(record), ["a", "b"]);
    let a = &record.cases["a"];
    assert_eq!((a.status, a.passed, a.trials), (Passed, 1, 1));
    assert_eq!(ledger.output(a.output.as_ref().unwrap()).unwrap(), "one");
    assert_eq!(ledger.fold().cases["a"].record, *head);
}

#[test]
fn a_record_holds_only_what_is_not_in_force_already() {
    let (_folder, ledger) = ledger();
    let run = Run::of(&ledger, &[("a", Passed, "one"), ("b", Passed, "changed"), ("c", Failed, "three")]);
    let acceptance = accept(&run.request(None), &ledger).unwrap();
    assert_eq!(names(&acceptance.record), ["b", "c"]);
    assert_eq!(acceptance.contents.outputs, outputs(&["changed", "three"]).outputs);
    assert_eq!(acceptance.known_failures, [CaseId::from("c")]);
    assert_eq!(acceptance.record.parents, ledger.heads());
}

#[test]
fn accepting_the_same_again_is_refused_unless_the_parts_differ() {
    let (_folder, ledger) = ledger();
    let mut run = Run::of(&ledger, &[("a", Passed, "one"), ("b", Passed, "two")]);
    assert_eq!(accept(&run.request(None), &ledger), Err(AcceptError::NothingNew));
    assert_eq!(accept(&run.request(Some(&ids(&["a"]))), &ledger), Err(AcceptError::NothingNew));
    run.snapshot = snapshot(0.9);
    let acceptance = accept(&run.request(None), &ledger).unwrap();
    assert_eq!((acceptance.record.cases.len(), acceptance.record.snapshot), (0, Some(kept(&snapshot(0.9)))));
}

#[test]
fn named_cases_are_accepted_alone_and_leave_the_snapshot_in_force() {
    let (_folder, mut ledger) = ledger();
    let mut run = Run::of(&ledger, &[("a", Failed, "worse"), ("b", Passed, "better")]);
    run.snapshot = snapshot(0.9);
    let only = ids(&["b"]);
    let Acceptance { record, contents, .. } = accept(&run.request(Some(&only)), &ledger).unwrap();
    assert_eq!((names(&record), record.scope, &record.snapshot), (vec!["b"], Scope::Cases, &None));
    ledger.append(&record, &contents).unwrap();
    let baseline = ledger.fold();
    assert_eq!(baseline.cases["a"].case.status, Passed, "a filter accepts nothing beside what it names");
    assert_eq!(baseline.snapshot, Some(snapshot(0.7)));
}

#[test]
fn names_that_the_run_does_not_know_and_cases_that_did_not_run_are_errors() {
    let (_folder, ledger) = ledger();
    let mut run = Run::of(&ledger, &[("a", Passed, "changed")]);
    run.left_out = ids(&["b"]);
    let unknown = accept(&run.request(Some(&ids(&["a", "A", "z"]))), &ledger);
    assert_eq!(unknown, Err(AcceptError::UnknownCases(vec![CaseId::from("A"), CaseId::from("z")])));
    let left_out = accept(&run.request(Some(&ids(&["a", "b"]))), &ledger);
    assert_eq!(left_out, Err(AcceptError::NotRun(vec![CaseId::from("b")])));
    run.selected = ids(&["a", "unfinished"]);
    let unfinished = accept(&run.request(None), &ledger);
    assert_eq!(unfinished, Err(AcceptError::NotRun(vec![CaseId::from("unfinished")])));
}

#[test]
fn a_result_without_a_conclusion_refuses_the_whole_acceptance() {
    let (_folder, ledger) = ledger();
    for status in [Errored, Uncertain, Flaky] {
        let run = Run::of(&ledger, &[("a", Passed, "changed"), ("b", status, "two")]);
        let expected = AcceptError::Undecided(vec![(CaseId::from("b"), status)]);
        assert_eq!(accept(&run.request(None), &ledger), Err(expected.clone()));
        assert_eq!(accept(&run.request(Some(&ids(&["b"]))), &ledger), Err(expected));
        let others = accept(&run.request(Some(&ids(&["a"]))), &ledger).unwrap();
        assert_eq!(names(&others.record), ["a"]);
    }
}

#[test]
fn a_run_that_is_older_than_the_newest_acceptance_is_refused() {
    let (_folder, mut ledger) = ledger();
    let old = Run::of(&ledger, &[("a", Passed, "from the old run")]);
    let mut newer = Run::of(&ledger, &[("b", Passed, "from the newer run"), ("c", Passed, "three")]);
    newer.run = RunId::from("run-8");
    let only = ids(&["b"]);
    let Acceptance { record, contents, .. } = accept(&newer.request(Some(&only)), &ledger).unwrap();
    ledger.append(&record, &contents).unwrap();
    assert_eq!(accept(&old.request(None), &ledger), Err(AcceptError::Stale { run: old.run.clone() }));
    // What was accepted from the very same run does not make it older.
    assert!(accept(&newer.request(Some(&ids(&["c"]))), &ledger).is_ok());
    newer.heads = vec![digest("a record that this ledger never had")];
    assert_eq!(accept(&newer.request(None), &ledger), Err(AcceptError::Stale { run: newer.run.clone() }));
}

#[test]
fn a_case_that_the_project_no_longer_has_is_taken_out_and_one_that_was_left_out_is_not() {
    let (_folder, mut ledger) = ledger();
    let mut run = Run::of(&ledger, &[("c", Passed, "three")]);
    run.left_out = ids(&["a"]);
    let partial = accept(&run.request(Some(&ids(&["c"]))), &ledger).unwrap();
    assert!(partial.record.removed.is_empty(), "a partial acceptance takes out only what it names");
    let Acceptance { record, contents, .. } = accept(&run.request(None), &ledger).unwrap();
    assert_eq!(record.removed, [CaseId::from("b")]);
    ledger.append(&record, &contents).unwrap();
    assert_eq!(ledger.fold().cases.keys().map(CaseId::as_str).collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn what_a_fork_says_differently_is_settled_by_accepting_either_again() {
    let folder = tempfile::tempdir().unwrap();
    let root = record(&[], 1, &[]);
    // The later one, which counts until the fork is joined, is the very result that is accepted below.
    let mut one = record(&[&digest_of(&root)], 3, &[("a", "one")]);
    one.cases.get_mut("a").unwrap().outcomes.clear();
    let mut other = record(&[&digest_of(&root)], 2, &[]);
    other.removed = vec![CaseId::from("a")];
    std::fs::create_dir(folder.path().join("outputs")).unwrap();
    std::fs::write(folder.path().join(format!("outputs/{}.txt", digest("one").hex())), "one").unwrap();
    for record in [&root, &one, &other] {
        let name = format!("{}.json", digest_of(record).hex());
        std::fs::write(folder.path().join(name), record.text().unwrap()).unwrap();
    }
    let mut ledger = Ledger::open(folder.path()).unwrap();
    assert_eq!(ledger.fold().conflicts.len(), 1);
    let run = Run::of(&ledger, &[("a", Passed, "one")]);
    let Acceptance { record, contents, .. } = accept(&run.request(None), &ledger).unwrap();
    assert_eq!(record.parents.len(), 2);
    ledger.append(&record, &contents).unwrap();
    assert!(ledger.fold().conflicts.is_empty());
    assert!(ledger.fold().cases.contains_key("a"));
}

#[test]
fn a_run_that_does_not_cover_all_changes_leaves_the_earlier_parts_in_force() {
    let (_folder, mut ledger) = ledger();
    let mut run = Run::of(&ledger, &[("b", Passed, "better")]);
    run.left_out = ids(&["a"]);
    run.snapshot = snapshot(0.9);
    let partial = AcceptRequest { covers: false, ..run.request(None) };
    let Acceptance { record, contents, .. } = accept(&partial, &ledger).unwrap();
    assert_eq!((names(&record), record.scope, &record.snapshot), (vec!["b"], Scope::Run, &None));
    ledger.append(&record, &contents).unwrap();
    assert_eq!(ledger.fold().snapshot, Some(snapshot(0.7)), "what changed since is still to be shown");
    // All its results are in force now, and it has no parts to give.
    run.heads = ledger.heads();
    let partial = AcceptRequest { covers: false, ..run.request(None) };
    assert_eq!(accept(&partial, &ledger), Err(AcceptError::NothingNew));
    assert_eq!(accept(&run.request(None), &ledger).unwrap().record.snapshot, Some(kept(&snapshot(0.9))));
}

#[test]
fn a_run_in_which_nothing_was_at_risk_becomes_the_new_base_only_where_it_covers_all_changes() {
    let (_folder, ledger) = ledger();
    let mut run = Run::of(&ledger, &[]);
    run.left_out = ids(&["a", "b"]);
    run.snapshot = snapshot(0.9);
    let record = accept(&run.request(None), &ledger).unwrap().record;
    assert_eq!((record.cases.len(), record.snapshot), (0, Some(kept(&snapshot(0.9)))));
    let partial = AcceptRequest { covers: false, ..run.request(None) };
    assert_eq!(accept(&partial, &ledger), Err(AcceptError::NothingNew));
}

#[test]
fn a_run_that_does_not_cover_all_changes_takes_out_only_what_the_project_no_longer_has() {
    let (_folder, ledger) = ledger();
    let mut run = Run::of(&ledger, &[]);
    run.left_out = ids(&["a"]);
    run.snapshot = snapshot(0.9);
    let partial = AcceptRequest { covers: false, ..run.request(None) };
    let record = accept(&partial, &ledger).unwrap().record;
    assert_eq!((record.removed, record.snapshot), (vec![CaseId::from("b")], None));
}

#[test]
fn a_case_that_one_branch_took_out_and_the_project_no_longer_has_can_be_taken_out_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let root = record(&[], 1, &[]);
    let mut one = record(&[&digest_of(&root)], 2, &[("a", "one")]);
    one.cases.get_mut("a").unwrap().output = None;
    let mut other = record(&[&digest_of(&root)], 3, &[]);
    other.removed = vec![CaseId::from("a")];
    for record in [&root, &one, &other] {
        let name = format!("{}.json", digest_of(record).hex());
        std::fs::write(folder.path().join(name), record.text().unwrap()).unwrap();
    }
    let mut ledger = Ledger::open(folder.path()).unwrap();
    assert_eq!((ledger.fold().conflicts.len(), ledger.fold().cases.len()), (1, 0));
    let run = Run::of(&ledger, &[("b", Passed, "two")]);
    let Acceptance { record, contents, .. } = accept(&run.request(None), &ledger).unwrap();
    assert_eq!(record.removed, [CaseId::from("a")]);
    ledger.append(&record, &contents).unwrap();
    assert!(ledger.fold().conflicts.is_empty());
}

#[test]
fn nobody_and_no_reason_are_refused() {
    let (_folder, ledger) = ledger();
    let run = Run::of(&ledger, &[("a", Passed, "changed")]);
    let unsigned = AcceptRequest { by: " ", ..run.request(None) };
    assert!(matches!(accept(&unsigned, &ledger), Err(AcceptError::Missing(_))));
    let unreasoned = AcceptRequest { reason: "\n", ..run.request(None) };
    assert!(matches!(accept(&unreasoned, &ledger), Err(AcceptError::Missing(_))));
    assert!(matches!(
        revoke(&ledger.heads(), "", "why", "2026-02-01T00:00:00Z", &ledger),
        Err(AcceptError::Missing(_))
    ));
}

#[test]
fn a_revocation_brings_back_what_was_in_force_before_and_cannot_be_repeated() {
    let (_folder, mut ledger) = ledger();
    let first = ledger.heads();
    let run = Run::of(&ledger, &[("a", Failed, "wrong"), ("b", Passed, "two")]);
    let Acceptance { record, contents, .. } = accept(&run.request(None), &ledger).unwrap();
    let second = ledger.append(&record, &contents).unwrap();
    assert_eq!(ledger.fold().cases["a"].case.status, Failed);

    let at = "2026-02-02T00:00:00Z";
    let revocation = revoke(std::slice::from_ref(&second), "Ada", "a mistake", at, &ledger).unwrap();
    assert_eq!((revocation.scope, &revocation.parents), (Scope::Revocation, &vec![second.clone()]));
    ledger.append(&revocation, &Contents::default()).unwrap();
    assert_eq!(ledger.fold().cases["a"].record, first[0]);
    assert_eq!(ledger.fold().cases["a"].case.status, Passed);
    assert!(ledger.record(&second).is_some(), "a revoked record stays in the ledger");

    for record in [second, digest("unknown")] {
        let again = revoke(std::slice::from_ref(&record), "Ada", "again", at, &ledger);
        assert!(matches!(again, Err(AcceptError::NotRevocable { .. })), "{again:?}");
    }
    assert!(matches!(revoke(&[], "Ada", "none", at, &ledger), Err(AcceptError::Missing(_))));
    // The run was held against what has been revoked since.
    assert!(matches!(accept(&run.request(None), &ledger), Err(AcceptError::Stale { .. })));
}

/// Bytes of all files below a folder.
fn bytes_in(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| if entry.path().is_dir() { bytes_in(&entry.path()) } else { entry.metadata().unwrap().len() })
        .sum()
}

/// Parts with so many facets and files that a copy of them alone would be more than an acceptance may add.
fn large_parts(version: &str) -> Snapshot {
    let mut snapshot = snapshot(0.5);
    let model = snapshot.parts.pop_first().unwrap().1;
    for number in 0..20 {
        let mut part = model.clone();
        part.files = (0..100).map(|file| (format!("texts/{number}/{file}.md"), digest("text"))).collect();
        snapshot.parts.insert(crate::domain::PartId::new(format!("part-{number}")), part);
    }
    let first = snapshot.parts.first_entry().unwrap().into_mut();
    first.version = version.to_owned();
    snapshot
}

#[test]
fn accepting_ten_changed_cases_of_ten_thousand_adds_at_most_a_hundred_kilobytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    let ids: Vec<String> = (0..10_000).map(|number| format!("case-{number:05}")).collect();
    let all: Vec<(&str, CaseStatus, &str)> = ids.iter().map(|id| (id.as_str(), Passed, "the same answer")).collect();
    let mut run = Run::of(&ledger, &all);
    run.snapshot = large_parts("1");
    let Acceptance { record, contents, .. } = accept(&run.request(None), &ledger).unwrap();
    ledger.append(&record, &contents).unwrap();

    let before = bytes_in(folder.path());
    let answers: Vec<String> = (0..10).map(|number| format!("answer {number} ").repeat(400)).collect();
    for (number, answer) in answers.iter().enumerate() {
        run.results[number * 1000] = result(&ids[number * 1000], Passed, answer);
        run.answers.insert(digest(answer), answer.clone());
    }
    (run.heads, run.snapshot) = (ledger.heads(), large_parts("2"));
    let Acceptance { record, contents, .. } = accept(&run.request(None), &ledger).unwrap();
    assert_eq!(record.cases.len(), 10);
    ledger.append(&record, &contents).unwrap();
    let added = bytes_in(folder.path()) - before;
    assert!(added <= 100_000, "{added} bytes");
    assert_eq!(ledger.fold().snapshot, Some(large_parts("2")));
}

#[test]
fn a_record_that_does_not_say_what_goes_in_is_not_made_anew_for_that() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    let run = |ledger: &Ledger, aspects: &[(Aspect, &str)]| {
        let mut run = Run::of(ledger, &[("a", Passed, "one")]);
        aspects.iter().for_each(|(aspect, text)| run.results[0].question.set(*aspect, digest(text)));
        run
    };
    let old = run(&ledger, &[(Aspect::Expectations, "x")]);
    let Acceptance { record, contents, .. } = accept(&old.request(None), &ledger).unwrap();
    ledger.append(&record, &contents).unwrap();
    let same = run(&ledger, &[(Aspect::Expectations, "x"), (Aspect::Case, "in")]);
    assert_eq!(accept(&same.request(None), &ledger), Err(AcceptError::NothingNew));
    let other = run(&ledger, &[(Aspect::Expectations, "y"), (Aspect::Case, "in")]);
    assert!(accept(&other.request(None), &ledger).is_ok());
}

#[test]
fn fewer_trials_than_are_in_force_are_named() {
    let (_folder, ledger) = ledger();
    let mut run = Run::of(&ledger, &[("a", Passed, "another answer")]);
    let again = run.results[0].trials[0].clone();
    run.results[0].trials.push(again);
    let Acceptance { record, contents, fewer_trials, .. } = accept(&run.request(None), &ledger).unwrap();
    assert_eq!(fewer_trials, []);
    let mut ledger = ledger;
    ledger.append(&record, &contents).unwrap();
    let fewer = Run::of(&ledger, &[("a", Passed, "one"), ("b", Passed, "two")]);
    let Acceptance { fewer_trials, .. } = accept(&fewer.request(None), &ledger).unwrap();
    assert_eq!(fewer_trials, [FewerTrials { case: CaseId::from("a"), before: 2, now: 1 }]);
}
