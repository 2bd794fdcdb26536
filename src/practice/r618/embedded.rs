//! The workflow inside a trial: its three targets are started on ephemeral loopback ports for each invocation, on the
//! trial's own files, and time is simulated, so that a minute's wait takes none.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};

use crate::domain::{OperationId, PartId};
use crate::evidence::{AttemptSeen, Call};
use crate::manifest::{FaultSpec, Part, PartKind};
use crate::practice::targets::{CallSeen, Clock, Server, Service, ServiceFaults, Target, calls_since};
use crate::practice::{PracticeAnswer, PracticeAttempt, PracticeCall, PracticeError};

use super::reading;
use super::record::{DATABASE, Record};
use super::request;
use super::steps::Unwatched;
use super::workflow::{Surroundings, Workflow, contracts};
use super::world::World;

/// Invokes the workflow once, as a part of a trial.
pub(super) fn invoke(call: &PracticeCall<'_>) -> Result<PracticeAnswer, PracticeError> {
    let input = &call.invocation["input"];
    let request = request::read(input)?;
    let reference = request.reference.clone();
    let parts = with_contracts_of(call.parts, input)?;
    let record = call.state_dir.join(DATABASE);
    let store = |doing| {
        let path = record.clone();
        move |source| PracticeError::Store { path, doing, source }
    };
    let clock =
        Clock::simulated(begin_ms(call, &Record::open(&record, call.durability)?).map_err(store("reading it"))?);
    let world = Arc::new(World::read(input, call.state_dir)?);
    let mut stage = Stage::set(call, &parts, &clock, &world)?;
    world.begin().map_err(store("changing the world"))?;
    let addresses = stage.start()?;
    let surroundings = Surroundings {
        parts: &parts,
        addresses: &addresses,
        record: &record,
        durability: call.durability,
        clock,
        waypoints: &mut Unwatched,
    };
    let report = Workflow::open(request, surroundings)?.serve().map_err(store("serving the request"))?;
    stage.end();
    if let Some(source) = world.failure() {
        return Err(store("changing the world")(source));
    }
    let (attempts, fired) = stage.seen()?;
    let named: BTreeSet<OperationId> =
        call.attempts_so_far.iter().chain(&attempts).map(|attempt| attempt.operation.clone()).collect();
    let readings = reading::read(call.state_dir, &Record::open(&record, call.durability)?, &reference, &named)?;
    Ok(PracticeAnswer { text: report.into_text(), attempts, fired, readings })
}

/// The time at which the invocation begins: what the trial says, or what earlier simulated waits have come to.
fn begin_ms(call: &PracticeCall<'_>, record: &Record) -> rusqlite::Result<i64> {
    let told = call.invocation["now"].as_str().and_then(|now| now.parse::<jiff::Timestamp>().ok());
    let told = told.map_or(0, jiff::Timestamp::as_millisecond);
    Ok(record.waited_until()?.map_or(told, |waited| waited.max(told)))
}

/// The parts, with the contracts that the input lays over those of the manifests, as a JSON merge patch (RFC 7396).
fn with_contracts_of(parts: &BTreeMap<PartId, Part>, input: &Value) -> Result<BTreeMap<PartId, Part>, PracticeError> {
    let mut parts = parts.clone();
    for (id, patch) in input.get("contracts").and_then(Value::as_object).into_iter().flatten() {
        let connector = parts.get_mut(id.as_str()).filter(|part| part.kind == PartKind::Connector);
        let (Some(part), Value::Object(patch)) = (connector, patch) else {
            return Err(PracticeError::Setup {
                what: format!("`input.contracts.{id}` is laid over no connector"),
                hint: "name a connector of the workflow, and what its contract is to say instead".to_owned(),
            });
        };
        merge(&mut part.document, patch);
    }
    Ok(parts)
}

fn merge(document: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        match (document.get_mut(name), value) {
            (_, Value::Null) => {
                document.remove(name);
            }
            (Some(Value::Object(inner)), Value::Object(patch)) => merge(inner, patch),
            _ => {
                document.insert(name.clone(), value.clone());
            }
        }
    }
}

/// The three targets of one invocation.
struct Stage<'c> {
    call: &'c PracticeCall<'c>,
    services: Vec<(Target, Service)>,
    servers: Vec<Server>,
    /// The last call of earlier invocations at each target.
    before: BTreeMap<Target, i64>,
}

impl<'c> Stage<'c> {
    fn set(
        call: &'c PracticeCall<'c>,
        parts: &BTreeMap<PartId, Part>,
        clock: &Clock,
        world: &Arc<World>,
    ) -> Result<Self, PracticeError> {
        let (mut services, mut before) = (Vec::new(), BTreeMap::new());
        for (target, contract) in contracts(parts)? {
            let path = call.state_dir.join(target.database());
            let last = reading::last_call_in(call.state_dir, target);
            let failed = |source| PracticeError::Store { path: path.clone(), doing: "counting its calls", source };
            before.insert(target, last.map_err(failed)?);
            let own = |fault: &&FaultSpec| fault.connector.as_str() == target.name();
            let faults = ServiceFaults::new(call.faults.iter().filter(own).cloned().collect());
            let world = Arc::clone(world);
            let after_call = Box::new(move |connector: &str, name: &str, number| world.after(connector, name, number));
            let service = Service::open(target, contract, &path, call.durability, clock.clone())?;
            services.push((target, service.with_faults(faults).with_after_call(after_call)));
        }
        Ok(Self { call, services, servers: Vec::new(), before })
    }

    /// Starts every target; answers their addresses.
    fn start(&mut self) -> Result<BTreeMap<Target, String>, PracticeError> {
        let mut addresses = BTreeMap::new();
        for (target, service) in self.services.drain(..) {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            let server = Server::start(service, address).map_err(|error| PracticeError::Setup {
                what: format!("{} cannot listen: {error}", target.name()),
                hint: "the practice needs ports on 127.0.0.1".to_owned(),
            })?;
            addresses.insert(target, format!("http://{}", server.address()));
            self.servers.push(server);
        }
        Ok(addresses)
    }

    fn end(&mut self) {
        self.servers.clear();
    }

    /// The attempts of this invocation as the targets saw them, and the faults that fell.
    fn seen(&self) -> Result<(Vec<PracticeAttempt>, Vec<usize>), PracticeError> {
        let (mut attempts, mut fired) = (Vec::new(), Vec::new());
        let step = self.call.invocation["step"].as_u64().and_then(|step| u32::try_from(step).ok()).unwrap_or(1);
        for (target, before) in &self.before {
            let path = self.call.state_dir.join(target.database());
            let failed = |source| PracticeError::Store { path: path.clone(), doing: "reading its calls", source };
            let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
            for seen in calls_since(&connection, *before).map_err(failed)? {
                let faults = self.call.faults.iter().enumerate();
                let fell = |(_, fault): &(usize, &FaultSpec)| {
                    seen.fault.is_some()
                        && fault.connector.as_str() == target.name()
                        && fault.operation == seen.call
                        && fault.attempt == seen.number
                };
                fired.extend(faults.filter(fell).map(|(index, _)| index));
                let attempt = self.attempt(*target, step, seen, &attempts);
                attempts.extend(attempt);
            }
        }
        Ok((attempts, fired))
    }

    fn attempt(
        &self,
        target: Target,
        step: u32,
        seen: CallSeen,
        earlier: &[PracticeAttempt],
    ) -> Option<PracticeAttempt> {
        let operation = OperationId::new(seen.operation?);
        let all = self.call.attempts_so_far.iter().chain(earlier);
        let number = all.filter(|attempt| attempt.operation == operation).count() + 1;
        Some(PracticeAttempt {
            operation,
            connector: PartId::new(target.name()),
            call: seen.call.clone(),
            seen: AttemptSeen {
                number: u32::try_from(number).unwrap_or(u32::MAX),
                step,
                call: Some(Call { connector: PartId::new(target.name()), operation: seen.call }),
                identity: seen.identity,
                fault: seen.fault,
                answered: seen.answered?,
                exchange: None,
                behind: None,
            },
        })
    }
}
