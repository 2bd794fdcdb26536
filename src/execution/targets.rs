//! The targets that are started for one trial, on its state directory, and end with it.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ureq::Agent;

use crate::domain::PartId;
use crate::evidence::{ErrorKind, TrialError};
use crate::manifest::StartedTarget;

use super::cancellation::Cancellation;
use super::client::agent;
use super::http_workflow::{READY_CHECK, check_ready};
use super::orphans::{PORT_VARIABLE, Spare, end_orphans};
use super::program::{Program, Surroundings};
use super::service::{SETTLING, Service};

/// How often a target is started whose port somebody else took in the moment before it could listen there.
const STARTS: usize = 3;

/// The lowest port that a target is given: those below often belong to services.
const LOWEST_PORT: u16 = 16_384;

/// How many ports are tried before the system is asked for any.
const PORTS_TRIED: usize = 256;

/// How many ports have been asked for in this process.
static PORTS_ASKED: AtomicU64 = AtomicU64::new(0);

/// How long a connection to a port of this machine may take.
const CONNECT: Duration = Duration::from_secs(1);

/// A target as the project describes it, ready to be started for any trial.
#[derive(Debug)]
pub(super) struct TargetProgram<'a> {
    spec: &'a StartedTarget,
    program: Program,
}

impl<'a> TargetProgram<'a> {
    /// Finds the program.
    ///
    /// # Errors
    /// When it is not to be found, or a variable of its environment is not set.
    pub(super) fn find(spec: &'a StartedTarget, surroundings: Surroundings<'_>) -> Result<Self, TrialError> {
        Ok(Self { spec, program: Program::find(&spec.run, &spec.env, surroundings)? })
    }

    fn start(&self, state_dir: &Path) -> Result<Running<'_>, TrialError> {
        let port = free_port()?;
        let mut command = self.program.command(state_dir);
        command.env(PORT_VARIABLE, port.to_string());
        Ok(Running { target: self, port, service: Service::start(&self.program, command, None)? })
    }
}

/// A port at which nobody listens now, below those that the system gives to outgoing connections: until the target listens,
/// one of those could take it, even the one that asks whether the target is ready, which would then reach itself.
fn free_port() -> Result<u16, TrialError> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| listener.local_addr());
    let below = first_outgoing_port().clamp(LOWEST_PORT + 1, u16::MAX);
    // Two processes begin at different places, and one process never asks twice for the same port soon.
    let start = u64::from(std::process::id()).wrapping_mul(7919);
    let candidates = (0..PORTS_TRIED).map(|_| {
        let nth = start.wrapping_add(PORTS_ASKED.fetch_add(1, Ordering::Relaxed));
        u16::try_from(nth % u64::from(below - LOWEST_PORT)).map_or(LOWEST_PORT, |nth| LOWEST_PORT + nth)
    });
    let found = candidates.map(bind).find(Result::is_ok).unwrap_or_else(|| bind(0));
    found.map(|address| address.port()).map_err(|error| TrialError {
        kind: ErrorKind::Setup,
        message: format!("no port could be had for a target: {error}"),
    })
}

/// The first port that the system gives to outgoing connections; Linux's default where it does not say.
fn first_outgoing_port() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    range.split_whitespace().next().and_then(|port| port.parse().ok()).unwrap_or(32_768)
}

struct Running<'a> {
    target: &'a TargetProgram<'a>,
    port: u16,
    service: Service,
}

impl Running<'_> {
    fn wait_until_ready(&self, agent: &Agent, cancellation: &Cancellation) -> Result<(), TrialError> {
        let timeout = Duration::from_secs(self.target.spec.ready_timeout_s);
        let is_ready = || match &self.target.spec.ready {
            Some(path) => check_ready(agent, &format!("http://127.0.0.1:{}{path}", self.port)),
            None => self.connect().map_err(|error| format!("nothing listens at 127.0.0.1:{}: {error}", self.port)),
        };
        self.service.wait_until(is_ready, timeout, cancellation)
    }

    fn connect(&self) -> std::io::Result<()> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        TcpStream::connect_timeout(&address, CONNECT).map(drop)
    }

    /// Whether it has ended and somebody else listens where it was to listen.
    fn lost_its_port(&self) -> bool {
        self.service.ended().is_some() && self.connect().is_ok()
    }
}

/// The running targets of a trial. Dropped, they end, and with them whatever else was started on its state directory.
#[derive(Default)]
pub(super) struct Targets<'a> {
    running: Vec<(&'a PartId, Running<'a>)>,
    state_dir: PathBuf,
}

impl<'a> Targets<'a> {
    /// Starts the targets side by side and waits until each is ready.
    ///
    /// # Errors
    /// When one cannot be started, ends again, or is not ready in time; the message shows what it printed.
    pub(super) fn start(
        programs: impl Iterator<Item = (&'a PartId, &'a TargetProgram<'a>)>,
        state_dir: &Path,
        cancellation: &Cancellation,
    ) -> Result<Self, TrialError> {
        let mut targets = Self { running: Vec::new(), state_dir: state_dir.to_owned() };
        for (id, program) in programs {
            targets.running.push((id, program.start(state_dir).map_err(|error| of(id, error))?));
        }
        let agent = agent(Some(READY_CHECK));
        for _ in 1..STARTS {
            match targets.wait_until_ready(&agent, cancellation) {
                Ok(()) => return Ok(targets),
                Err((index, error)) => targets.start_again(index, error)?,
            }
        }
        targets.wait_until_ready(&agent, cancellation).map_err(|(_, error)| error)?;
        Ok(targets)
    }

    /// Waits until all are ready, and settled together. An error comes with the place of the target that it is about.
    fn wait_until_ready(&self, agent: &Agent, cancellation: &Cancellation) -> Result<(), (usize, TrialError)> {
        for (index, (id, running)) in self.running.iter().enumerate() {
            running.wait_until_ready(agent, cancellation).map_err(|error| (index, of(id, error)))?;
        }
        if !self.running.is_empty() {
            cancellation.wait(SETTLING);
        }
        let mut running = self.running.iter().enumerate();
        running.find_map(|(index, (id, running))| Some((index, of(id, running.service.ended()?)))).map_or(Ok(()), Err)
    }

    /// Starts a target once more that lost its port.
    ///
    /// # Errors
    /// `error`, where it failed for another reason.
    fn start_again(&mut self, index: usize, error: TrialError) -> Result<(), TrialError> {
        let Some((id, running)) = self.running.get_mut(index).filter(|(_, running)| running.lost_its_port()) else {
            return Err(error);
        };
        *running = running.target.start(&self.state_dir).map_err(|error| of(id, error))?;
        Ok(())
    }

    /// Where each listens.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (&'a PartId, String)> {
        self.running.iter().map(|(id, running)| (*id, format!("http://127.0.0.1:{}", running.port)))
    }

    /// The error that stands for a target which ended before its trial; `None` while all run.
    pub(super) fn ended(&self) -> Option<TrialError> {
        self.running.iter().find_map(|(id, running)| Some(of(id, running.service.ended()?)))
    }
}

impl Drop for Targets<'_> {
    fn drop(&mut self) {
        if self.running.is_empty() {
            return;
        }
        self.running.iter().for_each(|(_, running)| running.service.ask_to_end());
        self.running.clear();
        end_orphans(&self.state_dir, Spare::Nothing);
    }
}

fn of(id: &PartId, error: TrialError) -> TrialError {
    TrialError { message: format!("the target of the connector `{id}`: {}", error.message), ..error }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_targets_port_is_none_that_an_outgoing_connection_can_have() {
        let ports: Vec<u16> = (0..50).map(|_| free_port().unwrap()).collect();
        assert!(ports.iter().all(|port| *port >= LOWEST_PORT && *port < first_outgoing_port()), "{ports:?}");
        assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), ports.len(), "two targets at once get two ports");
    }
}
