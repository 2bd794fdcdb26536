//! A page of the documentation as something that can be carried out: files to write, and commands with their exit codes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// One thing to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Write this text to this path.
    Write { path: String, text: String },
    /// Add this text at the end of what stands there.
    Add { path: String, text: String },
    /// Run this line in a shell; it must end with this code.
    Run { line: String, ends: i32 },
}

/// What a page says to do, in its order. A fenced block of `sh` is commands, with `# ends N` behind one that does not
/// end with 0. Any other fenced block is the file that the words before it named last, between backticks; where
/// these say `Add to`, it goes to its end.
pub(crate) fn acts(page: &str) -> Vec<Act> {
    let mut acts = Vec::new();
    let (mut named, mut words) = (None, String::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            if line.is_empty() {
                words = if lines.clone().next().is_some_and(|next| next.starts_with("```")) {
                    words
                } else {
                    String::new()
                };
            } else {
                words.push_str(line);
                words.push(' ');
            }
            named = line.split('`').skip(1).step_by(2).filter(|word| is_path(word)).last().map(str::to_owned).or(named);
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        if kind == "sh" {
            acts.extend(block.iter().map(|line| command(line)));
        } else {
            let path =
                named.take().unwrap_or_else(|| panic!("no file is named before the block that begins `{}`", block[0]));
            let text = block.join("\n") + "\n";
            acts.push(if words.contains("Add to ") { Act::Add { path, text } } else { Act::Write { path, text } });
        }
    }
    acts
}

fn is_path(word: &str) -> bool {
    !word.contains(' ')
        && word.rsplit_once('.').is_some_and(|(_, ending)| ["py", "md", "yaml", "html"].contains(&ending))
}

fn command(line: &str) -> Act {
    let (line, ends) = match line.split_once("# ends ") {
        Some((line, code)) => (line.trim_end(), code.trim().parse().unwrap()),
        None => (line, 0),
    };
    Act::Run { line: line.to_owned(), ends }
}

/// Carries a page out in a folder, and answers with the number of commands that were run.
pub(crate) fn carry_out(acts: &[Act], folder: &Path) -> usize {
    let mut run = 0;
    for act in acts {
        match act {
            Act::Write { path, text } => {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Act::Add { path, text } => {
                let path = folder.join(path);
                let before = fs::read_to_string(&path).unwrap();
                fs::write(path, before + text).unwrap();
            }
            Act::Run { line, ends } => {
                let (code, told) = run_line(line, folder);
                assert_eq!(code, Some(*ends), "`{line}`\n{told}");
                run += 1;
            }
        }
    }
    run
}

/// Runs the line in a shell, and answers with its exit code and all that it said.
pub(crate) fn run_line(line: &str, folder: &Path) -> (Option<i32>, String) {
    let binaries = Path::new(env!("CARGO_BIN_EXE_holdpoint")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", &path)
        .env("HOME", folder.parent().unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_NAME", "A. Author")
        .env("GIT_AUTHOR_EMAIL", "author@example.org")
        .env("GIT_COMMITTER_NAME", "A. Author")
        .env("GIT_COMMITTER_EMAIL", "author@example.org")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), format!("{}\n{}", told(&output.stdout), told(&output.stderr)))
}

#[test]
fn a_page_is_read_as_files_and_commands() {
    let page = "Write `a/b.py`, then `not a path`:\n\n```python\nx = 1\n```\n\nAdd to\n`a.yaml`:\n\n```yaml\ny: 2\n```\n\n\
                ```sh\ngit init\nholdpoint gate   # ends 12\n```\n";
    let expected = [
        Act::Write { path: "a/b.py".into(), text: "x = 1\n".into() },
        Act::Add { path: "a.yaml".into(), text: "y: 2\n".into() },
        Act::Run { line: "git init".into(), ends: 0 },
        Act::Run { line: "holdpoint gate".into(), ends: 12 },
    ];
    assert_eq!(acts(page), expected);
}
