//! Probes: what they ask, whose effects they show, and when a look is worth something.

use super::connectors::with_shop;
use super::*;

/// The project with a shop, and these probes besides.
fn with_probes(probes: &str) -> MemoryFiles {
    let files = with_shop();
    let project = String::from_utf8(files.read("holdpoint.yaml").unwrap()).unwrap();
    files.with("holdpoint.yaml", project.replace("probes:\n", &format!("probes:\n{probes}")))
}

/// Fails unless these probes are refused, shown from the line after `probes:`.
#[track_caller]
fn assert_refused(probes: &str, expected: &str) {
    let above = PROJECT.lines().position(|line| line == "probes:").unwrap() + 1;
    let shown = problems(&with_probes(probes)).into_iter().map(|problem| {
        let rest = problem.strip_prefix("holdpoint.yaml:").expect("an error of the project file");
        let (line, rest) = rest.split_once(':').unwrap();
        format!("{}:{rest}", line.parse::<usize>().unwrap() - above)
    });
    assert_eq!(shown.collect::<Vec<_>>().join("\n"), expected, "{probes}");
}

#[test]
fn every_kind_of_probe_is_loaded() {
    assert_refused(
        "  a: {file: {path: sent.jsonl, if_missing: empty}}\n  \
         b: {http: {connector: shop, path: '/orders?limit=9', effects: '$.items[*]', not_found_is_empty: true}}\n  \
         c: {http: {path: 'https://example.com/orders'}}\n  \
         d: {command: {run: [psql, -At]}, settle: {equal_readings: {count: 3, every_s: 0.5, within_s: 1.0}}}\n  \
         e: {file: {path: x}, operation: id, of: shop/order, receipt: r, parameters: {n: /n}, settle: {confirmed_by: d}}\n",
        "",
    );
}

#[test]
fn a_probe_asks_exactly_one_thing() {
    assert_refused(
        "  a: {operation: id}\n",
        "1:6 the probe asks nothing\n  write one of `sql`, `http`, `command` and `file`, with what it asks below it",
    );
    assert_refused(
        "  a:\n    file: {path: x}\n    http: {path: 'http://x/'}\n",
        "2:5 a probe asks one thing, and this one asks http and file\n  make a probe of each",
    );
}

#[test]
fn what_is_asked_can_be_asked() {
    assert_refused(
        "  a: {http: {path: /orders}}\n",
        "1:20 the address begins neither with `http://` nor with `https://`\n  \
         write the whole address; or name the `connector` below whose address `path` lies",
    );
    assert_refused(
        "  a: {http: {url: 'http://127.0.0.1:1/orders'}}\n",
        "1:13 the key `path` is missing\n  `path`: The path and query, or the whole address\n\
         1:14 unknown key `url`\n  did you mean `path`?",
    );
    assert_refused(
        "  a: {http: {connector: shopp, path: /orders}}\n",
        "1:25 `connectors` declares no `shopp`\n  did you mean `shop`?",
    );
    assert_refused(
        "  a: {http: {connector: shop, path: orders}}\n",
        "1:37 `orders` is no path below the connector's address\n  it begins with `/`, as in \
         `/orders?limit=100`; without `connector`, it is a whole address",
    );
    assert_refused(
        "  a: {http: {connector: shop, path: /, effects: '$.['}}\n",
        "1:49 `$.[` is no JSONPath: it cannot be read from character 3 on\n  as in `$.orders[*]` (RFC 9535)",
    );
    assert_refused(
        "  a: {http: {connector: shop, path: /, headers: {'x:': y}}}\n",
        "1:56 `x:` is no name of a header\n  as in `Idempotency-Key`",
    );
    assert_refused(
        "  a: {http: {connector: shop, path: '/?key=${NO_SUCH}'}}\n",
        "1:37 the environment variable `NO_SUCH` is not set\n  set it, or write `$${` for a plain `${`",
    );
    assert_refused("  a: {command: {run: ['']}}\n", "1:23 the program's name is empty\n  name a program");
    let outside = problems(&with_probes("  a: {file: {path: ../x}}\n"));
    assert!(outside.len() == 1 && outside[0].contains("state directory"), "{outside:?}");
}

#[test]
fn effects_are_evidence_only_where_they_say_whose_they_are() {
    for field in ["of: shop/order", "receipt: id"] {
        let name = field.split(':').next().unwrap();
        assert_refused(
            &format!("  a: {{file: {{path: x}}, {field}}}\n"),
            &format!(
                "1:24 `{name}` needs `operation`: the field of an effect that says whose it is\n  \
                 without it the effects are evidence for nothing"
            ),
        );
    }
    assert_refused(
        "  a: {file: {path: x}, operation: id, parameters: {n: /n}}\n",
        "1:39 `parameters` needs `of`: the connector's operation whose requests say what was asked for\n  \
         as in `of: inventory/reserve`",
    );
    assert_refused(
        "  a: {file: {path: x}, operation: id, of: shop/order, parameters: {n: n}}\n",
        "1:71 `n` is no JSON pointer\n  as in `/order/id`; `~1` stands for a slash in a name and `~0` for a tilde",
    );
}

#[test]
fn a_probe_is_of_an_operation_whose_effects_can_be_told_apart() {
    let of = |of: &str| format!("  a: {{file: {{path: x}}, operation: id, of: {of}}}\n");
    assert_refused(&of("shop/ordr"), "1:43 the connector `shop` has no operation `ordr`\n  did you mean `order`?");
    assert_refused(&of("shopp/order"), "1:43 no manifest has the id `shopp`\n  did you mean `shop`?");
    assert_refused(
        &of("order"),
        "1:43 `order` names no connector's operation\n  \
         write the connector's id, a slash, and its operation, as in `inventory/reserve`",
    );
    assert_refused(
        &of("shop/list"),
        "1:43 `shop/list` only reads, and makes no effect that a probe could find\n  \
         name the operation that makes what the probe finds",
    );
    // The review desk's calls are not passed on: its records say by themselves whose they are.
    assert_refused(&of("review/stage"), "");
    let manifest = String::from_utf8(with_shop().read("manifests/shop.yaml").unwrap()).unwrap();
    let shop =
        |from: &str, to: &str| with_probes(&of("shop/order")).with("manifests/shop.yaml", manifest.replace(from, to));
    let nameless = problems(&shop("intention: {segment: order}, ", ""));
    assert!(
        nameless.len() == 1 && nameless[0].contains("no request of `shop/order` says which effect"),
        "{nameless:?}"
    );
    let early =
        problems(&shop("effect: create", "effect: create\n    processing: {within_s: 5.0, accepts_first: true}"));
    assert!(early.len() == 1 && early[0].contains("answers before its effect exists"), "{early:?}");
}

#[test]
fn rules_of_settling_lead_to_probes_and_come_to_an_end() {
    let file = "file: {path: x}";
    assert_refused(
        &format!("  a: {{{file}, settle: {{until_empty: {{probe: jbs, within_s: 1.0}}}}}}\n  jobs: {{{file}}}\n"),
        "1:54 there is no probe `jbs`\n  did you mean `jobs`?",
    );
    assert_refused(
        &format!(
            "  a: {{{file}, settle: {{confirmed_by: b}}}}\n  b: {{{file}, settle: {{until_empty: {{probe: a, within_s: 1.0}}}}}}\n"
        ),
        "1:47 the look by `a` waits for one that waits for it\n  a rule leads to a probe that settles by itself\n\
         2:54 the look by `b` waits for one that waits for it\n  a rule leads to a probe that settles by itself",
    );
    assert_refused(
        &format!("  a: {{{file}, settle: {{confirmed_by: a}}}}\n"),
        "1:47 the look by `a` waits for one that waits for it\n  a rule leads to a probe that settles by itself",
    );
    assert_refused(
        &format!("  a: {{{file}, settle: {{confirmed_by: b}}}}\n  b: {{{file}, authoritative: false}}\n"),
        "1:47 the probe `b` is not authoritative, and so confirms nothing\n  name one of the system of record",
    );
    assert_refused(
        &format!("  a: {{{file}, settle: {{equal_readings: {{count: 5, every_s: 1.0, within_s: 3.0}}}}}}\n"),
        "1:84 5 readings, 1 s apart, take 4 s, and it waits for 3 s\n  wait longer, or read fewer times",
    );
    let two =
        problems(&with_probes(&format!("  a: {{{file}, settle: {{after_s: 1.0, confirmed_by: review_queue}}}}\n")));
    assert_eq!(two.len(), 1, "{two:?}");
}
