//! Tests in a CSV file: columns are variables, but for those that begin with `__`.

use serde_json::{Map, Value, json};

use crate::import::reading::Table;

use super::prompts::has_ending;
use super::types::known;

/// A row as a test.
pub(super) fn test_of(table: &Table, values: &[String], mut unread: impl FnMut(&str)) -> Map<String, Value> {
    let mut vars = Map::new();
    let mut test = Map::new();
    let mut options = Map::new();
    let mut asserts: Vec<(&str, Value)> = Vec::new();
    let mut settings: Vec<(&str, &str, &str)> = Vec::new();
    for (column, value) in table.columns.iter().zip(values) {
        let column = column.trim();
        match column {
            _ if column.starts_with("__expected") => {
                if !value.trim().is_empty() {
                    asserts.push((column, assertion(value.trim())));
                }
            }
            "__prefix" | "__suffix" => {
                options.insert(column[2..].to_owned(), json!(value));
            }
            "__description" => {
                test.insert("description".to_owned(), json!(value));
            }
            "__threshold" if !value.trim().is_empty() => {
                test.insert("threshold".to_owned(), number(value));
            }
            "__threshold" => {}
            _ if column.starts_with("__config:") => {
                if let Some((target, key)) = column["__config:".len()..].split_once(':')
                    && !value.trim().is_empty()
                {
                    settings.push((target, key, value));
                }
            }
            _ if column.starts_with("__") => {
                if !value.trim().is_empty() {
                    unread(column);
                }
            }
            _ => {
                vars.insert(column.to_owned(), json!(value));
            }
        }
    }
    for (target, key, value) in settings {
        match asserts.iter_mut().find(|(column, _)| *column == target) {
            Some((_, assertion)) => assertion[key] = number(value),
            None => unread(&format!("__config:{target}:{key}")),
        }
    }
    test.insert("vars".to_owned(), Value::Object(vars));
    test.insert("options".to_owned(), Value::Object(options));
    test.insert("assert".to_owned(), asserts.into_iter().map(|(_, assertion)| assertion).collect());
    test
}

fn number(text: &str) -> Value {
    text.trim().parse::<f64>().ok().and_then(serde_json::Number::from_f64).map_or_else(|| json!(text), Value::Number)
}

/// A cell: `type:value`, `type(threshold):value`, `fn:code`, `grade:rubric`; without a type it is what the answer must be.
fn assertion(cell: &str) -> Value {
    for (prefix, kind) in [
        ("fn:", "javascript"),
        ("eval:", "javascript"),
        ("javascript:", "javascript"),
        ("python:", "python"),
        ("grade:", "llm-rubric"),
    ] {
        if let Some(value) = cell.strip_prefix(prefix) {
            return json!({"type": kind, "value": value.trim()});
        }
    }
    // A file of code is called, not held against the answer.
    if cell.starts_with("file://") {
        for (endings, kind) in [(&["py"][..], "python"), (&["js", "cjs", "mjs", "ts", "cts", "mts"][..], "javascript")]
        {
            if has_ending(cell, endings) {
                return json!({"type": kind, "value": cell});
            }
        }
    }
    let head_ends = types_end(cell);
    let (head, value) = match head_ends {
        Some(end) => (&cell[..end], cell[end..].strip_prefix(':')),
        None => return json!({"type": "equals", "value": cell}),
    };
    let (kind, threshold) = match head.split_once('(') {
        Some((kind, rest)) => (kind, rest.strip_suffix(')').map(number)),
        None => (head, None),
    };
    let mut assertion = json!({"type": kind});
    if let Some(value) = value {
        assertion["value"] = json!(value);
    }
    if let Some(threshold) = threshold {
        assertion["threshold"] = threshold;
    }
    assertion
}

/// Where a known type, with or without a threshold, ends at a colon or at the cell's end. The longest counts: a type can hold a
/// colon itself.
fn types_end(cell: &str) -> Option<usize> {
    let ends = cell.match_indices(':').map(|(at, _)| at).take(4).chain([cell.len()]);
    let is_head = |end: &usize| {
        let head = &cell[..*end];
        let (kind, closed) = match head.split_once('(') {
            Some((kind, rest)) => (kind, rest.strip_suffix(')').is_some_and(|inner| inner.parse::<f64>().is_ok())),
            None => (head, true),
        };
        closed && known(kind.trim()).is_some()
    };
    ends.filter(is_head).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_an_assertion() {
        for (cell, expected) in [
            ("Paris", json!({"type": "equals", "value": "Paris"})),
            ("contains:Paris: yes", json!({"type": "contains", "value": "Paris: yes"})),
            ("similar(0.8):Paris", json!({"type": "similar", "value": "Paris", "threshold": 0.8})),
            ("similar:cosine(0.8):Paris", json!({"type": "similar:cosine", "value": "Paris", "threshold": 0.8})),
            ("not-icontains:a", json!({"type": "not-icontains", "value": "a"})),
            ("is-json", json!({"type": "is-json"})),
            ("grade:is polite", json!({"type": "llm-rubric", "value": "is polite"})),
            ("fn:output.length > 3", json!({"type": "javascript", "value": "output.length > 3"})),
            ("javascript: package:judges:tone", json!({"type": "javascript", "value": "package:judges:tone"})),
            ("file://a.py", json!({"type": "python", "value": "file://a.py"})),
            ("file://checks/a.py:polite", json!({"type": "python", "value": "file://checks/a.py:polite"})),
            ("file://a.js", json!({"type": "javascript", "value": "file://a.js"})),
            ("file://a.ts", json!({"type": "javascript", "value": "file://a.ts"})),
            ("file://a.txt", json!({"type": "equals", "value": "file://a.txt"})),
            ("a.py", json!({"type": "equals", "value": "a.py"})),
            ("https://a.example", json!({"type": "equals", "value": "https://a.example"})),
            ("note: contains:x", json!({"type": "equals", "value": "note: contains:x"})),
        ] {
            assert_eq!(assertion(cell), expected, "{cell}");
        }
    }

    #[test]
    fn a_row_is_a_test() {
        let columns = [
            "q",
            "__expected",
            "__expected2",
            "__prefix",
            "__description",
            "__threshold",
            "__metadata:x",
            "__config:__expected2:threshold",
        ];
        let table = Table { columns: columns.map(str::to_owned).to_vec(), rows: Vec::new() };
        let values = ["why", "contains:a", "levenshtein:b", "P ", "D", "1", "m", "3"].map(str::to_owned);
        let mut unread = Vec::new();
        let test = test_of(&table, &values, |column| unread.push(column.to_owned()));
        assert_eq!(
            Value::Object(test),
            json!({
                "description": "D", "threshold": 1.0, "vars": {"q": "why"}, "options": {"prefix": "P "},
                "assert": [
                    {"type": "contains", "value": "a"},
                    {"type": "levenshtein", "value": "b", "threshold": 3.0},
                ],
            })
        );
        assert_eq!(unread, ["__metadata:x"]);
    }
}
