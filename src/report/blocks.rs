//! Whether a project's own templates can be used: they are templates, and override blocks that exist.

use crate::manifest::nearest;

use super::html::{CustomTemplate, HtmlError, SHIPPED_PAGE, SHIPPED_TEMPLATE, TEMPLATES_FOLDER, environment_with};
use super::undefined::check_fields;

/// Checks a project's own templates, without a run to render.
///
/// # Errors
/// For the first template that is none, overrides a block that no template has, which would be left out silently, or asks for
/// a field that no page has, which would break the report of a run.
pub fn check_templates(templates: &[CustomTemplate]) -> Result<(), HtmlError> {
    check_fields(&environment_with(templates)?, templates)
}

/// Refuses a template that overrides a block which neither the shipped page nor another of `templates` has.
pub(super) fn check_blocks(template: &CustomTemplate, templates: &[CustomTemplate]) -> Result<(), HtmlError> {
    if !tags(&template.source).any(|(_, tag)| tag.starts_with("extends ")) {
        return Ok(());
    }
    let others = templates.iter().filter(|other| other.name != template.name).map(|other| other.source.as_str());
    let sources: Vec<&str> = others.chain([SHIPPED_PAGE]).collect();
    let known: Vec<&str> = sources.iter().flat_map(|source| blocks(source)).map(|block| block.name).collect();
    let unknown = blocks(&template.source).into_iter().find(|block| block.outermost && !known.contains(&block.name));
    let Some(block) = unknown else { return Ok(()) };
    let hint = match nearest(block.name, &known) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let mut shipped: Vec<&str> = blocks(SHIPPED_PAGE).into_iter().map(|block| block.name).collect();
            shipped.dedup();
            format!("{SHIPPED_TEMPLATE} has {}", shipped.join(", "))
        }
    };
    Err(HtmlError {
        path: format!("{TEMPLATES_FOLDER}/{}", template.name),
        line: block.line,
        message: format!("there is no block `{}` to override; {hint}", block.name),
    })
}

/// A block that a template defines.
struct Block<'a> {
    name: &'a str,
    line: usize,
    /// Whether it lies in no other block. One within another is printed where it stands, and overrides nothing.
    outermost: bool,
}

fn blocks(source: &str) -> Vec<Block<'_>> {
    let mut depth = 0_usize;
    let mut blocks = Vec::new();
    for (at, tag) in tags(source) {
        if let Some(name) = tag.strip_prefix("block ") {
            let line = source[..at].matches('\n').count() + 1;
            blocks.push(Block { name: name.trim(), line, outermost: depth == 0 });
            depth += 1;
        } else if tag == "endblock" || tag.starts_with("endblock ") {
            depth = depth.saturating_sub(1);
        }
    }
    blocks
}

/// What stands between `{%` and `%}`, comments aside, each with its place.
fn tags(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + source[at..].find('{')?;
            let rest = &source[start..];
            at = if rest.starts_with("{#") { start + rest.find("#}")? + 2 } else { start + 1 };
            if let Some(inside) = rest.strip_prefix("{%") {
                let end = inside.find("%}")?;
                at = start + 2 + end + 2;
                return Some((start, inside[..end].trim_matches(['-', '+']).trim()));
            }
        }
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Checks the page's template, and others beside it.
    pub(in crate::report) fn check(source: &str, more: &[(&str, &str)]) -> Result<(), HtmlError> {
        let template = |(name, source): (&str, &str)| CustomTemplate { name: name.into(), source: source.into() };
        let all = [("report.html", source)].into_iter().chain(more.iter().copied());
        check_templates(&all.map(template).collect::<Vec<_>>())
    }

    pub(in crate::report) const EXTENDS: &str = "{% extends \"holdpoint/report.html\" %}\n";

    #[test]
    fn a_block_that_does_not_exist_is_refused_at_its_line_with_the_nearest_name() {
        let error = check(&format!("{EXTENDS}\n{{% block foter %}}x{{% endblock %}}"), &[]).unwrap_err();
        assert_eq!((error.path.as_str(), error.line), ("templates/report.html", 3));
        assert_eq!(error.message, "there is no block `foter` to override; did you mean `footer`?");
        let error = check(&format!("{EXTENDS}{{%- block sidebar -%}}x{{% endblock %}}"), &[]).unwrap_err();
        assert!(error.message.contains("has header, verdict, facts"), "{error}");
    }

    #[test]
    fn a_block_that_exists_one_within_it_and_one_in_a_comment_are_taken() {
        for source in [
            "{% block footer %}a{% endblock %}",
            "{% block footer %}{% block mine %}a{% endblock mine %}{% endblock %}",
            "{# {% block foter %} #}{% block footer %}a{% endblock %}",
        ] {
            check(&format!("{EXTENDS}{source}"), &[]).unwrap();
        }
        check("{% block anything %}a{% endblock %}", &[]).unwrap();
        let base = [("base.html", "{% block sidebar %}{% endblock %}")];
        check("{% extends 'base.html' %}{% block sidebar %}a{% endblock %}", &base).unwrap();
    }

    #[test]
    fn what_is_no_template_is_refused_without_rendering_it() {
        assert_eq!(blocks("{%}{%").len(), 0, "nor does one that breaks off stop anything");
        let error = check("ok\n{% if %}", &[]).unwrap_err();
        assert_eq!((error.path.as_str(), error.line), ("templates/report.html", 2));
    }
}
