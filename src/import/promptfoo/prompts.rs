//! Prompts: their texts, and the manifests that watch them.

use serde_json::{Map, Value, json};

use crate::import::brought::{Brought, Kind};
use crate::import::case_draft::one_line;
use crate::import::names::{Names, slug};
use crate::import::written::yaml;
use crate::manifest::schema_line;

use super::source::{Folder, Place};
use super::template::{fill, fill_value, named, written};

/// Longest part that a prompt's name has in a case's, in characters.
const SHORT: usize = 20;

/// One prompt.
pub(super) struct Prompt {
    /// The id of its manifest, where it has one.
    pub(super) part: Option<String>,
    /// What it adds to the names of cases.
    pub(super) suffix: String,
    /// The names by which tests and providers choose it.
    pub(super) labels: Vec<String>,
    text: String,
    /// Why it is none of the configuration's, where it stands for one that is not there.
    pub(super) absent: Option<&'static str>,
}

/// What stands for the prompt of a configuration that has none.
const NO_PROMPT: &str = "the configuration has no prompts, and the test has no variable `prompt` in the place of one";
/// What stands for the prompts that a configuration has, and of which none could be brought.
const NONE_BROUGHT: &str = "none of the configuration's prompts could be brought, so that nothing is asked";

impl Prompt {
    /// The prompt with a test's variables in it. In a list of messages they are filled in text by text.
    ///
    /// # Errors
    /// Why that takes more than plain variables.
    pub(super) fn filled(&self, options: &Map<String, Value>, vars: &Map<String, Value>) -> Result<String, String> {
        if self.absent == Some(NONE_BROUGHT) {
            return Err(NONE_BROUGHT.to_owned());
        }
        let around = |key: &str| options.get(key).and_then(Value::as_str).unwrap_or_default();
        if let Ok(messages @ Value::Array(_)) = serde_json::from_str::<Value>(&self.text)
            && around("prefix").is_empty()
            && around("suffix").is_empty()
        {
            return Ok(written(&fill_value(&messages, vars)?));
        }
        fill(&format!("{}{}{}", around("prefix"), self.text, around("suffix")), vars)
    }

    /// The prompt as it stands.
    pub(super) fn raw(&self) -> &str {
        &self.text
    }
}

/// Reads the prompts. `inside` is the path from the project's folder to the configuration's, where that lies in it: a prompt's
/// file is then watched where it is.
pub(super) fn prompts(config: &Place, folder: Folder<'_>, inside: Option<&str>, brought: &mut Brought) -> Vec<Prompt> {
    let place = config.below("prompts");
    let found = match place.value() {
        Value::Array(_) => place.items(),
        Value::Null => Vec::new(),
        one => vec![(one, place)],
    };
    let is_named = !found.is_empty();
    let mut reader = Reader { folder, inside, names: Names::default(), prompts: Vec::new(), lost: 0, brought };
    for (value, place) in found {
        reader.take(&value, &place);
    }
    if reader.prompts.is_empty() {
        // The other tool's own default.
        reader.prompts.push(Prompt {
            part: None,
            suffix: String::new(),
            labels: Vec::new(),
            text: "{{prompt}}".to_owned(),
            absent: Some(if is_named { NONE_BROUGHT } else { NO_PROMPT }),
        });
    } else {
        // Where no prompt is left at all, each test comes to a case that fails and says so; else a case is missing for each.
        reader.brought.tally.left += reader.lost;
    }
    reader.prompts
}

struct Reader<'a, 'b> {
    folder: Folder<'a>,
    inside: Option<&'a str>,
    names: Names,
    prompts: Vec<Prompt>,
    /// How many could not be brought.
    lost: usize,
    brought: &'b mut Brought,
}

impl Reader<'_, '_> {
    fn take(&mut self, value: &Value, place: &Place) {
        let text_of = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let (raw, label) = match value {
            Value::String(text) => (Some(text.clone()), None),
            Value::Object(_) => (text_of("raw").or_else(|| text_of("id")), text_of("label")),
            _ => (None, None),
        };
        let Some(raw) = raw else {
            let why = "it is neither a text nor a map with `raw` or `id`";
            return self.lose("a prompt".to_owned(), why, place);
        };
        if !is_reference(&raw) {
            return self.add(&raw, label, None, place);
        }
        match self.folder.text(&raw) {
            Ok(_) if has_ending(&raw, &["js", "mjs", "cjs", "ts", "py", "csv"]) => {
                let why = "its prompts are computed or in a table: write them as texts";
                self.lose(format!("the prompt `{raw}`"), why, place);
            }
            Ok((path, text)) => self.add_file(&raw, &path, &text, label, place),
            Err(why) => self.lose(format!("the prompt `{raw}`"), &why, place),
        }
    }

    /// Names a prompt that nothing is asked with.
    fn lose(&mut self, what: String, why: &str, place: &Place) {
        self.lost += 1;
        self.brought.note(Kind::Left, place.spot(), what, why);
    }

    /// A text file can hold several prompts with a line of `---` between them.
    fn add_file(&mut self, raw: &str, path: &str, text: &str, label: Option<String>, place: &Place) {
        let parts: Vec<&str> = if has_ending(path, &["txt"]) { text.split("\n---\n").collect() } else { vec![text] };
        let only = parts.len() == 1;
        for part in parts {
            let label = label.clone().or_else(|| Some(raw.to_owned()));
            self.add(part.trim_end_matches('\n'), label, only.then_some(path), place);
        }
    }

    fn add(&mut self, text: &str, label: Option<String>, path: Option<&str>, place: &Place) {
        let words = label.as_deref().unwrap_or(text).trim_start_matches("file://");
        let id = match slug(words) {
            slug if slug.is_empty() => "prompt".to_owned(),
            slug => format!("{slug}-prompt"),
        };
        let (id, _) = self.names.take(&id);
        let kept = match (path, self.inside) {
            (Some(path), Some("")) => path.to_owned(),
            (Some(path), Some(inside)) => format!("{inside}/{path}"),
            _ => {
                let kept = format!("prompts/{id}.txt");
                self.brought.file(&kept, format!("{text}\n"));
                kept
            }
        };
        let variables: Map<String, Value> = named(text).into_iter().map(|name| (name, json!({}))).collect();
        let from = one_line(&format!("{}:{}", place.path, place.line()), 200);
        let mut manifest = schema_line("..", "prompt") + "\n";
        manifest.push_str(&format!("# Brought from {from}.\n"));
        for (key, value) in
            [("id", json!(id)), ("kind", json!("prompt")), ("version", json!("1")), ("files", json!([kept]))]
        {
            manifest.push_str(&yaml(key, &value, 0));
        }
        if !variables.is_empty() {
            manifest.push_str(&yaml("variables", &Value::Object(variables), 0));
        }
        self.brought.file(format!("manifests/{id}.yaml"), manifest);
        let short: String = slug(words).chars().take(SHORT).collect();
        let suffix = if self.prompts.is_empty() { String::new() } else { format!("-{}", short.trim_end_matches('-')) };
        let labels = label.into_iter().chain([id.clone(), text.to_owned()]).collect();
        self.prompts.push(Prompt { part: Some(id), suffix, labels, text: text.to_owned(), absent: None });
    }
}

fn is_reference(text: &str) -> bool {
    let is_path = has_ending(text, &["txt", "md", "j2", "json", "yaml", "yml", "js", "mjs", "cjs", "ts", "py", "csv"]);
    text.starts_with("file://") || (is_path && !text.contains([' ', '\n', '{']))
}

/// Whether a path has one of these endings; what stands behind a colon (`a.py:function`) is no part of it.
pub(super) fn has_ending(path: &str, endings: &[&str]) -> bool {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let path = path.split(':').next().unwrap_or_default();
    path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending.to_lowercase().as_str()))
}
