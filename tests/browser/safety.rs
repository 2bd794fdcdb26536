//! Nothing that a workflow printed runs, and nothing is fetched.

use super::pages::{HOSTILE, green, hostile, inconclusive, page, red};
use super::webdriver::Browser;

/// Elements that would run or fetch something, and attributes that would.
const LIVE: &str = "document.querySelectorAll('img, iframe, object, embed, link, base, video, audio, a[href^=\"javascript:\"], \
     [onerror], [onload], [onclick]').length";

#[test]
fn the_shipped_script_runs_and_nothing_that_anyone_wrote_does() {
    let browser = Browser::start();
    for (name, document) in
        [("red", red()), ("green", green()), ("inconclusive", inconclusive()), ("hostile", hostile())]
    {
        browser.open(&page(&document), "");
        assert_eq!(browser.ask("document.querySelectorAll('form.filter').length"), 1, "{name}: the script did not run");
        assert_ne!(browser.text("document.title"), "owned", "{name}");
        assert_eq!(browser.ask(LIVE), 0, "{name}: a text became an element");
        assert_eq!(browser.ask("document.scripts.length"), 1, "{name}");
        assert_eq!(browser.ask("performance.getEntriesByType('resource').length"), 0, "{name}: it fetched something");
        assert_eq!(browser.complaints(), [""; 0], "{name}: the browser had to refuse something");
    }
}

#[test]
fn what_is_hostile_is_shown_as_text_and_what_hides_is_spelled_out() {
    let browser = Browser::on(&page(&hostile()));
    let text = browser.text("document.body.textContent");
    assert!(text.contains("<script>document.title='owned'</script>"), "the text itself is still there to read");
    for hidden in ['\u{202e}', '\u{2066}', '\u{1b}', '\u{0}', '\u{fffe}', '\u{200b}'] {
        assert!(HOSTILE.contains(hidden) && !text.contains(hidden), "{hidden:?}");
    }
    assert!(text.contains("[U+202E]desrever") && text.contains("[U+001B][31mred"));
    assert!(text.contains("{{ 7*7 }}"), "a text is no template");
}

#[test]
fn a_hostile_case_has_an_address_that_leads_to_it() {
    let document = hostile();
    let browser = Browser::on(&page(&document));
    let index =
        document.cases.iter().position(|case| case.id.as_str().starts_with("two-currencies")).expect("it is there");
    let of_that_case =
        "Array.from(document.querySelectorAll('.case')).find((one) => one.id.startsWith('case=two-currencies'))";
    browser.run(&format!("{of_that_case}.querySelector('.permalink a').click()"));
    assert_eq!(browser.ask(&format!("{of_that_case}.checkVisibility() && {of_that_case}.open")), true, "case {index}");
    assert_ne!(browser.text("document.title"), "owned");
}

#[test]
fn a_script_that_had_slipped_into_the_page_would_be_refused_by_its_policy() {
    let slipped =
        "<script>document.title='owned'</script><p onclick=\"1\"><img src=x onerror=\"document.title='owned'\">";
    let html = page(&red()).replace("</main>", &format!("{slipped}</main>"));
    let browser = Browser::on(&html);
    assert_eq!(browser.ask("document.querySelectorAll('img').length"), 1, "the test's own markup is there");
    assert!(browser.text("document.title").starts_with("Failed: Mesa review desk"), "the policy let it run");
    assert!(!browser.complaints().is_empty(), "the browser says what it refused");
    // Without the policy it does run: the test can fail.
    let (head, rest) = html.split_once("<meta http-equiv=\"Content-Security-Policy\"").expect("the page has a policy");
    let (_, rest) = rest.split_once('>').expect("the tag ends");
    browser.open(&format!("{head}{rest}"), "");
    assert_eq!(browser.text("document.title"), "owned");
}
