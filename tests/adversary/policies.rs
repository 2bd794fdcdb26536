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
        ends: 11,
        says: "fewer than 6 flips cannot show anything",
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
        says: "the gate's policy is lowered by this change, and the stricter one counts: uncovered_is_inconclusive",
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
    let cases: Vec<(String, String)> = (1..=29)
        .map(|number| {
            let text = format!("id: opens-{number}\ntitle: It opens one\nworkflow: desk\ninput: {{customer: K-{number}}}\nexpect:\n  - effects: {{probe: tickets, count: 1}}\n");
            (format!("cases/duplicate/opens-{number}.yaml"), text)
        })
        .collect();
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
