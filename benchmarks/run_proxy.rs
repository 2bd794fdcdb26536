//! The proxy alone, for `./bench proxy`: `run_proxy UPSTREAM` passes calls on until its input ends.
//!
//! It prints its address. `rss` on its input makes it print how many bytes of memory it holds, `take` how many calls
//! it has recorded since the last time, after which a new trial begins at the same upstream and prints its address.

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use holdpoint::domain::PartId;
use holdpoint::proxy::{ProxiedConnector, Proxy, TrialProxy, TrialSetup};
use serde_json::json;

/// The allocator that the program has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let upstream = std::env::args().nth(1).ok_or("usage: run_proxy UPSTREAM")?;
    let proxy = Proxy::start()?;
    let mut trial = open(&proxy, &upstream)?;
    say(&address(&trial))?;
    for line in std::io::stdin().lock().lines() {
        match line?.as_str() {
            "rss" => say(&resident_bytes()?.to_string())?,
            "take" => {
                let seen = std::mem::replace(&mut trial, open(&proxy, &upstream)?).finish();
                let bad = seen.exchanges.iter().filter(|exchange| exchange.problem.is_some()).count();
                say(&format!("{} {bad}", seen.exchanges.len() as u64 + seen.unrecorded))?;
                say(&address(&trial))?;
            }
            other => return Err(format!("no command is called {other:?}").into()),
        }
    }
    Ok(())
}

fn open(proxy: &Proxy, upstream: &str) -> Result<TrialProxy, Box<dyn Error>> {
    let manifest = json!({
        "id": "target",
        "kind": "connector",
        "version": "1",
        "release": "1",
        "operations": {"any": {"effect": "create", "wire": {"method": "POST", "path": "/**"}}},
    });
    let connector = ProxiedConnector {
        id: PartId::from("target"),
        upstream: upstream.to_owned(),
        manifest: Arc::new(serde_json::from_value(manifest)?),
        base_path: String::new(),
        record_headers: Vec::new(),
        record_bytes: 64 * 1024,
        timeout: Duration::from_secs(60),
    };
    let trial = proxy.open(TrialSetup { connectors: vec![connector], faults: &[], seed: 0 })?;
    trial.begin_step(1);
    Ok(trial)
}

fn address(trial: &TrialProxy) -> String {
    trial.addresses().values().cloned().collect()
}

fn resident_bytes() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("the system does not say")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse::<u64>()? * 1024)
}

fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
