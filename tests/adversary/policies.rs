//! Ways that touch what the gate demands, and when it looks.

use crate::desk::{Desk, PROJECT};
use crate::way::{Way, play};

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "tolerates what fails in its set",
        play: |desk| {
            desk.open_two();
            desk.edit(
                "holdpoint.yaml",
                "gate:",
                "sets: {duplicate: {policy: {minimum_rate: {at_least: 0.01}}}}\ngate:",
            );
            desk.gate_change()
        },
        ends: 10,
        says: "one-ticket",
    },
    Way {
        trick: "tolerates what fails in its set, against what was accepted",
        play: |desk| {
            desk.open_two();
            desk.edit("holdpoint.yaml", "gate:", "sets: {duplicate: {policy: {no_significant_drop: {}}}}\ngate:");
            desk.gate_here()
        },
        ends: 10,
        says: "one-ticket",
    },
    Way {
        trick: "brings the tolerance one commit before the defect, so that the base has it already",
        play: |desk| {
            desk.edit("holdpoint.yaml", "gate:", "sets: {duplicate: {policy: {no_significant_drop: {}}}}\ngate:");
            desk.commit();
            desk.open_two();
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
    Way {
        trick: "has the gate let uncovered risks pass, and brings one",
        play: |desk| {
            desk.edit("holdpoint.yaml", "uncovered_is_inconclusive: false", "require_baseline: true");
            desk.commit();
            desk.edit("holdpoint.yaml", "require_baseline: true", "uncovered_is_inconclusive: false");
            desk.write("greeting.txt", "Good morning, and you have 30 days\n");
            desk.gate_change()
        },
        ends: 11,
        says: "the gate's policy is lower than it was, and the stricter one counts: uncovered_is_inconclusive",
    },
    Way {
        trick: "pauses the project before the gate",
        play: |desk| {
            desk.be_rude();
            let who = ["--by", "M. Allory", "--reason", "not now"];
            desk.sandbox.holdpoint(&[&["pause", "on"][..], &who].concat()).expect(0);
            desk.gate_change()
        },
        ends: 15,
        says: "the project is paused since",
    },
    Way {
        trick: "names one case that passes instead of the gate",
        play: |desk| {
            desk.be_rude();
            desk.commit();
            desk.sandbox.holdpoint(&["run", "one-ticket"]).expect(0);
            desk.gate(&["--base", "HEAD~1"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "misspells the policy, so that none is in force",
        play: |desk| {
            desk.open_two();
            desk.edit("holdpoint.yaml", "gate:", "sets: {duplicate: {polcy: {zero_tolerance: {}}}}\ngate:");
            desk.gate_change()
        },
        ends: 13,
        says: "polcy",
    },
];

#[test]
fn what_the_gate_demands() {
    play(&Desk::honest(), WAYS);
}

#[test]
fn a_policy_that_was_in_force() {
    let project = PROJECT.replace("gate:", "sets: {duplicate: {policy: {minimum_rate: {at_least: 0.9}}}}\ngate:");
    let cases = openers("duplicate", 29);
    let mut files: Vec<(&str, &str)> = cases.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("holdpoint.yaml", &project));
    let ways = [
        Way {
            trick: "lowers the rate that a set must show",
            play: |desk| {
                desk.open_two();
                desk.edit("holdpoint.yaml", "at_least: 0.9", "at_least: 0.01");
                desk.gate_change()
            },
            ends: 10,
            says: "the policy was changed, and the stricter one counts: at least 1 % must pass",
        },
        Way {
            trick: "empties the set but for the cases that pass",
            play: |desk| {
                for number in 2..=29 {
                    desk.remove(&format!("cases/duplicate/opens-{number}.yaml"));
                }
                desk.gate_change()
            },
            ends: 11,
            says: "accepted, and no longer in the project",
        },
    ];
    play(&Desk::with(&files), &ways);
}

/// So many further cases that break when a second ticket is opened, by path.
fn openers(set: &str, count: usize) -> Vec<(String, String)> {
    let case = |number: usize| {
        let text = format!(
            "id: opens-{number}\ntitle: It opens one\nworkflow: desk\ninput: {{customer: K-{number}}}\nexpect:\n  - effects: {{probe: tickets, count: 1}}\n"
        );
        (format!("cases/{set}/opens-{number}.yaml"), text)
    };
    (1..=count).map(case).collect()
}

/// Opens two tickets, and gives this set a policy in the same change.
fn with_policy(desk: &Desk, set: &str) {
    desk.open_two();
    let sets = "sets: {";
    desk.edit("holdpoint.yaml", sets, &format!("{sets}{set}: {{policy: {{no_significant_drop: {{}}}}}}, "));
}

/// A case that passes whatever the desk does.
const TRIVIAL: &str =
    "id: trivial\ntitle: It says a number\nworkflow: desk\ninput: {}\nexpect:\n  - contains: \"30\"\n";

#[test]
fn a_test_that_is_made_weaker_by_further_tests() {
    let project = PROJECT.replace("gate:", "sets: {duplicate: {policy: {no_significant_drop: {}}}}\ngate:");
    // With the ticket's own case these are six, and six one-way flips are the least that show a drop.
    let cases = openers("duplicate", 5);
    let mut files: Vec<(&str, &str)> = cases.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("holdpoint.yaml", &project));
    let ways = [
        Way {
            trick: "gives a set of new cases alone a policy of its own",
            play: |desk| {
                desk.write("cases/access/trivial.yaml", TRIVIAL);
                with_policy(desk, "access");
                desk.gate_change()
            },
            ends: 10,
            says: "a significant drop",
        },
        Way {
            trick: "gives a set in which nothing fails a policy of its own",
            play: |desk| {
                with_policy(desk, "policy_accuracy");
                desk.gate_change()
            },
            ends: 10,
            says: "a significant drop",
        },
    ];
    play(&Desk::with(&files), &ways);
}

#[test]
fn a_set_that_is_lenient() {
    let project =
        PROJECT.replace("gate:", "sets: {access: {policy: {minimum_rate: {at_least: 0.3, confidence: 0.8}}}}\ngate:");
    let cases: Vec<(String, String)> = (1..=5)
        .map(|number| {
            (format!("cases/access/trivial-{number}.yaml"), TRIVIAL.replace("trivial", &format!("trivial-{number}")))
        })
        .collect();
    let mut files: Vec<(&str, &str)> = cases.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("holdpoint.yaml", &project));
    let way = Way {
        trick: "moves the case that fails to where failures are tolerated",
        play: |desk| {
            desk.open_two();
            desk.sandbox.git(&["mv", "cases/duplicate/one-ticket.yaml", "cases/access/one-ticket.yaml"]);
            desk.gate_change()
        },
        ends: 10,
        says: "worse than at acceptance: 1 case (one-ticket)",
    };
    play(&Desk::with(&files), &[way]);
}

#[test]
fn a_margin_that_is_widened_in_two_steps() {
    let project = PROJECT.replace("gate:", "sets: {duplicate: {policy: {no_significant_drop: {margin: 0.3}}}}\ngate:");
    // Three flips of twelve leave open whether the drop is as large as 30 points, and show that it is not as large as 50.
    let cases = openers("duplicate", 11);
    let mut files: Vec<(String, String)> = cases;
    for (_, text) in files.iter_mut().skip(2) {
        *text = text.replace("effects: {probe: tickets, count: 1}", "contains: \"30\"");
    }
    files.push(("holdpoint.yaml".to_owned(), project));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let way = Way {
        trick: "widens the margin in one change, which nobody accepts, and makes use of it in the next",
        play: |desk| {
            desk.edit("holdpoint.yaml", "margin: 0.3", "margin: 0.5");
            desk.commit();
            desk.open_two();
            desk.gate_change()
        },
        ends: 11,
        says: "the policy was changed, and the stricter one counts",
    };
    play(&Desk::with(&files), &[way]);
}
