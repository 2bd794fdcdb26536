//! The bytes of one YAML file, to a tree with places and to JSON; everything that YAML allows and a project
//! file must not hold is refused here, with its place.

use serde_json::Value;
use serde_yaml::Error as YamlError;
use serde_yaml::budget::BudgetBreach;

use super::diagnostic::{Diagnostic, SourceText};
use super::node::{Half, Node, NodeKind};

/// How much of everything one YAML file may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes.
    bytes: usize,
    /// Values, those that aliases repeat included.
    nodes: usize,
    /// Anchors, aliases (`*name`) and merge keys.
    aliases: usize,
    /// Lists and maps inside each other.
    depth: usize,
}

impl Limits {
    /// For a file of a project.
    const PROJECT: Self = Self { bytes: 1024 * 1024, nodes: 50_000, aliases: 64, depth: 32 };
    /// For a file that another tool wrote, which holds all of its tests at once. No deeper: each level costs stack.
    pub(super) const FOREIGN: Self = Self { bytes: 32 * 1024 * 1024, nodes: 2_000_000, aliases: 1_000, depth: 32 };
}

/// One YAML file that has been read: its text, its tree and the same as JSON.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// The file and its text.
    pub(super) source: SourceText,
    /// The tree with places.
    pub(super) node: Node,
    /// The same without places.
    pub(super) json: Value,
}

impl Document {
    /// Reads the bytes of the file at `path`.
    ///
    /// # Errors
    /// Everything that keeps it from being one YAML document that JSON can hold.
    pub(super) fn read(path: &str, bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        Self::read_within(path, bytes, Limits::PROJECT)
    }

    /// The same within other limits.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn read_within(path: &str, bytes: &[u8], limits: Limits) -> Result<Self, Vec<Diagnostic>> {
        let source = SourceText::new(path, &String::from_utf8_lossy(bytes));
        let node = parse(&source, bytes, limits).map_err(|diagnostic| vec![diagnostic])?;
        let mut diagnostics = inexact_numbers(&source, &node);
        let mut key_errors = Vec::new();
        let json = node.to_json(&mut key_errors);
        diagnostics.extend(key_errors.into_iter().map(|error| {
            let hint = match source.slice(&error.bytes) {
                Some(text) if !text.is_empty() => format!("write `\"{text}\":`"),
                _ => "a key is a text that stands before a colon".to_owned(),
            };
            let message = format!("expected a text as the key, found {}", error.found);
            source.error(error.line, error.column, message).with_hint(hint)
        }));
        if diagnostics.is_empty() { Ok(Self { source, node, json }) } else { Err(diagnostics) }
    }

    /// An error at the value that a JSON pointer leads to.
    pub(super) fn error(&self, pointer: &str, message: impl Into<String>) -> Diagnostic {
        self.error_at(pointer, Half::Value, message)
    }

    /// An error at the key or the value that a JSON pointer leads to.
    pub(super) fn error_at(&self, pointer: &str, half: Half, message: impl Into<String>) -> Diagnostic {
        let node = self.node.at(pointer, half);
        self.source.error(node.line, node.column, message)
    }

    /// The text of a scalar as it stands in the file, quotes included.
    pub(super) fn written(&self, pointer: &str) -> Option<&str> {
        let node = self.node.at(pointer, Half::Value);
        self.source.slice(&node.bytes).map(str::trim).filter(|text| !text.is_empty() && !text.contains('\n'))
    }
}

fn parse(source: &SourceText, bytes: &[u8], limits: Limits) -> Result<Node, Diagnostic> {
    if bytes.len() > limits.bytes {
        let message = format!("the file has {} bytes, and at most {} are read", bytes.len(), limits.bytes);
        return Err(source.error(0, 0, message).with_hint("keep large data in a fixture or a source file"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (line, column) = place_of(&bytes[..error.valid_up_to()]);
        let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
        source
            .error(line, column, format!("the byte 0x{byte:02X} here is not UTF-8"))
            .with_hint("save the file as UTF-8")
    })?;
    if let Some(offset) = text.find(forbidden) {
        let (line, column) = place_of(&bytes[..offset]);
        let code = text[offset..].chars().next().map_or(0, u32::from);
        return Err(source
            .error(line, column, format!("the control character U+{code:04X} must not stand in a YAML file"))
            .with_hint("inside double quotes it can be written as an escape"));
    }
    let node: Node =
        serde_yaml::from_str_with_options(text, options(limits)).map_err(|error| translate(source, &error, limits))?;
    if node.kind == NodeKind::Null {
        return Err(source.error(0, 0, "the file is empty").with_hint("`holdpoint schema` prints what it can hold"));
    }
    Ok(node)
}

/// YAML 1.2 allows no control character but tab, line feed, carriage return and next line (section 5.1).
fn forbidden(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{85}')
}

/// Types are those of YAML 1.2's core schema, without what its predecessor made of `yes`, `0755` and `1_000`.
fn options(limits: Limits) -> serde_yaml::Options {
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_reader_input_bytes: Some(limits.bytes),
            max_nodes: limits.nodes,
            max_events: 4 * limits.nodes,
            max_aliases: limits.aliases,
            max_anchors: limits.aliases,
            max_depth: limits.depth,
            max_documents: 2,
            max_merge_keys: limits.aliases,
            max_total_scalar_bytes: 2 * limits.bytes,
        },
        alias_limits: serde_yaml::alias_limits! { max_total_replayed_events: limits.nodes },
        duplicate_keys: serde_yaml::DuplicateKeyPolicy::Error,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        non_finite_float_policy: serde_yaml::NonFiniteFloatPolicy::Reject,
    }
}

/// A whole number beyond 64 bits would be rounded; data must pass as it stands.
fn inexact_numbers(source: &SourceText, node: &Node) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    node.for_each_float(&mut |float| {
        let written = source.slice(&float.bytes).unwrap_or_default();
        let digits = written.strip_prefix(['-', '+']).unwrap_or(written);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("the number {written} has more digits than can be kept exactly");
            let hint = format!("write it as a text: \"{written}\"");
            diagnostics.push(source.error(float.line, float.column, message).with_hint(hint));
        }
    });
    diagnostics
}

/// Line and column of the end of `before`, both from 1.
fn place_of(before: &[u8]) -> (usize, usize) {
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |position| position + 1);
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    (line, 1 + String::from_utf8_lossy(&before[line_start..]).chars().count())
}

fn translate(source: &SourceText, error: &YamlError, limits: Limits) -> Diagnostic {
    let error = error.without_snippet();
    let place = |number: u64| usize::try_from(number).unwrap_or(0);
    let (line, column) = error.location().map_or((0, 0), |place_| (place(place_.line()), place(place_.column())));
    let (message, hint) = words(error, limits);
    let diagnostic = source.error(line, column, message);
    match hint {
        Some(hint) => diagnostic.with_hint(hint),
        None => diagnostic,
    }
}

fn words(error: &YamlError, limits: Limits) -> (String, Option<&'static str>) {
    let (message, hint) = match error {
        YamlError::AliasError { error, .. } => return words(error.without_snippet(), limits),
        YamlError::DuplicateMappingKey { key, .. } => {
            let key = key.as_ref().map_or_else(String::new, |key| format!(" `{key}`"));
            (format!("the key{key} stands here for the second time"), "keep one of the two")
        }
        YamlError::MultipleDocuments { .. } => {
            ("a second YAML document begins here".to_owned(), "one file holds one document: remove the `---` line")
        }
        YamlError::NonFiniteFloat { value, .. } => {
            (format!("`{value}` is no finite number"), "quote it where a text is meant")
        }
        YamlError::UnknownAnchor { .. } => (
            "this alias refers to an anchor that is not defined above it".to_owned(),
            "a text that begins with `*` must be quoted",
        ),
        YamlError::RecursiveReferencesRequireWeakTypes { .. } => {
            ("this alias stands inside what it refers to".to_owned(), "write the value out")
        }
        YamlError::AliasReplayLimitExceeded { .. }
        | YamlError::AliasExpansionLimitExceeded { .. }
        | YamlError::AliasReplayStackDepthExceeded { .. }
        | YamlError::AliasReplayCounterOverflow { .. } => (
            format!("the file's aliases stand for more than {} values", limits.nodes),
            "write the values out, or keep them in a fixture",
        ),
        YamlError::Budget { breach, .. } => {
            return (breach_in_words(breach, limits), Some("keep large data in a fixture or a source file"));
        }
        other => return (first_line(&other.to_string(), limits), None),
    };
    (message, Some(hint))
}

fn breach_in_words(breach: &BudgetBreach, limits: Limits) -> String {
    match breach {
        BudgetBreach::Aliases { .. } | BudgetBreach::Anchors { .. } | BudgetBreach::AliasAnchorRatio { .. } => {
            format!("the file has more than {} anchors or aliases", limits.aliases)
        }
        BudgetBreach::Depth { .. } => format!("lists and maps are nested deeper than {} here", limits.depth),
        BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
            format!("the file holds more than {} values", limits.nodes)
        }
        BudgetBreach::MergeKeys { .. } => format!("the file has more than {} merge keys (`<<`)", limits.aliases),
        BudgetBreach::Documents { .. } => "the file holds more than one YAML document".to_owned(),
        _ => "the file is larger than a project file may be".to_owned(),
    }
}

/// The parser's own words: one line, without a full stop and without the place, which stands beside it.
fn first_line(text: &str, limits: Limits) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = line.rsplit_once(" at line ").map_or(line, |(before, _)| before);
    match line.trim().trim_end_matches('.') {
        "recursion limit exceeded" => format!("lists and maps are nested deeper than {}", limits.depth),
        words => words.to_owned(),
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    fn first_message(text: &str) -> String {
        match Document::read("case.yaml", text.as_bytes()) {
            Ok(_) => "fine".to_owned(),
            Err(errors) => format!("{}:{} {}", errors[0].line, errors[0].column, errors[0].message),
        }
    }

    #[test]
    fn nesting_is_taken_up_to_the_limit_and_no_further() {
        let lists = |depth: usize| format!("{}x{}", "[".repeat(depth), "]".repeat(depth));
        let maps = |depth: usize| format!("{}x{}", "{a: ".repeat(depth), "}".repeat(depth));
        let block = |depth: usize| format!("{}x", "- ".repeat(depth));
        for (form, column) in [(&lists as &dyn Fn(usize) -> String, 33), (&maps, 129), (&block, 65)] {
            assert_eq!(first_message(&form(32)), "fine");
            let refusal = format!("1:{column} lists and maps are nested deeper than 32 here");
            assert_eq!(first_message(&form(33)), refusal);
        }
    }
}
