//! A YAML or JSON file of another tool, read as strictly as a project's own and within wider limits.

use serde_json::Value;

use super::diagnostic::Diagnostic;
use super::node::Half;
use super::yaml::{Document, Limits};

/// Such a file: its values, and the line of each.
#[derive(Clone, Debug)]
pub struct ForeignFile {
    document: Document,
}

impl ForeignFile {
    /// Reads the bytes of the file at `path`. JSON is read as what it is too, a part of YAML.
    ///
    /// # Errors
    /// Everything that keeps it from being one document that JSON can hold, with its place.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self { document: Document::read_within(path, bytes, Limits::FOREIGN)? })
    }

    /// All of its values.
    pub fn json(&self) -> &Value {
        &self.document.json
    }

    /// The line, from 1, of the value that a JSON pointer (RFC 6901) leads to, or of the deepest one on the way to it.
    pub fn line(&self, pointer: &str) -> usize {
        self.document.node.at(pointer, Half::Value).line
    }
}

/// Why a file with this text would not be read as a file of a project: it is larger, deeper or holds more than is read. None where
/// it would be read; what its keys mean is not asked.
pub fn unreadable(path: &str, text: &str) -> Option<String> {
    let errors = Document::read(path, text.as_bytes()).err()?;
    errors.into_iter().next().map(|error| error.message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_and_json_are_read_with_their_lines() {
        let yaml = ForeignFile::read("a.yaml", b"tests:\n  - vars: {a: 1}\n  - vars:\n      a: two\n").unwrap();
        assert_eq!(yaml.json()["tests"][1]["vars"]["a"], json!("two"));
        assert_eq!((yaml.line("/tests/0/vars"), yaml.line("/tests/1/vars/a"), yaml.line("/tests/9")), (2, 4, 2));
        let json =
            ForeignFile::read("a.json", b"{\r\n\t\"a\": [\r\n\t\t\"\\ud83d\\ude00\",\r\n\t\t2\r\n\t]\r\n}").unwrap();
        assert_eq!((json.json(), json.line("/a/1")), (&json!({"a": ["\u{1f600}", 2]}), 4));
    }

    #[test]
    fn what_a_project_would_not_read_is_known_beforehand() {
        assert_eq!(unreadable("a.yaml", "a: 1\n"), None);
        let large = format!("a: {}\n", "x".repeat(1024 * 1024));
        assert_eq!(unreadable("a.yaml", &large).unwrap(), "the file has 1048580 bytes, and at most 1048576 are read");
        let deep = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
        assert!(unreadable("a.yaml", &deep).unwrap().contains("nested deeper"));
    }

    #[test]
    fn what_a_project_must_not_hold_another_tool_s_file_must_not_either() {
        for (text, message) in [
            (&b"a: 1\na: 2\n"[..], "second time"),
            (b"a: caf\xe9\n", "not UTF-8"),
            (b"a: 123456789012345678901234567890\n", "more digits"),
            (b"a: *b\n", "not defined"),
        ] {
            let errors = ForeignFile::read("a.yaml", text).unwrap_err();
            assert!(errors[0].message.contains(message) && errors[0].line > 0, "{errors:?}");
        }
        let deep = format!("a: {}{}", "[".repeat(1000), "]".repeat(1000));
        assert!(ForeignFile::read("a.yaml", deep.as_bytes()).unwrap_err()[0].message.contains("nested deeper than 32"));
        assert!(ForeignFile::read("a.yaml", format!("a: {}{}", "[".repeat(30), "]".repeat(30)).as_bytes()).is_ok());
    }
}
