//! Ways that touch which cases there are, what they show and how often they run.

use std::fs;

use crate::desk::{Desk, GREETS};
use crate::way::{Way, play};

const ONE_TICKET: &str = "cases/duplicate/one-ticket.yaml";
const STEADY: &str = "cases/policy_accuracy/steady.yaml";

/// Rude in the third trial of three, and of one that is the first.
const UNSTEADY: &str = "\
case \"$(cat)\" in *'\"trial\":3'*) echo 'Go home, you have 30 days';; *) cat greeting.txt;; esac
echo '{\"customer\": \"K-1\"}' >> \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"
";

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "deletes the case that fails",
        play: |desk| {
            desk.open_two();
            desk.remove(ONE_TICKET);
            desk.gate_change()
        },
        ends: 11,
        says: "accepted, and no longer in the project: have someone accept that: 1 case (one-ticket)",
    },
    Way {
        trick: "deletes every case of a set",
        play: |desk| {
            desk.open_two();
            fs::remove_dir_all(desk.sandbox.project().join("cases/duplicate")).unwrap();
            desk.gate_change()
        },
        ends: 11,
        says: "accepted, and no longer in the project: have someone accept that: 1 case (one-ticket)",
    },
    Way {
        trick: "deletes every case",
        play: |desk| {
            desk.be_rude();
            fs::remove_dir_all(desk.sandbox.project().join("cases")).unwrap();
            desk.gate_change()
        },
        ends: 14,
        says: "the project has no cases",
    },
    Way {
        trick: "renames the id of the case that fails, and expects what it does",
        play: |desk| {
            desk.open_two();
            desk.edit(ONE_TICKET, "id: one-ticket", "id: some-tickets");
            desk.edit(ONE_TICKET, "count: 1", "at_least: 1");
            desk.gate_change()
        },
        ends: 11,
        says: "accepted, and no longer in the project: have someone accept that: 1 case (one-ticket)",
    },
    Way {
        trick: "moves the case into a set that the change does not put at risk",
        play: |desk| {
            desk.be_rude();
            for name in ["greets", "polite", "steady"] {
                let old = format!("cases/policy_accuracy/{name}.yaml");
                desk.write(&format!("cases/operations/{name}.yaml"), &desk.sandbox.read(&old));
                desk.remove(&old);
            }
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "turns its file into a fixture of another case",
        play: |desk| {
            desk.open_two();
            desk.edit(
                "cases/missing_availability/quiet.yaml",
                "input: {}",
                "input: {}\nfixtures: {notes.yaml: one-ticket.yaml}",
            );
            desk.write("cases/missing_availability/one-ticket.yaml", &desk.sandbox.read(ONE_TICKET));
            desk.remove(ONE_TICKET);
            desk.gate_change()
        },
        ends: 11,
        says: "one-ticket",
    },
    Way {
        trick: "gives its file an end that nobody reads",
        play: |desk| {
            desk.open_two();
            desk.write("cases/duplicate/one-ticket.yaml.off", &desk.sandbox.read(ONE_TICKET));
            desk.remove(ONE_TICKET);
            desk.gate_change()
        },
        ends: 11,
        says: "accepted, and no longer in the project: have someone accept that: 1 case (one-ticket)",
    },
    Way {
        trick: "gives two cases one id",
        play: |desk| {
            desk.open_two();
            desk.write(ONE_TICKET, &desk.sandbox.read(GREETS).replace("Good morning", "days"));
            desk.gate_change()
        },
        ends: 13,
        says: "greets",
    },
    Way {
        trick: "gives two cases ids that differ in the size of a letter",
        play: |desk| {
            desk.open_two();
            desk.write("cases/action/greets.yaml", &desk.sandbox.read(GREETS).replace("id: greets", "id: Greets"));
            desk.gate_change()
        },
        ends: 13,
        says: "Greets",
    },
    Way {
        trick: "hangs the case on another workflow that answers as it likes",
        play: |desk| {
            desk.open_two();
            desk.edit(
                "holdpoint.yaml",
                "probes:",
                "  canned: {command: {run: [sh, canned.sh]}, parts: [greeting]}\nprobes:",
            );
            desk.write(
                "canned.sh",
                "cat > /dev/null\necho '{}' >> \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"\necho Good morning\n",
            );
            desk.edit(ONE_TICKET, "workflow: desk", "workflow: canned");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (one-ticket)",
    },
    Way {
        trick: "runs fewer trials than were accepted",
        play: |desk| {
            desk.write("desk.sh", UNSTEADY);
            desk.edit(STEADY, "trials: 3", "trials: 1");
            desk.gate_change()
        },
        ends: 11,
        says: "passed only since the case itself was changed: 1 case (steady)",
    },
    Way {
        trick: "runs fewer trials than were accepted, against what was accepted",
        play: |desk| {
            desk.write("desk.sh", UNSTEADY);
            desk.edit(STEADY, "trials: 3", "trials: 1");
            desk.gate_here()
        },
        ends: 11,
        says: "passed, and not comparable with what was accepted: 1 case (steady)",
    },
    Way {
        trick: "leaves a case flaky and hopes for the majority",
        play: |desk| {
            desk.write("desk.sh", UNSTEADY);
            desk.gate_change()
        },
        ends: 11,
        says: "flaky, passed in some trials and failed in others: 1 case (steady)",
    },
    Way {
        trick: "marks a flaky case as one that may fail, under a key that no schema knows",
        play: |desk| {
            desk.write("desk.sh", UNSTEADY);
            desk.edit(STEADY, "trials: 3", "trials: 3\nflaky: true");
            desk.gate_change()
        },
        ends: 13,
        says: "flaky",
    },
    Way {
        trick: "puts the case off by a key that no schema knows",
        play: |desk| {
            desk.open_two();
            desk.edit(ONE_TICKET, "input: {}", "input: {}\nskip: true");
            desk.gate_change()
        },
        ends: 13,
        says: "skip",
    },
];

#[test]
fn which_cases_there_are() {
    play(&Desk::honest(), WAYS);
}

#[test]
fn a_case_that_only_its_further_risk_puts_at_stake() {
    let case = "id: late\ntitle: It greets\nworkflow: desk\nrisks: [policy_accuracy]\ninput: {}\nexpect:\n  - contains: Good morning\n";
    let desk = Desk::with(&[("cases/operations/late.yaml", case)]);
    play(
        &desk,
        &[Way {
            trick: "changes the risks of a case so that no rule selects it",
            play: |desk| {
                desk.be_rude();
                desk.edit("cases/operations/late.yaml", "risks: [policy_accuracy]\n", "");
                desk.gate_change()
            },
            ends: 10,
            says: "late",
        }],
    );
}
