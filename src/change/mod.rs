//! What differs between a base and a head: changed paths from git, changed facets from the manifests of both sides.

mod model;

pub use model::{
    BaseKind, CaseChange, Change, ChangeKind, ChangeSet, Direction, PartSnapshot, RestDigests, Side, Snapshot,
};
