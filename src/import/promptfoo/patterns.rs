//! A JavaScript pattern in the syntax of Rust's regex crate, where it means the same.

/// What `.` stands for: JavaScript knows more ends of lines than Rust's crate does.
const ANY: &str = r"[^\n\r\x{2028}\x{2029}]";

/// The pattern, with the classes that JavaScript reads as ASCII written out, and what it means by `.`.
///
/// # Errors
/// Where a class is combined in a way that the two read differently, or a group begins as none does there. What else differs
/// (look-around, back references) does not compile, and is refused when the expectation is checked.
pub(super) fn from_javascript(pattern: &str) -> Result<String, String> {
    let mut written = String::new();
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let Some(next) = chars.next() else { return Err("the pattern ends in a backslash".to_owned()) };
                escape(next, in_class, &mut written);
            }
            '[' if in_class => written.push_str(r"\["),
            '[' => {
                in_class = true;
                written.push('[');
                if chars.peek() == Some(&'^') {
                    chars.next();
                    written.push('^');
                }
                if chars.peek() == Some(&']') {
                    return Err("an empty class means nothing here".to_owned());
                }
            }
            ']' => {
                in_class = false;
                written.push(']');
            }
            '.' if !in_class => written.push_str(ANY),
            '(' if !in_class => {
                let mut ahead = chars.clone();
                if ahead.next() == Some('?') && !matches!(ahead.next(), Some(':' | '=' | '!' | '<')) {
                    return Err(
                        "flags in a pattern, as in `(?i)`, are an error there, or mean something else".to_owned()
                    );
                }
                written.push('(');
            }
            '&' | '~' | '-' if in_class && chars.peek() == Some(&c) => {
                return Err(format!("`{c}{c}` in a class means something else here"));
            }
            c => written.push(c),
        }
    }
    Ok(written)
}

fn escape(c: char, in_class: bool, written: &mut String) {
    match (c, in_class) {
        ('d', true) => written.push_str("0-9"),
        ('d', false) => written.push_str("[0-9]"),
        ('w', true) => written.push_str("A-Za-z0-9_"),
        ('w', false) => written.push_str("[A-Za-z0-9_]"),
        ('D', _) => written.push_str("[^0-9]"),
        ('W', _) => written.push_str("[^A-Za-z0-9_]"),
        ('b', false) => written.push_str(r"(?-u:\b)"),
        ('B', false) => written.push_str(r"(?-u:\B)"),
        _ => written.extend(['\\', c]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::manifest::compile_regex;

    #[test]
    fn classes_are_those_of_ascii() {
        let found =
            |pattern: &str, text: &str| compile_regex(&from_javascript(pattern).unwrap()).unwrap().is_match(text);
        for (pattern, yes, no) in [
            (r"^\d+$", "12", "\u{0661}"),
            (r"^[\d.]+$", "1.5", "\u{0661}"),
            (r"^\w+$", "a_1", "é"),
            (r"^[^\w]$", "é", "a"),
            (r"\bnot\b", "is not so", "nothing"),
            (r"^[[a]$", "[", "b"),
            (r"^\/x$", "/x", "x"),
            (r"^a.b$", "a\u{85}b", "a\rb"),
            (r"^a.b$", "aéb", "a\u{2028}b"),
            (r"^a.b$", "a.b", "a\u{2029}b"),
            (r"^a[.]b$", "a.b", "axb"),
            (r"^a\.b$", "a.b", "axb"),
            (r"^(?:a|(?<n>b))$", "b", "(?:a"),
            (r"^[(?i)]$", "?", "I"),
            (r"^\(?i$", "(i", "I"),
        ] {
            assert!(found(pattern, yes) && !found(pattern, no), "{pattern}");
        }
        for refused in [r"a\", "[]", "[a&&b]", "(?i)abc", "x(?i:abc)", "(?P<n>a)", "(?", "(?-u)a"] {
            assert!(from_javascript(refused).is_err(), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn any_pattern_is_written_or_refused(pattern in any::<String>()) {
            let _ = from_javascript(&pattern).map(|written| compile_regex(&written));
        }
    }
}
