//! The HTML report in a real browser: what runs in it, what does not, how it is read and filtered, and whether everyone
//! can.
//!
//! Needs Chromium and its driver (Debian's packages `chromium` and `chromium-driver`) and axe-core; `./test` installs
//! them. Where one is missing these tests fail.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot start its browser has to fail")]

mod documents;
mod pages;
mod reading;
mod reference;
mod safety;
mod shape;
mod webdriver;
