//! What differs between a base and a head: changed paths from git, changed facets from the manifests of both sides.
//!
//! [`Sides::resolve`] finds both; the caller loads the head's project from [`Sides::head_files`]; [`Sides::changes`]
//! then compares. Only the files called `git*.rs` know the git library or the git command.

mod base;
mod base_contents;
mod ci;
mod compare;
mod compare_cases;
mod compare_parts;
mod facets;
mod git;
mod git_attributes;
mod git_command;
mod git_disk;
mod git_error;
mod git_export;
mod git_files;
mod git_history;
mod git_library;
mod git_rewritten;
mod git_status;
mod git_working_tree;
mod listing;
mod model;
mod path_name;
mod path_rules;
mod seen;
mod sides;
mod snapshot;
mod unseen_code;
mod whose;

pub use ci::{CiBase, CiTarget, ci_base};
pub use git::{Commit, GitProject, Removed, WorkingTree};
pub use git_error::{GitError, GitErrorKind};
pub use git_files::{GitTreeFiles, WorkingTreeFiles};
pub use listing::{Aspect, Entry, EntryMode, Listing, ObjectId, PathChange, diff_listings};
pub use model::{
    BaseFile, BaseKind, CaseChange, Change, ChangeKind, ChangeSet, Direction, PartSnapshot, RestDigests, Side, Snapshot,
};
pub use path_name::PathName;
pub use seen::{GitView, claims_as_seen};
pub use sides::{ChangeError, EarlierNames, FoundHead, HistoryReach, Sides, SidesRequest, revision_files};
pub use snapshot::rest_digests;
pub use whose::{PathClaim, claims_on};
