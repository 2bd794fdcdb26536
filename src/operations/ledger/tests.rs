//! Ledgers as workflows write them, in order and not.

use serde_json::json;

use crate::domain::{Claim, Outcome};
use crate::operations::{Account, Permission, failure_table, next_step, scorecard};

use super::{account_of_ledger, ledger_schema, read_ledger};

const FIRST: &str = r#"{"entry":"ledger","schema":"holdpoint.ledger/1","at":"2026-03-02T09:00:00Z","workflow":"r618","actions":{"reserve":{"contract":{"effect":"create","idempotency":{"key":"caller","window_s":600},"lookup":{"by":"operation","authoritative":true,"lag_s":5},"retry":{"attempts":2}},"approvers":["coordinator"]}}}"#;

/// A ledger with these lines after the first two.
fn ledger(lines: &[&str]) -> String {
    let case = r#"{"entry":"case","at":"2026-03-02T09:00:01Z","case":"R-618","intended":"A component is reserved"}"#;
    let operation =
        r#"{"entry":"operation","at":"2026-03-02T09:00:02Z","operation":"op-2","case":"R-618","action":"reserve"}"#;
    [&[FIRST, case, operation], lines].concat().iter().map(|line| format!("{line}\n")).collect()
}

fn account(lines: &[&str]) -> Account {
    account_of_ledger(&read_ledger("ops.jsonl", ledger(lines).as_bytes()).unwrap())
}

fn errors(text: &[u8]) -> Vec<(usize, String)> {
    let found = read_ledger("ops.jsonl", text).unwrap_err();
    assert!(found.iter().all(|error| error.path == "ops.jsonl" && error.hint.is_some()), "{found:?}");
    found.into_iter().map(|error| (error.line, error.message)).collect()
}

const ATTEMPT: &str = r#"{"entry":"attempt","at":"2026-03-02T09:00:03Z","operation":"op-2","number":1,"answered":"no_answer","fault":"timeout"}"#;
const LOOK: &str = r#"{"entry":"look","at":"2026-03-02T09:00:30Z","operation":"op-2","target":"inventory","settled":true,"authoritative":true,"effects":1,"receipt":"A-9","parameters_match":true}"#;

#[test]
fn each_error_stands_at_its_line() {
    for (line, expected) in [
        (r#"{"entry":"case","at":"2026-03-02T09:00:03Z","case":"X","custumer":"K"}"#, "unknown field `custumer`"),
        (r#"{"entry":"case","at":"2026-03-02T09:00:03Z","case":"X","case":"Y"}"#, "duplicate field `case`"),
        (r#"{"entry":"purchase","at":"2026-03-02T09:00:03Z"}"#, "unknown variant `purchase`"),
        (r#"{"at":"2026-03-02T09:00:03Z","case":"X"}"#, "missing field `entry`"),
        (r#"{"entry":"case","at":"2026-03-02T09:00:03Z"}"#, "missing field `case`"),
        (r#"{"entry":"case","at":"2026-03-02","case":"X"}"#, "`at` is no time"),
        (r#"{"entry":"case","at":"2026-03-02T08:00:00Z","case":"X"}"#, "`at` lies before"),
        (r#"{"entry":"case","at":"2026-03-02T09:00:03Z","case":"R-618"}"#, "the case `R-618` came in before"),
        (r#"{"entry":"case","at":"2026-03-02T09:00:03Z","case":"Jane Doe"}"#, "a reference has 1 to 120"),
        (
            r#"{"entry":"operation","at":"2026-03-02T09:00:03Z","operation":"op-2","case":"R-618"}"#,
            "`op-2` was intended before",
        ),
        (
            r#"{"entry":"operation","at":"2026-03-02T09:00:03Z","operation":"op-3","case":"X"}"#,
            "brings in the case `X`",
        ),
        (
            r#"{"entry":"operation","at":"2026-03-02T09:00:03Z","operation":"op-3","case":"R-618","action":"send"}"#,
            "has no action `send`",
        ),
        (
            r#"{"entry":"operation","at":"2026-03-02T09:00:03Z","operation":"op-3","case":"R-618","depends_on":["op-4"]}"#,
            "intends the operation `op-4`",
        ),
        (
            r#"{"entry":"attempt","at":"2026-03-02T09:00:03Z","operation":"op-5","number":1,"answered":"done"}"#,
            "intends the operation `op-5`",
        ),
        (
            r#"{"entry":"attempt","at":"2026-03-02T09:00:03Z","operation":"op-2","number":2,"answered":"done"}"#,
            "attempt 2 follows on attempt 0",
        ),
        (
            r#"{"entry":"attempt","at":"2026-03-02T09:00:03Z","operation":"op-2","number":1,"answered":"error","receipt":"A"}"#,
            "come with a receipt",
        ),
        (
            r#"{"entry":"attempt","at":"2026-03-02T09:00:03Z","operation":"op-2","number":1,"answered":"refused"}"#,
            "`refused` comes with a `reason`",
        ),
        (
            r#"{"entry":"look","at":"2026-03-02T09:00:03Z","operation":"op-2","target":"t","readable":false,"effects":1}"#,
            "could not be read shows nothing",
        ),
        (
            r#"{"entry":"claim","at":"2026-03-02T09:00:03Z","operation":"op-2","claim":"done"}"#,
            "unknown variant `done`",
        ),
        (
            r#"{"entry":"effort","at":"2026-03-02T09:00:03Z","kind":"review","minutes":-1}"#,
            "`minutes` is out of bounds",
        ),
        (
            r#"{"entry":"cost","at":"2026-03-02T09:00:03Z","currency":"euro","model":1}"#,
            "no code of three capital letters",
        ),
        (r#"{"entry":"cost","at":"2026-03-02T09:00:03Z","currency":"EUR"}"#, "costs nothing"),
        (
            r#"{"entry":"note","at":"2026-03-02T09:00:03Z","about":"check","text":"Found.","answers":"q-1"}"#,
            "asks the question `q-1`",
        ),
        (
            r#"{"entry":"note","at":"2026-03-02T09:00:03Z","about":"next_check","text":"Look.","due":"noon"}"#,
            "`due` is no time",
        ),
        (
            r#"{"entry":"ledger","schema":"holdpoint.ledger/1","at":"2026-03-02T09:00:03Z","workflow":"r618"}"#,
            "a second `ledger`",
        ),
        ("not json", "expected ident"),
        ("", "the line is empty"),
        ("[1]", "invalid type"),
    ] {
        let found = errors(ledger(&[line]).as_bytes());
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert!(found[0].0 == 4 && found[0].1.contains(expected), "{line}: {found:?}");
    }
}

#[test]
fn a_cut_off_last_line_bytes_that_are_no_text_and_an_empty_file_are_errors() {
    let whole = ledger(&[ATTEMPT]);
    assert!(errors(&whole.as_bytes()[..whole.len() - 1])[0].1.contains("was cut off"));
    let mut bytes = ledger(&[]).into_bytes();
    bytes.extend(b"{\"entry\":\"\xff\"}\n");
    assert_eq!(errors(&bytes), [(4, "byte 11 of the line is no UTF-8".to_owned())]);
    assert_eq!(errors(b""), [(0, "the ledger is empty".to_owned())]);
    let long = format!("{{\"entry\":\"{}\"}}", "x".repeat(70_000));
    assert!(errors(ledger(&[&long]).as_bytes())[0].1.contains("longer than"));
}

#[test]
fn a_first_line_that_is_no_ledger_or_of_another_format_is_an_error() {
    let case = "{\"entry\":\"case\",\"at\":\"2026-03-02T09:00:03Z\",\"case\":\"X\"}\n";
    assert_eq!(errors(case.as_bytes()), [(1, "the first line is no `ledger`".to_owned())]);
    let newer = format!("{}\n", FIRST.replace("ledger/1", "ledger/2"));
    assert!(errors(newer.as_bytes())[0].1.contains("a format that is not known"));
}

#[test]
fn every_error_is_told_in_one_go() {
    let text = ledger(&["nonsense", ATTEMPT, ATTEMPT, r#"{"entry":"case","at":"soon","case":"X"}"#]);
    assert_eq!(errors(text.as_bytes()).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [4, 6, 7]);
}

#[test]
fn an_outcome_rests_on_looks_and_never_on_what_was_claimed() {
    let claim = r#"{"entry":"claim","at":"2026-03-02T09:00:40Z","operation":"op-2","claim":"completed"}"#;
    let unseen = account(&[ATTEMPT, claim]);
    assert_eq!(
        (unseen.operations[0].outcome, unseen.operations[0].claim),
        (Outcome::Uncertain, Some(Claim::Completed))
    );
    let seen = account(&[ATTEMPT, LOOK, claim]);
    assert_eq!((seen.operations[0].outcome, seen.operations[0].effects), (Outcome::Committed, Some(1)));
}

#[test]
fn a_look_from_before_the_last_attempt_is_no_evidence_of_it() {
    let empty = r#"{"entry":"look","at":"2026-03-02T09:00:02Z","operation":"op-2","target":"inventory","settled":true,"authoritative":true,"effects":0}"#;
    let early = account(&[empty, ATTEMPT]);
    assert_eq!(early.operations[0].outcome, Outcome::Uncertain);
    assert!(early.operations[0].grounds.iter().any(|ground| ground.starts_with("One look before the last attempt")));
    let late = empty.replace("09:00:02", "09:00:30");
    assert_eq!(account(&[ATTEMPT, &late]).operations[0].outcome, Outcome::NotCommitted);
}

#[test]
fn of_several_looks_at_one_target_the_last_counts() {
    let early = LOOK
        .replace("\"settled\":true,", "")
        .replace("09:00:30", "09:00:10")
        .replace("\"effects\":1,\"receipt\":\"A-9\",\"parameters_match\":true", "\"effects\":0");
    assert_eq!(account(&[ATTEMPT, &early]).operations[0].outcome, Outcome::Uncertain);
    assert_eq!(account(&[ATTEMPT, &early, LOOK]).operations[0].outcome, Outcome::Committed);
}

#[test]
fn the_ledgers_contract_says_whether_another_attempt_is_permitted() {
    let next = next_step(&account(&[ATTEMPT]).operations[0]);
    assert_eq!(next.another_attempt, Permission::Permitted);
    assert!(next.step.contains("no sooner than 5 s"), "{next:?}");
    assert!(next.authority.contains("coordinator"), "{next:?}");
}

#[test]
fn reviews_queue_effort_and_cost_are_added_up() {
    let account = account(&[
        r#"{"entry":"case","at":"2026-03-02T09:00:03Z","case":"R-619"}"#,
        r#"{"entry":"case","at":"2026-03-02T09:00:03Z","case":"R-620","eligible":false}"#,
        r#"{"entry":"queued","at":"2026-03-02T09:00:03Z","case":"R-618"}"#,
        r#"{"entry":"queued","at":"2026-03-02T09:01:00Z","case":"R-619"}"#,
        r#"{"entry":"review","at":"2026-03-02T09:02:00Z","case":"R-618","decision":"returned"}"#,
        r#"{"entry":"review","at":"2026-03-02T09:03:00Z","case":"R-618","decision":"corrected"}"#,
        r#"{"entry":"effort","at":"2026-03-02T09:03:00Z","case":"R-618","kind":"review","minutes":4}"#,
        r#"{"entry":"effort","at":"2026-03-02T09:03:00Z","kind":"other","minutes":0.5}"#,
        r#"{"entry":"cost","at":"2026-03-02T09:03:00Z","case":"R-618","currency":"EUR","model":0.1}"#,
        r#"{"entry":"cost","at":"2026-03-02T09:11:00Z","currency":"EUR","model":0.2}"#,
    ]);
    let scores = serde_json::to_value(scorecard(&account)).unwrap();
    let at = |place: &str| scores.pointer(place).unwrap();
    for (place, expected) in [
        ("/cases/eligible", json!(2)),
        ("/cases/passed_checks", json!(null)),
        ("/cases/accepted/count", json!(1)),
        ("/cases/accepted/of", json!(2)),
        ("/cases/accepted_at_first_review/count", json!(0)),
        ("/cases/corrections", json!(1)),
        ("/cases/returned", json!(1)),
        ("/effort/minutes", json!(4.5)),
        ("/effort/cases_recorded", json!(1)),
        ("/effort/machine_minutes", json!(null)),
        ("/cost/0/model", json!(0.3)),
        ("/cost/0/tool", json!(null)),
        ("/queue/waiting", json!(1)),
        ("/queue/oldest_minutes", json!(10.0)),
        // The operation that nobody looked for: that no attempt is written down does not show that none was made.
        ("/exceptions/unassigned", json!(1)),
        ("/review_load/1/times", json!(10)),
        ("/review_load/1/reviews", json!(20)),
        ("/review_load/1/minutes", json!(80.0)),
    ] {
        assert_eq!(at(place), &expected, "{place}");
    }
}

#[test]
fn an_owner_a_resolution_and_an_answered_question_are_taken_over() {
    let lines = [
        ATTEMPT,
        r#"{"entry":"assigned","at":"2026-03-02T09:01:00Z","operation":"op-2","owner":"coordinator"}"#,
        r#"{"entry":"note","at":"2026-03-02T09:01:00Z","about":"question","id":"q-1","text":"Is it allocated?","operation":"op-2"}"#,
    ];
    let open = account(&lines);
    assert_eq!(failure_table(&open).rows[0].owner.as_deref(), Some("coordinator"));
    assert_eq!(open.statements.len(), 1);
    let answer = r#"{"entry":"note","at":"2026-03-02T09:02:00Z","about":"check","text":"Allocation A-9 stands.","answers":"q-1"}"#;
    let resolved = r#"{"entry":"resolved","at":"2026-03-02T09:03:00Z","operation":"op-2","by":"ivo","evidence":"A-9"}"#;
    let closed = account(&[&lines[..], &[answer, resolved]].concat());
    assert_eq!(
        closed.statements.iter().map(|statement| statement.text.as_str()).collect::<Vec<_>>(),
        ["Allocation A-9 stands."]
    );
    let operation = &closed.operations[0];
    assert!(operation.outcome == Outcome::Uncertain && !operation.is_open(), "the evidence stays what it is");
}

#[test]
fn the_published_schema_takes_what_the_reader_takes_and_no_unknown_key() {
    let validator = jsonschema::validator_for(&ledger_schema()).unwrap();
    for line in ledger(&[ATTEMPT, LOOK]).lines() {
        assert!(validator.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
    }
    let unknown = json!({"entry": "queued", "at": "2026-03-02T09:00:00Z", "case": "X", "who": "Y"});
    let sentence = json!({"entry": "queued", "at": "2026-03-02T09:00:00Z", "case": "Jane Doe"});
    assert!(!validator.is_valid(&unknown) && !validator.is_valid(&sentence));
}

#[test]
fn a_step_waits_until_what_it_depends_on_is_verified() {
    let confirmation = r#"{"entry":"operation","at":"2026-03-02T09:00:03Z","operation":"op-3","case":"R-618","action":"reserve","depends_on":["op-2"]}"#;
    let waiting = account(&[confirmation, ATTEMPT]);
    let next = next_step(&waiting.operations[1]);
    assert_eq!(
        (next.another_attempt, next.why.as_str()),
        (Permission::NotPermitted, "It depends on op-2, which is not verified.")
    );
    let free = account(&[confirmation, ATTEMPT, LOOK]);
    assert_eq!(next_step(&free.operations[1]).another_attempt, Permission::Permitted);
}
