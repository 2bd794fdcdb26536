//! The practice workflow against the repository's own cases.

use std::collections::BTreeMap;
use holdpoint::manifest::{DiskFiles, load_project};

#[test]
fn the_project_loads() {
    let files = DiskFiles::new(env!("CARGO_MANIFEST_DIR"));
    match load_project(&files, &BTreeMap::new()) {
        Ok(loaded) => {
            for warning in &loaded.warnings {
                println!("{warning:?}");
            }
            assert!(loaded.project.cases.len() > 40);
        }
        Err(diagnostics) => {
            for diagnostic in &diagnostics {
                println!("{}:{}:{} {} [{}] {:?}", diagnostic.path, diagnostic.line, diagnostic.column, diagnostic.message, diagnostic.source_line, diagnostic.hint);
            }
            panic!("{} errors", diagnostics.len());
        }
    }
}
