//! The report of this repository's own project after a change that brings one of each, as `docs/reference-report` builds
//! it: does whoever sees nothing but the page know what to do?

use std::path::{Path, PathBuf};
use std::process::Command;

use super::webdriver::Browser;

/// Builds it anew, and answers where the page lies.
fn reference_report() -> PathBuf {
    let output = Command::new("bash")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference-report"))
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference-report"))
        .env("HOLDPOINT", env!("CARGO_BIN_EXE_holdpoint"))
        .output()
        .expect("bash is there");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
}

#[test]
fn the_first_screen_says_what_to_do_about_each() {
    let browser = Browser::start();
    browser.visit(&format!("file://{}", reference_report().display()), "");
    let first = browser.text("document.getElementById('verdict').innerText");
    for words in ["Failed", "Exit code 10", "1 case (delivery-time-after-the-holidays)"] {
        assert!(first.contains(words), "{words} in {first}");
    }
    let steps = browser.ask(
        "Array.from(document.querySelectorAll('.next > li')).map((one) => [one.querySelector('a').textContent.trim(), \
         one.querySelector('.case-link')?.textContent ?? '', one.querySelector('.command')?.textContent.trim() ?? ''])",
    );
    let step = |index: usize| -> Vec<&str> {
        steps[index].as_array().into_iter().flatten().filter_map(|text| text.as_str()).collect()
    };
    assert_eq!(
        step(0),
        ["Repair 1 regression, or have the new result accepted.", "delivery-time-after-the-holidays", ""]
    );
    assert_eq!(step(1)[1], "refund-time");
    assert!(step(1)[0].contains("someone who knows the right answer") && step(1)[2].ends_with("--case refund-time"));
    assert_eq!(step(2)[1], "r618-first-request-still-runs");
    assert!(step(2)[0].starts_with("Look into the target system"), "{:?}", step(2));
    assert_eq!(step(3)[2], "holdpoint case new --for inventory/action");
    let height = browser.ask("document.querySelectorAll('.next > li')[3].getBoundingClientRect().bottom");
    assert!(height.as_f64().is_some_and(|height| height < 1_000.0), "it is the first screen: {height}");

    browser.run("document.querySelectorAll('.next .case-link')[2].click()");
    let case = "document.getElementById('case=r618-first-request-still-runs')";
    let shown = browser.text(&format!("{case}.innerText"));
    for words in ["uncertain", "overclaimed", "lost ack", "Attempt 2", "before a write on its way had to be there"] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let row = browser.text("document.querySelector('#figures .failures').innerText");
    assert!(row.contains("reservation") && row.contains("Next step"), "{row}");
    for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)] {
        browser.prefer(scheme, "screen");
        browser.reopen("");
        browser.screenshot(&format!("reference-{scheme}-{width}"), width);
    }
}
