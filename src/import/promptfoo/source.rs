//! The configuration and the files that it leads to, each value with its line.

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::manifest::{EntryKind, FileSource, ForeignFile, compile_glob, literal_prefix};

/// The files of the configuration's folder. Nothing outside of it is read, and no link is followed.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a>(pub(super) &'a dyn FileSource);

impl Folder<'_> {
    /// The path that a reference leads to: `file://` and `./` are left out.
    ///
    /// # Errors
    /// Why it leads to no file of the folder.
    pub(super) fn path(self, reference: &str) -> Result<String, String> {
        let path = reference.strip_prefix("file://").unwrap_or(reference);
        let path = path.trim_start_matches("./");
        if path.contains("{{") || path.contains(['*', '?', '[']) {
            return Err(format!("`{reference}` stands for several files or is computed"));
        }
        if path.is_empty() || path.starts_with('/') || path.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return Err(format!("`{reference}` leads out of the configuration's folder"));
        }
        match self.0.kind(path) {
            Some(EntryKind::File) => Ok(path.to_owned()),
            Some(_) => Err(format!("`{reference}` is no regular file")),
            None => Err(format!("`{reference}` does not exist")),
        }
    }

    /// The files that a pattern stands for, in the order of their paths; never none.
    ///
    /// # Errors
    /// Why there are none.
    pub(super) fn matching(self, pattern: &str) -> Result<Vec<String>, String> {
        let glob = pattern.strip_prefix("file://").unwrap_or(pattern).trim_start_matches("./");
        if glob.starts_with('/') || glob.split('/').any(|name| name == "..") {
            return Err(format!("`{pattern}` leads out of the configuration's folder"));
        }
        let matcher = compile_glob(glob).map_err(|why| format!("`{pattern}` is no pattern of paths: {why}"))?;
        let matcher = matcher.compile_matcher();
        let below = self.0.list(&literal_prefix(glob)).map_err(|error| error.to_string())?;
        // A name with one of these in it would be taken for a pattern again.
        let is_plain = |path: &String| !path.contains(['*', '?', '[']) && !path.contains("{{");
        let mut paths: Vec<String> =
            below.into_iter().filter(|path| matcher.is_match(path) && is_plain(path)).collect();
        paths.sort_unstable();
        if paths.is_empty() { Err(format!("no file matches `{pattern}`")) } else { Ok(paths) }
    }

    /// The bytes of the file that a reference leads to, and its path.
    ///
    /// # Errors
    /// Why they cannot be had.
    pub(super) fn bytes(self, reference: &str) -> Result<(String, Vec<u8>), String> {
        let path = self.path(reference)?;
        let bytes = self.0.read(&path).map_err(|error| error.to_string())?;
        Ok((path, bytes))
    }

    /// The text of the file that a reference leads to, and its path.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(super) fn text(self, reference: &str) -> Result<(String, String), String> {
        let (path, bytes) = self.bytes(reference)?;
        match crate::import::reading::text(&path, &bytes) {
            Ok(text) => Ok((path, text.to_owned())),
            Err(error) => Err(format!("line {} of `{path}`: {}", error.line, error.message)),
        }
    }

    /// The values of a YAML or JSON file.
    ///
    /// # Errors
    /// Why they cannot be had.
    pub(super) fn values(self, reference: &str) -> Result<Place, String> {
        let (path, bytes) = self.bytes(reference)?;
        let file = ForeignFile::read(&path, &bytes).map_err(|errors| {
            errors
                .first()
                .map_or_else(String::new, |error| format!("line {} of `{path}`: {}", error.line, error.message))
        })?;
        Ok(Place { path: path.into(), lines: Lines::In(Rc::new(file), String::new()) })
    }
}

/// Where a value stands.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) path: Rc<str>,
    lines: Lines,
}

#[derive(Clone)]
enum Lines {
    At(usize),
    In(Rc<ForeignFile>, String),
}

impl Place {
    /// A place on a line of its own.
    pub(super) fn at(path: &str, line: usize) -> Self {
        Self { path: path.into(), lines: Lines::At(line) }
    }

    /// A whole file.
    pub(super) fn of(path: &str, file: ForeignFile) -> Self {
        Self { path: path.into(), lines: Lines::In(Rc::new(file), String::new()) }
    }

    /// The place of an entry of the value that stands here.
    pub(super) fn below(&self, key: &str) -> Self {
        let lines = match &self.lines {
            Lines::At(line) => Lines::At(*line),
            Lines::In(file, pointer) => {
                let key = key.replace('~', "~0").replace('/', "~1");
                Lines::In(Rc::clone(file), format!("{pointer}/{key}"))
            }
        };
        Self { path: Rc::clone(&self.path), lines }
    }

    /// The line, from 1.
    pub(super) fn line(&self) -> usize {
        match &self.lines {
            Lines::At(line) => *line,
            Lines::In(file, pointer) => file.line(pointer),
        }
    }

    /// Path and line, as notes take them.
    pub(super) fn spot(&self) -> (&str, usize) {
        (&self.path, self.line())
    }

    /// The value that stands here, in a file that has values.
    pub(super) fn value(&self) -> Value {
        match &self.lines {
            Lines::At(_) => Value::Null,
            Lines::In(file, pointer) => file.json().pointer(pointer).cloned().unwrap_or_default(),
        }
    }

    /// The items of the list that stands here, each with its place.
    pub(super) fn items(&self) -> Vec<(Value, Self)> {
        let Value::Array(items) = self.value() else { return Vec::new() };
        items.into_iter().enumerate().map(|(index, item)| (item, self.below(&index.to_string()))).collect()
    }
}

/// A map, or an empty one.
pub(super) fn fields(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
