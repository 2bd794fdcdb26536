//! The name of a kind of part that a project declares itself.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most characters of such a name.
const MOST: usize = 32;

/// The name of a kind of part that a project declares itself: lower-case ASCII letters, digits, `_` and `-`, of which the
/// first is a letter. It is copied like the name of a built-in kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnKind {
    /// The name's bytes, and zeros behind them.
    bytes: [u8; MOST],
}

impl OwnKind {
    /// The name.
    pub fn name(&self) -> &str {
        let end = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(MOST);
        str::from_utf8(&self.bytes[..end]).unwrap_or_default()
    }
}

impl FromStr for OwnKind {
    type Err = String;

    /// # Errors
    /// The reason where the text is no such name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
        if !text.starts_with(|first: char| first.is_ascii_lowercase()) || !text.bytes().all(is_allowed) {
            return Err(format!("`{}` is no name of a kind", text.escape_debug()));
        }
        let mut bytes = [0; MOST];
        let Some(place) = bytes.get_mut(..text.len()) else {
            return Err(format!("the name has {} characters, and at most {MOST} are allowed", text.len()));
        };
        place.copy_from_slice(text.as_bytes());
        Ok(Self { bytes })
    }
}

impl fmt::Debug for OwnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnKind({})", self.name())
    }
}

impl Serialize for OwnKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for OwnKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_and_another_form_is_refused() {
        for name in ["guardrail", "a", "eval-set_2", "abcdefghijklmnopqrstuvwxyzabcdef"] {
            assert_eq!(name.parse::<OwnKind>().unwrap().name(), name);
        }
        for name in ["", "Guardrail", "2nd", "a b", "a.b", "é", "abcdefghijklmnopqrstuvwxyzabcdefg"] {
            assert!(name.parse::<OwnKind>().is_err(), "{name}");
        }
    }
}
