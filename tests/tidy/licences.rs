//! Every dependency has a licence that `deny.toml` allows, and none that it bans is there.
//!
//! `cargo deny check` reads the same file and looks at more (advisories); this test needs no further tool.

use std::process::Command;

use serde_json::Value;

use crate::assert_none;

/// The texts of a list in `deny.toml`.
fn listed(deny_toml: &str, section: &str, key: &str) -> Vec<String> {
    let header = format!("[{section}]");
    let inside = deny_toml.split_once(&header).map_or("", |(_, rest)| rest.split("\n[").next().unwrap_or_default());
    let list = inside.split_once(&format!("{key} = [")).and_then(|(_, rest)| rest.split_once("\n]"));
    let items = list.map_or("", |(items, _)| items).lines();
    items.filter_map(|line| line.split('"').nth(1).map(str::to_owned)).collect()
}

/// Whether an SPDX expression can be fulfilled with allowed licences alone: `OR` needs one side, `AND` both. An
/// exception (`WITH`) is part of the licence's name. Before SPDX, `/` was written for `OR`.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let text = expression.replace('/', " OR ").replace(['(', ')'], " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let one = |name: &[&str]| allowed.contains(&name.join(" "));
    if expression.contains('(') {
        // Only `(A OR B) AND C` and the like occur: every conjunct stands on its own.
        return expression.split(" AND ").all(|part| is_allowed(part.trim_matches(['(', ')', ' ']), allowed));
    }
    words.split(|word| *word == "OR").any(|side| side.split(|word| *word == "AND").all(one))
}

fn complaints_of(packages: &[Value], allowed: &[String], banned: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_allowed(licence, allowed) {
            complaints.push(format!("{name}: the licence `{licence}` is not allowed"));
        }
        if banned.iter().any(|other| other == name) {
            complaints.push(format!("{name}: banned"));
        }
    }
    complaints
}

#[test]
fn every_dependency_is_allowed() {
    let deny_toml = include_str!("../../deny.toml");
    let allowed = listed(deny_toml, "licenses", "allow");
    assert!(!allowed.is_empty(), "deny.toml allows no licence at all");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("it lists packages");
    assert!(packages.len() > 50, "only {} packages found", packages.len());
    assert_none(&complaints_of(packages, &allowed, &listed(deny_toml, "bans", "deny")));
}

#[test]
fn an_expression_needs_one_side_of_or_and_both_of_and() {
    let allowed = ["MIT".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned(), "Zlib".to_owned()];
    let cases = [
        ("MIT", true),
        ("GPL-3.0", false),
        ("", false),
        ("MIT OR GPL-3.0", true),
        ("MIT/GPL-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("MIT AND Zlib", true),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("Apache-2.0", false),
        ("(MIT OR GPL-3.0) AND Zlib", true),
        ("(MIT OR GPL-3.0) AND GPL-2.0", false),
    ];
    for (expression, expected) in cases {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn a_banned_package_and_a_foreign_licence_are_found() {
    let deny_toml = "[licenses]\nallow = [\n    \"MIT\",\n]\n[bans]\ndeny = [\n    { crate = \"bad\" },\n]\n";
    let banned = listed(deny_toml, "bans", "deny");
    assert_eq!(banned, ["bad"]);
    let packages = [
        serde_json::json!({"name": "bad", "license": "MIT"}),
        serde_json::json!({"name": "foreign", "license": "AGPL-3.0"}),
        serde_json::json!({"name": "unsaid", "license": null}),
    ];
    assert_eq!(complaints_of(&packages, &listed(deny_toml, "licenses", "allow"), &banned).len(), 3);
}
