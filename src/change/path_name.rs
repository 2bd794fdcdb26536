//! Names of paths as git keeps them: bytes, which need not be UTF-8 and may hold any control character.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path inside a repository or a project: bytes with `/` between names. It is shown with its hostile parts escaped
/// and compared by its bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathName(Vec<u8>);

impl PathName {
    /// Takes the bytes as they are.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text, where it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The path for the file system and for globs.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The name before the first `/`.
    pub fn first_name(&self) -> Self {
        let end = self.0.iter().position(|byte| *byte == b'/').unwrap_or(self.0.len());
        Self(self.0[..end].to_vec())
    }

    /// Whether a folder on the way to it has this name.
    pub(super) fn is_in(&self, folder: &[u8]) -> bool {
        let mut names = self.0.split(|byte| *byte == b'/').rev();
        names.next();
        names.any(|name| name == folder)
    }

    /// What remains below `folder`, which is empty or ends in `/`; `None` for a path outside of it.
    pub fn below(&self, folder: &[u8]) -> Option<Self> {
        self.0.strip_prefix(folder).filter(|rest| !rest.is_empty()).map(|rest| Self(rest.to_vec()))
    }
}

impl From<&str> for PathName {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

/// One line, whatever the name holds: a byte that is no UTF-8 becomes `\xNN`, and a control, format or line-separating
/// character becomes `\u{N}`, so that a file's name can neither start a new line nor forge a CI command. A backslash is
/// doubled, so that no two names look alike.
impl fmt::Display for PathName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '\\' => f.write_str(r"\\")?,
                    _ if is_invisible(character) => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                    _ => f.write_char(character)?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Characters that can break a line, hide, or turn the direction of the text around them.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_with_a_newline_or_without_utf_8_stays_on_one_readable_line() {
        assert_eq!(PathName::from("a\n::error::b").to_string(), r"a\u{a}::error::b");
        assert_eq!(PathName::new(b"caf\xe9/\xff.md".to_vec()).to_string(), r"caf\xe9/\xff.md");
        assert_eq!(PathName::from("Straße/日本.md").to_string(), "Straße/日本.md");
        assert_eq!(PathName::from("a\u{202e}b\\u{a}").to_string(), r"a\u{202e}b\\u{a}");
    }

    #[test]
    fn only_a_path_below_the_folder_is_kept() {
        let path = PathName::from("apps/desk/holdpoint.yaml");
        assert_eq!(path.below(b"apps/desk/"), Some(PathName::from("holdpoint.yaml")));
        assert_eq!(path.below(b""), Some(path.clone()));
        assert_eq!(PathName::from("apps/desk2/x").below(b"apps/desk/"), None);
        assert_eq!(path.first_name(), PathName::from("apps"));
    }

    proptest! {
        #[test]
        fn different_names_never_look_alike(one in proptest::collection::vec(any::<u8>(), 0..6),
                                            other in proptest::collection::vec(any::<u8>(), 0..6)) {
            let (one, other) = (PathName::new(one), PathName::new(other));
            prop_assert_eq!(one == other, one.to_string() == other.to_string());
            prop_assert!(!one.to_string().contains('\n'));
        }
    }
}
