//! The page of hostile and of ordinary runs.

use super::super::sample::{HOSTILE, Sample};
use super::*;

fn page() -> String {
    render_html(&Sample::full().document(), None).unwrap_or_else(|error| panic!("{error}"))
}

/// What stands between `from` and `to`, each time.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

#[test]
fn the_only_script_is_the_shipped_one() {
    let html = page();
    let scripts = between(&html, "<script>", "</script>");
    assert_eq!(scripts, [SCRIPT]);
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("</script").count(), 1);
    assert!(!html.contains("<img"), "no element of an answer may survive");
}

#[test]
fn what_the_workflow_prints_is_shown_as_text() {
    let html = page();
    assert!(HOSTILE.contains("<script>document.title"));
    assert!(html.contains("&lt;script&gt;document.title="), "the text itself is still there to read");
    assert!(html.contains("{{ 7*7 }}") && !html.contains(" 49 "), "an answer is no template");
    assert!(html.contains("[U+202E]desrever[U+202C]"));
    assert!(html.contains("[U+001B][31mred"));
    assert!(html.contains("NUL:[U+0000]"));
    for hidden in ['\0', '\u{1b}', '\u{202e}'] {
        assert!(!html.contains(hidden), "{hidden:?}");
    }
}

#[test]
fn the_policy_allows_the_shipped_style_and_script_and_nothing_else() {
    let policy = policy();
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let html = page();
    assert!(
        html.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src"),
        "it stands in the page"
    );
    for attribute in [" style=\"", " onclick=\"", " src=\"", "href=\"http", "@import", "url("] {
        assert!(!html.contains(attribute), "{attribute}");
    }
}

#[test]
fn groups_stand_worst_first() {
    let html = page();
    let order: Vec<usize> = [
        "id=\"verdict\"",
        "id=\"changes\"",
        "id=\"regressions\"",
        "id=\"new-failures\"",
        "id=\"changed-expectations\"",
        "id=\"uncertain\"",
        "id=\"flaky\"",
        "id=\"errored\"",
        "id=\"fixed\"",
        "id=\"known-failures\"",
        "id=\"passed\"",
        "id=\"uncovered\"",
        "id=\"not-run\"",
        "id=\"figures\"",
        "id=\"limits\"",
    ]
    .iter()
    .map(|id| html.find(id).unwrap_or_else(|| panic!("{id} is missing")))
    .collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn every_case_has_one_permanent_address() {
    let document = Sample::full().document();
    let html = page();
    let ids = document.cases.iter().map(|case| &case.id).chain(document.excluded.iter().map(|one| &one.case));
    for id in ids {
        assert_eq!(html.matches(&format!("id=\"case={id}\"")).count(), 1, "{id}");
    }
}

#[test]
fn the_words_that_changed_are_marked_on_both_sides() {
    let html = page();
    assert!(html.contains("<del>30</del>"), "the accepted answer");
    assert!(html.contains("<ins>14</ins>"), "the new one");
}

#[test]
fn the_missing_case_can_be_begun_from_the_page() {
    assert!(page().contains("holdpoint case new --for review&#x2f;partial_failure"));
}

#[test]
fn a_broken_template_names_its_file_and_line_and_leaves_the_json() {
    let document = Sample::full().document();
    for (source, line) in [("ok\n{% if %}", 2), ("a\nb\n{{ page.nowhere.at_all }}", 3)] {
        let custom = CustomTemplate { path: "templates/report.html", source };
        let error = render_html(&document, Some(custom)).expect_err("the template is broken");
        assert_eq!((error.path.as_str(), error.line), ("templates/report.html", line), "{error}");
    }
    let json = serde_json::to_string(&document).unwrap();
    assert_eq!(serde_json::from_str::<ReportDocument>(&json).unwrap(), document);
}

#[test]
fn a_project_can_override_one_block() {
    let source = "{% extends \"holdpoint/report.html\" %}{% block footer %}<p>{{ page.run }}, ours</p>{% endblock %}";
    let custom = CustomTemplate { path: "report.txt", source };
    let html = render_html(&Sample::full().document(), Some(custom)).unwrap_or_else(|error| panic!("{error}"));
    assert!(html.contains("20260302T091407Z-4f1c, ours"));
    assert!(html.contains("id=\"regressions\""), "the other blocks stay");
    assert!(html.contains("&lt;script&gt;document.title="), "and stay escaped, whatever the file is called");
}

#[test]
fn a_huge_answer_is_cut_in_the_page_and_not_in_the_document() {
    let mut sample = Sample::full();
    let huge = "long ".repeat(1_000_000);
    let answer = sample.results[0].trials[0].observation.steps[0].answer.as_mut().unwrap();
    answer.text.clone_from(&huge);
    answer.output = serde_json::json!(huge);
    let document = sample.document();
    let html = render_html(&document, None).unwrap();
    assert!(html.len() < 200_000, "{}", html.len());
    assert!(html.contains("4980 more kB are in report.json"));
    assert!(serde_json::to_string(&document).unwrap().len() > 5_000_000);
}

#[test]
fn ten_thousand_cases_with_fifty_failures_stay_below_eight_megabytes() {
    let mut document = Sample::full().document();
    let passed = document.cases.iter().find(|case| case.id.as_str() == "policy-answer-01").cloned().unwrap();
    let failed = document.cases.iter().find(|case| case.id.as_str() == "returns-window").cloned().unwrap();
    for number in 0..10_000 {
        let mut case = if number < 50 { failed.clone() } else { passed.clone() };
        case.id = crate::domain::CaseId::new(format!("made-up-case-{number:05}"));
        if number < 50 {
            case.trials[0].output = Some(serde_json::json!("word ".repeat(8_000)));
            case.trials[0].answer = None;
        }
        document.cases.push(case);
    }
    let html = render_html(&document, None).unwrap();
    assert!(html.len() < 8_000_000, "{}", html.len());
    assert!(html.contains("id=\"case=made-up-case-09999\""));
}

#[test]
fn what_stands_between_back_quotes_in_a_sentence_is_code() {
    let html = page();
    assert!(html.contains("expected <code>30 days</code> in the output; found <code>14 days of delivery</code>"));
}

#[test]
fn a_pass_with_another_answer_than_the_accepted_one_stands_first_and_is_marked() {
    let mut document = Sample::full().document();
    let last = document.cases.iter_mut().rfind(|case| case.id.as_str().starts_with("policy-answer-")).unwrap();
    last.accepted_output = Some("Within a month.".to_owned());
    let id = last.id.to_string();
    let html = render_html(&document, None).unwrap();
    let passed = between(&html, "<section id=\"passed\"", "</section>");
    assert!(passed[0].contains("1 answer differs from what was accepted, and passes"));
    let first = between(passed[0], "id=\"case=", "</summary>")[0];
    assert!(first.starts_with(&id) && first.contains("answer changed"), "{first}");
    assert_eq!(html.matches("answer changed").count(), 2, "the sentence and one case");
    assert!(!page().contains("answer changed"));
}

#[test]
fn a_file_whose_name_is_in_the_facet_is_named_once() {
    let html = page();
    let row = between(&html, "<bdi>returns-policy</bdi>", "</tr>")[0];
    assert_eq!(row.matches("returns.md").count(), 1, "{row}");
    let row = between(&html, "<bdi>review</bdi>", "</tr>")[0];
    assert_eq!(row.matches("review.yaml").count(), 1, "{row}");
}

#[test]
fn json_is_set_in_signs_of_one_width_and_prose_is_not() {
    let html = page();
    for panel in between(&html, "<pre class=\"answer", "</pre>") {
        let text = panel.split_once('>').unwrap().1.trim_start();
        if text.starts_with("{\n") {
            assert!(panel.starts_with(" fixed-width"), "{panel}");
        } else if text.starts_with("Our policy") {
            assert!(panel.starts_with('"'), "{panel}");
        }
    }
}
