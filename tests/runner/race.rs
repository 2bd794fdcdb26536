//! Several gates in one project at the same time.

use std::collections::BTreeSet;
use std::process::Stdio;

use rusqlite::Connection;

use crate::sandbox::Ran;
use crate::scene::project;

#[test]
fn four_gates_at_once_do_not_disturb_each_other() {
    let sandbox = project(&[("a-good", "Hello"), ("b-bad", "Bad"), ("c-good", "Hello"), ("d-good", "Hello")]);
    // From nothing, so that they also make the folders and databases at the same time.
    let start = || {
        let mut command = sandbox.holdpoint_command();
        command.args(["gate", "--all", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<_> = (0..4).map(|_| start()).collect();
    let mut runs = BTreeSet::new();
    for child in all {
        let ran = Ran::of("holdpoint gate".to_owned(), &child.wait_with_output().unwrap()).expect(12);
        let report = ran.json();
        assert_eq!((&report["counts"]["passed"], &report["counts"]["failed"]), (&3.into(), &1.into()));
        let run = report["run"].as_str().unwrap().to_owned();
        let written: serde_json::Value =
            serde_json::from_str(&sandbox.read(&format!("reports/{run}/report.json"))).unwrap();
        assert_eq!(written, report);
        runs.insert(run);
    }
    assert_eq!((runs.len(), sandbox.runs_of("a-good")), (4, 4));
    assert!(runs.contains(&sandbox.latest_run()), "the newest is one of them, and whole");

    // The newest run's word stands for each case, in whatever order they ended; and each run is among those that ended.
    let history = Connection::open(sandbox.project().join(".holdpoint/history.sqlite")).unwrap();
    let mut select = history.prepare("SELECT case_id, run FROM last_result ORDER BY case_id").unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let last: Vec<(String, String)> = rows.map(Result::unwrap).collect();
    let newest = runs.last().unwrap();
    let expected: Vec<(String, String)> =
        ["a-good", "b-bad", "c-good", "d-good"].map(|case| (case.to_owned(), newest.clone())).to_vec();
    assert_eq!(last, expected);
    let ended: u32 = history.query_row("SELECT count(*) FROM ended_run", [], |row| row.get(0)).unwrap();
    assert_eq!(ended, 4);
}
