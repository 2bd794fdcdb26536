//! Programs as people use them: curl, and the client that comes with Python.

use std::process::{Command, Output};

use holdpoint::domain::Digest;
use holdpoint::evidence::{Delivered, Forwarded};
use holdpoint::manifest::{FaultName, FaultSpec, Withheld};
use serde_json::json;

use super::scene::{Scene, fault};
use super::upstream::{Upstream, answer, ok};

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).env_remove("http_proxy").output().unwrap()
}

fn curl(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run("curl", &[&["--silent", "--show-error", "--max-time", "20"], arguments].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
}

fn echoing() -> Upstream {
    Upstream::answering(|got| ok(&format!("{} {}", got.body.len(), Digest::of(&got.body))))
}

#[test]
fn curl_gets_sends_and_asks_for_heads() {
    let scene = Scene::new(Upstream::answering(|got| match got.line().split(' ').next().unwrap() {
        "HEAD" => "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nX-A: 1\r\n\r\n".to_owned(),
        _ => answer("201 Created", "X-A: 1\r\n", "{\"a\":1}"),
    }));
    let orders = format!("{}/orders", scene.address);
    let written = "%{http_code} %{num_connects} ";
    assert_eq!(curl(&["--write-out", written, &orders, &orders]).1, "{\"a\":1}201 1 {\"a\":1}201 0 ");
    assert_eq!(curl(&["--json", "{\"order\":\"O-1\"}", &orders]), (Some(0), "{\"a\":1}".to_owned()));
    let (code, head) = curl(&["--head", &orders]);
    assert_eq!(code, Some(0));
    assert!(head.contains("Content-Length: 7\r\nX-A: 1\r\n"), "{head}");
    let seen = scene.finish();
    assert_eq!(seen.exchanges[2].intention.as_ref().unwrap().as_str(), "order:O-1");
    assert!(seen.exchanges.iter().all(|exchange| exchange.delivered == Delivered::Whole));
}

#[test]
fn curl_uploads_a_large_file_after_asking_and_in_chunks() {
    let scene = Scene::new(echoing());
    let orders = format!("{}/orders", scene.address);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large");
    let content: Vec<u8> = (0..5_000_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(&file, &content).unwrap();
    let expected = format!("{} {}", content.len(), Digest::of(&content));
    let from = format!("@{}", file.display());
    // For a body of that size curl asks first, by itself.
    let (code, text) = curl(&["--verbose", "--data-binary", &from, &orders]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with(&expected) && text.contains("100 Continue"), "{text}");
    let chunked = ["--header", "Transfer-Encoding: chunked", "--data-binary", &from, &orders];
    assert_eq!(curl(&chunked), (Some(0), expected));
    let got = scene.upstream.got();
    assert_eq!(got[0].header("content-length"), Some("20000000"));
    assert_eq!((got[1].header("content-length"), got[1].header("transfer-encoding")), (None, Some("chunked")));
    let seen = scene.finish();
    assert!(seen.exchanges.iter().all(|exchange| exchange.request.digest == Some(Digest::of(&content))));
}

#[test]
fn curl_says_of_each_fault_what_it_is() {
    let cut = |name| FaultSpec { keep_bytes: Some(3), ..fault(name, 1) };
    let late = FaultSpec { by: Some(Withheld::Timeout), ..fault(FaultName::LostAck, 1) };
    for (fault, code, words) in [
        (fault(FaultName::Refuse, 1), 56, "reset"),
        (fault(FaultName::LostAck, 1), 56, "reset"),
        (late, 28, "timed out"),
        (cut(FaultName::TruncateAbrupt), 18, "{\"a"),
        (cut(FaultName::TruncateClean), 0, "{\"a"),
        (cut(FaultName::Stall), 28, "{\"a"),
        (fault(FaultName::Unavailable, 1), 0, "Service Unavailable"),
    ] {
        let name = fault.fault.name();
        let scene = Scene::failing(Upstream::saying(&ok("{\"a\":1}")), [fault]);
        let orders = format!("{}/orders", scene.address);
        let (got, text) = curl(&["--max-time", "1", "--json", "{\"order\":\"O-1\"}", &orders]);
        assert!(got == Some(code) && text.contains(words), "{name}: {got:?} {text}");
        assert_eq!(scene.finish().fired, [0].into(), "{name}");
    }
}

/// What the client that comes with Python makes of calls: one line for each.
const PYTHON: &str = r#"
import json, sys, urllib.request, urllib.error, http.client
base = sys.argv[1]
def call(body):
    request = urllib.request.Request(base + "/orders", json.dumps(body).encode(), {"Content-Type": "application/json", "X-Key": body["order"]})
    try:
        with urllib.request.urlopen(request, timeout=1) as answer:
            return f"{answer.status} {answer.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.headers['Retry-After']}"
    except Exception as error:
        return type(getattr(error, "reason", error)).__name__
for number in range(8):
    print(call({"order": f"O-{number}"}))
connection = http.client.HTTPConnection(base.removeprefix("http://"))
for number in range(3):
    connection.request("POST", "/orders", iter([b'{"order":', b'"chunks"}']))
    print(connection.getresponse().read().decode())
"#;

#[test]
fn pythons_own_client_sees_answers_and_faults_as_from_the_target_itself() {
    let faults = [
        fault(FaultName::RateLimited, 2),
        fault(FaultName::LostAck, 3),
        FaultSpec { by: Some(Withheld::Timeout), ..fault(FaultName::DropBefore, 4) },
        FaultSpec { keep_bytes: Some(3), ..fault(FaultName::TruncateAbrupt, 5) },
        FaultSpec { keep_bytes: Some(3), ..fault(FaultName::TruncateClean, 6) },
        FaultSpec { body: Some(json!("gone")), ..fault(FaultName::ReplaceBody, 7) },
    ];
    let upstream = Upstream::answering(|got| ok(&format!("{{\"got\":{}}}", got.body.len())));
    let scene = Scene::failing(upstream, faults);
    let output = run("python3", &["-c", PYTHON, &scene.address]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(
        lines,
        [
            "200 {\"got\":16}",
            "429 1",
            "ConnectionResetError",
            "TimeoutError",
            "IncompleteRead",
            "200 {\"g",
            "200 gone",
            "200 {\"got\":16}",
            "{\"got\":18}",
            "{\"got\":18}",
            "{\"got\":18}",
        ],
        "{errors}"
    );
    let seen = scene.finish();
    assert_eq!(seen.fired, (0..6).collect());
    let keys: Vec<_> = seen.exchanges.iter().map(|exchange| exchange.key.as_deref().unwrap_or("-")).collect();
    assert_eq!(keys, ["O-0", "O-1", "O-2", "O-3", "O-4", "O-5", "O-6", "O-7", "-", "-", "-"]);
    assert!(seen.exchanges[8..].iter().all(|exchange| exchange.intention.as_ref().unwrap().as_str() == "order:chunks"));
    let forwarded: Vec<_> = seen.exchanges.iter().take(4).map(|exchange| exchange.forwarded).collect();
    assert_eq!(forwarded, [Forwarded::Whole, Forwarded::No, Forwarded::Whole, Forwarded::No]);
}
