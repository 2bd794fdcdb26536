//! Command probes: a program of the project that asks a target and prints the effects.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::domain::{CaseId, PartId};
use crate::evidence::Reading;
use crate::manifest::CommandProbe;

use super::super::cancellation::Cancellation;
use super::super::command_workflow::end_error;
use super::super::orphans::{Spare, end_orphans};
use super::super::process::{self, Limits};
use super::super::program::{Program, Surroundings};
use super::{BYTE_CAP, lines};

const SCHEMA: &str = "holdpoint.probe/1";

/// What the program gets on standard input.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ProbeInput<'a> {
    schema: &'static str,
    probe: &'a str,
    case: &'a CaseId,
    trial: u32,
    state_dir: &'a Path,
    /// Where the connectors' targets listen: their own addresses, past the faults.
    connectors: &'a BTreeMap<PartId, String>,
}

impl<'a> ProbeInput<'a> {
    pub(super) fn new(
        probe: &'a str,
        case: &'a CaseId,
        trial: u32,
        state_dir: &'a Path,
        connectors: &'a BTreeMap<PartId, String>,
    ) -> Self {
        Self { schema: SCHEMA, probe, case, trial, state_dir, connectors }
    }
}

/// Runs the program. Every failure is a reading of its own.
pub(super) fn ask(
    probe: &CommandProbe,
    input: &ProbeInput<'_>,
    surroundings: Surroundings<'_>,
    cancellation: &Cancellation,
) -> Reading {
    let printed = run(probe, input, surroundings, cancellation);
    let read = printed.and_then(|printed| {
        lines::read(&printed).map_err(|reason| format!("what `{}` printed: {reason}", probe.run.join(" ")))
    });
    read.map_or_else(Reading::Unreadable, Reading::Effects)
}

fn run(
    probe: &CommandProbe,
    input: &ProbeInput<'_>,
    surroundings: Surroundings<'_>,
    cancellation: &Cancellation,
) -> Result<Vec<u8>, String> {
    let surroundings = surroundings.started_in(probe.started_in.as_deref());
    let program = Program::find(&probe.run, &probe.env, surroundings).map_err(|error| error.message)?;
    let mut bytes = serde_json::to_vec(input).map_err(|error| error.to_string())?;
    bytes.push(b'\n');
    let limits = Limits { timeout: Duration::from_secs(probe.timeout_s), output_cap: BYTE_CAP, cancellation };
    let finished = process::run(program.command(input.state_dir), &bytes, &limits)
        .map_err(|error| program.start_error(&error).message)?;
    if finished.held_open {
        end_orphans(input.state_dir, Spare::Targets);
    }
    match end_error(program.name(), &finished, probe.timeout_s, BYTE_CAP) {
        Some(error) => Err(error.message),
        None => Ok(finished.stdout),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::manifest::WorkflowEnv;

    fn ask_script(script: &str) -> Reading {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("probe.sh"), script).unwrap();
        let probe = CommandProbe {
            run: vec!["sh".to_owned(), "probe.sh".to_owned()],
            env: WorkflowEnv::default(),
            timeout_s: 1,
            started_in: None,
        };
        let environment = [("PATH".to_owned(), env!("PATH").to_owned())].into();
        let surroundings = Surroundings { root: root.path(), environment: &environment };
        let connectors = [("shop".into(), "http://127.0.0.1:7".to_owned())].into();
        let case = "c".into();
        let input = ProbeInput::new("orders", &case, 2, root.path(), &connectors);
        ask(&probe, &input, surroundings, &Cancellation::new().unwrap())
    }

    fn unreadable(script: &str) -> String {
        match ask_script(script) {
            Reading::Unreadable(reason) => reason,
            Reading::Effects(effects) => panic!("read {effects:?}"),
        }
    }

    #[test]
    fn a_program_is_told_what_it_is_asked_and_prints_effects() {
        let Reading::Effects(effects) = ask_script("cat\n") else { panic!("unreadable") };
        assert_eq!(effects[0]["schema"], "holdpoint.probe/1");
        assert_eq!(effects[0]["probe"], "orders");
        assert_eq!((&effects[0]["case"], &effects[0]["trial"]), (&json!("c"), &json!(2)));
        assert_eq!(effects[0]["connectors"], json!({"shop": "http://127.0.0.1:7"}));
    }

    #[test]
    fn a_program_that_fails_hangs_or_prints_something_else_has_read_nothing() {
        assert!(unreadable("echo '{\"a\": 1}'; echo no table >&2; exit 3\n").contains("no table"));
        assert!(unreadable("sleep 20\n").contains("more than 1 s"));
        assert!(unreadable("echo two rows\n").contains("what `sh probe.sh` printed: line 1"));
        assert!(unreadable("while :; do echo '{\"a\": 1}'; done\n").contains("was ended"));
        assert!(unreadable("kill -9 $$\n").contains("signal"));
    }
}
