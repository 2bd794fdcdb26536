//! Whole example projects, laid down into an empty place.

use std::borrow::Cow;
use std::path::Path;

use rust_embed::Embed;

use crate::init::kept_out_of_git;
use crate::manifest::{DiskFiles, FileKind, FileSource as _, schema_line};

use super::PipelineError;
use super::import::LaidDown;
use super::init::{refuse_a_second, refuse_foreign};
use super::new_file::{require_way, write_new};
use super::publish::REPORTS_FOLDER;
use super::schemas::schema_path;

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

/// What says which files git ignores.
const GITIGNORE: &str = ".gitignore";
/// What of an example does no harm to the rest where it stands there in another form.
const HARMLESS: [&str; 2] = ["README.md", GITIGNORE];

/// Lays an example down. A README and a `.gitignore` that stand there already are left as they are, and all else laid down
/// beside them.
///
/// # Errors
/// Where a project, any other file that belongs to the example, or a file that the project could not read stands there
/// already: then nothing is written.
pub fn lay_down_example(example: Example, project_root: &Path) -> Result<LaidDown, PipelineError> {
    refuse_a_second(project_root)?;
    let mut files = match example {
        Example::SupportDesk => all_of::<SupportDesk>(),
        Example::R618 => r618(),
    };
    let is_taken = |path: &str| project_root.join(path).symlink_metadata().is_ok();
    if let Some((taken, _)) = files.iter().find(|(path, _)| !HARMLESS.contains(&path.as_str()) && is_taken(path)) {
        return Err(PipelineError::Begun(project_root.join(taken)));
    }
    if is_taken(GITIGNORE) {
        // It says nothing of what holdpoint generates, as far as anyone knows: files of holdpoint's own say it.
        let has_reports = DiskFiles::new(project_root).list(REPORTS_FOLDER).is_ok_and(|paths| !paths.is_empty());
        files.extend(kept_out_of_git(has_reports).map(|file| (file.path, file.text)));
    }
    files.iter().try_for_each(|(path, _)| require_way(project_root, path))?;
    require_way(project_root, &schema_path(FileKind::Project.name()))?;
    refuse_foreign(project_root)?;
    let mut laid = LaidDown::default();
    for (path, text) in files {
        let is_new = write_new(project_root, &path, with_schema_line(&path, &text).as_bytes())?;
        if is_new { laid.written.push(path) } else { laid.kept.push(path) }
    }
    Ok(laid)
}

/// A file of a project with the line by which editors find its schema; any other as it is.
fn with_schema_line<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let kind = match path.split_once('/') {
        _ if !path.ends_with(".yaml") => None,
        None => (path == "holdpoint.yaml").then_some("project"),
        Some(("cases", _)) => Some("case"),
        Some(("manifests", _)) => text.lines().find_map(|line| line.strip_prefix("kind: ")),
        Some(_) => None,
    };
    let Some(kind) = kind else { return Cow::Borrowed(text) };
    let up = vec![".."; path.matches('/').count()].join("/");
    Cow::Owned(format!("{}\n{text}", schema_line(&up, kind)))
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
