//! The report of this repository's own project after a change that brings one of each, as `docs/reference-report` builds
//! it: does whoever sees nothing but the page know what to do?

use std::path::{Path, PathBuf};
use std::process::Command;

use super::shape::violations;
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

/// The page of `holdpoint compare` of the same run.
fn comparison_of(report: &Path) -> String {
    let project = report.ancestors().nth(3).expect("it lies in reports/RUN");
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
    let output =
        command.args(["compare", "latest", "--format", "html"]).current_dir(project).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a page")
}

#[test]
fn the_first_screen_says_what_to_do_about_each() {
    let browser = Browser::start();
    let report = reference_report();
    let address = format!("file://{}", report.display());
    browser.visit(&address, "");
    let first = browser.text("document.getElementById('verdict').innerText");
    for words in ["Failed", "Exit code 10", "1 case (delivery-time-after-the-holidays)"] {
        assert!(first.contains(words), "{words} in {first}");
    }
    let steps = browser.ask(
        "Array.from(document.querySelectorAll('.next > li')).map((one) => [one.querySelector('a').textContent.trim(), \
         one.querySelector('.case-link')?.textContent ?? '', one.querySelector('.command')?.textContent.trim() ?? '', \
         one.querySelector('.happened')?.textContent ?? '', one.querySelector('.ran')?.textContent ?? ''])",
    );
    let step = |index: usize| -> Vec<&str> {
        steps[index].as_array().into_iter().flatten().filter_map(|text| text.as_str()).collect()
    };
    assert!(step(0)[0].starts_with("Repair 1 regression and run it again"), "{:?}", step(0));
    assert_eq!(step(0)[1..3], ["delivery-time-after-the-holidays", "holdpoint run delivery-time-after-the-holidays"]);
    assert!(step(0)[3].starts_with("The answer says 9 where the accepted one says 6; contains: "), "{:?}", step(0));
    assert!(step(0)[4].starts_with("Ran because: source delivery-policy"), "{:?}", step(0));
    assert_eq!(step(1)[1], "refund-time");
    assert!(step(1)[0].contains("someone who knows the right answer") && step(1)[2].ends_with("--case refund-time"));
    let edit = "Edited: expect[0].contains was within 12 working days and is within 5 working days.";
    assert!(step(1)[3].starts_with(edit), "{:?}", step(1));
    assert_eq!(step(2)[1], "r618-first-request-still-runs");
    assert!(step(2)[0].starts_with("Settle the evidence of 1 uncertain case, and run it again"), "{:?}", step(2));
    assert_eq!(step(2)[2], "holdpoint run r618-first-request-still-runs", "the practice targets end with their trial");
    assert!(step(2)[3].contains("2 attempts (fault: lost ack), 0 effects in the target"), "{:?}", step(2));
    assert_eq!(step(3)[2], "holdpoint case new --for inventory/action");
    assert!(step(3)[4].starts_with("Because: connector inventory release modified: 2026-04"), "{:?}", step(3));
    let seen = "document.querySelectorAll('.next > li')[3].getBoundingClientRect().bottom";
    let height = browser.ask(seen).as_f64().expect("a number");
    assert!(height < 1_400.0, "all of it comes before anything else: {height}");

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
    browser.be_wide(1280);
    let comparison = comparison_of(&report);
    for scheme in ["light", "dark"] {
        browser.prefer(scheme, "screen");
        browser.reopen("");
        assert_eq!(violations(&browser), [""; 0], "{scheme}");
        browser.open(&comparison, "");
        assert_eq!(violations(&browser), [""; 0], "the comparison, {scheme}");
        assert_eq!(browser.complaints(), [""; 0], "the comparison's policy takes its style");
        assert_eq!(browser.text("getComputedStyle(document.querySelector('main')).display"), "block");
        assert_ne!(browser.text("getComputedStyle(document.body).maxWidth"), "none", "it is styled");
        browser.visit(&address, "");
    }
}
