//! Whatever breaks while cases run stays in the count, and no break is a pass.

use std::process::Stdio;

use crate::sandbox::{Ran, Sandbox, entry};
use crate::small_project::{CASE, FILES, PROJECT, WORKFLOW, accepted_project, case, small_project};

const CASE_PATH: &str = "cases/policy_accuracy/greets.yaml";

fn count(sandbox: &Sandbox, name: &str) -> u64 {
    sandbox.report()["counts"][name].as_u64().unwrap()
}

#[test]
fn a_workflow_that_cannot_be_started_is_no_list_of_zero_failures() {
    let sandbox = small_project();
    sandbox.edit("holdpoint.yaml", "[sh, workflow.sh]", "[\"sh workflow.sh\"]");
    sandbox.holdpoint(&["run", "--all"]).expect(11);
    assert_eq!((count(&sandbox, "errored"), count(&sandbox, "total")), (1, 1));
}

#[test]
fn an_exit_status_or_a_signal_is_an_error_whatever_was_printed() {
    for ending in ["exit 1", "kill -9 $$", "kill -15 $$"] {
        let sandbox = small_project();
        sandbox.write("workflow.sh", &format!("cat prompts/greeting.txt\n{ending}\n"));
        sandbox.holdpoint(&["run", "--all"]).expect(11);
        assert_eq!((count(&sandbox, "errored"), count(&sandbox, "passed")), (1, 0), "{ending}");
    }
}

#[test]
fn errored_cases_stay_in_the_denominator() {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "case \"$(cat)\" in *Breakdown*) exit 9;; esac\ncat prompts/greeting.txt\n");
    for number in 0..6 {
        sandbox.write(&format!("cases/action/c{number}.yaml"), &case(&format!("c{number}"), "Good morning"));
    }
    for number in 0..3 {
        let text = case(&format!("d{number}"), "Good morning").replace("Hello", "Breakdown");
        sandbox.write(&format!("cases/action/d{number}.yaml"), &text);
    }
    sandbox.holdpoint(&["run", "--all"]).expect(11);
    let counted = ["selected", "passed", "failed", "errored", "total"].map(|name| count(&sandbox, name));
    assert_eq!(counted, [10, 7, 0, 3, 10]);
}

#[test]
fn a_negated_expectation_does_not_pass_where_there_was_no_answer() {
    let sandbox = small_project();
    sandbox.write(CASE_PATH, &CASE.replace("- contains: Good morning", "- not: {contains: Go away}"));
    sandbox.write("workflow.sh", "exit 1\n");
    sandbox.holdpoint(&["run", "--all"]).expect(11);
}

#[test]
fn a_workflow_that_takes_too_long_is_ended_with_all_that_it_started() {
    let sandbox = small_project();
    sandbox.edit("holdpoint.yaml", "    parts:", "    timeout_s: 1\n    parts:");
    sandbox.write("workflow.sh", "cat prompts/greeting.txt\n(sleep 3; touch survived) &\nsleep 30\n");
    sandbox.holdpoint(&["run", "--all"]).expect(11);
    assert_eq!(count(&sandbox, "errored"), 1);
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(!sandbox.project().join("survived").exists(), "a process outlived its trial");
}

#[test]
fn parallel_trials_lose_no_case_and_mix_no_answers() {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "cat\n");
    std::fs::remove_file(sandbox.project().join(CASE_PATH)).unwrap();
    for number in 0..120 {
        let id = format!("c{number}");
        let text = case(&id, &format!("answer-{number}-end")).replace("Hello", &format!("answer-{number}-end"));
        sandbox.write(&format!("cases/action/{id}.yaml"), &text);
    }
    sandbox.holdpoint(&["run", "--all", "--jobs", "16"]).expect(0);
    let report = sandbox.report();
    assert_eq!(count(&sandbox, "passed"), 120);
    for number in 0..120 {
        let case = entry(&report["cases"], "id", &format!("c{number}"));
        let output = case["trials"][0]["output"].to_string();
        assert!(output.contains(&format!("answer-{number}-end")), "{output}");
    }
}

#[test]
fn data_that_looks_like_a_template_or_a_file_reaches_the_workflow_as_it_stands() {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "cat\n");
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for text in ["{{ now }} {% if x %} {# a #}", "${HOME} $HOME `id`", "file:///etc/hostname", "--- |", digest] {
        let quoted = serde_json::to_string(text).unwrap();
        let file = format!(
            "id: greets\ntitle: It is data\nworkflow: greeter\ninput: {{question: {quoted}}}\nexpect:\n  \
             - json: {{path: $.input.question, equals: {quoted}}}\n"
        );
        sandbox.write(CASE_PATH, &file);
        sandbox.holdpoint(&["run", "--all"]).expect(0);
        let output = sandbox.report()["cases"][0]["trials"][0]["output"].to_string();
        assert!(output.contains(text) || output.contains(&text.replace('"', "\\\"")), "{text}: {output}");
    }
}

#[test]
fn a_judging_program_without_a_clear_verdict_is_an_error() {
    let answers = [
        "",
        "exit 1",
        "echo '{\"pass\": true}'; exit 1",
        "echo true",
        "echo '{}'",
        "echo '{\"pass\": \"true\"}'",
        "echo '{\"pass\": \"false\"}'",
        "echo '{\"pass\": 1}'",
        "echo '{\"pass\": null}'",
        "echo '{\"pass\": NaN}'",
        "echo '{\"pass\": true} {\"pass\": false}'",
        "kill -9 $$",
        "sleep 30",
    ];
    let sandbox = small_project();
    std::fs::remove_file(sandbox.project().join(CASE_PATH)).unwrap();
    for (number, answer) in answers.iter().enumerate() {
        sandbox.write(&format!("judges/{number}.sh"), &format!("cat >/dev/null\n{answer}\n"));
        let judge = format!("command: {{run: [sh, judges/{number}.sh], timeout_s: 3}}");
        for (name, form) in [("plain", judge.clone()), ("negated", format!("not: {{{judge}}}"))] {
            let text =
                CASE.replace("id: greets", &format!("id: {name}-{number}")).replace("contains: Good morning", &form);
            sandbox.write(&format!("cases/action/{name}-{number}.yaml"), &text);
        }
    }
    sandbox.holdpoint(&["run", "--all"]).expect(11);
    let report = sandbox.report();
    for case in report["cases"].as_array().unwrap() {
        assert_eq!(case["status"], "errored", "{case:#}");
    }
    assert_eq!(count(&sandbox, "errored"), 2 * answers.len() as u64);
}

#[test]
fn a_judging_program_with_a_clear_verdict_is_heard() {
    for (answer, code) in [("true", 0), ("false", 10)] {
        let sandbox = small_project();
        sandbox.write(CASE_PATH, &CASE.replace("contains: Good morning", "command: {run: [sh, judge.sh]}"));
        sandbox.write("judge.sh", &format!("cat >/dev/null\necho '{{\"pass\": {answer}, \"message\": \"why\"}}'\n"));
        sandbox.holdpoint(&["run", "--all"]).expect(code);
    }
}

#[test]
fn a_claimed_success_without_an_effect_fails() {
    let sandbox = small_project();
    sandbox.write(
        "workflow.sh",
        "echo '{\"output\": \"Done.\", \"claims\": [{\"operation\": \"op-1\", \"claim\": \"completed\"}]}'\n",
    );
    sandbox.write(
        "holdpoint.yaml",
        &format!("{PROJECT}probes:\n  tickets: {{sql: {{database: t.db, query: SELECT operation FROM t}}, operation: operation}}\n"),
    );
    let empty_table = "- effects: {probe: tickets, where: {operation: op-1}, count: 1}";
    sandbox.write(CASE_PATH, &CASE.replace("- contains: Good morning", empty_table));
    // Without the database the target cannot be read: no zero, an error.
    sandbox.holdpoint(&["run", "--all"]).expect(11);
    sandbox.edit(
        "workflow.sh",
        "echo",
        "state=$(sed 's/.*\"state_dir\":\"\\([^\"]*\\)\".*/\\1/')\npython3 -c \"import sqlite3, sys; \
         sqlite3.connect(sys.argv[1] + '/t.db').execute('create table t (operation)')\" \"$state\"\necho",
    );
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    let report = sandbox.report();
    let operation = &report["cases"][0]["trials"][0]["operations"][0];
    assert_eq!(operation["claim_check"], "false_success", "{operation:#}");
}

#[test]
fn an_http_target_that_refuses_ends_neither_the_run_nor_the_count() {
    let sandbox = http_project();
    for status in [401, 403, 404, 500] {
        let text = case(&format!("s{status}"), "hello").replace("Hello", &status.to_string());
        sandbox.write(&format!("cases/action/s{status}.yaml"), &text);
    }
    for number in 0..4 {
        let text = case(&format!("z{number}"), "hello").replace("Hello", "200");
        sandbox.write(&format!("cases/action/z{number}.yaml"), &text);
    }
    let expected =
        case("expected", "hello").replace("Hello", "404").replace("contains: hello", "http_status: {is: 404}");
    sandbox.write("cases/action/expected.yaml", &expected);
    sandbox.holdpoint(&["run", "--all"]).expect(11);
    let counted = ["selected", "passed", "errored", "total"].map(|name| count(&sandbox, name));
    assert_eq!(counted, [9, 5, 4, 9]);
}

/// A service that answers with the status that the question names.
fn http_project() -> Sandbox {
    const SERVICE: &str = r#"
import http.server, json, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, b"ready")
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(int(asked["input"]["question"]), b"hello")
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"#;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let http = format!(
        "    http:\n      url: http://127.0.0.1:{port}/\n      start: [python3, -B, service.py, \"{port}\"]\n      \
         ready: {{url: \"http://127.0.0.1:{port}/\"}}\n"
    );
    let sandbox = Sandbox::empty();
    for (path, text) in FILES.into_iter().filter(|(path, _)| *path != CASE_PATH) {
        sandbox.write(path, text);
    }
    sandbox.write("holdpoint.yaml", &PROJECT.replace("    command:\n      run: [sh, workflow.sh]\n", &http));
    sandbox.write("service.py", SERVICE);
    sandbox
}

#[test]
fn output_that_cannot_be_written_is_found_before_anything_runs() {
    let sandbox = accepted_project();
    std::fs::remove_dir_all(sandbox.project().join("reports")).unwrap();
    sandbox.write("reports", "a file where the folder should be");
    sandbox.write("workflow.sh", "touch started\ncat prompts/greeting.txt\n");
    sandbox.holdpoint(&["gate"]).expect(1);
    assert!(!sandbox.project().join("started").exists(), "it ran all the same");
}

#[test]
fn two_gates_at_once_each_tell_the_truth() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Go away\n");
    let start = || {
        let mut command = sandbox.holdpoint_command();
        command.args(["gate", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let both = [start(), start()];
    let mut runs = Vec::new();
    for child in both {
        let ran = Ran::of("holdpoint gate".to_owned(), &child.wait_with_output().unwrap()).expect(10);
        let report = ran.json();
        assert_eq!(report["comparison"]["regressed"], 1);
        runs.push(report["run"].as_str().unwrap().to_owned());
    }
    assert_ne!(runs[0], runs[1]);
    for run in runs {
        assert!(sandbox.read(&format!("reports/{run}/report.json")).contains(&run));
    }
}

#[test]
fn a_case_that_passes_now_and_then_is_flaky_and_no_pass() {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "mkdir once 2>/dev/null && cat prompts/greeting.txt || echo Go away\n");
    sandbox.write(CASE_PATH, &CASE.replace("input:", "trials: 4\ninput:"));
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(11);
    assert_eq!((count(&sandbox, "flaky"), count(&sandbox, "passed"), count(&sandbox, "total")), (1, 0, 1));
}

#[test]
fn what_finished_before_a_cancellation_is_on_record() {
    let sandbox = small_project();
    sandbox.write(
        "workflow.sh",
        "case \"$(cat)\" in *Slow*) sleep 1; touch started; exec sleep 600;; esac\ncat prompts/greeting.txt\n",
    );
    sandbox.write("cases/action/zz-slow.yaml", &case("zz-slow", "Good morning").replace("Hello", "Slow"));
    sandbox.edit("holdpoint.yaml", "    parts:", "    timeout_s: 3600\n    parts:");
    sandbox.interrupted(&["run", "--all", "--jobs", "2"], "-TERM").expect(130);
    let report = sandbox.report();
    assert_eq!(entry(&report["cases"], "id", "greets")["status"], "passed");
    assert_eq!(entry(&report["cases"], "id", "zz-slow")["status"], "errored");
    assert_eq!(report["exit_code"], 130);
}

#[test]
fn a_closed_terminal_lets_what_is_in_flight_finish_however_often_it_is_told() {
    let sandbox = slow_project(&["a", "b", "c"]);
    sandbox.interrupted(&["run", "--all", "--jobs", "1"], "-HUP").expect(130);
    let report = sandbox.report();
    let statuses: Vec<&str> =
        report["cases"].as_array().unwrap().iter().filter_map(|case| case["status"].as_str()).collect();
    assert!(statuses.contains(&"passed") && !statuses.contains(&"failed"), "{statuses:?}");
    assert_eq!(sandbox.recorded_trials(), 1);
}

#[test]
fn a_run_that_was_told_to_outlive_its_terminal_does() {
    let sandbox = slow_project(&["a"]);
    let mut command = sandbox.command("nohup");
    let program = env!("CARGO_BIN_EXE_holdpoint");
    sandbox.interrupted_command(command.args([program, "run", "--all", "--jobs", "1"]), "-HUP").expect(0);
}

#[test]
fn a_pause_stops_a_gate_that_runs_already() {
    let sandbox = slow_project(&["a", "b", "c"]);
    let gate = sandbox.started(sandbox.holdpoint_command().args(["gate", "--jobs", "1"]));
    sandbox.holdpoint(&["pause", "on", "--by", "Ada", "--reason", "the stock is wrong"]).expect(0);
    let ran = Ran::of("holdpoint gate".to_owned(), &gate.wait_with_output().unwrap()).expect(15);
    let report = sandbox.report();
    assert_eq!((&report["exit_code"], sandbox.recorded_trials()), (&15.into(), 1), "{}", ran.told());
    assert!(ran.stdout.contains("by Ada (the stock is wrong)"), "{}", ran.told());
    assert_eq!(entry(&report["cases"], "id", "a")["status"], "passed");
    let limits = report["limits"].to_string();
    assert!(limits.contains("by Ada: the stock is wrong"), "{limits}");
    // What it finished is on record, and no baseline: the rest was never measured.
    let run = sandbox.latest_run();
    let accept = ["baseline", "accept", &run, "--by", "R. Viewer", "--reason", "why"];
    sandbox.holdpoint(&accept).expect(2).says("was paused: run it again to its end");
}

#[test]
fn what_a_killed_run_left_behind_is_ended_by_the_next() {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "cat >/dev/null\nsetsid sleep 600 &\necho $$ $! > pids\ntouch started\nsleep 600\n");
    let mut run = sandbox.started(sandbox.holdpoint_command().args(["run", "--all"]));
    run.kill().unwrap();
    run.wait().unwrap();
    let pids: Vec<String> = sandbox.read("pids").split_whitespace().map(str::to_owned).collect();
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_running(pid)), "{pids:?}");
    let left = || {
        let runs = std::fs::read_dir(sandbox.project().join(".holdpoint/runs")).unwrap();
        runs.filter(|run| run.as_ref().unwrap().path().join("state").exists()).count()
    };
    assert_eq!(left(), 1);
    sandbox.write("workflow.sh", "cat >/dev/null\ncat prompts/greeting.txt\n");
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    assert!(!pids.iter().any(|pid| is_running(pid)), "{pids:?}");
    assert_eq!(left(), 0);
    sandbox.holdpoint(&["runs"]).expect(0).says("cut off");
}

fn is_running(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// A project of these cases alone. Each takes two seconds, and the first to begin makes the file `started`.
fn slow_project(ids: &[&str]) -> Sandbox {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "cat >/dev/null\ntouch started\nsleep 2\ncat prompts/greeting.txt\n");
    std::fs::remove_file(sandbox.project().join(CASE_PATH)).unwrap();
    for id in ids {
        sandbox.write(&format!("cases/action/{id}.yaml"), &case(id, "Good morning"));
    }
    sandbox
}

#[test]
fn files_that_are_edited_while_the_run_goes_on_leave_no_verdict() {
    let sandbox = accepted_project();
    sandbox.write("workflow.sh", &format!("{WORKFLOW}echo Good night > prompts/greeting.txt\n"));
    sandbox.commit("edit oneself");
    let gate = sandbox.holdpoint(&["gate", "--all"]).expect(11);
    assert!(gate.stdout.contains("edited while the run went on"), "{}", gate.stdout);
    assert!(gate.stdout.contains("greeting"), "{}", gate.stdout);

    let sandbox = accepted_project();
    sandbox.write("workflow.sh", &format!("{WORKFLOW}echo a line > log.txt\n"));
    sandbox.commit("keep a log");
    sandbox.holdpoint(&["gate", "--all"]).expect(0);
}

#[test]
fn fewer_trials_than_a_case_needs_cannot_be_asked_for() {
    let sandbox = accepted_project();
    sandbox.write("cases/policy_accuracy/greets.yaml", &CASE.replace("input:", "trials: 3\ninput:"));
    sandbox.holdpoint(&["run", "--all", "--trials", "1"]).expect(0);
    assert_eq!(sandbox.report()["cases"][0]["trials"].as_array().map(Vec::len), Some(3));
}
