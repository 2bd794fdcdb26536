//! Expectations of calls: what they name exists, somebody sees it, and some workflow can fail them.

use super::*;

/// A project whose command workflow has its calls to the desk passed on.
fn watched(expectation: &str) -> MemoryFiles {
    let project = PROJECT.replace(
        "    command: {run: [python3, desk.py]}\n    parts: [policy]\n",
        "    command: {run: [python3, desk.py]}\n    parts: [policy, review, clerks]\n",
    );
    let project = format!("{project}connectors:\n  review: {{upstream: {{url: http://127.0.0.1:9000}}}}\n");
    let told_apart = format!("{CONNECTOR}    wire: {{method: POST, path: /queue, intention: {{body: /operation}}}}\n");
    let files = valid().with("holdpoint.yaml", project).with("manifests/review.yaml", told_apart);
    files.with("cases/action/odd.yaml", case("local", expectation))
}

fn case(workflow: &str, expectation: &str) -> String {
    format!("id: odd\ntitle: Odd\nworkflow: {workflow}\ninput: {{}}\nexpect:\n  - {expectation}\n")
}

#[track_caller]
fn assert_shown(files: &MemoryFiles, expected: &str, expectation: &str) {
    let shown: Vec<String> =
        problems(files).iter().map(|line| line.replacen("cases/action/odd.yaml:", "", 1)).collect();
    assert_eq!(shown.join("\n"), expected, "{expectation}");
}

#[track_caller]
fn assert_refused(expectation: &str, expected: &str) {
    assert_shown(&watched(expectation), expected, expectation);
}

#[test]
fn every_kind_is_taken_in_its_plain_form() {
    for expectation in [
        "attempts: {operation: stage:op-1, at_most: 3}",
        "attempts: {call: review/stage, at_least: 1, at_most: 3, within_s: 2.5}",
        "backoff: {grows: true, jitter: true}",
        "backoff: {call: review/stage, follows_manifest: true, at_least_s: 0.1, at_most_s: 9}",
        "retry_after: honoured",
        "retry_after: {call: review/stage}",
        "no_retry: {}",
        "no_retry: {call: review/stage, after: [refused]}",
        "identity: {}",
        "identity: {operation: stage:op-1}",
        "parameters: unchanged",
        "retry_layers: {at_most: 1}",
        "retry_layers: {call: review/stage, at_most: 0, header: x-attempt}",
        "contract: kept",
        "contract: {keeps: [stable_key, unbounded_retry]}",
        "not: {contract: kept}",
        "effects: {probe: review_queue, count: 1, fields: {status: staged}}",
    ] {
        assert_refused(expectation, "");
    }
}

#[test]
fn an_expectation_that_no_workflow_can_fail_or_pass_is_an_error() {
    assert_refused(
        "attempts: {at_most: 3}",
        "6:15 it says of nothing how often it is tried\n  name an `operation` or a `call`",
    );
    assert_refused(
        "attempts: {call: review/stage}",
        "6:15 every number of attempts passes\n  give `at_most`, `within_s`, or `at_least` of 1 or more",
    );
    assert_refused(
        "attempts: {call: review/stage, at_least: 3, at_most: 2}",
        "6:15 no number is at least 3 and at most 2\n  exchange the two",
    );
    assert_refused(
        "attempts: {call: review/stage, operation: o, at_most: 2}",
        "6:15 `attempts` names an operation and a call\n  \
         an operation is one of those that make a call: keep the narrower of the two",
    );
    assert_refused(
        "backoff: {call: review/stage}",
        "6:14 it asks nothing of the waits\n  ask for `grows`, `jitter` or `follows_manifest`, or give bounds",
    );
    assert_refused(
        "backoff: {at_least_s: 2, at_most_s: 1}",
        "6:14 no wait is at least 2 s and at most 1 s\n  exchange the two",
    );
    assert_refused(
        "no_retry: {after: []}",
        "6:23 it says after nothing, so no workflow can fail it\n  \
         name `refused`, `may_have_been_done`, or leave `after` out for both",
    );
    assert_refused(
        "depends: {call: review/stage, on: review/stage}",
        "6:14 `review/stage` cannot depend on itself\n  name two different calls",
    );
    assert_refused(
        "order: [{call: review/stage, before: review/stage}]",
        "6:13 `review/stage` cannot come before itself\n  name two different calls",
    );
    assert_refused(
        "effects: {probe: review_queue, count: 0, fields: {a: 1}}",
        "6:54 nothing may be there, and what is there must have fields\n  leave `fields` out",
    );
    assert_refused(
        "effects: {probe: review_queue, count: 1, where: {a: 1}, fields: {a: 2}}",
        "6:69 `where` asks for the field `a` already\n  no effect can have both values: keep one",
    );
}

#[test]
fn the_calls_that_are_named_exist_and_are_seen() {
    assert_refused(
        "attempts: {call: review/stag, at_most: 1}",
        "6:22 the connector `review` has no operation `stag`\n  did you mean `stage`?",
    );
    assert_refused(
        "identity: {call: stage}",
        "6:22 `stage` names no connector's operation\n  \
         write the connector's id, a slash, and its operation, as in `inventory/reserve`",
    );
    let unseen = with_case(case("local", "attempts: {call: review/stage, at_most: 1}"));
    assert_shown(
        &unseen,
        "6:5 `attempts` is about calls, and nobody sees those of the case's workflow\n  \
         name its connectors under `connectors` in holdpoint.yaml\n\
         6:22 the case's workflow does not use the connector `review`\n  \
         list it under the workflow's `parts` in holdpoint.yaml",
        "",
    );
    let past = PROJECT.replace(
        "    command: {run: [python3, desk.py]}\n    parts: [policy]\n",
        "    command: {run: [python3, desk.py]}\n    parts: [policy, review]\n",
    );
    let files = valid().with("holdpoint.yaml", past);
    let shown =
        files.with("cases/action/odd.yaml", case("local", "order: [{call: review/stage, before: review/stag}]"));
    assert_shown(
        &shown,
        "6:5 `order` is about calls, and nobody sees those of the case's workflow\n  \
         name its connectors under `connectors` in holdpoint.yaml\n\
         6:20 nobody sees the calls to the connector `review`\n  \
         name it under `connectors` in holdpoint.yaml, so that its calls are passed on\n\
         6:42 the connector `review` has no operation `stag`\n  did you mean `stage`?",
        "",
    );
}

#[test]
fn a_practice_workflow_shows_its_attempts_and_not_its_calls() {
    for expectation in ["attempts: {call: review/stage, at_most: 3}", "contract: kept", "identity: {}", "no_retry: {}"]
    {
        assert_shown(&with_case(case("desk", expectation)), "", expectation);
    }
    for (key, expectation) in [
        ("backoff", "backoff: {grows: true}"),
        ("retry_after", "retry_after: honoured"),
        ("parameters", "parameters: unchanged"),
        ("retry_layers", "retry_layers: {at_most: 1}"),
    ] {
        let expected = format!(
            "6:5 `{key}` needs the calls themselves, and a practice workflow shows only its attempts\n  \
             take the expectation out, or run the case against another workflow"
        );
        assert_shown(&with_case(case("desk", expectation)), &expected, expectation);
    }
}

#[test]
fn permitted_calls_need_a_manifest_that_names_calls() {
    let naming = |files: MemoryFiles| {
        files.with(
            "manifests/clerks.yaml",
            "id: clerks\nkind: permissions\nversion: 1.0.0\nactors: {clerk: {actions: [stage]}}\n\
             actions: {stage: {calls: [review/stage]}}\n",
        )
    };
    for expectation in ["permitted_calls: {}", "permitted_calls: {by: clerks, actor: clerk}"] {
        assert_shown(&naming(watched(expectation)), "", expectation);
    }
    assert_refused(
        "permitted_calls: {}",
        "6:5 no action of `clerks` says which calls it consists of\n  \
         list them there under the action's `calls`, as `connector/operation`",
    );
    assert_shown(
        &naming(watched("permitted_calls: {actor: clark}")),
        "6:30 `clerks` has no actor `clark`\n  did you mean `clerk`?",
        "",
    );
    assert_refused(
        "permitted_calls: {by: policy}",
        "6:27 expected a manifest of kind permissions, and `policy` is of kind source\n  \
         it stands in `manifests/policy.yml`",
    );
}
