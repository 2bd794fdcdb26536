//! Expectations that could not be judged, and expectations that no answer can fail.

pub(super) mod behaviour;
mod json_schema;

use regex::Regex;
use serde_json::Value;

use crate::manifest::compile::{compile_json_path, compile_regex};
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::expectation::{
    Contains, ContainsForm, EffectCount, Expectation, JsonCheck, JsonKind, JsonSchemaCheck, Length, RegexForm, Similar,
};
use crate::manifest::node::{Half, below};
use crate::manifest::yaml::Document;

use super::project_file::check_program;

pub(super) use json_schema::{schema_fault, unknown_keywords};

/// Checks the expectation at `pointer`.
pub(super) fn check(document: &Document, pointer: &str, expectation: &Expectation, errors: &mut Vec<Diagnostic>) {
    if let Some(inner) = &expectation.not {
        return check(document, &below(pointer, "not"), inner, errors);
    }
    let mut checker = Checker { document, errors };
    checker.check(pointer, expectation);
}

struct Checker<'a> {
    document: &'a Document,
    errors: &'a mut Vec<Diagnostic>,
}

impl Checker<'_> {
    fn check(&mut self, pointer: &str, expectation: &Expectation) {
        let at = |key: &str| below(pointer, key);
        if let Some(contains) = &expectation.contains {
            self.contains(&at("contains"), contains);
        }
        if let Some(regex) = &expectation.regex {
            self.regex(&at("regex"), regex);
        }
        if let Some(json) = &expectation.json {
            self.json(&at("json"), json);
        }
        if let Some(schema) = &expectation.json_schema {
            self.json_schema(&at("json_schema"), schema);
        }
        if let Some(similar) = &expectation.similar {
            self.similar(&at("similar"), similar);
        }
        if let Some(number) = &expectation.number
            && let Some(path) = &number.path
        {
            self.json_path(&below(&at("number"), "path"), path);
        }
        if let Some(length) = &expectation.length {
            self.length(&at("length"), length);
        }
        if let Some(cites) = &expectation.cites {
            self.json_path(&below(&at("cites"), "path"), &cites.path);
        }
        if let Some(effects) = &expectation.effects {
            self.effects(&at("effects"), effects);
        }
        if let Some(outcome) = &expectation.outcome {
            self.operation(&below(&at("outcome"), "operation"), outcome.operation.as_str());
        }
        behaviour::check(self.document, pointer, expectation, self.errors);
        if let Some(command) = &expectation.command {
            check_program(self.document, &below(&at("command"), "run"), &command.run, self.errors);
        }
    }

    fn push(&mut self, pointer: &str, message: impl Into<String>, hint: &str) {
        self.errors.push(self.document.error(pointer, message).with_hint(hint));
    }

    fn contains(&mut self, pointer: &str, form: &ContainsForm) {
        let full = match form {
            ContainsForm::Texts(texts) => {
                let one = texts.texts().len() == 1;
                for (index, _) in texts.texts().iter().enumerate().filter(|(_, text)| text.is_empty()) {
                    let place = if one { pointer.to_owned() } else { below(pointer, index) };
                    self.empty_text(&place);
                }
                Contains { all: texts.texts().to_vec(), ..Contains::default() }
            }
            ContainsForm::Full(full) => {
                for (key, list) in [("all", &full.all), ("any", &full.any), ("none", &full.none)] {
                    for (index, _) in list.iter().enumerate().filter(|(_, text)| text.is_empty()) {
                        self.empty_text(&below(&below(pointer, key), index));
                    }
                }
                full.clone()
            }
        };
        if full.all.is_empty() && full.any.is_empty() && full.none.is_empty() {
            self.push(pointer, "`contains` names no text, so no answer can fail it", "name at least one text");
        }
        let clash =
            full.none.iter().find(|none| !none.is_empty() && full.all.iter().any(|all| all.contains(none.as_str())));
        if let Some(text) = clash {
            let message = format!("the text {text:?} must occur and must not, so no answer can pass");
            self.push(pointer, message, "remove it from `all` or from `none`");
        }
    }

    fn empty_text(&mut self, pointer: &str) {
        self.push(
            pointer,
            "every answer contains the empty text",
            "name a text, or use `equals: \"\"` for an empty answer",
        );
    }

    fn regex(&mut self, pointer: &str, form: &RegexForm) {
        let (place, pattern, count) = match form {
            RegexForm::Pattern(pattern) => (pointer.to_owned(), pattern, None),
            RegexForm::Full(full) => (below(pointer, "pattern"), &full.pattern, full.count),
        };
        if let Some(regex) = self.pattern(&place, pattern)
            && count.is_none()
            && is_found_everywhere(&regex)
        {
            let message = format!("the pattern `{pattern}` is found in every text, so no answer can fail it");
            self.push(&place, message, "write a pattern that needs at least one character");
        }
    }

    fn pattern(&mut self, pointer: &str, pattern: &str) -> Option<Regex> {
        if pattern.is_empty() {
            self.push(pointer, "the empty pattern is found in every text", "write a pattern");
            return None;
        }
        match compile_regex(pattern) {
            Ok(regex) => Some(regex),
            Err(reason) => {
                let hint = "the syntax is that of Rust's regex crate, without look-around and back-references";
                self.push(pointer, format!("this is no regular expression: {reason}"), hint);
                None
            }
        }
    }

    fn json_path(&mut self, pointer: &str, path: &str) {
        if let Err(reason) = compile_json_path(path) {
            let hint = "a path begins with `$`, as in `$.receipt.operation` (RFC 9535)";
            self.push(pointer, format!("`{}` is no JSONPath: {reason}", path.escape_debug()), hint);
        }
    }

    fn json(&mut self, pointer: &str, check: &JsonCheck) {
        self.json_path(&below(pointer, "path"), &check.path);
        if let Some(pattern) = &check.matches {
            let place = below(pointer, "matches");
            if let Some(regex) = self.pattern(&place, pattern)
                && is_found_everywhere(&regex)
            {
                self.push(&place, "the pattern is found in every text", "to ask for any text, write `type: string`");
            }
        }
        if check.contains.as_deref() == Some("") {
            self.push(
                &below(pointer, "contains"),
                "every text contains the empty text",
                "to ask for any text, write `type: string`",
            );
        }
        if check.one_of.as_ref().is_some_and(Vec::is_empty) {
            self.push(&below(pointer, "one_of"), "no value is one of none", "name the values that are allowed");
        }
        if let Some(reason) = contradiction(check) {
            self.push(pointer, format!("no value can pass: {reason}"), "remove one of the two");
        }
    }

    fn json_schema(&mut self, pointer: &str, check: &JsonSchemaCheck) {
        if let Some(path) = &check.path {
            self.json_path(&below(pointer, "path"), path);
            if check.anywhere {
                let hint = "a path leads into an answer that is JSON as a whole";
                self.push(&below(pointer, "anywhere"), "a path and `anywhere` exclude each other", hint);
            }
        }
        let place = below(pointer, "schema");
        let schema = Value::Object(check.schema.clone());
        let mut unknown = Vec::new();
        json_schema::unknown_keywords(&schema, &place, &mut unknown);
        if let Some((place, message, hint)) = schema_fault(&schema, &place) {
            self.push(&place, message, hint);
        } else if unknown.is_empty() && json_schema::accepts_everything(&schema) {
            let hint = "say what the answer must have";
            self.push(&place, "the schema accepts every value, so no answer can fail it", hint);
        }
        for (place, message, hint) in unknown {
            self.errors.push(self.document.error_at(&place, Half::Key, message).with_hint(hint));
        }
    }

    fn similar(&mut self, pointer: &str, similar: &Similar) {
        if similar.to.trim().is_empty() {
            self.push(&below(pointer, "to"), "the text to compare with is empty", "write the text that is expected");
        }
    }

    fn length(&mut self, pointer: &str, length: &Length) {
        match (length.at_least, length.at_most) {
            (None | Some(0), None) => {
                self.push(pointer, "every answer has such a length", "give `at_most`, or `at_least` of 1 or more");
            }
            (Some(least), Some(most)) if least > most => {
                self.push(pointer, format!("no length is at least {least} and at most {most}"), "exchange the two");
            }
            _ => {}
        }
    }

    fn effects(&mut self, pointer: &str, effects: &EffectCount) {
        behaviour::check_fields(effects, |key, message, hint| self.push(&below(pointer, key), message, hint));
        match (effects.count, effects.at_least, effects.at_most) {
            (None, None | Some(0), None) => {
                let hint = "give `count`, `at_most`, or `at_least` of 1 or more";
                self.push(pointer, "every number of effects passes", hint);
            }
            (count, least, most) => {
                let low = least.unwrap_or(0).max(count.unwrap_or(0));
                let high = most.unwrap_or(usize::MAX).min(count.unwrap_or(usize::MAX));
                if low > high {
                    self.push(pointer, "no number of effects passes", "remove one of the bounds");
                }
            }
        }
    }

    fn operation(&mut self, pointer: &str, operation: &str) {
        if operation.trim().is_empty() {
            self.push(pointer, "the operation's name is empty", "name the operation as the workflow does");
        }
    }
}

/// Whether a pattern is found in texts that have nothing in common: none, every ASCII character, the pattern's
/// own characters, a very long one. A pattern can pass them all and still mean something only if it asks for
/// something stranger than these hold.
fn is_found_everywhere(regex: &Regex) -> bool {
    // Nearly every pattern that means something stops here.
    if !regex.is_match("") {
        return false;
    }
    let ascii: String = (0u8..128).map(char::from).collect();
    let long = "Zq7 é\n".repeat(20_000);
    ["Zq7 é\n", "\u{10FFFF}", &ascii, regex.as_str(), &long].into_iter().all(|text| regex.is_match(text))
}

/// Two comparisons that no value passes together, in words.
fn contradiction(check: &JsonCheck) -> Option<String> {
    let compares = check.equals.is_some() || check.one_of.is_some() || check.kind.is_some();
    let numbers = [check.above, check.at_least, check.below, check.at_most].iter().any(Option::is_some);
    let texts = check.contains.is_some() || check.matches.is_some();
    let nothing = check.exists == Some(false) || check.count == Some(0);
    if nothing && (compares || numbers || texts) {
        return Some("nothing may be found, and what is found is compared".to_owned());
    }
    if check.exists == Some(false) && check.count.is_some_and(|count| count > 0) {
        return Some("nothing may be found, and something must be".to_owned());
    }
    if check.exists == Some(true) && check.count == Some(0) {
        return Some("something must be found, and nothing may be".to_owned());
    }
    if numbers && (texts || check.kind.is_some_and(|kind| kind != JsonKind::Number)) {
        return Some("it would have to be a number and something else".to_owned());
    }
    if texts && check.kind.is_some_and(|kind| kind != JsonKind::String) {
        return Some("it would have to be a text and something else".to_owned());
    }
    let low = check.above.map(|bound| (bound, true)).into_iter().chain(check.at_least.map(|bound| (bound, false)));
    let high = check.below.map(|bound| (bound, true)).into_iter().chain(check.at_most.map(|bound| (bound, false)));
    let high: Vec<(f64, bool)> = high.collect();
    for (least, open_below) in low {
        for (most, open_above) in &high {
            if least > *most || (least >= *most && (open_below || *open_above)) {
                return Some("the lower bound leaves nothing below the upper one".to_owned());
            }
        }
    }
    None
}
