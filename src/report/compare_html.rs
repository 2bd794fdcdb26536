//! A comparison as one self-contained HTML file without any script.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::compare_document::{CompareDocument, ComparedCaseView, STANDINGS};
use super::html::{HtmlError, STYLE, environment, style_policy};
use super::set_view::SetView;

const TEMPLATE: &str = include_str!("../../templates/compare.html");

/// What the template prints.
#[derive(Debug, Serialize)]
struct Page {
    project: String,
    before: String,
    now: String,
    parts: Option<String>,
    statement: String,
    groups: Vec<GroupItem>,
    sets: Vec<SetItem>,
    limits: Vec<String>,
}

/// The cases of one standing.
#[derive(Debug, Serialize)]
struct GroupItem {
    title: &'static str,
    name: &'static str,
    count: usize,
    oldest: Option<String>,
    cases: Vec<CaseItem>,
}

/// One case.
#[derive(Debug, Serialize)]
struct CaseItem {
    id: String,
    set: String,
    why: String,
    ends: String,
    findings: Vec<String>,
}

/// What the counts of one set support.
#[derive(Debug, Serialize)]
struct SetItem {
    set: String,
    sentences: Vec<String>,
}

/// Renders a comparison. The page fetches nothing and runs nothing.
///
/// # Errors
/// When the shipped template is broken.
pub fn render_compare_html(document: &CompareDocument) -> Result<String, HtmlError> {
    let name = "holdpoint/compare.html";
    let mut environment = environment()?;
    environment.add_template(name, TEMPLATE)?;
    let html = environment.get_template(name)?.render(context! {
        page => Value::from(Serde(&page(document))),
        policy => style_policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
    })?;
    Ok(html)
}

fn page(document: &CompareDocument) -> Page {
    let group = |(standing, title, _): (_, &'static str, bool)| {
        let cases: Vec<&ComparedCaseView> = document.with(standing).collect();
        GroupItem {
            title,
            name: standing.name(),
            count: cases.len(),
            oldest: document.oldest(standing),
            cases: cases.into_iter().filter(|case| case.is_worth_a_line()).map(case_item).collect(),
        }
    };
    Page {
        project: document.project.clone(),
        before: document.before.text(),
        now: document.now.text(),
        parts: document.parts(),
        statement: document.evidence_statement.clone(),
        groups: STANDINGS.into_iter().map(group).filter(|group| group.count > 0).collect(),
        sets: document.sets.iter().map(set_item).collect(),
        limits: document.limits.clone(),
    }
}

fn set_item(view: &SetView) -> SetItem {
    SetItem { set: view.figures.set.to_string(), sentences: view.sentences() }
}

fn case_item(case: &ComparedCaseView) -> CaseItem {
    CaseItem {
        id: case.id.to_string(),
        set: case.set.to_string(),
        why: case.why.clone(),
        ends: case.ends(),
        findings: case.findings(),
    }
}
