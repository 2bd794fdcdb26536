//! The HTML report in a real browser: what runs in it, what does not, and whether it reads on a narrow screen.
//!
//! Needs Chromium (Debian's package `chromium`); where it is missing these tests fail.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot start its browser has to fail")]

#[path = "browser/chromium.rs"]
mod chromium;

use chromium::Page;
use holdpoint::report::{ReportDocument, render_html};

/// The page of the sample run that the unit tests keep in `browser/report.snap`: hostile in a title, a reason, an
/// answer, a grade and on standard error.
fn sample_page() -> String {
    let snapshot = include_str!("browser/report.snap");
    let json = snapshot.splitn(3, "---\n").nth(2).expect("a snapshot has a head");
    let document: ReportDocument = serde_json::from_str(json).expect("the snapshot is a report");
    render_html(&document, None).expect("the shipped template renders")
}

/// The page with a script of the test in it, for questions that only a script can answer. The policy is taken away.
fn measured(html: &str, script: &str) -> String {
    let (head, rest) = html.split_once("<meta http-equiv=\"Content-Security-Policy\"").expect("the page has a policy");
    let (_, rest) = rest.split_once('>').expect("the tag ends");
    format!("{head}{rest}<script>{script}</script>")
}

#[test]
fn the_shipped_script_runs_and_nothing_that_a_workflow_printed_does() {
    let dom = Page::of(&sample_page()).dom("", &[]);
    assert!(dom.contains("<form class=\"filter\""), "the shipped script did not run");
    assert!(dom.contains("<title>Failed: Mesa review desk"), "the title was changed");
    assert!(!dom.contains("<title>owned"));
    assert!(!dom.contains("<img"), "an answer became an element");
}

#[test]
fn a_script_that_had_slipped_into_the_page_would_be_refused_by_its_policy() {
    let slipped =
        "<script>document.title='owned'</script><p onclick=\"1\"><img src=x onerror=\"document.title='owned'\">";
    let html = sample_page().replace("</main>", &format!("{slipped}</main>"));
    let dom = Page::of(&html).dom("", &[]);
    assert!(dom.contains("<img src=\"x\""), "the test's own markup is there");
    assert!(dom.contains("<title>Failed: Mesa review desk"), "the policy let it run");
    // Without the policy it does run: the test can fail.
    let dom = Page::of(&measured(&html, "")).dom("", &[]);
    assert!(dom.contains("<title>owned"));
}

#[test]
fn a_case_has_an_address_that_opens_it_whatever_the_filter_says() {
    let page = Page::of(&measured(
        &sample_page(),
        "document.title = document.getElementById('case=two-currencies').open + ' ' + scrollY;",
    ));
    let title = page.title("#case=two-currencies");
    let (open, scrolled) = title.split_once(' ').expect("two words");
    assert_eq!(open, "true");
    assert!(scrolled.parse::<f64>().expect("a number") > 0.0, "the page did not move to the case");
    assert_eq!(page.title(""), "false 0");
}

#[test]
fn the_filter_lives_in_the_address() {
    let script = "document.title = Array.from(document.querySelectorAll('.case')).filter((one) => !one.hidden).length";
    let page = Page::of(&measured(&sample_page(), script));
    assert_eq!(page.title(""), "22");
    assert_eq!(page.title("#set=source_conflict"), "1");
    assert_eq!(page.title("#filter=op-7"), "1");
    assert_eq!(page.title("#filter=policy&set=malformed_output"), "1");
    assert_eq!(page.title("#filter=no+such+words"), "0");
}

#[test]
fn it_reads_with_scripts_off() {
    let question = "inner.querySelectorAll('form').length + '|' + inner.body.textContent";
    let text = Page::of(&sample_page()).answer_of_frame("sandbox=\"allow-same-origin\"", question);
    assert!(text.starts_with("0|"), "controls that need a script are made by the script");
    for words in ["Exit code 10", "holdpoint case new --for review/partial_failure", "What this run does not show"] {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn a_narrow_screen_never_scrolls_sideways() {
    let question = "inner.documentElement.scrollWidth - inner.documentElement.clientWidth";
    let page = Page::of(&sample_page());
    for width in ["width=320", "width=390", "width=1280"] {
        assert_eq!(page.answer_of_frame(width, question), "0", "pixels beyond the edge at {width}");
    }
}

#[test]
fn no_table_is_cut_off_and_no_ordinary_word_is_broken_in_the_changes() {
    // A word of one text node that is broken stands on two lines, and so has more than one rectangle.
    let question = "(() => { \
        const range = inner.createRange(); const broken = []; \
        const nodes = inner.createTreeWalker(inner.querySelector('.changes'), NodeFilter.SHOW_TEXT); \
        while (nodes.nextNode()) for (const found of nodes.currentNode.data.matchAll(/[\\w]+/g)) { \
          range.setStart(nodes.currentNode, found.index); \
          range.setEnd(nodes.currentNode, found.index + found[0].length); \
          if (range.getClientRects().length > 1) broken.push(found[0]); } \
        for (const table of inner.querySelectorAll('table')) \
          if (table.scrollWidth > table.parentElement.clientWidth) broken.push(table.className + ' is cut off'); \
        return broken.join() || 'none'; })()";
    let page = Page::of(&sample_page());
    for width in ["width=320", "width=390", "width=900", "width=1280"] {
        assert_eq!(page.answer_of_frame(width, question), "none", "{width}");
    }
}
