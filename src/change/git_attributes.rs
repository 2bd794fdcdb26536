//! Where git's attributes are written: which paths could have one at all. A look-up asks the disk for every folder on a
//! path's way, so it is made only below a file that names the attribute.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use git2::{ErrorCode, Oid, Repository};

use super::listing::Entry;
use super::path_name::PathName;

/// What a folder's own attributes are called.
const FOLDER_FILE: &str = ".gitattributes";

/// The machine's own attributes, where the git library looks for them.
const SYSTEM_FILE: &str = "/etc/gitattributes";

/// Where the user's own attributes lie unless a setting says otherwise, by the variables from which the git library
/// tells; `None` where neither is set, and it asks elsewhere.
pub(super) fn personal_file(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    let settings = environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
    let settings = settings.or_else(|| Some(Path::new(environment.get("HOME")?).join(".config")));
    settings.map(|settings| settings.join("git/attributes"))
}

/// Below which folders an attribute can be set.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    folders: BTreeSet<Vec<u8>>,
}

impl Reach {
    /// Whether the attribute can be set at this path.
    pub(super) fn has(&self, path: &PathName) -> bool {
        let bytes = path.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        !self.folders.is_empty() && std::iter::once(0).chain(ends).any(|end| self.folders.contains(&bytes[..end]))
    }
}

/// Every text of attributes that concerns a repository, with the folder below which it counts. A text that is there and
/// cannot be read is `None`: it may say anything.
pub(super) struct AttributeTexts(Vec<(Vec<u8>, Option<Vec<u8>>)>);

impl AttributeTexts {
    /// Reads those of the machine, of the user, of the repository, and of every folder on the way to one of `paths`, as they
    /// stand on disk and in the index. `personal` is [`personal_file`]'s answer.
    pub(super) fn read<'p>(
        repository: &Repository,
        top: &Path,
        personal: Option<&Path>,
        paths: impl Iterator<Item = (&'p PathName, Option<&'p Entry>)>,
    ) -> Self {
        let info = [repository.commondir(), repository.path()].map(|folder| folder.join("info/attributes"));
        let files = info.into_iter().chain([PathBuf::from(SYSTEM_FILE)]);
        let mut texts = Vec::from_iter(files.filter_map(|file| Some((Vec::new(), on_disk(&file)?))));
        texts.extend(of_user(repository, personal).map(|text| (Vec::new(), text)));
        let mut folders = BTreeSet::new();
        for (path, entry) in paths {
            let (folder, name) = split(path.as_bytes());
            if let Some(entry) = entry.filter(|_| name.eq_ignore_ascii_case(FOLDER_FILE.as_bytes())) {
                texts.push((folder.to_vec(), staged(repository, *entry)));
            }
            with_ancestors(folder, &mut folders);
        }
        for folder in folders {
            let file = top.join(PathName::new(folder).as_path()).join(FOLDER_FILE);
            texts.extend(on_disk(&file).map(|text| (folder.to_vec(), text)));
        }
        Self(texts)
    }

    /// Below which folders some text names this attribute. A macro that sets it names it too, and counts only where it
    /// is written at the top or outside of the working tree.
    pub(super) fn reach(&self, attribute: &str) -> Reach {
        let name = attribute.as_bytes();
        let names = |text: &Option<Vec<u8>>| {
            text.as_ref().is_none_or(|text| text.windows(name.len()).any(|window| window == name))
        };
        let naming = self.0.iter().filter(|(_, text)| names(text));
        Reach { folders: naming.map(|(folder, _)| folder.clone()).collect() }
    }
}

/// The user's own attributes: `None` where there are none, and an unknown text where it cannot be told which file it is.
fn of_user(repository: &Repository, personal: Option<&Path>) -> Option<Option<Vec<u8>>> {
    let set = repository.config().and_then(|config| config.get_path("core.attributesFile"));
    match set {
        Ok(file) if file.is_absolute() => on_disk(&file),
        Err(error) if error.code() == ErrorCode::NotFound => match personal {
            Some(file) => on_disk(file),
            None => Some(None),
        },
        Ok(_) | Err(_) => Some(None),
    }
}

/// What a file says; `None` where there is no file, and an unknown text where it cannot be read.
fn on_disk(file: &Path) -> Option<Option<Vec<u8>>> {
    match std::fs::read(file) {
        Ok(text) => Some(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
        Err(_) => Some(None),
    }
}

fn staged(repository: &Repository, entry: Entry) -> Option<Vec<u8>> {
    let blob = Oid::from_bytes(entry.id.as_bytes()).and_then(|id| repository.find_blob(id));
    blob.ok().map(|blob| blob.content().to_vec())
}

/// The folder of a path, empty at the top, and its last name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(end) => (&path[..end], &path[end + 1..]),
        None => (&[], path),
    }
}

/// Adds a folder and all that it lies in.
fn with_ancestors<'p>(mut folder: &'p [u8], folders: &mut BTreeSet<&'p [u8]>) {
    while folders.insert(folder) && !folder.is_empty() {
        folder = split(folder).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[(&str, Option<&str>)]) -> AttributeTexts {
        let text = |(folder, text): &(&str, Option<&str>)| (folder.as_bytes().to_vec(), text.map(|text| text.into()));
        AttributeTexts(of.iter().map(text).collect())
    }

    #[test]
    fn an_attribute_reaches_what_lies_below_a_folder_that_names_it_and_nothing_else() {
        let found =
            texts(&[("a/b", Some("*.bin filter=lfs\n")), ("c", Some("*.txt ident\n")), ("d", Some("* text=auto\n"))]);
        let (filter, ident) = (found.reach("filter"), found.reach("ident"));
        for (path, is_filtered, is_marked) in [
            ("a/b/x.bin", true, false),
            ("a/b/deep/er", true, false),
            ("a/bc", false, false),
            ("a/x", false, false),
            ("c/x", false, true),
            ("d/x", false, false),
            ("x", false, false),
        ] {
            let path = PathName::from(path);
            assert_eq!((filter.has(&path), ident.has(&path)), (is_filtered, is_marked), "{path}");
        }
    }

    #[test]
    fn what_is_named_at_the_top_or_cannot_be_read_reaches_everything() {
        let path = PathName::from("deep/down/file");
        assert!(texts(&[("", Some("[attr]big filter=lfs"))]).reach("filter").has(&path));
        assert!(texts(&[("", None)]).reach("ident").has(&path));
        assert!(texts(&[("deep", None)]).reach("ident").has(&path));
        assert!(!texts(&[("", Some("* text eol=lf"))]).reach("filter").has(&path));
    }

    #[test]
    fn the_user_s_own_file_lies_where_the_environment_says() {
        let file = |variables: &[(&str, &str)]| {
            personal_file(&variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
        };
        assert_eq!(file(&[("HOME", "/home/x")]), Some("/home/x/.config/git/attributes".into()));
        assert_eq!(file(&[("HOME", "/home/x"), ("XDG_CONFIG_HOME", "/s")]), Some("/s/git/attributes".into()));
        assert_eq!(file(&[("USER", "x")]), None);
    }

    #[test]
    fn every_folder_on_the_way_is_asked_once() {
        let mut folders = BTreeSet::new();
        with_ancestors(b"a/b/c", &mut folders);
        with_ancestors(b"a/d", &mut folders);
        let shown: Vec<_> = folders.iter().map(|folder| String::from_utf8_lossy(folder)).collect();
        assert_eq!(shown, ["", "a", "a/b", "a/b/c", "a/d"]);
    }
}
