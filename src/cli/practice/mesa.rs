//! `holdpoint practice mesa`: one invocation of the review desk, with commits that wait for the disk.

use std::fs;

use rustix::process::{Signal, getpid, kill_process};

use crate::cli::Context;
use crate::cli::arguments::MesaArguments;
use crate::cli::failure::Failure;
use crate::domain::ExitCode;
use crate::manifest::PracticeName;
use crate::practice::mesa::{Point, Waypoints, Write, invoke_watched};
use crate::practice::{Durability, PracticeCall};

pub(super) fn run(context: &Context, arguments: &MesaArguments) -> Result<ExitCode, Failure> {
    let Some(state_dir) = arguments.state_dir.as_ref().filter(|_| !arguments.crash_points) else {
        let names: Vec<String> = Point::all().into_iter().map(Point::name).collect();
        context.console.say(names.join("\n"));
        return Ok(ExitCode::Passed);
    };
    let crash_at = CrashAt(arguments.crash_at.as_deref().map(point).transpose()?);
    let project = super::project(context)?;
    let invocation = super::invocation()?;
    fs::create_dir_all(state_dir)?;
    let call = PracticeCall {
        invocation: &invocation,
        parts: &super::parts_of(&project, PracticeName::Mesa),
        texts: &project.texts,
        state_dir,
        faults: &[],
        attempts_so_far: &[],
        durability: Durability::Process,
    };
    let answer = invoke_watched(&call, &crash_at)?;
    context.console.document(&answer.text)?;
    crash_at.reach(Point::After(Write::Answer));
    Ok(ExitCode::Passed)
}

fn point(name: &str) -> Result<Point, Failure> {
    let unknown = || Failure::usage(format!("there is no point `{name}`; `--crash-points` lists them"));
    Point::all().into_iter().find(|point| point.name() == name).ok_or_else(unknown)
}

/// Kills this very process where the point is reached: nothing that follows is done, not even by a destructor.
struct CrashAt(Option<Point>);

impl Waypoints for CrashAt {
    fn reach(&self, point: Point) {
        if self.0 == Some(point) {
            // The signal cannot be caught: there is no return from a kill that was sent.
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}
