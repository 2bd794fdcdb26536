//! Every form says of the accepted results what is true of them: missing, out of force, unseen, of a later time, damaged.

use std::fs;

use crate::sandbox::{Ran, Sandbox};
use crate::small_project::{accepted_project, small_project};

const FORMS: [&str; 4] = ["report.html", "report.json", "summary.md", "junit.xml"];

/// What a gate and each form of its report say, beside what the terminal does.
fn told(sandbox: &Sandbox, gate: &Ran) -> Vec<(String, String)> {
    let forms = FORMS.map(|form| (form.to_owned(), sandbox.read(&format!("reports/latest/{form}")).replace('\\', "")));
    std::iter::once(("the terminal".to_owned(), gate.told())).chain(forms).collect()
}

/// The state in the report, after a gate that ends so; none of the forms says that nothing was ever accepted.
fn never_denied(sandbox: &Sandbox, gate: Ran, state: &str) {
    for (form, text) in told(sandbox, &gate) {
        assert!(!text.to_lowercase().contains("ever accepted"), "{form} denies that anything was accepted:\n{text}");
    }
    assert_eq!(sandbox.report()["baseline_state"], state);
}

/// The only record of the project.
fn record(sandbox: &Sandbox) -> String {
    let records = sandbox.contents("baselines");
    let name = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let record =
        records.iter().map(|(path, _)| name(path)).find(|path| path.ends_with(".json") && !path.contains("parts"));
    record.unwrap()
}

#[test]
fn of_a_project_that_accepted_nothing_that_is_said() {
    let sandbox = small_project();
    let gate = sandbox.holdpoint(&["gate"]).expect(12);
    assert_eq!(sandbox.report()["baseline_state"], "missing");
    for (form, text) in told(&sandbox, &gate) {
        assert!(text.contains("ever accepted"), "{form}");
    }
}

#[test]
fn a_damaged_baseline_is_called_that_and_nobody_denies_that_there_was_one() {
    let sandbox = accepted_project();
    let path = sandbox.project().join("baselines").join(record(&sandbox).rsplit('/').next().unwrap());
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("R. Viewer", "R. Viewed")).unwrap();
    let gate = sandbox.holdpoint(&["gate"]).expect(12).says("cannot be trusted").says("git restore --source=HEAD");
    let reason = sandbox.report()["mode_reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("what was accepted cannot be trusted, so there is none to inherit"), "{reason}");
    never_denied(&sandbox, gate, "damaged");
    let why = &sandbox.report()["cases"][0]["why"];
    assert_eq!(why, "what was accepted cannot be trusted; it passed now");
    sandbox.holdpoint(&["baseline", "verify"]).expect(12).says("git log --all --");
}

#[test]
fn a_record_of_a_later_format_asks_for_a_later_holdpoint_and_for_no_restoring() {
    let sandbox = accepted_project();
    let text = r#"{"schema":"holdpoint.baseline/99"}"#;
    let digest = holdpoint::domain::Digest::of(text.as_bytes());
    sandbox.write(&format!("baselines/{}.json", digest.hex()), text);
    let gate = sandbox.holdpoint(&["gate"]).expect(12).says("holdpoint.baseline/99").says("or a newer one");
    assert!(!gate.told().contains("git restore"), "{}", gate.told());
    assert!(!sandbox.read("reports/latest/report.html").contains("git restore"));
    never_denied(&sandbox, gate, "newer");
    sandbox.holdpoint(&["baseline", "list"]).expect(12).says("cannot be read").says("a newer holdpoint wrote it");
}

#[test]
fn what_a_shallow_clone_does_not_show_is_not_said_to_have_never_been() {
    let sandbox = accepted_project();
    sandbox.git(&["rm", "--quiet", "-r", "baselines"]);
    sandbox.commit("take the baseline away");
    sandbox.holdpoint(&["gate"]).expect(12).says("taken away since");
    let origin = format!("file://{}", sandbox.project().display());
    let clone = Sandbox::empty();
    clone.git(&["fetch", "--quiet", "--depth", "1", &origin, "main"]);
    clone.git(&["reset", "--quiet", "--hard", "FETCH_HEAD"]);
    let gate = clone.holdpoint(&["gate"]).expect(12).says("cannot be told").says("git fetch --unshallow");
    assert_eq!(clone.report()["baseline_state"], "unseen");
    for (form, text) in told(&clone, &gate) {
        assert!(!text.contains("none was ever accepted"), "{form}");
    }
}

#[test]
fn what_was_revoked_was_accepted_once() {
    let sandbox = accepted_project();
    let digest = record(&sandbox).rsplit('/').next().unwrap()[..12].to_owned();
    sandbox.holdpoint(&["baseline", "revoke", &digest, "--by", "R. Viewer", "--reason", "too early"]).expect(0);
    let gate = sandbox.holdpoint(&["gate"]).expect(12).says("no accepted result is in force any more");
    never_denied(&sandbox, gate, "empty");
}
