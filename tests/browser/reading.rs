//! Finding a case: its address, the filter, the keyboard, and the page without its script.

use super::pages::{page, red};
use super::webdriver::Browser;

#[test]
fn a_case_has_an_address_that_opens_it_whatever_the_filter_says() {
    let browser = Browser::on(&page(&red()));
    let is_open = "document.getElementById('case=two-currencies').open";
    assert_eq!(browser.ask(is_open), false);
    browser.reopen("#case=two-currencies");
    assert_eq!(browser.ask(is_open), true);
    assert!(browser.ask("scrollY").as_f64().expect("a number") > 0.0, "the page did not move to the case");
    browser.run("location.hash = '#filter=no+such+words'");
    assert_eq!(browser.ask("document.getElementById('case=two-currencies').hidden"), true);
    browser.run("location.hash = '#case=two-currencies'");
    assert_eq!(browser.ask("document.getElementById('case=two-currencies').checkVisibility()"), true);
}

#[test]
fn the_filter_lives_in_the_address() {
    let browser = Browser::on(&page(&red()));
    let shown = "Array.from(document.querySelectorAll('.case')).filter((one) => !one.hidden).length";
    let counts = [
        ("", 22),
        ("#set=source_conflict", 1),
        ("#filter=op-7", 1),
        ("#filter=policy&set=malformed_output", 1),
        ("#filter=no+such+words", 0),
    ];
    for (fragment, count) in counts {
        browser.reopen(fragment);
        assert_eq!(browser.ask(shown), count, "{fragment}");
    }
}

#[test]
fn it_reads_with_scripts_off() {
    let browser = Browser::start();
    browser.scripts_off();
    browser.open(&page(&red()), "");
    assert_eq!(browser.ask("document.forms.length"), 0, "controls that need a script are made by the script");
    let text = browser.text("document.body.innerText");
    for words in ["Exit code 10", "holdpoint case new --for review/partial_failure", "What this run does not show"] {
        assert!(text.contains(words), "{words}");
    }
}
