//! Every command of the page on imports, run as it stands there.

use zip::CompressionMethod;

use crate::binary::Repository;
use crate::inspect_log;

const PAGE: &str = include_str!("../../docs/import.md");

#[test]
fn every_command_of_the_page_does_what_it_says() {
    let repository = Repository::new();
    repository.write("desk.py", "import sys\nprint('You have 30 days: ' + sys.argv[-1])\n");
    let example = PAGE.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    repository.write("promptfooconfig.yaml", example);
    repository.copy("samples.jsonl", "samples.jsonl");
    repository.copy("table.csv", "questions.csv");
    repository.copy("rows.jsonl", "questions.jsonl");
    repository.copy("spans.json", "spans.json");
    repository.copy("operations.jsonl", "operations.jsonl");
    let log = inspect_log::samples(["\"C\"", "\"P\""], ["\"I\"", "1"], "m", CompressionMethod::Zstd);
    repository.write("evaluation.eval", log);
    let commands: Vec<&str> = PAGE.lines().filter_map(|line| line.strip_prefix("    holdpoint ")).collect();
    assert!(commands.len() >= 12, "the page shows {} commands", commands.len());
    for line in commands {
        let (command, code) =
            line.split_once("  # ends ").map_or((line, 0), |(command, code)| (command, code.trim().parse().unwrap()));
        let arguments: Vec<&str> = command.split_whitespace().collect();
        repository.holdpoint(&arguments, code);
    }
}
