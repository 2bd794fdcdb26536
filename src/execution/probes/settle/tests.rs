//! Every rule, with the readings that settle a look and those that do not.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn rule(document: Value) -> Settle {
    serde_json::from_value(document).unwrap()
}

fn reading(rows: Value) -> Reading {
    serde_json::from_value(json!({"effects": rows})).unwrap()
}

fn at(seconds: f64, rows: Value) -> Glimpse {
    Glimpse::new(duration(seconds), &reading(rows))
}

fn unreadable(seconds: f64) -> Glimpse {
    Glimpse::new(duration(seconds), &Reading::Unreadable("gone".to_owned()))
}

/// The last call ended at 2 s, and the look began at 3 s.
fn quiet() -> Circumstances {
    Circumstances { last_call: duration(2.0), begun: duration(3.0), late: false, on_the_way: OnTheWay::default() }
}

fn is_settled(settle: Value, own: &[Glimpse], pending: &[Glimpse], now: &Circumstances) -> bool {
    match next(&rule(settle), own, pending, now) {
        Next::Done { settled, .. } => settled,
        other => panic!("not done: {other:?}"),
    }
}

fn ask(seconds: f64) -> Next {
    Next::Ask(duration(seconds))
}

#[test]
fn a_look_at_once_is_one_reading_and_settled_where_nothing_can_be_on_its_way() {
    assert_eq!(next(&rule(json!({})), &[], &[], &quiet()), ask(0.0));
    let own = [at(3.0, json!([]))];
    assert!(is_settled(json!({}), &own, &[], &quiet()));
    let not_at_once = Some("A call got no answer.");
    let open = Circumstances { on_the_way: OnTheWay { not_at_once, ..OnTheWay::default() }, ..quiet() };
    assert!(!is_settled(json!({}), &own, &[], &open));
}

#[test]
fn a_look_after_a_time_waits_from_the_last_call_on_and_not_from_its_own_beginning() {
    let settle = json!({"after_s": 1.5});
    assert_eq!(next(&rule(settle.clone()), &[], &[], &quiet()), ask(3.5));
    assert!(is_settled(settle.clone(), &[at(3.5, json!([]))], &[], &quiet()));
    // A run that is cancelled does not wait.
    assert!(!is_settled(settle, &[at(3.4, json!([]))], &[], &quiet()));
}

#[test]
fn a_look_until_empty_follows_an_empty_reading_of_what_is_on_its_way() {
    let settle = json!({"until_empty": {"probe": "jobs", "within_s": 5.0}});
    let next = |own: &[Glimpse], pending: &[Glimpse]| next(&rule(settle.clone()), own, pending, &quiet());
    assert_eq!(next(&[], &[]), Next::AskWhatIsOnItsWay(Duration::ZERO));
    assert_eq!(next(&[], &[at(3.0, json!([{"job": 1}]))]), Next::AskWhatIsOnItsWay(duration(3.1)));
    assert_eq!(next(&[], &[unreadable(3.0)]), Next::AskWhatIsOnItsWay(duration(3.1)));
    let pending = [at(3.0, json!([{"job": 1}])), at(3.1, json!([]))];
    assert_eq!(next(&[], &pending), ask(0.0));
    // A reading from before the last job was done is worth nothing.
    assert_eq!(next(&[at(3.05, json!([]))], &pending), ask(0.0));
    assert!(is_settled(settle.clone(), &[at(3.2, json!([]))], &pending, &quiet()));
}

#[test]
fn what_is_still_on_its_way_at_the_end_or_cannot_be_read_settles_nothing() {
    let settle = json!({"until_empty": {"probe": "jobs", "within_s": 5.0}});
    for last in [at(8.0, json!([{"job": 1}])), unreadable(8.0)] {
        assert_eq!(next(&rule(settle.clone()), &[], std::slice::from_ref(&last), &quiet()), ask(0.0));
        assert!(!is_settled(settle.clone(), &[at(8.1, json!([]))], &[last], &quiet()));
    }
    // The last reading is had at the deadline itself.
    let late = [at(7.95, json!([{"job": 1}]))];
    assert_eq!(next(&rule(settle), &[], &late, &quiet()), Next::AskWhatIsOnItsWay(duration(8.0)));
}

#[test]
fn equal_readings_are_equal_in_a_row_and_readable() {
    let settle = json!({"equal_readings": {"count": 3, "every_s": 1.0, "within_s": 10.0}});
    let (none, one) = (json!([]), json!([{"id": 1}]));
    assert_eq!(next(&rule(settle.clone()), &[], &[], &quiet()), ask(0.0));
    let mut own = vec![at(3.0, none.clone()), at(4.0, none.clone())];
    assert_eq!(next(&rule(settle.clone()), &own, &[], &quiet()), ask(5.0));
    own.push(at(5.0, one.clone()));
    own.push(unreadable(6.0));
    own.push(at(7.0, one.clone()));
    own.push(at(8.0, one.clone()));
    assert_eq!(next(&rule(settle.clone()), &own, &[], &quiet()), ask(9.0));
    own.push(at(9.0, one));
    assert!(is_settled(settle, &own, &[], &quiet()));
}

#[test]
fn readings_that_never_become_steady_settle_nothing_and_end() {
    let settle = json!({"equal_readings": {"count": 2, "every_s": 1.0, "within_s": 2.0}});
    let own = [at(3.0, json!([])), at(4.0, json!([{"id": 1}])), at(4.5, json!([{"id": 2}]))];
    assert!(!is_settled(settle.clone(), &own, &[], &quiet()));
    let never = [unreadable(3.0), unreadable(4.0), unreadable(5.0)];
    assert!(!is_settled(settle, &never, &[], &quiet()));
}

#[test]
fn readings_are_equal_whatever_the_order_of_their_effects_and_fields() {
    let one = reading(serde_json::from_str(r#"[{"a": 1, "b": 2}, {"a": 3}]"#).unwrap());
    let other = reading(serde_json::from_str(r#"[{"a": 3}, {"b": 2, "a": 1}]"#).unwrap());
    assert_eq!(Glimpse::new(Duration::ZERO, &one), Glimpse::new(Duration::ZERO, &other));
    for different in
        [json!([{"a": 3}]), json!([{"a": 1, "b": 2}, {"a": 3}, {"a": 3}]), json!([{"a": 1, "b": 2}, {"a": 4}])]
    {
        assert_ne!(Glimpse::new(Duration::ZERO, &one), Glimpse::new(Duration::ZERO, &reading(different)));
    }
}

#[test]
fn a_call_that_is_still_on_its_way_and_a_target_that_cannot_be_read_settle_nothing_under_any_rule() {
    let late = Circumstances { late: true, ..quiet() };
    let empty = [at(9.0, json!([]))];
    let equal = json!({"equal_readings": {"count": 2, "every_s": 1.0, "within_s": 10.0}});
    let until = json!({"until_empty": {"probe": "jobs", "within_s": 5.0}});
    for (settle, own) in [
        (json!({}), vec![at(9.0, json!([]))]),
        (json!({"after_s": 1.0}), vec![at(9.0, json!([]))]),
        (until, vec![at(9.0, json!([]))]),
        (equal, vec![at(8.0, json!([])), at(9.0, json!([]))]),
    ] {
        assert!(is_settled(settle.clone(), &own, &empty, &quiet()), "{settle}");
        assert!(!is_settled(settle.clone(), &own, &empty, &late), "{settle}");
    }
    for settle in [json!({}), json!({"after_s": 1.0})] {
        assert!(!is_settled(settle, &[unreadable(9.0)], &[], &quiet()));
    }
}

/// As [`quiet`], and by its contract a call can take effect until 6 s.
fn open_call() -> Circumstances {
    Circumstances { on_the_way: OnTheWay { until: duration(6.0), ..OnTheWay::default() }, ..quiet() }
}

#[test]
fn no_rule_settles_a_look_before_an_open_call_can_no_longer_take_effect() {
    let equal = json!({"equal_readings": {"count": 2, "every_s": 0.5, "within_s": 1.0}});
    for settle in [json!({}), json!({"after_s": 0.2}), equal.clone(), json!({"confirmed_by": "ledger"})] {
        assert_eq!(next(&rule(settle.clone()), &[], &[], &open_call()), ask(6.0), "{settle}");
    }
    for settle in [json!({}), json!({"after_s": 0.2})] {
        assert!(is_settled(settle.clone(), &[at(6.0, json!([]))], &[], &open_call()), "{settle}");
        assert!(!is_settled(settle, &[at(5.9, json!([]))], &[], &open_call()));
    }
    assert!(is_settled(equal.clone(), &[at(6.0, json!([])), at(6.5, json!([]))], &[], &open_call()));
    assert!(!is_settled(equal, &[at(5.0, json!([])), at(5.5, json!([]))], &[], &open_call()));
    // A rule that waits longer than the contract says waits as long as before.
    assert_eq!(next(&rule(json!({"after_s": 9.0})), &[], &[], &open_call()), ask(11.0));
    // The target's own record of what is on its way knows it better than a time.
    let until_empty = json!({"until_empty": {"probe": "jobs", "within_s": 5.0}});
    assert!(is_settled(until_empty, &[at(3.2, json!([]))], &[at(3.1, json!([]))], &open_call()));
}

#[test]
fn nobody_waits_for_a_call_that_can_take_effect_until_long_after_and_the_look_is_not_settled() {
    let on_the_way = OnTheWay { until: duration(3600.0), ..OnTheWay::default() };
    let open = Circumstances { on_the_way, ..quiet() };
    for (settle, then) in [(json!({}), 0.0), (json!({"after_s": 2.0}), 4.0)] {
        assert_eq!(next(&rule(settle.clone()), &[], &[], &open), ask(then));
        assert!(!is_settled(settle, &[at(4.0, json!([]))], &[], &open));
    }
    // One of which nothing says until when is not waited for either.
    let unbounded = OnTheWay { not_at_once: Some("A call got no answer."), ..open_call().on_the_way };
    assert_eq!(next(&rule(json!({})), &[], &[], &Circumstances { on_the_way: unbounded, ..quiet() }), ask(0.0));
}

fn had(settled: bool, authoritative: bool) -> LookHad {
    LookHad { at_us: 1, readings: 1, settled, authoritative, why: String::new() }
}

/// Whether a look with these effects is confirmed by a second one with those.
fn confirmed(own: Value, second: Value, second_had: &LookHad) -> bool {
    let (own, second, own_had) = (reading(own), reading(second), had(false, true));
    let own = Finished { reading: &own, had: &own_had, column: Some("request") };
    confirm(own, "ledger", Finished { reading: &second, had: second_had, column: Some("id") }).0
}

#[test]
fn a_second_look_confirms_where_it_is_settled_authoritative_and_shows_the_same_operations() {
    let (own, second) = (json!([{"request": 1}, {"request": "O-2"}]), json!([{"id": "O-2"}, {"id": "1", "more": 7}]));
    assert!(confirmed(own.clone(), second.clone(), &had(true, true)));
    assert!(confirmed(json!([]), json!([]), &had(true, true)));
    assert!(!confirmed(own.clone(), second.clone(), &had(false, true)));
    assert!(!confirmed(own.clone(), second, &had(true, false)));
    assert!(!confirmed(own.clone(), json!([]), &had(true, true)));
    assert!(!confirmed(own, json!([{"id": "O-2"}, {"id": "O-3"}]), &had(true, true)));
    assert!(!is_settled(json!({"confirmed_by": "ledger"}), &[at(9.0, json!([]))], &[], &quiet()));
}

#[test]
fn a_second_look_that_could_not_be_read_confirms_nothing() {
    let (own, gone) = (reading(json!([])), Reading::Unreadable("gone".to_owned()));
    let (settled, open) = (had(true, true), had(false, true));
    let own = Finished { reading: &own, had: &open, column: None };
    let second = Finished { reading: &gone, had: &settled, column: None };
    assert!(!confirm(own, "ledger", second).0);
    assert!(!confirm(Finished { had: &open, ..second }, "ledger", Finished { had: &settled, ..own }).0);
}

proptest! {
    /// Whatever is read and whenever: a rule asks for later readings only, and comes to its end.
    #[test]
    fn every_rule_ends_and_never_asks_for_the_past(
        which in 0_usize..4, shown in proptest::collection::vec(0_u8..4, 1..60), late: bool, until in 0_u32..20
    ) {
        let settle = [
            json!({}),
            json!({"after_s": 1.0}),
            json!({"until_empty": {"probe": "jobs", "within_s": 2.0}}),
            json!({"equal_readings": {"count": 3, "every_s": 0.5, "within_s": 5.0}}),
        ][which].clone();
        let on_the_way = OnTheWay { until: duration(f64::from(until)), ..OnTheWay::default() };
        let now = Circumstances { late, on_the_way, ..quiet() };
        let (mut own, mut pending, mut clock) = (Vec::new(), Vec::new(), now.begun);
        let mut shown = shown.into_iter().cycle();
        let mut glimpse = |at: Duration| match shown.next() {
            Some(0) | None => Glimpse::new(at, &Reading::Unreadable(String::new())),
            Some(n) => Glimpse::new(at, &reading(json!(vec![json!({}); usize::from(n - 1)]))),
        };
        for _ in 0..200 {
            let (readings, then) = match next(&rule(settle.clone()), &own, &pending, &now) {
                Next::Done { settled, .. } => {
                    let last = own.last().unwrap();
                    prop_assert!(!settled || (!late && last.shows.is_some()));
                    prop_assert!(!settled || which == 2 || last.at >= on_the_way.until);
                    return Ok(());
                }
                Next::Ask(then) => (&mut own, then),
                Next::AskWhatIsOnItsWay(then) => (&mut pending, then),
            };
            // Every reading takes a moment.
            clock = clock.max(then) + Duration::from_millis(1);
            readings.push(glimpse(clock));
        }
        prop_assert!(false, "it never ends");
    }
}

#[test]
fn a_confirmation_does_not_settle_what_a_call_may_still_change() {
    let settle = json!({"confirmed_by": "ledger"});
    let why = |own: Glimpse, now: &Circumstances| match next(&rule(settle.clone()), &[own], &[], now) {
        Next::Done { settled: false, why } => LookHad { why, ..had(false, true) },
        other => panic!("not open: {other:?}"),
    };
    assert!(awaits_confirmation(&why(at(9.0, json!([])), &quiet())));
    let until = |seconds| OnTheWay { until: duration(seconds), ..OnTheWay::default() };
    let open = Circumstances { on_the_way: until(300.0), ..quiet() };
    assert!(!awaits_confirmation(&why(at(9.0, json!([])), &open)), "the contract says 300 s");
    assert!(awaits_confirmation(&why(at(301.0, json!([])), &open)));
    assert!(!awaits_confirmation(&why(at(9.0, json!([])), &Circumstances { late: true, ..quiet() })));
}
