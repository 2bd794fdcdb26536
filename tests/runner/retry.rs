//! A workflow that cannot be reached: tried again within bounds, then left alone, and never passed.

use std::net::TcpListener;

use serde_json::Value;

use crate::sandbox::{Sandbox, entry};
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

/// Answers, until it is asked the question `Die`.
const MORTAL: &str = r#"
import http.server, os, sys

open('../starts', 'a').write('x')

class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, text):
        self.send_response(200)
        self.send_header('content-length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(b'')

    def do_POST(self):
        asked = self.rfile.read(int(self.headers['content-length']))
        if b'Die' in asked:
            print('out of memory', flush=True)
            os._exit(3)
        self.answer(b'Good morning')

    def log_message(self, *_):
        pass

http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
"#;

fn with_mortal_service(cases: &[(&str, &str)]) -> Sandbox {
    let sandbox = project(cases);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/");
    let http = format!(
        "    http:\n      url: {url}\n      start: [python3, service.py, \"{port}\"]\n      ready: {{url: {url}}}\n"
    );
    sandbox.write("holdpoint.yaml", &PROJECT.replace("    command:\n      run: [sh, workflow.sh]\n", &http));
    sandbox.write("service.py", MORTAL);
    sandbox
}

#[test]
fn a_started_service_that_ends_stays_ended_and_every_trial_from_then_on_says_so() {
    let sandbox = with_mortal_service(&[("a", "Hello"), ("b", "Die"), ("c", "Hello"), ("d", "Hello")]);
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(11);
    assert_eq!(["a", "b", "c", "d"].map(|id| sandbox.status(id)), ["passed", "errored", "errored", "errored"]);
    let report = sandbox.report();
    for id in ["b", "c", "d"] {
        let trial = &entry(&report["cases"], "id", id)["trials"][0];
        let message = trial["error"]["message"].as_str().unwrap();
        assert!(message.contains("the service `python3` has ended by itself"), "{id}: {message}");
        assert!(message.contains("out of memory"), "{id}: {message}");
        assert_eq!(trial["unreached"].as_array().map_or(0, Vec::len), 0, "{id}: nothing is tried again");
    }
    let starts = std::fs::read_to_string(sandbox.project().join("../starts")).unwrap();
    assert_eq!(starts, "x", "a second start would lose what the first held, unseen");
}
