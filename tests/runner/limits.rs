//! How many of a kind run at once, counted by the workflows themselves: each leaves a file while it runs.

use std::fs;

use crate::sandbox::Sandbox;
use crate::small_project::{FILES, case};

/// Counts itself among those that run in its group, and goes on once the group has been as large as it may be.
const WORKFLOW: &str = r#"cat > /dev/null
group=../$GROUP
mkdir -p $group/running
: > $group/running/$$
tries=0
while :; do
  set -- $group/running/*
  echo $# >> $group/seen
  [ $# -lt $FULL ] || : > $group/full
  [ ! -e $group/full ] || break
  tries=$((tries + 1)); [ $tries -lt 300 ] || exit 1
  sleep 0.1
done
sleep 0.2
set -- $group/running/*
echo $# >> $group/seen
rm $group/running/$$
cat prompts/greeting.txt
"#;

const CONNECTOR: &str = "\
id: shop
kind: connector
version: \"1\"
release: 2026-04
operations:
  list: {effect: none, wire: {method: GET, path: /orders}}
";

/// A workflow that counts itself in this group, which is full with so many, with these further lines.
fn counting(name: &str, group: &str, full: usize, more: &str) -> String {
    format!(
        "  {name}:\n    command: {{run: [sh, workflow.sh], env: {{set: {{GROUP: {group}, FULL: \"{full}\"}}}}}}\n    \
         code: [workflow.sh]\n    now: \"2026-03-02T09:00:00Z\"\n{more}"
    )
}

/// A project with these workflows, each with as many cases; what else stands in its file follows.
fn project(workflows: &[(&str, usize, String)], more: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    for (path, text) in FILES.into_iter().filter(|(path, _)| !path.starts_with("cases/")) {
        sandbox.write(path, text);
    }
    sandbox.write("workflow.sh", WORKFLOW);
    sandbox.write("manifests/shop.yaml", CONNECTOR);
    let specs: String = workflows.iter().map(|(_, _, spec)| spec.as_str()).collect();
    sandbox.write("holdpoint.yaml", &format!("schema: holdpoint.project/1\nname: counted\nworkflows:\n{specs}{more}"));
    for (name, cases, _) in workflows {
        for number in 0..*cases {
            let id = format!("{name}-{number}");
            let text = case(&id, "Good morning").replace("workflow: greeter", &format!("workflow: {name}"));
            sandbox.write(&format!("cases/policy_accuracy/{id}.yaml"), &text);
        }
    }
    sandbox.commit("begin");
    sandbox
}

/// The most that ran at once in a group.
fn most(sandbox: &Sandbox, group: &str) -> usize {
    let seen = fs::read_to_string(sandbox.project().join("..").join(group).join("seen")).unwrap();
    seen.lines().map(|line| line.parse().unwrap()).max().unwrap()
}

#[test]
fn a_workflow_runs_as_often_at_once_as_its_limit_says_and_no_more() {
    let few = counting("few", "few", 2, "    parts: [greeting]\n    jobs: 2\n");
    let many = counting("many", "many", 3, "    parts: [greeting]\n");
    let sandbox = project(&[("few", 5, few), ("many", 3, many)], "");
    // Five workers: two for the one and three for the other, and each goes on only once its group is full.
    sandbox.holdpoint(&["run", "--all", "--jobs", "5"]).expect(0);
    assert_eq!((most(&sandbox, "few"), most(&sandbox, "many")), (2, 3));
}

#[test]
fn all_workflows_that_have_a_connector_share_its_limit() {
    let with_shop = "    parts: [greeting, shop]\n";
    let workflows = [
        ("one", 3, counting("one", "shop", 2, with_shop)),
        ("two", 3, counting("two", "shop", 2, with_shop)),
        ("past", 2, counting("past", "past", 2, "    parts: [greeting]\n")),
    ];
    let connector = "connectors:\n  shop: {upstream: {url: \"http://127.0.0.1:9\"}, jobs: 2}\n";
    let sandbox = project(&workflows, connector);
    sandbox.holdpoint(&["run", "--all", "--jobs", "6"]).expect(0);
    assert_eq!((most(&sandbox, "shop"), most(&sandbox, "past")), (2, 2));
}

#[test]
fn the_narrowest_of_several_limits_counts() {
    let narrow = counting("narrow", "narrow", 1, "    parts: [greeting, shop]\n    jobs: 3\n");
    let connector = "connectors:\n  shop: {upstream: {url: \"http://127.0.0.1:9\"}, jobs: 1}\n";
    let sandbox = project(&[("narrow", 3, narrow)], connector);
    sandbox.holdpoint(&["run", "--all", "--jobs", "4"]).expect(0);
    assert_eq!(most(&sandbox, "narrow"), 1);
}

#[test]
fn a_limit_of_nothing_is_refused() {
    let none = counting("none", "none", 1, "    parts: [greeting]\n    jobs: 0\n");
    let sandbox = project(&[("none", 1, none)], "");
    sandbox.holdpoint(&["check"]).expect(13).says("holdpoint.yaml:9:11").says("expected at least 1, found 0");
}
