//! The page of hostile and of ordinary runs.

use super::super::sample::{HOSTILE, Sample};
use super::*;
use crate::evidence::Unreached;

fn page() -> String {
    rendered(&Sample::full().document())
}

fn rendered(document: &ReportDocument) -> String {
    render_html(document, &[]).unwrap_or_else(|error| panic!("{error}")).page
}

/// The sample's page with this template of the project's own.
fn with_template(source: &str) -> Result<String, HtmlError> {
    let custom = CustomTemplate { name: TEMPLATE_ENTRY.to_owned(), source: source.to_owned() };
    Ok(render_html(&Sample::full().document(), &[custom])?.page)
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
fn tries_that_reached_nothing_stand_in_their_trial_in_their_order() {
    let mut document = Sample::full().document();
    assert!(!rendered(&document).contains("reached nothing"));
    let tried = |why: &str, then: &str| Unreached { why: why.to_owned(), then: then.to_owned() };
    document.cases[0].trials[0].unreached =
        vec![tried("refused <b>once</b>", "tried again after 90 ms"), tried("refused twice", "given up after 2 tries")];
    let html = rendered(&document);
    let shown = between(&html, "Tries that reached nothing, and in which nothing was sent (2)", "</details>");
    let places = ["tried again after 90 ms", "refused &lt;b&gt;once", "given up after 2 tries", "refused twice"]
        .map(|text| shown[0].find(text).unwrap_or_else(|| panic!("{text}: {}", shown[0])));
    assert!(shown.len() == 1 && places.is_sorted(), "{places:?}");
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
fn what_held_when_it_was_accepted_and_does_not_now_says_so() {
    let mut document = Sample::full().document();
    let case = document.cases.iter_mut().find(|case| case.id.as_str() == "returns-window").unwrap();
    let grader = case.trials[0].grades[0].grader.clone();
    case.changed_grades = vec![crate::comparison::GradeChange { expectation: 1, grader, holds_now: false }];
    let case = document.cases.iter_mut().find(|case| case.id.as_str() == "lost-ack-after-commit").unwrap();
    case.changed_outcomes = vec![crate::comparison::OutcomeChange {
        operation: "op-7".to_owned(),
        before: "not_committed".to_owned(),
        now: "uncertain".to_owned(),
        worse: true,
    }];
    let html = rendered(&document);
    assert_eq!(html.matches("held when accepted").count(), 1);
    assert_eq!(html.matches("not committed when accepted").count(), 1);
    assert!(!page().contains("when accepted</span>"), "nothing is said where nothing changed");
}

#[test]
fn the_missing_case_can_be_begun_from_the_page() {
    assert!(page().contains("holdpoint case new --for review&#x2f;partial_failure"));
}

#[test]
fn a_broken_template_names_its_file_and_line() {
    for (source, line) in [("ok\n{% if %}", 2), ("a\nb\n{{ page.nowhere.at_all }}", 3), ("{% include 'x.html' %}", 1)] {
        let error = with_template(source).expect_err("the template is broken");
        assert_eq!((error.path.as_str(), error.line), ("templates/report.html", line), "{error}");
    }
    let error = with_template("a\n  {{ page.nothing }}").expect_err("there is no such field");
    assert_eq!(error.message, "`page.nothing` is undefined, in `{{ page.nothing }}`");
}

#[test]
fn digests_show_their_first_digits_and_have_the_rest_in_their_title() {
    let document = Sample::full().document();
    let html = rendered(&document);
    let facts = between(&html, "<dl class=\"facts\">", "</dl>")[0];
    let digests = document.baseline_heads.iter().chain([&document.fingerprint]).chain(&document.results_digest);
    for digest in digests {
        let shown = format!("<code title=\"{}\">{}</code>", digest.as_str(), digest.short());
        assert!(facts.contains(&shown), "{shown} in {facts}");
    }
}

#[test]
fn a_long_answer_has_a_frame_of_its_own_and_a_short_one_has_none() {
    let mut document = Sample::full().document();
    assert!(!page().contains(" long\" tabindex"));
    let case = document.cases.iter_mut().find(|case| case.id.as_str() == "injected-markup").unwrap();
    case.trials[0].output = Some(Box::new("x".repeat(3_500).into()));
    case.trials[0].answer = None;
    assert!(rendered(&document).contains(" long\" tabindex=\"0\""), "it can be scrolled with the keyboard");
}

#[test]
fn a_project_can_override_one_block() {
    let source = "{% extends \"holdpoint/report.html\" %}{% block footer %}<p>{{ page.run }}, ours</p>{% endblock %}";
    let html = with_template(source).unwrap();
    assert!(html.contains("20260302T091407Z-4f1c, ours"));
    assert!(html.contains("id=\"regressions\""), "the other blocks stay");
    assert!(html.contains("&lt;script&gt;document.title="), "and stay escaped");
}

#[test]
fn a_template_includes_the_projects_others_and_no_file() {
    let template = |name: &str, source: &str| CustomTemplate { name: name.to_owned(), source: source.to_owned() };
    let document = Sample::full().document();
    let own = [template("report.html", "{% include 'parts/foot.html' %}"), template("parts/foot.html", "of ours")];
    assert_eq!(render_html(&document, &own).unwrap().page, "of ours");
    for outside in ["/etc/passwd", "../Cargo.toml", "templates/report.html"] {
        let error = with_template(&format!("{{% include '{outside}' %}}")).expect_err("it is no template");
        assert!(error.message.contains("non-existing"), "{error}");
    }
}

#[test]
fn a_huge_answer_is_cut_in_the_page_and_not_in_the_document() {
    let mut sample = Sample::full();
    let huge = "long ".repeat(1_000_000);
    let answer = sample.trials[0].observation.steps[0].answer.as_mut().unwrap();
    answer.text.clone_from(&huge);
    answer.output = serde_json::json!(huge);
    let document = sample.document();
    let HtmlReport { page, payloads } = render_html(&document, &[]).unwrap();
    assert!(page.len() < 200_000, "{}", page.len());
    assert!(page.contains("4992 more kB stand in report.json"));
    let (name, text) = payloads.first_key_value().expect("the whole text is kept beside the page");
    assert!(page.contains(&format!("<a href=\"{name}\">").replace('/', "&#x2f;").replace("<&#x2f;", "</")), "{name}");
    assert_eq!((payloads.len(), text), (1, &huge));
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
            case.trials[0].output = Some(Box::new("word ".repeat(8_000).into()));
            case.trials[0].answer = None;
        }
        document.cases.push(case);
    }
    let html = rendered(&document);
    assert!(html.len() < 8_000_000, "{}", html.len());
    assert!(html.contains("id=\"case=made-up-case-09999\""));
    let whole = "the whole text in a file beside this page";
    assert!(html.matches(whole).count() >= 50, "each long answer lies beside the page");
}

#[test]
fn of_a_hundred_thousand_cases_the_passes_are_counted_by_set_and_the_failures_stay_below_eight_megabytes() {
    let mut document = Sample::full().document();
    let passed = document.cases.iter().find(|case| case.id.as_str() == "policy-answer-01").cloned().unwrap();
    let failed = document.cases.iter().find(|case| case.id.as_str() == "injected-markup").cloned().unwrap();
    for number in 0..100_000 {
        let mut case = if number < 2_000 { failed.clone() } else { passed.clone() };
        case.id = crate::domain::CaseId::new(format!("made-up-case-{number:05}"));
        document.cases.push(case);
    }
    let html = rendered(&document);
    assert!(html.len() < 8_000_000, "{}", html.len());
    assert!(html.contains("<td>98014</td>"), "the passes of policy_accuracy as a number");
    assert!(!html.contains("made-up-case-99999"), "and not one by one");
    assert!(html.contains("id=\"case=made-up-case-01999\""), "every failure has its address");
}

#[test]
fn a_dotted_name_can_be_broken_at_its_dots_and_nothing_escapes_from_it() {
    assert_eq!(dotted("a.b<i>.\u{202e}"), "a.<wbr>b&lt;i&gt;.<wbr>[U+202E]");
}

#[test]
fn an_address_within_the_page_holds_nothing_that_a_browser_would_change() {
    assert_eq!(fragment("lost-ack_1.a"), "lost-ack_1.a");
    assert_eq!(fragment("a b%é\"<\u{202e}"), "a%20b%25%C3%A9%22%3C%5BU%2B202E%5D");
}

#[test]
fn a_run_in_shadow_has_a_section_of_its_own_with_what_escaped() {
    assert!(!page().contains("id=\"shadow\""));
    let mut document = Sample::full().document();
    document.shadow = Some(Sample::shadow());
    let html = rendered(&document);
    let section = between(&html, "<section id=\"shadow\"", "</section>")[0];
    assert!(section.contains("and left out 4.") && section.contains("no change puts any of its risks at stake"));
    assert!(
        section.contains("<a href=\"#case=returns-window\">")
            && section.contains("<td data-label=\"Exit code alone\">10")
    );
    assert_eq!(
        section.matches("#case=policy-answer-0").count(),
        3,
        "every case that would have been left out is named"
    );
    assert!(html.contains("<a href=\"#shadow\">"), "it can be found");
}

#[test]
fn many_passes_are_folded_behind_those_whose_answer_changed() {
    let mut document = Sample::full().document();
    assert!(!between(&page(), "<section id=\"passed\"", "</section>")[0].contains("group-fold"), "a few are not");
    let pass = document.cases.iter().find(|case| case.id.as_str() == "policy-answer-01").cloned().unwrap();
    for number in 0..40 {
        let mut case = pass.clone();
        case.id = crate::domain::CaseId::new(format!("more-{number:02}"));
        case.accepted_output = (number == 7).then(|| "Within a month.".to_owned());
        document.cases.push(case);
    }
    let html = rendered(&document);
    let passed = between(&html, "<section id=\"passed\"", "</section>")[0];
    let (before, folded) = passed.split_once("<details class=\"group-fold\">").unwrap();
    assert!(before.contains("id=\"case=more-07\"") && before.matches("id=\"case=").count() == 1);
    assert!(folded.contains("Show 53 more cases") && folded.contains("id=\"case=more-08\""));
}

#[test]
fn what_to_do_says_what_happened_and_why_it_ran() {
    let html = page();
    let steps = between(&html, "<ol class=\"next\">", "</ol>")[0];
    for words in [
        "<bdi>The return window that is promised is the one in the policy</bdi>",
        "The answer says <code>14</code> and",
        "Ran because: source returns-policy file:policies",
        "<code>holdpoint run returns-window</code>",
        "the evidence supports neither that it took effect nor that it did not",
        "Because: connector review operations.stage.idempotency.window modified: 24h -&gt; 1h",
    ] {
        assert!(steps.contains(&words.replace("policies/", "policies&#x2f;")), "{words} in {steps}");
    }
}

#[test]
fn every_page_has_the_same_head() {
    let comparison =
        super::super::compare_html::render_compare_html(&super::super::compare_sample::hostile_comparison());
    let comparison = comparison.unwrap_or_else(|error| panic!("{error}"));
    let report = page();
    let head = |html: &str| {
        let (before, _) = html.split_once("<title>").unwrap();
        before.split("content=\"default-src").next().unwrap().trim_start().to_owned()
    };
    assert!(head(&report).starts_with("<!doctype html>") && head(&report) == head(&comparison));
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
    let html = rendered(&document);
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

/// The page's text as it reads without styles, its spaces made one.
fn unstyled(html: &str) -> String {
    let body = html.split_once("<body>").unwrap().1.split("<script>").next().unwrap();
    let blocks =
        ["</p>", "</li>", "</td>", "</th>", "</dd>", "</dt>", "</h2>", "</h3>", "</h4>", "</summary>", "</pre>"];
    let body = blocks.iter().fold(body.to_owned(), |text, end| text.replace(end, " | "));
    let text: String = body.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect();
    let text = text.replace("&#x2f;", "/").replace("&quot;", "\"");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn words_stand_apart_without_any_style() {
    let text = unstyled(&rendered(&Sample::full().document()));
    for apart in [
        "returns-window: ",
        "failed, policy_accuracy, ",
        "Regressions: 1",
        "Uncovered: 1",
        "returns-policy: source, modified",
        "content in policies/returns.md",
        "merge base with origin/main: 4be1d2a09c6f",
        "On to the target: forwarded",
        "op-7, review/stage, case lost-ack-after-commit",
    ] {
        assert!(text.contains(apart), "`{apart}` does not stand in:\n{text}");
    }
}

#[test]
fn what_is_said_once_is_not_said_again() {
    let document = Sample::full().document();
    let text = unstyled(&rendered(&document));
    let count = |what: &str| text.matches(what).count();
    assert_eq!(count(&document.uncovered[0].command), 1, "the command stands among the next steps");
    assert_eq!(count(&document.evidence_statement), 1, "beside the verdict, and not among the limits");
    let case = document.cases.iter().find(|case| case.id.as_str() == "short-answer").unwrap();
    let page = rendered(&document);
    let body = between(&page, "id=\"case=short-answer\"", "id=\"case=")[0];
    assert_eq!(case.reasons.len(), 1);
    assert_eq!(unstyled(&format!("<body>{body}")).matches(&case.reasons[0]).count(), 1, "{body}");
    assert!(body.contains(">The input<"), "nothing else is folded there");
}

#[test]
fn a_note_of_a_side_does_not_repeat_its_name_and_its_commit() {
    let mut document = Sample::full().document();
    document.base.name = "HEAD~1".to_owned();
    document.base.note = Some("`HEAD~1` is 4be1d2a09c6f of 2026-03-01T08:00:00Z".to_owned());
    let text = unstyled(&rendered(&document));
    assert!(text.contains("HEAD~1: 4be1d2a09c6f, of 2026-03-01T08:00:00Z"), "{text}");
}
