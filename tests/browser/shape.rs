//! The shape of the page: narrow and wide, light and dark, on paper.

use super::pages::{page, red};
use super::webdriver::Browser;

#[test]
fn a_narrow_screen_never_scrolls_sideways() {
    let browser = Browser::on(&page(&red()));
    for width in [320, 390, 1280] {
        browser.be_wide(width);
        let beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.ask(beyond), 0, "pixels beyond the edge at {width}");
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
fn it_is_shown_to_people_in_pictures() {
    let browser = Browser::on(&page(&red()));
    for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 390)] {
        browser.prefer(scheme, "screen");
        browser.screenshot(&format!("red-{scheme}-{width}"), width);
    }
}
