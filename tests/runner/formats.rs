//! Records of other formats: a frozen one of the first format is brought up to date and read, a newer one is refused.

use std::fs;

use rusqlite::Connection;

use crate::sandbox::Sandbox;
use crate::scene::project;

/// A record of when there were two tables. Never edited: an acceptance holds its results against a digest in it.
const FIRST_FORMAT: &str = include_str!("../data/run-1/run.sql");

/// The run in it.
const OLD: &str = "20261129-210000000-0a1b2c";

/// Its record as a file of this project.
fn frozen(sandbox: &Sandbox) -> Connection {
    let folder = sandbox.project().join(".holdpoint/runs").join(OLD);
    fs::create_dir_all(&folder).unwrap();
    let connection = Connection::open(folder.join("run.sqlite")).unwrap();
    connection.execute_batch(FIRST_FORMAT).unwrap();
    connection
}

fn version(connection: &Connection) -> i64 {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_record_of_the_first_format_is_brought_up_to_date_with_all_that_is_in_it() {
    let sandbox = project(&[("greets", "Hello")]);
    let record = frozen(&sandbox);
    assert_eq!(version(&record), 1);
    let listed = sandbox.holdpoint(&["runs"]).expect(0);
    assert!(listed.stdout.contains(OLD) && listed.stdout.contains("2 trials"), "{}", listed.told());
    let compared = sandbox.holdpoint(&["compare", OLD, "--with", OLD]).expect(0);
    assert!(compared.stdout.contains("1 of 2 passed"), "{}", compared.told());
    assert!(compared.stdout.contains("refuses"), "{}", compared.told());
    assert_eq!(version(&record), 3);
    let trials: i64 =
        record.query_row("SELECT COUNT(*) FROM trial WHERE mutation IS NULL", [], |row| row.get(0)).unwrap();
    assert_eq!(trials, 2);
    // What it was asked for was not kept then, so it cannot go on; that is said, and nothing of it is lost.
    let resumed = sandbox.holdpoint(&["run", "--resume", OLD]).expect(2);
    assert!(resumed.stderr.contains("did not keep what was asked for"), "{}", resumed.told());
    let accept = ["baseline", "accept", OLD, "--by", "M. Allory", "--reason", "as it was"];
    let accepted = sandbox.holdpoint(&accept).expect(0);
    assert!(accepted.stdout.contains("2 results of run"), "{}", accepted.told());
}

#[test]
fn a_record_of_a_newer_format_is_refused_and_left_as_it_is() {
    let sandbox = project(&[("greets", "Hello")]);
    let record = frozen(&sandbox);
    record.pragma_update(None, "user_version", 99).unwrap();
    let refused = sandbox.holdpoint(&["compare", OLD, "--with", OLD]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("has record format 99"), "{}", refused.told());
    assert!(refused.stderr.contains("Use a newer holdpoint"), "{}", refused.told());
    assert_eq!(version(&record), 99);
    let tables: i64 =
        record.query_row("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 2, "nothing was added to it");
}
