//! What differs between a base and a head: changed paths from git, changed facets from the manifests of both sides.

mod ci;
mod git;
mod git_command;
mod git_error;
mod git_export;
mod git_files;
mod git_library;
mod git_status;
mod git_working_tree;
mod listing;
mod model;
mod path_name;

pub use ci::{CiBase, CiTarget, ci_base};
pub use git::{Commit, GitProject, WorkingTree};
pub use git_error::{GitError, GitErrorKind};
pub use git_files::{GitTreeFiles, WorkingTreeFiles};
pub use listing::{Aspect, Entry, EntryMode, Listing, ObjectId, PathChange, diff_listings};
pub use model::{
    BaseKind, CaseChange, Change, ChangeKind, ChangeSet, Direction, PartSnapshot, RestDigests, Side, Snapshot,
};
pub use path_name::PathName;
