//! Assertions that are code: a program of the project calls it, and hands on its verdict.

use serde_json::{Map, Value, json};

use crate::import::brought::Brought;

use super::prompts::has_ending;
use super::source::Folder;
use super::template::fill;

/// A language in which an assertion can be written.
struct Language {
    /// The assertion's type.
    kind: &'static str,
    /// What runs it.
    interpreter: &'static str,
    /// The path of the program that calls it.
    judge: &'static str,
    /// That program.
    text: &'static str,
    /// The endings of its files.
    endings: &'static [&'static str],
    /// The function that is called where none is named.
    function: &'static str,
}

const LANGUAGES: [Language; 2] = [
    Language {
        kind: "python",
        interpreter: "python3",
        judge: "tools/promptfoo-judge.py",
        text: include_str!("judge.py"),
        endings: &["py"],
        function: "get_assert",
    },
    Language {
        kind: "javascript",
        interpreter: "node",
        judge: "tools/promptfoo-judge.cjs",
        text: include_str!("judge.cjs"),
        endings: &["js", "cjs", "mjs"],
        function: "-",
    },
];

/// The expectation for an assertion that is code, with the program that calls it; none where it is no code.
///
/// # Errors
/// Why the code cannot be called from the project.
pub(super) fn expectation(
    assertion: &Map<String, Value>,
    vars: &Map<String, Value>,
    (folder, inside): (Folder<'_>, Option<&str>),
    brought: &mut Brought,
) -> Option<Result<Value, String>> {
    let written = assertion.get("type").and_then(Value::as_str)?;
    let name = written.strip_prefix("not-").unwrap_or(written);
    let language = LANGUAGES.into_iter().find(|language| language.kind == name)?;
    let threshold = assertion.get("threshold").and_then(Value::as_f64).map_or_else(String::new, |one| one.to_string());
    let code = code(assertion, vars, &language, (folder, inside));
    Some(code.map(|[form, what, function]| {
        if !brought.files.iter().any(|file| file.path == language.judge) {
            brought.file(language.judge, language.text);
        }
        let run = json!({"command": {"run": [language.interpreter, language.judge, form, what, function, threshold]}});
        if name == written { run } else { json!({"not": run}) }
    }))
}

/// The expectation for what no grader here looks at and the program that calls code in Python does; none for any other type.
/// `value` is filled in already.
pub(super) fn measured(assertion: &Map<String, Value>, value: &Value, brought: &mut Brought) -> Option<Value> {
    let written = assertion.get("type").and_then(Value::as_str)?;
    let name = written.strip_prefix("not-").unwrap_or(written);
    let words = match (name, value) {
        ("levenshtein", Value::String(text)) => {
            let most = assertion.get("threshold").map_or(Some(MOST_EDITS), Value::as_f64);
            let most = most.filter(|most| (0.0..=1e6).contains(most))?;
            ["levenshtein".to_owned(), text.clone(), "-".to_owned(), most.floor().to_string()]
        }
        // That one fits no schema is another matter: there, what is no JSON fails too.
        ("is-json", Value::Null) if written != name => ["no-json", "-", "-", ""].map(str::to_owned),
        _ => return None,
    };
    let [python, _] = &LANGUAGES;
    if !brought.files.iter().any(|file| file.path == python.judge) {
        brought.file(python.judge, python.text);
    }
    let run: Vec<String> = [python.interpreter, python.judge].into_iter().map(str::to_owned).chain(words).collect();
    let run = json!({"command": {"run": run}});
    Some(if name == "levenshtein" && name != written { json!({"not": run}) } else { run })
}

/// Edits that the other tool allows where it is told no number.
const MOST_EDITS: f64 = 5.0;

/// How the code is called: `file`, its path and its function; or `inline` and itself.
fn code(
    assertion: &Map<String, Value>,
    vars: &Map<String, Value>,
    language: &Language,
    (folder, inside): (Folder<'_>, Option<&str>),
) -> Result<[String; 3], String> {
    for key in ["transform", "config"] {
        if assertion.get(key).is_some_and(|value| !value.is_null()) {
            return Err(format!("its `{key}` would have to be applied, and nothing does that here"));
        }
    }
    let value = assertion.get("value").and_then(Value::as_str).filter(|code| !code.trim().is_empty());
    let value = value.ok_or("its value is no text")?;
    let Some(reference) = value.strip_prefix("file://") else {
        return Ok(["inline".to_owned(), fill(value, vars)?, "-".to_owned()]);
    };
    let (path, function) = reference.split_once(':').unwrap_or((reference, language.function));
    if !has_ending(path, language.endings) {
        return Err(format!("`{path}` is in another language"));
    }
    let path = folder.path(path)?;
    let path = match inside {
        Some("") => path,
        Some(inside) => format!("{inside}/{path}"),
        None => return Err("its file lies in another folder than the project".to_owned()),
    };
    Ok(["file".to_owned(), path, function.to_owned()])
}
