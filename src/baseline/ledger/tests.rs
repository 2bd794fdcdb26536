//! A ledger on disk: what is appended stays, and whatever is done to it afterwards is found.

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use tempfile::TempDir;

use super::super::samples::{digest, digest_of, outputs, record, snapshot, whole};
use super::*;
use crate::baseline::{RecordedSnapshot, Scope};
use crate::domain::{Aspect, CaseId, CaseStatus, PartId, Risk};

/// A ledger of three records over two branches of answers.
fn ledger() -> (TempDir, Vec<Digest>) {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    let first = Record { snapshot: Some(whole(&snapshot(0.5))), ..record(&[], 1, &[("a", "one"), ("b", "two")]) };
    let first = ledger.append(&first, &outputs(&["one", "two"])).unwrap();
    let second = ledger.append(&record(&[&first], 2, &[("b", "three")]), &outputs(&["three"])).unwrap();
    let revocation = Record { revokes: vec![second.clone()], scope: Scope::Revocation, ..record(&[&second], 3, &[]) };
    let third = ledger.append(&revocation, &Contents::default()).unwrap();
    (folder, vec![first, second, third])
}

/// Every file that the ledger vouches for, relative to its folder.
fn files(folder: &Path) -> Vec<String> {
    let names = |sub: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder.join(sub)).unwrap();
        entries.map(|entry| format!("{sub}{}", entry.unwrap().file_name().to_str().unwrap())).collect()
    };
    let mut files: Vec<String> = names("").into_iter().chain(names("outputs/")).collect();
    files.retain(|name| name.ends_with(".json") || name.ends_with(".txt"));
    files.sort();
    files
}

/// The problem that is found in exactly this file and no other.
fn problem(folder: &Path, file: &str) -> String {
    let findings = Ledger::verify(folder);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].file, file);
    assert!(!findings[0].hint.is_empty());
    let Err(LedgerError::Unsound { findings: found, .. }) = Ledger::open(folder) else { panic!("it was opened") };
    assert_eq!(found, findings, "what is found is found on opening too");
    findings[0].problem.clone()
}

#[test]
fn a_folder_that_does_not_exist_is_an_empty_ledger_and_reading_does_not_make_it() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("baselines");
    let ledger = Ledger::open(&folder).unwrap();
    assert!(ledger.fold().is_empty() && ledger.heads().is_empty());
    assert!(!folder.exists());
}

#[test]
fn what_is_appended_is_read_back_in_canonical_form_under_the_digest_of_its_bytes() {
    let (folder, digests) = ledger();
    let ledger = Ledger::open(folder.path()).unwrap();
    assert_eq!(ledger.records().map(|(digest, _)| digest.clone()).collect::<Vec<_>>(), digests);
    assert_eq!(ledger.heads(), digests[2..]);
    let bytes = std::fs::read(folder.path().join(format!("{}.json", digests[0].hex()))).unwrap();
    assert_eq!(Digest::of(&bytes), digests[0]);
    let baseline = ledger.fold();
    assert_eq!(baseline.cases[&CaseId::from("b")].record, digests[0], "the second record is revoked");
    assert_eq!(baseline.snapshot, Some(snapshot(0.5)));
    assert_eq!(ledger.output(&digest("two")).unwrap(), "two");
}

#[test]
fn a_number_in_a_snapshot_is_read_back_as_it_was_to_the_last_digit() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    for (second, number) in [0.1 + 0.2, 1.0 / 3.0, 5e-324, f64::MAX, 123_456_789.012_345_67].into_iter().enumerate() {
        let heads = ledger.heads();
        let parents: Vec<&Digest> = heads.iter().collect();
        let second = u32::try_from(second).unwrap();
        let record = Record { snapshot: Some(whole(&snapshot(number))), ..record(&parents, second, &[]) };
        ledger.append(&record, &Contents::default()).unwrap();
        assert_eq!(ledger.fold().snapshot, Some(snapshot(number)));
    }
}

#[test]
fn files_are_readable_to_others_and_git_leaves_their_line_ends_alone() {
    let (folder, digests) = ledger();
    let metadata = std::fs::metadata(folder.path().join(format!("{}.json", digests[0].hex()))).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o444, 0o444);
    assert_eq!(std::fs::read_to_string(folder.path().join(".gitattributes")).unwrap(), "* -text\n");
    let leftovers = std::fs::read_dir(folder.path()).unwrap();
    assert!(leftovers.flatten().all(|entry| !entry.file_name().to_string_lossy().starts_with(".writing")));
}

#[test]
fn an_edited_a_cut_off_and_an_emptied_record_are_told_apart() {
    let (folder, digests) = ledger();
    let name = format!("{}.json", digests[2].hex());
    let path = folder.path().join(&name);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("first", "worst")).unwrap();
    assert!(problem(folder.path(), &name).contains("changed after acceptance"));
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert!(problem(folder.path(), &name).contains("cut off"));
    std::fs::write(&path, "").unwrap();
    assert!(problem(folder.path(), &name).contains("empty"));
    std::fs::write(&path, text).unwrap();
    assert!(Ledger::verify(folder.path()).is_empty());
}

#[test]
fn a_removed_parent_and_a_removed_answer_are_named() {
    let (folder, digests) = ledger();
    let parent = format!("{}.json", digests[1].hex());
    std::fs::remove_file(folder.path().join(&parent)).unwrap();
    assert!(problem(folder.path(), &parent).contains("gone"));

    let (folder, _) = self::ledger();
    let answer = format!("outputs/{}.txt", digest("three").hex());
    std::fs::remove_file(folder.path().join(&answer)).unwrap();
    assert!(problem(folder.path(), &answer).contains("the answer of b"));
}

#[test]
fn a_removed_newest_record_is_found_by_what_the_base_had() {
    let (folder, digests) = ledger();
    let earlier = files(folder.path());
    let earlier = || earlier.iter().map(String::as_str);
    assert!(Ledger::open(folder.path()).unwrap().lost_since(earlier()).is_empty());
    let newest = format!("{}.json", digests[2].hex());
    std::fs::remove_file(folder.path().join(&newest)).unwrap();
    let lost = Ledger::open(folder.path()).unwrap().lost_since(earlier());
    assert_eq!(lost.iter().map(|finding| finding.file.clone()).collect::<Vec<_>>(), [newest]);
}

#[test]
fn a_record_that_cannot_be_read_is_unsound_and_not_absent() {
    let (folder, _) = ledger();
    let name = format!("{}.json", digest("a folder").hex());
    std::fs::create_dir(folder.path().join(&name)).unwrap();
    std::fs::write(folder.path().join(&name).join("file"), "in the way").unwrap();
    assert!(problem(folder.path(), &name).contains("cannot be read"));
}

#[test]
fn a_symbolic_link_is_refused_wherever_it_leads() {
    let (folder, digests) = ledger();
    let elsewhere = tempfile::tempdir().unwrap();
    for name in [format!("{}.json", digests[2].hex()), format!("outputs/{}.txt", digest("one").hex())] {
        let (path, moved) = (folder.path().join(&name), elsewhere.path().join("moved"));
        std::fs::rename(&path, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &path).unwrap();
        assert!(problem(folder.path(), &name).contains("no regular file"));
        std::fs::rename(&moved, &path).unwrap();
    }
    let (outputs, moved) = (folder.path().join("outputs"), elsewhere.path().join("outputs"));
    std::fs::rename(&outputs, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &outputs).unwrap();
    assert!(problem(folder.path(), "outputs/").contains("symbolic link"));
    std::fs::remove_file(&outputs).unwrap();
    std::fs::rename(&moved, &outputs).unwrap();

    let whole = elsewhere.path().join("baselines");
    std::os::unix::fs::symlink(folder.path(), &whole).unwrap();
    assert!(problem(&whole, "baselines/").contains("symbolic link"));
    let mut ledger = Ledger::open(folder.path()).unwrap();
    ledger.folder = whole;
    let appended = ledger.append(&record(&[&digests[2]], 4, &[]), &Contents::default());
    assert!(matches!(appended, Err(LedgerError::Unsound { .. })), "{appended:?}");
}

#[test]
fn a_part_is_kept_once_and_missed_where_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    for (second, temperature) in [(1, 0.5), (2, 0.7), (3, 0.5)] {
        let mut contents = Contents::default();
        let recorded = RecordedSnapshot::keep(&snapshot(temperature), &mut contents).unwrap();
        let heads = ledger.heads();
        let next = Record { snapshot: Some(recorded), ..record(&heads.iter().collect::<Vec<_>>(), second, &[]) };
        assert!(matches!(ledger.append(&next, &Contents::default()), Err(LedgerError::Refused(_))) || second == 3);
        if second != 3 {
            ledger.append(&next, &contents).unwrap();
        }
        assert_eq!(ledger.fold().snapshot, Some(snapshot(temperature)));
    }
    let parts = std::fs::read_dir(folder.path().join("parts")).unwrap();
    let parts: Vec<_> = parts.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(parts.len(), 2);
    let name = format!("parts/{}", parts[0].file_name().unwrap().to_str().unwrap());
    std::fs::remove_file(&parts[0]).unwrap();
    assert!(problem(folder.path(), &name).contains("has model in that form"));
}

/// Puts a text into the folder under the digest of its bytes, and gives its name.
fn plant(folder: &Path, text: &str) -> String {
    let name = format!("{}.json", Digest::of(text.as_bytes()).hex());
    std::fs::write(folder.join(&name), text).unwrap();
    name
}

#[test]
fn a_well_named_file_that_is_no_record_of_this_version_is_refused() {
    let good = record(&[], 1, &[]);
    let mut odd_time = good.clone();
    odd_time.accepted = "yesterday".to_owned();
    let text = good.text().unwrap();
    let table = [
        (text.replace("baseline/2", "baseline/3"), "`holdpoint.baseline/3`"),
        (text.replace("\"by\"", "\"by\": \"Bob\",\"by\""), "canonical"),
        (format!("{text}\n"), "canonical"),
        (text.replace("\"by\":\"Ada\"", "\"by\":\"Ada\",\"bye\":1"), "no record"),
        (odd_time.text().unwrap(), "no time"),
        ("[1".to_owned(), "no JSON"),
    ];
    for (text, expected) in table {
        let folder = tempfile::tempdir().unwrap();
        let name = plant(folder.path(), &text);
        let problem = problem(folder.path(), &name);
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn a_record_under_a_name_that_is_no_digest_is_refused_and_other_files_are_none_of_the_ledgers() {
    let (folder, _) = ledger();
    std::fs::write(folder.path().join("README.md"), "about").unwrap();
    std::fs::write(folder.path().join(".writing-abc.json"), "{").unwrap();
    assert!(Ledger::verify(folder.path()).is_empty());
    std::fs::write(folder.path().join("accepted.json"), "{}").unwrap();
    assert!(problem(folder.path(), "accepted.json").contains("no digest"));
}

#[test]
fn the_frozen_record_of_version_1_is_read_as_it_was_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/baseline-1");
    let ledger = Ledger::open(&folder).unwrap();
    let (digest, record) = ledger.records().next().unwrap();
    assert_eq!(digest.hex(), "ff0b9847ab66c4d5295be336460018710a870d44ed3d28a8b9b7f6538f23bcd2");
    assert_eq!(record.text().unwrap(), std::fs::read_to_string(folder.join(format!("{}.json", digest.hex()))).unwrap());
    let baseline = ledger.fold();
    let entry = &baseline.cases[&CaseId::from("lost-ack-after-commit")];
    assert_eq!((entry.by.as_str(), entry.case.trials), ("Ada Example", 3));
    assert_eq!(ledger.output(entry.case.output.as_ref().unwrap()).unwrap(), "The appointment is staged.\n");
    assert_eq!(baseline.snapshot.unwrap().parts.len(), 1);
}

#[test]
fn the_frozen_chain_of_version_2_is_read_as_it_was_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/baseline-2");
    let ledger = Ledger::open(&folder).unwrap();
    for (digest, record) in ledger.records() {
        let text = std::fs::read_to_string(folder.join(format!("{}.json", digest.hex()))).unwrap();
        assert_eq!(record.text().unwrap(), text, "{digest}");
    }
    let shorts: Vec<&str> = ledger.records().map(|(digest, _)| digest.short()).collect();
    assert_eq!(shorts, ["d8373cfa6daa", "b50ad07eb314", "e6fae681dd67", "a9beae12e24a"]);
    assert_eq!(ledger.heads().iter().map(Digest::short).collect::<Vec<_>>(), ["a9beae12e24a"]);
    let baseline = ledger.fold();
    let status = |case: &str| {
        let entry = &baseline.cases[&CaseId::from(case)];
        (entry.record.short(), entry.case.status, entry.case.failing.as_slice(), entry.case.trials)
    };
    assert_eq!(baseline.cases.len(), 2, "one-ticket was taken out");
    assert_eq!(status("greets"), ("b50ad07eb314", CaseStatus::Failed, &[0][..], 2));
    assert_eq!(status("kind"), ("b50ad07eb314", CaseStatus::Failed, &[1][..], 1), "the later record is revoked");
    let entry = &baseline.cases[&CaseId::from("greets")];
    assert_eq!(ledger.output(entry.case.output.as_ref().unwrap()).unwrap(), "Good evening\n");
    assert!(entry.case.question.get(Aspect::Expectations).is_some());
    let snapshot = baseline.snapshot.unwrap();
    assert_eq!(snapshot.parts[&PartId::from("greeting")].files.len(), 1, "parts are kept once, by digest");
    let policy = snapshot.policy.unwrap();
    assert!(!policy.gate.uncovered_is_inconclusive && policy.sets.contains_key(&Risk::from("policy_accuracy")));
}

#[test]
fn a_record_that_does_not_follow_the_newest_one_is_refused_and_leaves_nothing() {
    let (folder, digests) = ledger();
    let before = files(folder.path());
    let mut ledger = Ledger::open(folder.path()).unwrap();
    let stale = record(&[&digests[0]], 4, &[("a", "late")]);
    assert!(matches!(ledger.append(&stale, &outputs(&["late"])), Err(LedgerError::Moved)));
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_record_whose_answer_was_not_handed_in_is_refused_and_leaves_nothing() {
    let (folder, digests) = ledger();
    let before = files(folder.path());
    let mut ledger = Ledger::open(folder.path()).unwrap();
    let next = record(&[&digests[2]], 4, &[("a", "not handed in")]);
    assert!(matches!(ledger.append(&next, &Contents::default()), Err(LedgerError::Refused(_))));
    assert_eq!(files(folder.path()), before);
    let mut wrong = outputs(&["not handed in"]);
    wrong.outputs.insert(digest("not handed in"), "something else".to_owned());
    assert!(matches!(ledger.append(&next, &wrong), Err(LedgerError::Refused(_))));
    assert_eq!(files(folder.path()), before);
}

#[test]
fn nothing_is_appended_to_an_unsound_ledger() {
    let (folder, digests) = ledger();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    std::fs::write(folder.path().join(format!("outputs/{}.txt", digest("one").hex())), "One").unwrap();
    let next = record(&[&digests[2]], 4, &[]);
    assert!(matches!(ledger.append(&next, &Contents::default()), Err(LedgerError::Unsound { .. })));
}

#[test]
fn an_answer_that_was_accepted_before_is_not_written_again() {
    let (folder, digests) = ledger();
    let path = folder.path().join(format!("outputs/{}.txt", digest("one").hex()));
    let before = std::fs::metadata(&path).unwrap().modified().unwrap();
    let mut ledger = Ledger::open(folder.path()).unwrap();
    ledger.append(&record(&[&digests[2]], 4, &[("c", "one")]), &outputs(&["one"])).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn what_a_killed_writer_left_half_written_is_gone_after_the_next_acceptance() {
    let (folder, digests) = ledger();
    let leftovers = [".writing-a", "outputs/.writing-b", "parts/.writing-c"].map(|name| folder.path().join(name));
    for leftover in &leftovers {
        std::fs::write(leftover, "{").unwrap();
    }
    assert!(Ledger::verify(folder.path()).is_empty());
    let mut ledger = Ledger::open(folder.path()).unwrap();
    ledger.append(&record(&[&digests[2]], 4, &[]), &Contents::default()).unwrap();
    assert!(leftovers.iter().all(|leftover| !leftover.exists()));
}

#[test]
fn of_two_acceptances_at_once_one_is_told_to_look_again() {
    for round in 0..8 {
        let (folder, digests) = ledger();
        let append = |answer: &'static str| {
            let mut ledger = Ledger::open(folder.path()).unwrap();
            ledger.append(&record(&[&digests[2]], 9, &[("a", answer)]), &outputs(&[answer]))
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(|| append("from one"));
            let other = scope.spawn(|| append("from the other"));
            (one.join().unwrap(), other.join().unwrap())
        });
        assert!(one.is_ok() != other.is_ok(), "round {round}: {one:?} {other:?}");
        let refused = if one.is_ok() { other } else { one };
        assert!(matches!(refused, Err(LedgerError::Moved)), "round {round}: {refused:?}");
        assert_eq!(Ledger::open(folder.path()).unwrap().fold().records, 4);
    }
}

#[test]
fn a_record_is_found_by_the_first_digits_of_its_digest() {
    let (folder, digests) = ledger();
    let ledger = Ledger::open(folder.path()).unwrap();
    assert_eq!(ledger.find(digests[1].short()).unwrap(), &digests[1]);
    assert_eq!(ledger.find(digests[1].as_str()).unwrap(), &digests[1]);
    for prefix in ["", &digests[1].hex()[..3], "zzzz"] {
        assert!(matches!(ledger.find(prefix), Err(LedgerError::NoSuchRecord { .. })), "{prefix}");
    }
}

#[test]
fn newer_records_are_those_that_the_given_heads_do_not_follow() {
    let (folder, digests) = ledger();
    let ledger = Ledger::open(folder.path()).unwrap();
    let newer = |heads: &[Digest]| ledger.newer_than(heads).into_iter().map(digest_of).collect::<Vec<_>>();
    assert_eq!(newer(&digests[..1]), digests[1..]);
    assert_eq!(newer(&digests[2..]), []);
    assert_eq!(newer(&[]), digests);
}

proptest! {
    #[test]
    fn one_flipped_byte_anywhere_is_found_and_its_file_is_named(
        file in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(), flip in 1..=255_u8
    ) {
        // One ledger for all flips, each taken back: building it waits for the disk.
        static LEDGER: LazyLock<TempDir> = LazyLock::new(|| ledger().0);
        let folder = LEDGER.path();
        let names = files(folder);
        let name = file.get(&names);
        let path = folder.join(name);
        let sound = std::fs::read(&path).unwrap();
        let mut bytes = sound.clone();
        bytes[place.index(sound.len())] ^= flip;
        std::fs::write(&path, bytes).unwrap();
        let (found, opened) = (Ledger::verify(folder), Ledger::open(folder));
        std::fs::write(&path, sound).unwrap();
        prop_assert!(found.iter().any(|finding| finding.file == *name), "{:?}", found);
        prop_assert!(opened.is_err());
        prop_assert!(Ledger::verify(folder).is_empty());
    }
}
