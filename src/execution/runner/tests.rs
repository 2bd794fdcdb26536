//! Tests of whole runs of commands: what goes in, what is observed, and what is left behind.

use serde_json::{Value, json};

use super::*;
use crate::domain::{Claim, Outcome};
use crate::evidence::{Form, Judgement, Reading};
use crate::execution::specimen::{Specimen, case, entries};
use crate::manifest::Case;

fn kind(observation: &Observation) -> Option<ErrorKind> {
    observation.error.as_ref().map(|error| error.kind)
}

fn message(observation: &Observation) -> &str {
    &observation.error.as_ref().unwrap().message
}

fn text(observation: &Observation) -> &str {
    &observation.last_answer().unwrap().text
}

#[test]
fn the_invocation_is_the_documented_one() {
    let specimen = Specimen::of_script("cat");
    let input = json!({"operation": "op-7", "question": "Can I come? {{ no template }}"});
    let observation = specimen.run_one(case("one", json!({"input": input, "now": "2026-03-02T10:00:00+01:00"})));
    assert_eq!(observation.error, None);
    let json = observation.last_answer().unwrap().json.clone().unwrap();
    let state_dir = json["state_dir"].as_str().unwrap().to_owned();
    let expected = json!({
        "schema": "holdpoint.invoke/1",
        "case": "one",
        "trial": 1,
        "step": 1,
        "operation": "op-7",
        "input": input,
        "state_dir": state_dir,
        "connectors": {},
        "now": "2026-03-02T10:00:00+01:00",
    });
    assert_eq!(json, expected);
    assert!(Path::new(&state_dir).starts_with(specimen.state_root().canonicalize().unwrap()));
    assert_eq!(observation.started, "2025-06-15T15:06:40.000Z");
}

#[test]
fn without_an_operation_in_the_input_there_is_none_and_now_is_the_real_time() {
    let specimen = Specimen::of_script("cat");
    for input in [json!({"operation": 7}), json!("text"), json!(null)] {
        let observation = specimen.run_one(case("one", json!({"input": input})));
        let json = observation.last_answer().unwrap().json.clone().unwrap();
        assert_eq!((&json["operation"], &json["input"]), (&json!(null), &input));
        assert_eq!(json["now"], json!("2025-06-15T15:06:40Z"));
    }
}

#[test]
fn a_program_gets_the_listed_environment_and_nothing_else() {
    let env = json!({"pass": ["TOKEN"], "pass_if_set": ["LANG", "UNSET"], "set": {"MODE": "test"}});
    let mut specimen = Specimen::new(json!({"w": {"command": {"run": ["env"], "env": env}, "parts": []}}));
    for (name, value) in [("TOKEN", "t"), ("LANG", "C"), ("HOME", "/home"), ("OTHER", "o")] {
        specimen.environment.insert(name.to_owned(), value.to_owned());
    }
    let observation = specimen.run_one(case("one", json!({})));
    let mut names: Vec<&str> = text(&observation).lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, ["HOLDPOINT_STATE_DIR", "LANG", "MODE", "PATH", "TOKEN"]);
}

#[test]
fn a_program_can_be_given_parts_of_its_invocation_as_arguments() {
    let of = |arguments: Value| {
        let run = ["sh", "-c", "for one; do printf '[%s]' \"$one\"; done", "sh", "--first"];
        let specimen = Specimen::new(json!({"w": {"command": {"run": run, "arguments": arguments}, "parts": []}}));
        specimen
            .run_one(case("one", json!({"input": {"q": "$HOME; 'x'\ny", "n": 7, "m": {"a": null}, "nul": "a\u{0}b"}})))
    };
    let given = of(json!(["/input/q", "/input/n", "/input/m", "/case"]));
    assert_eq!(text(&given), "[--first][$HOME; 'x'\ny][7][{\"a\":null}][one]");
    for (pointer, says) in [("/input/gone", "nothing at `/input/gone`"), ("/input/nul", "NUL")] {
        let refused = of(json!([pointer]));
        assert_eq!(kind(&refused), Some(ErrorKind::Setup));
        assert!(message(&refused).contains(says), "{}", message(&refused));
    }
}

#[test]
fn a_program_with_a_slash_is_found_in_the_project_which_is_the_working_directory() {
    let specimen = Specimen::new(json!({"w": {"command": {"run": ["./bin", "a b", "$HOME"]}, "parts": []}}));
    specimen.write("bin", "#!/bin/sh\npwd; printf '%s\\n' \"$@\"\n");
    let program = specimen.root().join("bin");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let observation = specimen.run_one(case("one", json!({})));
    let root = specimen.root().canonicalize().unwrap();
    assert_eq!(text(&observation), format!("{}\na b\n$HOME\n", root.display()));
}

#[test]
fn steps_share_the_state_and_the_clock_moves_on_by_clock_steps_alone() {
    let specimen = Specimen::of_script("tee -a $HOLDPOINT_STATE_DIR/seen > /dev/null; cat $HOLDPOINT_STATE_DIR/seen");
    let steps = json!([
        {"invoke": {}},
        {"restart": {}},
        {"clock": {"advance_s": 90}},
        {"invoke": {"input": {"b": 3}}},
    ]);
    let fields = json!({"input": {"a": 1, "b": 2}, "steps": steps, "now": "2026-03-02T10:00:00Z"});
    let observation = specimen.run_one(case("one", fields));
    assert_eq!(observation.error, None);
    let kinds: Vec<&str> = observation.steps.iter().map(|step| step.kind.as_str()).collect();
    assert_eq!(kinds, ["invoke", "restart", "clock", "invoke"]);
    let seen: Vec<serde_json::Value> =
        text(&observation).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let short: Vec<_> =
        seen.iter().map(|seen| (&seen["step"], &seen["input"], seen["now"].as_str().unwrap())).collect();
    assert_eq!(
        short,
        [
            (&json!(1), &json!({"a": 1, "b": 2}), "2026-03-02T10:00:00Z"),
            (&json!(4), &json!({"a": 1, "b": 3}), "2026-03-02T10:01:30Z"),
        ]
    );
}

#[test]
fn nothing_is_done_after_a_step_that_errors() {
    let specimen = Specimen::of_script("echo ran >> log; exit 1");
    let observation = specimen.run_one(case("one", json!({"steps": [{"invoke": {}}, {"invoke": {}}]})));
    assert_eq!((observation.steps.len(), kind(&observation)), (1, Some(ErrorKind::Exit)));
    assert_eq!(std::fs::read_to_string(specimen.root().join("log")).unwrap(), "ran\n");
}

#[test]
fn a_trials_folder_begins_with_its_fixtures_and_goes_with_the_trial() {
    let mut specimen =
        Specimen::of_script("cd $HOLDPOINT_STATE_DIR; find . -type f | sort; mkdir left; echo x > left/over");
    let fields = json!({"fixtures": {"a": "one", "b/c": "two"}});
    let observation = specimen.run_one(case("one", fields.clone()));
    assert_eq!(text(&observation), "./a\n./b/c\n");
    assert_eq!(specimen.left_state(), Vec::<PathBuf>::new());
    specimen.keep_state = true;
    specimen.run_one(case("one", fields));
    let kept = specimen.left_state();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].join("left/over").exists() && kept[0].join("a").exists());
}

#[test]
fn an_exit_code_or_a_signal_is_an_error_whatever_was_printed() {
    for (script, shown) in [("exit 3", "exit status: 3: why"), ("kill -9 $$", "signal: 9")] {
        let script = format!(r#"echo '{{"output": "x"}}'; echo why >&2; {script}"#);
        let observation = Specimen::of_script(&script).run_one(case("one", json!({})));
        assert_eq!(kind(&observation), Some(ErrorKind::Exit));
        assert!(message(&observation).contains(shown), "{}", message(&observation));
        assert_eq!(observation.steps[0].stderr, "why\n");
    }
}

#[test]
fn each_limit_and_each_broken_answer_has_its_own_error() {
    let spec = |answer| json!({"command": {"run": ["sh", "workflow.sh"]}, "parts": [], "answer": answer, "timeout_s": 1, "output_cap_bytes": 100});
    for (answer, script, expected) in [
        ("auto", "sleep 600", Some(ErrorKind::Timeout)),
        ("auto", "yes", Some(ErrorKind::OutputCap)),
        ("auto", r#"printf '{"output": "hal'"#, Some(ErrorKind::Malformed)),
        ("auto", r#"echo '{"claims": [{"operation": "op", "claim": "done"}]}'"#, Some(ErrorKind::Malformed)),
        ("json", "echo text", Some(ErrorKind::Malformed)),
        ("json", "exit 0", Some(ErrorKind::Malformed)),
        ("auto", "exit 0", None),
        ("text", "echo '{'", None),
    ] {
        let specimen = Specimen::new(json!({"w": spec(answer)}));
        specimen.write("workflow.sh", script);
        let observation = specimen.run_one(case("one", json!({})));
        assert_eq!(kind(&observation), expected, "{answer}: {script}");
        let error = observation.error.filter(|error| error.kind == ErrorKind::OutputCap);
        let told = error.is_none_or(|error| error.message.contains("raise `output_cap_bytes` of the workflow"));
        assert!(told, "where it is set");
    }
}

/// A trial of eight steps under these limits, of a step that takes a second.
fn eight_steps(limits: &Value, run_timeout_s: Option<u64>, may_fail: bool) -> Observation {
    let mut spec = json!({"command": {"run": ["sh", "-c", "sleep 1; echo x"]}, "parts": []});
    spec.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
    let mut specimen = Specimen::new(json!({"w": spec}));
    specimen.project.file.run_timeout_s = run_timeout_s;
    let steps = vec![json!({"invoke": {"may_fail": may_fail}}); 8];
    specimen.run_one(case("one", json!({ "steps": steps })))
}

#[test]
fn the_steps_of_a_trial_have_a_limit_together_that_names_itself_and_that_no_step_may_pass() {
    for may_fail in [false, true] {
        for (limits, run, named) in [
            (json!({"trial_timeout_s": 2}), None, "the trial's limit of 2 s"),
            (json!({"trial_timeout_s": 60}), Some(2), "the run's limit of 2 s"),
            (json!({}), Some(2), "the run's limit of 2 s"),
        ] {
            let observation = eight_steps(&limits, run, may_fail);
            assert_eq!(kind(&observation), Some(ErrorKind::Timeout), "{named}");
            assert!(message(&observation).contains(named), "{}", message(&observation));
            assert!((1..=3).contains(&observation.steps.len()), "{} steps", observation.steps.len());
        }
    }
}

#[test]
fn a_step_keeps_its_own_limit_below_those_of_trial_and_run() {
    let mut spec = json!({"command": {"run": ["sleep", "600"]}, "parts": [], "timeout_s": 1, "trial_timeout_s": 500});
    let own = Specimen::new(json!({ "w": spec.clone() })).run_one(case("one", json!({})));
    assert!(message(&own).contains("ran for more than 1 s"), "{}", message(&own));
    spec["trial_timeout_s"] = json!(null);
    let steps = json!([{"invoke": {"may_fail": true}}, {"invoke": {"may_fail": true}}]);
    let allowed = Specimen::new(json!({ "w": spec })).run_one(case("one", json!({ "steps": steps })));
    assert_eq!((allowed.error, allowed.steps.len()), (None, 2));
}

#[cfg(target_os = "linux")]
#[test]
fn each_process_of_a_workflow_has_as_much_memory_as_it_is_given_also_one_that_it_starts() {
    const TAKES: &str = "import time; time.sleep(0.3); bytearray(300 << 20); print('took it')";
    for (cap, ended) in [(None, None), (Some(128 << 20), Some(ErrorKind::Exit))] {
        let run = ["sh", "-c", "sleep 0.3; python3 -c \"$0\"", TAKES];
        let spec = json!({"command": {"run": run}, "parts": [], "memory_cap_bytes": cap});
        let observation = Specimen::new(json!({ "w": spec })).run_one(case("one", json!({})));
        assert_eq!(kind(&observation), ended, "{:?}", observation.error);
        assert!(ended.is_none() || message(&observation).contains("MemoryError"), "{:?}", observation.error);
    }
}

#[test]
fn what_cannot_run_errs_alone_and_ends_nothing_else() {
    let workflows = json!({
        "w": {"command": {"run": ["cat"]}, "parts": []},
        "missing": {"command": {"run": ["no-such-program"]}, "parts": []},
        "folder": {"command": {"run": ["./"]}, "parts": []},
        "unset": {"command": {"run": ["cat"], "env": {"pass": ["NOT_SET"]}}, "parts": []},
        "nothing": {"parts": []},
    });
    let of = |workflow: &str| case(workflow, json!({"workflow": workflow}));
    let cases = [of("missing"), of("folder"), of("unset"), of("nothing"), of("removed"), case("last", json!({}))];
    let kinds: Vec<Option<ErrorKind>> = Specimen::new(workflows).run(&cases).iter().map(kind).collect();
    use ErrorKind::{Setup, Start};
    assert_eq!(kinds, [Some(Start), Some(Start), Some(Setup), Some(Setup), Some(Setup), None]);
}

#[test]
fn a_fault_that_nothing_could_fire_is_an_error() {
    let fault = json!({"connector": "review", "operation": "stage", "attempt": 2, "fault": "lost_ack"});
    let observation = Specimen::of_script("echo x").run_one(case("one", json!({"faults": [fault]})));
    assert_eq!(kind(&observation), Some(ErrorKind::FaultNotFired));
    assert!(message(&observation).contains("attempt 2 at review/stage"), "{}", message(&observation));
}

#[test]
fn neither_jobs_nor_order_change_a_result() {
    let mut specimen = Specimen::of_script(
        "read line; echo $line | cut -c1-60; test ! -e $HOLDPOINT_STATE_DIR/used; echo $?; : > $HOLDPOINT_STATE_DIR/used",
    );
    let cases: Vec<Case> = (0..24).map(|n| case(&format!("case-{n}"), json!({}))).collect();
    let mut seen = Vec::new();
    for jobs in [1, 8] {
        specimen.jobs = jobs;
        let observations = specimen.run(&cases).into_iter();
        seen.push(observations.map(|seen| (seen.case.clone(), text(&seen).to_owned(), seen.error)).collect::<Vec<_>>());
    }
    assert_eq!(seen[0].len(), 24);
    assert!(
        seen[0].iter().all(|(case, text, _)| text.contains(case.as_str()) && text.ends_with("0\n")),
        "{:?}",
        seen[0]
    );
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn trials_and_forms_of_one_case_are_kept_apart() {
    let specimen = Specimen::of_script("cat");
    let case = case("one", json!({}));
    let spec = |form, trial| TrialSpec { case: (&case).into(), form, trial };
    let seen = std::sync::Mutex::new(Vec::new());
    let specs = [spec(Form::Head, 1), spec(Form::Head, 2), spec(Form::Base, 1)];
    specimen
        .execute(&specs, &|raw| {
            let (observation, _) = raw.for_grading();
            let json = observation.last_answer().unwrap().json.clone().unwrap();
            seen.lock().unwrap().push((observation.form, json["trial"].clone(), json["state_dir"].clone()));
        })
        .unwrap();
    let mut seen = seen.into_inner().unwrap();
    seen.sort_by_key(|seen| format!("{seen:?}"));
    seen.dedup_by_key(|seen| seen.2.clone());
    assert_eq!(seen.len(), 3);
}

#[test]
fn a_cancelled_run_ends_the_trial_in_flight_and_starts_no_other() {
    let mut specimen = Specimen::of_script("echo x");
    specimen.jobs = 1;
    let cases: Vec<Case> = (0..5).map(|n| case(&format!("case-{n}"), json!({}))).collect();
    let specs: Vec<TrialSpec<'_>> =
        cases.iter().map(|case| TrialSpec { case: case.into(), form: Form::Head, trial: 1 }).collect();
    let seen = std::sync::Mutex::new(Vec::new());
    let result = specimen.execute(&specs, &|raw| {
        seen.lock().unwrap().push(raw.redacted());
        specimen.cancellation.request();
    });
    assert!(matches!(result, Err(ExecutionError::Cancelled { not_started: 4 })), "{result:?}");
    let seen = seen.into_inner().unwrap();
    assert_eq!((seen.len(), &seen[0].error), (1, &None));
}

#[test]
fn a_run_that_is_stopped_at_once_records_what_was_in_flight_as_cancelled() {
    let specimen = Specimen::of_script(": > started; sleep 600");
    std::thread::scope(|scope| {
        let run = scope.spawn(|| specimen.try_run(&[case("one", json!({}))]));
        while !specimen.root().join("started").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        specimen.cancellation.request();
        specimen.cancellation.request();
        let (result, observations) = run.join().unwrap();
        assert!(result.is_ok());
        assert_eq!(kind(&observations[0]), Some(ErrorKind::Cancelled));
    });
}

#[test]
fn a_run_that_is_held_finishes_what_is_in_flight_and_starts_nothing_more() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let mut specimen = Specimen::of_script("echo x");
    specimen.jobs = 1;
    specimen.may_start = || ASKED.fetch_add(1, Ordering::SeqCst) != 2;
    let cases = ["one", "two", "three", "four"].map(|id| case(id, json!({})));
    let (result, observations) = specimen.try_run(&cases);
    assert!(matches!(result, Err(ExecutionError::Held { not_started: 2 })), "{result:?}");
    assert_eq!(observations.len(), 2);
    assert!(observations.iter().all(|observation| observation.error.is_none()));
    // A no after the last trial has begun keeps nothing from running.
    ASKED.store(1, Ordering::SeqCst);
    assert!(specimen.try_run(&cases[..1]).0.is_ok());
}

#[test]
fn a_secret_is_seen_by_graders_and_by_no_record() {
    let env = json!({"pass": ["TOKEN"]});
    let workflow = json!({"command": {"run": ["sh", "workflow.sh"], "env": env}, "parts": []});
    let mut specimen = Specimen::new(json!({"w": workflow}));
    specimen.write("workflow.sh", "echo my token is $TOKEN; echo $TOKEN >&2");
    specimen.environment.insert("TOKEN".to_owned(), "s3cr3t-value".to_owned());
    let case = case("one", json!({}));
    let spec = TrialSpec { case: (&case).into(), form: Form::Head, trial: 1 };
    let seen = std::sync::Mutex::new(Vec::new());
    specimen
        .execute(&[spec], &|raw| {
            let (observation, redactor) = raw.for_grading();
            assert_eq!(redactor.text("a grade on s3cr3t-value"), "a grade on [redacted:TOKEN]");
            let graded = text(&observation).to_owned();
            seen.lock().unwrap().push((graded, redactor.observation(observation)));
        })
        .unwrap();
    let (graded, recorded) = seen.into_inner().unwrap().remove(0);
    assert_eq!(graded, "my token is s3cr3t-value\n");
    assert_eq!(text(&recorded), "my token is [redacted:TOKEN]\n");
    assert_eq!(recorded.steps[0].stderr, "[redacted:TOKEN]\n");
}

/// A workflow that stages what it is told to, in a database of its own, and claims whatever it is told to.
const STAGING: &str = "import json, sqlite3, sys
call = json.load(sys.stdin)
database = sqlite3.connect(call['state_dir'] + '/desk.db')
database.execute('CREATE TABLE IF NOT EXISTS queue (operation TEXT, quantity INTEGER)')
for operation, quantity in call['input'].get('rows', []):
    database.execute('INSERT INTO queue VALUES (?, ?)', (operation, quantity))
database.commit()
print(json.dumps({'output': 'x', 'claims': [{'operation': 'op-7', 'claim': 'completed'}]}))
";

fn staging(probe: Value) -> Specimen {
    let mut specimen = Specimen::new(json!({"w": {"command": {"run": ["python3", "workflow.py"]}, "parts": []}}));
    specimen.write("workflow.py", STAGING);
    specimen.project.file.probes = serde_json::from_value(json!({"queue": probe})).unwrap();
    specimen
}

#[test]
fn a_probe_whose_rows_name_their_operation_is_evidence_for_it() {
    let sql = json!({"database": "desk.db", "query": "SELECT * FROM queue"});
    let specimen = staging(json!({"workflow": "w", "sql": sql, "operation": "operation"}));
    let rows = [
        (json!([["op-7", 2]]), Outcome::Committed),
        (json!([["op-7", 2], ["op-7", 3]]), Outcome::Duplicated),
        (json!([]), Outcome::NotStarted),
        (json!([["op-7", 2], [null, 2]]), Outcome::Uncertain),
    ];
    for (rows, outcome) in rows {
        let observation = specimen.run_one(case("one", json!({"input": {"rows": rows}})));
        assert_eq!(observation.error, None);
        let operation = &observation.operations[0];
        assert_eq!((operation.operation.as_str(), operation.outcome), ("op-7", outcome), "{rows}");
        assert_eq!(observation.last_claim(&operation.operation), Some(Claim::Completed));
    }
}

#[test]
fn an_operation_that_nobody_named_is_seen_at_the_target() {
    let sql = json!({"database": "desk.db", "query": "SELECT * FROM queue"});
    let observation = staging(json!({"sql": sql, "operation": "operation"}))
        .run_one(case("one", json!({"input": {"rows": [["op-9", 1]]}})));
    let seen: Vec<_> = observation.operations.iter().map(|seen| (seen.operation.as_str(), seen.outcome)).collect();
    assert_eq!(seen, [("op-7", Outcome::NotStarted), ("op-9", Outcome::Committed)]);
}

#[test]
fn an_operation_without_a_look_at_it_is_uncertain() {
    let query = "SELECT * FROM queue";
    for probe in [
        json!({"sql": {"database": "desk.db", "query": query}}),
        json!({"sql": {"database": "desk.db", "query": query}, "operation": "quantity_ordered"}),
        json!({"sql": {"database": "other.db", "query": query}, "operation": "operation"}),
        json!({"workflow": "another", "sql": {"database": "desk.db", "query": query}, "operation": "operation"}),
    ] {
        let expect = json!([{"effects": {"probe": "queue", "where": {"operation": "op-7"}, "count": 1}}]);
        let fields = json!({"input": {"rows": [["op-7", 2]]}, "expect": expect});
        let observation = staging(probe.clone()).run_one(case("one", fields));
        assert_eq!(observation.operations[0].outcome, Outcome::Uncertain, "{probe}");
    }
}

#[test]
fn a_database_that_does_not_exist_is_empty_only_where_the_project_says_so() {
    for (if_missing, empty) in [("unreadable", false), ("empty", true)] {
        let sql = json!({"database": "desk.db", "query": "SELECT * FROM queue", "if_missing": if_missing});
        let specimen = staging(json!({"sql": sql}));
        specimen.write("workflow.py", "print('{\"output\": 1}')");
        let expect = json!([{"effects": {"probe": "queue", "count": 0}}]);
        let observation = specimen.run_one(case("one", json!({"expect": expect})));
        assert_eq!(observation.readings["queue"] == Reading::Effects(Vec::new()), empty, "{if_missing}");
    }
}

#[test]
fn probes_are_asked_after_an_error_too() {
    let specimen = Specimen::of_script("exit 1");
    let observation = specimen.run_one(case("one", json!({"expect": [{"effects": {"probe": "queue", "count": 0}}]})));
    assert_eq!(kind(&observation), Some(ErrorKind::Exit));
    assert!(matches!(&observation.readings["queue"], Reading::Unreadable(reason) if reason.contains("no probe")));
}

#[test]
fn judges_get_the_answer_and_the_readings_and_their_verdicts_stand_by_their_index() {
    let sql = json!({"database": "desk.db", "query": "SELECT * FROM queue"});
    let specimen = staging(json!({"sql": sql}));
    specimen.write(
        "judge.py",
        "import json, sys
call = json.load(sys.stdin)
seen = [call['schema'], call['case'], call['input'], call['answer']['output'], call['readings']['queue']['effects']]
print(json.dumps({'pass': sys.argv[1] == 'yes', 'message': json.dumps(seen)}))
",
    );
    let judge = |run: &[&str]| json!({"command": {"run": run, "timeout_s": 30}});
    let impatient = json!({"command": {"run": ["sleep", "600"], "timeout_s": 1}});
    let expect = json!([
        {"effects": {"probe": "queue", "count": 1}},
        judge(&["python3", "judge.py", "yes"]),
        {"not": judge(&["python3", "judge.py", "no"])},
        judge(&["false"]),
        impatient,
        judge(&["no-such-program"]),
        judge(&["sh", "-c", "echo '{\"pass\": true}'; exit 1"]),
        judge(&["echo", "{\"pass\": \"false\"}"]),
    ]);
    let input = json!({"rows": [["op-7", 2]]});
    let observation = specimen.run_one(case("one", json!({"input": input, "expect": expect})));
    assert_eq!(observation.error, None);
    let message = json!(["holdpoint.judge/1", "one", input, "x", [{"operation": "op-7", "quantity": 2}]]);
    for (index, expected) in [(1, true), (2, false)] {
        let Judgement::Verdict { pass, message: found } = &observation.judgements[&index] else {
            panic!("{:?}", observation.judgements[&index])
        };
        assert_eq!((*pass, serde_json::from_str::<serde_json::Value>(found).unwrap()), (expected, message.clone()));
    }
    for index in 3..8 {
        let judgement = &observation.judgements[&index];
        assert!(matches!(judgement, Judgement::Unclear(_)), "{index}: {judgement:?}");
    }
    assert_eq!(observation.judgements.len(), 7);
}

#[test]
fn a_folder_for_state_that_cannot_be_made_stops_the_run_before_it_begins() {
    let specimen = Specimen::of_script("echo x");
    std::fs::write(specimen.state_root(), "a file").unwrap();
    let (result, observations) = specimen.try_run(&[case("one", json!({}))]);
    assert!(matches!(result, Err(ExecutionError::StateRoot { .. })), "{result:?}");
    assert!(observations.is_empty());
}

#[test]
fn what_an_earlier_run_left_is_never_taken_for_a_trials_own_state() {
    let mut specimen = Specimen::of_script("echo x");
    specimen.keep_state = true;
    specimen.run_one(case("one", json!({})));
    assert_eq!(entries(&specimen.state_root()).len(), 1);
    let observation = specimen.run_one(case("one", json!({})));
    assert_eq!(kind(&observation), Some(ErrorKind::Setup));
}

#[test]
fn the_documented_examples_of_the_protocol_answer() {
    let example = |name: &str| format!("{}/examples/protocol/{name}", env!("CARGO_MANIFEST_DIR"));
    let steps = json!([{"invoke": {}}, {"clock": {"advance_s": 60}}, {"invoke": {}}]);
    let input = json!({"operation": "op-7", "question": "Is anyone there?"});
    let fields = json!({"steps": steps, "input": input, "now": "2026-01-01T00:00:00Z"});
    let run = |run: Value| {
        let observation =
            Specimen::new(json!({"w": {"command": {"run": run}, "parts": []}})).run_one(case("one", fields.clone()));
        assert_eq!(observation.error, None, "{}", observation.steps[0].stderr);
        observation.last_answer().unwrap().clone()
    };
    let answer = run(json!(["python3", example("echo.py")]));
    assert_eq!(answer.output, json!("You asked: Is anyone there?"));
    assert_eq!(answer.claims[0].claim, Claim::Completed);
    // The second invocation gets the receipt of the first.
    assert_eq!(answer.json.unwrap()["receipt"]["at"], json!("2026-01-01T00:00:00Z"));
    let answer = run(json!([example("echo.sh")]));
    assert!(answer.text.starts_with("Invocation 2: {\"schema\":\"holdpoint.invoke/1\""), "{}", answer.text);
}

/// How each trial ended, in that order: its case, whether it left something running, and whether the daemon still runs.
fn with_daemon(specimen: &Specimen, cases: &[Case], after: &(dyn Fn(&str) + Sync)) -> Vec<(String, bool, bool)> {
    let seen = std::sync::Mutex::new(Vec::new());
    let specs: Vec<TrialSpec<'_>> =
        cases.iter().map(|case| TrialSpec { case: case.into(), form: Form::Head, trial: 1 }).collect();
    let result = specimen.execute(&specs, &|raw| {
        let id = raw.case().id.to_string();
        let runs = daemon(specimen).exists();
        after(&id);
        seen.lock().unwrap().push((id, raw.left_running(), runs));
    });
    result.unwrap();
    seen.into_inner().unwrap()
}

/// Where the system shows the process whose number the workflow has written: not even a dead one is there once it was collected.
fn daemon(specimen: &Specimen) -> PathBuf {
    let number = std::fs::read_to_string(specimen.root().join("daemon")).unwrap();
    Path::new("/proc").join(number.trim())
}

const DAEMON: &str = "setsid sh -c 'echo $$ > daemon; exec sleep 600' < /dev/null > /dev/null 2>&1 &\n\
                      while [ ! -s daemon ]; do sleep 0.01; done\n";

#[test]
fn what_leaves_its_group_ends_with_its_trial_also_where_it_wipes_its_environment() {
    for wipe in ["", "env -i "] {
        let mut specimen = Specimen::of_script(&format!("cat > /dev/null\n{wipe}{DAEMON}echo x\n"));
        specimen.jobs = 1;
        let seen = with_daemon(&specimen, &[case("a", json!({}))], &|_| {});
        assert_eq!(seen, [("a".to_owned(), true, false)], "`{wipe}`");
    }
}

#[test]
fn what_ends_with_its_group_is_nothing_that_was_left_running() {
    let script = "cat > /dev/null\nsleep 600 < /dev/null > /dev/null 2>&1 &\necho $! > daemon\necho x\n";
    let mut specimen = Specimen::of_script(script);
    specimen.jobs = 1;
    let seen = with_daemon(&specimen, &[case("a", json!({}))], &|_| {});
    assert_eq!(seen, [("a".to_owned(), false, false)]);
}

#[test]
fn what_may_be_of_a_trial_in_flight_ends_with_the_last_that_it_may_be_of() {
    let script = format!(
        "asked=$(cat)\ncase \"$asked\" in *'\"a\"'*)\n  while [ ! -e begun ]; do sleep 0.01; done\n  env -i {DAEMON};;\n\
         *)\n  touch begun\n  while [ ! -e over ]; do sleep 0.01; done ;;\nesac\necho x\n"
    );
    let specimen = Specimen::of_script(&script);
    let after = |id: &str| {
        if id == "a" {
            specimen.write("over", "");
        }
    };
    let seen = with_daemon(&specimen, &[case("a", json!({})), case("b", json!({}))], &after);
    assert_eq!(seen, [("a".to_owned(), false, true), ("b".to_owned(), true, false)]);
}
