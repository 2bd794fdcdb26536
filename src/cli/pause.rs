//! `holdpoint pause`: a durable stop that every process of the project respects.

use crate::domain::ExitCode;
use crate::store::{Pause, PauseError, Store};

use super::arguments::{PauseCommand, WhoAndWhy};
use super::failure::Failure;
use super::{Context, check};

pub(super) fn run(context: &Context, command: &PauseCommand) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    let switch = Store::of_project(&context.project_root).pause_switch();
    let failed = |error: PauseError| Failure::internal(error.to_string());
    match command {
        PauseCommand::On(who) => {
            let pause = signed(who)?;
            match switch.current() {
                Ok(Some(stands)) if stands.by == pause.by && stands.reason == pause.reason => {
                    context.console.say(format!("Paused already, since {}.", stands.since));
                    return Ok(ExitCode::Passed);
                }
                Ok(Some(stands)) => return Err(stands_already(&stands)),
                // A file that does not read as a pause holds nobody's word that could be lost.
                Ok(None) | Err(PauseError::Content { .. }) => switch.turn_on(&pause).map_err(failed)?,
                Err(error) => return Err(failed(error)),
            }
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

/// A pause with a name and a reason: whoever meets it has to know whom to ask.
fn signed(who: &WhoAndWhy) -> Result<Pause, Failure> {
    let (by, reason) = (who.by.trim(), who.reason.trim());
    if by.is_empty() {
        return Err(Failure::usage("a pause needs the name of who pauses"));
    }
    if reason.is_empty() {
        return Err(Failure::usage("a pause needs a reason"));
    }
    Ok(Pause {
        by: by.to_owned(),
        reason: reason.to_owned(),
        since: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    })
}

/// Nobody's pause is replaced by another's: whoever paused first may still rely on it.
fn stands_already(pause: &Pause) -> Failure {
    Failure::Other {
        code: ExitCode::Usage,
        text: format!("the project is paused already, since {} by {}: {}", pause.since, pause.by, pause.reason),
        hint: Some("That pause stands. To put another in its place, end it first: `holdpoint pause off`.".to_owned()),
    }
}
