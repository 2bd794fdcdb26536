//! Whether a project's own templates name fields that the page does not have: a made-up report is rendered with them.

use std::collections::BTreeSet;

use minijinja::value::Serde;
use minijinja::{Environment, Value};

use super::document::ReportDocument;
use super::html::{CustomTemplate, HtmlError, TEMPLATE_ENTRY, TEMPLATES_FOLDER, render_html};
use super::html_page::HtmlPage;
use super::payload::Payloads;

/// A report with one of everything that a page can show, as JSON.
pub(super) const SPECIMEN: &str = include_str!("specimen.json");

/// What every template of the page is given beside `page`.
const PAGE: &str = "page";

/// Refuses a template that asks for what no page has.
pub(super) fn check_fields(environment: &Environment<'_>, templates: &[CustomTemplate]) -> Result<(), HtmlError> {
    if templates.is_empty() {
        return Ok(());
    }
    let specimen = || HtmlError { path: String::new(), line: 0, message: "the specimen is no report".to_owned() };
    let document: ReportDocument = serde_json::from_str(SPECIMEN).map_err(|_| specimen())?;
    render_html(&document, templates)?;
    let page = Value::from(Serde(&HtmlPage::of(&document, &Payloads::default())));
    of_the_page(templates).into_iter().try_for_each(|template| unreached(environment, template, &page))
}

/// The templates that the report's page is made with: the entry, and what it names and they name in turn. Another file there may be
/// anything, such as a page with fields of its own.
fn of_the_page(templates: &[CustomTemplate]) -> Vec<&CustomTemplate> {
    let mut taken: Vec<&CustomTemplate> = templates.iter().filter(|template| template.name == TEMPLATE_ENTRY).collect();
    let mut next = 0;
    while let Some(source) = taken.get(next).map(|template| template.source.as_str()) {
        let is_named = |template: &&CustomTemplate| {
            ['"', '\''].iter().any(|quote| source.contains(&format!("{quote}{}{quote}", template.name)))
        };
        let named: Vec<&CustomTemplate> = templates.iter().filter(is_named).collect();
        for template in named {
            if !taken.iter().any(|known| known.name == template.name) {
                taken.push(template);
            }
        }
        next += 1;
    }
    taken
}

/// What the specimen does not lead to is looked up by name: a field of the page itself that no page has.
fn unreached(environment: &Environment<'_>, template: &CustomTemplate, page: &Value) -> Result<(), HtmlError> {
    let Ok(compiled) = environment.get_template(&template.name) else { return Ok(()) };
    let named = compiled.undeclared_variables(true);
    let fields: BTreeSet<&str> =
        named.iter().filter_map(|name| name.strip_prefix(PAGE)?.strip_prefix('.')?.split('.').next()).collect();
    let is_missing = |field: &&&str| page.get_attr(field).is_ok_and(|value| value.is_undefined());
    let Some(field) = fields.iter().find(is_missing) else { return Ok(()) };
    let name = format!("{PAGE}.{field}");
    let line = template.source.lines().position(|line| line.contains(&name)).map_or(0, |index| index + 1);
    Err(HtmlError {
        path: format!("{TEMPLATES_FOLDER}/{}", template.name),
        line,
        message: format!("`{name}` is undefined: no page has it"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::blocks::tests::{EXTENDS, check};
    use super::super::document::RemovedView;
    use super::super::sample::Sample;
    use super::*;

    /// One of everything, what the sample lacks too.
    fn specimen() -> ReportDocument {
        let mut document = Sample::full().document();
        document.shadow = Some(Sample::shadow());
        document.removed =
            vec![RemovedView { case: "gone".into(), set: "access".into(), why: "the project no longer has it".into() }];
        document.unclassified = vec!["tools/new.sh".to_owned()];
        document.bumps_without_change = vec!["review".into()];
        document
    }

    #[test]
    fn a_file_that_the_page_is_not_made_with_may_have_fields_of_its_own() {
        let other = ("compare.html", "{{ page.of_another_page }}");
        assert!(check(EXTENDS, &[other]).is_ok());
        let included = format!("{EXTENDS}{{% block footer %}}{{% include \"compare.html\" %}}{{% endblock %}}");
        assert!(check(&included, &[other]).is_err(), "what the page takes in is the page's");
    }

    #[test]
    fn the_specimen_is_a_report_as_it_is_built_now() {
        let now = serde_json::to_value(specimen()).unwrap();
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/specimen.json");
            std::fs::write(path, format!("{now}\n")).unwrap();
            return;
        }
        let kept: serde_json::Value = serde_json::from_str(SPECIMEN).unwrap();
        assert!(kept == now, "run the tests with UPDATE_DOCS=1 to renew src/report/specimen.json");
    }

    #[test]
    fn a_field_that_no_page_has_is_found_with_file_and_line() {
        let error =
            check(&format!("{EXTENDS}{{% block footer %}}\n{{{{ page.runn }}}}{{% endblock %}}"), &[]).unwrap_err();
        assert_eq!((error.path.as_str(), error.line), ("templates/report.html", 3), "{error}");
        assert!(error.message.starts_with("`page.runn` is undefined"), "{error}");
        let included = format!("{EXTENDS}{{% block footer %}}{{% include \"own.html\" %}}{{% endblock %}}");
        let error =
            check(&included, &[("own.html", "one\n{% for group in page.groups %}{{ group.tilte }}{% endfor %}")]);
        let error = error.unwrap_err();
        assert_eq!((error.path.as_str(), error.line), ("templates/own.html", 2), "{error}");
    }

    #[test]
    fn a_field_of_what_is_rarely_there_is_found_too() {
        for inside in [
            "{% if page.shadow %}{{ page.shadow.escapees }}{% endif %}",
            "{% for row in page.removed %}{{ row.why }}{% endfor %}",
            "{% if page.run == \"another\" %}{{ page.nothing }}{% endif %}",
            "{% for path in page.unclassified %}{{ pth }}{% endfor %}",
        ] {
            let error = check(&format!("{EXTENDS}{{% block footer %}}{inside}{{% endblock %}}"), &[]).unwrap_err();
            assert_eq!((error.path.as_str(), error.line), ("templates/report.html", 2), "{inside}: {error}");
        }
    }

    #[test]
    fn what_every_page_has_is_taken() {
        let inside = "{{ page.run }}{% set mine = page.project %}{{ mine }}{% for one in page.uncovered %}{{ one.risk }}{% endfor %}";
        check(&format!("{EXTENDS}{{% block footer %}}{inside}{{% endblock %}}"), &[]).unwrap();
        check(&format!("{EXTENDS}{{% block footer %}}{{{{ super() }}}}{{% endblock %}}"), &[]).unwrap();
    }
}
