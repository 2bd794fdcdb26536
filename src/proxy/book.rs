//! What all connections of a trial share: its clock, its step, the faults that are due, and the record of its calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::domain::PartId;
use crate::evidence::{Exchange, Message};
use crate::manifest::{FaultName, FaultSpec, Withheld};

use super::ended::Entry;
use super::schedule::Schedule;
use super::{Seen, locked};

/// How long a trial waits at the most for what faults still keep on its way when its steps are over. What is later is cut
/// off, and no look at a target is then settled.
const LONGEST_AFTER: Duration = Duration::from_secs(60);

/// How long the end of a trial waits for calls that only read, such as a stream of events that nobody listens to any more.
const GRACE_OF_READS: Duration = Duration::from_millis(200);

/// How often is looked whether the wait is cut short.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Calls of which a trial keeps a record. A workflow that retries without end must not fill the memory.
const MOST_RECORDS: usize = 20_000;

/// Bytes of recorded bodies that a trial keeps; past them records have their digests alone.
const MOST_TEXT: usize = 64 << 20;

/// The state of a trial.
#[derive(Debug)]
pub(super) struct Book {
    begun: OnceLock<Instant>,
    step: AtomicU32,
    seed: u64,
    pages: Mutex<Pages>,
    /// Told whenever a call is over.
    over: Condvar,
    phase: watch::Sender<Phase>,
}

/// How far a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Calls are taken.
    Open,
    /// No more calls are passed on; those under way come to their end.
    Closing,
    /// Whatever is still under way is cut off.
    Ended,
}

#[derive(Debug)]
struct Pages {
    schedule: Schedule,
    arrived: u32,
    open: usize,
    /// How many of these may change something at their target.
    writing: usize,
    /// Whether somebody waits for calls to be over: to tell nobody costs a system call too.
    is_awaited: bool,
    entries: Vec<Entry>,
    text: usize,
    unrecorded: u64,
    fired: BTreeSet<usize>,
    /// Why faults that fell on a call came to nothing.
    missed: BTreeMap<usize, String>,
    /// Until when something is sure to be under way.
    due: Option<Instant>,
}

/// A call as it arrived.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) number: u32,
    pub(super) step: u32,
    pub(super) begun_us: u64,
    pub(super) fault: Option<Box<Due>>,
    /// Whether it leaves nothing behind, so that nobody waits for its end.
    pub(super) only_reads: bool,
}

/// What is still under way when it is not waited for any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StillOpen {
    /// Nothing.
    Nothing,
    /// Calls that leave nothing behind.
    Reads,
    /// Calls that may still change something.
    Writes,
}

/// A fault that falls on a call.
#[derive(Clone, Debug)]
pub(super) struct Due {
    /// Its place in the case's list.
    pub(super) index: usize,
    pub(super) spec: FaultSpec,
}

impl Due {
    /// How an answer is withheld; by default the connection ends, and where the request is late the caller waits in vain.
    pub(super) fn withheld(&self) -> Withheld {
        match self.spec.fault {
            FaultName::ErrorAfterCommit => Withheld::Status,
            FaultName::LateCommit => self.spec.by.unwrap_or(Withheld::Timeout),
            _ => self.spec.by.unwrap_or(Withheld::Reset),
        }
    }

    /// The fault's name, with how the answer is withheld where it is.
    pub(super) fn shown_name(&self) -> String {
        let name = self.spec.fault.name();
        match self.spec.fault {
            FaultName::DropBefore | FaultName::LostRequest | FaultName::LostAck | FaultName::LateCommit => {
                let by = match self.withheld() {
                    Withheld::Reset => "reset",
                    Withheld::Timeout => "timeout",
                    Withheld::Status => "status",
                };
                format!("{name} by {by}")
            }
            _ => name.to_owned(),
        }
    }

    /// The fault's seconds, or these.
    pub(super) fn duration(&self, default_s: f64) -> Duration {
        Duration::try_from_secs_f64(self.spec.seconds.unwrap_or(default_s)).unwrap_or_default()
    }
}

impl Book {
    pub(super) fn new(faults: &[FaultSpec], seed: u64) -> Self {
        let pages = Pages {
            schedule: Schedule::new(faults),
            arrived: 0,
            open: 0,
            writing: 0,
            is_awaited: false,
            entries: Vec::new(),
            text: 0,
            unrecorded: 0,
            fired: BTreeSet::new(),
            missed: BTreeMap::new(),
            due: None,
        };
        Self {
            begun: OnceLock::new(),
            step: AtomicU32::new(0),
            seed,
            pages: Mutex::new(pages),
            over: Condvar::new(),
            phase: watch::Sender::new(Phase::Open),
        }
    }

    pub(super) fn begin_step(&self, step: u32) {
        self.begun.get_or_init(Instant::now);
        self.step.store(step, Ordering::SeqCst);
    }

    pub(super) fn end_step(&self) {
        self.step.store(0, Ordering::SeqCst);
    }

    pub(super) fn elapsed_us(&self) -> u64 {
        self.us_at(Instant::now())
    }

    /// The same at another moment.
    pub(super) fn us_at(&self, moment: Instant) -> u64 {
        let since = |begun: &Instant| moment.saturating_duration_since(*begun).as_micros();
        self.begun.get().map_or(0, |begun| u64::try_from(since(begun)).unwrap_or(u64::MAX))
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// A call has arrived. It is under way until it is recorded.
    pub(super) fn arrive(&self, connector: &PartId, operation: Option<&str>, only_reads: bool) -> Arrival {
        let mut pages = locked(&self.pages);
        pages.arrived += 1;
        pages.open += 1;
        pages.writing += usize::from(!only_reads);
        let fault = pages.schedule.next(connector, operation);
        let fault = fault.map(|(index, spec)| Box::new(Due { index, spec: spec.clone() }));
        let step = self.step.load(Ordering::SeqCst);
        Arrival { number: pages.arrived, step, begun_us: self.elapsed_us(), fault, only_reads }
    }

    /// A call has arrived that is not passed on and is no attempt at anything.
    pub(super) fn arrive_refused(&self) -> Arrival {
        let mut pages = locked(&self.pages);
        pages.arrived += 1;
        pages.open += 1;
        let step = self.step.load(Ordering::SeqCst);
        Arrival { number: pages.arrived, step, begun_us: self.elapsed_us(), fault: None, only_reads: true }
    }

    /// A call is over. `only_reads` as in its arrival.
    pub(super) fn record(&self, entry: Entry, only_reads: bool) {
        let mut pages = locked(&self.pages);
        pages.open -= 1;
        pages.writing -= usize::from(!only_reads);
        if pages.entries.len() < MOST_RECORDS {
            pages.keep(entry);
        } else {
            pages.unrecorded += 1;
        }
        if pages.is_awaited {
            self.over.notify_all();
        }
    }

    pub(super) fn fired(&self, index: usize) {
        locked(&self.pages).fired.insert(index);
    }

    /// A fault fell on a call and came to nothing.
    pub(super) fn missed(&self, index: usize, why: &str) {
        locked(&self.pages).missed.entry(index).or_insert_with(|| why.to_owned());
    }

    pub(super) fn fired_so_far(&self) -> BTreeSet<usize> {
        locked(&self.pages).fired.clone()
    }

    /// Something is sure to be under way for so long.
    pub(super) fn goes_on_for(&self, duration: Duration) {
        let until = Instant::now().checked_add(duration.min(LONGEST_AFTER));
        let mut pages = locked(&self.pages);
        pages.due = pages.due.max(until);
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.send_if_modified(|now| std::mem::replace(now, phase.max(*now)) < phase);
    }

    pub(super) fn is_closing(&self) -> bool {
        *self.phase.borrow() >= Phase::Closing
    }

    pub(super) fn has_ended(&self) -> bool {
        *self.phase.borrow() == Phase::Ended
    }

    pub(super) async fn closing(&self) {
        self.reached(Phase::Closing).await;
    }

    pub(super) async fn ended(&self) {
        self.reached(Phase::Ended).await;
    }

    async fn reached(&self, phase: Phase) {
        // The sender lives as long as this value: waiting cannot fail.
        let _ = self.phase.subscribe().wait_for(|now| *now >= phase).await;
    }

    /// Blocks until no call is under way, at the most for `grace` and for what is sure to go on, for calls that only read not
    /// that long, and no longer once `is_cut_short` says so.
    pub(super) fn wait_until_idle(&self, grace: Duration, is_cut_short: &dyn Fn() -> bool) -> StillOpen {
        let begun = Instant::now();
        let mut pages = locked(&self.pages);
        pages.is_awaited = true;
        while pages.open > 0 {
            let until = pages.due.max(Some(begun)).and_then(|due| due.checked_add(grace));
            let until = if pages.writing > 0 { until } else { begun.checked_add(grace.min(GRACE_OF_READS)) };
            let left = until.map_or(grace, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() || is_cut_short() {
                break;
            }
            pages = self.over.wait_timeout(pages, left.min(LOOK_AGAIN)).unwrap_or_else(PoisonError::into_inner).0;
        }
        match (pages.open, pages.writing) {
            (0, _) => StillOpen::Nothing,
            (_, 0) => StillOpen::Reads,
            _ => StillOpen::Writes,
        }
    }

    /// Takes out what was recorded, in the order of arrival.
    pub(super) fn take(&self, late: bool) -> Seen {
        let mut pages = locked(&self.pages);
        let entries = std::mem::take(&mut pages.entries);
        let (fired, missed, unrecorded) = (pages.fired.clone(), pages.missed.clone(), pages.unrecorded);
        drop(pages);
        let mut exchanges: Vec<Exchange> = entries.into_iter().map(Entry::conclude).collect();
        exchanges.sort_by_key(|exchange| exchange.number);
        Seen { exchanges, fired, missed, late, unrecorded }
    }
}

impl Pages {
    /// Takes in a call; what finds no room any more goes without its text.
    fn keep(&mut self, entry: Entry) {
        let kept_bytes = match &entry {
            Entry::Kept(kept) => Some(kept.body_bytes()),
            Entry::Concluded(_) => None,
        };
        if let Some(sum) = kept_bytes.and_then(|bytes| self.text.checked_add(bytes)).filter(|sum| *sum <= MOST_TEXT) {
            self.text = sum;
            self.entries.push(entry);
            return;
        }
        let mut exchange = entry.conclude();
        for message in [Some(&mut exchange.request), exchange.answer.as_mut()].into_iter().flatten() {
            self.text = keep_text(message, self.text);
        }
        self.entries.push(Entry::Concluded(Box::new(exchange)));
    }
}

/// Keeps a message's text while there is room; says how much is taken up then.
fn keep_text(message: &mut Message, taken: usize) -> usize {
    let sum = taken.saturating_add(message.text.len());
    if sum <= MOST_TEXT {
        return sum;
    }
    message.is_cut |= !message.text.is_empty();
    message.text = String::new();
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Delivered, Forwarded};

    fn entry(number: u32, text: &str) -> Entry {
        let message = Message { text: text.to_owned(), ..Message::default() };
        Entry::Concluded(Box::new(Exchange {
            number,
            step: 1,
            connector: PartId::from("a"),
            operation: None,
            intention: None,
            key: None,
            begun_us: 0,
            sent_us: None,
            answered_us: None,
            ended_us: 0,
            method: "GET".to_owned(),
            target: "/".to_owned(),
            request: message.clone(),
            forwarded: Forwarded::No,
            answer: Some(message),
            status: None,
            delivered: Delivered::No,
            delivered_status: None,
            retry_after: None,
            fault: None,
            problem: None,
        }))
    }

    #[test]
    fn calls_without_end_are_counted_and_no_longer_kept() {
        let book = Book::new(&[], 0);
        for number in 0..MOST_RECORDS + 3 {
            book.arrive(&PartId::from("a"), None, false);
            book.record(entry(u32::try_from(number).unwrap(), ""), false);
        }
        let seen = book.take(false);
        assert_eq!((seen.exchanges.len(), seen.unrecorded), (MOST_RECORDS, 3));
        assert_eq!(seen.exchanges.last().unwrap().number as usize, MOST_RECORDS - 1);
    }

    #[test]
    fn text_without_end_is_no_longer_kept_and_said_to_be_cut() {
        let book = Book::new(&[], 0);
        let text = "x".repeat(MOST_TEXT / 4);
        for number in [2, 1, 3] {
            book.arrive(&PartId::from("a"), None, false);
            book.record(entry(number, &text), false);
        }
        let kept: Vec<_> = book.take(false).exchanges.iter().map(|seen| (seen.number, seen.request.is_cut)).collect();
        assert_eq!(kept, [(1, false), (2, false), (3, true)]);
    }

    #[test]
    fn a_step_is_that_of_the_moment_and_the_clock_begins_with_the_first() {
        let book = Book::new(&[], 0);
        let before = book.arrive(&PartId::from("a"), None, false);
        assert_eq!((before.step, before.begun_us), (0, 0));
        book.begin_step(3);
        std::thread::sleep(Duration::from_millis(2));
        let within = book.arrive(&PartId::from("a"), None, false);
        assert!(within.step == 3 && within.begun_us >= 2000, "{within:?}");
        book.begin_step(4);
        book.end_step();
        let after = book.arrive_refused();
        assert!(after.step == 0 && after.begun_us >= within.begun_us && after.number == 3, "{after:?}");
    }
}
