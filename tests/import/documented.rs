//! Every command of the page on imports, run as it stands there.

use zip::CompressionMethod;

use crate::binary::Repository;
use crate::inspect_log;

const PAGE: &str = include_str!("../../docs/import.md");

/// What stands in the nth fenced block of a language, counted from 1.
fn block(language: &str, nth: usize) -> &'static str {
    let fence = format!("```{language}\n");
    PAGE.split(fence.as_str()).nth(nth).and_then(|rest| rest.split("```").next()).unwrap()
}

#[test]
fn every_command_of_the_page_does_what_it_says() {
    let repository = Repository::new();
    repository.write("desk.py", block("python", 1));
    repository.write("promptfooconfig.yaml", block("yaml", 1));
    repository.write("questions.csv", block("csv", 1));
    repository.write("questions.jsonl", block("json", 1));
    repository.write("samples.jsonl", block("json", 2));
    repository.write("answers.py", block("python", 2));
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
        if line.starts_with("import openai-evals") {
            // What the page says to add to the project file.
            let project = std::fs::read_to_string(repository.path("holdpoint.yaml")).unwrap();
            let entries = format!("workflows:\n{}", block("yaml", 2));
            repository.write("holdpoint.yaml", project.replacen("workflows:\n", &entries, 1));
        }
        repository.holdpoint(&arguments, code);
    }
    // The last run was of all cases; none is errored, and only the placeholder of the configuration fails.
    let report = repository.report();
    let cases = report["cases"].as_array().unwrap();
    let of = |status: &str| cases.iter().filter(|case| case["status"] == status).count();
    assert_eq!((cases.len(), of("passed"), of("failed")), (4, 3, 1), "{report:#}");
}
