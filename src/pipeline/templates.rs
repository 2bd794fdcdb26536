//! The project's own templates, read from the folder that holds them and from nowhere else.

use std::fs;
use std::path::Path;

use crate::report::{CustomTemplate, TEMPLATES_FOLDER};

use super::PipelineError;

/// Bytes of all templates together at the most.
const MOST_BYTES: usize = 4_000_000;

/// The folder in which a project's templates could be mistaken for the shipped ones.
const SHIPPED: &str = "holdpoint";

/// The templates of the project in `root`, by name; none where it has no such folder. Files that do not end in `.html`
/// are no templates. Links are not followed: what they lead to may lie anywhere.
///
/// # Errors
/// When one cannot be read, is no UTF-8, lies in a folder called `holdpoint`, or they are too large together.
pub(super) fn project_templates(root: &Path) -> Result<Vec<CustomTemplate>, PipelineError> {
    let folder = root.join(TEMPLATES_FOLDER);
    let mut found = Vec::new();
    if folder.is_dir() && !folder.is_symlink() {
        collect(&folder, "", &mut found)?;
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<CustomTemplate>) -> Result<(), PipelineError> {
    let failed = |path: &Path, source| PipelineError::Files { path: path.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let entry = entry.map_err(|error| failed(folder, error))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(|error| failed(folder, error))?);
        let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else { continue };
        if kind.is_dir() {
            if name == SHIPPED {
                let why = "the shipped templates go by this name; call the folder otherwise";
                return Err(failed(&path, std::io::Error::other(why)));
            }
            collect(&path, &format!("{name}/"), found)?;
        } else if kind.is_file() && name.ends_with(".html") {
            let source = fs::read_to_string(&path).map_err(|error| failed(&path, error))?;
            let bytes = found.iter().map(|template| template.source.len()).sum::<usize>() + source.len();
            if bytes > MOST_BYTES {
                return Err(failed(&path, std::io::Error::other("the templates together are larger than 4 MB")));
            }
            found.push(CustomTemplate { name, source });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_html_files_of_the_folder_itself_are_templates() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(project_templates(root.path()).unwrap(), []);
        let folder = root.path().join("templates");
        fs::create_dir_all(folder.join("parts")).unwrap();
        fs::write(root.path().join("secret.html"), "secret").unwrap();
        fs::write(folder.join("report.html"), "a").unwrap();
        fs::write(folder.join("parts/foot.html"), "b").unwrap();
        fs::write(folder.join("notes.md"), "c").unwrap();
        std::os::unix::fs::symlink("../secret.html", folder.join("link.html")).unwrap();
        std::os::unix::fs::symlink("..", folder.join("up")).unwrap();
        let names: Vec<String> =
            project_templates(root.path()).unwrap().into_iter().map(|template| template.name).collect();
        assert_eq!(names, ["parts/foot.html", "report.html"]);
    }

    #[test]
    fn a_folder_that_goes_by_the_name_of_the_shipped_ones_is_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("templates/holdpoint")).unwrap();
        let error = project_templates(root.path()).unwrap_err();
        assert!(error.to_string().contains("call the folder otherwise"), "{error}");
    }
}
