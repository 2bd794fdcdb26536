//! Looks as they are had: in which order, how often, and what ends a wait.

use serde_json::{Value, json};

use super::*;

/// A state directory with these files, and probes that read them.
struct Scene {
    state_dir: tempfile::TempDir,
    probes: BTreeMap<String, Probe>,
    cancellation: Cancellation,
}

impl Scene {
    fn new(probes: Value) -> Self {
        let probes = serde_json::from_value(probes).unwrap();
        Self { state_dir: tempfile::tempdir().unwrap(), probes, cancellation: Cancellation::new().unwrap() }
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.state_dir.path().join(name), content).unwrap();
    }

    fn look(&self, names: &[&str]) -> Looked {
        let environment = [("PATH".to_owned(), env!("PATH").to_owned())].into();
        let case = "c".into();
        let targets = Targets {
            probes: &self.probes,
            case: &case,
            trial: 1,
            state_dir: self.state_dir.path(),
            addresses: &BTreeMap::new(),
            programs: Surroundings { root: self.state_dir.path(), environment: &environment },
            asker: &HttpAsker::new(&self.cancellation),
            in_front_of: &|origin, _| Err(format!("no TLS to {origin}")),
            cancellation: &self.cancellation,
        };
        let aftermath = Aftermath {
            origin: Instant::now(),
            last_call: Duration::ZERO,
            late: false,
            on_the_way: &|_| OnTheWay::default(),
        };
        targets.look(names.iter().map(|name| (*name).to_owned()).collect(), &aftermath)
    }
}

fn settled(looked: &Looked, name: &str) -> bool {
    looked.looks[name].settled
}

#[test]
fn a_look_at_once_is_one_reading() {
    let scene = Scene::new(json!({"sent": {"file": {"path": "sent.json"}, "authoritative": false}}));
    scene.write("sent.json", "[{\"to\": \"K-1\"}]");
    let looked = scene.look(&["sent"]);
    assert_eq!(json!(looked.readings["sent"]), json!({"effects": [{"to": "K-1"}]}));
    let had = &looked.looks["sent"];
    assert_eq!((had.readings, had.settled, had.authoritative), (1, true, false));
}

#[test]
fn a_probe_that_is_gone_or_asks_nothing_is_unreadable_and_unsettled() {
    let scene = Scene::new(json!({"empty": {}, "away": {"http": {"connector": "shop", "path": "/"}}}));
    let looked = scene.look(&["empty", "gone", "away"]);
    for name in ["empty", "gone", "away"] {
        assert!(matches!(looked.readings[name], Reading::Unreadable(_)) && !settled(&looked, name), "{name}");
    }
}

#[test]
fn a_probe_that_is_to_confirm_another_is_asked_after_it_and_along_with_it() {
    // Each reading appends a line that the next one sees.
    let count = "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; echo {\\\"at\\\": $n}";
    let script = format!("cd $HOLDPOINT_STATE_DIR; {count}");
    let command = |rule: Value| json!({"command": {"run": ["sh", "-c", script]}, "settle": rule});
    let scene = Scene::new(json!({
        "a-last": command(json!({})),
        "m-middle": command(json!({"confirmed_by": "a-last"})),
        "z-first": command(json!({"confirmed_by": "m-middle"})),
    }));
    let looked = scene.look(&["z-first"]);
    let at = |name: &str| match &looked.readings[name] {
        Reading::Effects(effects) => effects[0]["at"].as_u64().unwrap(),
        Reading::Unreadable(reason) => panic!("{reason}"),
    };
    assert_eq!([at("z-first"), at("m-middle"), at("a-last")], [1, 2, 3]);
    // One effect each: the last confirms the middle one, and that then the first.
    assert!(settled(&looked, "a-last") && settled(&looked, "m-middle") && settled(&looked, "z-first"));
}

#[test]
fn a_look_that_the_second_one_contradicts_is_not_settled() {
    let scene = Scene::new(json!({
        "view": {"file": {"path": "view.json"}, "settle": {"confirmed_by": "ledger"}},
        "ledger": {"file": {"path": "ledger.json"}},
    }));
    scene.write("view.json", "[]");
    scene.write("ledger.json", "[{\"id\": 1}]");
    let looked = scene.look(&["view"]);
    assert!(!settled(&looked, "view") && settled(&looked, "ledger"));
    assert_eq!(looked.looks["view"].why, "The probe `ledger`, had after it, shows other effects.");
}

#[test]
fn equal_readings_and_what_is_on_its_way_are_read_again_and_again() {
    // The first three readings of the queue show a job.
    let jobs = "cd $HOLDPOINT_STATE_DIR; echo x >> asked; [ $(wc -l < asked) -gt 3 ] || echo '{\"job\": 1}'";
    let scene = Scene::new(json!({
        "steady": {"file": {"path": "sent.json"}, "settle": {"equal_readings": {"count": 3, "every_s": 0.02, "within_s": 60.0}}},
        "jobs": {"command": {"run": ["sh", "-c", jobs]}},
        "drained": {"file": {"path": "sent.json"}, "settle": {"until_empty": {"probe": "jobs", "within_s": 60.0}}},
    }));
    scene.write("sent.json", "[]");
    let looked = scene.look(&["steady", "drained"]);
    assert!(settled(&looked, "steady") && settled(&looked, "drained"));
    assert_eq!((looked.looks["steady"].readings, looked.looks["drained"].readings), (3, 1));
    let asked = std::fs::read_to_string(scene.state_dir.path().join("asked")).unwrap();
    assert_eq!(asked.lines().count(), 4);
}

#[test]
fn a_run_that_is_cancelled_looks_once_and_does_not_wait() {
    let scene = Scene::new(json!({"later": {"file": {"path": "sent.json"}, "settle": {"after_s": 3600.0}}}));
    scene.write("sent.json", "[{\"to\": \"K-1\"}]");
    scene.cancellation.request();
    scene.cancellation.request();
    let looked = scene.look(&["later"]);
    assert!(matches!(looked.readings["later"], Reading::Effects(_)) && !settled(&looked, "later"));
}

#[test]
fn an_address_that_needs_tls_is_asked_through_what_speaks_it() {
    assert_eq!(secure_origin("https://host:8443/path?x=1"), Some(("https://host:8443", "/path?x=1")));
    assert_eq!(secure_origin("HTTPS://host"), Some(("HTTPS://host", "")));
    assert_eq!(secure_origin("https://host?x"), Some(("https://host", "?x")));
    assert_eq!(secure_origin("http://host/"), None);
    let scene = Scene::new(json!({"far": {"http": {"path": "https://example.invalid/orders"}}}));
    let looked = scene.look(&["far"]);
    assert_eq!(looked.readings["far"], Reading::Unreadable("no TLS to https://example.invalid".to_owned()));
}
