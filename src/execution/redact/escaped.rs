//! Secrets in a text that is escaped in whatever of the many ways JSON and addresses permit: found in what the text says,
//! and mapped back to how it was written. Pure.

/// What a text says, with the place in it that each byte comes from.
struct Said {
    bytes: Vec<u8>,
    /// Where in the text the writing of each byte begins, and, one more, where the text ends.
    from: Vec<usize>,
}

/// Reads one escape at the beginning of these bytes: adds what it stands for, and says how many bytes it takes up; 0 where
/// none stands there.
type Reads = fn(&[u8], &mut Vec<u8>) -> usize;

/// The text without these values, each with what is written in its place, however they are escaped: in JSON, in JSON
/// within JSON, or as `%XX`. `None` where none is in it.
pub(super) fn without(text: &str, values: &[(String, String)]) -> Option<String> {
    let mut changed: Option<String> = None;
    for (mark, ways) in [(b'\\', &[json_escape as Reads, json_escape][..]), (b'%', &[percent_escape])] {
        let now = changed.as_deref().unwrap_or(text);
        if !now.as_bytes().contains(&mark) {
            continue;
        }
        let mut said = Said { bytes: now.as_bytes().to_vec(), from: (0..=now.len()).collect() };
        let mut spans = Vec::new();
        for reads in ways {
            said = said.read(*reads);
            spans.extend(said.spans(values));
        }
        if !spans.is_empty() {
            changed = Some(replaced(now, spans));
        }
    }
    changed
}

/// A place in a text, from and to, and what is to stand there.
type Span<'a> = (usize, usize, &'a str);

fn replaced(text: &str, mut spans: Vec<Span<'_>>) -> String {
    // Of two that overlap the one that begins first, the longer before the shorter.
    spans.sort_by_key(|(from, to, _)| (*from, std::cmp::Reverse(*to)));
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (from, to, instead) in spans {
        if from >= done {
            out.push_str(text.get(done..from).unwrap_or_default());
            out.push_str(instead);
        }
        done = done.max(to);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

impl Said {
    /// What this says once its escapes are read.
    fn read(&self, reads: Reads) -> Self {
        let mut said = Self { bytes: Vec::with_capacity(self.bytes.len()), from: Vec::with_capacity(self.from.len()) };
        let mut at = 0;
        while let Some(byte) = self.bytes.get(at) {
            let taken = reads(&self.bytes[at..], &mut said.bytes);
            if taken == 0 {
                said.bytes.push(*byte);
            }
            said.from.resize(said.bytes.len(), self.from[at]);
            at += taken.max(1);
        }
        said.from.extend(self.from.last());
        said
    }

    fn spans<'v>(&self, values: &'v [(String, String)]) -> Vec<Span<'v>> {
        let mut spans = Vec::new();
        for (value, instead) in values {
            let mut at = 0;
            while let Some(found) = self.find(value.as_bytes(), at) {
                at = found + value.len();
                spans.push((self.from[found], self.from[at], instead.as_str()));
            }
        }
        spans
    }

    fn find(&self, value: &[u8], from: usize) -> Option<usize> {
        let first = value.first()?;
        let candidates = self.bytes[from..].iter().enumerate().filter(|(_, byte)| *byte == first);
        candidates.map(|(at, _)| from + at).find(|at| self.bytes[*at..].starts_with(value))
    }
}

/// An escape of JSON (RFC 8259, section 7). Half of a surrogate pair stands for nothing that a secret could hold.
fn json_escape(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let read = match bytes {
        [b'\\', b'u', rest @ ..] => match hex(rest, 4) {
            Some(high @ 0xD800..=0xDBFF) => {
                let low = rest.get(4..).and_then(|low| low.strip_prefix(b"\\u")).and_then(|low| hex(low, 4));
                let low = low.filter(|low| (0xDC00..=0xDFFF).contains(low));
                low.and_then(|low| char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))).map(|c| (c, 12))
            }
            unit => unit.and_then(char::from_u32).map(|c| (c, 6)),
        },
        [b'\\', b'b', ..] => Some(('\u{8}', 2)),
        [b'\\', b'f', ..] => Some(('\u{c}', 2)),
        [b'\\', b'n', ..] => Some(('\n', 2)),
        [b'\\', b'r', ..] => Some(('\r', 2)),
        [b'\\', b't', ..] => Some(('\t', 2)),
        [b'\\', itself @ (b'"' | b'\\' | b'/'), ..] => Some((char::from(*itself), 2)),
        _ => None,
    };
    let Some((character, taken)) = read else { return 0 };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    taken
}

/// A byte of an address as `%XX` (RFC 3986, section 2.1), in whichever case.
fn percent_escape(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let byte = bytes.strip_prefix(b"%").and_then(|digits| hex(digits, 2)).and_then(|value| u8::try_from(value).ok());
    let Some(byte) = byte else { return 0 };
    out.push(byte);
    3
}

fn hex(digits: &[u8], count: usize) -> Option<u32> {
    let value = |sum: u32, digit: &u8| Some(sum * 16 + char::from(*digit).to_digit(16)?);
    digits.get(..count)?.iter().try_fold(0, value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redacted(text: &str, secret: &str) -> Option<String> {
        without(text, &[(secret.to_owned(), "[gone]".to_owned())])
    }

    #[test]
    fn a_secret_is_found_however_common_writers_escape_it() {
        for (secret, written) in [
            ("ab+cd/ef=", r"ab\u002Bcd/ef="),
            ("a&b<c>d1", r"a\u0026b\u003cc\u003ed1"),
            ("pä/ss/wört", r"p\u00e4\/ss\/w\u00f6rt"),
            ("pässwört", r"p\u00E4ssw\u00F6rt"),
            ("secret", r"\u0073\u0065\u0063\u0072\u0065\u0074"),
            ("key-\u{1f511}!", r"key-\uD83D\udd11!"),
            ("a\"b\\c\nd", r#"a\u0022b\\c\u000Ad"#),
            // In a JSON text that is a string of another one.
            ("a&b<c>d1", r"a\\u0026b\\u003cc\\u003ed1"),
            ("a/b+c=d", "a%2fb%2Bc%3dd"),
            ("pässwört", "p%C3%a4ssw%c3%B6rt"),
        ] {
            let text = format!("x {written} y");
            assert_eq!(redacted(&text, secret).as_deref(), Some("x [gone] y"), "{written}");
        }
    }

    #[test]
    fn what_is_no_escape_is_left_as_it_stands() {
        for text in [r"\u00", r"\uD83D", r"\uD83D\u0041 \q", "100% of %zz", "\\", "%", "%4"] {
            assert_eq!(redacted(text, "secret"), None, "{text}");
        }
        assert_eq!(redacted(r"ü\ud83d se\u0063ret \q ü", "secret").as_deref(), Some(r"ü\ud83d [gone] \q ü"));
        assert_eq!(redacted(r"s\u0065cretsecr\u0065t", "secret").as_deref(), Some("[gone][gone]"));
    }

    proptest! {
        /// Whichever of its characters are escaped, and whatever stands around it.
        #[test]
        fn no_mixture_of_escapes_hides_a_secret(
            secret in "[ -~äß€]{6,12}", which in proptest::collection::vec(any::<(bool, bool)>(), 12), around in "[ -~ä]{0,9}"
        ) {
            let written: String = secret.chars().zip(which).map(|(c, (is_escaped, is_upper))| {
                let must_be = c == '"' || c == '\\';
                match (is_escaped || must_be, is_upper) {
                    (false, _) => c.to_string(),
                    (true, true) => format!("\\u{:04X}", u32::from(c)),
                    (true, false) => format!("\\u{:04x}", u32::from(c)),
                }
            }).collect();
            let around = around.replace('\\', "");
            let text = format!("{around}{written}{around}");
            prop_assume!(written.contains('\\'));
            let left = redacted(&text, &secret);
            prop_assert!(left.is_some_and(|left| left.contains("[gone]") && !left.contains(&written)), "{text}");
        }
    }
}
