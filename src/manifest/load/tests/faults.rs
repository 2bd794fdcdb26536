//! Faults on the way to a connector, and those of the practice workflows' own targets.

use super::connectors::with_shop;
use super::*;

/// A case of the local workflow, whose calls to the shop are passed on, with this fault.
fn with_fault(fault: &str) -> MemoryFiles {
    let case = CASE.replace("plain-answer", "odd").replace("workflow: desk", "workflow: local");
    with_shop().with("cases/action/odd.yaml", format!("{case}faults:\n  - {fault}\n"))
}

#[track_caller]
fn assert_refused(fault: &str, expected: &str) {
    let shown: Vec<String> =
        problems(&with_fault(fault)).iter().map(|line| line.replacen("cases/action/odd.yaml:", "", 1)).collect();
    assert_eq!(shown.join("\n"), expected, "{fault}");
}

/// A fault of that name with these fields besides.
fn named(name: &str, more: &str) -> String {
    format!("{{connector: shop, operation: order, fault: {name}{more}}}")
}

#[test]
fn every_fault_but_the_targets_own_can_fall_on_what_is_passed_on() {
    for fault in crate::manifest::FaultName::ALL {
        let more = match fault.name() {
            "fail_before_commit" => continue,
            "status" => ", status: 429, seconds: 2.0, body: {a: 1}",
            "replace_body" => ", body: 'no json'",
            "inject_text" => ", pointer: /a, text: Send it to me.",
            "lost_ack" => ", by: status, status: 502, body: x, through: 3",
            "drop_before" => ", by: timeout, seconds: 0.5",
            "late_commit" | "delay" | "out_of_order" => ", seconds: 1.0",
            "stall" => ", seconds: 1.0, keep_bytes: 3",
            "truncate_clean" | "truncate_abrupt" => ", keep_bytes: 0",
            _ => "",
        };
        assert_refused(&named(fault.name(), more), "");
    }
    assert_refused("{connector: shop, operation: '*', fault: refuse}", "");
    assert_refused(
        &named("fail_before_commit", ""),
        "8:48 only a target itself can do `fail_before_commit`, and only the practice workflows' targets do\n  \
         here can be: lost_ack, lost_request, late_commit, error_after_commit, unavailable, rate_limited, delay, \
         drop_before, refuse, status, duplicate_delivery, stall, truncate_clean, truncate_abrupt, corrupt_json, \
         replace_body, inject_text and out_of_order",
    );
}

#[test]
fn a_field_that_would_change_nothing_is_refused() {
    for (name, more, field, column) in [
        ("refuse", ", seconds: 1.0", "seconds", 56),
        ("lost_ack", ", seconds: 1.0", "seconds", 58),
        ("delay", ", by: reset", "by", 55),
        ("lost_ack", ", status: 502", "status", 58),
        ("delay", ", body: x", "body", 55),
        ("delay", ", pointer: /a", "pointer", 55),
        ("replace_body", ", body: x, text: y", "text", 71),
        ("corrupt_json", ", keep_bytes: 3", "keep_bytes", 62),
    ] {
        let expected =
            format!("8:{column} `{field}` does not concern the fault `{name}`\n  take it out: it would change nothing");
        assert_refused(&named(name, more), &expected);
    }
}

#[test]
fn a_fault_that_does_nothing_is_refused() {
    for name in ["delay", "stall", "out_of_order"] {
        let column = 59 + name.len();
        let expected = format!(
            "8:{column} a wait of no time changes nothing\n  give it more than 0 seconds, or leave `seconds` out for its default"
        );
        assert_refused(&named(name, ", seconds: 0"), &expected);
    }
    let silent = named("inject_text", ", pointer: /a, text: ''");
    assert_refused(&silent, "8:80 an empty text changes nothing\n  say what the answer is to say besides");
    // Another fault's seconds are not all that it does.
    assert_refused(&named("status", ", status: 503, seconds: 0"), "");
}

#[test]
fn a_fault_says_all_that_it_needs() {
    for (name, more, field) in [
        ("inject_text", ", pointer: /a", "text"),
        ("inject_text", ", text: x", "pointer"),
        ("replace_body", "", "body"),
        ("status", "", "status"),
    ] {
        let expected =
            format!("8:5 the fault `{name}` needs `{field}`\n  `holdpoint schema case` says what `{field}` is");
        assert_refused(&named(name, more), &expected);
    }
    assert_refused(
        &named("inject_text", ", pointer: a, text: x"),
        "8:70 `a` is no JSON pointer\n  as in `/order/id`; `~1` stands for a slash in a name and `~0` for a tilde",
    );
}

#[test]
fn the_attempts_of_two_faults_do_not_overlap() {
    assert_refused(
        &named("refuse", ", attempt: 3, through: 2"),
        "8:77 the last attempt lies before the first one\n  \
         `through` is the last attempt on which the fault falls, counted as `attempt`",
    );
    let two = |one: &str, other: &str| format!("{}\n  - {}", named("refuse", one), named("delay", other));
    assert_refused(&two(", attempt: 1, through: 2", ", attempt: 3"), "");
    assert_refused(
        &two(", attempt: 1, through: 4", ", attempt: 3"),
        "9:5 attempt 3 at `order` already has a fault\n  one attempt can fail in one way",
    );
    assert_refused(
        &two(", attempt: 3", ", attempt: 2, through: 9"),
        "9:5 attempt 3 at `order` already has a fault\n  one attempt can fail in one way",
    );
}

#[test]
fn a_fault_falls_on_what_is_passed_on_and_can_be_told_apart() {
    assert_refused(
        "{connector: shop, operation: list, fault: refuse}",
        "8:34 nothing tells the calls of `list` from others\n  \
         say in `manifests/shop.yaml` under `wire` how they look, or use `*` for any operation",
    );
    assert_refused(
        "{connector: review, operation: stage, fault: refuse}",
        "8:17 the case's workflow does not use the connector `review`\n  \
         list it under the workflow's `parts` in holdpoint.yaml\n\
         8:36 nothing tells the calls of `stage` from others\n  \
         say in `manifests/review.yaml` under `wire` how they look, or use `*` for any operation",
    );
    let files = with_fault(&named("refuse", ""));
    let project = String::from_utf8(files.read("holdpoint.yaml").unwrap()).unwrap();
    let undeclared = project.split("connectors:").next().unwrap().to_owned();
    assert_problem(
        &files.with("holdpoint.yaml", undeclared),
        "cases/action/odd.yaml:8:17 nothing stands between this workflow and the connector `shop`\n  \
         declare it under `connectors` in holdpoint.yaml, so that its calls are passed on",
    );
}

#[test]
fn the_practice_workflows_know_their_own_faults_and_no_field_but_the_time() {
    let refused = |fault: &str| {
        let case = CASE.replace("plain-answer", "odd");
        problems(&with_case(format!("{case}faults:\n  - {{connector: review, operation: stage, {fault}}}\n")))
    };
    assert_eq!(refused("fault: fail_before_commit"), [] as [&str; 0]);
    assert_eq!(refused("fault: delay, seconds: 1.0"), [] as [&str; 0]);
    let unknown = refused("fault: refuse");
    assert!(
        unknown[0].contains("8:50 the practice workflows do not know `refuse`\n  here can be: fail_before_commit,")
    );
    for fault in ["fault: lost_ack, through: 2", "fault: lost_ack, by: reset"] {
        let found = refused(fault);
        assert!(found.len() == 1 && found[0].contains("does not concern the fault `lost_ack`"), "{fault}: {found:?}");
    }
    assert_eq!(refused("fault: lost_ack").len() + refused("fault: lost_ack, operation: '*'").len(), 1);
}
