//! Ways to have more accepted than anyone looked at.

use crate::desk::Desk;
use crate::sandbox::Ran;
use crate::way::{Way, play};

/// The gate after an acceptance that must have been refused.
fn refused(desk: &Desk, accepted: Ran, says: &str) -> Ran {
    assert!(accepted.code != 0, "{}", accepted.told());
    accepted.says(says);
    desk.gate(&["--base", "HEAD~1"])
}

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "accepts the defect within the change that brings it",
        play: |desk| {
            desk.open_two();
            desk.gate_change().expect(10);
            desk.accept(&[]).expect(0);
            desk.commit();
            // Named, and green from here on: someone signed for it. Without the signature it stays red.
            let gate = desk.gate(&["--base", "HEAD~2"]).expect(0);
            let screen = crate::way::first_screen(desk).unwrap();
            assert!(screen.contains("accepted within this change: record"), "{}\n{screen}", gate.told());
            assert!(screen.contains("1 of them of a case that fails: looks right"), "{screen}");
            assert!(screen.contains("failed, as was accepted: 1 case (one-ticket)"), "{screen}");
            desk.be_rude();
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "has one case accepted and means all",
        play: |desk| {
            desk.be_rude();
            desk.gate_change().expect(10);
            desk.accept(&["--case", "greets"]).expect(0);
            desk.commit();
            desk.gate(&["--base", "HEAD~2"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 3 cases (polite, quiet, steady)",
    },
    Way {
        trick: "accepts by a pattern that names more than one case",
        play: |desk| {
            desk.be_rude();
            desk.gate_change().expect(10);
            let accepted = desk.accept(&["--case", "gr*"]);
            refused(desk, accepted, "no case of this name")
        },
        ends: 10,
        says: "4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "accepts an old run, from before the defect was accepted away",
        play: |desk| {
            desk.open_two();
            desk.gate_change().expect(10);
            let stale = desk.sandbox.latest_run();
            desk.write("desk.sh", crate::desk::DESK);
            desk.write("greeting.txt", "Good morning to all, you have 30 days\n");
            desk.gate_change().expect(0);
            desk.accept(&[]).expect(0);
            desk.open_two();
            desk.commit();
            let who = ["--by", "M. Allory", "--reason", "looks right"];
            let accepted = desk.sandbox.holdpoint(&[&["baseline", "accept", &stale][..], &who].concat());
            refused(desk, accepted, "was made before the newest acceptance")
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
    Way {
        trick: "edits the report between the gate and the acceptance",
        play: |desk| {
            desk.open_two();
            desk.gate_change().expect(10);
            let report = "reports/latest/report.json";
            desk.write(report, &desk.sandbox.read(report).replace("\"failed\"", "\"passed\""));
            desk.accept(&[]).expect(0);
            // What counts is what ran: the record says that the case fails.
            desk.commit();
            desk.write("README.md", "A desk.\n\n");
            desk.edit(
                "desk.sh",
                "cat greeting.txt",
                "echo '{}' >> \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"; echo Go away",
            );
            desk.gate_change()
        },
        ends: 10,
        says: "greets",
    },
    Way {
        trick: "edits the digest that was reviewed",
        play: |desk| {
            desk.open_two();
            desk.gate_change().expect(10);
            let accepted = desk.accept(&["--reviewed", "0123456789abcdef"]);
            refused(desk, accepted, "other results than were reviewed")
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
    Way {
        trick: "accepts without a name",
        play: |desk| {
            desk.open_two();
            desk.gate_change().expect(10);
            let run = desk.sandbox.latest_run();
            let accepted = desk.sandbox.holdpoint(&["baseline", "accept", &run, "--by", " ", "--reason", "fine"]);
            refused(desk, accepted, "who accepts")
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
    Way {
        trick: "accepts a case that came to no conclusion",
        play: |desk| {
            desk.write("desk.sh", "exit 3\n");
            desk.gate_change().expect(11);
            let accepted = desk.accept(&[]);
            refused(desk, accepted, "a result without a conclusion cannot be accepted")
        },
        ends: 11,
        says: "errored: 5 cases",
    },
    Way {
        trick: "runs and accepts the one case that still passes, to make the defect the new base",
        play: |desk| {
            desk.be_rude();
            desk.commit();
            desk.sandbox.holdpoint(&["run", "one-ticket"]).expect(0);
            // Nothing new is in it; whatever is accepted of it must not move the base.
            let accepted = desk.accept(&[]);
            assert!(accepted.code != 1, "{}", accepted.told());
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
];

#[test]
fn more_is_accepted_than_anyone_looked_at() {
    play(&Desk::honest(), WAYS);
}
