//! In which order trials run, and how many at once, changes nothing that a report says, but for times.

use serde_json::Value;

use crate::kill;
use crate::small_project::case;

/// What may differ between two runs of the same: which run it is, and how long things took. `*` stands for any name or place.
const SET_ASIDE: [&str; 12] = [
    "/run",
    "/started",
    "/finished",
    "/trend/*/run",
    "/trend/*/finished",
    "/scorecard/source/run",
    "/scorecard/source/started",
    "/scorecard/source/finished",
    "/scorecard/effort/machine_minutes",
    "/cases/*/trials/*/duration_ms",
    "/cases/*/trials/*/steps/*/duration_ms",
    "/cases/*/trials/*/looks/*/at_us",
];

/// Takes out what stands at this path, and answers how often it was there.
fn take_out(document: &mut Value, path: &[&str]) -> usize {
    let [name, rest @ ..] = path else { return 0 };
    let below: Vec<&mut Value> = match document {
        Value::Object(fields) if rest.is_empty() => return usize::from(fields.remove(*name).is_some()),
        Value::Object(fields) => {
            fields.iter_mut().filter(|(key, _)| *name == "*" || key == name).map(|it| it.1).collect()
        }
        Value::Array(items) if *name == "*" => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    below.into_iter().map(|value| take_out(value, rest)).sum()
}

#[test]
fn a_report_is_the_same_to_the_byte_with_one_two_and_eight_jobs() {
    let reports = ["1", "2", "8"].map(|jobs| {
        let sandbox = kill::project();
        sandbox.edit("workflow.sh", "case \"$asked\" in", "case \"$asked\" in\n  *Broken*) exit 3 ;;\n ");
        sandbox.edit(
            "holdpoint.yaml",
            "    command: {run: [sh, workflow.sh]}",
            "    command: {run: [sh, workflow.sh]}\n    jobs: 3",
        );
        let broken = case("broken", "Good morning").replace("Hello", "Broken");
        sandbox.write("cases/policy_accuracy/broken.yaml", &broken);
        sandbox.commit("break");
        sandbox.holdpoint(&["run", "--all", "--jobs", jobs]).expect(10);
        let mut report = sandbox.report();
        let counts = &report["counts"];
        assert!(["passed", "failed", "errored"].iter().all(|status| counts[status].as_u64() > Some(0)), "{counts}");
        for path in SET_ASIDE {
            let names: Vec<&str> = path.split('/').skip(1).collect();
            assert!(take_out(&mut report, &names) > 0, "the report has no {path}");
        }
        serde_json::to_string_pretty(&report).unwrap()
    });
    for report in &reports[1..] {
        let differing = reports[0].lines().zip(report.lines()).find(|(one, other)| one != other);
        assert_eq!(differing, None);
        assert_eq!(&reports[0], report);
    }
}
