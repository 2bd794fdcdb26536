//! Questions to the targets after the last step: asked within limits, as often as a probe's settling rule says.
//!
//! The question is the project's; whatever answers it is the workflow's or a target's, and so hostile.

mod command;
mod file;
mod http;
mod inside;
mod lines;
mod settle;
mod sql;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::domain::{CaseId, PartId};
use crate::evidence::{LookHad, Reading};
use crate::manifest::{HttpProbe, Probe};
use crate::proxy::TrialProxy;

use super::address::shown;
use super::cancellation::Cancellation;
use super::program::Surroundings;

use command::ProbeInput;
use settle::{Circumstances, Finished, Glimpse, Next};

pub(super) use http::HttpAsker;
pub(super) use settle::OnTheWay;

/// Effects that are read at the most. A longer answer is no answer: counting a part of it would be wrong.
const EFFECT_CAP: usize = 10_000;

/// Bytes of an answer that are read at the most.
const BYTE_CAP: usize = 16 * 1024 * 1024;

/// The targets of one trial, and who asks them.
pub(super) struct Targets<'a> {
    pub(super) probes: &'a BTreeMap<String, Probe>,
    pub(super) case: &'a CaseId,
    pub(super) trial: u32,
    pub(super) state_dir: &'a Path,
    /// Where the connectors' targets listen: their own addresses, past the faults.
    pub(super) addresses: &'a BTreeMap<PartId, String>,
    pub(super) programs: Surroundings<'a>,
    pub(super) asker: &'a HttpAsker,
    /// Puts plain HTTP in front of an origin (`https://host:port`) that is asked by TLS.
    pub(super) in_front_of: &'a dyn Fn(&str, Duration) -> Result<InFront, String>,
    pub(super) cancellation: &'a Cancellation,
}

/// Plain HTTP in front of one origin.
pub(super) struct InFront {
    /// Its address, without a path.
    pub(super) address: String,
    /// What passes it on. It serves as long as it is held.
    pub(super) server: TrialProxy,
}

/// When the steps of a trial had ended, and what they left.
pub(super) struct Aftermath<'a> {
    /// When the first step began: all times are counted from here.
    pub(super) origin: Instant,
    /// When the last step had ended.
    pub(super) last_call: Duration,
    /// Whether something that was forwarded is still on its way.
    pub(super) late: bool,
    /// What may yet come to the target of a probe.
    pub(super) on_the_way: &'a dyn Fn(&Probe) -> OnTheWay,
}

/// What the probes of a trial read, and how each look was had.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) readings: BTreeMap<String, Reading>,
    pub(super) looks: BTreeMap<String, LookHad>,
}

impl Targets<'_> {
    /// Looks by every probe named, and by those that are to confirm one of these, each when its rule is satisfied or
    /// can no longer be.
    pub(super) fn look(&self, names: BTreeSet<String>, aftermath: &Aftermath<'_>) -> Looked {
        let mut looked = Looked::default();
        for name in self.in_order(names) {
            let (reading, had) = self.look_by(&name, aftermath);
            looked.readings.insert(name.clone(), reading);
            looked.looks.insert(name, had);
        }
        self.confirm(&mut looked);
        looked
    }

    /// The probes with those that confirm them, each before the one that is to confirm it.
    fn in_order(&self, names: BTreeSet<String>) -> Vec<String> {
        let confirmed_by = |name: &String| self.probes.get(name).and_then(|probe| probe.settle.confirmed_by.clone());
        let mut length: BTreeMap<String, usize> = BTreeMap::new();
        for name in names {
            let chain: Vec<String> =
                std::iter::successors(Some(name), confirmed_by).take(self.probes.len() + 1).collect();
            for (distance, name) in chain.into_iter().rev().enumerate() {
                length.insert(name, distance);
            }
        }
        let mut order: Vec<String> = length.keys().cloned().collect();
        order.sort_by_key(|name| std::cmp::Reverse(length[name]));
        order
    }

    fn look_by(&self, name: &str, aftermath: &Aftermath<'_>) -> (Reading, LookHad) {
        let Some(probe) = self.probes.get(name) else {
            let reason = format!("the project has no probe `{name}` any more");
            let had = LookHad { at_us: 0, readings: 0, settled: false, authoritative: false, why: reason.clone() };
            return (Reading::Unreadable(reason), had);
        };
        let now = Circumstances {
            last_call: aftermath.last_call,
            begun: aftermath.origin.elapsed(),
            late: aftermath.late,
            on_the_way: (aftermath.on_the_way)(probe),
        };
        let (mut own, mut pending, mut reading) = (Vec::new(), Vec::new(), None);
        let (settled, why) = loop {
            let next = settle::next(&probe.settle, &own, &pending, &now);
            let (Next::Ask(then) | Next::AskWhatIsOnItsWay(then)) = next else {
                let Next::Done { settled, why } = next else { continue };
                break (settled, why);
            };
            if !self.wait_until(then, aftermath.origin) {
                break (false, "The run was cancelled while the look was waited for.".to_owned());
            }
            if let (Next::AskWhatIsOnItsWay(_), Some(rule)) = (&next, &probe.settle.until_empty) {
                let seen = self.ask_by(&rule.probe);
                pending.push(Glimpse::new(aftermath.origin.elapsed(), &seen));
            } else {
                let seen = self.ask(name, probe);
                own.push(Glimpse::new(aftermath.origin.elapsed(), &seen));
                reading = Some(seen);
            }
        };
        let readings = u32::try_from(own.len()).unwrap_or(u32::MAX);
        let reading = reading.unwrap_or_else(|| self.ask(name, probe));
        let at = own.last().map_or_else(|| aftermath.origin.elapsed(), |last| last.at);
        let at_us = u64::try_from(at.as_micros()).unwrap_or(u64::MAX);
        let authoritative = probe.authoritative;
        (reading, LookHad { at_us, readings: readings.max(1), settled, authoritative, why })
    }

    /// Waits until that time has come; `false` where the run was forced to end meanwhile.
    fn wait_until(&self, then: Duration, origin: Instant) -> bool {
        let wait = then.saturating_sub(origin.elapsed());
        if wait.is_zero() { !self.cancellation.is_forced() } else { !self.cancellation.wait(wait) }
    }

    fn confirm(&self, looked: &mut Looked) {
        let named = |name: &str, looked: &Looked| {
            let (reading, had) = (looked.readings.get(name)?.clone(), looked.looks.get(name)?.clone());
            Some((reading, had, self.probes.get(name)?.operation.as_deref()))
        };
        // From the last of a chain to its first, so that one that is confirmed can confirm another.
        for name in self.in_order(looked.readings.keys().cloned().collect()).into_iter().rev() {
            let Some(second) = self.probes.get(&name).and_then(|probe| probe.settle.confirmed_by.as_deref()) else {
                continue;
            };
            let (Some(own), Some(confirming)) = (named(&name, looked), named(second, looked)) else { continue };
            if !settle::awaits_confirmation(&own.1) {
                continue;
            }
            let (settled, why) = settle::confirm(
                Finished { reading: &own.0, had: &own.1, column: own.2 },
                second,
                Finished { reading: &confirming.0, had: &confirming.1, column: confirming.2 },
            );
            looked.looks.insert(name, LookHad { settled, why, ..own.1 });
        }
    }

    fn ask_by(&self, name: &str) -> Reading {
        match self.probes.get(name) {
            Some(probe) => self.ask(name, probe),
            None => Reading::Unreadable(format!("the project has no probe `{name}` any more")),
        }
    }

    /// One question and its answer.
    fn ask(&self, name: &str, probe: &Probe) -> Reading {
        if let Some(sql) = &probe.sql {
            sql::ask(sql, self.state_dir)
        } else if let Some(file) = &probe.file {
            file::ask(file, self.state_dir)
        } else if let Some(command) = &probe.command {
            let input = ProbeInput::new(name, self.case, self.trial, self.state_dir, self.addresses);
            command::ask(command, &input, self.programs, self.cancellation)
        } else if let Some(http) = &probe.http {
            self.ask_by_http(http).unwrap_or_else(Reading::Unreadable)
        } else {
            Reading::Unreadable(format!("the probe `{name}` asks nothing"))
        }
    }

    fn ask_by_http(&self, probe: &HttpProbe) -> Result<Reading, String> {
        let url = match &probe.connector {
            None => probe.path.clone(),
            Some(connector) => {
                let address = self.addresses.get(connector);
                let address = address.ok_or_else(|| format!("this trial has no target for `{connector}`"))?;
                format!("{}{}", address.trim_end_matches('/'), probe.path)
            }
        };
        let Some((origin, path)) = secure_origin(&url) else { return Ok(self.asker.ask(probe, &url, &shown(&url))) };
        let front = (self.in_front_of)(origin, Duration::from_secs(probe.timeout_s))?;
        let reading = self.asker.ask(probe, &format!("{}{path}", front.address), &shown(&url));
        let seen = front.server.finish();
        Ok(match seen.exchanges.into_iter().find_map(|exchange| exchange.problem) {
            Some(problem) => Reading::Unreadable(format!("{}: {problem}", shown(&url))),
            None => reading,
        })
    }
}

/// The origin and the rest of an address that is asked by TLS.
fn secure_origin(url: &str) -> Option<(&str, &str)> {
    const SCHEME: &str = "https://";
    let host = url.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME)).map(|_| SCHEME.len())?;
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    Some((&url[..end], &url[end..]))
}

#[cfg(test)]
mod tests;
