//! The block of commands on the first page, in the example that it speaks of.

use std::fs;
use std::path::{Path, PathBuf};

use crate::page::{Act, acts, carry_out};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The block, line by line, without what stands behind it.
pub(crate) fn ten_lines() -> Vec<String> {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let block = readme.split("## Ten lines\n").nth(1).unwrap().split("\n\nTo try").next().unwrap();
    let lines =
        block.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| !line.trim_start().starts_with('#'));
    lines.map(|line| line.split('#').next().unwrap().trim().to_owned()).collect()
}

/// With nothing accepted, as in a project that begins.
#[test]
fn the_ten_lines_of_the_first_page_end_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("desk");
    fs::create_dir(&project).unwrap();
    let begin = fs::read_to_string(repository().join("docs/README.md")).unwrap();
    carry_out(&acts(&begin), &project);
    // Without its history, or what was taken away would be missed.
    let anew =
        "rm -r baselines .git && git init --quiet && git add . && git commit --quiet --message 'Nothing is accepted'";
    carry_out(&[run(anew, 0)], &project);
    let ends = |line: &str, gates: usize| match (line.starts_with("holdpoint gate"), gates) {
        (true, 1) => 12,
        (true, 3) => 10,
        _ => 0,
    };
    let (mut gates, mut carried) = (0, 0);
    for line in ten_lines() {
        gates += usize::from(line.starts_with("holdpoint gate"));
        let line = line
            .replace("RUN", "latest")
            .replace("$EDITOR", "sed -i 's/30 days/14 days/'")
            .replace("xdg-open", "test -s");
        carried += carry_out(&[run(&line, ends(&line, gates))], &project);
    }
    assert_eq!((carried, gates), (10, 3));
}

/// The figures stand in one place; the first page shows some of them as they stand there.
#[test]
fn the_figures_of_the_first_page_are_those_of_the_page_on_performance() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let figures = fs::read_to_string(repository().join("docs/performance.md")).unwrap().replace("**", "");
    let section = readme.split("## How fast\n").nth(1).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let measured: Vec<String> = rows
        .filter_map(|row| row.trim_end_matches(" |").rsplit("| ").next())
        .map(|cell| cell.replace("**", ""))
        .collect();
    assert!(measured.len() >= 5, "{measured:?}");
    for figure in measured {
        assert!(figures.contains(&format!(" {figure}")), "docs/performance.md does not say {figure}");
    }
    let date = section.split("| ").nth(1).unwrap().split(',').next().unwrap();
    assert!(figures.contains(date), "docs/performance.md was measured on another day than {date}");
}

fn run(line: &str, ends: i32) -> Act {
    Act::Run { line: line.to_owned(), ends }
}
