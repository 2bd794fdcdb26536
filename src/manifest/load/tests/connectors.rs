//! Connectors whose calls are passed on: how their calls look, where these go, and what the workflow is told.

use super::*;

const SHOP: &str = "\
id: shop
kind: connector
version: 1.0.0
release: 2026-04
operations:
  order:
    effect: create
    wire: {method: POST, path: '/orders/{order}', intention: {segment: order}, key: {header: Idempotency-Key}, refused: [409]}
  list:
    effect: none
";

const DECLARED: &str = "\
connectors:
  shop:
    upstream: {url: http://127.0.0.1:9090}
    env: [SHOP_URL]
";

/// The valid project, in which the local workflow calls a shop through the runner.
pub(super) fn with_shop() -> MemoryFiles {
    declared(DECLARED)
}

/// As [`with_shop`], with other connectors in the project file.
fn declared(connectors: &str) -> MemoryFiles {
    let project = PROJECT.replace(
        "command: {run: [python3, desk.py]}\n    parts: [policy]",
        "command: {run: [python3, desk.py]}\n    parts: [policy, shop]",
    );
    with("holdpoint.yaml", project + connectors).with("manifests/shop.yaml", SHOP)
}

/// Fails unless these connectors are refused, shown from the line after the rest of the project file.
#[track_caller]
fn assert_refused(connectors: &str, expected: &str) {
    let lines = PROJECT.lines().count();
    let shown = problems(&declared(connectors)).into_iter().map(|problem| {
        let rest = problem.strip_prefix("holdpoint.yaml:").expect("an error of the project file");
        let (line, rest) = rest.split_once(':').unwrap();
        format!("{}:{rest}", line.parse::<usize>().unwrap() - lines)
    });
    assert_eq!(shown.collect::<Vec<_>>().join("\n"), expected);
}

/// Fails unless the shop's manifest with one text in place of another is refused.
#[track_caller]
fn assert_wire_refused(from: &str, to: &str, expected: &str) {
    assert!(SHOP.contains(from), "{from}");
    let files = with_shop().with("manifests/shop.yaml", SHOP.replace(from, to));
    let shown: Vec<String> = problems(&files).iter().map(|line| line.replacen("manifests/shop.yaml:", "", 1)).collect();
    assert_eq!(shown.join("\n"), expected);
}

#[test]
fn a_connector_that_is_passed_on_is_loaded() {
    let loaded = load_project(&with_shop(), &BTreeMap::new()).unwrap();
    assert_eq!(loaded.warnings, []);
    let shop = &loaded.project.file.connectors[&PartId::new("shop")];
    assert_eq!((shop.record_bytes, shop.timeout_s), (64 * 1024, 60));
}

#[test]
fn a_connector_has_a_manifest_by_which_its_calls_are_told_apart() {
    assert_refused(
        &DECLARED.replace("  shop:", "  shopp:"),
        "2:3 no manifest has the id `shopp`\n  did you mean `shop`?",
    );
    assert_refused(
        &DECLARED.replace("  shop:", "  policy:"),
        "2:3 expected a manifest of kind connector, and `policy` is of kind source\n  \
         it stands in `manifests/policy.yml`",
    );
    assert_refused(
        &DECLARED.replace("  shop:", "  review:"),
        "2:3 no operation of `review` says how its calls look\n  \
         add `wire` to its operations in `manifests/review.yaml`: a method and a path at least",
    );
}

#[test]
fn a_connector_of_no_workflow_is_said() {
    let project = PROJECT.to_owned() + DECLARED;
    let files = with("holdpoint.yaml", project).with("manifests/shop.yaml", SHOP);
    let warnings = load_project(&files, &BTreeMap::new()).unwrap().warnings;
    let shown: Vec<String> = warnings.iter().map(|warning| warning.message.clone()).collect();
    assert!(shown.contains(&"no workflow has the connector `shop`, so that no call of it is passed on".to_owned()));
}

#[test]
fn a_connector_lets_at_least_one_trial_run() {
    let limited = |jobs: &str| DECLARED.replace("    env:", &format!("    jobs: {jobs}\n    env:"));
    assert_refused(&limited("1"), "");
    assert_refused(
        &limited("0"),
        "4:11 expected at least 1, found 0\n  Trials of all workflows that have this connector, at once at the most, beside \
         what `--jobs` says",
    );
}

#[test]
fn an_upstream_is_one_address_or_one_program() {
    let upstream = |upstream: &str| DECLARED.replace("{url: http://127.0.0.1:9090}", upstream);
    assert_refused(&upstream("{start: {run: [python3, shop.py], ready: /health}}"), "");
    for wrong in ["{}", "{url: 'http://x/', start: {run: [x]}}"] {
        let found = problems(&declared(&upstream(wrong)));
        assert_eq!(found.len(), 1, "{wrong}: {found:?}");
    }
    assert_refused(
        &upstream("{url: 'ftp://x/'}"),
        "3:21 the address begins neither with `http://` nor with `https://`\n  \
         write the whole address, as in `http://127.0.0.1:8080/invoke`",
    );
    assert_refused(
        &upstream("{url: 'http://${HOST}/'}"),
        "3:21 the environment variable `HOST` is not set\n  set it, or write `$${` for a plain `${`",
    );
    assert_refused(
        &upstream("{start: {run: [''], ready: health}}"),
        "3:30 the program's name is empty\n  name a program\n\
         3:42 `health` is no path\n  it begins with `/`, as in `/health`",
    );
    assert_refused(
        &upstream("{start: {run: [x], env: {pass: [NO_SUCH]}}}"),
        "3:47 the environment variable `NO_SUCH` is not set\n  set it, or move the name to `pass_if_set`",
    );
}

#[test]
fn a_base_path_begins_with_a_slash_and_does_not_end_with_one() {
    let base = |base: &str| format!("{DECLARED}    base_path: '{base}'\n");
    assert_refused(&base("/v1"), "");
    for wrong in ["v1", "/v1/", "/", "/v1?x", "/v 1"] {
        assert_refused(
            &base(wrong),
            &format!(
                "5:16 `{wrong}` is no path to begin with\n  it begins with `/` and does not end with one, as in `/v1`"
            ),
        );
    }
}

#[test]
fn variables_have_names_and_hold_one_address() {
    let env = |env: &str| DECLARED.replace("[SHOP_URL]", env);
    assert_refused(
        &env("[1SHOP]"),
        "4:11 `1SHOP` is no name of an environment variable\n  a name has letters, digits and `_`, and no digit first",
    );
    assert_refused(
        &env("[HOLDPOINT_PORT]"),
        "4:11 the variable `HOLDPOINT_PORT` is taken\n  PATH and what begins with `HOLDPOINT_` are set otherwise",
    );
    assert_refused(&env("[A, A]"), "4:14 `A` is named twice\n  keep one of the two");
    let other = DECLARED.to_owned() + "  till:\n    upstream: {url: http://x}\n    env: [SHOP_URL]\n";
    let till = SHOP.replace("id: shop", "id: till");
    let both = declared(&other).with("manifests/till.yaml", till);
    let project = String::from_utf8(both.read("holdpoint.yaml").unwrap()).unwrap();
    assert_eq!(problems(&both), [] as [&str; 0], "two workflows may name one variable each for themselves");
    let one_workflow = both.clone().with("holdpoint.yaml", project.replace("policy, shop]", "policy, shop, till]"));
    let lines = PROJECT.lines().count();
    assert_problem(
        &one_workflow,
        &format!(
            "holdpoint.yaml:{}:11 for the workflow `local`, `SHOP_URL` already holds the address of `shop`\n  \
             name another variable",
            lines + 7
        ),
    );
    let own = project.replace("[python3, desk.py]}", "[python3, desk.py], env: {set: {SHOP_URL: x}}}");
    assert_problem(
        &both.with("holdpoint.yaml", own),
        &format!(
            "holdpoint.yaml:{}:11 the workflow `local` sets `SHOP_URL` itself\n  take it out of the workflow's `env`",
            lines + 4
        ),
    );
}

#[test]
fn headers_that_are_recorded_have_names() {
    assert_refused(
        &format!("{DECLARED}    record_headers: ['x y']\n"),
        "5:22 `x y` is no name of a header\n  as in `Idempotency-Key`",
    );
}

#[test]
fn a_wire_has_a_method_and_a_path_that_can_be_matched() {
    assert_wire_refused("POST", "post", "8:20 `post` is no method\n  write it in capitals, as in `POST`");
    let hint = "\n  as in `/orders/{order}/lines`, or `/files/**` with a rest";
    for (path, reason) in [
        ("orders", "the path `orders` does not begin with `/`"),
        ("/a?b", "the path `/a?b` holds a character that no path has; the query takes no part"),
        ("/a b", "the path `/a b` holds a character that no path has; the query takes no part"),
        ("/a//b", "the path `/a//b` has an empty segment"),
        ("/**/a", "`**` can only stand at the end of a path"),
        ("/{}", "the segment `{}` has no name"),
        ("/x{order}", "`x{order}` is partly a name: braces stand around a whole segment"),
        ("/{order}/{order}", "two segments have the name `order`"),
    ] {
        assert_wire_refused("/orders/{order}", path, &format!("8:32 {reason}{hint}"));
    }
    for path in ["/", "/{order}/", "/{order}/**", "/a:b/{order}"] {
        let manifest = SHOP.replace("/orders/{order}", path).replace("intention: {segment: order}, ", "");
        assert_eq!(problems(&with_shop().with("manifests/shop.yaml", manifest)), [] as [&str; 0], "{path}");
    }
}

#[test]
fn places_lead_somewhere() {
    let place = |to: &str, expected: &str| assert_wire_refused("{segment: order}", to, expected);
    place("{segment: ordr}", "8:72 the path names no segment `ordr`\n  did you mean `order`?");
    place("{segment: customer}", "8:72 the path names no segment `customer`\n  its names: order");
    place(
        "{body: order}",
        "8:69 `order` is no JSON pointer\n  as in `/order/id`; `~1` stands for a slash in a name and `~0` for a tilde",
    );
    place(
        "{body: /a~2}",
        "8:69 `/a~2` is no JSON pointer\n  as in `/order/id`; `~1` stands for a slash in a name and `~0` for a tilde",
    );
    place("{header: ''}", "8:71 `` is no name of a header\n  as in `Idempotency-Key`");
    place("{query: ''}", "8:70 the name is empty\n  name the parameter of the query");
    place("{body: ''}", "");
    assert_wire_refused(
        "refused: [409]",
        "receipt: id",
        "8:121 `id` is no JSON pointer\n  as in `/order/id`; `~1` stands for a slash in a name and `~0` for a tilde",
    );
}

#[test]
fn a_status_refuses_or_says_that_the_first_request_still_runs() {
    assert_wire_refused(
        "[409]",
        "[409, 200]",
        "8:127 200 is no status of a refusal\n  a refusal has a status from 400 on",
    );
    assert_wire_refused(
        "[409]",
        "[409], in_flight: 409",
        "8:139 409 cannot both refuse and say that the first request still runs\n  \
         leave it out of `refused`: a request that still runs may leave something behind",
    );
}

#[test]
fn two_operations_do_not_look_alike() {
    let list = "effect: none\n    wire: {method: POST, path: '/orders/{id}'}";
    assert_wire_refused(
        "effect: none",
        list,
        "8:32 the calls of `order` look like those of `list`: the same method and the same path\n  \
         give them different paths, or describe both as one operation",
    );
    for different in ["{method: GET, path: '/orders/{id}'}", "{method: POST, path: '/orders/new'}"] {
        let manifest = SHOP.replace("effect: none", &format!("effect: none\n    wire: {different}"));
        assert_eq!(problems(&with_shop().with("manifests/shop.yaml", manifest)), [] as [&str; 0], "{different}");
    }
}

#[test]
fn calls_are_seen_where_none_that_leaves_something_behind_goes_past_the_runner() {
    let sees = |files: MemoryFiles, workflow: &str| {
        load_project(&files, &BTreeMap::new()).unwrap().project.sees_calls_of(&workflow.into())
    };
    assert!(sees(with_shop(), "local"));
    assert!(sees(with_shop(), "desk"), "a practice workflow says which calls it made");
    assert!(!sees(with_shop(), "remote"), "nothing is known of a workflow that names no connector");
    assert!(!sees(with_shop(), "other"));
    assert!(!sees(declared(""), "local"), "its calls go past the runner");
    let project = String::from_utf8(with_shop().read("holdpoint.yaml").unwrap()).unwrap();
    let also_review = project.replace("policy, shop]", "policy, shop, review]");
    assert!(!sees(with_shop().with("holdpoint.yaml", also_review), "local"), "those to one connector do");
    let also_cancels = format!("{SHOP}  cancel:\n    effect: delete\n");
    assert!(
        !sees(with_shop().with("manifests/shop.yaml", also_cancels), "local"),
        "those of one operation are not told apart"
    );
}
