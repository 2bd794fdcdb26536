//! A project begun: the repository is looked at, the files are written, and nothing that stands there is touched.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::init::{CI_SYSTEMS, CiSystem, NewFile, Proposal, Start, look, propose};
use serde_json::Value;

use crate::domain::OwnKind;
use crate::manifest::{DiskFiles, FileKind, FileSource as _, json_schema, load_side, own_kind_schema};

use super::PipelineError;
use super::new_file::{require_way, write_new};

/// The longest file that is read when a repository is looked at, in bytes.
const LONGEST_READ: u64 = 256 * 1024;

/// The folder into which the schemas go to which the first lines of files point.
const SCHEMAS: &str = ".holdpoint/schemas";

/// What is asked for.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The folder in which the project begins.
    pub project_root: PathBuf,
    /// How the workflow is started.
    pub start: Start,
    /// The system that is to run the gate; what the repository shows where nothing was said.
    pub ci: Option<CiSystem>,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct BegunProject {
    /// What was written.
    pub written: Vec<NewFile>,
    /// The paths of what stood there already and was left as it is.
    pub kept: Vec<String>,
    /// What only a person can write down.
    pub notices: Vec<String>,
    /// Whether the folder lies in a git repository.
    pub in_git: bool,
}

/// Begins a project.
///
/// # Errors
/// Where a project stands there already, the folder cannot be read, or a file cannot be written.
pub fn init(request: &InitRequest) -> Result<BegunProject, PipelineError> {
    let root = &request.project_root;
    refuse_a_second(root)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| PipelineError::Files { path, source }
    };
    let absolute = fs::canonicalize(root).map_err(failed(root))?;
    let repository = absolute.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned);
    let files = DiskFiles::new(&absolute);
    let paths = files.list("").map_err(|error| failed(root)(std::io::Error::other(error.to_string())))?;
    let mut found = look(&paths, &|path| read(&absolute, path));
    let top = repository.as_deref().unwrap_or(&absolute);
    let below = absolute.strip_prefix(top).ok().and_then(Path::to_str).unwrap_or_default();
    let ci = request.ci.unwrap_or_else(|| shown_ci(top));
    let notices = std::mem::take(&mut found.notices);
    let name = absolute.file_name().and_then(|name| name.to_str()).unwrap_or("project");
    let proposal = Proposal { found: &found, name, below, start: request.start.clone(), ci: Some(ci) };
    let mut begun = BegunProject { written: Vec::new(), kept: Vec::new(), notices, in_git: repository.is_some() };
    let proposed = propose(&proposal);
    let folder_of = |file: &NewFile| if file.at_repository_root { top } else { &absolute };
    // Nothing is written where something is in the way of anything: a project that is begun by half cannot be begun again.
    proposed.iter().try_for_each(|file| require_way(folder_of(file), &file.path))?;
    for file in proposed {
        let folder = folder_of(&file);
        if write_new(folder, &file.path, file.text.as_bytes())? {
            begun.written.push(file);
        } else {
            begun.kept.push(file.path);
        }
    }
    write_schemas(&absolute)?;
    Ok(begun)
}

pub(super) fn refuse_a_second(root: &Path) -> Result<(), PipelineError> {
    let file = root.join("holdpoint.yaml");
    if file.symlink_metadata().is_ok() {
        return Err(PipelineError::Begun(file));
    }
    Ok(())
}

/// The system whose files stand at the repository's root, or whose name its remote has; else a script for any.
fn shown_ci(top: &Path) -> CiSystem {
    let files = CI_SYSTEMS.into_iter().find(|system| system.signs().iter().any(|sign| top.join(sign).exists()));
    let settings = || fs::read_to_string(top.join(".git/config")).unwrap_or_default();
    let named =
        || settings().lines().filter_map(|line| line.trim().strip_prefix("url = ")).find_map(CiSystem::of_remote);
    files.or_else(named).unwrap_or(CiSystem::Script)
}

fn read(root: &Path, path: &str) -> Option<String> {
    let path = root.join(path);
    let metadata = path.symlink_metadata().ok()?;
    let is_small = metadata.is_file() && metadata.len() <= LONGEST_READ;
    is_small.then(|| fs::read_to_string(path).ok()).flatten()
}

/// The schemas of the manifests of kinds that the project declares, by kind, as far as its project file can be read.
pub fn own_kind_schemas(project_root: &Path) -> BTreeMap<String, Value> {
    let file = load_side(&DiskFiles::new(project_root)).project_file;
    let kinds = file.map(|file| file.kinds).unwrap_or_default();
    // The name becomes a file's; the project file may still hold one that `holdpoint check` refuses.
    let named = kinds.into_iter().filter(|(name, _)| name.parse::<OwnKind>().is_ok());
    named.map(|(name, spec)| (name.clone(), own_kind_schema(&name, &spec))).collect()
}

/// Writes the schema of every kind of file of a project into its folder for generated files, anew each time: editors
/// find them by the first lines of files. Answers with the folder.
///
/// # Errors
/// When they cannot be written.
pub fn write_schemas(project_root: &Path) -> Result<PathBuf, PipelineError> {
    let folder = project_root.join(SCHEMAS);
    let failed = |source| PipelineError::Files { path: folder.clone(), source };
    fs::create_dir_all(&folder).map_err(failed)?;
    let built_in = FileKind::ALL.into_iter().map(|kind| (kind.name().to_owned(), json_schema(kind).clone()));
    for (name, schema) in built_in.chain(own_kind_schemas(project_root)) {
        let text = serde_json::to_string_pretty(&schema).map_err(std::io::Error::from).map_err(failed)?;
        // An editor may read at any moment: a file is whole or the one before.
        let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.persist(folder.join(format!("{name}.json"))).map_err(|error| failed(error.error))?;
    }
    Ok(folder)
}
