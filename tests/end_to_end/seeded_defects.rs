//! The repository's own project, in which the text of one manifest is edited so that its part goes wrong: the plan
//! picks the set that the changed facet puts at risk, and the gate turns red in it.

use std::fs;

use serde_json::Value;

use crate::sandbox::{Sandbox, names};

/// A seeded defect, the manifest that brings it, and the set that must catch it.
struct Seeded {
    part: &'static str,
    kind: &'static str,
    defect: &'static str,
    set: &'static str,
    /// A set that no change of this kind puts at risk.
    untouched: &'static str,
}

const SEEDED: [Seeded; 4] = [
    Seeded {
        part: "review-desk",
        kind: "connector",
        defect: "stages_twice",
        set: "duplicate",
        untouched: "policy_accuracy",
    },
    Seeded {
        part: "desk-permissions",
        kind: "permissions",
        defect: "shows_receipt_to_anyone",
        set: "access",
        untouched: "policy_accuracy",
    },
    Seeded {
        part: "draft-prompt",
        kind: "prompt",
        defect: "confirms_availability",
        set: "missing_availability",
        untouched: "partial_failure",
    },
    Seeded {
        part: "stage-for-review",
        kind: "tool",
        defect: "sends_when_asked",
        set: "action",
        untouched: "source_conflict",
    },
];

#[test]
fn a_defect_in_a_manifests_text_turns_the_gate_red_in_the_set_that_its_facet_puts_at_risk() {
    let sandbox = mesas_project();
    sandbox.measure_and_accept();
    for seeded in SEEDED {
        let manifest = format!("manifests/mesa/{}.yaml", seeded.part);
        let sound = sandbox.read(&manifest);
        sandbox.write(&manifest, &format!("{sound}settings: {{defect: {}}}\n", seeded.defect));
        sandbox.commit("change one part");
        must_be_planned(&seeded, &sandbox.plan(&["--base", "HEAD~1"]));
        sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(10);
        must_be_red(&seeded, &sandbox.report());
        sandbox.write(&manifest, &sound);
        sandbox.commit("take it back");
    }
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
}

/// The repository's own project without R-618's cases, which would take time and see nothing of the desk.
fn mesas_project() -> Sandbox {
    let sandbox = Sandbox::practice();
    for (path, _) in sandbox.contents("cases") {
        if path.file_name().unwrap().to_string_lossy().starts_with("r618-") {
            fs::remove_file(path).unwrap();
        }
    }
    sandbox.commit("keep the desk's cases alone");
    sandbox
}

/// The one facet is found, it picks every case of its set, and it leaves alone what it cannot reach.
#[track_caller]
fn must_be_planned(seeded: &Seeded, plan: &Value) {
    let defect = seeded.defect;
    assert_eq!(plan["mode"], "selective", "{defect}");
    let changes = plan["changes"].as_array().unwrap();
    let facets =
        changes.iter().filter(|change| change["facet"].as_str().is_some_and(|facet| facet.starts_with("settings")));
    let facets: Vec<&Value> = facets.collect();
    assert_eq!(facets.len(), 1, "{defect}: {changes:#?}");
    assert_eq!((&facets[0]["part"], &facets[0]["kind"]), (&seeded.part.into(), &seeded.kind.into()), "{defect}");
    let risks: Vec<&str> = facets[0]["risks"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(risks.contains(&seeded.set), "{defect}: {risks:?}");
    let left_out = plan["excluded"].as_array().unwrap();
    let of_set = |set: &str| left_out.iter().filter(|case| case["set"] == set).count();
    assert_eq!(of_set(seeded.set), 0, "{defect}: a case of its set is left out");
    assert!(of_set(seeded.untouched) > 0, "{defect}: nothing is left out");
}

/// A case of the set has regressed, and no case at all came to no result.
#[track_caller]
fn must_be_red(seeded: &Seeded, report: &Value) {
    assert_eq!(report["counts"]["errored"], 0, "{}", seeded.defect);
    let cases = report["cases"].as_array().unwrap().iter().filter(|case| case["comparison"] == "regressed");
    let regressed = Value::Array(cases.cloned().collect());
    let sets = names(&regressed, "set");
    assert!(sets.contains(&seeded.set), "{} turned only {sets:?} red", seeded.defect);
}
