//! How the base is found, and what is said where it cannot be.

use std::collections::BTreeMap;

use holdpoint::change::{BaseKind, ChangeError, Sides, SidesRequest};
use tempfile::TempDir;

use crate::scratch::Scratch;

/// What is asked of a repository.
#[derive(Clone, Copy, Default)]
struct Question<'a> {
    base: Option<&'a str>,
    head: Option<&'a str>,
    environment: &'a [(&'a str, &'a str)],
    has_accepted: bool,
}

fn resolve(root: &std::path::Path, question: Question<'_>) -> Result<Sides, ChangeError> {
    let pairs = question.environment.iter();
    let environment: BTreeMap<String, String> =
        pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let Question { base, head, has_accepted, .. } = question;
    Sides::resolve(SidesRequest { project_root: root, base, head, environment: &environment, has_accepted })
}

fn sides(scratch: &Scratch, question: Question<'_>) -> Sides {
    resolve(&scratch.root(), question).unwrap()
}

fn with_base(scratch: &Scratch, base: &str) -> Sides {
    sides(scratch, Question { base: Some(base), has_accepted: true, ..Question::default() })
}

/// Why there is no base.
#[track_caller]
fn reason(sides: &Sides) -> &str {
    match sides.base_kind() {
        BaseKind::None(reason) => reason,
        other => panic!("there is a base: {other:?}"),
    }
}

fn note(sides: &Sides) -> &str {
    sides.base().note.as_deref().unwrap_or_default()
}

/// `main` with two commits, and a branch `side` off the first that is checked out.
fn forked() -> (Scratch, String, String) {
    let scratch = Scratch::new();
    let fork = scratch.write("a", "1").commit("one");
    let main = scratch.write("b", "1").commit("two");
    scratch.git(&["checkout", "-q", "-b", "side", &fork]);
    scratch.write("c", "1").commit("three");
    (scratch, fork, main)
}

#[test]
fn a_base_that_was_asked_for_is_held_through_the_merge_base() {
    let (scratch, fork, main) = forked();
    let sides = with_base(&scratch, "main");
    assert_eq!(*sides.base_kind(), BaseKind::Revisions(vec![fork.clone()]));
    assert_eq!(sides.base().name, "main");
    let expected =
        format!("`main` is {} of 2026-01-02T03:04:05Z, its merge base with the head {}", &main[..12], &fork[..12]);
    assert_eq!(note(&sides), expected);
    assert_eq!(sides.head().name, "working tree");
}

#[test]
fn a_base_that_cannot_be_had_selects_everything_and_says_git_s_own_words() {
    let (scratch, ..) = forked();
    let sides = with_base(&scratch, "origin/main");
    let reason = reason(&sides);
    assert!(reason.starts_with("`origin/main` names no commit: git says `"), "{reason}");
    assert!(!reason.contains("shallow"), "{reason}");
    let zeros = with_base(&scratch, &"0".repeat(40));
    assert!(self::reason(&zeros).contains("zeros"), "{}", self::reason(&zeros));
    assert!(matches!(with_base(&scratch, "").base_kind(), BaseKind::None(_)));
    assert!(matches!(with_base(&scratch, "HEAD:a").base_kind(), BaseKind::None(_)));
}

#[test]
fn unrelated_histories_have_no_base_and_no_guess_about_shallow_clones() {
    let scratch = Scratch::new();
    scratch.write("a", "1").commit("one");
    scratch.git(&["checkout", "-q", "--orphan", "alone"]);
    scratch.commit("alone");
    let sides = with_base(&scratch, "main");
    let reason = reason(&sides);
    assert!(reason.contains("git says `no merge base found"), "{reason}");
    assert!(!reason.contains("shallow"), "{reason}");
}

#[test]
fn two_tips_of_a_depth_one_clone_get_git_s_reason_first_and_shallow_as_a_guess_after_it() {
    let (origin, ..) = forked();
    let clone = Scratch::clone_of(&origin, &["--depth", "1", "--no-single-branch"]);
    let sides = with_base(&clone, "origin/main");
    let reason = reason(&sides);
    let (words, guess) = (reason.find("no merge base found"), reason.find("perhaps because this is a shallow clone"));
    assert!(words.is_some() && words < guess, "{reason}");
}

#[test]
fn a_criss_cross_history_has_two_bases_and_says_so() {
    let scratch = Scratch::new();
    scratch.write("a", "1").commit("one");
    scratch.git(&["checkout", "-q", "-b", "side"]);
    let side = scratch.write("b", "1").commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    let main = scratch.write("c", "1").commit("main");
    scratch.git(&["merge", "-q", "--no-edit", "side"]);
    scratch.git(&["checkout", "-q", "side"]);
    scratch.git(&["merge", "-q", "--no-edit", &main]);
    let sides = with_base(&scratch, "main");
    let BaseKind::Revisions(bases) = sides.base_kind() else { panic!("no base") };
    let (mut found, mut expected) = (bases.clone(), vec![side, main]);
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert!(note(&sides).contains("criss-cross, so there are 2 merge bases"), "{}", note(&sides));
}

#[test]
fn ci_s_target_branch_is_the_base_and_it_is_said_which_one_was_taken() {
    let (origin, fork, _) = forked();
    let clone = Scratch::clone_of(&origin, &[]);
    let environment: &[(&str, &str)] = &[("GITHUB_BASE_REF", "main"), ("CI", "true")];
    let question = Question { environment, has_accepted: true, ..Question::default() };
    let found = sides(&clone, question);
    assert_eq!(*found.base_kind(), BaseKind::Revisions(vec![fork.clone()]));
    assert_eq!(found.base().name, "origin/main");
    assert!(note(&found).starts_with("GITHUB_BASE_REF names it: `origin/main` is "), "{}", note(&found));
    let local = sides(&origin, question);
    assert_eq!((local.base().name.as_str(), local.base_kind()), ("main", &BaseKind::Revisions(vec![fork])));
}

#[test]
fn where_ci_s_branch_was_not_fetched_what_was_accepted_is_the_base() {
    let (origin, ..) = forked();
    let clone = Scratch::clone_of(&origin, &["--depth", "1"]);
    let environment: &[(&str, &str)] = &[("GITHUB_BASE_REF", "main")];
    let question = Question { environment, has_accepted: true, ..Question::default() };
    let found = sides(&clone, question);
    assert_eq!(*found.base_kind(), BaseKind::Baseline);
    assert!(note(&found).contains("what GITHUB_BASE_REF names cannot be had"), "{}", note(&found));
    let never = sides(&clone, Question { has_accepted: false, ..question });
    assert!(reason(&never).contains("no accepted parts stand in for one"), "{}", reason(&never));
}

#[test]
fn without_any_question_what_was_accepted_is_the_base_also_on_a_plain_ci_build() {
    let (scratch, ..) = forked();
    let question = Question { environment: &[("CI", "true")], has_accepted: true, ..Question::default() };
    assert_eq!(*sides(&scratch, question).base_kind(), BaseKind::Baseline);
    let never = sides(&scratch, Question { has_accepted: false, ..question });
    assert_eq!(reason(&never), "no base was given, and no accepted parts stand in for one");
}

#[test]
fn a_project_outside_any_repository_has_a_head_and_can_stand_on_what_was_accepted() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a"), "1").unwrap();
    let found = resolve(folder.path(), Question { has_accepted: true, ..Question::default() }).unwrap();
    assert_eq!(*found.base_kind(), BaseKind::Baseline);
    assert_eq!(found.head_files().list("").unwrap(), ["a"]);
    let asked = Question { base: Some("main"), has_accepted: true, ..Question::default() };
    assert!(reason(&resolve(folder.path(), asked).unwrap()).contains("git says"));
    let head = resolve(folder.path(), Question { head: Some("main"), ..Question::default() });
    assert!(matches!(head, Err(ChangeError::Head { .. })));
}

#[test]
fn a_head_that_cannot_be_had_is_an_error_and_never_the_working_tree() {
    let (scratch, ..) = forked();
    let error = resolve(&scratch.root(), Question { head: Some("nowhere"), ..Question::default() }).err().unwrap();
    assert!(error.to_string().starts_with("the head `nowhere` cannot be had"), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn a_head_revision_is_written_out_only_where_it_is_not_what_is_checked_out() {
    let (scratch, ..) = forked();
    let export = |head: Option<&str>| {
        let into = TempDir::new().unwrap();
        let found = sides(&scratch, Question { head, ..Question::default() }).export_head(into.path()).unwrap();
        found.map(|folder| std::fs::read_dir(folder).unwrap().count())
    };
    assert_eq!(export(None), None);
    assert_eq!(export(Some("side")), None);
    assert_eq!(export(Some("main")), Some(2));
    scratch.write("c", "uncommitted");
    assert_eq!(export(Some("side")), Some(2));
}

#[test]
fn before_the_first_commit_there_is_no_base_and_no_error() {
    let scratch = Scratch::new();
    scratch.write("a", "1");
    let found = with_base(&scratch, "HEAD");
    assert!(!reason(&found).is_empty());
    assert_eq!(found.head().note.as_deref(), Some("with one uncommitted path"));
}
