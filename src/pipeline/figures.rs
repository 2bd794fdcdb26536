//! What a report shows beside its cases: the operator's papers of the run, and how the runs before it ended.

use crate::operations::{RunCase, RunSource, account_of_run, failure_table, scorecard};
use crate::report::{Papers, TrendPoint};
use crate::store::{EndedRun, RunKind, Store};
use crate::verdict::{Verdict, VerdictWord};

use super::PipelineError;
use super::carry_out::Outcome;

/// Earlier runs that a report shows.
const EARLIER_RUNS: u32 = 29;

/// The scorecard of the run, and the failure table of the operations that are worth a look; nothing where nothing ran.
pub(super) fn papers(outcome: &Outcome, verdict: &Verdict, finished: &str) -> Option<Papers> {
    if outcome.trials_executed == 0 {
        return None;
    }
    let header = &outcome.header;
    let cases = header.cases.iter().map(|(id, case)| {
        let (title, calls_seen) = (case.title.as_deref(), case.calls_seen);
        (id, RunCase { title, digest: &case.digest, trials: case.trials, calls_seen, do_nothing: case.do_nothing })
    });
    let results = outcome.results.iter().chain(&outcome.old_forms);
    let account = account_of_run(&RunSource {
        run: &header.run,
        started: &header.started,
        finished: Some(finished),
        verdict: Some(verdict.word.name()),
        commit: header.commit.as_deref(),
        fingerprint: &header.fingerprint,
        snapshot: &header.snapshot,
        cases: cases.collect(),
        trials: results.flat_map(|result| &result.trials).collect(),
    });
    Some(Papers { scorecard: scorecard(&account), failures: failure_table(&account.notable()) })
}

/// How the runs of the same kind before this one ended on this machine, oldest first. Runs without a verdict are left out.
pub(super) fn earlier_runs(store: &Store, kind: RunKind) -> Result<Vec<TrendPoint>, PipelineError> {
    Ok(store.history()?.ended(kind, EARLIER_RUNS)?.into_iter().filter_map(point).collect())
}

fn point(ended: EndedRun) -> Option<TrendPoint> {
    let words = [VerdictWord::Pass, VerdictWord::Fail, VerdictWord::Inconclusive];
    let verdict = words.into_iter().find(|word| word.name() == ended.summary.verdict)?;
    Some(TrendPoint {
        run: ended.run,
        finished: ended.summary.finished,
        verdict,
        exit_code: ended.summary.exit_code,
        selected: ended.selected,
        passed: ended.passed,
    })
}
