//! A project begun: the repository is looked at, the files are written, and nothing that stands there is touched.

use std::fs;
use std::path::{Path, PathBuf};

use crate::change::{GitErrorKind, GitProject, PathName};
use crate::init::{CI_SYSTEMS, CiSystem, NewFile, Proposal, Start, look, propose};
use crate::manifest::{DiskFiles, FileKind, FileSource as _, load_side};

use super::PipelineError;
use super::new_file::{require_way, write_new};
use super::publish::REPORTS_FOLDER;
use super::schemas::schema_path;

/// The longest file that is read when a repository is looked at, in bytes.
const LONGEST_READ: u64 = 256 * 1024;

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
    /// The paths of what was written and git ignores: no commit takes it, and the gate never sees it.
    pub ignored: Vec<String>,
    /// The system for which a file that runs the gate was written.
    pub ci: Option<CiSystem>,
}

/// Begins a project. Its folder is made where there is none.
///
/// # Errors
/// Where a project stands there already, or files that it could not read, the folder cannot be read, or a file cannot be
/// written.
pub fn init(request: &InitRequest) -> Result<BegunProject, PipelineError> {
    let root = &request.project_root;
    refuse_a_second(root)?;
    let is_new = root.symlink_metadata().is_err();
    if is_new {
        fs::create_dir(root).map_err(failed(root))?;
    }
    let begun = begin(request);
    if begun.is_err() && is_new {
        // It is taken away where it is empty alone; that it stays is no more to say than why nothing began.
        let _ = fs::remove_dir(root);
    }
    begun
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> PipelineError + use<> {
    let path = path.to_owned();
    move |source| PipelineError::NewFile { path, source }
}

fn begin(request: &InitRequest) -> Result<BegunProject, PipelineError> {
    let root = &request.project_root;
    let absolute = fs::canonicalize(root).map_err(failed(root))?;
    let repository = absolute.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned);
    let files = DiskFiles::new(&absolute);
    let paths = files.list("").map_err(|error| failed(root)(std::io::Error::other(error.to_string())))?;
    let mut found = look(&paths, &|path| files.kind(path), &|path| read(&absolute, path));
    let top = repository.as_deref().unwrap_or(&absolute);
    let below = absolute.strip_prefix(top).ok().and_then(Path::to_str).unwrap_or_default();
    let ci = request.ci.unwrap_or_else(|| shown_ci(top));
    let mut notices = std::mem::take(&mut found.notices);
    let reports = files.list(REPORTS_FOLDER).unwrap_or_default();
    if let Some(one) = reports.first() {
        notices.push(format!(
            "{one} lies where holdpoint writes its reports; only what it writes itself is kept out of git there"
        ));
    }
    let name = absolute.file_name().and_then(|name| name.to_str()).unwrap_or("project");
    let proposal = Proposal {
        found: &found,
        name,
        below,
        has_reports: !reports.is_empty(),
        start: request.start.clone(),
        ci: Some(ci),
    };
    let mut begun = BegunProject {
        written: Vec::new(),
        kept: Vec::new(),
        notices,
        in_git: repository.is_some(),
        ignored: Vec::new(),
        ci: None,
    };
    let proposed = propose(&proposal);
    let folder_of = |file: &NewFile| if file.at_repository_root { top } else { &absolute };
    // Nothing is written where something is in the way of anything: a project that is begun by half cannot be begun again.
    proposed.iter().try_for_each(|file| require_way(folder_of(file), &file.path))?;
    require_way(&absolute, &schema_path(FileKind::Project.name()))?;
    refuse_foreign(&absolute)?;
    for file in proposed {
        let folder = folder_of(&file);
        if write_new(folder, &file.path, file.text.as_bytes())? {
            begun.written.push(file);
        } else {
            begun.kept.push(file.path);
        }
    }
    begun.ci = Some(ci).filter(|_| begun.written.iter().any(|file| file.at_repository_root));
    if begun.in_git {
        begun.ignored = ignored(&absolute, &begun.written);
    }
    Ok(begun)
}

/// What git ignores of the files that were written. That git cannot tell is no reason to say so here: the gate will.
fn ignored(absolute: &Path, written: &[NewFile]) -> Vec<String> {
    let project = match GitProject::open(absolute) {
        Ok(project) => Some(project),
        // A repository that ignores the whole folder ignores all that was written into it.
        Err(error) if error.kind == GitErrorKind::Ignored => None,
        Err(_) => return Vec::new(),
    };
    let is_ignored = |file: &&NewFile| {
        let Some(project) = &project else { return !file.at_repository_root };
        let below = if file.at_repository_root { b"".as_slice() } else { project.prefix() };
        project.ignores(&PathName::new([below, file.path.as_bytes()].concat())).unwrap_or(false)
    };
    // Where git ignores a folder of generated files already, it misses nothing in the file that says the same.
    let is_generated = |file: &&NewFile| [".holdpoint/", "reports/"].iter().any(|folder| file.path.starts_with(folder));
    let found = written.iter().filter(|file| !is_generated(file)).filter(is_ignored);
    found.map(|file| file.path.clone()).collect()
}

pub(super) fn refuse_a_second(root: &Path) -> Result<(), PipelineError> {
    let file = root.join("holdpoint.yaml");
    if file.symlink_metadata().is_ok() {
        return Err(PipelineError::Begun(file));
    }
    Ok(())
}

/// Every YAML file below `manifests/` and `cases/` is read as the project's: where another program's lie there, what begins
/// is a project that nothing can run.
pub(super) fn refuse_foreign(root: &Path) -> Result<(), PipelineError> {
    let is_below = |path: &str| ["manifests", "cases"].contains(&path.split('/').next().unwrap_or_default());
    let mut foreign = load_side(&DiskFiles::new(root)).unreadable;
    foreign.retain(|found| is_below(&found.path));
    // They are sorted by path, and one sentence for each file is enough.
    foreign.dedup_by(|later, earlier| later.path == earlier.path);
    if foreign.is_empty() { Ok(()) } else { Err(PipelineError::Foreign(foreign)) }
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
