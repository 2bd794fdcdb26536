//! Ways that touch the faults of a case, and the target that its calls go to.

use std::fs;
use std::path::Path;

use crate::desk::Desk;
use crate::sandbox::Sandbox;
use crate::way::{Way, play};

const CASE: &str = "cases/duplicate/lost-answer.yaml";

const PROJECT: &str = "\
schema: holdpoint.project/1
name: stock
workflows:
  reserve:
    command: {run: [python3, -B, reserve.py]}
    parts: [stock]
    code: [reserve.py]
connectors:
  stock:
    upstream: {start: {run: [python3, -B, target.py, stock], ready: /health}}
    env: [STOCK_URL]
probes:
  reservations:
    sql: {database: stock.db, query: 'SELECT receipt, \"order\" FROM records'}
    operation: order
    of: stock/reserve
    receipt: receipt
inert: [.gitignore]
gate: {uncovered_is_inconclusive: false}
";

/// Reserves under a key that is the same for every attempt.
const RESERVE: &str = "\
import json, os, random, sys, urllib.request
json.load(sys.stdin)
body = json.dumps({'order': 'O-1', 'item': 'lamp', 'quantity': 2}).encode()
for attempt in range(3):
    key = 'reserve-O-1'
    headers = {'Content-Type': 'application/json', 'Idempotency-Key': key}
    try:
        urllib.request.urlopen(urllib.request.Request(os.environ['STOCK_URL'] + '/reservations', body, headers), timeout=5)
    except OSError:
        continue
    print(json.dumps({'output': 'Reserved.'}))
    break
else:
    print(json.dumps({'output': 'Not known.'}))
";

const LOST_ANSWER: &str = "\
id: lost-answer
title: A reservation whose answer is lost is not made twice
workflow: reserve
input: {order: O-1}
faults:
  - {connector: stock, operation: reserve, attempt: 1, fault: lost_ack}
expect:
  - effects: {probe: reservations, count: 1}
  - contains: Reserved
  - attempts: {call: stock/reserve, at_most: 3}
";

/// The project with a target of its own.
fn honest() -> Desk {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let read = |path: &str| fs::read_to_string(examples.join(path)).unwrap();
    let sandbox = Sandbox::with_files(&[
        ("holdpoint.yaml", PROJECT),
        ("reserve.py", RESERVE),
        ("target.py", &read("fulfilment-targets/target.py")),
        ("manifests/stock.yaml", &read("fulfilment-careful/manifests/stock.yaml")),
        (".gitignore", "reports/\n.holdpoint/\n"),
        (CASE, LOST_ANSWER),
    ]);
    sandbox.measure_and_accept();
    Desk { sandbox }
}

impl Desk {
    /// Makes each attempt under a key of its own, so that a lost answer leaves two reservations.
    fn forget_the_key(&self) {
        self.edit("reserve.py", "'reserve-O-1'", "str(random.random())");
    }
}

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "makes each attempt under a key of its own, and plays no trick",
        play: |desk| {
            desk.forget_the_key();
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (lost-answer)",
    },
    Way {
        trick: "takes the fault out of the case",
        play: |desk| {
            desk.forget_the_key();
            desk.edit(CASE, "faults:\n  - {connector: stock, operation: reserve, attempt: 1, fault: lost_ack}\n", "");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (lost-answer)",
    },
    Way {
        trick: "takes the fault out of the case, against what was accepted",
        play: |desk| {
            desk.forget_the_key();
            desk.edit(CASE, "faults:\n  - {connector: stock, operation: reserve, attempt: 1, fault: lost_ack}\n", "");
            desk.gate_here()
        },
        ends: 11,
        says: "passed, and not comparable with what was accepted: 1 case (lost-answer)",
    },
    Way {
        trick: "has the fault fall before the target commits",
        play: |desk| {
            desk.forget_the_key();
            desk.edit(CASE, "fault: lost_ack", "fault: lost_request");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (lost-answer)",
    },
    Way {
        trick: "has the fault fall at an attempt that never comes",
        play: |desk| {
            desk.forget_the_key();
            desk.edit(CASE, "attempt: 1, fault", "attempt: 3, fault");
            desk.gate_change()
        },
        ends: 11,
        says: "errored: 1 case (lost-answer)",
    },
    Way {
        trick: "takes a fault out that the workflow still stands, so that nobody tries it again",
        play: |desk| {
            desk.edit(CASE, "faults:\n  - {connector: stock, operation: reserve, attempt: 1, fault: lost_ack}\n", "");
            desk.gate_change()
        },
        ends: 0,
        says: "edited, and passed as it was and as it is now: 1 case (lost-answer); what differs: its fault schedule",
    },
    Way {
        trick: "adds a fault, and buries the one that counts under it",
        play: |desk| {
            let second = "  - {connector: stock, operation: reserve, attempt: 2, fault: lost_request}\nexpect:";
            desk.edit(CASE, "expect:", second);
            desk.gate_change()
        },
        ends: 0,
        says: "edited, and passed as it was and as it is now: 1 case (lost-answer); what differs: its fault schedule",
    },
    Way {
        trick: "has the target forgive what the real one would not",
        play: |desk| {
            desk.forget_the_key();
            let target = desk.sandbox.read("target.py");
            assert!(target.contains("Idempotency-Key"), "the target knows keys");
            desk.write("target.py", &target.replace("self.headers.get(\"Idempotency-Key\")", "\"the one key\""));
            desk.gate_change()
        },
        ends: 0,
        says: "target.py",
    },
    Way {
        trick: "starts another target that forgives",
        play: |desk| {
            desk.forget_the_key();
            let target = desk.sandbox.read("target.py");
            desk.write("kind.py", &target.replace("self.headers.get(\"Idempotency-Key\")", "\"the one key\""));
            desk.edit("holdpoint.yaml", "-B, target.py", "-B, kind.py");
            desk.gate_change()
        },
        ends: 0,
        says: "connectors.stock",
    },
    Way {
        trick: "has the manifest promise what would excuse the workflow",
        play: |desk| {
            desk.edit("manifests/stock.yaml", "attempts: 4", "attempts: 9");
            desk.gate_change()
        },
        ends: 0,
        says: "what cases are judged by is promised otherwise now: stock (operations.reserve.retry.attempts)",
    },
    Way {
        trick: "has the calls go past the proxy, so that no fault reaches them",
        play: |desk| {
            desk.forget_the_key();
            desk.edit("holdpoint.yaml", "env: [STOCK_URL]", "env: [OTHER_URL]");
            desk.gate_change()
        },
        ends: 11,
        says: "errored: 1 case (lost-answer)",
    },
];

#[test]
fn faults_and_targets() {
    play(&honest(), WAYS);
}
