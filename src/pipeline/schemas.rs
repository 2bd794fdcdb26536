//! The schemas to which the first lines of a project's files lead editors.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::domain::OwnKind;
use crate::manifest::{DiskFiles, FileKind, json_schema, load_project_file, own_kind_schema};

use super::PipelineError;
use super::new_file::{require_way, write_new};
use super::publish::write_whole;

/// The folder into which they go.
const SCHEMAS: &str = ".holdpoint/schemas";

/// What becomes of a schema that stands there with another content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// It is left as it is.
    Keep,
    /// It is written anew where it is a schema of the same kind, as another version wrote it; anything else is left as it is.
    Renew,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSchemas {
    /// The folder.
    pub folder: PathBuf,
    /// The paths of what stands there with another content and was left as it is, relative to the project's folder.
    pub left: Vec<String>,
}

/// The path of the schema of a kind of file, below the project's folder.
pub(super) fn schema_path(kind: &str) -> String {
    format!("{SCHEMAS}/{kind}.json")
}

/// The schemas of the manifests of kinds that the project declares, by kind, as far as its project file can be read.
pub fn own_kind_schemas(project_root: &Path) -> BTreeMap<String, Value> {
    let file = load_project_file(&DiskFiles::new(project_root));
    let kinds = file.map(|file| file.kinds).unwrap_or_default();
    // The name becomes a file's; the project file may still hold one that `holdpoint check` refuses.
    let named = kinds.into_iter().filter(|(name, _)| name.parse::<OwnKind>().is_ok());
    named.map(|(name, spec)| (name.clone(), own_kind_schema(&name, &spec))).collect()
}

/// Writes the schema of every kind of file of a project into its folder for generated files, where editors find them by the
/// first lines of files. What holdpoint did not write is never touched.
///
/// # Errors
/// When they cannot be written.
pub fn write_schemas(project_root: &Path, renewal: Renewal) -> Result<WrittenSchemas, PipelineError> {
    let mut done = WrittenSchemas { folder: project_root.join(SCHEMAS), left: Vec::new() };
    let built_in = FileKind::ALL.into_iter().map(|kind| (kind.name().to_owned(), json_schema(kind).clone()));
    for (name, schema) in built_in.chain(own_kind_schemas(project_root)) {
        let path = schema_path(&name);
        let whole = project_root.join(&path);
        let failed = |source| PipelineError::NewFile { path: whole.clone(), source };
        let text = serde_json::to_string_pretty(&schema).map_err(std::io::Error::from).map_err(failed)?;
        if write_new(project_root, &path, text.as_bytes())? {
            continue;
        }
        // A link leads to what is not the project's.
        let is_file = whole.symlink_metadata().is_ok_and(|found| found.is_file());
        let there = if is_file { fs::read_to_string(&whole).unwrap_or_default() } else { String::new() };
        if there.trim_end() == text {
            continue;
        }
        if renewal == Renewal::Renew && is_file && is_another_version(&there, &schema) {
            require_way(project_root, &path)?;
            // An editor may read at any moment: a file is whole or the one before.
            write_whole(&whole, &text).map_err(failed)?;
        } else {
            done.left.push(path);
        }
    }
    Ok(done)
}

/// Whether a text is a schema of the same dialect and title.
fn is_another_version(there: &str, schema: &Value) -> bool {
    let Ok(there) = serde_json::from_str::<Value>(there) else { return false };
    ["$schema", "title"].iter().all(|key| there.get(key).is_some() && there.get(key) == schema.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_there_is_left_unless_it_is_a_schema_of_the_same_kind_and_was_to_be_renewed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(schema_path(name));
        assert_eq!(write_schemas(folder.path(), Renewal::Keep).unwrap().left, [""; 0]);
        let whole = fs::read_to_string(at("case")).unwrap();
        let earlier = whole.replacen("\"description\"", "\"$comment\"", 1);
        assert_ne!(earlier, whole);
        fs::write(at("case"), &earlier).unwrap();
        fs::write(at("project"), "{\"title\": \"mine\"}").unwrap();
        fs::remove_file(at("tool")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), at("tool")).unwrap();
        let kept = write_schemas(folder.path(), Renewal::Keep).unwrap();
        assert_eq!(kept.left, [schema_path("project"), schema_path("case"), schema_path("tool")]);
        assert_eq!(fs::read_to_string(at("case")).unwrap(), earlier);
        let renewed = write_schemas(folder.path(), Renewal::Renew).unwrap();
        assert_eq!(renewed.left, [schema_path("project"), schema_path("tool")]);
        assert_eq!(fs::read_to_string(at("case")).unwrap(), whole);
        assert_eq!(fs::read_to_string(at("project")).unwrap(), "{\"title\": \"mine\"}");
        assert!(!folder.path().join("elsewhere").exists(), "no link is written through");
    }

    #[test]
    fn no_link_is_followed_on_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join(".holdpoint")).unwrap();
        assert!(write_schemas(folder.path(), Renewal::Renew).is_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
