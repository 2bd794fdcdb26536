//! The ledger from outside: branches that each accepted, records that were tampered with, revisions with baselines of their
//! own.

use std::fs;

use crate::sandbox::{Sandbox, names};
use crate::small_project::{accepted_project, case, small_project};

/// The answer is the greeting and, in a file of its own, a farewell; two cases, one for each.
fn two_files() -> Sandbox {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "cat >/dev/null\ncat prompts/greeting.txt prompts/farewell.txt\n");
    sandbox.write("prompts/farewell.txt", "Good night\n");
    sandbox.edit("manifests/greeting.yaml", "[prompts/greeting.txt]", "[prompts/greeting.txt, prompts/farewell.txt]");
    sandbox.write("cases/policy_accuracy/parts.yaml", &case("parts", "Good night"));
    sandbox.commit("say goodbye too");
    sandbox.measure_and_accept();
    sandbox
}

/// Edits a file on a branch of its own, measures, and accepts what comes of it.
fn accept_on_branch(sandbox: &Sandbox, branch: &str, file: &str, text: &str, code: i32) {
    sandbox.git(&["switch", "--quiet", "--create", branch, "main"]);
    sandbox.write(file, text);
    sandbox.commit(branch);
    sandbox.holdpoint(&["gate", "--base", "main", "--all"]).expect(code);
    sandbox.accept();
}

#[test]
fn two_branches_that_each_accepted_merge_without_a_conflict_and_the_next_acceptance_joins_them() {
    let sandbox = two_files();
    accept_on_branch(&sandbox, "one", "workflow.sh", "cat >/dev/null\ncat prompts/farewell.txt\n", 10);
    accept_on_branch(&sandbox, "other", "prompts/greeting.txt", "Good morning, all\n", 0);
    sandbox.git(&["merge", "--quiet", "--no-edit", "one"]);
    sandbox.holdpoint(&["baseline", "verify"]).expect(0);

    // One branch accepted that `greets` fails, the other, later, that it passes: it runs for that alone.
    let plan = sandbox.plan(&["--base", "HEAD"]);
    assert_eq!(names(&plan["selected"], "case"), ["greets"], "{plan:#}");
    let reasons = &plan["selected"][0]["reasons"];
    assert_eq!(reasons.as_array().unwrap().len(), 1, "{reasons}");
    assert!(reasons[0].as_str().unwrap().contains("two branches accepted it differently"), "{reasons}");

    // Without a base that was asked for, the accepted parts are the base, and there are two of them.
    let gate = sandbox.holdpoint(&["gate"]).expect(10);
    let report = sandbox.report();
    assert_eq!((&report["mode"], report["baseline_heads"].as_array().unwrap().len()), (&"all".into(), 2));
    assert!(report["mode_reason"].as_str().unwrap().contains("two branches accepted the parts differently"));
    gate.says("two branches accepted 1 case differently");

    sandbox
        .holdpoint(&["baseline", "list"])
        .expect(0)
        .says("forked: no record follows")
        .says("accepted differently, and the newer one counts until then: ")
        .says("greets");
    let listed = sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
    assert_eq!(listed["heads"].as_array().unwrap().len(), 2, "{listed:#}");
    assert!(listed["disputed"].as_array().unwrap().contains(&"greets".into()), "{listed:#}");

    sandbox.accept();
    let listed = sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
    assert_eq!(listed["records"][0]["parents"].as_array().unwrap().len(), 2, "{listed:#}");
    assert_eq!((listed["heads"].as_array().unwrap().len(), &listed["disputed"]), (1, &serde_json::json!([])));
    assert!(!sandbox.holdpoint(&["baseline", "list"]).expect(0).stdout.contains("forked"));
    sandbox.holdpoint(&["gate"]).expect(0);
    assert_eq!(sandbox.report()["baseline_heads"].as_array().unwrap().len(), 1);
}

/// The project with two acceptances, both committed; gives the digest of each.
fn two_acceptances() -> (Sandbox, [String; 2]) {
    let sandbox = accepted_project();
    let first = head(&sandbox);
    sandbox.write("prompts/greeting.txt", "Good morning, all\n");
    sandbox.commit("greet all");
    sandbox.holdpoint(&["gate"]).expect(0);
    sandbox.accept();
    let second = head(&sandbox);
    (sandbox, [first, second])
}

/// The digest of the one newest record.
fn head(sandbox: &Sandbox) -> String {
    let listed = sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
    listed["records"][0]["digest"].as_str().unwrap().to_owned()
}

fn record_file(digest: &str) -> String {
    format!("baselines/{}.json", digest.strip_prefix("sha256:").unwrap())
}

fn must_miss(sandbox: &Sandbox, digest: &str) {
    let name = &digest["sha256:".len()..];
    sandbox.holdpoint(&["gate"]).expect(12).says(name);
    sandbox.holdpoint(&["baseline", "verify"]).expect(12).says(name);
}

#[test]
fn a_newest_record_that_a_commit_took_away_is_missed() {
    let (sandbox, [_, newest]) = two_acceptances();
    fs::remove_file(sandbox.project().join(record_file(&newest))).unwrap();
    must_miss(&sandbox, &newest);
    sandbox.commit("tidy up");
    must_miss(&sandbox, &newest);
    // Nothing is built on a chain that lacks a link: to put it back would be a fork.
    let before = fs::read_dir(sandbox.project().join("baselines")).unwrap().count();
    let accept = ["baseline", "accept", "latest", "--by", "R. Viewer", "--reason", "go on"];
    sandbox.holdpoint(&accept).expect(2).says("put it back first").says(&newest["sha256:".len()..]);
    assert_eq!(fs::read_dir(sandbox.project().join("baselines")).unwrap().count(), before);
    for round in 0..3 {
        sandbox.write("notes.txt", &round.to_string());
        sandbox.commit("go on");
    }
    must_miss(&sandbox, &newest);
    sandbox.git(&["restore", "--source", "HEAD~4", "--", "baselines"]);
    sandbox.holdpoint(&["baseline", "verify"]).expect(0);
}

#[test]
fn a_record_that_a_merge_dropped_is_missed() {
    let (sandbox, [first, _]) = two_acceptances();
    sandbox.git(&["switch", "--quiet", "--create", "side", "HEAD~2"]);
    sandbox.write("prompts/greeting.txt", "Good morning, you\n");
    sandbox.commit("greet you");
    sandbox.holdpoint(&["gate"]).expect(0);
    sandbox.accept();
    let dropped = head(&sandbox);
    assert_ne!(dropped, first);
    sandbox.git(&["switch", "--quiet", "main"]);
    sandbox.git(&["merge", "--quiet", "--no-edit", "--strategy", "ours", "side"]);
    must_miss(&sandbox, &dropped);
}

#[test]
fn a_chain_that_was_made_anew_is_found_by_an_earlier_head_alone() {
    let (sandbox, [first, second]) = two_acceptances();
    sandbox.holdpoint(&["gate", "--expect-head", &first, "--expect-head", &second]).expect(0);
    fs::remove_dir_all(sandbox.project().join(".git")).unwrap();
    fs::remove_dir_all(sandbox.project().join("baselines")).unwrap();
    sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
    sandbox.commit("begin anew");
    sandbox.measure_and_accept();
    sandbox.holdpoint(&["baseline", "verify"]).expect(0);
    for digest in [first.as_str(), &second["sha256:".len()..]] {
        sandbox.holdpoint(&["baseline", "verify", "--head", digest]).expect(12).says("was expected and is not there");
        sandbox.holdpoint(&["gate", "--expect-head", digest]).expect(12).says("was expected and is not there");
    }
    sandbox.holdpoint(&["gate", "--expect-head", &first[..20]]).expect(2);
    sandbox.holdpoint(&["gate", "--expect-head", ""]).expect(2);
}

#[test]
fn the_head_stands_in_every_form_of_the_report() {
    let sandbox = accepted_project();
    let head = head(&sandbox);
    sandbox.holdpoint(&["gate"]).expect(0).says(&head);
    for form in ["report.html", "report.json", "summary.md", "junit.xml"] {
        assert!(sandbox.read(&format!("reports/latest/{form}")).contains(&head), "{form}");
    }
    for form in ["json", "junit", "markdown", "github"] {
        sandbox.holdpoint(&["report", "latest", "--format", form]).expect(0).says(&head);
    }
}

#[test]
fn a_revision_stands_on_its_own_baselines() {
    let sandbox = small_project();
    sandbox.holdpoint(&["gate"]).expect(12);
    let run = sandbox.latest_run();
    sandbox.holdpoint(&["baseline", "accept", &run, "--by", "R. Viewer", "--reason", "first look"]).expect(0);
    sandbox.holdpoint(&["gate"]).expect(0).says("accepted and not committed yet");
    // What lies uncommitted in the working tree vouches for nothing in a revision.
    sandbox.holdpoint(&["gate", "--head", "HEAD"]).expect(12).says("no result was ever accepted");
    sandbox.commit("accept");
    sandbox.holdpoint(&["gate", "--head", "HEAD"]).expect(0);
    assert_eq!(sandbox.report()["baseline_heads"][0], head(&sandbox));
    sandbox.holdpoint(&["gate", "--head", "HEAD~1"]).expect(12);
}

#[test]
fn what_is_accepted_within_the_change_is_said_first() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Go away\n");
    sandbox.commit("be rude");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(10);
    sandbox.accept();
    let gate = sandbox.holdpoint(&["gate", "--base", "HEAD~2", "--all"]).expect(0);
    gate.says("accepted within this change: record").says("R. Viewer, 1 result, 1 of them of a case that fails");
}

#[test]
fn baselines_behind_a_link_are_refused() {
    let sandbox = accepted_project();
    let (folder, moved) = (sandbox.project().join("baselines"), sandbox.project().join("elsewhere"));
    fs::rename(&folder, &moved).unwrap();
    std::os::unix::fs::symlink("elsewhere", &folder).unwrap();
    sandbox.holdpoint(&["gate"]).expect(12).says("symbolic link");
    sandbox.holdpoint(&["baseline", "verify"]).expect(12).says("symbolic link");
    let before = sandbox.contents("elsewhere");
    sandbox.holdpoint(&["baseline", "accept", "latest", "--by", "R. Viewer", "--reason", "again"]).expect(12);
    assert_eq!(sandbox.contents("elsewhere"), before);
}

#[test]
fn an_acceptance_of_fewer_trials_than_before_says_so() {
    let sandbox = small_project();
    sandbox.holdpoint(&["gate", "--trials", "3"]).expect(12);
    let accept = |run: &str| {
        sandbox.holdpoint(&["baseline", "accept", run, "--by", "R. Viewer", "--reason", "looked at"]).expect(0)
    };
    assert!(!accept(&sandbox.latest_run()).told().contains("fewer trials"));
    sandbox.commit("accept three");
    sandbox.write("prompts/greeting.txt", "Good morning, all\n");
    sandbox.commit("greet all");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(11);
    accept(&sandbox.latest_run())
        .says("1 result in fewer trials than were accepted before")
        .says("greets (1 instead of 3)");
}
