//! What a workflow printed, read as an answer with an output and claims. Pure.

use serde_json::{Map, Value};

use crate::domain::{Claim, OperationId};
use crate::evidence::{Answer, ClaimMade, ErrorKind, TrialError};
use crate::manifest::AnswerForm;

use super::strict_json::{JsonError, parse_printed, without_mark};

/// Reads an answer in the form that the workflow promises.
///
/// In the form `auto` an answer that is a JSON object is taken as one and everything else as text, with three
/// exceptions that are errors: an object that breaks off before its end, one that names a key twice, and what begins
/// as an object with an output or claims and is none. They would otherwise be graded as a text that nobody meant, and
/// what they claim would go unchecked.
///
/// Half a surrogate pair, which names no character, is read as U+FFFD. A byte order mark is no part of the JSON.
///
/// # Errors
/// [`ErrorKind::Malformed`] when the answer is not what it must be, or its claims are no list of claims.
pub(super) fn read_answer(bytes: &[u8], form: AnswerForm) -> Result<Answer, TrialError> {
    let json = match form {
        AnswerForm::Text | AnswerForm::TrimmedText => None,
        AnswerForm::Json => Some(parse_printed(bytes).map_err(|error| malformed(format!("the answer: {error}")))?),
        AnswerForm::Auto if starts_object(bytes) => match parse_printed(bytes) {
            Ok(value) => Some(value),
            Err(JsonError::Syntax(_)) if !means_an_answer(bytes) => None,
            Err(error) => return Err(malformed(format!("the answer begins as a JSON object, and {error}"))),
        },
        AnswerForm::Auto => None,
    };
    let text = plain_text(bytes);
    let Some(json) = json else {
        let output = match form {
            AnswerForm::TrimmedText => Value::from(without_escapes(trimmed(&text))),
            AnswerForm::Auto | AnswerForm::Json | AnswerForm::Text => Value::from(without_line_end(&text)),
        };
        return Ok(Answer { text, json: None, output, claims: Vec::new() });
    };
    let claims = json.get("claims").map_or_else(|| Ok(Vec::new()), read_claims)?;
    let output = json.get("output").unwrap_or(&json).clone();
    Ok(Answer { text, json: Some(json), output, claims })
}

/// Reads an answer whose status already says that it is none of the promised form: nothing in it is an error.
pub(super) fn read_error_answer(bytes: &[u8]) -> Answer {
    read_answer(bytes, AnswerForm::Auto).unwrap_or_else(|_| {
        let text = plain_text(bytes);
        Answer { output: Value::from(without_line_end(&text)), text, json: None, claims: Vec::new() }
    })
}

fn starts_object(bytes: &[u8]) -> bool {
    without_mark(bytes).trim_ascii_start().first() == Some(&b'{')
}

/// Whether what is no JSON was meant as an object with an output or claims: it begins with a quoted key, and names one
/// of the two.
fn means_an_answer(bytes: &[u8]) -> bool {
    let inside = without_mark(bytes).trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    let names = |key: &str| {
        ['"', '\''].iter().any(|quote| {
            let key = format!("{quote}{key}{quote}");
            bytes.windows(key.len()).any(|window| window == key.as_bytes())
        })
    };
    matches!(inside.trim_ascii_start().first(), Some(b'"' | b'\'')) && (names("output") || names("claims"))
}

/// Bytes as text. Nothing that is no text stays in it: bytes that are no UTF-8, and NUL, show as U+FFFD.
pub(super) fn plain_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

/// A line end after the last line belongs to the printing, not to the answer.
fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// A text without the white space at its ends: what JavaScript takes for that, since imported assertions were written for
/// answers that it had trimmed. A byte order mark is white space there, and U+0085 is none.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}

/// A text without the escape sequences that a terminal would follow. An escape that begins none of them stays.
fn without_escapes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let sequence = escape_sequence(rest.as_bytes());
        if sequence.is_none() {
            kept.push('\u{1b}');
        }
        rest = &rest[sequence.unwrap_or(1)..];
    }
    kept.push_str(rest);
    kept
}

/// How many bytes the escape sequence has that stands at the beginning; none where it is not a whole one. All of them are ASCII.
fn escape_sequence(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'@'..=b'Z' | b'\\'..=b'_' => Some(2),
        b'[' => {
            let parameters = bytes[2..].iter().take_while(|byte| matches!(byte, b'0'..=b'?')).count();
            let between = bytes[2 + parameters..].iter().take_while(|byte| matches!(byte, b' '..=b'/')).count();
            let end = 2 + parameters + between;
            matches!(bytes.get(end)?, b'@'..=b'~').then_some(end + 1)
        }
        _ => None,
    }
}

fn read_claims(value: &Value) -> Result<Vec<ClaimMade>, TrialError> {
    let Value::Array(items) = value else {
        return Err(malformed("`claims` in the answer is no list".to_owned()));
    };
    let mut claims: Vec<ClaimMade> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let claim =
            read_claim(item).map_err(|reason| malformed(format!("`claims[{index}]` in the answer {reason}")))?;
        if claims.iter().any(|earlier| earlier.operation == claim.operation) {
            let reason =
                format!("`claims[{index}]` in the answer is the second one on operation `{}`", claim.operation);
            return Err(malformed(reason));
        }
        claims.push(claim);
    }
    Ok(claims)
}

fn read_claim(item: &Value) -> Result<ClaimMade, String> {
    const WORDS: &str = "completed, rejected, failed, unknown or held";
    let fields: &Map<String, Value> = item.as_object().ok_or("is no object with `operation` and `claim`")?;
    let operation = match fields.get("operation") {
        Some(Value::String(operation)) if !operation.is_empty() => OperationId::new(operation.as_str()),
        Some(_) => return Err("has an `operation` that is no text with anything in it".to_owned()),
        None => return Err("has no `operation`".to_owned()),
    };
    let word = fields.get("claim").ok_or("has no `claim`")?;
    let claim = serde_json::from_value::<Claim>(word.clone())
        .map_err(|_| format!("claims {word}, which is none of {WORDS}"))?;
    Ok(ClaimMade { operation, claim })
}

/// The error of an answer that is longer than the workflow may give.
pub(super) fn too_long(cap: usize) -> TrialError {
    let message = format!("the answer is longer than {cap} bytes; {MORE_ALLOWED}");
    TrialError { kind: ErrorKind::OutputCap, message }
}

/// How a workflow is allowed a longer answer.
pub(super) const MORE_ALLOWED: &str = "where it may be, raise `output_cap_bytes` of the workflow in holdpoint.yaml";

fn malformed(message: String) -> TrialError {
    TrialError { kind: ErrorKind::Malformed, message }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str, form: AnswerForm) -> Answer {
        read_answer(text.as_bytes(), form).unwrap()
    }

    fn error(text: &str, form: AnswerForm) -> String {
        let error = read_answer(text.as_bytes(), form).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
        error.message
    }

    #[test]
    fn an_object_gives_output_and_claims() {
        let text = r#" {"output": "staged", "claims": [{"operation": "op-7", "claim": "held", "note": 1}], "more": 2}
"#;
        for form in [AnswerForm::Auto, AnswerForm::Json] {
            let answer = read(text, form);
            assert_eq!(answer.output, json!("staged"));
            assert_eq!(answer.claims, [ClaimMade { operation: "op-7".into(), claim: Claim::Held }]);
            assert_eq!(answer.json.as_ref().unwrap()["more"], json!(2));
            assert_eq!(answer.text, text);
        }
        assert_eq!(read(text, AnswerForm::Text).json, None);
    }

    #[test]
    fn the_whole_object_is_the_output_where_it_names_none() {
        assert_eq!(read(r#"{"answer": 4}"#, AnswerForm::Auto).output, json!({"answer": 4}));
        assert_eq!(read(r#"{"output": null}"#, AnswerForm::Auto).output, Value::Null);
    }

    #[test]
    fn only_an_object_is_json_in_the_form_auto() {
        for text in ["12", "[1]", "null", "\"a\"", "{hello}", "Note: {\"output\": 1}"] {
            let answer = read(text, AnswerForm::Auto);
            assert_eq!((answer.json, answer.output), (None, json!(text)), "{text}");
        }
        assert_eq!(read("[1]", AnswerForm::Json).output, json!([1]));
    }

    #[test]
    fn an_object_that_breaks_off_or_contradicts_itself_is_malformed_and_no_text() {
        for text in ["{\"output\": \"ref", "{", "{\"output\": 1, \"output\": 2}"] {
            error(text, AnswerForm::Auto);
            error(text, AnswerForm::Json);
            assert_eq!(read(text, AnswerForm::Text).output, json!(text));
        }
    }

    #[test]
    fn half_a_surrogate_pair_takes_neither_the_output_nor_the_claims_away() {
        let text = r#"{"output": "Hello \ud800", "claims": [{"operation": "op", "claim": "completed"}]}"#;
        for form in [AnswerForm::Auto, AnswerForm::Json] {
            let answer = read(text, form);
            assert_eq!(answer.output, json!("Hello \u{fffd}"));
            assert_eq!(answer.claims, [ClaimMade { operation: "op".into(), claim: Claim::Completed }]);
            assert_eq!(answer.text, text, "what was printed is kept as it is");
        }
    }

    #[test]
    fn a_byte_order_mark_makes_no_text_of_an_object() {
        for form in [AnswerForm::Auto, AnswerForm::Json] {
            assert_eq!(read("\u{feff}{\"output\": 1}", form).output, json!(1));
        }
    }

    #[test]
    fn what_was_meant_as_an_object_with_an_output_or_claims_is_malformed_and_no_text() {
        for text in [
            "{\"output\": \"a\tb\"}",
            " {\n \"claims\": [], }",
            "{\"output\": 1} done",
            "{\"more\": NaN, \"output\": 1}",
            "{'output': 'x'}",
            r#"{"output": "\ud800", }"#,
        ] {
            assert!(error(text, AnswerForm::Auto).contains("it is no JSON"), "{text}");
            assert_eq!(read(text, AnswerForm::Text).output, json!(text));
        }
        let bytes = b"{\"output\": \"caf\xe9\"}";
        assert_eq!(read_answer(bytes, AnswerForm::Auto).unwrap_err().kind, ErrorKind::Malformed);
        for text in ["{name}, your \"output\" is ready", "{\"a\", \"b\"} is a set", "{\"it\" is} the output"] {
            assert_eq!(read(text, AnswerForm::Auto).output, json!(text));
        }
    }

    #[test]
    fn the_form_json_takes_nothing_else() {
        for text in ["", "ok", "{\"a\": NaN}", "{} {}", "{'a': 1}"] {
            error(text, AnswerForm::Json);
        }
    }

    #[test]
    fn nothing_printed_is_an_empty_text() {
        for form in [AnswerForm::Auto, AnswerForm::Text] {
            assert_eq!(read("", form).output, json!(""));
        }
    }

    #[test]
    fn the_last_line_end_is_no_part_of_a_text_output() {
        assert_eq!(read("yes\n", AnswerForm::Auto).output, json!("yes"));
        assert_eq!(read("yes\r\n", AnswerForm::Text).output, json!("yes"));
        assert_eq!(read("yes\n\n", AnswerForm::Text).output, json!("yes\n"));
        assert_eq!(read("yes\n", AnswerForm::Text).text, "yes\n");
    }

    #[test]
    fn a_trimmed_text_has_no_white_space_around_it_and_no_colours() {
        for (printed, output) in [
            ("\n  Sorry, no. \n", "Sorry, no."),
            ("\u{feff}\u{a0}yes\u{2028}\r\n", "yes"),
            ("\u{85}yes", "\u{85}yes"),
            ("\u{1b}[1;31mno\u{1b}[0m, \u{1b}]\u{1b}[?25lnever\u{1b}M\n", "no, never"),
            ("a  b\n\nc", "a  b\n\nc"),
            ("half \u{1b}[31", "half \u{1b}[31"),
            ("half \u{1b}", "half \u{1b}"),
            ("\u{1b}é\u{1b}[é", "\u{1b}é\u{1b}[é"),
            (" \n", ""),
        ] {
            let answer = read(printed, AnswerForm::TrimmedText);
            assert_eq!((answer.json, answer.output), (None, json!(output)), "{printed:?}");
            assert_eq!(answer.text, printed, "what was printed is kept as it is");
        }
        let answer = read(r#" {"output": 1, "claims": 7} "#, AnswerForm::TrimmedText);
        assert_eq!(answer.output, json!(r#"{"output": 1, "claims": 7}"#));
        assert!(answer.claims.is_empty());
    }

    #[test]
    fn a_malformed_claim_is_an_error_with_its_place() {
        for (claims, expected) in [
            (r#"{"operation": "a", "claim": "completed"}"#, "no list"),
            ("null", "no list"),
            (r#"[{"operation": "a"}]"#, "claims[0]` in the answer has no `claim`"),
            (r#"[{"operation": "a", "claim": "held"}, {"claim": "held"}]"#, "claims[1]"),
            (r#"[{"operation": "a", "claim": "done"}]"#, "\"done\""),
            (r#"[{"operation": "a", "claim": "Completed"}]"#, "\"Completed\""),
            (r#"[{"operation": "a", "claim": null}]"#, "null"),
            (r#"[{"operation": 7, "claim": "held"}]"#, "no text"),
            (r#"[{"operation": "", "claim": "held"}]"#, "no text"),
            (r#"["completed"]"#, "no object"),
            (r#"[{"operation": "a", "claim": "held"}, {"operation": "a", "claim": "failed"}]"#, "second"),
        ] {
            let message = error(&format!(r#"{{"output": "x", "claims": {claims}}}"#), AnswerForm::Auto);
            assert!(message.contains(expected), "{claims}: {message}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_show_as_replacement_characters() {
        let answer = read_answer(b"a\0b\xffc", AnswerForm::Auto).unwrap();
        assert_eq!(answer.output, json!("a\u{fffd}b\u{fffd}c"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_answer_or_malformed(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for form in [AnswerForm::Text, AnswerForm::TrimmedText] {
                let text = read_answer(&bytes, form).unwrap();
                prop_assert!(text.json.is_none() && !text.text.contains('\0'));
            }
            for form in [AnswerForm::Auto, AnswerForm::Json] {
                if let Err(error) = read_answer(&bytes, form) {
                    prop_assert_eq!(error.kind, ErrorKind::Malformed);
                }
            }
        }
    }
}
