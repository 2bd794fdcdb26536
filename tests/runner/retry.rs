//! A workflow that cannot be reached: tried again within bounds, then left alone, and never passed.

use std::net::TcpListener;

use serde_json::Value;

use crate::sandbox::entry;
use crate::scene::project;
use crate::small_project::PROJECT;

#[test]
fn a_dead_service_is_tried_a_few_times_and_its_remaining_trials_are_errored_at_once() {
    let sandbox = project(&["a", "b", "c", "d", "e"].map(|id| (id, "Hello")));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let http = format!("    http: {{url: \"http://127.0.0.1:{port}/\"}}\n");
    let file = PROJECT.replace("    command:\n      run: [sh, workflow.sh]\n", &http);
    sandbox.write("holdpoint.yaml", &format!("{file}retry: {{tries: 2, base_ms: 1, circuit: 3}}\n"));
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(11);
    let report = sandbox.report();
    assert_eq!((&report["counts"]["errored"], &report["counts"]["total"]), (&5.into(), &5.into()));
    let trial = |id: &str| entry(&report["cases"], "id", id)["trials"][0].clone();
    let tries = |id: &str| trial(id)["unreached"].as_array().map_or(0, Vec::len);
    assert_eq!(["a", "b", "c", "d", "e"].map(tries), [2, 1, 0, 0, 0]);
    let then = |id: &str, number: usize| trial(id)["unreached"][number]["then"].as_str().unwrap().to_owned();
    assert!(then("a", 0).starts_with("tried again after "), "{}", then("a", 0));
    assert_eq!(then("a", 1), "given up after 2 tries");
    assert_eq!(then("b", 0), "not tried again: too many in a row reached nothing");
    for id in ["c", "d", "e"] {
        let error: Value = trial(id)["error"]["message"].clone();
        assert!(error.as_str().unwrap().starts_with("not tried: `greeter` could not be reached 3 times"), "{error}");
    }
    let limits = report["limits"].to_string();
    assert!(limits.contains("In 2 trials a workflow or a target was not reached at once, in 3 tries"), "{limits}");
}
