//! A trial with one connector between a raw client and a raw upstream.

use std::sync::Arc;
use std::time::Duration;

use holdpoint::domain::PartId;
use holdpoint::evidence::Exchange;
use holdpoint::manifest::{ConnectorManifest, FaultName, FaultSpec};
use holdpoint::proxy::{ProxiedConnector, Proxy, Seen, TrialProxy, TrialSetup};
use serde_json::json;

use super::client::Client;
use super::upstream::Upstream;

/// The connector of every scene.
pub(crate) const SHOP: &str = "shop";

/// A trial and its upstream.
pub(crate) struct Scene {
    pub(crate) trial: TrialProxy,
    pub(crate) upstream: Upstream,
    pub(crate) address: String,
    // Last, so that the trial goes first.
    _proxy: Proxy,
}

/// What the connector is like.
pub(crate) struct Setting {
    pub(crate) faults: Vec<FaultSpec>,
    pub(crate) seed: u64,
    pub(crate) timeout: Duration,
    pub(crate) base_path: &'static str,
    pub(crate) upstream_path: &'static str,
    pub(crate) record_bytes: usize,
    pub(crate) record_headers: &'static [&'static str],
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            faults: Vec::new(),
            seed: 1,
            timeout: Duration::from_secs(10),
            base_path: "",
            upstream_path: "",
            record_bytes: 64 * 1024,
            record_headers: &[],
        }
    }
}

impl Scene {
    pub(crate) fn new(upstream: Upstream) -> Self {
        Self::with(upstream, Setting::default())
    }

    /// A scene in which faults fall.
    pub(crate) fn failing(upstream: Upstream, faults: impl IntoIterator<Item = FaultSpec>) -> Self {
        Self::with(upstream, Setting { faults: faults.into_iter().collect(), ..Setting::default() })
    }

    pub(crate) fn with(upstream: Upstream, setting: Setting) -> Self {
        let proxy = Proxy::start().unwrap();
        let connector = ProxiedConnector {
            base_path: setting.base_path.to_owned(),
            record_headers: setting.record_headers.iter().map(|name| (*name).to_owned()).collect(),
            record_bytes: setting.record_bytes,
            timeout: setting.timeout,
            ..connector(&format!("{}{}", upstream.address, setting.upstream_path))
        };
        let setup = TrialSetup { connectors: vec![connector], faults: &setting.faults, seed: setting.seed };
        let trial = proxy.open(setup).unwrap();
        trial.begin_step(1);
        let address = trial.addresses()[SHOP].clone();
        Self { trial, upstream, address, _proxy: proxy }
    }

    pub(crate) fn client(&self) -> Client {
        Client::to(&self.address)
    }

    /// Ends the trial; what is still on its way comes to its end.
    pub(crate) fn finish(self) -> Seen {
        self.trial.finish()
    }

    /// Ends the trial and gives the only call.
    pub(crate) fn finish_with_one(self) -> Exchange {
        let seen = self.finish();
        assert_eq!(seen.exchanges.len(), 1, "{:#?}", seen.exchanges);
        seen.exchanges.into_iter().next().unwrap()
    }
}

/// A fault on an attempt at the operation `order`.
pub(crate) fn fault(name: FaultName, attempt: u32) -> FaultSpec {
    FaultSpec::new(SHOP, "order", attempt, name)
}

/// The connector, with its calls going to this address.
pub(crate) fn connector(upstream: &str) -> ProxiedConnector {
    ProxiedConnector {
        id: PartId::from(SHOP),
        upstream: upstream.to_owned(),
        manifest: Arc::new(manifest()),
        base_path: String::new(),
        record_headers: Vec::new(),
        record_bytes: 64 * 1024,
        timeout: Duration::from_secs(10),
    }
}

fn manifest() -> ConnectorManifest {
    let document = json!({
        "id": SHOP,
        "kind": "connector",
        "version": "1",
        "release": "2026-01",
        "operations": {
            "order": {
                "effect": "create",
                "idempotency": {"replay_signal": {"header": "X-Replayed"}},
                "wire": {
                    "method": "POST",
                    "path": "/orders",
                    "intention": {"body": "/order"},
                    "key": {"header": "X-Key"},
                },
            },
            "read": {"effect": "none", "wire": {"method": "GET", "path": "/orders/{order}", "intention": {"segment": "order"}}},
            "hold": {"effect": "create", "wire": {"method": "POST", "path": "/holds", "refused": [422]}},
            "cancel": {"effect": "delete", "wire": {"method": "DELETE", "path": "/orders/{order}"}},
        },
    });
    serde_json::from_value(document).unwrap()
}
