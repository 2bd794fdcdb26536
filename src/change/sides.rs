//! The two sides of a comparison, from what was asked for to the set of changes.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::domain::Digest;
use crate::manifest::{DiskFiles, EarlierCases, FileSource, Project};

use super::base::{Base, BaseSearch};
use super::base_contents::load_base;
use super::compare::{Differences, compare_sides, file_change};
use super::git::{Commit, GitProject, Removed};
use super::git_disk::list_disk;
use super::git_error::GitError;
use super::git_files::{GitTreeFiles, WorkingTreeFiles};
use super::listing::{Entry, Listing, PathChange, diff_listings};
use super::model::{BaseFile, BaseKind, Change, ChangeKind, ChangeSet, Direction, Side, Snapshot};
use super::path_name::PathName;
use super::path_rules::{PathRules, is_written};
use super::snapshot::{compare_snapshots, inert_digest, rest_digests};
use super::unseen_code::{UnseenFile, unseen_code};

/// So many files of declared code that git does not show are told at the most: one is enough to select everything.
const SHOWN_UNSEEN: usize = 50;

/// What to compare.
#[derive(Clone, Copy, Debug)]
pub struct SidesRequest<'a> {
    /// The project's folder.
    pub project_root: &'a Path,
    /// The revision to hold the head against, through the merge base of both.
    pub base: Option<&'a str>,
    /// The revision to look at; by default the working tree.
    pub head: Option<&'a str>,
    /// The environment, for the variables in which CI systems name a target branch, and those that say where a user's
    /// settings of git lie.
    pub environment: &'a BTreeMap<String, String>,
    /// Whether a baseline with a snapshot was ever accepted.
    pub has_accepted: bool,
}

/// The head cannot be had. A base that cannot be had is no error: it selects everything.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The head that was asked for.
    #[error("the head `{revision}` cannot be had: {reason}")]
    Head {
        /// As it was given.
        revision: String,
        /// Git's own reason.
        reason: GitError,
    },
    /// The head's files.
    #[error("the files of the head cannot be read: {0}")]
    Files(String),
    /// The head could not be written out.
    #[error("the head cannot be written into `{}`: {reason}", folder.display())]
    Export {
        /// Where to.
        folder: PathBuf,
        /// Git's own reason.
        reason: GitError,
    },
}

impl ChangeError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Head { reason, .. } | Self::Export { reason, .. } => reason.hint.as_deref(),
            Self::Files(_) => None,
        }
    }
}

/// Names that a folder had earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierNames {
    /// The names.
    pub names: BTreeSet<String>,
    /// How much of the history was looked at.
    pub reach: HistoryReach,
}

/// How far back a look into the history went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryReach {
    /// To its beginning.
    Whole,
    /// Not to the end, for it is too long.
    Part,
    /// As far as a shallow clone has it.
    Shallow,
    /// There is no repository.
    None,
}

/// The two sides, found.
pub struct Sides {
    root: PathBuf,
    git: Option<GitProject>,
    head: Head,
    base: Base,
}

struct Head {
    side: Side,
    files: Box<dyn FileSource>,
    /// The whole repository's files; `None` without git.
    listing: Option<Listing>,
    /// Without git the files on disk, as they stood when the head was found, or why they cannot be read.
    disk: Option<Result<Listing, String>>,
    /// The revision's commit; for a working tree the one that is checked out.
    commit: Option<Commit>,
    is_working_tree: bool,
    /// A commit that is only looked at: nothing of it runs, whatever is checked out.
    is_history: bool,
}

/// The head alone, before it is known what it is held against.
pub struct FoundHead {
    git: Result<GitProject, GitError>,
    head: Head,
}

impl FoundHead {
    /// Finds the head. What the request says of a base and of what was accepted plays no part yet.
    ///
    /// # Errors
    /// When a head was asked for that cannot be had.
    pub fn find(request: SidesRequest<'_>) -> Result<Self, ChangeError> {
        let mut git = GitProject::open_within(request.project_root, request.environment);
        let head = match request.head {
            Some(revision) => revision_head(&git, revision)?,
            None => working_head(&mut git, request.project_root),
        };
        Ok(Self { git, head })
    }

    /// The head's files.
    pub fn files(&self) -> &dyn FileSource {
        self.head.files.as_ref()
    }

    /// Finds the base for it.
    pub fn against_base(self, request: SidesRequest<'_>) -> Sides {
        let search = BaseSearch {
            git: self.git.as_ref(),
            head: self.head.commit,
            asked: request.base,
            environment: request.environment,
            has_accepted: request.has_accepted,
        };
        let base = search.find();
        Sides { root: request.project_root.to_owned(), git: self.git.ok(), head: self.head, base }
    }
}

impl Sides {
    /// Finds head and base.
    ///
    /// # Errors
    /// When a head was asked for that cannot be had.
    pub fn resolve(request: SidesRequest<'_>) -> Result<Self, ChangeError> {
        Ok(FoundHead::find(request)?.against_base(request))
    }

    /// A commit against another one before it, to look at and not to run: the working tree plays no part.
    ///
    /// # Errors
    /// When the files of one of them cannot be listed.
    pub fn between(root: &Path, git: &GitProject, base: Commit, head: Commit) -> Result<Self, ChangeError> {
        let failed = |reason: GitError| ChangeError::Files(reason.sentence());
        let side = |commit: Commit| {
            let id = commit.id.to_string();
            Side { name: commit.id.short(), commit: Some(id), note: None }
        };
        let base_listing = git.tree(base.id).map_err(failed)?;
        let listing = git.tree(head.id).map_err(failed)?;
        let kind = BaseKind::Revisions(vec![base.id.to_string()]);
        Ok(Self {
            root: root.to_owned(),
            git: Some(git.clone()),
            head: Head {
                side: side(head),
                files: Box::new(GitTreeFiles::new(git, &listing)),
                listing: Some(listing),
                disk: None,
                commit: Some(head),
                is_working_tree: false,
                is_history: true,
            },
            base: Base { side: side(base), kind, listings: vec![base_listing] },
        })
    }

    /// The head's files, to load the project from.
    pub fn head_files(&self) -> &dyn FileSource {
        self.head.files.as_ref()
    }

    /// The head.
    pub fn head(&self) -> &Side {
        &self.head.side
    }

    /// The base.
    pub fn base(&self) -> &Side {
        &self.base.side
    }

    /// What the base is.
    pub fn base_kind(&self) -> &BaseKind {
        &self.base.kind
    }

    /// All that differs between the base and the head, whose project has been loaded from [`Self::head_files`].
    /// `accepted` is the snapshot that the baseline recorded. Where there is no base, the set is empty and its
    /// `base_kind` says why: everything is selected.
    ///
    /// # Errors
    /// When the head's files cannot be listed.
    pub fn changes(&self, project: &Project, accepted: Option<&Snapshot>) -> Result<ChangeSet, ChangeError> {
        let mut kind = self.base.kind.clone();
        let (mut outside, mut base_files) = (BTreeSet::new(), Vec::new());
        let mut differences = match (&kind, accepted) {
            (BaseKind::None(_), _) => Differences::default(),
            (BaseKind::Baseline, Some(snapshot)) => compare_snapshots(snapshot, &self.snapshot(project)?),
            (BaseKind::Baseline, None) => {
                kind = BaseKind::None("the accepted baseline recorded no parts to compare with".to_owned());
                Differences::default()
            }
            (BaseKind::Revisions(_), _) => self.compare_revisions(project, &mut outside, &mut base_files)?,
        };
        differences.settle();
        Ok(ChangeSet {
            base: self.base.side.clone(),
            base_kind: kind,
            head: self.head.side.clone(),
            base_files,
            changes: differences.changes,
            cases: differences.cases,
            bumps_without_change: differences.bumps_without_change.into_iter().collect(),
            changes_without_bump: differences.changes_without_bump.into_iter().collect(),
            outside_project: outside.len(),
        })
    }

    fn compare_revisions(
        &self,
        project: &Project,
        outside: &mut BTreeSet<PathName>,
        base_files: &mut Vec<BaseFile>,
    ) -> Result<Differences, ChangeError> {
        let mut differences = Differences::default();
        let (Some(git), Some(head)) = (&self.git, &self.head.listing) else { return Ok(differences) };
        let unseen = self.unseen_code(project)?;
        let head_cases = EarlierCases::of(self.head_files(), project);
        for listing in &self.base.listings {
            let mut inside = Vec::new();
            for change in diff_listings(listing, head) {
                match change.path.below(git.prefix()) {
                    Some(path) => inside.push(PathChange { path, ..change }),
                    None => {
                        outside.insert(change.path);
                    }
                }
            }
            let base = load_base(&GitTreeFiles::new(git, listing), &head_cases);
            base_files.push(BaseFile::of(base.contents().project_file));
            differences.unite(compare_sides(base.contents(), project, &inside));
            differences.changes.extend(self.unseen_changes(&unseen, listing, head));
        }
        Ok(differences)
    }

    /// Declared code that the head's listing does not show and that the head will run with.
    fn unseen_code(&self, project: &Project) -> Result<Vec<UnseenFile>, ChangeError> {
        if self.head.is_history {
            return Ok(Vec::new());
        }
        let found = unseen_code(&self.root, &self.listing()?, &PathRules::of(project));
        // Whether the head is what is checked out takes a look at every file, so it is asked only where it matters.
        if matches!(&found, Ok(files) if files.is_empty()) || !self.runs_in_place() {
            return Ok(Vec::new());
        }
        found.map_err(|error| ChangeError::Files(error.to_string()))
    }

    fn runs_in_place(&self) -> bool {
        self.head.is_working_tree
            || match (&self.git, self.head.commit) {
                (Some(git), Some(commit)) => git.head_is_working_tree(&commit.id.to_string()).unwrap_or(true),
                _ => true,
            }
    }

    /// Nothing is known of what git ignores at the base, so it counts as added; what git has behind a link is compared
    /// where it really stands.
    fn unseen_changes(&self, unseen: &[UnseenFile], base: &Listing, head: &Listing) -> Vec<Change> {
        let is_same = |file: &&UnseenFile| {
            let real = self.in_repository(&file.real);
            let tracked = real.and_then(|path| Some((base.get(path.as_bytes())?, head.get(path.as_bytes())?)));
            tracked.is_some_and(|(old, new)| old == new && new.mode.is_file())
        };
        let changed = unseen.iter().filter(|file| !is_same(file)).take(SHOWN_UNSEEN);
        changed.map(|file| file_change(ChangeKind::Code, &file.path, Direction::Added, None, None)).collect()
    }

    fn in_repository(&self, real: &Path) -> Option<PathName> {
        let top = self.git.as_ref()?.store().top().canonicalize().ok()?;
        Some(PathName::new(real.strip_prefix(top).ok()?.as_os_str().as_bytes()))
    }

    /// The head's snapshot, for a baseline to record.
    ///
    /// # Errors
    /// When the head's files cannot be listed.
    pub fn snapshot(&self, project: &Project) -> Result<Snapshot, ChangeError> {
        let mut entries: Vec<(PathName, Entry)> =
            self.listing()?.iter().map(|(path, entry)| (path.clone(), *entry)).collect();
        for file in self.unseen_code(project)? {
            let real = self.in_repository(&file.real);
            let tracked = real.and_then(|path| self.head.listing.as_ref()?.get(path.as_bytes()));
            entries.push((file.path, tracked.copied().unwrap_or(file.entry)));
        }
        Ok(Snapshot::of(project, rest_digests(&Listing::new(entries), project)))
    }

    /// The digest of the head's inert files, which no snapshot holds: a result speaks of a state with its inert files alone.
    ///
    /// # Errors
    /// When the head's files cannot be listed.
    pub fn inert(&self, project: &Project) -> Result<Digest, ChangeError> {
        Ok(inert_digest(&self.listing()?, project))
    }

    /// The head's files below the project's folder, as they stood when the head was found.
    fn listing(&self) -> Result<Listing, ChangeError> {
        match (&self.git, &self.head.listing, &self.head.disk) {
            (Some(git), Some(listing), _) => Ok(listing.below(git.prefix())),
            (_, _, Some(Ok(listing))) => Ok(listing.clone()),
            (_, _, Some(Err(reason))) => Err(ChangeError::Files(reason.clone())),
            _ => list_disk(&self.root).map_err(|error| ChangeError::Files(error.to_string())),
        }
    }

    /// Whether a later look at the same head shows the same files below the project's folder: the same names, modes and
    /// contents. What holdpoint itself writes is left out, and so is what git ignores and what Python puts into its
    /// `__pycache__` folders. Where one of the two cannot tell its files, they are not the same.
    pub fn is_as_before(&self, later: &Self) -> bool {
        let (Ok(before), Ok(after)) = (self.listing(), later.listing()) else { return false };
        let counts = |path: &PathName| !is_written(path) && !path.is_in(b"__pycache__");
        diff_listings(&before, &after).iter().all(|change| !counts(&change.path))
    }

    /// The names of the files that a folder of the project held at the base, in the commit on which the head stands, or
    /// in any commit before it that a later one took them from: what was there and may be gone now. Subfolders are left out.
    ///
    /// # Errors
    /// When git cannot read a commit.
    pub fn earlier_names(&self, folder: &str) -> Result<EarlierNames, ChangeError> {
        let Some(git) = &self.git else {
            return Ok(EarlierNames { names: BTreeSet::new(), reach: HistoryReach::None });
        };
        let removed = match self.head.commit {
            Some(commit) => {
                git.removed_from(commit.id, folder).map_err(|error| ChangeError::Files(error.sentence()))?
            }
            None => Removed { is_whole: true, ..Removed::default() },
        };
        let mut names: BTreeSet<String> =
            removed.names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let committed = self.committed_names(folder)?;
        names.extend(self.base.listings.iter().flat_map(|listing| names_in(git, listing, folder)));
        names.extend(committed.into_iter().flatten());
        let reach = match removed.is_whole {
            _ if git.is_shallow() => HistoryReach::Shallow,
            true => HistoryReach::Whole,
            false => HistoryReach::Part,
        };
        Ok(EarlierNames { names, reach })
    }

    /// The names of the files that a folder of the project held before the change: at the base; where that is no
    /// revision, in the commit on which the head stands. `None` where git cannot say.
    ///
    /// # Errors
    /// When git cannot read that commit.
    pub fn names_before(&self, folder: &str) -> Result<Option<BTreeSet<String>>, ChangeError> {
        let Some(git) = &self.git else { return Ok(None) };
        let mut at_bases = self.base.listings.iter().map(|listing| names_in(git, listing, folder));
        match at_bases.next() {
            Some(first) => Ok(Some(at_bases.fold(first, |all, names| all.intersection(&names).cloned().collect()))),
            None => self.committed_names(folder),
        }
    }

    fn committed_names(&self, folder: &str) -> Result<Option<BTreeSet<String>>, ChangeError> {
        let (Some(git), Some(commit)) = (&self.git, self.head.commit) else { return Ok(None) };
        let listing = git.tree(commit.id).map_err(|error| ChangeError::Files(error.sentence()))?;
        Ok(Some(names_in(git, &listing, folder)))
    }

    /// Writes the head into an empty folder and gives the project's folder in there; `None` where the head is what
    /// the project's own folder holds, so that it can run in place.
    ///
    /// # Errors
    /// When the working tree cannot be read or a file cannot be written.
    pub fn export_head(&self, into: &Path) -> Result<Option<PathBuf>, ChangeError> {
        let (false, Some(git), Some(commit)) = (self.head.is_working_tree, &self.git, self.head.commit) else {
            return Ok(None);
        };
        let failed = |reason: GitError| ChangeError::Export { folder: into.to_owned(), reason };
        if git.head_is_working_tree(&commit.id.to_string()).map_err(failed)? {
            return Ok(None);
        }
        git.export_tree(commit.id, into).map(Some).map_err(failed)
    }

    /// Writes the base into an empty folder and gives the project's folder in there; `None` where the base is no single
    /// revision.
    ///
    /// # Errors
    /// When an object is missing or a file cannot be written.
    pub fn export_base(&self, into: &Path) -> Result<Option<PathBuf>, ChangeError> {
        let (Some(git), [listing]) = (&self.git, self.base.listings.as_slice()) else { return Ok(None) };
        let failed = |reason: GitError| ChangeError::Export { folder: into.to_owned(), reason };
        git.export_listing(listing, into).map(Some).map_err(failed)
    }
}

/// The names of the files that lie in a folder of the project itself.
fn names_in(git: &GitProject, listing: &Listing, folder: &str) -> BTreeSet<String> {
    let below = [git.prefix(), folder.as_bytes(), b"/"].concat();
    let names = listing.starting_with(&below).filter_map(|(path, _)| path.below(&below));
    names.filter_map(|name| name.as_str().map(str::to_owned)).filter(|name| !name.contains('/')).collect()
}

/// The files of a project in a revision.
///
/// # Errors
/// When there is no repository, or the revision names no commit in it.
pub fn revision_files(project_root: &Path, revision: &str) -> Result<Box<dyn FileSource>, ChangeError> {
    revision_head(&GitProject::open(project_root), revision).map(|head| head.files)
}

fn revision_head(git: &Result<GitProject, GitError>, revision: &str) -> Result<Head, ChangeError> {
    let failed = |reason: &GitError| ChangeError::Head { revision: revision.to_owned(), reason: reason.clone() };
    let git = git.as_ref().map_err(failed)?;
    let commit = git.commit(revision).map_err(|error| failed(&error))?;
    let listing = git.tree(commit.id).map_err(|error| failed(&error))?;
    Ok(Head {
        side: Side { name: revision.to_owned(), commit: Some(commit.id.to_string()), note: None },
        files: Box::new(GitTreeFiles::new(git, &listing)),
        listing: Some(listing),
        disk: None,
        commit: Some(commit),
        is_working_tree: false,
        is_history: false,
    })
}

/// The working tree. Where git cannot be asked the files on disk are the head all the same, and `git` becomes the
/// reason why.
fn working_head(git: &mut Result<GitProject, GitError>, root: &Path) -> Head {
    let found = match git {
        Ok(project) => git_working_head(project),
        Err(reason) => Err(reason.clone()),
    };
    found.unwrap_or_else(|reason| {
        let note = format!("without git: {reason}");
        *git = Err(reason);
        Head {
            side: Side { name: "working tree".to_owned(), commit: None, note: Some(note) },
            files: Box::new(DiskFiles::new(root)),
            listing: None,
            disk: Some(list_disk(root).map_err(|error| error.to_string())),
            commit: None,
            is_working_tree: true,
            is_history: false,
        }
    })
}

fn git_working_head(git: &GitProject) -> Result<Head, GitError> {
    let commit = git.head()?;
    let tree = git.working_tree()?;
    let committed = commit.map(|commit| git.tree(commit.id)).transpose()?.unwrap_or_default();
    let note = match diff_listings(&committed, &tree.listing).len() {
        0 => None,
        1 => Some("with one uncommitted path".to_owned()),
        several => Some(format!("with {several} uncommitted paths")),
    };
    let id = commit.map(|commit| commit.id.to_string());
    Ok(Head {
        side: Side { name: "working tree".to_owned(), commit: id, note },
        files: Box::new(WorkingTreeFiles::new(git, &tree)),
        listing: Some(tree.listing),
        disk: None,
        commit,
        is_working_tree: true,
        is_history: false,
    })
}
