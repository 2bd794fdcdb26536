//! What a report shows beside its cases: the operator's papers of the run, and how the runs before it ended.

use crate::operations::{RunAccount, RunCase, RunSource, failure_table, scorecard};
use crate::report::{Papers, TrendPoint};
use crate::store::{EndedRun, RunKind, Store};
use crate::verdict::{Verdict, VerdictWord};

use super::PipelineError;
use super::carry_out::Outcome;

/// Earlier runs that a report shows.
const EARLIER_RUNS: u32 = 29;

/// The account of a run none of whose trials has been looked at yet.
pub(super) fn account<'a>(outcome: &'a Outcome, verdict: &Verdict, finished: &'a str) -> RunAccount<'a> {
    let header = &outcome.header;
    let cases = header.cases.iter().map(|(id, case)| {
        let (title, calls_seen) = (case.title.as_deref(), case.calls_seen);
        (id, RunCase { title, digest: &case.digest, trials: case.trials, calls_seen, do_nothing: case.do_nothing })
    });
    RunAccount::new(RunSource {
        run: &header.run,
        started: &header.started,
        finished: Some(finished),
        verdict: Some(verdict.word.name()),
        commit: header.commit.as_deref(),
        fingerprint: &header.fingerprint,
        snapshot: &header.snapshot,
        cases: cases.collect(),
    })
}

/// The scorecard of the run, and the failure table of the operations that are worth a look; nothing where nothing ran.
pub(super) fn papers(outcome: &Outcome, account: RunAccount<'_>) -> Option<Papers> {
    let account = (outcome.trials_executed > 0).then(|| account.finish())?;
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
