//! Bytes to text and to rows, with the line of everything that is wrong.

use crate::manifest::{Diagnostic, Severity};

use super::json_line::Line;

/// The most bytes of one file.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// An error at a line of a file.
pub(super) fn error_at(path: &str, line: usize, message: impl Into<String>, hint: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        path: path.to_owned(),
        line,
        column: usize::from(line > 0),
        source_line: String::new(),
        message: message.into().replace(char::is_control, " "),
        hint: Some(hint.to_owned()),
    }
}

/// The text of a file: UTF-8, with or without a byte order mark.
///
/// # Errors
/// With the line of the first byte that is none.
pub(super) fn text<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str, Diagnostic> {
    let hint = "save the file as UTF-8";
    if bytes.len() > MOST_BYTES {
        return Err(error_at(path, 0, format!("the file is larger than {MOST_BYTES} bytes"), "take it apart"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(error_at(path, 1, "the file is UTF-16", hint));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
        error_at(path, line, format!("the byte 0x{byte:02X} here is not UTF-8"), hint)
    })
}

/// The JSON objects of a file of JSON lines. Empty lines are passed over.
///
/// # Errors
/// One for every line that is no object, or has a key twice.
pub(super) fn json_lines(path: &str, bytes: &[u8]) -> Result<Vec<Line>, Vec<Diagnostic>> {
    let text = text(path, bytes).map_err(|error| vec![error])?;
    let (rows, errors) = objects(path, (1..).zip(text.lines().map(str::as_bytes)));
    if errors.is_empty() { Ok(rows) } else { Err(errors) }
}

/// The same of a file of tests, each of which stands for itself: what is wrong with a line takes nothing from the others.
///
/// # Errors
/// When the file as a whole is no text, or no line is an object.
pub(super) fn readable_lines(path: &str, bytes: &[u8]) -> Result<(Vec<Line>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let whole = text(path, bytes);
    if let Err(error) = whole.as_ref()
        && !is_of_a_line(bytes)
    {
        return Err(vec![error.clone()]);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
    let (rows, errors) = objects(path, lines);
    if rows.is_empty() && !errors.is_empty() { Err(errors) } else { Ok((rows, errors)) }
}

/// Whether what keeps a file from being text can be told of a line of it: where it is not too large, and not UTF-16.
fn is_of_a_line(bytes: &[u8]) -> bool {
    bytes.len() <= MOST_BYTES && !bytes.starts_with(&[0xff, 0xfe]) && !bytes.starts_with(&[0xfe, 0xff])
}

fn objects<'a>(path: &str, lines: impl Iterator<Item = (usize, &'a [u8])>) -> (Vec<Line>, Vec<Diagnostic>) {
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for (line, content) in lines {
        let read = match std::str::from_utf8(content) {
            Ok(content) if content.trim().is_empty() => continue,
            Ok(content) => Line::read(line, content),
            Err(error) => {
                let byte = content.get(error.valid_up_to()).copied().unwrap_or_default();
                Err(format!("the byte 0x{byte:02X} here is not UTF-8"))
            }
        };
        match read {
            Ok(read) => rows.push(read),
            Err(message) => errors.push(error_at(path, line, message, "each line is one JSON object")),
        }
    }
    (rows, errors)
}

/// A table: the names of its columns, and its rows with their lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<(usize, Vec<String>)>,
}

/// Counts lines up to places that lie further and further on.
struct LineCount<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl LineCount<'_> {
    /// The line of the first byte from a place on that is no line end: where lines end in two bytes, the reader takes the second
    /// one for the beginning of the next row.
    fn of(&mut self, byte: u64) -> usize {
        let mut end = usize::try_from(byte).unwrap_or(usize::MAX).clamp(self.at, self.bytes.len());
        end += self.bytes[end..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        self.line += self.bytes[self.at..end].iter().filter(|byte| **byte == b'\n').count();
        self.at = end;
        self.line
    }
}

/// What is wrong with the quotes of a table, with its line: the reader would take all that follows a quote that is never closed
/// for its value, and what stands behind one that is closed for a part of it.
fn wrong_quote(bytes: &[u8]) -> Option<(usize, &'static str)> {
    let (mut line, mut opened, mut begins) = (1, None, true);
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        line += usize::from(byte == b'\n');
        if opened.is_some() {
            // Two quotes in a row are one of the value's own.
            if byte == b'"' && rest.next_if_eq(&b'"').is_none() {
                opened = None;
                if rest.peek().is_some_and(|next| !matches!(next, b',' | b'\r' | b'\n')) {
                    return Some((line, "something stands behind the quote that closes a value"));
                }
            }
        } else if byte == b'"' && begins {
            (opened, begins) = (Some(line), false);
        } else {
            begins = matches!(byte, b',' | b'\r' | b'\n');
        }
    }
    opened.map(|line| (line, "the quote that opens here is not closed"))
}

/// Reads CSV (RFC 4180) with a row of names.
///
/// # Errors
/// With their lines: bytes that are no text, a quote that is not closed or not at the end of its value, a row with another number of
/// values, a name that stands twice or is empty.
pub(super) fn csv_table(path: &str, bytes: &[u8]) -> Result<Table, Vec<Diagnostic>> {
    let text = text(path, bytes).map_err(|error| vec![error])?;
    if let Some((line, wrong)) = wrong_quote(text.as_bytes()) {
        let hint = "a value is quoted from its beginning to its end; a quote within it is written twice";
        return Err(vec![error_at(path, line, wrong, hint)]);
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut table = Table::default();
    let mut errors = Vec::new();
    let mut lines = LineCount { bytes: text.as_bytes(), at: 0, line: 1 };
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, |position| lines.of(position.byte()));
                errors.push(error_at(path, line, error.to_string(), "RFC 4180 is read"));
                continue;
            }
        };
        let line = record.position().map_or(0, |position| lines.of(position.byte()));
        let values: Vec<String> = record.iter().map(str::to_owned).collect();
        if table.columns.is_empty() {
            table.columns = values;
            continue;
        }
        if values.len() != table.columns.len() {
            let message = format!("the row has {} values, and there are {} columns", values.len(), table.columns.len());
            errors.push(error_at(path, line, message, "quote a value that holds a comma"));
            continue;
        }
        table.rows.push((line, values));
    }
    if table.columns.is_empty() {
        errors.push(error_at(path, 0, "the file is empty", "its first row names the columns"));
    }
    for (index, name) in table.columns.iter().enumerate() {
        if name.trim().is_empty() {
            errors.push(error_at(path, 1, format!("column {} has no name", index + 1), "name every column"));
        } else if table.columns[..index].contains(name) {
            errors.push(error_at(path, 1, format!("the column `{name}` stands there twice"), "rename one of the two"));
        }
    }
    if errors.is_empty() { Ok(table) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn first(found: Result<impl std::fmt::Debug, Vec<Diagnostic>>) -> String {
        let errors = found.unwrap_err();
        format!("{}: {}", errors[0].line, errors[0].message)
    }

    #[test]
    fn a_byte_order_mark_and_any_line_end_are_taken() {
        let rows = json_lines("a.jsonl", b"\xef\xbb\xbf{\"a\": 1}\r\n\r\n{\"a\": 2}").unwrap();
        assert_eq!(
            rows.iter().map(|row| (row.number, row.fields["a"].clone())).collect::<Vec<_>>(),
            [(1, json!(1)), (3, json!(2))]
        );
        let table = csv_table("a.csv", b"\xef\xbb\xbfq,a\r\n\"one\r\ntwo\",\"x, \"\"y\"\"\"\r\n3,4\r\n").unwrap();
        assert_eq!(table.columns, ["q", "a"]);
        assert_eq!(table.rows[0], (2, vec!["one\r\ntwo".to_owned(), "x, \"y\"".to_owned()]));
        assert_eq!(table.rows[1].0, 4);
    }

    #[test]
    fn a_broken_line_takes_nothing_from_the_others() {
        let (rows, errors) = readable_lines("a", b"{\"a\": 1}\r\n{\"a\":\n\n{\"a\": \"caf\xe9\"}\n{\"a\": 5}").unwrap();
        assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(first(readable_lines("a", b"{\n[1]")).split(':').next(), Some("1"), "nothing is left of it");
        assert_eq!(first(readable_lines("a", b"\xff\xfea")), "1: the file is UTF-16");
        assert!(readable_lines("a", b"").unwrap().0.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert_eq!(first(json_lines("a", b"{}\n{\"a\": \"caf\xe9\"}")), "2: the byte 0xE9 here is not UTF-8");
        assert_eq!(first(json_lines("a", b"{}\n[1]")), "2: the line is no JSON object");
        assert_eq!(first(json_lines("a", b"{}\n{\"a\": 1, \"a\": 1}")), "2: the key `a` stands there twice");
        assert!(
            first(json_lines("a", b"{}\n{\"a\":")).starts_with("2: this is no JSON: EOF"),
            "the place is the line's"
        );
        assert_eq!(first(csv_table("a", b"\xff\xfea")), "1: the file is UTF-16");
        assert_eq!(first(csv_table("a", b"a,b\n1,2\n3\n")), "3: the row has 1 values, and there are 2 columns");
        let unclosed = ": the quote that opens here is not closed";
        assert_eq!(
            first(csv_table("a", b"a,b\n1,\"x\n2,y\n")),
            format!("2{unclosed}"),
            "it would be one row of two values"
        );
        assert_eq!(first(csv_table("a", b"a\n\"x \"\"y\"\"\n\"\"")), format!("2{unclosed}"));
        assert!(csv_table("a", b"a,b\n5\" pipe,\"x\"\n").is_ok(), "a quote within a plain value opens nothing");
        let behind = ": something stands behind the quote that closes a value";
        for (table, line) in
            [(&b"a,b\n1,\"x\"y\n"[..], 2), (b"a,b\n\"x\n\" ,y\n", 3), (b"\"a\"\"b\"c\n", 1), (b"a\n\"x\"y", 2)]
        {
            assert_eq!(first(csv_table("a", table)), format!("{line}{behind}"));
        }
        assert!(csv_table("a", b"a,b\r\n\"x\",\"\"\r\n\"\"\"y\"\"\",\"z\"").is_ok(), "quotes that are in order");
        assert_eq!(first(csv_table("a", b"a,a\n")), "1: the column `a` stands there twice");
        assert_eq!(first(csv_table("a", b"a,\n")), "1: column 2 has no name");
        assert_eq!(first(csv_table("a", b"")), "0: the file is empty");
    }

    proptest! {
        #[test]
        fn any_bytes_are_rows_or_errors(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = json_lines("a", &bytes);
            if let Ok(table) = csv_table("a", &bytes) {
                prop_assert!(table.rows.iter().all(|(_, row)| row.len() == table.columns.len()));
            }
        }
    }
}
