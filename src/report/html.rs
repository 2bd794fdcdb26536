//! One self-contained HTML file, readable with scripts and styles off.
//!
//! Everything that the template prints is made visible and escaped; only the style and the script, which are part of
//! the program, are not. The page fetches nothing, and its policy allows that one style and that one script alone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value, context, escape_formatter};

use crate::domain::Digest;

use super::document::ReportDocument;
use super::html_page::HtmlPage;
use super::prose::prose_html;
use super::visible::visible;

/// The shipped templates, by the names by which they import each other.
const TEMPLATES: [(&str, &str); 3] = [
    (SHIPPED_TEMPLATE, include_str!("../../templates/report.html")),
    ("holdpoint/case.html", include_str!("../../templates/case.html")),
    ("holdpoint/figures.html", include_str!("../../templates/figures.html")),
];
pub(super) const STYLE: &str = include_str!("../../templates/report.css");
const SCRIPT: &str = include_str!("../../templates/report.js");

/// The name by which a project's template can extend the shipped one.
pub const SHIPPED_TEMPLATE: &str = "holdpoint/report.html";

/// A project's own template. It usually begins with `{% extends "holdpoint/report.html" %}` and overrides blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CustomTemplate<'a> {
    /// Its path, for errors.
    pub path: &'a str,
    /// Its text.
    pub source: &'a str,
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

impl From<Error> for HtmlError {
    fn from(error: Error) -> Self {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        Self {
            path: error.name().unwrap_or(SHIPPED_TEMPLATE).to_owned(),
            line: error.line().unwrap_or(0),
            message: format!("{}{cause}", error.detail().unwrap_or("it cannot be rendered")),
        }
    }
}

/// Renders the report. A project's own template cannot bring scripts or styles of its own: the policy refuses them.
pub fn render_html(document: &ReportDocument, custom: Option<CustomTemplate>) -> Result<String, HtmlError> {
    let mut environment = environment()?;
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    let name = match custom {
        Some(custom) => {
            environment.add_template(custom.path, custom.source)?;
            custom.path
        }
        None => SHIPPED_TEMPLATE,
    };
    let page = HtmlPage::of(document);
    let html = environment.get_template(name)?.render(context! {
        page => Value::from(Serde(&page)),
        policy => policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
    })?;
    Ok(html)
}

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
    Ok(environment)
}

/// The policy of a page without any script: nothing is fetched, and only the shipped style is used.
pub(super) fn style_policy() -> String {
    format!("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'", hash(STYLE))
}

fn hash(text: &str) -> String {
    STANDARD.encode(Digest::of(text.as_bytes()).to_bytes())
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
