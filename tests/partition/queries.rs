//! The queries of `docs/run-records.md`, run as they stand there.

use std::fs;
use std::path::Path;

use crate::sandbox::Sandbox;
use crate::scene::project;

/// The first block of this language in the document.
fn block(language: &str) -> String {
    blocks(language).remove(0)
}

/// Every block of this language in the document.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/run-records.md")).unwrap();
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split_once("```").unwrap().0.to_owned()).collect()
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

/// DuckDB's extension comes from a package beside it here, and not from its own host: only the line that fetches it and the one that
/// loads it are others than on the page.
#[test]
fn the_documented_statement_for_duckdb_writes_parquet() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/duckdb/bin/python");
    assert!(python.is_file(), "{} is needed for this test: ./test makes it", python.display());
    let sandbox = project(&[("a-good", "Hello"), ("b-bad", "Bad")]);
    sandbox.holdpoint(&["run", "--all", "--trials", "2"]).expect(10);

    let page = blocks("sql").into_iter().find(|block| block.contains("FORMAT parquet")).unwrap();
    let statement = page
        .strip_prefix("INSTALL sqlite;\nLOAD sqlite;\n")
        .unwrap()
        .replace("/RUN/", &format!("/{}/", sandbox.latest_run()));
    let script = "import duckdb, duckdb_extension_sqlite_scanner as scanner, pathlib, sys\n\
                  extension = next(pathlib.Path(scanner.__file__).parent.rglob('*.duckdb_extension'))\n\
                  database = duckdb.connect()\n\
                  database.execute(f\"LOAD '{extension}'\")\n\
                  database.execute(sys.argv[1])\n\
                  for row in database.execute(\"SELECT * FROM 'trials.parquet'\").fetchall(): print(*row[:4], row[4] >= 0)\n";
    let told = sandbox.ran(sandbox.command(&python).args(["-c", script, &statement])).expect(0).stdout;
    let expected = [
        "a-good head 1 passed True",
        "a-good head 2 passed True",
        "b-bad head 1 failed True",
        "b-bad head 2 failed True",
    ];
    assert_eq!(told.lines().collect::<Vec<_>>(), expected);
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
