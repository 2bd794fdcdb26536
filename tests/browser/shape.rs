//! The shape of the page: narrow and wide, light and dark, on paper, for everyone, and without moving under the reader.

use serde_json::Value;

use super::pages::{green, hostile, in_shadow, inconclusive, page, red};
use super::webdriver::Browser;

const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/tools/node_modules/axe-core/axe.min.js");

/// What axe-core finds against WCAG 2.2 AA and good practice, a line each.
pub(crate) fn violations(browser: &Browser) -> Vec<String> {
    let axe =
        std::fs::read_to_string(AXE).expect("axe-core is needed for this test: npm ci --prefix tests/browser/tools");
    browser.run(&axe);
    let found = browser.run(
        "return axe.run(document, {resultTypes: ['violations']}).then((result) => \
         result.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 200)}; ${node.failureSummary}`)))",
    );
    let list = found.as_array().expect("a list").iter().filter_map(Value::as_str);
    list.map(str::to_owned).collect()
}

#[test]
fn no_one_is_kept_from_reading_it_in_light_or_dark() {
    let browser = Browser::start();
    let pages = [
        ("red", page(&red())),
        ("green", page(&green())),
        ("inconclusive", page(&inconclusive())),
        ("hostile", page(&hostile())),
        ("shadow", page(&in_shadow())),
    ];
    for (name, html) in pages {
        for scheme in ["light", "dark"] {
            browser.prefer(scheme, "screen");
            browser.open(&html, "");
            browser.run("for (const one of document.querySelectorAll('details')) one.open = true");
            assert_eq!(violations(&browser), [""; 0], "{name}, {scheme}");
            for width in [1280, 390] {
                browser.screenshot(&format!("{name}-{scheme}-{width}"), width);
            }
        }
    }
}

#[test]
fn a_check_that_finds_nothing_could_find_something() {
    let html = page(&red()).replace("<html lang=\"en\">", "<html>").replace("--quiet: #5c5d61", "--quiet: #bbbbbb");
    let browser = Browser::on(&html);
    let found = violations(&browser).join("\n");
    assert!(found.contains("html-has-lang"), "{found}");
}

#[test]
fn text_is_seen_in_either_scheme_and_the_check_would_say_if_not() {
    let browser = Browser::start();
    for (scheme, faint) in
        [("light", ("--quiet: #5c5d61", "--quiet: #b5b5b5")), ("dark", ("--quiet: #a5a4a0", "--quiet: #4a4a4a"))]
    {
        let html = page(&green());
        assert!(html.contains(faint.0), "{scheme}");
        browser.prefer(scheme, "screen");
        // Its policy would take no other style than the shipped one.
        let (head, rest) = html.split_once("<meta http-equiv=").expect("the page has a policy");
        let (_, rest) = rest.split_once('>').expect("the tag ends");
        browser.open(&format!("{head}{rest}").replace(faint.0, faint.1), "");
        assert!(violations(&browser).iter().any(|one| one.starts_with("color-contrast")), "{scheme}");
    }
}

#[test]
fn a_narrow_screen_never_scrolls_sideways_whatever_is_in_the_page() {
    let browser = Browser::start();
    for (name, document) in [("red", red()), ("hostile", hostile())] {
        browser.open(&page(&document), "");
        browser.run("for (const one of document.querySelectorAll('details')) one.open = true");
        for width in [320, 390, 1280] {
            browser.be_wide(width);
            let beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(browser.ask(beyond), 0, "{name}: pixels beyond the edge at {width}");
        }
    }
}

#[test]
fn no_table_is_cut_off_and_no_ordinary_word_is_broken_in_the_changes() {
    // A word of one text node that is broken stands on two lines, and so has more than one rectangle.
    let question = "(() => { \
        const range = document.createRange(); const broken = []; \
        const nodes = document.createTreeWalker(document.querySelector('.changes'), NodeFilter.SHOW_TEXT); \
        while (nodes.nextNode()) for (const found of nodes.currentNode.data.matchAll(/[\\w]+/g)) { \
          range.setStart(nodes.currentNode, found.index); \
          range.setEnd(nodes.currentNode, found.index + found[0].length); \
          if (range.getClientRects().length > 1) broken.push(found[0]); } \
        for (const table of document.querySelectorAll('table')) \
          if (table.scrollWidth > table.parentElement.clientWidth) broken.push(table.className + ' is cut off'); \
        return broken.join() || 'none'; })()";
    let browser = Browser::on(&page(&red()));
    for width in [320, 390, 900, 1280] {
        browser.be_wide(width);
        assert_eq!(browser.text(question), "none", "{width}");
    }
}

#[test]
fn nothing_moves_when_the_script_adds_its_controls() {
    let top = "document.getElementById('cases').getBoundingClientRect().top + scrollY";
    let html = page(&red());
    let browser = Browser::start();
    for width in [390, 900, 1280] {
        browser.be_wide(width);
        browser.open(&html, "");
        let with = browser.ask(top).as_f64().expect("a number");
        browser.run("document.querySelector('.filter').remove()");
        let without = browser.ask(top).as_f64().expect("a number");
        assert!((with - without).abs() < 0.5, "{width}: {} pixels", with - without);
    }
}

#[test]
fn on_paper_it_is_black_on_white_and_what_needs_reading_is_unfolded() {
    let browser = Browser::start();
    browser.prefer("dark", "print");
    browser.open(&page(&red()), "");
    assert_eq!(browser.text("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    assert_eq!(browser.text("getComputedStyle(document.body).color"), "rgb(28, 29, 31)");
    assert_eq!(browser.ask("document.querySelector('.filter').checkVisibility()"), false);
    let hidden = "Array.from(document.querySelectorAll('.attention pre.answer')).filter((one) => !one.checkVisibility({contentVisibilityAuto: true})).length";
    assert_eq!(browser.ask(hidden), 0, "answers that would not be printed");
}

#[test]
fn a_text_from_right_to_left_is_set_so_and_leaves_the_rest_alone() {
    let mut document = red();
    let case = document.cases.iter_mut().find(|case| case.id.as_str() == "returns-window").expect("it is there");
    case.title = "מדיניות ההחזרות".into();
    case.trials[0].answer = None;
    case.trials[0].output = Some(Box::new(Value::String("ניתן להחזיר תוך 14 ימים.".to_owned())));
    let browser = Browser::on(&page(&document));
    let direction = "getComputedStyle(document.querySelector('#regressions pre.answer[dir=auto]:last-of-type ins')?.parentElement \
         ?? document.querySelectorAll('#regressions .side pre')[1]).direction";
    assert_eq!(browser.text(direction), "rtl");
    assert_eq!(browser.text("getComputedStyle(document.querySelector('#regressions')).direction"), "ltr");
}
