//! Whole example projects, laid down into an empty place.

use std::path::Path;

use rust_embed::Embed;

use super::PipelineError;
use super::init::refuse_a_second;
use super::new_file::write_new;

/// Python, standard library alone, with accepted results.
#[derive(Embed)]
#[folder = "examples/support-desk"]
#[exclude = "reports/*"]
#[exclude = ".holdpoint/*"]
#[exclude = "*/__pycache__/*"]
struct SupportDesk;

/// The project file of the practice workflow's example.
#[derive(Embed)]
#[folder = "examples/r618"]
#[exclude = "reports/*"]
#[exclude = ".holdpoint/*"]
struct R618;

/// The practice workflows' manifests and cases, of which the example takes its own.
#[derive(Embed)]
#[folder = "."]
#[include = "manifests/*.yaml"]
#[include = "cases/*"]
struct Practice;

/// The examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// A support desk that answers from policies and opens tickets.
    SupportDesk,
    /// The practice workflow that creates a case, reserves a component and confirms it.
    R618,
}

/// Lays an example down and answers with the paths of its files.
///
/// # Errors
/// Where a project, or any file that belongs to the example, stands there already: then nothing is written.
pub fn lay_down_example(example: Example, project_root: &Path) -> Result<Vec<String>, PipelineError> {
    refuse_a_second(project_root)?;
    let files = match example {
        Example::SupportDesk => all_of::<SupportDesk>(),
        Example::R618 => r618(),
    };
    if let Some((taken, _)) = files.iter().find(|(path, _)| project_root.join(path).symlink_metadata().is_ok()) {
        return Err(PipelineError::Begun(project_root.join(taken)));
    }
    for (path, text) in &files {
        write_new(project_root, path, text.as_bytes())?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

fn all_of<E: Embed>() -> Vec<(String, String)> {
    E::iter().filter_map(|path| Some((path.to_string(), text_of::<E>(&path)?))).collect()
}

fn text_of<E: Embed>(path: &str) -> Option<String> {
    String::from_utf8(E::get(path)?.data.into_owned()).ok()
}

/// The cases of one workflow, and the manifests that they need.
fn r618() -> Vec<(String, String)> {
    const PARTS: [&str; 4] = ["r618-case-desk", "r618-inventory", "r618-messaging", "r618-permissions"];
    let mut files = all_of::<R618>();
    let own = all_of::<Practice>().into_iter().filter(|(path, text)| {
        let is_part = PARTS.iter().any(|part| *path == format!("manifests/{part}.yaml"));
        is_part || path.starts_with("cases/") && text.lines().any(|line| line == "workflow: r618")
    });
    files.extend(own);
    files
}
