//! What is left of a secret where a text was shortened: its beginning before a cut, its end after one. Pure.

/// How [`crate::evidence::excerpt`] begins to say that the end of a text is missing.
const END_CUT: &str = "… (";

/// How a captured stream says, in its first line, that its beginning is missing.
const BEGINNING_CUT: &str = " bytes left out]\n";

/// A rest of a secret that is shorter than this tells too little, and is found too easily, to be looked for.
const SHORTEST_REST: usize = 4;

/// The text without rests of secrets beside its cuts; `None` where there are none. `secrets` are forms to look for,
/// each with what stands for it.
pub(super) fn without_rests(text: &str, secrets: &[(String, String)]) -> Option<String> {
    let after_first_line = beginning_cut(text).and_then(|at| {
        let (rest, replacement) = longest(secrets, |form| rest_after_cut(&text[at..], form))?;
        Some(format!("{}{replacement}{}", &text[..at], &text[at + rest..]))
    });
    let mut result = String::new();
    let mut remaining = after_first_line.as_deref().unwrap_or(text);
    let mut found = after_first_line.is_some();
    while let Some(at) = remaining.find(END_CUT) {
        let before = &remaining[..at];
        match longest(secrets, |form| rest_before_cut(before, form)) {
            Some((rest, replacement)) => {
                result.extend([&before[..at - rest], replacement]);
                found = true;
            }
            None => result.push_str(before),
        }
        result.push_str(END_CUT);
        remaining = &remaining[at + END_CUT.len()..];
    }
    result.push_str(remaining);
    found.then_some(result)
}

/// The text without the beginning of a secret at its end, of a text that goes on there; `None` where there is none.
pub(super) fn without_rest_at_end(text: &str, secrets: &[(String, String)]) -> Option<String> {
    // A letter of which only some bytes are there shows as U+FFFD.
    let text = text.trim_end_matches('\u{fffd}');
    let (rest, replacement) = longest(secrets, |form| rest_before_cut(text, form))?;
    Some(format!("{}{replacement}", &text[..text.len() - rest]))
}

/// Where the text goes on after the line that says that its beginning is missing.
fn beginning_cut(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('[')?.bytes().take_while(u8::is_ascii_digit).count();
    text[1 + digits..].starts_with(BEGINNING_CUT).then_some(1 + digits + BEGINNING_CUT.len())
}

/// The longest rest of any secret, in bytes, with what stands for it.
fn longest(secrets: &[(String, String)], rest: impl Fn(&str) -> Option<usize>) -> Option<(usize, &str)> {
    let rests = secrets.iter().filter_map(|(form, replacement)| Some((rest(form)?, replacement.as_str())));
    rests.max_by_key(|(length, _)| *length)
}

fn rest_before_cut(text: &str, form: &str) -> Option<usize> {
    let mut ends = form.char_indices().rev().map(|(at, _)| at);
    ends.find(|end| *end < SHORTEST_REST || text.ends_with(&form[..*end])).filter(|end| *end >= SHORTEST_REST)
}

fn rest_after_cut(text: &str, form: &str) -> Option<usize> {
    let lengths = form.char_indices().skip(1).map(|(at, _)| form.len() - at);
    let mut rests = lengths.map(|length| &form[form.len() - length..]);
    rests.find(|rest| rest.len() >= SHORTEST_REST && text.starts_with(rest)).map(str::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::excerpt;

    fn secrets() -> Vec<(String, String)> {
        [("hünter-secret", "[1]"), ("other-secret", "[2]")]
            .map(|(form, name)| (form.to_owned(), name.to_owned()))
            .into()
    }

    #[test]
    fn the_beginning_of_a_secret_before_a_cut_goes() {
        for limit in 8..16 {
            let cut = excerpt("say hünter-secret and more", limit);
            let redacted = without_rests(&cut, &secrets()).unwrap();
            assert!(redacted.starts_with("say [1]… ("), "{cut}: {redacted}");
        }
    }

    #[test]
    fn the_beginning_of_a_secret_at_the_end_of_what_goes_on_goes() {
        for (text, expected) in [
            ("say hünter-s", Some("say [1]")),
            ("hünt", Some("[1]")),
            ("say hü", None),
            ("say h\u{fffd}", None),
            ("say hünt\u{fffd}", Some("say [1]")),
            ("", None),
        ] {
            assert_eq!(without_rest_at_end(text, &secrets()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_end_of_a_secret_after_a_cut_goes() {
        let redacted = without_rests("[17 bytes left out]\nter-secret, and hün… (5 more)", &secrets());
        assert_eq!(redacted.unwrap(), "[17 bytes left out]\n[1], and [1]… (5 more)");
    }

    #[test]
    fn what_stands_beside_a_cut_and_is_no_rest_stays() {
        for text in
            ["", "hünter-secre", "hü… (2 more)", "lorem… (3 more)", "[3 bytes left out]\net is out", "[x] ter-secret"]
        {
            assert_eq!(without_rests(text, &secrets()), None, "{text}");
        }
    }
}
