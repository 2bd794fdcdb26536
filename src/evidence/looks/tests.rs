//! What a look shows of which operation, and what it leaves open.

use serde_json::json;

use super::*;
use crate::evidence::exchange::{Delivered, Forwarded, Message};
use crate::evidence::{Answered, Call};

fn had(settled: bool) -> LookHad {
    LookHad { at_us: 1, readings: 1, settled, authoritative: true, why: String::new() }
}

fn probe(fields: Value) -> Probe {
    let mut document = json!({"operation": "request"});
    document.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(document).unwrap()
}

fn effects(rows: Value) -> Reading {
    serde_json::from_value(json!({"effects": rows})).unwrap()
}

fn attempt(connector: &str, operation: &str) -> AttemptSeen {
    AttemptSeen {
        number: 1,
        step: 1,
        call: Some(Call { connector: connector.into(), operation: operation.to_owned() }),
        identity: None,
        fault: None,
        answered: Answered::NoAnswer,
        exchange: Some(4),
        behind: None,
    }
}

fn asked(body: &str) -> Exchange {
    Exchange {
        number: 4,
        step: 1,
        connector: "shop".into(),
        operation: Some("order".to_owned()),
        intention: None,
        key: None,
        retry_after: None,
        begun_us: 0,
        sent_us: None,
        answered_us: None,
        ended_us: 0,
        method: "POST".to_owned(),
        target: "/orders".to_owned(),
        request: Message { text: body.to_owned(), ..Message::default() },
        forwarded: Forwarded::Whole,
        answer: None,
        status: None,
        delivered: Delivered::No,
        delivered_status: None,
        fault: None,
        problem: None,
    }
}

/// What a probe with these fields shows of `operation` in these rows.
fn look(fields: Value, rows: Value, operation: &str, attempts: &[AttemptSeen], exchanges: &[Exchange]) -> Option<Look> {
    let (probe, reading, had) = (probe(fields), effects(rows), had(true));
    let target = ProbedTarget::new("orders", &probe, &reading, &had).unwrap();
    target.look(&operation.into(), &SeenOnTheWay { attempts, exchanges })
}

#[test]
fn only_the_rows_of_the_operation_are_its_effects() {
    let rows = json!([{"request": "O-1"}, {"request": "O-2"}, {"request": "O-1"}, {"request": 7}]);
    let count = |operation: &str| look(json!({}), rows.clone(), operation, &[], &[]).unwrap().effects.len();
    assert_eq!([count("O-1"), count("O-2"), count("7"), count("O-3")], [2, 1, 1, 0]);
}

#[test]
fn an_effect_that_names_no_operation_leaves_everything_open() {
    for row in [json!({"request": null}), json!({"other": "O-1"}), json!({"request": ["O-1"]})] {
        let look = look(json!({}), json!([{"request": "O-1"}, row]), "O-1", &[], &[]).unwrap();
        assert!(matches!(look.state, LookState::Unreadable(_)));
    }
}

#[test]
fn a_probe_of_one_connectors_operation_says_nothing_of_another() {
    let of = json!({"of": "shop/order"});
    let rows = json!([{"request": "O-1"}]);
    let about = |operation: &str, attempts: &[AttemptSeen]| look(of.clone(), rows.clone(), operation, attempts, &[]);
    assert_eq!(about("order:O-1", &[attempt("shop", "order")]).unwrap().effects.len(), 1);
    assert_eq!(about("order:O-1", &[]).unwrap().effects.len(), 1);
    assert_eq!(about("order:O-2", &[]).unwrap().effects.len(), 0);
    assert_eq!(about("order:O-1", &[attempt("other", "order")]), None);
    for operation in ["cancel:O-1", "O-1", "order", "orders:O-1"] {
        assert_eq!(about(operation, &[]), None, "{operation}");
    }
}

#[test]
fn an_operation_that_is_known_by_its_requests_content_alone_is_not_missing_at_a_target_that_cannot_name_it() {
    let table = crate::evidence::WireTable::new(
        &serde_json::from_value(json!({
            "id": "shop", "kind": "connector", "version": "1", "release": "1",
            "operations": {"order": {"effect": "create", "wire": {"method": "POST", "path": "/orders"}}},
        }))
        .unwrap(),
    );
    let request = crate::evidence::RequestSeen { target: "/orders", header: &|_| None, body: None, beginning: None };
    let operation = table.find("POST", "/orders").unwrap().intention(&request, &crate::domain::Digest::of(b"body"));
    let of = json!({"of": "shop/order"});
    let attempts = [attempt("shop", "order")];
    assert_eq!(look(of.clone(), json!([{"request": "O-1"}]), operation.as_str(), &attempts, &[]), None);
    assert_eq!(look(of.clone(), json!([]), operation.as_str(), &attempts, &[]), None);
    let identity = operation.as_str().strip_prefix("order:").unwrap();
    let shown = look(of.clone(), json!([{"request": identity}]), operation.as_str(), &attempts, &[]);
    assert_eq!(shown.unwrap().effects.len(), 1);
    assert!(look(of, json!([]), "order:#12", &[], &[]).is_some());
}

#[test]
fn a_probe_of_no_connector_says_nothing_of_what_was_seen_on_its_way() {
    let rows = json!([{"request": "O-1"}]);
    assert_eq!(look(json!({}), rows.clone(), "order:O-1", &[attempt("shop", "order")], &[]), None);
    let own_record = AttemptSeen { exchange: None, ..attempt("shop", "order") };
    assert_eq!(look(json!({}), rows, "O-1", &[own_record], &[]).unwrap().effects.len(), 1);
}

#[test]
fn the_operations_of_the_rows_carry_the_connectors_operation() {
    let (reading, had) = (effects(json!([{"request": "O-1"}, {"request": null}])), had(true));
    let operations = |fields: Value| {
        let probe = probe(fields);
        ProbedTarget::new("orders", &probe, &reading, &had).unwrap().operations().collect::<Vec<_>>()
    };
    assert_eq!(operations(json!({})), ["O-1".into()]);
    assert_eq!(operations(json!({"of": "shop/order"})), ["order:O-1".into()]);
}

#[test]
fn a_look_is_worth_what_it_was_had_as() {
    let (probe, reading, had) = (probe(json!({})), effects(json!([])), LookHad { authoritative: false, ..had(false) });
    let target = ProbedTarget::new("orders", &probe, &reading, &had).unwrap();
    let look = target.look(&"O-1".into(), &SeenOnTheWay::default()).unwrap();
    assert_eq!(look.state, LookState::Read { settled: false, authoritative: false });
    let unreadable = Reading::Unreadable("gone".to_owned());
    let target = ProbedTarget { reading: &unreadable, ..target };
    let look = target.look(&"O-1".into(), &SeenOnTheWay::default()).unwrap();
    assert_eq!(look.state, LookState::Unreadable("gone".to_owned()));
}

#[test]
fn an_effect_shows_its_receipt_where_the_probe_says_which_field_holds_it() {
    let receipt = |fields: Value| {
        look(fields, json!([{"request": "O-1", "number": 17}]), "O-1", &[], &[]).unwrap().effects[0].receipt.clone()
    };
    assert_eq!(receipt(json!({"receipt": "number"})).as_deref(), Some("17"));
    assert_eq!(receipt(json!({})), None);
}

/// Whether an order of one wheel for `who` matches what was asked for.
fn matches(who: Value, wheels: Value, request: &str) -> Option<bool> {
    let fields = json!({"of": "shop/order", "parameters": {"who": "/customer", "wheels": "/items/0/n"}});
    let rows = json!([{"request": "O-1", "who": who, "wheels": wheels}]);
    let attempts = [attempt("shop", "order")];
    let exchanges = [asked(r#"{"customer": "another", "items": [{"n": 99}]}"#), asked(request)];
    let exchanges = [Exchange { number: 5, ..exchanges[0].clone() }, exchanges[1].clone()];
    look(fields, rows, "order:O-1", &attempts, &exchanges).unwrap().effects[0].parameters_match
}

#[test]
fn parameters_are_held_against_the_first_attempt() {
    let request = r#"{"customer": "K-12", "items": [{"n": 1}]}"#;
    assert_eq!(matches(json!("K-12"), json!(1), request), Some(true));
    assert_eq!(matches(json!("K-12"), json!("1"), request), Some(true));
    assert_eq!(matches(json!("K-13"), json!(1), request), Some(false));
    assert_eq!(matches(json!("K-12"), json!(2), request), Some(false));
}

#[test]
fn parameters_that_one_side_does_not_show_are_not_known_to_be_the_same() {
    let order = |request: &str| {
        let fields = json!({"of": "shop/order", "parameters": {"who": "/customer", "wheels": "/items/0/n"}});
        let rows = json!([{"request": "O-1", "who": "K-12", "wheels": 1}]);
        let exchanges = [asked(request)];
        look(fields, rows, "order:O-1", &[attempt("shop", "order")], &exchanges).unwrap()
    };
    let is_unreadable = |seen: &Look| matches!(&seen.state, LookState::Unreadable(why) if why.contains("compared"));
    assert!(is_unreadable(&order(r#"{"customer": "K-12"}"#)));
    assert!(is_unreadable(&order("customer=K-12")));
    // One that differs is enough, whatever the other would say.
    assert_eq!(matches(json!("K-13"), json!(1), r#"{"customer": "K-12"}"#), Some(false));
    let cut = Exchange { request: Message { is_cut: true, ..asked("{}").request }, ..asked("{}") };
    let fields = json!({"of": "shop/order", "parameters": {"who": "/customer"}});
    let rows = json!([{"request": "O-1", "who": "K-13"}]);
    let seen = look(fields, rows.clone(), "order:O-1", &[attempt("shop", "order")], &[cut]).unwrap();
    assert!(is_unreadable(&seen));
    // Two effects are too many, whatever they hold.
    let twice = json!([{"request": "O-1", "who": "K-13"}, {"request": "O-1", "who": "K-13"}]);
    let fields = json!({"of": "shop/order", "parameters": {"who": "/customer"}});
    assert_eq!(look(fields, twice, "order:O-1", &[attempt("shop", "order")], &[]).unwrap().effects.len(), 2);
    let unstated = look(json!({"of": "shop/order"}), rows, "order:O-1", &[attempt("shop", "order")], &[]).unwrap();
    assert_eq!(unstated.effects[0].parameters_match, None);
}

#[test]
fn a_target_may_keep_a_value_in_another_type_and_not_another_value() {
    let same = [
        (json!(1), json!(1.0)),
        (json!("2.50"), json!("2.50")),
        (json!(12), json!("12")),
        (json!(1), json!(true)),
        (json!(false), json!(0)),
        (json!({"a": [1, "x"]}), json!({"a": ["1", "x"]})),
        (json!(null), json!(null)),
    ];
    for (kept, asked) in same {
        assert!(is_same(&kept, &asked), "{kept} {asked}");
    }
    let different = [
        (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64)),
        (json!(2), json!(true)),
        (json!("true"), json!(true)),
        (json!(null), json!("")),
        (json!([1]), json!([1, 2])),
        (json!({"a": 1}), json!({"b": 1})),
        (json!({"a": 1, "b": 1}), json!({"a": 1})),
    ];
    for (kept, asked) in different {
        assert!(!is_same(&kept, &asked), "{kept} {asked}");
    }
}

#[test]
fn a_receipt_that_the_probe_promises_and_no_effect_holds_is_said() {
    let of = |rows: Value| look(json!({"receipt": "number"}), rows, "O-1", &[], &[]).unwrap();
    let LookState::Unreadable(reason) = of(json!([{"request": "O-1"}])).state else { panic!("it was read") };
    assert!(reason.contains("lacks the field `number`"), "{reason}");
    // A receipt that is not there yet is none, and what lacks the field is another operation's.
    let seen = of(json!([{"request": "O-1", "number": null}, {"request": "O-2"}]));
    assert_eq!(seen.effects, [EffectSeen::default()]);
}
