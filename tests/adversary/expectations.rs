//! Ways that touch what a case expects.

use crate::desk::{Desk, GREETS};
use crate::way::{Way, play};

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "edits every expectation so that it holds of the rude answer",
        play: |desk| {
            desk.be_rude();
            for case in [GREETS, "cases/policy_accuracy/steady.yaml"] {
                desk.edit(case, "Good morning", "Go away");
            }
            desk.edit("cases/missing_availability/quiet.yaml", "Go away", "Good morning");
            desk.edit("judges/words.sh", "you have", "take");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "edits the expectation in the working tree, against what was accepted",
        play: |desk| {
            desk.open_two();
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "count: 2");
            desk.gate_here()
        },
        ends: 11,
        says: "not comparable with what was accepted: 1 case (one-ticket)",
    },
    Way {
        trick: "takes an expectation away that nothing fails yet",
        play: |desk| {
            desk.edit(GREETS, "  - length: {at_most: 40}\n", "");
            desk.gate(&["--base", "HEAD"])
        },
        ends: 0,
        says: "edited, and passed as it was and as it is now: 1 case (greets); what differs: its expectations",
    },
    Way {
        trick: "takes trials away from a case that passes",
        play: |desk| {
            desk.edit("cases/policy_accuracy/steady.yaml", "trials: 3\n", "");
            desk.gate(&["--base", "HEAD"])
        },
        ends: 0,
        says: "edited, and passed as it was and as it is now: 1 case (steady); what differs: its trials",
    },
    Way {
        trick: "loosens one of several expectations",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, Good morning, Good morning, you have 30 days\n");
            desk.edit(GREETS, "at_most: 40", "at_most: 4000");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (greets)",
    },
    Way {
        trick: "takes one of several expectations away",
        play: |desk| {
            desk.write("greeting.txt", "Good morning, Good morning, Good morning, you have 30 days\n");
            desk.edit(GREETS, "  - length: {at_most: 40}\n", "");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (greets)",
    },
    Way {
        trick: "negates the expectation",
        play: |desk| {
            desk.open_two();
            let expectation = "effects: {probe: tickets, count: 1}";
            desk.edit("cases/duplicate/one-ticket.yaml", expectation, &format!("not: {{{expectation}}}"));
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (one-ticket)",
    },
    Way {
        trick: "turns a count into a bound",
        play: |desk| {
            desk.open_two();
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "at_least: 1");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (one-ticket)",
    },
    Way {
        trick: "loosens the expectation one commit before the defect, so that the base has it loose already",
        play: |desk| {
            desk.edit("cases/duplicate/one-ticket.yaml", "count: 1", "at_least: 1");
            desk.commit();
            desk.open_two();
            desk.gate_change()
        },
        ends: 11,
        says: "not comparable with what was accepted: 1 case (one-ticket)",
    },
    Way {
        trick: "expects nothing any more",
        play: |desk| {
            desk.open_two();
            desk.edit(
                "cases/duplicate/one-ticket.yaml",
                "expect:\n  - effects: {probe: tickets, count: 1}",
                "expect: []",
            );
            desk.gate_change()
        },
        ends: 13,
        says: "expect",
    },
];

#[test]
fn what_a_case_expects() {
    play(&Desk::honest(), WAYS);
}

#[test]
fn a_tolerance_that_is_widened() {
    let case = "cases/policy_accuracy/days.yaml";
    let desk = Desk::with(&[
        (
            "desk.sh",
            "cat > /dev/null\necho '{\"customer\": \"K-1\"}' >> \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"\ncat days.json\n",
        ),
        ("days.json", "{\"output\": \"Good morning, you have 30 days\", \"days\": 30}\n"),
        ("manifests/greeting.yaml", "id: greeting\nkind: prompt\nversion: \"1\"\nfiles: [greeting.txt, days.json]\n"),
        (
            case,
            "id: days\ntitle: It is 30 days\nworkflow: desk\ninput: {}\nexpect:\n  - number: {path: $.days, is: 30, tolerance: 1}\n",
        ),
    ]);
    play(
        &desk,
        &[Way {
            trick: "widens the tolerance of a number",
            play: |desk| {
                desk.edit("days.json", "\"days\": 30", "\"days\": 14");
                desk.edit("cases/policy_accuracy/days.yaml", "tolerance: 1", "tolerance: 20");
                desk.gate_change()
            },
            ends: 11,
            says: "passed only since the case itself was changed: 1 case (days)",
        }],
    );
}
