//! SHA-256 digests, written as `sha256:` and 64 hexadecimal digits so that `sha256sum` can check them. A copy shares the text.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::canonical_json;

const PREFIX: &str = "sha256:";

/// A content address. Two contents with the same digest are taken to be the same content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(Arc<str>);

/// A text that should have been a digest and is none.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no digest: expected `sha256:` and 64 lower-case hexadecimal digits")]
pub struct DigestError(String);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_hash(&Sha256::digest(bytes))
    }

    fn of_hash(hash: &[u8]) -> Self {
        let mut text = String::with_capacity(PREFIX.len() + 64);
        text.push_str(PREFIX);
        for byte in hash {
            text.push(hex_digit(byte >> 4));
            text.push(hex_digit(byte & 0xf));
        }
        Self(text.into())
    }

    /// The digest of a JSON value in its canonical form ([`canonical_json`]).
    pub fn of_json(value: &serde_json::Value) -> Self {
        Self::of(canonical_json(value).as_bytes())
    }

    /// The whole text, prefix included.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The 64 hexadecimal digits alone.
    pub fn hex(&self) -> &str {
        &self.0[PREFIX.len()..]
    }

    /// The 32 bytes of the hash, for formats that write it in another alphabet.
    pub fn to_bytes(&self) -> [u8; 32] {
        let digits = self.hex().as_bytes();
        let nibble = |digit: u8| if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 };
        std::array::from_fn(|index| nibble(digits[2 * index]) << 4 | nibble(digits[2 * index + 1]))
    }

    /// The first twelve hexadecimal digits, enough for a person to tell records apart.
    pub fn short(&self) -> &str {
        &self.hex()[..12]
    }
}

/// Makes the digest of a content that comes in pieces.
#[derive(Clone, Debug, Default)]
pub struct Digester(Sha256);

impl Digester {
    /// Takes the next piece.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all pieces in a row.
    pub fn finish(self) -> Digest {
        Digest::of_hash(&self.0.finalize())
    }
}

fn hex_digit(nibble: u8) -> char {
    char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 })
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        let is_digest = text
            .strip_prefix(PREFIX)
            .is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
        if is_digest { Ok(Self(text.into())) } else { Err(DigestError(text)) }
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.0.as_ref().to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_test_vector_of_fips_180() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").hex(), expected);
    }

    #[test]
    fn pieces_have_the_digest_of_the_whole() {
        let mut digester = Digester::default();
        for piece in ["a", "", "bc"] {
            digester.add(piece.as_bytes());
        }
        assert_eq!(digester.finish(), Digest::of(b"abc"));
        assert_eq!(Digester::default().finish(), Digest::of(b""));
    }

    #[test]
    fn the_bytes_are_those_that_the_digits_spell() {
        assert_eq!(Digest::of(b"abc").to_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(Digest::of(b"abc").to_bytes()[31], 0xad);
    }

    #[test]
    fn a_text_of_another_form_is_refused() {
        for text in ["", "sha256:", "ba7816", "sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"]
        {
            assert!(Digest::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
