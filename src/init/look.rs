//! What a repository shows: prompts, documents, tools, models, addresses, code. Only what a name or a line says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::manifest::EntryKind;

use super::adapter::Language;
use super::left_out::{lies_in, links_left_out, nested, nested_left_out};
use super::names::{folder, stem};

/// Folders that hold what others wrote or a tool made, or that only tests read.
const PASSED_OVER: [&str; 20] = [
    "node_modules",
    "venv",
    "env",
    "target",
    "dist",
    "build",
    "vendor",
    "third_party",
    "__pycache__",
    "site-packages",
    "test",
    "tests",
    "__tests__",
    "spec",
    "fixtures",
    "testdata",
    "examples",
    "coverage",
    "baselines",
    "cases",
];

const TEXTS: [&str; 11] = ["md", "txt", "prompt", "j2", "jinja", "jinja2", "tmpl", "mustache", "liquid", "yaml", "yml"];
const DOCUMENTS: [&str; 6] = ["md", "txt", "rst", "html", "csv", "pdf"];
const PROMPT_FOLDERS: [&str; 3] = ["prompt", "prompts", "system_prompts"];
const SOURCE_FOLDERS: [&str; 9] =
    ["policy", "policies", "knowledge", "knowledge_base", "kb", "handbook", "faq", "guidelines", "terms"];
const INERT: [&str; 8] =
    ["README", "LICENSE", "LICENCE", "CHANGELOG", "CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "AUTHORS"];

/// Where code is read for the names of models and addresses, no longer files and no more of them than this.
const LONGEST_FILE: usize = 256 * 1024;
const MOST_FILES: usize = 2000;
/// More names than this of one kind say little: they are tables, not settings.
const MOST_NAMES: usize = 12;

/// A name that a line of code gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// The name.
    pub name: String,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// An address on this machine that the same line names, as what holds where the environment says nothing.
    pub default: Option<String>,
}

/// A tool's description, as a model is told.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTool {
    /// The file.
    pub path: String,
    /// Its name.
    pub name: String,
    /// What it says of itself.
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    pub schema: Map<String, Value>,
}

/// What a repository shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Files that hold prompts.
    pub prompts: Vec<String>,
    /// Documents that answers may rest on.
    pub sources: Vec<String>,
    /// Tools.
    pub tools: Vec<FoundTool>,
    /// Models that code or settings name.
    pub models: Vec<FoundLine>,
    /// Environment variables from which code reads the addresses of other systems.
    pub addresses: Vec<FoundLine>,
    /// Environment variables from which code reads where a model is served: it is asked, and nothing is left there.
    pub model_addresses: Vec<FoundLine>,
    /// Environment variables from which code reads keys.
    pub keys: Vec<FoundLine>,
    /// Globs of the code.
    pub code: Vec<String>,
    /// The language that most of the code is written in.
    pub language: Language,
    /// Files that cannot change what a workflow does.
    pub inert: Vec<String>,
    /// Whether a `.gitignore` stands there.
    pub has_gitignore: bool,
    /// What looks like something that only a person can write down.
    pub notices: Vec<String>,
}

/// Looks at a listing of paths, with `/` between names, and at the texts of some of them. `kind` says what stands at a path
/// itself, and `read` answers with nothing for what is no text. Links, and what lies in another git repository, are left
/// out: a manifest that named one of them would end the first gate.
pub fn look(
    paths: &[String],
    kind: &dyn Fn(&str) -> Option<EntryKind>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Found {
    let mut found = Found { has_gitignore: paths.iter().any(|path| path == ".gitignore"), ..Found::default() };
    found.inert = paths.iter().filter(|path| is_inert(path)).cloned().collect();
    let nested = nested(paths);
    let looked_at = paths.iter().filter(|path| !is_passed_over(path) && !lies_in(path, &nested));
    let (links, own): (Vec<&String>, Vec<&String>) = looked_at.partition(|path| kind(path) == Some(EntryKind::Symlink));
    let own: Vec<&String> = own.into_iter().filter(|path| kind(path) == Some(EntryKind::File)).collect();
    found.prompts = own.iter().filter(|path| is_prompt(path)).map(|path| (*path).clone()).collect();
    found.sources = own.iter().filter(|path| is_source(path)).map(|path| (*path).clone()).collect();
    found.tools = own.iter().filter(|path| is_tool(path)).filter_map(|path| tool(path, &read(path)?)).collect();
    let code: Vec<&str> = own.iter().filter(|path| Language::of(path).is_some()).map(|path| path.as_str()).collect();
    found.language = most_used(&code);
    found.code = globs(&code);
    read_lines(&code, &own, read, &mut found);
    let all: Vec<&String> = own.iter().chain(&links).copied().collect();
    let (links_named, named): (BTreeSet<String>, BTreeSet<String>) =
        named_documents(&code, &all, read).into_iter().partition(|path| links.contains(&path));
    found.sources.extend(named.into_iter().filter(|path| !is_prompt(path) && !is_inert(path)));
    found.sources.sort_unstable();
    found.sources.dedup();
    let permissions = own
        .iter()
        .filter(|path| stem(path).eq_ignore_ascii_case("permissions") || stem(path).eq_ignore_ascii_case("roles"));
    found.notices.extend(permissions.map(|path| {
        format!("{path} may say who may do what; `holdpoint schema permissions` shows how a manifest says it")
    }));
    let is_taken = |path: &str| is_prompt(path) || is_source(path) || is_tool(path) || Language::of(path).is_some();
    let links = links.into_iter().map(String::as_str);
    let links: Vec<&str> = links.filter(|path| is_taken(path) || links_named.contains(*path)).collect();
    let nested: Vec<&str> = nested.into_iter().filter(|folder| !is_passed_over(&format!("{folder}/"))).collect();
    found.notices.extend(links_left_out(&links).into_iter().chain(nested_left_out(&nested)));
    found
}

fn is_source(path: &str) -> bool {
    is_in(path, &SOURCE_FOLDERS, &DOCUMENTS) && !is_prompt(path)
}

fn is_tool(path: &str) -> bool {
    is_in(path, &["tools", "functions"], &["json"])
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    folder(path).split('/').filter(|name| !name.is_empty())
}

/// A name with a control character or a backslash in it cannot be written into a project's files.
fn is_passed_over(path: &str) -> bool {
    path.contains(|c: char| c.is_control() || c == '\\')
        || components(path)
            .any(|name| name.starts_with('.') || PASSED_OVER.iter().any(|other| other.eq_ignore_ascii_case(name)))
}

fn is_inert(path: &str) -> bool {
    let is_named = INERT.iter().any(|name| stem(path).eq_ignore_ascii_case(name));
    !path.contains('/') && (is_named || path == ".gitignore" || path == ".gitattributes" || path == ".editorconfig")
}

fn ending(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name).rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn has_ending(path: &str, endings: &[&str]) -> bool {
    endings.iter().any(|other| other.eq_ignore_ascii_case(ending(path)))
}

fn is_in(path: &str, folders: &[&str], endings: &[&str]) -> bool {
    has_ending(path, endings)
        && components(path).any(|name| folders.iter().any(|other| other.eq_ignore_ascii_case(name)))
}

fn is_prompt(path: &str) -> bool {
    // Settings of a prompt library are often YAML; beside a folder of that name they are anything.
    let by_name = has_ending(path, &TEXTS[..9]) && is_called_prompt(stem(path)) && !is_about_code(path);
    is_in(path, &PROMPT_FOLDERS, &TEXTS) || by_name || ending(path) == "prompt"
}

/// Whether the last word of a name is that of a prompt, a version or a language behind it left aside: what is about prompts
/// has another one.
fn is_called_prompt(stem: &str) -> bool {
    let is_variant = |word: &&str| {
        let number = word.strip_prefix(['v', 'V']).unwrap_or(word);
        let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
        is_number || word.len() == 2 && word.chars().all(|c| c.is_ascii_lowercase())
    };
    let words: Vec<&str> = stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let last = words.iter().rev().find(|word| !is_variant(word));
    last.is_some_and(|word| {
        let word = word.to_ascii_lowercase();
        // As in `systemPrompt`, too.
        word.ends_with("prompt") || word.ends_with("prompts")
    })
}

/// Whether a path lies among what is written about a repository, for those who work on it.
fn is_about_code(path: &str) -> bool {
    const FOLDERS: [&str; 6] = ["doc", "docs", "documentation", "notes", "wiki", "adr"];
    components(path).any(|name| FOLDERS.iter().any(|other| other.eq_ignore_ascii_case(name)))
}

/// Whether a path is that of settings for a program, as far as a name says so: elsewhere a model may be that of anything.
fn is_settings(path: &str) -> bool {
    const NAMES: [&str; 12] = [
        "config",
        "configs",
        "configuration",
        "conf",
        "settings",
        "agent",
        "agents",
        "llm",
        "ai",
        "assistant",
        "model",
        "models",
    ];
    let mut names = components(path).chain([stem(path)]);
    let is_named = names.any(|name| NAMES.iter().any(|other| other.eq_ignore_ascii_case(name)));
    ending(path) == "env" || is_named && has_ending(path, &["yaml", "yml"])
}

/// A tool in one of the forms in which models are told of them: a name, and a schema of its arguments.
fn tool(path: &str, text: &str) -> Option<FoundTool> {
    let Value::Object(document) = serde_json::from_str(text).ok()? else { return None };
    let document = match document.get("function") {
        Some(Value::Object(function)) => function.clone(),
        _ => document,
    };
    let name = document.get("name")?.as_str()?.to_owned();
    let schema =
        ["parameters", "input_schema", "inputSchema"].iter().find_map(|key| document.get(*key))?.as_object()?;
    let is_schema = crate::manifest::compile_json_schema(&Value::Object(schema.clone())).is_ok();
    let description = document.get("description").and_then(Value::as_str).map(str::to_owned);
    is_schema.then(|| FoundTool { path: path.to_owned(), name, description, schema: schema.clone() })
}

fn most_used(code: &[&str]) -> Language {
    let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
    for language in code.iter().filter_map(|path| Language::of(path)) {
        *counts.entry(language).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(Language::default(), |(language, _)| language)
}

/// The folders at the top that hold code, whole, and the code beside them.
fn globs(code: &[&str]) -> Vec<String> {
    let glob =
        |path: &&str| path.split_once('/').map_or_else(|| escaped(path), |(top, _)| format!("{}/**", escaped(top)));
    code.iter().map(glob).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A name with nothing in it that a glob would take for more than itself.
fn escaped(name: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\');
    name.chars().map(|c| if special(c) { format!("[{c}]") } else { c.to_string() }).collect()
}

/// Documents that a line of code names as they stand there, seen from the top or from the code's own folder.
fn named_documents(code: &[&str], own: &[&String], read: &dyn Fn(&str) -> Option<String>) -> BTreeSet<String> {
    static NAMES: OnceLock<Option<Regex>> = OnceLock::new();
    let names = NAMES.get_or_init(|| Regex::new(r#"["'`]([^"'`\\\x00-\x1f]+\.[a-z]{2,4})["'`]"#).ok());
    let documents: BTreeSet<&str> =
        own.iter().map(|path| path.as_str()).filter(|path| has_ending(path, &DOCUMENTS)).collect();
    let mut named = BTreeSet::new();
    for path in code.iter().take(MOST_FILES) {
        let Some(text) = read(path).filter(|text| text.len() <= LONGEST_FILE) else { continue };
        for found in names.iter().flat_map(|names| names.captures_iter(&text)).filter_map(|found| found.get(1)) {
            let name = found.as_str().trim_start_matches("./");
            let beside = format!("{}/{name}", folder(path));
            named
                .extend([name, beside.as_str()].into_iter().filter(|name| documents.contains(name)).map(str::to_owned));
        }
    }
    named
}

fn read_lines(code: &[&str], own: &[&String], read: &dyn Fn(&str) -> Option<String>, found: &mut Found) {
    let settings =
        own.iter().map(|path| path.as_str()).filter(|path| has_ending(path, &["yaml", "yml", "toml", "json", "env"]));
    let mut seen = BTreeSet::new();
    for path in code.iter().copied().chain(settings).take(MOST_FILES) {
        let Some(text) = read(path).filter(|text| text.len() <= LONGEST_FILE) else { continue };
        for (index, line) in text.lines().enumerate() {
            let mut take = |name: &str, list: &mut Vec<FoundLine>| {
                if seen.insert(name.to_owned()) {
                    let (path, default) = (path.to_owned(), local_address(line).map(str::to_owned));
                    list.push(FoundLine { name: name.to_owned(), path, line: index + 1, default });
                }
            };
            let unquoted = || first_group(unquoted_model_names(), line).filter(|_| is_settings(path));
            if let Some(name) = first_group(model_names(), line).or_else(unquoted) {
                take(name, &mut found.models);
            }
            for name in variables(line) {
                if is_address(name) && is_of_model(name) {
                    take(name, &mut found.model_addresses);
                } else if is_address(name) {
                    take(name, &mut found.addresses);
                } else if is_key(name) {
                    take(name, &mut found.keys);
                }
            }
        }
    }
    if found.models.len() > MOST_NAMES {
        let count = found.models.len();
        found.notices.push(format!("the code names {count} models; write a manifest for the one that it uses"));
        found.models.clear();
    }
    found.addresses.truncate(MOST_NAMES);
}

/// A text with a digit in it that is given to something called a model, whoever makes it.
fn model_names() -> &'static Option<Regex> {
    static NAMES: OnceLock<Option<Regex>> = OnceLock::new();
    NAMES.get_or_init(|| {
        Regex::new(r#"(?i)\bmodel(?:_?name|_?id)?["']?\s*[:=]\s*["']([a-z][a-z0-9._:/-]*[0-9][a-z0-9._:/-]*)["']"#).ok()
    })
}

/// The same as settings have it, without quotes and alone on its line.
fn unquoted_model_names() -> &'static Option<Regex> {
    static NAMES: OnceLock<Option<Regex>> = OnceLock::new();
    NAMES.get_or_init(|| {
        Regex::new(
            r"(?i)^\s*(?:export\s+)?(?:- )?(?:[a-z]+_)*model(?:_?name|_?id)?\s*[:=]\s*([a-z][a-z0-9._:/-]*[0-9][a-z0-9._:/-]*)\s*(?:\s#.*)?$",
        )
        .ok()
    })
}

fn first_group<'a>(pattern: &Option<Regex>, line: &'a str) -> Option<&'a str> {
    pattern.as_ref()?.captures(line)?.get(1).map(|found| found.as_str())
}

/// The environment variables that a line of code reads, as the common languages spell that.
fn variables(line: &str) -> impl Iterator<Item = &str> {
    static READS: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = READS.get_or_init(|| {
        Regex::new(r#"(?:environ(?:\.get)?\s*[\[(]\s*["']|getenv\s*\(\s*["']|process\.env\.|process\.env\[["']|env::var(?:_os)?\(\s*"|Getenv\(\s*"|ENV(?:\.fetch\(|\[)\s*["'])([A-Z][A-Z0-9_]*)"#).ok()
    });
    pattern
        .iter()
        .flat_map(move |pattern| pattern.captures_iter(line))
        .filter_map(|found| found.get(1))
        .map(|name| name.as_str())
}

/// An address on this machine that a line names: what stands elsewhere may be what real work depends on.
fn local_address(line: &str) -> Option<&str> {
    static LOCAL: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = LOCAL.get_or_init(|| {
        Regex::new(r#"["'`](https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]*)?)["'`]"#)
            .ok()
    });
    first_group(pattern, line)
}

/// Addresses of services that speak HTTP, as far as a name says so.
fn is_address(name: &str) -> bool {
    const OTHER: [&str; 10] =
        ["DATABASE", "POSTGRES", "MYSQL", "MONGO", "REDIS", "AMQP", "RABBIT", "KAFKA", "SENTRY", "PROXY"];
    (name.ends_with("_URL") || name.ends_with("_ENDPOINT")) && !OTHER.iter().any(|other| name.contains(other))
}

/// Whether an address is that of a model, as far as a name says so.
fn is_of_model(name: &str) -> bool {
    const MODELS: [&str; 7] = ["MODEL", "LLM", "GPT", "OPENAI", "OLLAMA", "INFERENCE", "EMBEDDING"];
    MODELS.iter().any(|word| name.contains(word))
}

fn is_key(name: &str) -> bool {
    ["_API_KEY", "_TOKEN", "_SECRET"].iter().any(|ending| name.ends_with(ending))
}
