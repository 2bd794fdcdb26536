//! Who may do what, and read what. A right that no permissions part grants does not exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::manifest::PermissionsManifest;

use super::conduct::Conduct;
use super::refusal::{Reason, Refusal};
use super::request::{Action, Request};

/// How long an approval holds where neither permissions nor request say, in seconds.
const DEFAULT_APPROVAL_S: i64 = 3_600;

/// The rights of every actor.
#[derive(Clone, Debug, Default)]
pub(super) struct Permissions {
    actors: BTreeMap<String, Rights>,
    staging: StagingRule,
}

#[derive(Clone, Debug, Default)]
struct Rights {
    roles: BTreeSet<String>,
    actions: BTreeSet<String>,
    sources: BTreeSet<String>,
}

/// What staging needs first.
#[derive(Clone, Debug, Default)]
struct StagingRule {
    /// `None` where no part says so: then it does.
    needs_approval: Option<bool>,
    approvers: BTreeSet<String>,
    expires_s: Option<i64>,
}

impl Permissions {
    /// Reads the desk's permissions.
    pub(super) fn read(manifests: &[PermissionsManifest]) -> Self {
        let mut permissions = Self::default();
        for manifest in manifests {
            for (name, actor) in &manifest.actors {
                let rights = permissions.actors.entry(name.clone()).or_default();
                rights.roles.extend(actor.roles.iter().cloned());
                rights.actions.extend(actor.actions.iter().cloned());
                rights.sources.extend(actor.sources.iter().map(|source| source.as_str().to_owned()));
            }
            let Some(rule) = manifest.actions.get(Action::Stage.name()) else { continue };
            let staging = &mut permissions.staging;
            staging.needs_approval = Some(rule.needs_approval || staging.needs_approval == Some(true));
            staging.approvers.extend(rule.approvers.iter().cloned());
            let expires_s = rule.approval_expires_s.and_then(|seconds| i64::try_from(seconds).ok());
            staging.expires_s = staging.expires_s.into_iter().chain(expires_s).min();
        }
        permissions
    }

    /// Refuses what the actor of the request may not do. A role that the request claims for itself gives nothing.
    pub(super) fn demand(&self, request: &Request, action: Action, conduct: &Conduct) -> Result<(), Refusal> {
        if !conduct.checks_rights && request.claimed_role.is_some() {
            return Ok(());
        }
        if self.rights_of(&request.actor)?.actions.contains(action.name()) {
            return Ok(());
        }
        Err(Refusal::new(
            Reason::MissingRight,
            format!("the permissions do not allow the actor to `{}`", action.name()),
        ))
    }

    /// Refuses an approval by someone who may not give it, or who would approve their own staging.
    pub(super) fn demand_approver(&self, approver: &str, actor: &str) -> Result<(), Refusal> {
        let rights = self.rights_of(approver)?;
        if approver == actor {
            return Err(Refusal::new(Reason::SelfApproval, "nobody approves what they stage themselves"));
        }
        let approvers = &self.staging.approvers;
        if approvers.contains(approver) || rights.roles.iter().any(|role| approvers.contains(role)) {
            return Ok(());
        }
        Err(Refusal::new(Reason::MissingRight, "the permissions do not make the actor an approver of staging"))
    }

    /// Whether staging needs an approval at all.
    pub(super) fn staging_needs_approval(&self) -> bool {
        self.staging.needs_approval.unwrap_or(true)
    }

    /// How long an approval holds: as long as asked for, and never longer than the permissions say.
    pub(super) fn approval_seconds(&self, asked: Option<i64>) -> i64 {
        let most = self.staging.expires_s.unwrap_or(DEFAULT_APPROVAL_S);
        asked.unwrap_or(most).min(most)
    }

    /// Whether `actor` may read a source.
    pub(super) fn may_read(&self, actor: &str, source: &str) -> bool {
        self.actors.get(actor).is_some_and(|rights| rights.sources.contains(source))
    }

    fn rights_of(&self, actor: &str) -> Result<&Rights, Refusal> {
        let unknown = || Refusal::new(Reason::UnknownActor, "the permissions do not name the actor");
        self.actors.get(actor).ok_or_else(unknown)
    }
}
