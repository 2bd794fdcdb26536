//! `backoff`: how long the waits between attempts are.

use super::attempts::micros;
use super::rows::{Row, rows};
use crate::grading::contract::Terms;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject};
use crate::manifest::{BackoffCheck, CallsMeant, Jitter, Retry};

/// By which part of itself, and by how many seconds at least, a wait may be shorter than stated: clocks are read at both ends.
const SHORTER: (f64, f64) = (0.05, 0.01);
/// By which part of itself, and by how many seconds at least, a wait may be longer than stated: a busy machine adds to it.
const LONGER: (f64, f64) = (0.5, 0.5);

const SECOND_US: f64 = 1_000_000.0;

impl Judge for BackoffCheck {
    const DOC: GraderDoc = GraderDoc {
        name: "backoff",
        summary: "The waits between attempts, from the end of one that did not succeed to the beginning of the next in the \
                  same step: with `grows` none is shorter than the one before and the last is longer than the first, as far as \
                  the manifest's cap allows; with `jitter` at least one falls short of what the manifest's backoff gives \
                  without chance; with `follows_manifest` each is one that the manifest's backoff and jitter allow; `at_least_s` \
                  and `at_most_s` bound each as it was measured. A wait may be 5 % or 10 ms shorter and half as long again or \
                  0.5 s longer than stated. A wait after a Retry-After is left out. No judgement: calls that were not seen, no \
                  wait at all, fewer than two waits for `grows` and `jitter`, no base in the manifest, and `grows` under a \
                  jitter that lets waits shrink.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let meant = CallsMeant { operation: self.operation.clone(), call: self.call.clone() };
        let terms = Terms::of(subject.case, subject.context);
        let rows = rows(subject, &meant)?;
        let mut waits = Vec::new();
        for row in &rows {
            waits.extend(series_of(row)?.into_iter().map(|series| (row, series)));
        }
        if waits.is_empty() {
            return Err(NoJudgement::new("nothing was tried again after an attempt that did not succeed"));
        }
        let expected = self.phrase();
        let mut judged = Judged::default();
        for (row, series) in &waits {
            if let Some(found) = self.wrong(row, series, row.retry(&terms), &mut judged)? {
                return Ok(Finding::of(false, expected, format!("{found} at {}", row.name)));
            }
        }
        let needs_two = (self.grows && !judged.grows) || (self.jitter && !judged.jitter);
        if needs_two {
            return Err(NoJudgement::new("two waits in a row are needed to tell how they grow or vary"));
        }
        let shown: Vec<String> = waits.iter().map(|(_, series)| phrase_of(series)).collect();
        Ok(Finding::of(true, expected, shown.join("; ")))
    }
}

/// What could be judged at all.
#[derive(Default)]
struct Judged {
    grows: bool,
    jitter: bool,
}

/// Waits in a row: before retry 0, 1, 2. One that the target asked for is none of the workflow's own.
type Series = Vec<Option<f64>>;

impl BackoffCheck {
    fn phrase(&self) -> String {
        let least = self.at_least_s.map(|least| format!("at least {least} s"));
        let most = self.at_most_s.map(|most| format!("at most {most} s"));
        let asked = [
            self.grows.then(|| "growing".to_owned()),
            self.jitter.then(|| "varied by chance".to_owned()),
            self.follows_manifest.then(|| "as the manifest states".to_owned()),
        ];
        let parts: Vec<String> = asked.into_iter().flatten().chain(least).chain(most).collect();
        format!("waits {}", parts.join(", "))
    }

    /// What is wrong with a series of waits.
    fn wrong(
        &self,
        row: &Row<'_>,
        series: &Series,
        retry: Option<&Retry>,
        judged: &mut Judged,
    ) -> Result<Option<String>, NoJudgement> {
        let own: Vec<f64> = series.iter().copied().flatten().collect();
        if let Some(wait) = own.iter().find(|wait| self.at_least_s.is_some_and(|least| **wait < least)) {
            return Ok(Some(format!("a wait of {wait:.3} s")));
        }
        if let Some(wait) = own.iter().find(|wait| self.at_most_s.is_some_and(|most| **wait > most)) {
            return Ok(Some(format!("a wait of {wait:.3} s")));
        }
        let stated = || {
            let missing = || NoJudgement::new(format!("no manifest states the backoff of {}", row.name));
            retry.filter(|retry| retry.backoff.base_s > 0.0).ok_or_else(missing)
        };
        if self.follows_manifest
            && let Some(found) = outside(series, stated()?)
        {
            return Ok(Some(found));
        }
        if self.grows && own.len() > 1 {
            judged.grows = true;
            if let Some(found) = shrinks(&own, retry)? {
                return Ok(Some(found));
            }
        }
        if self.jitter && own.len() > 1 {
            judged.jitter = true;
            if !varies(series, stated()?) {
                return Ok(Some(format!("exactly {}", phrase_of(series))));
            }
        }
        Ok(None)
    }
}

fn phrase_of(series: &Series) -> String {
    let waits: Vec<String> = series.iter().copied().flatten().map(|wait| format!("{wait:.3} s")).collect();
    waits.join(", ")
}

fn shorter_s(wait: f64) -> f64 {
    (wait * SHORTER.0).max(SHORTER.1)
}

fn longer_s(wait: f64) -> f64 {
    (wait * LONGER.0).max(LONGER.1)
}

/// The waits of a row, a series for each time that attempts followed each other without success in one step.
fn series_of(row: &Row<'_>) -> Result<Vec<Series>, NoJudgement> {
    let mut all: Vec<Series> = Vec::new();
    let mut series = Series::new();
    for (earlier, later) in row.attempts.iter().zip(row.attempts.iter().skip(1)) {
        let (Some(from), Some(to)) = (earlier.exchange, later.exchange) else {
            return Err(NoJudgement::new(format!("the calls at {} were not seen, so nobody took the waits", row.name)));
        };
        if earlier.step != later.step || earlier.succeeded() == Some(true) {
            all.push(std::mem::take(&mut series));
            continue;
        }
        let wait_s = micros(to.begun_us.saturating_sub(from.ended_us)) / SECOND_US;
        series.push(from.retry_after.is_none().then_some(wait_s));
    }
    all.push(series);
    all.retain(|series| series.iter().any(Option::is_some));
    Ok(all)
}

/// What the backoff gives before retry n without chance: min(cap, base · factor^n).
fn nominal_s(retry: &Retry, n: usize) -> f64 {
    let power = i32::try_from(n).unwrap_or(i32::MAX);
    let wait = retry.backoff.base_s * retry.backoff.factor.powi(power);
    wait.min(retry.backoff.cap_s.unwrap_or(f64::MAX))
}

/// The shortest and the longest wait that the manifest allows before retry n.
///
/// | jitter | wait, with v = min(cap, base · factor^n) |
/// |---|---|
/// | none | v |
/// | full | 0 to v |
/// | equal | v/2 to v |
/// | decorrelated | base to 3 times the wait before, at most the cap |
fn allowed_s(retry: &Retry, n: usize, before_s: Option<f64>) -> (f64, f64) {
    let v = nominal_s(retry, n);
    let cap_s = retry.backoff.cap_s.unwrap_or(f64::MAX);
    let base_s = retry.backoff.base_s.min(cap_s);
    match retry.jitter {
        Jitter::None => (v, v),
        Jitter::Full => (0.0, v),
        Jitter::Equal => (v / 2.0, v),
        Jitter::Decorrelated => (base_s, (3.0 * before_s.unwrap_or(base_s)).clamp(base_s, cap_s)),
    }
}

/// The first wait that the manifest does not allow.
fn outside(series: &Series, retry: &Retry) -> Option<String> {
    let mut before_s = None;
    for (n, wait) in series.iter().enumerate() {
        let Some(wait) = *wait else { continue };
        let (least, most) = allowed_s(retry, n, before_s);
        before_s = Some(wait);
        if wait < least - shorter_s(least) || wait > most + longer_s(most) {
            return Some(format!("a wait of {wait:.3} s where {least:.3} to {most:.3} s are stated"));
        }
    }
    None
}

/// Where waits shrink, or never grow although the cap leaves room.
fn shrinks(own: &[f64], retry: Option<&Retry>) -> Result<Option<String>, NoJudgement> {
    if retry.is_some_and(|retry| matches!(retry.jitter, Jitter::Full | Jitter::Decorrelated)) {
        return Err(NoJudgement::new(
            "the stated jitter lets a wait be shorter than the one before: ask for follows_manifest",
        ));
    }
    let cap_s = retry.and_then(|retry| retry.backoff.cap_s).unwrap_or(f64::MAX);
    for pair in own.windows(2) {
        let floor = pair[0].min(cap_s);
        if pair[1] < floor - shorter_s(floor) {
            return Ok(Some(format!("{:.3} s after {:.3} s", pair[1], pair[0])));
        }
    }
    let (Some(first), Some(last)) = (own.first(), own.last()) else { return Ok(None) };
    let is_capped = *first >= cap_s - shorter_s(cap_s);
    let grew = last - first > shorter_s(*first);
    Ok((!is_capped && !grew).then(|| format!("{last:.3} s at last and {first:.3} s at first")))
}

/// Whether chance shows: jitter only takes away from what the backoff gives, and a machine only adds to it.
fn varies(series: &Series, retry: &Retry) -> bool {
    let mut before_s = None;
    series.iter().enumerate().any(|(n, wait)| {
        let Some(wait) = *wait else { return false };
        let full = match retry.jitter {
            Jitter::Decorrelated => allowed_s(retry, n, before_s).1,
            Jitter::None | Jitter::Full | Jitter::Equal => nominal_s(retry, n),
        };
        before_s = Some(wait);
        wait < full - shorter_s(full)
    })
}

#[cfg(test)]
mod tests;
