//! `holdpoint practice case-desk | inventory | messaging`: one target service, until its process is ended.

use std::path::Path;

use serde_json::json;

use crate::cli::Context;
use crate::cli::arguments::ServiceArguments;
use crate::cli::failure::Failure;
use crate::domain::{ExitCode, PartId};
use crate::manifest::{DiskFiles, FaultName, FaultSpec, Part, load_part};
use crate::practice::Durability;
use crate::practice::targets::{Clock, Contract, Server, Service, ServiceFaults, Target};

/// Serves, and prints where it listens as one line of JSON.
pub(super) fn run(context: &Context, target: Target, arguments: &ServiceArguments) -> Result<ExitCode, Failure> {
    let part = match &arguments.contract {
        Some(file) => contract_in(file)?,
        None => super::project(context)?.parts.get(target.name()).cloned().ok_or_else(|| Failure::Other {
            code: ExitCode::Usage,
            text: format!("the project has no connector `{}`", target.name()),
            hint: Some("name its manifest with --contract".to_owned()),
        })?,
    };
    let faults = arguments.faults.iter().map(|text| fault(target, text)).collect::<Result<_, _>>()?;
    let contract = Contract::of(&part)?;
    let service = Service::open(target, contract, &arguments.database, Durability::Process, Clock::System)?;
    let service = service.with_faults(ServiceFaults::new(faults));
    let server = Server::start(service, arguments.listen)
        .map_err(|error| Failure::internal(format!("cannot listen at {}: {error}", arguments.listen)))?;
    let address = format!("http://{}", server.address());
    context.console.document(&json!({"target": target.name(), "address": address}).to_string())?;
    server.serve_forever();
    Ok(ExitCode::Passed)
}

fn contract_in(file: &Path) -> Result<Part, Failure> {
    let no_file = || Failure::usage(format!("`{}` names no file", file.display()));
    let name = file.file_name().and_then(|name| name.to_str()).ok_or_else(no_file)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    load_part(&DiskFiles::new(folder), name).map_err(Failure::Invalid)
}

/// `reserve:1:lost_ack`, or with seconds `reserve:2:unavailable:3`.
fn fault(target: Target, text: &str) -> Result<FaultSpec, Failure> {
    let wrong = || {
        let known = FaultName::ALL.into_iter().filter(|fault| fault.is_known_to_practice());
        let names = known.map(FaultName::name).collect::<Vec<_>>().join(", ");
        Failure::usage(format!("`{text}` is no fault: expected OPERATION:ATTEMPT:FAULT[:SECONDS]; faults: {names}"))
    };
    let fields: Vec<&str> = text.split(':').collect();
    let (operation, attempt, name, seconds) = match fields.as_slice() {
        [operation, attempt, name] => (operation, attempt, name, None),
        [operation, attempt, name, seconds] => {
            (operation, attempt, name, Some(seconds.parse::<f64>().map_err(|_| wrong())?))
        }
        _ => return Err(wrong()),
    };
    let attempt = attempt.parse().map_err(|_| wrong())?;
    let known = || FaultName::ALL.into_iter().filter(|fault| fault.is_known_to_practice());
    let fault = known().find(|fault| fault.name() == *name).ok_or_else(wrong)?;
    Ok(FaultSpec { seconds, ..FaultSpec::new(PartId::new(target.name()), *operation, attempt, fault) })
}
