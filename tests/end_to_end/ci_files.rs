//! The shell in `action.yml` and `examples/ci`, run as CI would run it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};
use crate::small_project::{accepted_project, small_project};

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

/// The script of the step with this name in `action.yml`.
fn step(name: &str) -> String {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().unwrap();
    steps.iter().find(|step| step["name"] == name).unwrap()["run"].as_str().unwrap().to_owned()
}

/// A shell as CI starts one, with the built binary on its path.
fn shell(sandbox: &Sandbox, program: &[&str], script: &str) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_holdpoint")).parent().unwrap();
    let mut command = sandbox.command(program[0]);
    let path = std::env::var("PATH").unwrap();
    command.args(&program[1..]).arg(script).env("PATH", format!("{}:{path}", binary.display()));
    command
}

/// The gate's step, as GitHub runs it: its result, its outputs, and the step summary.
fn on_github(sandbox: &Sandbox, base: &str) -> (Ran, String, String) {
    let file = |name: &str| sandbox.project().parent().unwrap().join(name);
    let (output, summary) = (file("output"), file("summary"));
    for file in [&output, &summary] {
        fs::write(file, "").unwrap();
    }
    let mut command = shell(sandbox, &["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], &step("Gate"));
    command.env("PROJECT", ".").env("BASE", base).env("GITHUB_OUTPUT", &output).env("GITHUB_STEP_SUMMARY", &summary);
    let ran = sandbox.ran(&mut command);
    (ran, fs::read_to_string(output).unwrap(), fs::read_to_string(summary).unwrap())
}

#[test]
fn on_github_a_pass_ends_0_and_names_its_report() {
    let sandbox = accepted_project();
    let (ran, output, summary) = on_github(&sandbox, "");
    assert_eq!(ran.code, 0, "{}", ran.told());
    assert!(output.starts_with("exit-code=0\nreport=./reports/"), "{output}");
    let folder = output.trim_end().rsplit('=').next().unwrap();
    assert!(sandbox.project().join(folder).join("report.html").is_file(), "{folder}");
    assert!(summary.starts_with("## Passed"), "{summary}");
}

#[test]
fn on_github_a_regression_ends_10_and_is_annotated_at_the_cases_line() {
    let sandbox = accepted_project();
    sandbox.edit("prompts/greeting.txt", "morning", "evening");
    sandbox.commit("say it otherwise");
    let (ran, output, summary) = on_github(&sandbox, "HEAD~1");
    assert_eq!(ran.code, 10, "{}", ran.told());
    assert!(output.contains("exit-code=10"), "{output}");
    let annotation = "::error file=cases/policy_accuracy/greets.yaml,line=1,title=Regressions%3A greets::";
    assert!(ran.stdout.contains(annotation), "{}", ran.told());
    assert!(summary.contains("### Regressions (1)"), "{summary}");
}

#[test]
fn on_github_what_a_workflow_prints_is_never_a_command() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "x\n::error::owned\n::add-mask::y\n");
    let (ran, ..) = on_github(&sandbox, "");
    assert_eq!(ran.code, 10, "{}", ran.told());
    // The runner obeys nothing between this line and the token.
    let (before, rest) = ran.stdout.split_once("::stop-commands::").unwrap();
    let (token, rest) = rest.split_once('\n').unwrap();
    assert_eq!((before, token.len()), ("", 32));
    let (_, after) = rest.split_once(&format!("\n::{token}::\n")).unwrap();
    for line in after.lines() {
        let own = [
            "::error file=cases/",
            "::error title=holdpoint%3A Failed::exit code 10",
            "::warning file=prompts/greeting.txt,line=1,title=Uncovered%3A ",
            "::notice title=holdpoint::baseline head",
        ];
        let is_own = own.iter().any(|own| line.starts_with(own));
        assert!(is_own, "only our own annotations: {line}");
    }
}

#[test]
fn on_github_a_gate_that_ends_early_shows_no_report_of_an_earlier_run() {
    let sandbox = accepted_project();
    sandbox.edit("holdpoint.yaml", "name: small", "nmae: small");
    let (ran, output, summary) = on_github(&sandbox, "");
    assert_eq!((ran.code, output.as_str(), summary.as_str()), (13, "exit-code=13\n", ""), "{}", ran.told());
}

#[test]
fn on_github_nothing_is_installed_where_it_is_there() {
    let sandbox = Sandbox::empty();
    let mut command = shell(&sandbox, &["bash", "-eo", "pipefail", "-c"], &step("Install holdpoint"));
    let ran = sandbox.ran(command.env("SOURCE", "/nowhere"));
    assert_eq!(ran.code, 0, "{}", ran.told());
}

#[test]
fn on_gitlab_the_job_ends_as_the_gate_does_and_leaves_its_files() {
    let sandbox = accepted_project();
    sandbox.edit("prompts/greeting.txt", "morning", "evening");
    let job = yaml("examples/ci/gitlab.yml")["holdpoint"].clone();
    let script = job["script"][0].as_str().unwrap().to_owned();
    let ran = sandbox.ran(&mut shell(&sandbox, &["sh", "-e", "-c"], &script));
    assert_eq!(ran.code, 10, "{}", ran.told());
    let quality = job["artifacts"]["reports"]["codequality"].as_str().unwrap();
    let findings: Value = serde_json::from_str(&sandbox.read(quality)).unwrap();
    assert_eq!(findings[0]["location"]["path"], "cases/policy_accuracy/greets.yaml");
    assert_eq!(job["artifacts"]["reports"]["junit"], "reports/*/junit.xml");
    assert!(sandbox.project().join("reports").join(sandbox.latest_run()).join("junit.xml").is_file());
}

#[test]
fn where_nothing_was_accepted_ci_ends_12_and_says_how_to_accept() {
    let sandbox = small_project();
    let (ran, _, summary) = on_github(&sandbox, "");
    assert_eq!(ran.code, 12, "{}", ran.told());
    assert!(summary.contains("baseline accept"), "{summary}");
}

/// The scripts of the job in parts and of the job that merges, run as their system runs them.
fn in_parts(sandbox: &Sandbox, program: &[&str], part: &str, merge: &str, variables: [(&str, usize); 2]) -> Ran {
    let [(index, first), (total, of)] = variables;
    for number in first..first + of {
        let file = |name: &str| sandbox.project().parent().unwrap().join(name);
        fs::write(file("output"), "").unwrap();
        let mut command = shell(sandbox, program, part);
        command.env(index, number.to_string()).env(total, of.to_string());
        let ran = sandbox.ran(&mut command);
        assert_eq!(ran.code, 0, "whether it passed is said of the whole: {}", ran.told());
        assert!(ran.stdout.contains(" of 3 alone: "), "{}", ran.told());
    }
    let mut command = shell(sandbox, program, merge);
    for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        command.env(name, sandbox.project().parent().unwrap().join(name));
    }
    sandbox.ran(&mut command)
}

/// Eight jobs are three here: the number is the system's business.
fn regressed_project() -> Sandbox {
    let sandbox = accepted_project();
    sandbox.edit("prompts/greeting.txt", "morning", "evening");
    sandbox.commit("say it otherwise");
    sandbox
}

fn named_step(job: &Value, name: &str) -> String {
    let steps = job["steps"].as_array().unwrap();
    steps.iter().find(|step| step["name"] == name).unwrap()["run"].as_str().unwrap().to_owned()
}

#[test]
fn on_github_parts_are_merged_into_the_verdict_of_the_whole() {
    let jobs = yaml("examples/ci/github-parts.yml")["jobs"].clone();
    let steps = jobs["part"]["steps"].as_array().unwrap();
    let part = steps.iter().find(|step| step["name"] == "Part").unwrap();
    assert_eq!(part["env"]["HOLDPOINT_PARTITION_INDEX"], "${{ strategy.job-index }}");
    assert_eq!(part["env"]["HOLDPOINT_PARTITION_TOTAL"], "${{ strategy.job-total }}");
    let sandbox = regressed_project();
    let (part, merge) = (named_step(&jobs["part"], "Part"), named_step(&jobs["holdpoint"], "Merge"));
    // What the artifacts hold is the folder of all runs; here it is put where they are unpacked.
    let merge = format!(
        "mkdir -p .holdpoint/parts && cp -R .holdpoint/runs .holdpoint/parts/ && rm -r .holdpoint/runs\n{merge}"
    );
    let sandbox_runs = sandbox.project().join(".holdpoint/runs");
    fs::remove_dir_all(&sandbox_runs).unwrap();
    let bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"];
    let variables = [("HOLDPOINT_PARTITION_INDEX", 0), ("HOLDPOINT_PARTITION_TOTAL", 3)];
    let ran = in_parts(&sandbox, &bash, &part, &merge, variables);
    assert_eq!(ran.code, 10, "{}", ran.told());
    let beside = |name: &str| fs::read_to_string(sandbox.project().parent().unwrap().join(name)).unwrap();
    assert!(beside("GITHUB_STEP_SUMMARY").starts_with("## Failed"), "{}", beside("GITHUB_STEP_SUMMARY"));
    assert!(beside("GITHUB_OUTPUT").starts_with("report=reports/"), "{}", beside("GITHUB_OUTPUT"));
}

#[test]
fn on_gitlab_parts_are_merged_into_the_verdict_of_the_whole() {
    let jobs = yaml("examples/ci/gitlab-parts.yml");
    let script = |job: &str| jobs[job]["script"][0].as_str().unwrap().to_owned();
    let sandbox = regressed_project();
    let variables = [("CI_NODE_INDEX", 1), ("CI_NODE_TOTAL", 3)];
    let ran = in_parts(&sandbox, &["sh", "-e", "-c"], &script("part"), &script("holdpoint"), variables);
    assert_eq!(ran.code, 10, "{}", ran.told());
    let findings: Value = serde_json::from_str(&sandbox.read("gl-code-quality-report.json")).unwrap();
    assert_eq!(findings[0]["location"]["path"], "cases/policy_accuracy/greets.yaml");
}

#[test]
fn on_kubernetes_each_index_leaves_its_part_and_all_are_merged() {
    let job = yaml("examples/ci/kubernetes.yml");
    let spec = &job["spec"];
    assert_eq!((&spec["completionMode"], spec["completions"].as_u64()), (&Value::from("Indexed"), Some(8)));
    let container = &spec["template"]["spec"]["containers"][0];
    assert_eq!(container["command"], serde_json::json!(["sh", "-e", "-c"]));
    let script = container["args"][0].as_str().unwrap();
    let sandbox = regressed_project();
    let data = sandbox.project().parent().unwrap().to_owned();
    // The first index twice: a pod that was lost is started again.
    for index in [0, 0, 1, 2, 3, 4, 5, 6, 7] {
        let mut command = shell(&sandbox, &["sh", "-e", "-c"], script);
        let ran = sandbox.ran(command.current_dir(&data).env("JOB_COMPLETION_INDEX", index.to_string()));
        assert_eq!(ran.code, 0, "{}", ran.told());
    }
    sandbox.holdpoint(&["merge", "../parts"]).expect(10);
}
