//! One self-contained HTML file, readable with scripts and styles off.
//!
//! Everything that the template prints is made visible and escaped; only the style and the script, which are part of
//! the program, are not. The page fetches nothing, and its policy allows that one style and that one script alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, HtmlEscape, UndefinedBehavior, Value, context, escape_formatter};

use crate::domain::Digest;

use super::blocks::check_blocks;
use super::document::ReportDocument;
use super::findings::one_line;
use super::html_page::HtmlPage;
use super::payload::Payloads;
use super::prose::prose_html;
use super::visible::visible;

/// The shipped templates, by the names by which they import each other.
const TEMPLATES: [(&str, &str); 4] = [
    ("holdpoint/head.html", include_str!("../../templates/head.html")),
    (SHIPPED_TEMPLATE, SHIPPED_PAGE),
    ("holdpoint/case.html", include_str!("../../templates/case.html")),
    ("holdpoint/figures.html", include_str!("../../templates/figures.html")),
];
/// The shipped page's template.
pub(super) const SHIPPED_PAGE: &str = include_str!("../../templates/report.html");
pub(super) const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

/// Bytes of a template's line that an error shows at the most.
const LONGEST_LINE: usize = 200;

/// The name by which a project's template can extend the shipped one.
pub const SHIPPED_TEMPLATE: &str = "holdpoint/report.html";

/// What the names of all shipped templates begin with.
const SHIPPED_FOLDER: &str = "holdpoint/";

/// The name of the template that a project renders its report with, where it has one.
pub const TEMPLATE_ENTRY: &str = "report.html";

/// The folder of a project's own templates, below the project's folder.
pub const TEMPLATES_FOLDER: &str = "templates";

/// One of a project's own templates. [`TEMPLATE_ENTRY`] usually begins with `{% extends "holdpoint/report.html" %}` and
/// overrides blocks; it can include the project's others by their names, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomTemplate {
    /// Its name: the path below the project's folder of templates.
    pub name: String,
    /// Its text.
    pub source: String,
}

/// A report as it is written to a run's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtmlReport {
    /// The page.
    pub page: String,
    /// Texts that are too long for the page, by the path of their file relative to it.
    pub payloads: BTreeMap<String, String>,
}

/// The HTML report could not be rendered. The other forms of the report do not depend on it.
#[derive(Debug, thiserror::Error)]
#[error("the template {path} is broken at line {line}: {message}")]
pub struct HtmlError {
    /// The template.
    pub path: String,
    /// The line, from 1; 0 where none is known.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl HtmlError {
    /// Whether the broken template is one of the project's own.
    pub fn is_the_projects(&self) -> bool {
        !self.path.starts_with(SHIPPED_FOLDER)
    }
}

/// Of an error and what caused it, each in a template of its own, the last one that lies in a template of the project's: there
/// it can be mended.
fn innermost(error: &Error) -> &Error {
    let mut found = error;
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next.and_then(|cause| cause.downcast_ref::<Error>()) {
        if cause.name().is_some_and(|name| !name.starts_with(SHIPPED_FOLDER)) {
            found = cause;
        }
        next = std::error::Error::source(cause);
    }
    found
}

impl From<Error> for HtmlError {
    fn from(error: Error) -> Self {
        let error = innermost(&error);
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        let name = error.name().unwrap_or(SHIPPED_TEMPLATE);
        Self {
            path: if name.starts_with(SHIPPED_FOLDER) { name.to_owned() } else { format!("{TEMPLATES_FOLDER}/{name}") },
            line: error.line().unwrap_or(0),
            message: format!("{}{cause}", error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)),
        }
    }
}

/// Renders the report, with the project's own templates where it has any. They cannot bring scripts or styles of their
/// own: the page's policy refuses them. They can read no file: what they include is among `templates`, or is shipped.
///
/// # Errors
/// When a template is broken.
pub fn render_html(document: &ReportDocument, templates: &[CustomTemplate]) -> Result<HtmlReport, HtmlError> {
    let environment = environment_with(templates)?;
    let has_own = templates.iter().any(|template| template.name == TEMPLATE_ENTRY);
    let name = if has_own { TEMPLATE_ENTRY } else { SHIPPED_TEMPLATE };
    let payloads = Payloads::default();
    let page = environment.get_template(name)?.render(context! {
        page => Value::from(Serde(&HtmlPage::of(document, &payloads))),
        policy => policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
    });
    let page = page.map_err(|error| with_line(error.into(), templates))?;
    Ok(HtmlReport { page, payloads: payloads.into_files() })
}

/// An environment that has the shipped templates and a project's own.
///
/// # Errors
/// When one of them is no template, or overrides a block that does not exist.
pub(super) fn environment_with(templates: &[CustomTemplate]) -> Result<Environment<'_>, HtmlError> {
    let mut environment = environment()?;
    // Theirs cannot go by the name of a shipped one: the pipeline refuses a folder of that name.
    for template in templates.iter().filter(|template| !template.name.starts_with(SHIPPED_FOLDER)) {
        environment.add_template(&template.name, &template.source)?;
        check_blocks(template, templates)?;
    }
    Ok(environment)
}

/// The error with the line of the project's template that it names: what is undefined stands there.
fn with_line(error: HtmlError, templates: &[CustomTemplate]) -> HtmlError {
    let own = templates.iter().find(|template| error.path == format!("{TEMPLATES_FOLDER}/{}", template.name));
    let line = own.and_then(|template| template.source.lines().nth(error.line.checked_sub(1)?));
    match line {
        Some(line) => {
            HtmlError { message: format!("{}, in `{}`", error.message, one_line(line.trim(), LONGEST_LINE)), ..error }
        }
        None => error,
    }
}

/// An environment that has the shipped templates, with everything that they need.
pub(super) fn environment<'a>() -> Result<Environment<'a>, Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // By content, not by file name: whatever a project calls its template, it is escaped.
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(|out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => escape_formatter(out, state, &Value::from(visible(text).into_owned())),
        None => escape_formatter(out, state, value),
    });
    environment.add_filter("prose", |text: &str| Value::from_safe_string(prose_html(text)));
    environment.add_filter("dotted", |text: &str| Value::from_safe_string(dotted(text)));
    environment.add_filter("fragment", |text: &str| Value::from_safe_string(fragment(text)));
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// The policy of a page without any script: nothing is fetched, and only the shipped style is used.
pub(super) fn style_policy() -> String {
    format!("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'", hash(STYLE))
}

fn hash(text: &str) -> String {
    STANDARD.encode(Digest::of(text.as_bytes()).to_bytes())
}

/// The part of an address that leads to the element whose id is this text as the page shows it: all but letters, digits
/// and `-`, `_`, `.` is percent-encoded, byte by byte (RFC 3986).
fn fragment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in visible(text).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => encoded.push(char::from(byte)),
            // Writing to a String cannot fail.
            other => _ = write!(encoded, "%{other:02X}"),
        }
    }
    encoded
}

/// A dotted name as HTML that can be broken behind its dots, and so not within a word.
fn dotted(text: &str) -> String {
    let shown = visible(text);
    let escaped = shown.split('.').map(|part| HtmlEscape(part).to_string());
    escaped.collect::<Vec<_>>().join(".<wbr>")
}

/// The page's content security policy: nothing is fetched, and only this style and this script are used.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

#[cfg(test)]
mod tests;
