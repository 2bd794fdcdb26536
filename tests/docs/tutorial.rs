//! The tutorial, from its first command to its last.

use std::fs;
use std::path::Path;

use crate::page::{Act, acts, carry_out};

#[test]
fn every_command_of_the_tutorial_ends_as_the_page_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorial.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("order-desk");
    fs::create_dir(&project).unwrap();
    let acts: Vec<Act> = acts(&page)
        .into_iter()
        .map(|act| match act {
            Act::Write { path, text } => Act::Write { path, text: text.replace("WORKFLOW", "order-desk") },
            other => other,
        })
        .collect();
    let commands = carry_out(&acts, &project);
    assert!(commands >= 15, "the tutorial has {commands} commands left");
    assert!(project.join("reports/latest/report.html").is_file());
}
