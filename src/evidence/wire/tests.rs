//! Requests against patterns, and what they carry.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn table(operations: &[(&str, &str, &str)]) -> WireTable {
    let operations: serde_json::Map<String, Value> = operations
        .iter()
        .map(|(name, method, path)| {
            ((*name).to_owned(), json!({"effect": "create", "wire": {"method": method, "path": path}}))
        })
        .collect();
    WireTable::new(&manifest(&operations.into()))
}

fn manifest(operations: &Value) -> ConnectorManifest {
    let document = json!({"id": "shop", "kind": "connector", "version": "1", "release": "1", "operations": operations});
    serde_json::from_value(document).unwrap()
}

fn found(table: &WireTable, method: &str, target: &str) -> Option<String> {
    table.find(method, target).map(|found| found.operation().to_owned())
}

fn no_header(_: &str) -> Option<String> {
    None
}

#[test]
fn a_request_is_matched_by_method_and_path_without_its_query() {
    let table =
        table(&[("create", "POST", "/orders"), ("list", "GET", "/orders"), ("cancel", "DELETE", "/orders/{id}")]);
    for (method, target, expected) in [
        ("POST", "/orders", Some("create")),
        ("POST", "/orders?dry=true", Some("create")),
        ("GET", "/orders", Some("list")),
        ("HEAD", "/orders", None),
        ("post", "/orders", None),
        ("DELETE", "/orders/7", Some("cancel")),
        ("DELETE", "/orders/", None),
        ("DELETE", "/orders/7/", None),
        ("DELETE", "/orders/7/lines", None),
        ("POST", "/order", None),
        ("POST", "/", None),
        ("POST", "*", None),
        ("POST", "", None),
    ] {
        assert_eq!(found(&table, method, target).as_deref(), expected, "{method} {target}");
    }
}

#[test]
fn segments_are_compared_after_decoding_and_an_encoded_slash_is_none() {
    let table = table(&[("read", "GET", "/my files/{name}")]);
    let matched = table.find("GET", "/my%20files/a%2Fb").unwrap();
    assert_eq!(matched.named("name"), Some("a/b"));
    assert_eq!(found(&table, "GET", "/my%20files/a/b"), None);
}

#[test]
fn of_several_patterns_the_most_specific_one_wins() {
    let table = table(&[
        ("a_rest", "GET", "/**"),
        ("b_orders", "GET", "/orders/**"),
        ("c_any", "GET", "/{kind}/{id}"),
        ("d_order", "GET", "/orders/{id}"),
        ("e_newest", "GET", "/orders/newest"),
        ("f_all", "GET", "/orders"),
        ("g_same", "GET", "/orders/{other}"),
    ]);
    for (target, expected) in [
        ("/orders/newest", "e_newest"),
        ("/orders/7", "d_order"),
        ("/orders", "f_all"),
        ("/orders/7/lines", "b_orders"),
        ("/parts/7", "c_any"),
        ("/parts/7/8", "a_rest"),
        ("/", "a_rest"),
    ] {
        assert_eq!(found(&table, "GET", target).as_deref(), Some(expected), "{target}");
    }
}

#[test]
fn a_rest_is_only_a_rest_at_the_end() {
    let table = table(&[("odd", "GET", "/**/a")]);
    assert_eq!(found(&table, "GET", "/x/a"), None);
    assert_eq!(found(&table, "GET", "/**/a").as_deref(), Some("odd"));
}

#[test]
fn an_operation_that_says_nothing_of_its_calls_matches_none() {
    let table = WireTable::new(&manifest(&json!({"create": {"effect": "create"}})));
    assert!(table.find("POST", "/create").is_none());
}

fn with_wire(wire: &Value) -> WireMatch {
    let mut whole = json!({"method": "POST", "path": "/orders/{order}/lines"});
    whole.as_object_mut().unwrap().extend(wire.as_object().unwrap().clone());
    let table = WireTable::new(&manifest(&json!({"add": {"effect": "create", "wire": whole}})));
    table.find("POST", "/orders/O%2D1/lines").unwrap()
}

#[test]
fn the_identity_of_an_intention_is_read_where_the_manifest_says() {
    let body = br#"{"op": {"id": "O-2", "number": 7, "sure": true, "list": [1], "none": null, "empty": ""}}"#;
    let header = |name: &str| (name == "X-Intent").then(|| "O-3".to_owned());
    let request = RequestSeen {
        target: "/orders/O%2D1/lines?op=O-4&op=O-5&plus=a+b%2B&bare",
        header: &header,
        body: Some(body),
        beginning: None,
    };
    for (place, expected) in [
        (json!({"segment": "order"}), Some("O-1")),
        (json!({"segment": "other"}), None),
        (json!({"body": "/op/id"}), Some("O-2")),
        (json!({"body": "/op/number"}), Some("7")),
        (json!({"body": "/op/sure"}), Some("true")),
        (json!({"body": "/op/list"}), None),
        (json!({"body": "/op/list/0"}), Some("1")),
        (json!({"body": "/op/none"}), None),
        (json!({"body": "/op/empty"}), None),
        (json!({"body": "/absent"}), None),
        (json!({"header": "X-Intent"}), Some("O-3")),
        (json!({"header": "X-Other"}), None),
        (json!({"query": "op"}), Some("O-4")),
        (json!({"query": "plus"}), Some("a b+")),
        (json!({"query": "bare"}), None),
        (json!({"query": "absent"}), None),
    ] {
        let matched = with_wire(&json!({"intention": place}));
        let place = matched.wire().intention.clone().unwrap();
        assert_eq!(matched.read(&place, &request).as_deref(), expected, "{place:?}");
        let intention = matched.intention(&request, &Digest::of(body));
        match expected {
            Some(identity) => assert_eq!(intention.as_str(), format!("add:{identity}")),
            None => assert!(intention.as_str().starts_with("add:#"), "{intention}"),
        }
    }
}

#[test]
fn without_a_stated_identity_the_same_request_is_the_same_intention() {
    let matched = with_wire(&json!({}));
    let of = |target: &str, body: &[u8]| {
        matched.intention(
            &RequestSeen { target, header: &no_header, body: Some(body), beginning: None },
            &Digest::of(body),
        )
    };
    let first = of("/orders/O-1/lines", b"{}");
    assert_eq!(of("/orders/O-1/lines", b"{}"), first);
    assert_ne!(of("/orders/O-1/lines", b"{ }"), first);
    assert_ne!(of("/orders/O-1/lines?a", b"{}"), first);
    assert_eq!(first.as_str().len(), "add:#".len() + 12);
}

#[test]
fn a_body_that_is_not_known_as_a_whole_states_nothing() {
    let matched = with_wire(&json!({"intention": {"body": "/id"}}));
    let request = RequestSeen { target: "/orders/O-1/lines", header: &no_header, body: None, beginning: None };
    assert!(matched.intention(&request, &Digest::of(b"")).as_str().starts_with("add:#"));
    let broken = RequestSeen { body: Some(br#"{"id": "O-1""#), ..request };
    assert!(matched.intention(&broken, &Digest::of(b"")).as_str().starts_with("add:#"));
    assert!(matched.needs_body());
    assert!(with_wire(&json!({"key": {"body": "/id"}})).needs_body());
    assert!(!with_wire(&json!({"intention": {"query": "id"}, "key": {"header": "x"}})).needs_body());
}

#[test]
fn the_key_stands_where_the_manifest_says_or_in_the_header_of_that_name() {
    let header = |name: &str| match name {
        "idempotency-key" => Some("k-1".to_owned()),
        "X-Token" => Some("k-2".to_owned()),
        _ => None,
    };
    let request = RequestSeen { target: "/orders/O-1/lines", header: &header, body: None, beginning: None };
    assert_eq!(with_wire(&json!({})).key(&request).as_deref(), Some("k-1"));
    assert_eq!(with_wire(&json!({"key": {"header": "X-Token"}})).key(&request).as_deref(), Some("k-2"));
    assert_eq!(with_wire(&json!({"key": {"query": "token"}})).key(&request), None);
}

proptest! {
    #[test]
    fn whatever_is_written_into_a_segment_or_a_query_is_read_back(value in "\\PC{1,20}") {
        let table = WireTable::new(&manifest(&json!({"add": {
            "effect": "create",
            "wire": {"method": "POST", "path": "/orders/{order}"},
        }})));
        let written = utf8_percent_encode(&value, NON_ALPHANUMERIC).to_string();
        let target = format!("/orders/{written}?q={written}");
        let matched = table.find("POST", &target).unwrap();
        prop_assert_eq!(matched.named("order"), Some(value.as_str()));
        prop_assert_eq!(query_value(&target, "q"), Some(value));
    }

    #[test]
    fn no_target_is_too_odd(target in "\\PC*", method in "\\PC{0,5}", pattern in "\\PC{0,20}") {
        let table = table(&[("a", &method, &pattern), ("b", &method, "/**")]);
        let found = table.find(&method, &target).map(|found| found.operation().to_owned());
        prop_assert!(found.is_some());
    }

    #[test]
    fn the_choice_does_not_hang_on_the_order_of_names(
        patterns in prop::collection::btree_set("(/(a|b|\\{x\\})){1,3}(/\\*\\*)?", 1..6),
        target in "(/(a|b|c)){1,4}",
    ) {
        let pattern_of = |reversed: bool| {
            let count = patterns.len();
            let name = |at: usize| format!("{:02}", if reversed { count - at } else { at });
            let named: Vec<_> = patterns.iter().enumerate().map(|(at, pattern)| (name(at), pattern.as_str())).collect();
            let operations: Vec<_> = named.iter().map(|(name, pattern)| (name.as_str(), "GET", *pattern)).collect();
            table(&operations).find("GET", &target).map(|found| found.wire().path.clone())
        };
        prop_assert_eq!(pattern_of(false), pattern_of(true));
    }
}
