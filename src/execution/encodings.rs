//! The forms in which programs write a text: as it is, and escaped or encoded for JSON, an address or a header. Pure.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// Every form in which `value` is looked for, each once.
pub(super) fn encoded_forms(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    for value in [value, value.trim()] {
        if value.is_empty() {
            continue;
        }
        forms.extend(latin_1_forms(value));
        add_encoded(&mut forms, value.as_bytes());
        let json = json_escaped(value);
        forms.insert(value.to_owned());
        forms.insert(json.replace('/', "\\/"));
        forms.insert(json_ascii(&json));
        // Inside a JSON text that is itself a string in a JSON text.
        forms.insert(json_escaped(&json));
        forms.insert(json);
    }
    forms.remove("");
    forms
}

/// The forms that are made of bytes.
fn add_encoded(forms: &mut BTreeSet<String>, bytes: &[u8]) {
    for upper_case in [true, false] {
        let percent = percent_encoded(bytes, upper_case);
        forms.insert(percent.replace("%20", "+"));
        // An address inside an address.
        forms.insert(percent.replace('%', "%25"));
        forms.insert(percent);
        // Some escape what needs no escape, too; and some write bytes as digits alone.
        forms.insert(hexadecimal(bytes, "%", upper_case));
        forms.insert(hexadecimal(bytes, "", upper_case));
    }
    for offset in 0..3 {
        forms.insert(base64_inside(bytes, offset, &STANDARD));
        forms.insert(base64_inside(bytes, offset, &URL_SAFE));
    }
}

/// The forms of a text beyond ASCII where ISO 8859-1 comes in, which headers and their base64 are often written in: its UTF-8
/// read as such, and its bytes in that code, as they are, read as UTF-8 and encoded.
fn latin_1_forms(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    if value.is_ascii() {
        return forms;
    }
    forms.insert(value.bytes().map(char::from).collect());
    let bytes: Option<Vec<u8>> = value.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    if let Some(bytes) = bytes {
        add_encoded(&mut forms, &bytes);
        forms.insert(String::from_utf8_lossy(&bytes).into_owned());
    }
    forms
}

fn json_escaped(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// The same JSON with every character beyond ASCII as `\uXXXX`, which is how Python writes it.
fn json_ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for unit in json.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

/// All but RFC 3986's unreserved characters as `%XX`.
fn percent_encoded(bytes: &[u8], upper_case: bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        let _ = match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                write!(text, "{}", char::from(*byte))
            }
            byte if upper_case => write!(text, "%{byte:02X}"),
            byte => write!(text, "%{byte:02x}"),
        };
    }
    text
}

/// Every byte as two hexadecimal digits, each pair after `mark`.
fn hexadecimal(bytes: &[u8], mark: &str, upper_case: bool) -> String {
    let pair = |byte: &u8| if upper_case { format!("{mark}{byte:02X}") } else { format!("{mark}{byte:02x}") };
    bytes.iter().map(pair).collect()
}

/// The digits of RFC 4648's base64 that depend on `bytes` alone when `offset` (0 to 2) other bytes, modulo 3, stand
/// before them: those digits occur in the encoding of any text that contains `bytes` at that offset.
fn base64_inside(bytes: &[u8], offset: usize, alphabet: &impl Engine) -> String {
    let whole = alphabet.encode([&[0; 2][..offset], bytes].concat());
    // A digit holds six bits: the first ones are shared with what stands before, the last with what follows.
    let (first, last) = ((offset * 8).div_ceil(6), (offset + bytes.len()) * 8 / 6);
    whole.get(first..last).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_that_nothing_around_them_can_change_are_looked_for() {
        for (text, expected) in [("f", "Z"), ("fo", "Zm"), ("foo", "Zm9v"), ("foob", "Zm9vY"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64_inside(text.as_bytes(), 0, &STANDARD), expected, "{text}");
        }
    }

    #[test]
    fn bytes_are_found_as_digits_and_an_address_in_an_address() {
        let forms = encoded_forms("k/1 ");
        for form in ["%6b%2f%31%20", "%6B%2F%31%20", "6b2f3120", "6B2F3120", "k%252F1%2520"] {
            assert!(forms.contains(form), "{form}: {forms:?}");
        }
    }

    #[test]
    fn base64_is_found_at_every_offset() {
        // base64("user:hunter22!"), base64("a:hunter22!") and base64("hunter22!"), by coreutils' `base64`.
        for whole in ["dXNlcjpodW50ZXIyMiE=", "YTpodW50ZXIyMiE=", "aHVudGVyMjIh"] {
            let forms = encoded_forms("hunter22!");
            assert!(forms.iter().any(|form| form.len() > 6 && whole.contains(form.as_str())), "{whole}: {forms:?}");
        }
    }

    #[test]
    fn letters_beyond_ascii_are_found_however_they_were_written_and_read() {
        let forms = encoded_forms("pässwört");
        // The last two are base64 of its bytes in ISO 8859-1 and in UTF-8, by coreutils' `base64`.
        for expected in
            ["pässwört", "p\u{fffd}ssw\u{fffd}rt", "pÃ¤sswÃ¶rt", "p%E4ssw%F6rt", "cORzc3f2cnQ", "cMOkc3N3w7ZydA"]
        {
            assert!(forms.iter().any(|form| expected.starts_with(form.as_str())), "{expected}: {forms:?}");
        }
        assert!(encoded_forms("日本語日本語").contains("日本語日本語"), "what ISO 8859-1 cannot write is no error");
    }

    #[test]
    fn escapes_are_those_of_json_and_of_addresses() {
        let forms = encoded_forms("p\"ä/ 1\n");
        for expected in
            ["p\"ä/ 1", "p\\\"ä/ 1\\n", "p\\\"\\u00e4/ 1\\n", "p\\\"ä\\/ 1", "p%22%C3%A4%2F%201", "p%22%c3%a4%2f+1"]
        {
            assert!(forms.contains(expected), "{expected}: {forms:?}");
        }
    }
}
