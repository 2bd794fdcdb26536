//! Tests against real services on this machine: a few lines of TCP, so that each can misbehave in its own way.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;
use crate::evidence::Observation;
use crate::execution::specimen::{Specimen, case};

/// What a service was asked: the request line with its headers, and the body.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// Starts a service that gives every connection to `answer` after it has read the request.
fn serve(answer: impl Fn(&mut TcpStream) + Send + 'static) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/invoke", listener.local_addr().unwrap());
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            seen.lock().unwrap().push(read_request(&stream));
            answer(&mut stream);
        }
    });
    (url, asked)
}

fn read_request(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap() > 2 {}
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    std::io::Read::read_exact(&mut reader, &mut body).unwrap();
    (head, serde_json::from_slice(&body).unwrap_or_default())
}

/// A service that always answers with this status and body.
fn answering(status: &'static str, headers: &'static str, body: impl Into<String>) -> (String, Asked) {
    let body = body.into();
    serve(move |stream| {
        let length = body.len();
        let _ = write!(stream, "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}");
    })
}

fn workflow(url: &str, more: Value) -> Specimen {
    let mut spec = json!({"http": {"url": url}, "parts": [], "timeout_s": 2});
    for (name, value) in more.as_object().unwrap() {
        spec[name] = value.clone();
    }
    Specimen::new(json!({"w": spec}))
}

fn kind(observation: &Observation) -> Option<ErrorKind> {
    observation.error.as_ref().map(|error| error.kind)
}

fn message(observation: &Observation) -> &str {
    &observation.error.as_ref().unwrap().message
}

fn run(url: &str) -> Observation {
    workflow(url, json!({})).run_one(case("one", json!({})))
}

#[test]
fn the_invocation_is_posted_and_the_answer_read() {
    let (url, asked) = answering("200 OK", "", r#"{"output": "staged", "claims": []}"#);
    let mut specimen = workflow(&url, json!({}));
    let http = specimen.project.file.workflows.values_mut().next().unwrap().http.as_mut().unwrap();
    http.headers.insert("authorization".to_owned(), "Bearer abc".to_owned());
    let observation = specimen.run_one(case("one", json!({"input": {"operation": "op-7"}})));
    assert_eq!(observation.error, None);
    assert_eq!(observation.last_answer().unwrap().output, json!("staged"));
    assert_eq!(observation.steps[0].http_status, Some(200));
    let (head, body) = asked.lock().unwrap().remove(0);
    assert!(head.starts_with("POST /invoke HTTP/1.1\r\n"), "{head}");
    for line in ["content-type: application/json\r\n", "authorization: Bearer abc\r\n"] {
        assert!(head.to_ascii_lowercase().contains(&line.to_ascii_lowercase()), "{head}");
    }
    assert_eq!((&body["schema"], &body["operation"]), (&json!("holdpoint.invoke/1"), &json!("op-7")));
}

#[test]
fn proxies_of_the_environment_are_ignored() {
    let test = "execution::http_workflow::tests::the_invocation_is_posted_and_the_answer_read";
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    for variable in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"] {
        // Nobody listens there: a request that went to the proxy would fail.
        again.env(variable, "http://127.0.0.1:9");
    }
    let output = again.env_remove("no_proxy").env_remove("NO_PROXY").args(["--exact", test]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
fn a_status_outside_2xx_is_an_error_of_its_trial_and_ends_nothing() {
    for (status, code) in [("401 No", 401), ("403 No", 403), ("404 No", 404), ("500 Oh", 500), ("503 Oh", 503)] {
        let (url, asked) = answering(status, "", "{\"output\": \"x\"}");
        let observations = workflow(&url, json!({})).run(&[case("one", json!({})), case("two", json!({}))]);
        for observation in &observations {
            assert_eq!(
                (kind(observation), observation.steps[0].http_status),
                (Some(ErrorKind::HttpStatus), Some(code))
            );
        }
        assert_eq!((observations.len(), asked.lock().unwrap().len()), (2, 2));
    }
}

#[test]
fn a_status_that_the_case_judges_is_no_error() {
    let (url, _) = answering("404 Not Found", "", "<html>nothing here</html>");
    for expect in [json!({"http_status": {"is": 404}}), json!({"not": {"http_status": {"is": 500}}})] {
        let specimen = workflow(&url, json!({"answer": "json"}));
        let observation = specimen.run_one(case("one", json!({"expect": [expect]})));
        assert_eq!((observation.error.clone(), observation.steps[0].http_status), (None, Some(404)));
        assert_eq!(observation.last_answer().unwrap().output, json!("<html>nothing here</html>"));
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let (elsewhere, asked_elsewhere) = answering("200 OK", "", "{\"output\": \"x\"}");
    for status in ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let location = elsewhere.clone();
        let (url, _) = serve(move |stream| {
            let _ = write!(stream, "HTTP/1.1 {status}\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        });
        assert_eq!(kind(&run(&url)), Some(ErrorKind::HttpStatus), "{status}");
    }
    assert!(asked_elsewhere.lock().unwrap().is_empty());
}

#[test]
fn a_connection_that_fails_is_a_transport_error() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(kind(&run(&format!("http://{closed}/"))), Some(ErrorKind::Transport));
    let (reset, _) = serve(|_| {});
    assert_eq!(kind(&run(&reset)), Some(ErrorKind::Transport));
    let (cut, _) = serve(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"output\":");
    });
    assert_eq!(kind(&run(&cut)), Some(ErrorKind::Transport));
    let (chunk, _) = serve(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
    });
    assert_eq!(kind(&run(&chunk)), Some(ErrorKind::Transport));
    let (garbage, _) = serve(|stream| {
        let _ = stream.write_all(b"this is no HTTP\r\n\r\n");
    });
    assert_eq!(kind(&run(&garbage)), Some(ErrorKind::Transport));
}

#[test]
fn what_broke_off_once_there_was_a_connection_is_never_asked_again() {
    // What lies unread as a connection is given up makes the system reset it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let connections = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&connections);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            *counted.lock().unwrap() += 1;
            std::thread::sleep(Duration::from_millis(100));
            drop(stream);
        }
    });
    let observation = run(&url);
    assert_eq!((kind(&observation), observation.unreached.len()), (Some(ErrorKind::Transport), 0), "{observation:?}");
    assert_eq!(*connections.lock().unwrap(), 1);
    let (closed, asked) = serve(|_| {});
    assert_eq!(run(&closed).unreached.len(), 0);
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn a_network_that_gives_no_connection_is_asked_again_like_a_service_that_refuses_one() {
    let observation = run("http://224.0.0.1:9/");
    assert_eq!(kind(&observation), Some(ErrorKind::Transport), "{observation:?}");
    assert_eq!(observation.unreached.len(), 3, "{observation:?}");
}

#[test]
fn a_service_that_takes_too_long_is_a_timeout() {
    for sent in ["", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"output\":"] {
        let (url, _) = serve(move |stream| {
            let _ = stream.write_all(sent.as_bytes());
            let keep = stream.try_clone();
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_secs(60));
                drop(keep);
            });
        });
        let observation = workflow(&url, json!({"timeout_s": 1})).run_one(case("one", json!({})));
        assert_eq!(kind(&observation), Some(ErrorKind::Timeout), "{sent}");
    }
}

#[test]
fn an_answer_of_exactly_the_cap_is_whole_and_one_byte_more_is_too_much() {
    for (length, expected) in [(100, None), (101, Some(ErrorKind::OutputCap))] {
        let (url, _) = answering("200 OK", "", "x".repeat(length));
        let observation = workflow(&url, json!({"output_cap_bytes": 100})).run_one(case("one", json!({})));
        assert_eq!(kind(&observation), expected, "{length}");
        let told = expected.is_none()
            || message(&observation).contains("`output_cap_bytes` of the workflow in holdpoint.yaml");
        assert!(told, "where it is set: {}", message(&observation));
    }
}

#[test]
fn an_address_that_cannot_be_used_is_an_error_before_any_request() {
    let observation = run("https://127.0.0.1:1/");
    assert_eq!(kind(&observation), Some(ErrorKind::Setup));
    assert!(message(&observation).contains("plain http only"), "{}", message(&observation));
    assert_eq!(kind(&run("ftp://127.0.0.1/")), Some(ErrorKind::Setup));
    assert_eq!(kind(&run("http://")), Some(ErrorKind::Setup));
}

#[test]
fn a_restart_step_is_refused_rather_than_passed_over() {
    let (url, _) = answering("200 OK", "", "x");
    let observation =
        workflow(&url, json!({})).run_one(case("one", json!({"steps": [{"restart": {}}, {"invoke": {}}]})));
    assert_eq!(kind(&observation), Some(ErrorKind::Setup));
}

#[test]
fn a_run_that_is_stopped_at_once_shuts_its_connections_down() {
    let (url, asked) = serve(|stream| {
        let keep = stream.try_clone();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(600));
            drop(keep);
        });
    });
    let specimen = workflow(&url, json!({"timeout_s": 500}));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| specimen.run_one(case("one", json!({}))));
        while asked.lock().unwrap().is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        specimen.cancellation.request();
        specimen.cancellation.request();
        assert_eq!(kind(&run.join().unwrap()), Some(ErrorKind::Cancelled));
    });
}

/// A service in Python that is ready a moment after it listens, and leaves a child behind.
const SERVICE: &str = "import http.server, os, subprocess, sys
child = subprocess.Popen(['sleep', '600'])
open('pids', 'w').write(f'{os.getpid()} {child.pid}')
checks = 0
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body):
        self.send_response(status)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        global checks
        checks += 1
        self.answer(503 if checks < 3 else 204, b'')
    def do_POST(self):
        self.rfile.read(int(self.headers['content-length']))
        self.answer(200, f'checked {checks} times, {os.environ[\"MODE\"]}'.encode())
http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
";

fn started(script: &str, ready_s: u64) -> Specimen {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/");
    let http = json!({
        "url": url,
        "start": ["python3", "service.py", port.to_string()],
        "env": {"set": {"MODE": "test"}},
        "ready": {"url": url, "timeout_s": ready_s},
    });
    let specimen = workflow(&url, json!({"http": http}));
    specimen.write("service.py", script);
    specimen
}

#[test]
fn a_service_is_started_once_waited_for_and_ended_with_its_children() {
    let specimen = started(SERVICE, 60);
    let observations = specimen.run(&[case("one", json!({})), case("two", json!({}))]);
    for observation in &observations {
        assert_eq!(observation.error, None);
        assert_eq!(observation.last_answer().unwrap().text, "checked 3 times, test");
    }
    let pids = std::fs::read_to_string(specimen.root().join("pids")).unwrap();
    for pid in pids.split(' ') {
        let gone = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_else(|_| ") Z".to_owned());
            status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
        });
        assert!(gone, "process {pid} is still running");
    }
    assert!(specimen.left_state().is_empty());
}

#[test]
fn a_service_that_ends_early_is_an_error_that_shows_what_it_printed() {
    let specimen = started("import sys; print('out'); sys.exit('no database')", 60);
    for observation in specimen.run(&[case("one", json!({})), case("two", json!({}))]) {
        assert_eq!(kind(&observation), Some(ErrorKind::Start));
        assert!(message(&observation).contains("no database"), "{}", message(&observation));
    }
}

#[test]
fn a_service_that_never_becomes_ready_is_an_error() {
    let specimen = started("import time; print('thinking', flush=True); time.sleep(600)", 1);
    let observation = specimen.run_one(case("one", json!({})));
    assert_eq!(kind(&observation), Some(ErrorKind::Start));
    assert!(message(&observation).contains("not ready after 1 s"), "{}", message(&observation));
}

#[test]
fn what_already_listens_is_never_tested_in_place_of_the_service() {
    for with_ready in [true, false] {
        let (url, asked) = answering("200 OK", "", "an older answer");
        let mut http = json!({"url": url, "start": ["python3", "service.py"], "ready": {"url": url}});
        if !with_ready {
            http.as_object_mut().unwrap().remove("ready");
        }
        let specimen = workflow(&url, json!({"http": http}));
        specimen.write("service.py", "open('started', 'w'); import time; time.sleep(600)");
        for observation in specimen.run(&[case("one", json!({})), case("two", json!({}))]) {
            assert_eq!(kind(&observation), Some(ErrorKind::Setup));
            assert!(message(&observation).contains("already listens at http://127.0.0.1:"), "{observation:?}");
            assert_eq!(observation.last_answer(), None);
        }
        // The look at the port is a connection without a request.
        assert!(asked.lock().unwrap().iter().all(|(head, _)| head.is_empty()), "it was asked");
        assert!(!specimen.root().join("started").exists(), "the service was started beside it");
    }
}

#[test]
fn a_service_at_the_address_of_readiness_alone_is_in_the_way_too() {
    let (ready, _) = answering("200 OK", "", "ready");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/");
    let http = json!({"url": url, "start": ["python3", "service.py"], "ready": {"url": ready}});
    let observation = workflow(&url, json!({"http": http})).run_one(case("one", json!({})));
    assert_eq!(kind(&observation), Some(ErrorKind::Setup));
    assert!(message(&observation).contains(shown(&ready).as_str()), "{}", message(&observation));
}

#[test]
fn a_service_that_ends_as_soon_as_it_was_ready_is_an_error_of_every_trial() {
    let script = SERVICE.replace("        self.answer(503 if checks < 3 else 204, b'')", READY_ONCE);
    let specimen = started(&script, 60);
    for observation in specimen.run(&[case("one", json!({})), case("two", json!({}))]) {
        assert_eq!(kind(&observation), Some(ErrorKind::Start));
        assert!(message(&observation).contains("lost its database"), "{}", message(&observation));
    }
}

/// Ready, and gone a moment later.
const READY_ONCE: &str = "        self.answer(204, b'')
        self.wfile.flush()
        print('lost its database', flush=True)
        os._exit(3)";

/// The service with another end of its answer, which nothing but the end of the connection marks.
fn until_closed(after: &str) -> String {
    let begun = "        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'half')
        self.wfile.flush()
";
    SERVICE.replace(
        "        self.answer(200, f'checked {checks} times, {os.environ[\"MODE\"]}'.encode())\n",
        &format!("{begun}{after}"),
    )
}

#[test]
fn an_answer_that_ends_with_its_connection_is_none_where_the_service_ended_too() {
    let dying = until_closed("        print('out of memory', flush=True)\n        os._exit(3)\n");
    assert_ne!(dying, SERVICE);
    for behind_a_shell in [false, true] {
        let mut specimen = started(&dying, 60);
        if behind_a_shell {
            let http = specimen.project.file.workflows.values_mut().next().unwrap().http.as_mut().unwrap();
            let program = http.start.join(" ");
            http.start = ["sh", "-c", &format!("{program}; exit 4")].map(str::to_owned).into();
        }
        let observation = specimen.run_one(case("one", json!({})));
        assert_eq!(kind(&observation), Some(ErrorKind::Start), "{:?}", observation.error);
        assert!(message(&observation).contains("out of memory"), "{}", message(&observation));
    }
    let living = started(&until_closed(""), 60).run_one(case("one", json!({})));
    assert_eq!((living.last_answer().map(|answer| answer.text.as_str()), &living.error), (Some("half"), &None));
}

#[test]
fn a_request_waits_no_longer_than_its_trial_may_take() {
    let (url, _) = serve(|_| std::thread::sleep(std::time::Duration::from_secs(600)));
    let more = json!({"timeout_s": 500, "trial_timeout_s": 1});
    let steps = json!([{"invoke": {"may_fail": true}}, {"invoke": {}}]);
    let observation = workflow(&url, more).run_one(case("one", json!({ "steps": steps })));
    assert_eq!((kind(&observation), observation.steps.len()), (Some(ErrorKind::Timeout), 1));
    assert!(message(&observation).contains("before the trial's limit of 1 s"), "{}", message(&observation));
}

#[test]
fn an_answer_after_the_service_has_ended_is_somebody_elses() {
    // The process that was started leaves the port to another one and ends.
    let script = SERVICE.replace(
        "        self.answer(200,",
        "        child = os.fork()
        if child:
            print('handed over', flush=True)
            os._exit(0)
        import time
        time.sleep(0.5)
        self.answer(200,",
    );
    let observation = started(&script, 60).run_one(case("one", json!({})));
    assert_eq!(kind(&observation), Some(ErrorKind::Start));
    assert!(message(&observation).contains("handed over"), "{}", message(&observation));
}
