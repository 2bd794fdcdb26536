//! `holdpoint pause`: a durable stop that every process of the project respects.

use crate::domain::ExitCode;
use crate::store::{Pause, Store};

use super::arguments::PauseCommand;
use super::failure::Failure;
use super::{Context, check};

pub(super) fn run(context: &Context, command: &PauseCommand) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    let switch = Store::of_project(&context.project_root).pause_switch();
    let failed = |error: crate::store::PauseError| Failure::internal(error.to_string());
    match command {
        PauseCommand::On(who) => {
            let pause = Pause {
                by: who.by.clone(),
                reason: who.reason.clone(),
                since: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            };
            switch.turn_on(&pause).map_err(failed)?;
            context.console.say("Paused. No new case starts in this project until `holdpoint pause off`.");
        }
        PauseCommand::Off => {
            let was_paused = switch.turn_off().map_err(failed)?;
            context.console.say(if was_paused { "The pause has ended." } else { "The project was not paused." });
        }
        PauseCommand::Status => match switch.current().map_err(failed)? {
            Some(pause) => {
                context.console.say(format!("Paused since {} by {}: {}", pause.since, pause.by, pause.reason));
                return Ok(ExitCode::Paused);
            }
            None => context.console.say("Not paused."),
        },
    }
    Ok(ExitCode::Passed)
}
