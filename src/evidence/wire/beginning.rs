//! What stands at a place of a JSON text of which only the beginning is there. Pure.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Behind the beginning: no whole number, and no word of JSON, goes on with it, so that one which the end of the beginning
/// cuts is none at all instead of a shorter one.
const END: u8 = b'.';

/// The text, whole number or truth value to which the pointer leads, if it ends within `beginning`: as
/// [`super::at_pointer`] gives it for a body that is there as a whole. Of two members of one name the first counts, since
/// the other may be missing.
pub(super) fn at_pointer(beginning: &[u8], pointer: &str) -> Option<String> {
    let tokens: Vec<String> =
        pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
    let text = [beginning, &[END]].concat();
    let mut found = None;
    // It ends in an error, as every text does that is cut; what was found until then was whole.
    let _ = Seek { tokens: &tokens, found: &mut found }.deserialize(&mut serde_json::Deserializer::from_slice(&text));
    found
}

/// Goes down to a place.
struct Seek<'a> {
    tokens: &'a [String],
    found: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Seek<'_> {
    fn arrive(self, value: impl fmt::Display) {
        if self.tokens.is_empty() {
            self.found.get_or_insert(value.to_string());
        }
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.arrive(text);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.arrive(number);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.arrive(number);
        Ok(())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<(), E> {
        self.arrive(flag);
        Ok(())
    }

    // A fraction could go on behind the cut.
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match self.tokens.split_first() {
                Some((token, tokens)) if *token == name => {
                    members.next_value_seed(Seek { tokens, found: &mut *self.found })?;
                }
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let (token, tokens) = self.tokens.split_first().map_or(("", &[][..]), |(token, rest)| (token.as_str(), rest));
        for index in 0_usize.. {
            let more = if token == index.to_string() {
                items.next_element_seed(Seek { tokens, found: &mut *self.found })?.is_some()
            } else {
                items.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{"lines":[{"sku":"a\"b"},{"sku":12}],"paid":true,"rate":1.5,"none":null,"a/b":{"~":"x"}}"#;

    #[test]
    fn what_ends_within_the_beginning_is_found_and_a_piece_of_it_is_not() {
        for (pointer, expected) in
            [("/lines/0/sku", "a\"b"), ("/lines/1/sku", "12"), ("/paid", "true"), ("/a~1b/~0", "x")]
        {
            let first = (0..=BODY.len()).find(|end| at_pointer(&BODY.as_bytes()[..*end], pointer).is_some()).unwrap();
            for end in first..=BODY.len() {
                let found = at_pointer(&BODY.as_bytes()[..end], pointer);
                assert_eq!(found.as_deref(), Some(expected), "{pointer} in {}", &BODY[..end]);
            }
        }
    }

    #[test]
    fn what_is_no_identity_is_not_found() {
        for pointer in ["", "/lines", "/lines/2", "/lines/01/sku", "/rate", "/none", "/absent"] {
            assert_eq!(at_pointer(BODY.as_bytes(), pointer), None, "{pointer}");
        }
        assert_eq!(at_pointer(b"\xff\"", ""), None);
    }
}
