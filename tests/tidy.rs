//! Keeps the house: which room may import which, where each outside library lives, and how files look.
//!
//! Each rule is a function from texts to complaints, so that it is proven on made-up text beside being held
//! against the real tree.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot read the tree has to fail")]

#[path = "tidy/form.rs"]
mod form;
#[path = "tidy/homes.rs"]
mod homes;
#[path = "tidy/licences.rs"]
mod licences;
#[path = "tidy/pictures.rs"]
mod pictures;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/walls.rs"]
mod walls;
#[path = "tidy/words.rs"]
mod words;

/// Fails with every complaint at once.
#[track_caller]
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}
