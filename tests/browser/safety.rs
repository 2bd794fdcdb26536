//! Nothing that a workflow printed runs, and nothing is fetched.

use super::pages::{page, red};
use super::webdriver::Browser;

#[test]
fn the_shipped_script_runs_and_nothing_that_a_workflow_printed_does() {
    let browser = Browser::on(&page(&red()));
    assert_eq!(browser.ask("document.querySelectorAll('form.filter').length"), 1, "the shipped script did not run");
    assert!(browser.text("document.title").starts_with("Failed: Mesa review desk"), "the title was changed");
    assert_eq!(browser.ask("document.querySelectorAll('img, iframe, object, embed, link').length"), 0);
    assert_eq!(browser.complaints(), [""; 0], "the browser had to refuse something");
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
