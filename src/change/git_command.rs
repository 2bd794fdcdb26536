//! The git command's answers, for repositories that the git library refuses. Arguments go as a list, never through a
//! shell; names come back between NUL bytes, so that no quoting setting matters.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::git::{Commit, Removed, Store, WorkingTree};
use super::git_error::{GitError, GitErrorKind};
use super::git_rewritten::checked_out_as;
use super::git_status::{StatusRecord, parse_index, parse_status, parse_tree};
use super::listing::{Entry, EntryMode, Listing, ObjectId};
use super::path_name::PathName;

/// What git reads from its environment and what a hook or a CI step may have left there.
const CLEARED: [&str; 31] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_WORK_TREE",
];

/// So many paths go to one `git hash-object`, well below any limit on arguments.
const PATHS_A_CALL: usize = 200;

/// A repository that is read through the git command.
pub(super) struct CommandStore {
    top: PathBuf,
    shallow: bool,
    blobs: Mutex<Option<BlobReader>>,
}

impl CommandStore {
    /// Finds the repository around a folder.
    pub(super) fn open(folder: &Path) -> Result<Self, GitError> {
        let what = format!("the repository of `{}` cannot be opened", folder.display());
        let ask = |question: &str| run(folder, &["rev-parse", question], &what).map(without_line_end);
        if ask("--is-bare-repository")? == b"true" {
            return Err(GitError::new(GitErrorKind::Bare, what, "the repository is bare"));
        }
        let top = PathBuf::from(OsString::from_vec(ask("--show-toplevel")?));
        let top =
            top.canonicalize().map_err(|error| GitError::new(GitErrorKind::Other, what.clone(), &error.to_string()))?;
        let shallow = ask("--is-shallow-repository")? == b"true";
        Ok(Self { top, shallow, blobs: Mutex::new(None) })
    }

    fn git(&self, arguments: &[&str], what: &str) -> Result<Vec<u8>, GitError> {
        run(&self.top, arguments, what)
    }

    fn time_of(&self, commit: ObjectId) -> Result<i64, GitError> {
        let what = format!("the commit {} cannot be read", commit.short());
        let answer = self.git(&["rev-list", "--timestamp", "--max-count=1", &commit.to_string()], &what)?;
        let answer = String::from_utf8_lossy(&answer);
        let seconds = answer.split_whitespace().next().and_then(|word| word.parse().ok());
        seconds.ok_or_else(|| GitError::new(GitErrorKind::Other, what, &answer))
    }

    /// The names that git would give to files on disk, after its filters.
    fn hash_files(&self, paths: &[PathName]) -> Result<Vec<ObjectId>, GitError> {
        let what = "edited files cannot be hashed";
        let mut ids = Vec::with_capacity(paths.len());
        for chunk in paths.chunks(PATHS_A_CALL) {
            let mut command = command(&self.top);
            command.args(["hash-object", "--"]).args(chunk.iter().map(PathName::as_path));
            ids.extend(object_ids(&finish(&mut command, what)?));
        }
        if ids.len() == paths.len() {
            return Ok(ids);
        }
        Err(GitError::new(GitErrorKind::Other, what, "fewer names than files"))
    }

    /// Replaces what the index says of the paths in `records` by what stands on disk.
    fn overlay(
        &self,
        mut files: BTreeMap<PathName, Entry>,
        records: Vec<StatusRecord>,
    ) -> Result<WorkingTree, GitError> {
        let mut uncommitted = BTreeSet::new();
        let mut to_hash = Vec::new();
        for record in records {
            let known = files.remove(&record.path);
            match self.kind_on_disk(&record, known) {
                None => {}
                Some(mode) if mode.is_file() => to_hash.push((record.path, mode)),
                Some(mode) => {
                    let id = self.unhashed_id(&record, mode)?;
                    uncommitted.insert(record.path.clone());
                    files.insert(record.path, Entry { mode, id });
                }
            }
        }
        let paths: Vec<PathName> = to_hash.iter().map(|(path, _)| path.clone()).collect();
        for ((path, mode), id) in to_hash.into_iter().zip(self.hash_files(&paths)?) {
            files.insert(path.clone(), Entry { mode, id });
            uncommitted.insert(path);
        }
        self.see_what_stands_there(&mut files, &mut uncommitted)?;
        Ok(WorkingTree { listing: Listing::new(files.into_iter().collect()), uncommitted })
    }

    /// Replaces what git would commit by what stands on disk, for the paths whose content it rewrites on the way.
    fn see_what_stands_there(
        &self,
        files: &mut BTreeMap<PathName, Entry>,
        uncommitted: &mut BTreeSet<PathName>,
    ) -> Result<(), GitError> {
        for path in self.rewritten(files.keys())? {
            let full = self.top.join(path.as_path());
            let Some(entry) = files.get(&path).copied().filter(|entry| entry.mode.is_file()) else { continue };
            let what = format!("`{path}` cannot be read");
            // Whoever opens a pipe that has taken the file's place waits for ever.
            if !full.symlink_metadata().is_ok_and(|found| found.is_file()) {
                continue;
            }
            // A sparse checkout leaves files out on purpose: they are as committed.
            let Ok(content) = std::fs::read(&full) else { continue };
            let known = self.blob(entry.id).ok();
            if known.is_some_and(|known| checked_out_as(&known, entry.id, &content)) {
                continue;
            }
            let answer = run_with_input(&self.top, &["hash-object", "--no-filters", "--stdin"], &content, &what)?;
            let id = object_ids(&answer).pop().ok_or_else(|| GitError::new(GitErrorKind::Other, what, "no name"))?;
            if id != entry.id {
                files.insert(path.clone(), Entry { id, ..entry });
                uncommitted.insert(path);
            }
        }
        Ok(())
    }

    /// The paths with a filter of the project's, or with git's own mark.
    fn rewritten<'p>(&self, paths: impl Iterator<Item = &'p PathName>) -> Result<Vec<PathName>, GitError> {
        let mut input = Vec::new();
        for path in paths {
            input.extend_from_slice(path.as_bytes());
            input.push(0);
        }
        let what = "the attributes of files cannot be read";
        let answer = run_with_input(&self.top, &["check-attr", "-z", "--stdin", "filter", "ident"], &input, what)?;
        let fields: Vec<&[u8]> = answer.split(|byte| *byte == 0).collect();
        let is_set = |name: &[u8], value: &[u8]| match name {
            b"filter" => !matches!(value, b"unspecified" | b"unset" | b"set"),
            _ => value == b"set",
        };
        let set = fields.chunks_exact(3).filter(|record| is_set(record[1], record[2]));
        let mut paths: Vec<PathName> = set.map(|record| PathName::new(record[0].to_vec())).collect();
        paths.dedup();
        Ok(paths)
    }

    fn kind_on_disk(&self, record: &StatusRecord, known: Option<Entry>) -> Option<EntryMode> {
        let metadata = self.top.join(record.path.as_path()).symlink_metadata().ok()?;
        if metadata.is_symlink() {
            Some(EntryMode::Symlink)
        } else if metadata.is_dir() {
            let is_submodule = known.is_some_and(|entry| entry.mode == EntryMode::Submodule) || record.is_folder;
            is_submodule.then_some(EntryMode::Submodule)
        } else if !metadata.is_file() {
            // A pipe or a socket is nothing that git would commit, and hashing it would wait for ever.
            None
        } else {
            record.mode.filter(|mode| mode.is_file()).or_else(|| Some(mode_of(&metadata)))
        }
    }

    /// A link's name is that of its target; an edited submodule's is one that no commit has.
    fn unhashed_id(&self, record: &StatusRecord, mode: EntryMode) -> Result<ObjectId, GitError> {
        let full = self.top.join(record.path.as_path());
        let content = match mode {
            EntryMode::Symlink => std::fs::read_link(&full).map(|target| target.into_os_string().into_vec()),
            _ => Ok(format!("edited submodule {}", record.path).into_bytes()),
        };
        let what = format!("`{}` cannot be read", record.path);
        let content = content.map_err(|error| GitError::new(GitErrorKind::Other, what.clone(), &error.to_string()))?;
        let answer = run_with_input(&self.top, &["hash-object", "--stdin"], &content, &what)?;
        object_ids(&answer).pop().ok_or_else(|| GitError::new(GitErrorKind::Other, what, "no name"))
    }
}

impl Store for CommandStore {
    fn top(&self) -> &Path {
        &self.top
    }

    fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        let what = format!("`{revision}` names no commit");
        let spec = format!("{revision}^{{commit}}");
        let answer = self.git(&["rev-parse", "--verify", "--end-of-options", &spec], &what).map_err(|error| {
            if error.kind == GitErrorKind::Other { error.with_kind(GitErrorKind::Revision) } else { error }
        })?;
        let id = object_ids(&answer)
            .pop()
            .ok_or_else(|| GitError::new(GitErrorKind::Revision, what, &String::from_utf8_lossy(&answer)))?;
        Ok(Commit { id, seconds: self.time_of(id)? })
    }

    fn head(&self) -> Result<Option<Commit>, GitError> {
        let unborn = self.git(&["rev-parse", "--verify", "--quiet", "HEAD"], "HEAD cannot be read").is_err();
        if unborn { Ok(None) } else { self.commit("HEAD").map(Some) }
    }

    fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        let what = format!("{} and {} have no common commit", one.short(), other.short());
        let found = self.git(&["merge-base", "--all", &one.to_string(), &other.to_string()], &what);
        // Without any common commit the command says nothing at all and ends 1.
        let no_base = || GitError::new(GitErrorKind::NoMergeBase, what.clone(), "no merge base found");
        match found {
            Ok(answer) => Some(object_ids(&answer)).filter(|bases| !bases.is_empty()).ok_or_else(no_base),
            Err(error) if error.words.is_empty() => Err(no_base()),
            Err(error) => Err(error),
        }
    }

    fn is_shallow(&self) -> bool {
        self.shallow
    }

    fn tree(&self, commit: ObjectId) -> Result<Listing, GitError> {
        let what = format!("the files of {} cannot be listed", commit.short());
        let answer = self.git(&["ls-tree", "-r", "-z", "--full-tree", &commit.to_string()], &what)?;
        parse_tree(&answer).ok_or_else(|| GitError::new(GitErrorKind::Other, what, "an answer of an unknown form"))
    }

    fn working_tree(&self) -> Result<WorkingTree, GitError> {
        let what = "the working tree cannot be read";
        let index = self.git(&["ls-files", "--stage", "-z", "--full-name"], what)?;
        let status = self.git(
            &["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none"],
            what,
        )?;
        let (files, records) = parse_index(&index)
            .zip(parse_status(&status))
            .ok_or_else(|| GitError::new(GitErrorKind::Other, what, "an answer of an unknown form"))?;
        self.overlay(files, records)
    }

    fn blob(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        let what = format!("the content {} cannot be read", id.short());
        let failed = |words: &str| GitError::new(GitErrorKind::Other, what.clone(), words);
        let mut slot = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = match &mut *slot {
            Some(reader) => reader,
            None => slot.insert(BlobReader::start(&self.top).map_err(|error| failed(&error.to_string()))?),
        };
        match reader.read(id) {
            Ok(Some(content)) => Ok(content),
            Ok(None) => Err(GitError::new(GitErrorKind::MissingObject, what, "missing")),
            Err(error) => {
                // What is left in the pipe belongs to no question any more.
                *slot = None;
                Err(failed(&error.to_string()))
            }
        }
    }

    fn removed_from(&self, head: ObjectId, folder: &PathName, _commits: usize) -> Result<Removed, GitError> {
        let what = format!("the history of {} cannot be read", head.short());
        let mut command = command(&self.top);
        // What a partial clone does not have is not fetched for this: a whole history could be.
        command.env("GIT_NO_LAZY_FETCH", "1").args(["--literal-pathspecs", "log", "--full-history", "-m"]);
        command.args(["--no-renames", "--diff-filter=D", "--name-only", "--format=", "-z", &head.to_string(), "--"]);
        let answer = match finish(command.arg(folder.as_path()), &what) {
            Ok(answer) => answer,
            Err(error) if error.kind == GitErrorKind::NoCommand => return Err(error),
            Err(_) => return Ok(Removed::default()),
        };
        let below = [folder.as_bytes(), b"/"].concat();
        let paths = answer.split(|byte| *byte == 0);
        let names = paths.filter_map(|path| path.strip_prefix(below.as_slice())).filter(|name| !name.contains(&b'/'));
        Ok(Removed { names: names.map(|name| PathName::new(name.to_vec())).collect(), is_whole: true })
    }

    fn first_parent(&self, commit: ObjectId) -> Result<Option<Commit>, GitError> {
        let what = format!("the commit before {} cannot be read", commit.short());
        let answer = self.git(&["rev-list", "--max-count=1", "--parents", &commit.to_string()], &what)?;
        let line = String::from_utf8_lossy(&answer).into_owned();
        let Some(parent) = line.split_whitespace().nth(1) else { return Ok(None) };
        self.commit(parent).map(Some)
    }

    fn ignores(&self, path: &Path) -> Result<bool, GitError> {
        let mut command = command(&self.top);
        command.args(["check-ignore", "--quiet", "--"]).arg(path);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.map(|status| status.success()).map_err(|error| cannot_start("the ignore rules cannot be read", &error))
    }
}

fn mode_of(metadata: &std::fs::Metadata) -> EntryMode {
    use std::os::unix::fs::PermissionsExt;
    if metadata.permissions().mode() & 0o100 != 0 { EntryMode::Executable } else { EntryMode::Regular }
}

fn without_line_end(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    bytes
}

fn object_ids(answer: &[u8]) -> Vec<ObjectId> {
    String::from_utf8_lossy(answer).lines().filter_map(ObjectId::from_hex).collect()
}

/// `git`, started in `folder`, that reads nothing a hook left behind, asks nobody, starts no monitor and takes no lock.
fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for name in CLEARED {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
    command.arg("--no-pager").args(["-c", "core.fsmonitor=false"]);
    // What looks as old and as long as before may be another text all the same.
    command.args(["-c", "core.trustctime=true", "-c", "core.checkStat=default", "-C"]).arg(folder);
    command
}

fn run(folder: &Path, arguments: &[&str], what: &str) -> Result<Vec<u8>, GitError> {
    finish(command(folder).args(arguments), what)
}

fn finish(command: &mut Command, what: &str) -> Result<Vec<u8>, GitError> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| cannot_start(what, &error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let kind = if words.contains("dubious ownership") {
        GitErrorKind::Owner
    } else if words.contains("not a git repository") {
        GitErrorKind::NoRepository
    } else {
        GitErrorKind::Other
    };
    Err(GitError::new(kind, what, words.trim_start_matches("fatal: ")))
}

fn run_with_input(folder: &Path, arguments: &[&str], input: &[u8], what: &str) -> Result<Vec<u8>, GitError> {
    let mut command = command(folder);
    command.args(arguments.iter().map(OsStr::new)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| cannot_start(what, &error))?;
    let stdin = child.stdin.take();
    // Written from beside: a command that answers while it reads would else wait for a reader of its answers.
    let output = std::thread::scope(|scope| {
        let writing = scope.spawn(move || stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input)));
        let output = child.wait_with_output();
        let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        output.and_then(|output| written.map(|()| output))
    });
    let output = output.map_err(|error| GitError::new(GitErrorKind::Other, what, &error.to_string()))?;
    Ok(output.stdout)
}

fn cannot_start(what: &str, error: &std::io::Error) -> GitError {
    let kind = if error.kind() == std::io::ErrorKind::NotFound { GitErrorKind::NoCommand } else { GitErrorKind::Other };
    GitError::new(kind, what, &error.to_string())
}

/// One `git cat-file --batch` that answers question after question.
struct BlobReader {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl BlobReader {
    fn start(folder: &Path) -> std::io::Result<Self> {
        let mut command = command(folder);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(questions), Some(answers)) => Ok(Self { child, questions, answers: BufReader::new(answers) }),
            _ => Err(std::io::Error::other("no pipes")),
        }
    }

    /// The bytes of an object, `None` where git says that it is missing.
    fn read(&mut self, id: ObjectId) -> std::io::Result<Option<Vec<u8>>> {
        writeln!(self.questions, "{id}")?;
        self.questions.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let words: Vec<&str> = header.split_whitespace().collect();
        let [_, "blob", size] = words[..] else {
            return if header.trim_end().ends_with(" missing") { Ok(None) } else { Err(std::io::Error::other(header)) };
        };
        let size: usize = size.parse().map_err(std::io::Error::other)?;
        let mut content = vec![0; size + 1];
        self.answers.read_exact(&mut content)?;
        content.pop();
        Ok(Some(content))
    }
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        // Nothing that it could still say is wanted; a process that cannot be ended has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hook_or_a_ci_step_left_in_the_environment_does_not_reach_git() {
        let command = command(Path::new("/project"));
        let cleared: Vec<&OsStr> =
            command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"] {
            assert!(cleared.contains(&OsStr::new(name)), "{name}");
        }
    }
}
