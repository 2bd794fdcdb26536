//! The targets that are started for one trial, on its state directory, and end with it.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::Agent;

use crate::domain::PartId;
use crate::evidence::{ErrorKind, TrialError};
use crate::manifest::StartedTarget;

use super::cancellation::Cancellation;
use super::http_workflow::{READY_CHECK, agent, check_ready};
use super::orphans::{PORT_VARIABLE, Spare, end_orphans};
use super::program::{Program, Surroundings};
use super::service::Service;

/// How often a target is started whose port somebody else took in the moment before it could listen there.
const STARTS: usize = 3;

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

/// A port at which nobody listens now.
fn free_port() -> Result<u16, TrialError> {
    let found = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    found.map(|address| address.port()).map_err(|error| TrialError {
        kind: ErrorKind::Setup,
        message: format!("no port could be had for a target: {error}"),
    })
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
        let agent = agent(READY_CHECK);
        for (id, running) in &mut targets.running {
            let mut starts = 1;
            while let Err(error) = running.wait_until_ready(&agent, cancellation) {
                if starts == STARTS || !running.lost_its_port() {
                    return Err(of(id, error));
                }
                starts += 1;
                *running = running.target.start(state_dir).map_err(|error| of(id, error))?;
            }
        }
        Ok(targets)
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
