//! The queries of `docs/run-records.md`, run as they stand there.

use std::fs;
use std::path::Path;

use crate::sandbox::Sandbox;
use crate::scene::project;

/// The first block of this language in the document.
fn block(language: &str) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/run-records.md")).unwrap();
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

fn python(sandbox: &Sandbox, script: &str, record: &str) -> String {
    sandbox.ran(sandbox.command("python3").args(["-c", script, record])).expect(0).stdout
}

#[test]
fn the_documented_queries_say_how_often_each_case_passed() {
    let sandbox = project(&[("a-good", "Hello"), ("b-bad", "Bad")]);
    sandbox.holdpoint(&["run", "--all", "--trials", "2"]).expect(10);
    let record = format!(".holdpoint/runs/{}/run.sqlite", sandbox.latest_run());
    let mut told: Vec<String> = python(&sandbox, &block("python"), &record).lines().map(str::to_owned).collect();
    told.sort();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].starts_with("a-good: 2 of 2 passed, ") && told[1].starts_with("b-bad: 0 of 2 passed, "),
        "{told:?}"
    );

    let query = block("sql");
    let script =
        format!("import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute('''{query}'''): print(row[:3])");
    let mut rows: Vec<String> = python(&sandbox, &script, &record).lines().map(str::to_owned).collect();
    rows.sort();
    assert_eq!(rows, ["('a-good', 2, 2)", "('b-bad', 2, 0)"]);
}

#[test]
fn the_document_names_every_table_and_column_and_no_other() {
    let sandbox = project(&[("a-good", "Hello")]);
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let record = format!(".holdpoint/runs/{}/run.sqlite", sandbox.latest_run());
    let script = "import sqlite3, sys\n\
                  record = sqlite3.connect(sys.argv[1])\n\
                  print(record.execute('PRAGMA user_version').fetchone()[0])\n\
                  for (table,) in record.execute(\"SELECT name FROM sqlite_master WHERE type = 'table'\"):\n\
                  \x20   for column in record.execute(f'PRAGMA table_info({table})'): print(table, column[1])\n";
    let told = python(&sandbox, script, &record);
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/run-records.md")).unwrap();
    let mut lines = told.lines();
    let format = lines.next().unwrap();
    assert!(text.contains(&format!("is the format, {format} at present")), "format {format}");
    let pairs: Vec<(&str, &str)> = lines.map(|line| line.split_once(' ').unwrap()).collect();
    assert!(pairs.len() > 10, "{told}");
    for (table, column) in pairs {
        assert!(text.contains(&format!("| `{table}` |")), "{table}");
        assert!(text.contains(&format!("`{column}`")), "{table}.{column}");
    }
}
