//! What cases expect of calls, on the fulfilment examples: real targets, the proxy between, and the workflow's own processes.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sandbox::{Sandbox, entry};

const PERMISSIONS: &str = "\
id: clerks
kind: permissions
version: '1'
actors: {desk: {actions: [fulfil]}}
actions:
  fulfil: {calls: [orders/open, orders/find_order, stock/reserve, stock/find_reservation, mail/confirm]}
";

/// An example with the targets inside its folder, and with these cases: their faults and expectations, a line each.
fn project(example: &str, cases: &[(&str, &str, &[&str])]) -> Sandbox {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let sandbox = Sandbox::empty();
    let read = |path: &str| fs::read_to_string(examples.join(path)).unwrap();
    for file in ["fulfil.py", "manifests/mail.yaml", "manifests/orders.yaml", "manifests/stock.yaml"] {
        sandbox.write(file, &read(&format!("{example}/{file}")));
    }
    let file = read(&format!("{example}/holdpoint.yaml")).replace("../fulfilment-targets/", "");
    sandbox
        .write("holdpoint.yaml", &file.replace("parts: [orders, stock, mail]", "parts: [orders, stock, mail, clerks]"));
    sandbox.write("target.py", &read("fulfilment-targets/target.py"));
    sandbox.write("manifests/clerks.yaml", PERMISSIONS);
    for (id, fault, expectations) in cases {
        let lines: String = expectations.iter().map(|line| format!("  - {line}\n")).collect();
        let input = "{order: O-1, customer: ada@example.org, item: lamp, quantity: 2}";
        sandbox.write(
            &format!("cases/duplicate/{id}.yaml"),
            &format!(
                "id: {id}\ntitle: It holds\nworkflow: fulfil\ninput: {input}\nfaults:\n  - {fault}\nexpect:\n{lines}"
            ),
        );
    }
    sandbox.commit("begin");
    sandbox
}

/// The verdicts on the expectations of a case, in their order.
fn grades(sandbox: &Sandbox, case: &str) -> Vec<(String, Value, String)> {
    let report = sandbox.report();
    let grades = entry(&report["cases"], "id", case)["trials"][0]["grades"].clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let each = grades.as_array().unwrap_or_else(|| panic!("{report:#}")).iter();
    each.map(|grade| (text(&grade["grader"]), grade["pass"].clone(), text(&grade["message"]))).collect()
}

#[track_caller]
fn assert_grades(sandbox: &Sandbox, case: &str, expected: &[Value]) {
    let found = grades(sandbox, case);
    let passes: Vec<&Value> = found.iter().map(|(_, pass, _)| pass).collect();
    assert_eq!(passes, expected.iter().collect::<Vec<_>>(), "{case}: {found:#?}");
}

const LOST: (&str, &str, &[&str]) = (
    "lost-answer",
    "{connector: orders, operation: open, attempt: 1, through: 2, fault: lost_ack}",
    &[
        "attempts: {operation: \"open:O-1\", at_least: 2, at_most: 4, within_s: 11}",
        "backoff: {call: orders/open, follows_manifest: true}",
        "identity: {call: orders/open}",
        "parameters: unchanged",
        "no_retry: {after: [may_have_been_done]}",
        "order: [{call: orders/open, before: stock/reserve}]",
        "depends: {call: mail/confirm, on: stock/reserve}",
        "permitted_calls: {actor: desk}",
        "contract: kept",
    ],
);

const BUSY: (&str, &str, &[&str]) = (
    "busy-target",
    "{connector: orders, operation: open, attempt: 1, fault: status, status: 503, seconds: 1}",
    &["retry_after: honoured", "attempts: {call: orders/open, at_most: 4}"],
);

const UNKNOWN: (&str, &str, &[&str]) = (
    "unknown-reservation",
    "{connector: stock, operation: reserve, attempt: 1, through: 9, fault: status, status: 500}",
    &[
        "depends: {call: mail/confirm, on: stock/reserve}",
        "attempts: {call: mail/confirm, at_most: 0}",
        "claim: {operation: \"reserve:O-1\", is: unknown}",
    ],
);

#[test]
fn a_workflow_that_keeps_its_promises_passes_what_is_expected_of_its_calls() {
    let sandbox = project("fulfilment-careful", &[LOST, BUSY, UNKNOWN]);
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let passed = Value::from(true);
    for (id, _, expectations) in [LOST, BUSY, UNKNOWN] {
        assert_grades(&sandbox, id, &vec![passed.clone(); expectations.len()]);
    }
}

#[test]
fn a_workflow_that_does_not_fails_what_it_breaks() {
    let sandbox = project("fulfilment-naive", &[LOST, BUSY, UNKNOWN]);
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    let (yes, no, none) = (Value::from(true), Value::from(false), Value::Null);
    // No backoff is stated, no key is sent, and every attempt leaves an order.
    let lost = [&yes, &none, &no, &none, &no, &yes, &yes, &yes, &none];
    assert_grades(&sandbox, "lost-answer", &lost.map(Clone::clone));
    assert_grades(&sandbox, "busy-target", &[no.clone(), yes]);
    assert_grades(&sandbox, "unknown-reservation", &[no.clone(), no.clone(), no]);
}
