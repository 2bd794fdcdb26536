//! Texts as they are written into YAML, so that they are read back the same and hide nothing from a reader.

use serde_json::Value;

/// The line by which editors find the schema of a file; `up` leads from the file's folder to the project's.
pub fn schema_line(up: &str, kind: &str) -> String {
    let up = if up.is_empty() { String::new() } else { format!("{up}/") };
    format!("# yaml-language-server: $schema={up}.holdpoint/schemas/{kind}.json")
}

/// A text as it is where YAML cannot take it for anything else, else in quotes.
pub fn word(text: &str) -> String {
    const TAKEN: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && !TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(text));
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// A text in double quotes. JSON's escapes are YAML's too (YAML 1.2, section 5.7). What a YAML file must not hold, and what would hide in it or turn it round for its reader, is
/// escaped.
pub fn quoted(text: &str) -> String {
    let mut written = String::new();
    for c in Value::from(text).to_string().chars() {
        if hides(c) {
            written.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            written.push(c);
        }
    }
    written
}

/// Whether a character must not stand in a YAML file as it is, or would hide in it or turn it round for its reader.
pub fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
