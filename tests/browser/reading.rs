//! Finding a case: its address, the filter, the order, the keyboard, and the page without its script.

use super::pages::{page, red};
use super::webdriver::{Browser, ENTER, SPACE, TAB};

/// The ids of the cases that are shown in a section, in order.
fn shown_in(browser: &Browser, section: &str) -> String {
    browser.text(&format!(
        "Array.from(document.querySelectorAll('#{section} .case')).filter((one) => !one.hidden)\
         .map((one) => one.id.slice(5)).join(' ')"
    ))
}

#[test]
fn a_case_has_an_address_that_opens_it_whatever_the_filter_says() {
    let browser = Browser::on(&page(&red()));
    let is_open = "document.getElementById('case=two-currencies').open";
    assert_eq!(browser.ask(is_open), false);
    browser.reopen("#case=two-currencies");
    assert_eq!(browser.ask(is_open), true);
    assert!(browser.ask("scrollY").as_f64().expect("a number") > 0.0, "the page did not move to the case");
    let focused = "document.activeElement.closest('.case')?.id";
    assert_eq!(browser.text(focused), "case=two-currencies", "the keyboard goes on from there");
    let go = |fragment: &str| {
        browser.run(&format!(
            "location.hash = '{fragment}'; return new Promise((done) => addEventListener('hashchange', () => done()));"
        ))
    };
    go("#filter=no+such+words");
    assert_eq!(browser.ask("document.getElementById('case=two-currencies').checkVisibility()"), false);
    go("#case=two-currencies");
    assert_eq!(browser.ask("document.getElementById('case=two-currencies').checkVisibility()"), true);
    go("#case=no-such-case");
    assert_eq!(
        browser.text("document.querySelector('.filter output').value"),
        "That case is not on this page; see report.json."
    );
}

#[test]
fn a_link_within_the_page_shows_its_place_under_a_filter_and_keeps_the_filter() {
    let browser = Browser::on(&page(&red()));
    browser.reopen("#filter=short-answer");
    let uncertain = "document.getElementById('uncertain').getBoundingClientRect().height > 0";
    assert_eq!(browser.ask(uncertain), false, "the filter hides it");
    browser.run(
        "document.querySelector('nav a[href=\"#uncertain\"]').click(); \
         return new Promise((done) => addEventListener('hashchange', () => done()));",
    );
    assert_eq!(browser.ask(uncertain), true);
    assert_ne!(shown_in(&browser, "uncertain"), "", "with its cases");
    let top = "Math.abs(document.getElementById('uncertain').getBoundingClientRect().top) < innerHeight";
    assert_eq!(browser.ask(top), true, "it is in sight");
    assert_eq!(browser.text("location.hash"), "#filter=short-answer&to=uncertain");
    assert_eq!(browser.text("document.querySelector('.filter input').value"), "short-answer");
    browser.reopen("#filter=short-answer&to=uncertain");
    assert_eq!(browser.ask(uncertain), true, "from its address too");
}

#[test]
fn a_case_wins_over_the_filter_wherever_it_stands_in_the_address() {
    let browser = Browser::on(&page(&red()));
    for address in ["#case=two-currencies&filter=short-answer", "#filter=short-answer&case=two-currencies"] {
        browser.reopen(address);
        let case = "document.getElementById('case=two-currencies')";
        assert_eq!(browser.ask(&format!("{case}.checkVisibility() && {case}.open")), true, "{address}");
        assert_eq!(browser.text("document.querySelector('.filter input').value"), "short-answer", "{address}");
    }
}

#[test]
fn the_filter_lives_in_the_address() {
    let browser = Browser::on(&page(&red()));
    let shown = "Array.from(document.querySelectorAll('.case')).filter((one) => !one.hidden).length";
    let counts = [
        ("", 22),
        ("#set=source_conflict", 1),
        ("#filter=op-7", 1),
        ("#status=flaky", 1),
        ("#filter=policy&set=malformed_output", 1),
        ("#filter=no+such+words", 0),
        ("#set=no_such_set", 22),
    ];
    for (fragment, count) in counts {
        browser.reopen(fragment);
        assert_eq!(browser.ask(shown), count, "{fragment}");
    }
}

#[test]
fn what_is_asked_for_comes_out_of_its_fold_and_is_sorted_within_it() {
    let mut document = red();
    let pass = document.cases.iter().find(|case| case.id.as_str() == "policy-answer-01").cloned().expect("it is there");
    for number in 0..60 {
        let mut case = pass.clone();
        case.id = format!("more-{number:02}").as_str().into();
        case.trials[0].duration_ms = number;
        document.cases.push(case);
    }
    let browser = Browser::on(&page(&document));
    let seen = |id: &str| browser.ask(&format!("document.getElementById('case={id}').checkVisibility()"));
    assert_eq!(seen("more-07"), false, "many passes are folded");
    browser.reopen("#filter=more-07");
    assert_eq!(seen("more-07"), true, "what was asked for is seen");
    browser.reopen("#case=more-08");
    assert_eq!(
        (seen("more-08"), browser.text("document.activeElement.closest('.case')?.id").as_str()),
        (true.into(), "case=more-08")
    );
    browser.reopen("#sort=slow");
    assert_eq!(shown_in(&browser, "passed .group-fold").split(' ').next(), Some("more-59"));
}

#[test]
fn what_is_typed_and_chosen_goes_into_the_address() {
    let browser = Browser::on(&page(&red()));
    browser.run("document.querySelector('.filter input').focus()");
    browser.press("Policy-Answer-03");
    assert_eq!(browser.text("location.hash"), "#filter=Policy-Answer-03");
    assert_eq!(shown_in(&browser, "passed"), "policy-answer-03");
    assert_eq!(browser.text("document.querySelector('.filter output').value"), "1 of 22 shown");
    assert_eq!(
        browser.ask("document.getElementById('regressions').checkVisibility()"),
        false,
        "an empty group is gone"
    );
}

#[test]
fn cases_are_sorted_within_their_groups() {
    let mut document = red();
    for case in &mut document.cases {
        if case.id.as_str() == "policy-answer-07" {
            case.trials[0].duration_ms = 9_000;
        }
        if case.id.as_str() == "policy-answer-02" {
            case.set = "access".into();
        }
    }
    let browser = Browser::on(&page(&document));
    let first = |order: &str| {
        browser.reopen(order);
        shown_in(&browser, "passed").split(' ').next().map(str::to_owned)
    };
    assert_eq!(first("").as_deref(), Some("policy-answer-01"));
    assert_eq!(first("#sort=slow").as_deref(), Some("policy-answer-07"));
    assert_eq!(first("#sort=set").as_deref(), Some("policy-answer-02"));
    assert_eq!(first("#sort=id").as_deref(), Some("policy-answer-01"));
    let groups = "Array.from(document.querySelectorAll('#cases > section')).map((one) => one.id).join(' ')";
    assert!(browser.text(groups).starts_with("regressions new-failures changed-expectations uncertain"), "worst first");
}

#[test]
fn everything_can_be_reached_and_worked_by_keyboard() {
    let browser = Browser::on(&page(&red()));
    browser.press(TAB);
    assert_eq!(browser.text("document.activeElement.className"), "skip", "the first stop leads past the head");
    let seen = "(() => { const box = document.activeElement.getBoundingClientRect(); return box.left >= 0 && box.top >= 0; })()";
    assert_eq!(browser.ask(seen), true, "and is seen once it has the focus");
    browser.run("document.querySelector('#passed summary').focus()");
    let is_open = "document.querySelector('#passed details.case').open";
    assert_eq!(browser.ask(is_open), false);
    browser.press(ENTER);
    assert_eq!(browser.ask(is_open), true);
    browser.press(SPACE);
    assert_eq!(browser.ask(is_open), false);
    let outline = browser.text("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid", "whoever uses the keyboard sees where it is");
    browser.run("Array.from(document.querySelectorAll('.filter button')).find((one) => one.textContent === 'Unfold all').focus()");
    browser.press(ENTER);
    assert_eq!(browser.ask("document.querySelectorAll('details.case:not([open])').length"), 0);
}

#[test]
fn it_reads_with_scripts_off() {
    let browser = Browser::start();
    browser.scripts_off();
    browser.open(&page(&red()), "#case=two-currencies");
    assert_eq!(browser.ask("document.forms.length"), 0, "controls that need a script are made by the script");
    let text = browser.text("document.body.innerText");
    for words in ["Exit code 10", "holdpoint case new --for review/partial_failure", "What this run does not show"] {
        assert!(text.contains(words), "{words}");
    }
    let place = browser.ask("document.getElementById('filter-place').getBoundingClientRect().height");
    assert_eq!(place, 0, "no room is left for what does not come");
}

#[test]
fn it_reads_with_scripts_and_styles_off() {
    let html = page(&red());
    let (head, rest) = html.split_once("<style>").expect("the page has a style");
    let (_, rest) = rest.split_once("</style>").expect("it ends");
    let browser = Browser::start();
    browser.scripts_off();
    browser.open(&format!("{head}{rest}"), "");
    let outline = browser.text(
        "Array.from(document.querySelectorAll('h1, h2')).map((one) => one.textContent.trim().split(/:? \\d/)[0]).join('; ')",
    );
    assert_eq!(
        outline,
        "Mesa review desk; Failed; What changed; Regressions; New failures; Changed expectations; Uncertain; Flaky; \
         Errored; Fixed; Known failures; Passed; Uncovered; What did not run; Figures; What this run does not show"
    );
    assert_eq!(browser.ask("document.querySelector('del').textContent"), "30", "marks are elements, not only colours");
}
