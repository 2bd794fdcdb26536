//! Who may do what, from the permissions among the parts. A right that nobody granted does not exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::PartId;
use crate::manifest::{Actor, Manifest, Part, PermissionsManifest};

use super::request::Action;

/// For how long an approval holds where the permissions do not say, in seconds.
const DEFAULT_APPROVAL_S: i64 = 3_600;

/// The rights of every actor.
#[derive(Clone, Debug, Default)]
pub(super) struct Rights {
    manifests: Vec<PermissionsManifest>,
}

impl Rights {
    /// Reads the permissions among the parts.
    pub(super) fn read(parts: &BTreeMap<PartId, Part>) -> Self {
        let manifests = parts.values().filter_map(|part| match part.manifest() {
            Ok(Manifest::Permissions(manifest)) => Some(manifest.clone()),
            _ => None,
        });
        Self { manifests: manifests.collect() }
    }

    fn grants<'r>(&'r self, actor: &'r str) -> impl Iterator<Item = &'r Actor> {
        self.manifests.iter().filter_map(move |manifest| manifest.actors.get(actor))
    }

    /// Whether the actor may do that.
    pub(super) fn allow(&self, actor: &str, action: Action) -> bool {
        self.grants(actor).any(|granted| granted.actions.iter().any(|name| name == action.name()))
    }

    /// Whether the actor holds the role.
    pub(super) fn holds_role(&self, actor: &str, role: &str) -> bool {
        self.grants(actor).any(|granted| granted.roles.iter().any(|held| held == role))
    }

    /// Whether a run needs an approval before it reserves and sends. Where no permissions say, it does.
    pub(super) fn run_needs_approval(&self) -> bool {
        let mut rules = self.manifests.iter().filter_map(|manifest| manifest.actions.get("run")).peekable();
        rules.peek().is_none() || rules.any(|rule| rule.needs_approval)
    }

    /// Whether `approver` may approve a run of `actor`: nobody approves what they run themselves.
    pub(super) fn may_approve(&self, approver: &str, actor: &str) -> bool {
        let rules = self.manifests.iter().filter_map(|manifest| manifest.actions.get("run"));
        let approvers: BTreeSet<&String> = rules.flat_map(|rule| &rule.approvers).collect();
        let is_named = approvers.iter().any(|who| *who == approver || self.holds_role(approver, who));
        is_named && approver != actor && self.grants(approver).next().is_some()
    }

    /// For how long an approval holds, in seconds: never longer than the permissions allow.
    pub(super) fn approval_s(&self, asked: Option<i64>) -> i64 {
        let rules = self.manifests.iter().filter_map(|manifest| manifest.actions.get("run"));
        let allowed = rules.filter_map(|rule| rule.approval_expires_s).min();
        let allowed = allowed.and_then(|seconds| i64::try_from(seconds).ok()).unwrap_or(DEFAULT_APPROVAL_S);
        asked.map_or(allowed, |asked| asked.clamp(0, allowed))
    }

    /// The role that decides where a request no longer serves.
    pub(super) fn decision_role(&self) -> Option<&str> {
        self.manifests.iter().find_map(|manifest| manifest.settings.get("decision_role")?.as_str())
    }
}
