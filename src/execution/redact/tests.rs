//! Tests of redaction: every place of an observation, every form of a secret, and nothing else.

use serde_json::json;

use super::*;
use crate::domain::{Claim, Outcome};
use crate::evidence::{ClaimMade, Delivered, ErrorKind, Form, Forwarded, LookHad, TrialError, Unreached};

const SECRET: &str = "s3cr3t/\"wörd\"+x";

fn redactor() -> Redactor {
    Redactor::new([("TOKEN", SECRET)])
}

#[test]
fn the_secret_goes_and_everything_around_it_stays() {
    assert_eq!(redactor().text(&format!("a {SECRET} b {SECRET}")), "a [redacted:TOKEN] b [redacted:TOKEN]");
    assert!(matches!(redactor().text("nothing of it, not even s3cr3t"), Cow::Borrowed(_)));
}

#[test]
fn encoded_forms_go_too() {
    for text in [
        // As `json.dumps` of Python, `base64`, and `urllib.parse.quote` of Python write it.
        r#"{"key": "s3cr3t/\"w\u00f6rd\"+x"}"#,
        r#"{"key": "s3cr3t/\"wörd\"+x"}"#,
        "Authorization: Basic dXNlcjpzM2NyM3QvInfDtnJkIit4",
        "key=s3cr3t%2F%22w%C3%B6rd%22%2Bx&more",
    ] {
        let redacted = redactor().text(text).into_owned();
        assert!(redacted.contains("[redacted:TOKEN]"), "{text}: {redacted}");
        assert!(!redacted.contains("3cr3t"), "{text}: {redacted}");
    }
}

#[test]
fn keys_and_numbers_of_json_are_no_hiding_place() {
    let redactor = Redactor::new([("PIN", "12345678")]);
    let redacted = redactor.json(&json!({"k12345678": [12345678, 7, null, true, "x12345678y"]}));
    assert_eq!(redacted, json!({"k[redacted:PIN]": ["[redacted:PIN]", 7, null, true, "x[redacted:PIN]y"]}));
}

#[test]
fn harmless_variables_and_short_values_are_left_alone() {
    let redactor = Redactor::new([
        ("PATH", "/usr/bin:/bin"),
        ("PYTHONPATH", "/opt/project"),
        ("LC_ALL", "en_US.UTF-8"),
        ("MODE", "audit"),
    ]);
    let text = "/usr/bin:/bin /opt/project en_US.UTF-8 audit";
    assert_eq!(redactor.text(text), text);
}

#[test]
fn the_longer_of_two_secrets_wins() {
    let redactor = Redactor::new([("SHORT", "abcdef"), ("LONG", "abcdefghij")]);
    assert_eq!(redactor.text("abcdefghij abcdef"), "[redacted:LONG] [redacted:SHORT]");
}

#[test]
fn a_secret_that_was_cut_off_goes_as_well() {
    let redacted = redactor().text("before s3cr3t/\"w… (9 more)").into_owned();
    assert_eq!(redacted, "before [redacted:TOKEN]… (9 more)");
}

#[test]
fn no_text_of_an_observation_keeps_a_secret() {
    let secret = || SECRET.to_owned();
    let effect = json!({ SECRET: SECRET }).as_object().cloned().unwrap();
    let attempt = |answered| AttemptSeen {
        number: 1,
        step: 1,
        call: None,
        identity: Some(secret()),
        fault: Some(secret()),
        answered,
        exchange: None,
        behind: None,
    };
    let answer = Answer {
        text: secret(),
        json: Some(json!([SECRET])),
        output: json!(SECRET),
        claims: vec![ClaimMade { operation: SECRET.into(), claim: Claim::Held }],
    };
    let observation = Observation {
        case: "case".into(),
        form: Form::Head,
        trial: 1,
        started: "2026-01-01T00:00:00Z".to_owned(),
        duration_ms: 5,
        steps: vec![StepObservation {
            number: 1,
            kind: "invoke".to_owned(),
            duration_ms: 5,
            answer: Some(answer),
            http_status: Some(200),
            stderr: secret(),
            failure: Some(TrialError { kind: ErrorKind::Exit, message: secret() }),
        }],
        operations: vec![OperationSeen {
            operation: SECRET.into(),
            outcome: Outcome::Committed,
            attempts: vec![
                attempt(Answered::Committed { receipt: Some(secret()) }),
                attempt(Answered::Replayed { receipt: Some(secret()) }),
                attempt(Answered::Refused { reason: secret() }),
                attempt(Answered::Error { detail: secret() }),
                attempt(Answered::NoAnswer),
            ],
            effects: 1,
            evidence: vec![secret()],
        }],
        readings: [("a", Reading::Effects(vec![effect])), ("b", Reading::Unreadable(secret()))]
            .map(|(name, reading)| (name.to_owned(), reading))
            .into(),
        looks: [("a".to_owned(), LookHad { at_us: 1, readings: 1, settled: true, authoritative: true, why: secret() })]
            .into(),
        exchanges: vec![Exchange {
            number: 1,
            step: 1,
            connector: "shop".into(),
            operation: Some("order".to_owned()),
            intention: Some(SECRET.into()),
            key: Some(secret()),
            retry_after: Some(secret()),
            begun_us: 0,
            sent_us: None,
            answered_us: None,
            ended_us: 0,
            method: secret(),
            target: secret(),
            request: Message { headers: vec![("x".to_owned(), secret())], text: secret(), ..Message::default() },
            forwarded: Forwarded::Whole,
            answer: Some(Message { text: secret(), ..Message::default() }),
            status: Some(200),
            delivered: Delivered::Whole,
            delivered_status: Some(200),
            fault: None,
            problem: Some(secret()),
        }],
        unreached: vec![Unreached { why: secret(), then: secret() }],
        judgements: [(0, Judgement::Verdict { pass: true, message: secret() }), (1, Judgement::Unclear(secret()))]
            .into(),
        error: Some(TrialError { kind: ErrorKind::Exit, message: secret() }),
    };
    let before = serde_json::to_string(&observation).unwrap();
    let after = serde_json::to_string(&redactor().observation(observation)).unwrap();
    assert!(before.matches("3cr3t").count() > 25);
    assert!(!after.contains("3cr3t"), "{after}");
    assert_eq!(after.matches("[redacted:TOKEN]").count(), before.matches("3cr3t").count());
}

/// Whether a project with these fields hands the variable on.
fn hands_on(fields: serde_json::Value, name: &str, value: &str) -> bool {
    let mut file = json!({"schema": "holdpoint.project/1", "name": "p", "workflows": {}});
    file.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    HandedOn::by(&serde_json::from_value(file).unwrap()).holds(name, value)
}

#[test]
fn a_variable_is_used_by_its_name_or_by_its_value_as_a_whole_word() {
    let command =
        |env: serde_json::Value| json!({"workflows": {"w": {"parts": [], "command": {"run": ["x"], "env": env}}}});
    let passed = command(json!({"pass": ["A"]}));
    assert!(hands_on(passed.clone(), "A", "value-a") && !hands_on(passed, "B", "value-b"));
    let set = command(json!({"set": {"X": "Bearer value-c", "Y": "api.github.com"}}));
    assert!(hands_on(set.clone(), "C", "value-c"));
    assert!(!hands_on(set, "GITHUB_ACTOR", "github"));
}

#[test]
fn what_services_targets_and_probes_are_given_is_used_too() {
    let env = json!({"pass_if_set": ["A"]});
    let http = |http: serde_json::Value| json!({"workflows": {"w": {"parts": [], "http": http}}});
    for fields in [
        http(json!({"url": "http://x/?key=value-a"})),
        http(json!({"url": "http://x/", "headers": {"X-Key": "value-a"}})),
        http(json!({"url": "http://x/", "start": ["x"], "env": env})),
        http(json!({"url": "http://x/", "ready": {"url": "http://x/?value-a"}})),
        json!({"connectors": {"shop": {"upstream": {"url": "https://u:value-a@host/"}}}}),
        json!({"connectors": {"shop": {"upstream": {"start": {"run": ["x"], "env": env}}}}}),
        json!({"probes": {"p": {"http": {"path": "http://x/?key=value-a"}}}}),
        json!({"probes": {"p": {"http": {"path": "http://x/", "headers": {"X-Key": "value-a"}}}}}),
        json!({"probes": {"p": {"command": {"run": ["x"], "env": env}}}}),
    ] {
        assert!(hands_on(fields.clone(), "A", "value-a"), "{fields}");
        assert!(!hands_on(fields, "B", "value-b"));
    }
}

#[test]
fn the_beginning_of_a_secret_at_the_end_of_a_body_that_was_cut_goes() {
    let redactor = Redactor::new([("TOKEN", "s3cr3t-value-of-the-desk")]);
    let message = |is_cut| Message { text: "key=s3cr3t-val".to_owned(), is_cut, ..Message::default() };
    let redacted = |is_cut| {
        let mut message = message(is_cut);
        redactor.message(&mut message);
        message.text
    };
    assert_eq!(redacted(true), "key=[redacted:TOKEN]");
    assert_eq!(redacted(false), "key=s3cr3t-val", "a whole text that happens to end like this holds no secret");
}

#[test]
fn a_secret_beyond_ascii_is_found_in_a_header_of_any_code() {
    let redactor = Redactor::new([("TOKEN", "pässwört-1")]);
    for written in ["pässwört-1", "pÃ¤sswÃ¶rt-1", "p\u{fffd}ssw\u{fffd}rt-1", "cORzc3f2cnQtMQ=="] {
        let text = redactor.text(written).into_owned();
        assert!(text.starts_with("[redacted:TOKEN]"), "{written}: {text}");
    }
}
