//! Identities for what had none: the same test gets the same name in every import, whatever is inserted around it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::Digest;

/// Longest readable half of a name, in characters.
const READABLE: usize = 48;

/// Digits of a digest that keep names apart.
const DIGITS: usize = 8;

/// The names that were given.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// Takes a name that nobody has, whatever the letter case; numbered where somebody does. Whether it had to be.
    pub(super) fn take(&mut self, wanted: &str) -> (String, bool) {
        let numbered = (2_usize..).map(|number| format!("{wanted}-{number}"));
        let free =
            std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !self.0.contains(&name.to_lowercase()));
        let name = free.unwrap_or_else(|| wanted.to_owned());
        self.0.insert(name.to_lowercase());
        let had_to = name != wanted;
        (name, had_to)
    }

    /// Gives a name back that nothing got.
    pub(super) fn give_back(&mut self, name: &str) {
        self.0.remove(&name.to_lowercase());
    }
}

/// A name from what a test says of itself and from all that it is made of.
pub(super) fn content_name(readable: &str, content: &Value) -> String {
    let digest = Digest::of_json(content);
    let digits = &digest.hex()[..DIGITS];
    match slug(readable) {
        slug if slug.is_empty() => format!("test-{digits}"),
        slug => format!("{slug}-{digits}"),
    }
}

/// An identity that another tool gave, in the form that identities have here; with digits of its digest where that loses
/// something.
pub(super) fn given_name(given: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if (1..=100).contains(&given.len())
        && given.chars().all(allowed)
        && given.starts_with(|c: char| c.is_ascii_alphanumeric())
    {
        given.to_owned()
    } else {
        content_name(given, &Value::from(given))
    }
}

/// Lower-case words with `-` between them.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if slug.len() >= READABLE {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_says_what_it_is_and_holds_to_its_content() {
        let name = content_name("Can I come on Tuesday?", &json!({"a": 1}));
        assert!(
            name.starts_with("can-i-come-on-tuesday-") && name.len() == "can-i-come-on-tuesday-".len() + 8,
            "{name}"
        );
        assert_ne!(name, content_name("Can I come on Tuesday?", &json!({"a": 2})));
        assert!(content_name("???", &json!(1)).starts_with("test-"));
        assert_eq!(given_name("sample_7.a"), "sample_7.a");
        assert!(given_name("7 a").starts_with("7-a-"));
    }

    #[test]
    fn a_name_that_is_taken_is_numbered_whatever_the_letter_case() {
        let mut names = Names::default();
        assert_eq!(names.take("a"), ("a".to_owned(), false));
        assert_eq!(names.take("A"), ("A-2".to_owned(), true));
        assert_eq!(names.take("a"), ("a-3".to_owned(), true));
        names.give_back("A-2");
        assert_eq!(names.take("a"), ("a-2".to_owned(), true));
    }

    proptest! {
        #[test]
        fn every_name_has_the_form_of_an_identity(text in any::<String>()) {
            for name in [content_name(&text, &Value::from(text.as_str())), given_name(&text)] {
                let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
                prop_assert!((1..=100).contains(&name.len()) && name.bytes().all(allowed), "{}", name);
                prop_assert!(name.starts_with(|c: char| c.is_ascii_alphanumeric()), "{}", name);
            }
        }
    }
}
