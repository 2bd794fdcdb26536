//! Workflows that are services: the invocation is POSTed as JSON.

use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body};

use crate::domain::WorkflowId;
use crate::evidence::{ErrorKind, TrialError};
use crate::manifest::{HttpWorkflow, WorkflowSpec};

use super::address::{check_address, check_free, shown};
use super::answer::{read_answer, read_error_answer, too_long};
use super::cancellation::Cancellation;
use super::client::{agent, unreached};
use super::command_workflow::uncapped;
use super::invocation::Invocation;
use super::program::{Program, Surroundings};
use super::service::{self, NotReady, Service};
use super::state_dir::StateDir;
use super::time_limit::{StepLimit, TimeLimit};
use super::workflow::{StepContext, StepEnd};

/// How long one readiness check waits for its answer.
pub(super) const READY_CHECK: Duration = Duration::from_secs(2);

/// A service as a workflow.
pub(super) struct HttpRunner<'a> {
    id: WorkflowId,
    spec: &'a WorkflowSpec,
    http: &'a HttpWorkflow,
    agent: Agent,
    start: Option<Program>,
    /// Started by the first trial that needs it; the others wait for that.
    service: OnceLock<Result<Option<Started>, TrialError>>,
    state_root: &'a Path,
    cancellation: &'a Cancellation,
}

/// The service, started for the length of the run, and its own state directory, which goes after it.
struct Started {
    service: Service,
    _state_dir: StateDir,
}

impl<'a> HttpRunner<'a> {
    /// Sets up the client and finds the start program.
    ///
    /// # Errors
    /// When an address cannot be used, or the start program is not to be found.
    pub(super) fn new(
        id: &WorkflowId,
        spec: &'a WorkflowSpec,
        http: &'a HttpWorkflow,
        surroundings: Surroundings<'_>,
        state_root: &'a Path,
        cancellation: &'a Cancellation,
    ) -> Result<Self, TrialError> {
        check_address(&http.url)?;
        if let Some(ready) = &http.ready {
            check_address(&ready.url)?;
        }
        let start =
            if http.start.is_empty() { None } else { Some(Program::find(&http.start, &http.env, surroundings)?) };
        let agent = agent(Some(Duration::from_secs(spec.timeout_s)));
        let in_flight = agent.clone();
        cancellation.when_forced(move || in_flight.clone().shutdown());
        Ok(Self { id: id.clone(), spec, http, agent, start, service: OnceLock::new(), state_root, cancellation })
    }

    /// Starts the service, unless it was started already.
    pub(super) fn make_ready(&self) {
        self.service.get_or_init(|| self.start());
    }

    /// POSTs the invocation and reads the answer.
    pub(super) fn invoke(&self, invocation: &Invocation<'_>, context: &StepContext<'_>) -> StepEnd {
        let service = match self.service.get_or_init(|| self.start()) {
            Ok(service) => service,
            Err(error) => return StepEnd::of(Err(error.clone())),
        };
        let time = TimeLimit::of_step(self.spec.timeout_s, context.until);
        let mut never_reached = false;
        let answer = invocation.to_bytes().and_then(|body| self.post(&body, time, &mut never_reached));
        if answer.is_err() && context.cancellation.is_forced() {
            return StepEnd::error(ErrorKind::Cancelled, "the connection was shut down: the run was cancelled");
        }
        let until_closed = answer.as_ref().is_ok_and(|answer| answer.until_closed);
        let end = answer.map_or_else(|error| StepEnd::of(Err(error)), |answer| self.read(&answer, context));
        let is = |kind| end.error.as_ref().is_some_and(|error| error.kind == kind);
        // Whatever answers once the service has ended is something else.
        let ended = |started: &Started| {
            if is(ErrorKind::Transport) {
                started.service.ended_by_now()
            } else if until_closed {
                started.service.ended_with_answer()
            } else {
                started.service.ended()
            }
        };
        let time_is_up = is(ErrorKind::Timeout) && time.of_all_steps().is_some();
        match service.as_ref().and_then(ended) {
            Some(ended) => StepEnd { error: Some(ended), ..end },
            None => StepEnd { unreached: never_reached, time_is_up, ..end },
        }
    }

    fn start(&self) -> Result<Option<Started>, TrialError> {
        let service = match &self.start {
            None => None,
            Some(program) => {
                check_free(&self.http.url)?;
                self.http.ready.as_ref().map_or(Ok(()), |ready| check_free(&ready.url))?;
                let name = service::folder_name(self.id.as_str());
                let state_dir = StateDir::create(self.state_root, &name, &[], false)?;
                let (command, ends_with_it) = (program.command(state_dir.path()), state_dir.path().to_owned());
                let service = Service::start(program, command, Some(ends_with_it))?;
                let capped = self.spec.memory_cap_bytes.map_or(Ok(()), |bytes| service.cap_memory(bytes));
                capped.map_err(|error| program.start_error(&uncapped(&error)))?;
                Some(Started { service, _state_dir: state_dir })
            }
        };
        let Some(ready) = &self.http.ready else { return Ok(service) };
        let agent = agent(Some(READY_CHECK));
        let timeout = Duration::from_secs(ready.timeout_s);
        match &service {
            Some(started) => {
                started.service.wait_until(|| check_ready(&agent, &ready.url), timeout, self.cancellation)?;
                started.service.settle(self.cancellation)?;
            }
            None => {
                service::wait_until(
                    || check_ready(&agent, &ready.url).map_err(NotReady::Yet),
                    timeout,
                    self.cancellation,
                )?;
            }
        }
        Ok(service)
    }

    /// Says also whether the service was never reached: only then may it be asked again. A connection that broke later may
    /// have carried all of the request, and whoever asks again may have it done twice.
    fn post(&self, body: &[u8], time: StepLimit, never_reached: &mut bool) -> Result<HttpAnswer, TrialError> {
        let request = self.agent.post(&self.http.url).config().timeout_global(Some(time.left)).build();
        let mut request = request.header("content-type", "application/json");
        for (name, value) in &self.http.headers {
            request = request.header(name, value);
        }
        let (response, reached_nothing) = unreached(|| request.send(body));
        *never_reached = reached_nothing;
        let mut response = response.map_err(|error| self.error(&error, time))?;
        let status = response.status().as_u16();
        let until_closed = response.body().content_length().is_none() && !is_chunked(&response);
        let mut body = Vec::new();
        // One byte more than allowed, to tell a full answer from one that goes on.
        let limit = (self.spec.output_cap_bytes as u64).saturating_add(1);
        let read = response.body_mut().with_config().limit(u64::MAX).reader().take(limit).read_to_end(&mut body);
        read.map_err(|error| self.error(&ureq::Error::from(error), time))?;
        if body.len() > self.spec.output_cap_bytes {
            return Err(too_long(self.spec.output_cap_bytes));
        }
        Ok(HttpAnswer { status, body, until_closed })
    }

    fn read(&self, answer: &HttpAnswer, context: &StepContext<'_>) -> StepEnd {
        let status = answer.status;
        let is_success = (200..300).contains(&status);
        let end = if is_success {
            StepEnd::of(read_answer(&answer.body, self.spec.answer))
        } else if context.judges_status {
            StepEnd::of(Ok(read_error_answer(&answer.body)))
        } else {
            StepEnd {
                answer: Some(read_error_answer(&answer.body)),
                ..StepEnd::error(ErrorKind::HttpStatus, format!("the service answered with the status {status}"))
            }
        };
        StepEnd { http_status: Some(status), ..end }
    }

    fn error(&self, error: &ureq::Error, time: StepLimit) -> TrialError {
        let url = shown(&self.http.url);
        let (kind, message) = match error {
            ureq::Error::Timeout(_) => {
                let limit = time.of_all_steps().map(|limit| format!("before {}", limit.phrase()));
                let limit = limit.unwrap_or_else(|| format!("within {} s", self.spec.timeout_s));
                (ErrorKind::Timeout, format!("{url} gave no whole answer {limit}"))
            }
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
                (ErrorKind::Setup, format!("no request can be made to {url}: {error}"))
            }
            _ => (ErrorKind::Transport, format!("the connection to {url} failed: {error}")),
        };
        TrialError { kind, message }
    }
}

struct HttpAnswer {
    status: u16,
    body: Vec<u8>,
    /// Whether nothing but the end of the connection says that the body is whole.
    until_closed: bool,
}

fn is_chunked(response: &Response<Body>) -> bool {
    let coding = response.headers().get("transfer-encoding").and_then(|value| value.to_str().ok());
    coding.is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"))
}

/// Whether `url` answers with a status of 2xx; if not, what it does instead.
pub(super) fn check_ready(agent: &Agent, url: &str) -> Result<(), String> {
    match agent.get(url).call() {
        Ok(response) if response.status().is_success() => Ok(()),
        Ok(response) => Err(format!("{} answers with the status {}", shown(url), response.status().as_u16())),
        Err(error) => Err(format!("{}: {error}", shown(url))),
    }
}

#[cfg(test)]
mod tests;
