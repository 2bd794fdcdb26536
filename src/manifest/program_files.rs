//! The files of the project that a judging program rests on: those that its command line names, those that these name or
//! import, and so on. What a program finds in any other way cannot be told from its text.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::domain::Digest;

use super::files::{EntryKind, FileSource};
use super::judging::project_path;

/// Bytes of a file in which names are looked for. A longer one is data, not a program.
const LONGEST_TEXT: usize = 1024 * 1024;

/// The files behind programs. Each is read once, however many cases it judges.
pub(super) struct ProgramFiles<'f> {
    files: &'f dyn FileSource,
    read: BTreeMap<String, Option<ReadFile>>,
}

struct ReadFile {
    digest: Digest,
    /// The files of the project that its text names.
    names: BTreeSet<String>,
}

impl<'f> ProgramFiles<'f> {
    pub(super) fn new(files: &'f dyn FileSource) -> Self {
        Self { files, read: BTreeMap::new() }
    }

    /// The digest over all files that programs rest on whose command lines name these paths; `None` where they are none of
    /// the project's.
    pub(super) fn digest<'a>(&mut self, paths: impl Iterator<Item = &'a str>) -> Option<Digest> {
        let mut waiting: Vec<String> = paths.map(str::to_owned).collect();
        let mut found: BTreeMap<String, Digest> = BTreeMap::new();
        while let Some(path) = waiting.pop() {
            if found.contains_key(&path) {
                continue;
            }
            if let Some(read) = self.file(&path) {
                waiting.extend(read.names.iter().cloned());
                found.insert(path, read.digest.clone());
            }
        }
        (!found.is_empty()).then(|| Digest::of_json(&json!(found)))
    }

    fn file(&mut self, path: &str) -> Option<&ReadFile> {
        if !self.read.contains_key(path) {
            let read = self.read_file(path);
            self.read.insert(path.to_owned(), read);
        }
        self.read.get(path)?.as_ref()
    }

    fn read_file(&self, path: &str) -> Option<ReadFile> {
        let bytes = self.files.read(path).ok()?;
        let text = std::str::from_utf8(&bytes).ok().filter(|text| text.len() <= LONGEST_TEXT).unwrap_or_default();
        let is_file = |name: &String| name != path && self.files.kind(name) == Some(EntryKind::File);
        let names = candidates(path, text).into_iter().filter(is_file).collect();
        Some(ReadFile { digest: Digest::of(&bytes), names })
    }
}

/// Every path that the text of a file could mean: a name with an end or a folder in it, from the project's folder and from
/// the file's own; and what Python's `import` names.
fn candidates(path: &str, text: &str) -> BTreeSet<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    let mut found = BTreeSet::new();
    let mut add = |name: &str| {
        let Some(name) = project_path(name) else { return };
        found.insert(name.to_owned());
        if !folder.is_empty() {
            found.insert(format!("{folder}/{name}"));
        }
    };
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/');
    for word in text.split(|letter| !is_part(letter)) {
        if word.contains(['.', '/']) {
            add(word.trim_end_matches('.'));
            // A module is often named without the end of its file.
            add(&format!("{word}.{end}"));
        }
    }
    for module in text.lines().flat_map(imported) {
        let module = module.trim_start_matches('.').replace('.', "/");
        add(&format!("{module}.{end}"));
        add(&format!("{module}/__init__.{end}"));
    }
    found
}

/// The modules that a line of Python names: `import a, b.c as d`, and `from a import b`, where `b` can be a module of `a`.
fn imported(line: &str) -> Vec<String> {
    let names = |list: &str| -> Vec<String> {
        let each = list.split(['#', ';']).next().unwrap_or_default().split([',', '(', ')']);
        each.filter_map(|name| name.split_whitespace().next()).map(str::to_owned).collect()
    };
    let line = line.trim_start();
    if let Some(list) = line.strip_prefix("import ") {
        return names(list);
    }
    let Some((module, list)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) else {
        return Vec::new();
    };
    let module = module.trim();
    let inside = names(list).into_iter().map(|name| format!("{module}.{name}"));
    inside.chain([module.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::MemoryFiles;

    /// Whether an edit of `edited` makes another digest of `judges/polite.py`, whose text is `program`.
    fn counts(program: &str, edited: &str) -> bool {
        let files = |text: &str| {
            let mut files = MemoryFiles::default().with("judges/polite.py", program);
            let others = [
                "judges/words.py",
                "judges/more/__init__.py",
                "judges/more/deep.py",
                "judges/words.json",
                "lib/terms.py",
                "lib/list.sh",
                "words.py",
                "desk.py",
            ];
            for other in others {
                files = files.with(other, "pass");
            }
            files.with(edited, text)
        };
        let digest = |text: &str| ProgramFiles::new(&files(text)).digest(["judges/polite.py"].into_iter()).unwrap();
        digest("one") != digest("two")
    }

    #[test]
    fn what_a_program_names_or_imports_counts() {
        for (program, edited) in [
            ("import words", "judges/words.py"),
            ("import json, words as w  # plain", "judges/words.py"),
            ("  from words import polite", "judges/words.py"),
            ("from .words import (polite,", "judges/words.py"),
            ("from more import deep", "judges/more/deep.py"),
            ("import more", "judges/more/__init__.py"),
            ("from lib.terms import all", "lib/terms.py"),
            ("open('judges/words.json')", "judges/words.json"),
            ("open(HERE / \"words.json\")", "judges/words.json"),
            (". lib/list.sh", "lib/list.sh"),
            ("require('./words')", "judges/words.py"),
        ] {
            assert!(counts(program, edited), "{program}: {edited}");
        }
    }

    #[test]
    fn what_it_does_not_name_does_not_count() {
        for (program, edited) in [
            ("print('desk words')", "desk.py"),
            ("print('desk words')", "judges/words.py"),
            ("import json", "words.py"),
        ] {
            assert!(!counts(program, edited), "{program}: {edited}");
        }
    }

    #[test]
    fn what_a_named_file_names_counts_too_and_a_circle_ends() {
        let files =
            |last: &str| MemoryFiles::default().with("a.py", "import b").with("b.py", "import c, a").with("c.py", last);
        let digest = |last: &str| ProgramFiles::new(&files(last)).digest(["a.py"].into_iter());
        assert_ne!(digest("one"), digest("two"));
        assert_eq!(digest("one"), digest("one"));
        assert_eq!(ProgramFiles::new(&files("")).digest(["python3"].into_iter()), None);
    }

    #[test]
    fn a_program_that_names_no_other_file_is_known_by_its_content_alone() {
        let files = MemoryFiles::default().with("judge.sh", "echo");
        let alone = Digest::of_json(&json!({"judge.sh": Digest::of(b"echo")}));
        assert_eq!(ProgramFiles::new(&files).digest(["sh", "judge.sh"].into_iter()), Some(alone));
    }
}
