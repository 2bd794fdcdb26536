//! The pages on how to get something done, each from its first command to its last; and that no page stands beside the tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::page::{Act, acts, carry_out};

/// What the index says of how to begin, for the pages that are tried on the support desk.
const SUPPORT_DESK: &str = "Tried on the support desk.";

/// How a page begins that goes on from another one.
const BUYER: &str = "Tried on the buyer of [connector-and-probe](connector-and-probe.md).";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn read(path: &str) -> String {
    fs::read_to_string(docs().join(path)).unwrap_or_else(|error| panic!("docs/{path}: {error}"))
}

/// Carries the page out on the ground that it names.
fn carries_out(page: &str) {
    let text = read(&format!("how-to/{page}.md"));
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    fs::create_dir(&project).unwrap();
    if text.contains(SUPPORT_DESK) {
        assert_eq!(carry_out(&acts(&read("README.md")), &project), 4);
    } else if text.contains(BUYER) {
        carry_out(&acts(&read("how-to/connector-and-probe.md")), &project);
    }
    let acts = acts(&text);
    let commands = carry_out(&acts, &project);
    assert!(commands >= 3, "{page} has {commands} commands left");
    assert!(acts.iter().any(|act| matches!(act, Act::Run { line, .. } if line.starts_with("holdpoint "))), "{page}");
}

macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        $(#[test]
        fn $test() {
            carries_out($page);
        })*

        /// Every page that is carried out here.
        const PAGES: &[&str] = &[$($page,)*];
    };
}

pages! {
    accepting_and_revoking: "accept-and-revoke",
    standing_between_a_workflow_and_its_target: "connector-and-probe",
    adding_the_case_that_a_change_lacks: "cover-a-change",
    failing_every_call: "exercise",
    gating_a_change_in_ci: "gate-in-ci",
    adding_a_kind_of_ones_own: "own-kind",
    overriding_a_template: "own-template",
    going_on_with_a_run: "resume",
    running_in_parts: "split-over-machines",
}

#[test]
fn every_page_is_carried_out_and_named_in_the_index() {
    let names = fs::read_dir(docs().join("how-to")).unwrap().map(|entry| entry.unwrap().file_name());
    let pages: BTreeSet<String> = names.map(|name| name.into_string().unwrap()).collect();
    let tried: BTreeSet<String> = PAGES.iter().map(|page| format!("{page}.md")).collect();
    assert_eq!(pages, tried);
    let index = read("README.md");
    for page in fs::read_dir(docs()).unwrap().map(|entry| entry.unwrap().path()) {
        let name = page.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".md") && name != "README.md" {
            assert!(index.contains(&format!("]({name})")), "{name} is not in the index");
        }
    }
    for page in &pages {
        assert!(index.contains(&format!("](how-to/{page})")), "{page} is not in the index");
    }
}

#[test]
fn every_link_from_page_to_page_leads_somewhere() {
    let mut links = 0;
    let how_to = PAGES.iter().map(|page| format!("how-to/{page}.md"));
    for page in how_to.chain(["README.md", "tutorial.md", "what-a-pass-shows.md", "import.md"].map(str::to_owned)) {
        let folder = docs().join(&page).parent().unwrap().to_owned();
        for link in read(&page).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap();
            if !path.is_empty() && !path.contains("://") {
                assert!(folder.join(path).exists(), "{page}: {link}");
                links += 1;
            }
        }
    }
    assert!(links >= 20, "{links} links are left");
}
