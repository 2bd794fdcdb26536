//! The small languages that files may hold (globs, regular expressions, JSONPath, JSON Schema, times): one way to read
//! each, so that what is checked is what is run.

use globset::{Glob, GlobBuilder};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Retrieve, Uri, Validator};
use regex::Regex;
use serde_json::Value;
use serde_json_path::JsonPath;

/// A glob over paths in the project: `*` and `?` stay within one name, `**` stands for any number of folders.
///
/// # Errors
/// The reason in words when it is none.
pub fn compile_glob(pattern: &str) -> Result<Glob, String> {
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| error.kind().to_string())
}

/// The folder, or the file, outside of which a glob matches nothing: its names before the first one with a wildcard.
pub fn literal_prefix(glob: &str) -> String {
    let is_literal = |name: &&str| !name.contains(['*', '?', '[', ']', '{', '}', '\\']);
    glob.split('/').take_while(is_literal).collect::<Vec<_>>().join("/")
}

/// A regular expression in the syntax of the `regex` crate.
///
/// # Errors
/// The reason in words when it is none, or when it would take too much memory.
pub fn compile_regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| match error {
        regex::Error::CompiledTooBig(limit) => format!("it needs more than {limit} bytes when compiled"),
        other => last_line(&other.to_string()),
    })
}

/// A pattern that is found in the texts that begin with this one, and in no others.
pub fn pattern_at_start(text: &str) -> String {
    format!(r"\A{}", regex::escape(text))
}

/// A JSONPath (RFC 9535).
///
/// # Errors
/// The reason in words when it is none.
pub fn compile_json_path(path: &str) -> Result<JsonPath, String> {
    JsonPath::parse(path).map_err(|error| format!("it cannot be read from character {} on", error.position() + 1))
}

/// What is wrong with a JSON Schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct JsonSchemaError {
    /// The JSON pointer to the fault in the schema; empty where the whole schema is meant.
    pub pointer: String,
    /// The reason in words.
    pub reason: String,
}

/// A JSON Schema (draft 2020-12). A `$ref` may only lead inside it: nothing is ever fetched.
///
/// # Errors
/// When it is none, or a `$ref` leads out of it or nowhere.
pub fn compile_json_schema(schema: &Value) -> Result<Validator, JsonSchemaError> {
    jsonschema::options().with_draft(Draft::Draft202012).with_retriever(NothingIsFetched).build(schema).map_err(
        |error| JsonSchemaError {
            pointer: error.instance_path().as_str().to_owned(),
            reason: match error.kind() {
                ValidationErrorKind::AnyOf { .. } => format!("{} is not allowed here", error.instance()),
                ValidationErrorKind::Referencing(_) => "a `$ref` leads nowhere inside the schema".to_owned(),
                _ => error.to_string(),
            },
        },
    )
}

/// A moment in the form of RFC 3339.
///
/// # Errors
/// The reason in words when it is none.
pub fn compile_time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|error: jiff::Error| error.to_string())
}

struct NothingIsFetched;

impl Retrieve for NothingIsFetched {
    fn retrieve(&self, _uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("nothing is fetched".into())
    }
}

/// A date as HTTP writes it (RFC 9110), in seconds since 1970.
///
/// # Errors
/// The reason in words when it is none.
pub fn seconds_of_http_date(text: &str) -> Result<f64, String> {
    let time = rfc2822::DateTimeParser::new().parse_timestamp(text).map_err(|error| error.to_string())?;
    Ok(time.as_duration().as_secs_f64())
}

/// The regex crate draws the pattern over several lines and states the reason on the last.
fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).trim().to_owned()
}
