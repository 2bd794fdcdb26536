//! The ledger from outside: branches that each accepted, records that were tampered with, revisions with baselines of their
//! own.

use crate::sandbox::{Sandbox, names};
use crate::small_project::{case, small_project};

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

    sandbox.accept();
    let listed = sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
    assert_eq!(listed["records"][0]["parents"].as_array().unwrap().len(), 2, "{listed:#}");
    sandbox.holdpoint(&["gate"]).expect(0);
    assert_eq!(sandbox.report()["baseline_heads"].as_array().unwrap().len(), 1);
}
