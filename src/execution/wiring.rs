//! What stands between a trial's workflow and its targets: which connectors that is for, and for each trial the
//! targets that belong to it, the proxy before them, and the addresses that the workflow gets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::domain::{CaseId, Digest, PartId};
use crate::evidence::{ErrorKind, Exchange, TrialError};
use crate::manifest::{ConnectorManifest, ConnectorSpec, Effect, FaultSpec, Manifest, Project, WorkflowSpec};
use crate::proxy::{ProxiedConnector, Proxy, Seen, TrialProxy, TrialSetup};

use super::cancellation::Cancellation;
use super::probes::InFront;
use super::program::Surroundings;
use super::targets::{TargetProgram, Targets};

/// The proxy of a run, started by the first trial that needs it.
#[derive(Default)]
pub(super) struct SharedProxy(OnceLock<Result<Proxy, TrialError>>);

impl SharedProxy {
    fn open(&self, setup: TrialSetup<'_>) -> Result<TrialProxy, TrialError> {
        let proxy = self.0.get_or_init(|| Proxy::start().map_err(|error| setup_error(error.to_string())));
        let proxy = proxy.as_ref().map_err(Clone::clone)?;
        proxy.open(setup).map_err(|error| setup_error(error.to_string()))
    }

    /// Puts plain HTTP in front of an origin, for a question of the runner's own: nothing of it is kept.
    pub(super) fn in_front_of(&self, origin: &str, timeout: Duration) -> Result<InFront, String> {
        let id = PartId::new("probe");
        let manifest = ConnectorManifest {
            id: id.clone(),
            kind: crate::manifest::PartKind::Connector,
            version: String::new(),
            description: None,
            settings: serde_json::Map::new(),
            release: String::new(),
            endpoint: None,
            operations: BTreeMap::new(),
        };
        let connector = ProxiedConnector {
            id: id.clone(),
            upstream: origin.to_owned(),
            manifest: Arc::new(manifest),
            base_path: String::new(),
            record_headers: Vec::new(),
            record_bytes: 0,
            timeout,
        };
        let setup = TrialSetup { connectors: vec![connector], faults: &[], seed: 0 };
        let server = self.open(setup).map_err(|error| error.message)?;
        let address = server.addresses().get(&id).cloned().unwrap_or_default();
        Ok(InFront { address, server })
    }
}

/// A connector of a workflow whose calls are passed on.
struct Wired<'a> {
    id: &'a PartId,
    spec: &'a ConnectorSpec,
    manifest: Arc<ConnectorManifest>,
    target: Option<TargetProgram<'a>>,
}

/// The connectors of one workflow whose calls are passed on. Empty where the project declares none of them.
#[derive(Default)]
pub(super) struct WiredConnectors<'a>(Vec<Wired<'a>>);

impl<'a> WiredConnectors<'a> {
    /// Those parts of the workflow that the project declares under `connectors`. A practice workflow has its own targets.
    ///
    /// # Errors
    /// When a target's program is not to be found.
    pub(super) fn of(
        workflow: &WorkflowSpec,
        project: &'a Project,
        surroundings: Surroundings<'_>,
    ) -> Result<Self, TrialError> {
        let mut wired = Vec::new();
        for (id, spec) in project.file.connectors.iter().filter(|_| workflow.practice.is_none()) {
            let part = project.parts.get(id).filter(|_| workflow.parts.contains(id));
            let Some(Ok(Manifest::Connector(manifest))) = part.map(crate::manifest::Part::manifest) else { continue };
            let start = spec.upstream.start.as_ref();
            let target = start.map(|target| TargetProgram::find(target, surroundings)).transpose()?;
            wired.push(Wired { id, spec, manifest: Arc::new(manifest.clone()), target });
        }
        Ok(Self(wired))
    }

    /// The manifests, by which calls are read.
    pub(super) fn manifests(&self) -> BTreeMap<PartId, Arc<ConnectorManifest>> {
        self.0.iter().map(|wired| (wired.id.clone(), Arc::clone(&wired.manifest))).collect()
    }

    /// Starts the targets of one trial and opens the proxy before them.
    ///
    /// # Errors
    /// When a target or the proxy cannot be started.
    pub(super) fn open(
        &'a self,
        trial: &TrialWires<'_>,
        proxy: &SharedProxy,
        cancellation: &Cancellation,
    ) -> Result<Wiring<'a>, TrialError> {
        let programs = self.0.iter().filter_map(|wired| Some((wired.id, wired.target.as_ref()?)));
        let targets = Targets::start(programs, trial.state_dir, cancellation)?;
        let started: BTreeMap<&PartId, String> = targets.addresses().collect();
        let proxied: Vec<ProxiedConnector> = self.0.iter().map(|wired| wired.proxied(&started)).collect();
        let upstreams = proxied.iter().map(|connector| {
            (connector.id.clone(), format!("{}{}", connector.upstream.trim_end_matches('/'), connector.base_path))
        });
        let upstreams: BTreeMap<PartId, String> = upstreams.collect();
        let server = match proxied.is_empty() {
            true => None,
            false => Some(proxy.open(TrialSetup { connectors: proxied, faults: trial.faults, seed: trial.seed })?),
        };
        let mut environment = BTreeMap::new();
        for wired in &self.0 {
            let address = server.as_ref().and_then(|server| server.addresses().get(wired.id));
            environment.extend(
                wired
                    .spec
                    .env
                    .iter()
                    .zip(address.into_iter().cycle())
                    .map(|(name, address)| (name.clone(), address.clone())),
            );
        }
        Ok(Wiring { server, upstreams, environment, targets })
    }
}

impl Wired<'_> {
    fn proxied(&self, started: &BTreeMap<&PartId, String>) -> ProxiedConnector {
        let ConnectorSpec { upstream, env: _, base_path, record_headers, record_bytes, jobs: _, timeout_s } = self.spec;
        let upstream = started.get(self.id).cloned().or_else(|| upstream.url.clone()).unwrap_or_default();
        ProxiedConnector {
            id: self.id.clone(),
            upstream,
            manifest: Arc::clone(&self.manifest),
            base_path: base_path.clone(),
            record_headers: record_headers.clone(),
            record_bytes: *record_bytes,
            timeout: Duration::from_secs(*timeout_s),
        }
    }
}

/// What one trial's wiring depends on.
pub(super) struct TrialWires<'a> {
    pub(super) state_dir: &'a Path,
    pub(super) faults: &'a [FaultSpec],
    pub(super) seed: u64,
}

/// What chance in a trial is drawn from: the case and the trial's number, so that both forms of a case get the same.
pub(super) fn seed(case: &CaseId, trial: u32) -> u64 {
    let digest = Digest::of(format!("{case}\0{trial}").as_bytes());
    u64::from_str_radix(&digest.hex()[..16], 16).unwrap_or_default()
}

#[derive(Default)]
/// The wiring of one trial. Dropped, it ends the proxy's listeners first and the targets after them.
pub(super) struct Wiring<'a> {
    server: Option<TrialProxy>,
    /// Where the targets listen, with the path that is part of the connector's address.
    pub(super) upstreams: BTreeMap<PartId, String>,
    /// The variables that hold the connectors' addresses for a program.
    pub(super) environment: BTreeMap<String, String>,
    targets: Targets<'a>,
}

impl Wiring<'_> {
    /// Where the workflow reaches the connectors whose calls are passed on.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (&PartId, &String)> {
        self.server.iter().flat_map(|server| server.addresses())
    }

    /// Whether targets run that belong to the trial.
    pub(super) fn has_targets(&self) -> bool {
        self.targets.addresses().next().is_some()
    }

    /// From now on calls belong to this step.
    pub(super) fn begin_step(&self, step: u32) {
        if let Some(server) = &self.server {
            server.begin_step(step);
        }
    }

    /// From now on calls belong to no step.
    pub(super) fn end_step(&self) {
        if let Some(server) = &self.server {
            server.end_step();
        }
    }

    /// The error that stands for a target which ended before its trial.
    pub(super) fn ended(&self) -> Option<TrialError> {
        self.targets.ended()
    }

    /// Waits for what is still on its way, unless the run has to end at once, and hands over what was seen. No call is passed
    /// on any more. The targets go on.
    pub(super) fn close(&self, cancellation: &Cancellation) -> Seen {
        let server = self.server.as_ref();
        server.map(|server| server.close(&|| cancellation.is_forced())).unwrap_or_default()
    }

    /// The calls that came after it was closed. The listeners end here.
    pub(super) fn latecomers(&mut self) -> Vec<Exchange> {
        self.server.take().map(TrialProxy::latecomers).unwrap_or_default()
    }
}

/// The connectors among these whose target answers before the effect exists, by operation: `connector/operation`.
pub(super) fn answer_first(manifests: &BTreeMap<PartId, Arc<ConnectorManifest>>) -> BTreeSet<String> {
    let operations = manifests.iter().flat_map(|(id, manifest)| {
        let first = manifest.operations.iter().filter(|(_, operation)| {
            operation.effect != Effect::None && operation.processing.is_some_and(|processing| processing.accepts_first)
        });
        first.map(move |(name, _)| format!("{id}/{name}"))
    });
    operations.collect()
}

fn setup_error(message: String) -> TrialError {
    TrialError { kind: ErrorKind::Setup, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_depends_on_the_case_and_the_trial_alone() {
        let one = seed(&"a".into(), 1);
        assert_eq!(one, seed(&"a".into(), 1));
        assert!(one != seed(&"a".into(), 2) && one != seed(&"b".into(), 1) && one != 0);
        // Written together, they are told apart.
        assert_ne!(seed(&"a1".into(), 2), seed(&"a".into(), 12));
    }
}
