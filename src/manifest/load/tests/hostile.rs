//! Files that YAML, JSON or a careful reader cannot take.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

#[track_caller]
fn assert_unreadable(content: impl AsRef<[u8]>, expected: &str) {
    assert_problem(&with_case(content), &format!("cases/action/odd.yaml:{expected}"));
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    assert_unreadable(b"id: a\ntitle: \xff\n", "2:8 the byte 0xFF here is not UTF-8\n  save the file as UTF-8");
    assert_unreadable(
        b"id: a\ntitle: b\0c\n",
        "2:9 the control character U+0000 must not stand in a YAML file\n  \
         inside double quotes it can be written as an escape",
    );
    assert_unreadable(b"", "0:0 the file is empty\n  `holdpoint schema` prints what it can hold");
    assert_unreadable(b"# only words\n", "0:0 the file is empty\n  `holdpoint schema` prints what it can hold");
}

#[test]
fn yaml_that_means_two_things_is_refused_with_its_place() {
    assert_unreadable(
        format!("{CASE}title: Again\n").replace("plain-answer", "other"),
        "7:1 the key `title` stands here for the second time\n  keep one of the two",
    );
    assert_unreadable(
        format!("{}---\nid: b\n", CASE.replace("plain-answer", "other")),
        "8:1 a second YAML document begins here\n  one file holds one document: remove the `---` line",
    );
    assert_unreadable("id: !secret b\n", "1:13 unsupported tag `!secret`");
    assert_unreadable(
        "id: *gone\n",
        "1:5 this alias refers to an anchor that is not defined above it\n  a text that begins with `*` must be quoted",
    );
    assert_unreadable("a: &a [*a]\n", "1:8 this alias stands inside what it refers to\n  write the value out");
    assert_unreadable("a: b: c\n", "1:5 mapping values are not allowed in this context");
    assert_unreadable("a: [b\n", "1:4 unclosed bracket '['");
    assert_unreadable("a:\n\t- b\n", "2:2 tabs disallowed within this context (block indentation)");
}

#[test]
fn a_key_is_unique_at_every_depth() {
    assert_unreadable(
        "input:\n  - a: {b: 1, 'b': 2}\n",
        "2:15 the key `b` stands here for the second time\n  keep one of the two",
    );
}

#[test]
fn a_file_has_its_limits() {
    assert_unreadable(
        format!("input: [{}]\n", "x, ".repeat(60_000)),
        "1:150000 the file holds more than 50000 values\n  keep large data in a fixture or a source file",
    );
    assert_unreadable(
        format!("a: &a x\ninput: [{}]\n", "*a, ".repeat(65)),
        "2:265 the file has more than 64 anchors or aliases\n  keep large data in a fixture or a source file",
    );
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    let case = format!("\u{feff}{}", CASE.replace("plain-answer", "odd"));
    assert_eq!(problems(&with_case(case)), Vec::<String>::new());
}

#[test]
fn values_that_json_cannot_hold_are_refused_with_their_place() {
    assert_unreadable("input: .nan\n", "1:8 `.nan` is no finite number\n  quote it where a text is meant");
    assert_unreadable("input: 1e999\n", "1:8 `1e999` is no finite number\n  quote it where a text is meant");
    assert_unreadable(
        "input: {a: 12345678901234567890123}\n",
        "1:12 the number 12345678901234567890123 has more digits than can be kept exactly\n  \
         write it as a text: \"12345678901234567890123\"",
    );
    assert_unreadable(
        "input:\n  ? [a]\n  : b\n",
        "2:5 expected a text as the key, found a list\n  a key is a text that stands before a colon",
    );
    assert_unreadable("input: {1: b}\n", "1:9 expected a text as the key, found the number 1\n  write `\"1\":`");
}

#[test]
fn a_bomb_ends_quickly_with_a_diagnostic() {
    let mut aliases = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..=10 {
        let inner = vec![format!("*a{}", level - 1); 10].join(", ");
        aliases.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
    }
    let deep = "lists and maps are nested deeper than 32";
    let started = Instant::now();
    for (bomb, expected) in [
        ("[".repeat(100_000), format!("1:256 {deep}")),
        ("{a: ".repeat(100_000), format!("1:1021 {deep}")),
        ("- ".repeat(100_000), format!("1:65 {deep} here\n  keep large data in a fixture or a source file")),
        (
            aliases,
            "5:20 the file's aliases stand for more than 50000 values\n  write the values out, or keep them in a fixture"
                .to_owned(),
        ),
        (
            "a".repeat(2_000_000),
            "0:0 the file has 2000000 bytes, and at most 1048576 are read\n  \
             keep large data in a fixture or a source file"
                .to_owned(),
        ),
    ] {
        assert_unreadable(bomb, &expected);
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

const PIECES: [&str; 19] =
    ["", ":", "- ", "\n", " ", "{", "]", "'", "\"", "&a", "*a", "!t", "null", "1", "..", "/", "é", "<<: *a", "# "];

/// A text from which a piece is cut and into which another is put.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    (0..text.len(), 0..20_usize, prop::sample::select(PIECES.as_slice())).prop_map(move |(start, length, piece)| {
        let end = (start + length).min(text.len());
        format!("{}{piece}{}", &text[..start], &text[end..])
    })
}

proptest! {
    // Each case loads two whole projects.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_error_of_a_damaged_file_points_into_it(
        project in damaged(PROJECT),
        connector in damaged(CONNECTOR),
        case in damaged(CASE),
    ) {
        let files = valid()
            .with("holdpoint.yaml", &project)
            .with("manifests/review.yaml", &connector)
            .with("cases/policy_accuracy/plain.yaml", &case);
        for error in load_project(&files, &BTreeMap::new()).err().unwrap_or_default() {
            let text = String::from_utf8(files.read(&error.path).unwrap()).unwrap();
            prop_assert!(error.line <= text.lines().count() + 1, "{}", shown(&error));
            let line = error.line.checked_sub(1).and_then(|index| text.lines().nth(index)).unwrap_or_default();
            prop_assert_eq!(&error.source_line, line);
            prop_assert!(error.column <= line.chars().count() + 1, "{}", shown(&error));
        }
        let _ = load_side(&files);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let files = valid()
            .with("holdpoint.yaml", &bytes)
            .with("manifests/odd.yaml", &bytes)
            .with("cases/action/odd.yaml", &bytes);
        prop_assert!(load_project(&files, &BTreeMap::new()).is_err());
        prop_assert!(!load_side(&files).unreadable.is_empty());
    }
}
