//! `holdpoint practice r618`: the workflow on targets that run elsewhere, in real time.

use std::collections::BTreeMap;
use std::path::Path;

use rustix::process::{Signal, getpid, kill_process};

use crate::cli::Context;
use crate::cli::arguments::R618Arguments;
use crate::cli::failure::Failure;
use crate::domain::ExitCode;
use crate::manifest::PracticeName;
use crate::practice::r618::{Point, Process, Waypoints};
use crate::practice::targets::Target;

pub(super) fn run(context: &Context, arguments: &R618Arguments) -> Result<ExitCode, Failure> {
    if arguments.crash_points {
        let names: Vec<String> = Point::all().into_iter().map(Point::name).collect();
        context.console.say(names.join("\n"));
        return Ok(ExitCode::Passed);
    }
    let crash_at = arguments.crash_at.as_deref().map(point).transpose()?;
    let project = super::project(context)?;
    let address = |address: &Option<String>| address.clone().unwrap_or_default();
    let addresses = BTreeMap::from([
        (Target::CaseDesk, address(&arguments.case_desk)),
        (Target::Inventory, address(&arguments.inventory)),
        (Target::Messaging, address(&arguments.messaging)),
    ]);
    let parts = super::parts_of(&project, PracticeName::R618);
    let record = arguments.record.as_deref().unwrap_or(Path::new(""));
    let process = Process { parts: &parts, addresses: &addresses, record };
    let report = process.serve(&super::invocation()?["input"], &mut CrashAt(crash_at))?;
    context.console.document(&report)?;
    Ok(ExitCode::Passed)
}

fn point(name: &str) -> Result<Point, Failure> {
    let known = Point::all().into_iter().find(|point| point.name() == name);
    known.ok_or_else(|| Failure::usage(format!("`{name}` is no point; `--crash-points` lists them")))
}

/// Kills this very process where one point is reached: nothing that follows it is done, not even by a destructor.
struct CrashAt(Option<Point>);

impl Waypoints for CrashAt {
    fn reach(&mut self, point: Point) {
        if self.0 == Some(point) {
            // Once sent, the signal ends the process before the call returns.
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}
