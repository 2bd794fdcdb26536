//! Ways that touch what judges: programs, probes, faults.

use crate::desk::Desk;
use crate::way::{Way, play};

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "has the judging program pass everything",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, take 30 days\n");
            desk.edit("judges/polite.sh", "\"pass\": false", "\"pass\": true");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (polite)",
    },
    Way {
        trick: "has the judging program pass everything, against what was accepted",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, take 30 days\n");
            desk.edit("judges/polite.sh", "\"pass\": false", "\"pass\": true");
            desk.gate_here()
        },
        ends: 11,
        says: "passed, and not comparable with what was accepted: 1 case (polite)",
    },
    Way {
        trick: "edits a file that the judging program reads",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, take 30 days\n");
            desk.edit("judges/words.sh", "you have", ".");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (polite)",
    },
    Way {
        trick: "edits a file that the judging program reads, against what was accepted",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, take 30 days\n");
            desk.edit("judges/words.sh", "you have", ".");
            desk.gate_here()
        },
        ends: 11,
        says: "passed, and not comparable with what was accepted: 1 case (polite)",
    },
    Way {
        trick: "catches the error of the judging program and passes",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, take 30 days\n");
            desk.write("judges/polite.sh", "false || echo '{\"pass\": true}'\n");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (polite)",
    },
    Way {
        trick: "ends the judging program well before it has judged",
        play: |desk| {
            desk.write("judges/polite.sh", "exit 0\n");
            desk.gate_change()
        },
        ends: 11,
        says: "errored: 1 case (polite)",
    },
    Way {
        trick: "has the judging program say `pass` in words",
        play: |desk| {
            desk.write("judges/polite.sh", "echo '{\"pass\": \"true\"}'\n");
            desk.gate_change()
        },
        ends: 11,
        says: "errored: 1 case (polite)",
    },
    Way {
        trick: "has another program judge",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, take 30 days\n");
            desk.write("judges/easy.sh", "echo '{\"pass\": true}'\n");
            desk.edit("cases/policy_accuracy/polite.yaml", "judges/polite.sh", "judges/easy.sh");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (polite)",
    },
    Way {
        trick: "has the probe look where nothing is",
        play: |desk| {
            desk.open_two();
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "at_most: 1");
            desk.edit("holdpoint.yaml", "path: tickets.jsonl", "path: other.jsonl");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (one-ticket)",
    },
    Way {
        trick: "has the probe look where one thing always is",
        play: |desk| {
            desk.open_two();
            desk.edit("holdpoint.yaml", "path: tickets.jsonl", "path: other.jsonl");
            desk.edit("desk.sh", "cat greeting", "echo '{}' > \"$HOLDPOINT_STATE_DIR/other.jsonl\"\ncat greeting");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (one-ticket)",
    },
    Way {
        trick: "has the probe look where one thing always is, against what was accepted",
        play: |desk| {
            desk.open_two();
            desk.edit("holdpoint.yaml", "path: tickets.jsonl", "path: other.jsonl");
            desk.edit("desk.sh", "cat greeting", "echo '{}' > \"$HOLDPOINT_STATE_DIR/other.jsonl\"\ncat greeting");
            desk.gate_here()
        },
        ends: 11,
        says: "passed, and not comparable with what was accepted: 1 case (one-ticket)",
    },
];

#[test]
fn what_judges() {
    play(&Desk::honest(), WAYS);
}

#[test]
fn a_program_that_looks() {
    let project = crate::desk::PROJECT
        .replace("{file: {path: tickets.jsonl, if_missing: empty}}", "{command: {run: [sh, look.sh]}}");
    let look = "cat \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"\n";
    let ways = [
        Way {
            trick: "has the program that looks see one ticket at the most",
            play: |desk| {
                desk.open_two();
                desk.edit("look.sh", "cat", "head -n 1");
                desk.gate_change()
            },
            ends: 11,
            says: "passed only since the case itself was changed: 1 case (one-ticket)",
        },
        Way {
            trick: "has the program that looks see one ticket at the most, against what was accepted",
            play: |desk| {
                desk.open_two();
                desk.edit("look.sh", "cat", "head -n 1");
                desk.gate_here()
            },
            ends: 11,
            says: "passed, and not comparable with what was accepted: 1 case (one-ticket)",
        },
    ];
    play(&Desk::with(&[("holdpoint.yaml", &project), ("look.sh", look)]), &ways);
}

#[test]
fn how_long_a_probe_waits() {
    let settled = crate::desk::PROJECT.replace("if_missing: empty}}", "if_missing: empty}, settle: {after_s: 0.1}}");
    play(
        &Desk::with(&[("holdpoint.yaml", &settled)]),
        &[Way {
            trick: "has the probe look at once, before what is on its way arrives",
            play: |desk| {
                desk.edit("holdpoint.yaml", ", settle: {after_s: 0.1}", "");
                desk.gate_here()
            },
            ends: 11,
            says: "passed, and not comparable with what was accepted: 1 case (one-ticket)",
        }],
    );
}
