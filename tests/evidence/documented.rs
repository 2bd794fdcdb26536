//! What the documentation shows is what can be written.

use std::collections::BTreeMap;

use holdpoint::manifest::{Diagnostic, MemoryFiles, load_project};

const DOCUMENTATION: &str = include_str!("../../docs/evidence.md");

/// The example that begins with this line, to the end of its block.
fn example(begins: &str) -> &'static str {
    let mut blocks = DOCUMENTATION.split("```yaml\n").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.find(|block| block.starts_with(begins)).unwrap_or_else(|| panic!("no example begins with `{begins}`"))
}

fn load(environment: &[&str]) -> Result<(), Vec<Diagnostic>> {
    let workflow = "workflows:\n  buyer: {command: {run: [python3, buyer.py]}, parts: [shop, bank]}\n";
    let project = [
        "schema: holdpoint.project/1\nname: documented\n",
        workflow,
        example("connectors:"),
        example("probes:"),
        example("  payments:"),
    ];
    let operations = example("operations:");
    let manifest = |id: &str| format!("id: {id}\nkind: connector\nversion: '1'\nrelease: '1'\n{operations}");
    let case = "id: a\ntitle: t\nworkflow: buyer\ninput: {}\nexpect: [{contains: x}]\n".to_owned() + example("faults:");
    let files = MemoryFiles::new()
        .with("holdpoint.yaml", project.concat())
        .with("manifests/shop.yaml", manifest("shop"))
        .with("manifests/bank.yaml", manifest("bank").replace("  order:", "  pay:"))
        .with("cases/duplicate/a.yaml", case);
    let environment: BTreeMap<String, String> =
        environment.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
    load_project(&files, &environment).map(drop)
}

#[test]
fn every_example_is_read_as_it_stands() {
    load(&["PGHOST", "PGDATABASE", "PGUSER", "PGPASSWORD"]).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let missing = load(&["PGHOST", "PGDATABASE", "PGUSER"]).unwrap_err();
    assert!(missing[0].message.contains("PGPASSWORD"), "{missing:#?}");
}
