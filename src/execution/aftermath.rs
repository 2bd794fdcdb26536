//! What a trial's steps have left: the calls that were seen, what the targets show, and what both support.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::domain::PartId;
use crate::evidence::{
    Delivered, ErrorKind, Exchange, Forwarded, LookHad, MayLand, Observation, ProbedTarget, Reading, TrialError,
    attempts_at_operations, excerpt, may_land,
};
use crate::manifest::{Case, ConnectorManifest, Effect, FaultSpec, Grader, Probe};
use crate::proxy::Seen;

use super::operations::Traces;
use super::practice_workflow::PracticeMemory;
use super::probes::{self, Looked, OnTheWay, Targets};
use super::trial::{Surrounding, graders};
use super::wiring::{Wiring, answer_first};
use super::workflow::Workflow;

/// A trial after its last step.
pub(super) struct Aftermath<'a> {
    pub(super) case: &'a Case,
    pub(super) trial: u32,
    pub(super) workflow: &'a Workflow<'a>,
    pub(super) surrounding: Surrounding<'a>,
    pub(super) state_dir: &'a Path,
    pub(super) memory: &'a PracticeMemory,
}

impl Aftermath<'_> {
    /// Closes the proxy, looks at the targets, which must still run, and concludes what became of each operation. All
    /// times are counted from `origin`.
    pub(super) fn observe(&self, wiring: &mut Wiring<'_>, origin: Instant, observation: &mut Observation) {
        let last_call = origin.elapsed();
        let Seen { mut exchanges, fired, missed, late, unrecorded } = wiring.close(self.surrounding.cancellation);
        let fired: BTreeSet<usize> = fired.union(&self.memory.fired).copied().collect();
        let manifests = self.workflow.wired.manifests();
        let to_come = ToCome {
            manifests: &manifests,
            answer_first: answer_first(&manifests),
            exchanges: &exchanges,
            ends_with_its_step: self.workflow.ends_with_its_step(),
        };
        let on_the_way = |probe: &Probe| to_come.on_the_way(probe);
        let Looked { readings, looks } =
            self.look(wiring, &probes::Aftermath { origin, last_call, late, on_the_way: &on_the_way });
        let troubles = troubles(&exchanges);
        let latecomers = wiring.latecomers();
        let went_on = went_on(&latecomers, &manifests);
        exchanges.extend(latecomers);
        let traces = Traces {
            case: self.case,
            steps: &observation.steps,
            memory: self.memory,
            attempts: attempts_at_operations(&exchanges, &manifests),
            exchanges: &exchanges,
            targets: self.targets(&readings, &looks),
        };
        observation.operations = traces.operations();
        say_what_was_open(observation, &exchanges);
        (observation.readings, observation.looks, observation.exchanges) = (readings, looks, exchanges);
        match &mut observation.error {
            Some(error) if error.kind == ErrorKind::Cancelled => {}
            // What the workflow made of it says less than what it was.
            Some(error) => error.message.extend(troubles.iter().map(|trouble| format!("; {trouble}"))),
            None => {
                observation.error = wiring
                    .ended()
                    .or_else(|| self.not_fired(&fired, &missed))
                    .or_else(|| in_trouble(&troubles))
                    .or(went_on)
                    .or_else(|| too_many(unrecorded));
            }
        }
    }

    fn look(&self, wiring: &Wiring<'_>, aftermath: &probes::Aftermath<'_>) -> Looked {
        let of_effects = graders(self.case).filter_map(|(_, grader)| match grader {
            Grader::Effects(effects) => Some(effects.probe),
            _ => None,
        });
        let for_operations = self.operation_probes().map(|(name, _)| name.clone());
        let targets = Targets {
            probes: &self.surrounding.project.file.probes,
            case: &self.case.id,
            trial: self.trial,
            state_dir: self.state_dir,
            addresses: &wiring.upstreams,
            programs: self.surrounding.programs,
            asker: self.surrounding.asker,
            in_front_of: &|origin, timeout| self.surrounding.proxy.in_front_of(origin, timeout),
            cancellation: self.surrounding.cancellation,
        };
        targets.look(of_effects.chain(for_operations).collect(), aftermath)
    }

    /// The probes that give evidence for operations of this trial's workflow.
    fn operation_probes(&self) -> impl Iterator<Item = (&String, &Probe)> {
        let probes = self.surrounding.project.file.probes.iter();
        let is_of_workflow = |probe: &Probe| probe.workflow.as_ref().is_none_or(|named| *named == self.case.workflow);
        probes.filter(move |(_, probe)| probe.operation.is_some() && is_of_workflow(probe))
    }

    fn targets<'r>(
        &'r self,
        readings: &'r BTreeMap<String, Reading>,
        looks: &'r BTreeMap<String, LookHad>,
    ) -> Vec<ProbedTarget<'r>> {
        let targets = self
            .operation_probes()
            .filter_map(|(name, probe)| ProbedTarget::new(name, probe, readings.get(name)?, looks.get(name)?));
        targets.collect()
    }

    /// `missed` says why faults that fell on a call came to nothing.
    fn not_fired(&self, fired: &BTreeSet<usize>, missed: &BTreeMap<usize, String>) -> Option<TrialError> {
        let why = |index: usize| missed.get(&index).map(|why| format!(" ({why})")).unwrap_or_default();
        let not_fired = self.case.faults.iter().enumerate().filter(|(index, _)| !fired.contains(index));
        let not_fired: Vec<String> = not_fired
            .map(|(index, fault)| {
                let FaultSpec { attempt, connector, operation, .. } = fault;
                format!("attempt {attempt} at {connector}/{operation}{}", why(index))
            })
            .collect();
        let message = format!("a fault was scheduled and never fired: {}", not_fired.join(", "));
        (!not_fired.is_empty()).then_some(TrialError { kind: ErrorKind::FaultNotFired, message })
    }
}

/// Calls of which an error tells at the most.
const TOLD: usize = 3;

/// How much of a call's path is shown, in characters.
const SHOWN: usize = 100;

/// What went wrong between the runner and a target, a sentence each: a target that is down, speaks no HTTP, or gives no
/// whole answer by itself is no finding about the workflow. What a fault or the caller did to a call is not among it.
fn troubles(exchanges: &[Exchange]) -> Vec<String> {
    exchanges.iter().filter_map(trouble).take(TOLD).collect()
}

fn trouble(exchange: &Exchange) -> Option<String> {
    const GATEWAY: [Option<u16>; 2] = [Some(502), Some(504)];
    let Exchange { number, connector, problem, .. } = exchange;
    let in_its_place = exchange.status.is_none() && GATEWAY.contains(&exchange.delivered_status);
    let broken_off = exchange.answer.as_ref().is_some_and(|answer| answer.digest.is_none());
    let undelivered = exchange.status.is_some() && exchange.delivered == Delivered::No;
    let is_trouble = in_its_place || broken_off || undelivered;
    let problem = problem.as_ref().filter(|_| exchange.fault.is_none() && is_trouble)?;
    Some(format!("call {number}, to the connector `{connector}`: {problem}"))
}

/// Adds to how a step ended badly which of its calls had no whole answer when the workflow let go of them: whoever waits for a
/// target in vain shows nothing but its own impatience.
fn say_what_was_open(observation: &mut Observation, exchanges: &[Exchange]) {
    let step_of_error = observation.steps.last().map(|step| step.number);
    let failures = observation.steps.iter_mut().filter_map(|step| Some((step.number, step.failure.as_mut()?)));
    let error = step_of_error.zip(observation.error.as_mut());
    for (step, failure) in failures.chain(error) {
        let open = exchanges.iter().filter(|exchange| exchange.step == step).filter_map(still_open);
        failure.message.extend(open.take(TOLD).map(|open| format!("; {open}")));
    }
}

/// What was open of a call that its caller let go of while the target's answer was awaited; `None` of any other, above all of
/// one that a fault fell on.
fn still_open(exchange: &Exchange) -> Option<String> {
    let Exchange { number, connector, method, begun_us, ended_us, .. } = exchange;
    let is_whole = exchange.answer.as_ref().is_some_and(|answer| answer.digest.is_some());
    let is_awaited = exchange.forwarded != Forwarded::No && exchange.fault.is_none();
    if is_whole || !is_awaited || exchange.delivered == Delivered::Whole || trouble(exchange).is_some() {
        return None;
    }
    let missing = match (&exchange.answer, exchange.status) {
        (Some(answer), Some(status)) => {
            format!("its answer, of status {status}, had not ended after {} bytes", answer.bytes)
        }
        _ => "no answer to it had begun".to_owned(),
    };
    let path = path(exchange);
    let waited_s = Duration::from_micros(ended_us.saturating_sub(*begun_us)).as_secs_f64();
    let call = format!("call {number}, to the connector `{connector}` ({method} {path})");
    Some(format!("{call}, was still open: {missing} when the workflow let go of it after {waited_s:.1} s"))
}

fn in_trouble(troubles: &[String]) -> Option<TrialError> {
    let message = troubles.join("; ");
    (!troubles.is_empty()).then_some(TrialError { kind: ErrorKind::Transport, message })
}

/// The error that stands for writing calls which came when the workflow had ended its last step. In a trial they go nowhere, and
/// outside of one they would have been done: what the targets show is then not what the workflow does.
fn went_on(latecomers: &[Exchange], manifests: &BTreeMap<PartId, Arc<ConnectorManifest>>) -> Option<TrialError> {
    let writes = latecomers.iter().filter(|exchange| may_write(exchange, manifests));
    let told: Vec<String> = writes.take(TOLD).map(|call| format!("{} {}", call.method, path(call))).collect();
    let message = format!(
        "the workflow went on after its last step, and what it then asked for was not done: {}",
        told.join(", ")
    );
    (!told.is_empty()).then_some(TrialError { kind: ErrorKind::WentOn, message })
}

/// Whether a call would change something, as its manifest says; of one that none describes, as its method does.
fn may_write(exchange: &Exchange, manifests: &BTreeMap<PartId, Arc<ConnectorManifest>>) -> bool {
    let operation =
        exchange.operation.as_ref().and_then(|name| manifests.get(&exchange.connector)?.operations.get(name));
    match operation {
        Some(operation) => operation.effect != Effect::None,
        None => !exchange.is_safe(),
    }
}

/// A call's path, as much of it as is shown.
fn path(exchange: &Exchange) -> String {
    excerpt(exchange.target.split('?').next().unwrap_or_default(), SHOWN)
}

fn too_many(unrecorded: u64) -> Option<TrialError> {
    let message = format!("the workflow made more calls than a trial can hold: {unrecorded} are not recorded");
    (unrecorded > 0).then_some(TrialError { kind: ErrorKind::OutputCap, message })
}

/// What can still come to a target when the steps are over.
struct ToCome<'a> {
    manifests: &'a BTreeMap<PartId, Arc<ConnectorManifest>>,
    answer_first: BTreeSet<String>,
    exchanges: &'a [Exchange],
    ends_with_its_step: bool,
}

impl ToCome<'_> {
    fn on_the_way(&self, probe: &Probe) -> OnTheWay {
        let connector = probe.of.as_deref().and_then(|of| of.split_once('/')).map(|(connector, _)| connector);
        let concerns = |exchange: &&Exchange| connector.is_none_or(|named| exchange.connector.as_str() == named);
        let calls = self.exchanges.iter().filter(concerns);
        let open: Vec<MayLand> = calls.filter_map(|call| may_land(call, self.manifests)).collect();
        // What is passed on is closed by now; whatever goes another way can still come from a service.
        let is_closed = connector.is_some_and(|connector| self.manifests.contains_key(connector));
        let not_at_once = if !self.ends_with_its_step && !is_closed {
            Some("The service that was asked can still write.")
        } else if probe.of.as_ref().is_some_and(|of| self.answer_first.contains(of)) {
            Some("The target answers before the effect exists, and the probe does not say how it settles.")
        } else if open.contains(&MayLand::Whenever) {
            Some(
                "A call got no answer that says whether it was done, and may still take effect: neither its contract \
                 (`processing`) nor the probe (`settle`) says until when.",
            )
        } else {
            None
        };
        let until = open.iter().filter_map(|open| match open {
            MayLand::Until(until) => Some(*until),
            MayLand::Whenever => None,
        });
        OnTheWay { not_at_once, until: until.max().unwrap_or_default() }
    }
}
