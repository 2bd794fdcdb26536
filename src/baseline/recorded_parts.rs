//! The parts in a record: each kept once, by digest, in a file of its own. Records of format 1 hold them in full.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::{PartSnapshot, RestDigests, Snapshot};
use crate::domain::{Digest, PartId, canonical_json};
use crate::manifest::ProjectPolicy;

use super::record::Contents;

/// A snapshot of the parts as a record holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedSnapshot {
    /// The parts, by id.
    pub parts: BTreeMap<PartId, RecordedPart>,
    /// As in [`Snapshot`].
    pub project_file: Digest,
    /// As in [`Snapshot`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<ProjectPolicy>,
    /// As in [`Snapshot`].
    pub rest: RestDigests,
}

/// One part in a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RecordedPart {
    /// Kept in `baselines/parts/<digest>.json`.
    Kept(Digest),
    /// In the record itself, as format 1 had it.
    Whole(Box<PartSnapshot>),
}

/// One part as its own file below `baselines/parts` holds it.
pub type KeptPart = PartSnapshot;

impl RecordedSnapshot {
    /// The form in which new records hold a snapshot, and the texts of the parts to keep beside it.
    ///
    /// # Errors
    /// Never for a snapshot that was read from files; JSON has no form for some values that a hand-made one could hold.
    pub(super) fn keep(snapshot: &Snapshot, contents: &mut Contents) -> Result<Self, serde_json::Error> {
        let mut parts = BTreeMap::new();
        for (id, part) in &snapshot.parts {
            let text = part_text(part)?;
            let digest = Digest::of(text.as_bytes());
            contents.parts.insert(digest.clone(), text);
            parts.insert(id.clone(), RecordedPart::Kept(digest));
        }
        Ok(Self {
            parts,
            project_file: snapshot.project_file.clone(),
            policy: snapshot.policy.clone(),
            rest: snapshot.rest.clone(),
        })
    }

    /// The digests of the parts that are kept outside the record.
    pub(super) fn kept(&self) -> impl Iterator<Item = (&PartId, &Digest)> {
        self.parts.iter().filter_map(|(id, part)| match part {
            RecordedPart::Kept(digest) => Some((id, digest)),
            RecordedPart::Whole(_) => None,
        })
    }

    /// The snapshot in full; `None` where a part is not among `kept`.
    pub(super) fn resolve(&self, kept: &BTreeMap<Digest, PartSnapshot>) -> Option<Snapshot> {
        let whole = |part: &RecordedPart| match part {
            RecordedPart::Kept(digest) => kept.get(digest).cloned(),
            RecordedPart::Whole(part) => Some((**part).clone()),
        };
        let parts = self.parts.iter().map(|(id, part)| Some((id.clone(), whole(part)?)));
        Some(Snapshot {
            parts: parts.collect::<Option<_>>()?,
            project_file: self.project_file.clone(),
            policy: self.policy.clone(),
            rest: self.rest.clone(),
        })
    }
}

/// A part's text as it stands in its file.
pub(super) fn part_text(part: &PartSnapshot) -> Result<String, serde_json::Error> {
    serde_json::to_value(part).map(|value| canonical_json(&value))
}
