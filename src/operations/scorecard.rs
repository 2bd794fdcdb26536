//! The scorecard: what came of the work, and what it took. Attempts are counted apart from operations, no rate stands
//! without its count and interval, and what was not observed is blank.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseStatus, ClaimCheck, Outcome, counted};
use crate::grading::DoNothing;

use super::account::{Account, CaseAccount, CostAccount, Decision, OperationAccount, Source};
use super::paper::{NOT_OBSERVED, OnSheet, observed, push_remarks, source_facts, sum_observed};
use super::rate::Rate;
use super::sheet::Sheet;

/// How many times the volume the review load is told for.
const FACTORS: [u32; 3] = [1, 10, 100];

const OUTCOMES: [Outcome; 8] = [
    Outcome::Committed,
    Outcome::Replayed,
    Outcome::Rejected,
    Outcome::NotCommitted,
    Outcome::NotStarted,
    Outcome::Duplicated,
    Outcome::Mismatched,
    Outcome::Uncertain,
];

const CLAIM_CHECKS: [ClaimCheck; 6] = [
    ClaimCheck::Confirmed,
    ClaimCheck::HonestUnknown,
    ClaimCheck::Silent,
    ClaimCheck::Overclaimed,
    ClaimCheck::FalseSuccess,
    ClaimCheck::FalseFailure,
];

/// A scorecard. `null` is what was not observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scorecard {
    /// `holdpoint.scorecard/1`.
    pub schema: String,
    /// Where it comes from.
    pub source: Source,
    /// The cases.
    pub cases: CaseScores,
    /// The operations, and the attempts at them.
    pub operations: OperationScores,
    /// Refusals.
    pub refusals: RefusalScores,
    /// Operations that ended in a way that the workflow cannot leave at that.
    pub exceptions: ExceptionScores,
    /// What it took.
    pub effort: EffortScores,
    /// What it cost, by currency; `null` where no cost is recorded.
    pub cost: Option<Vec<CostScore>>,
    /// The review queue.
    pub queue: QueueScores,
    /// The review load at 1, 10 and 100 times the volume.
    pub review_load: Vec<ReviewLoad>,
    /// What a reader should know, a sentence each.
    pub remarks: Vec<String>,
}

/// Scores of cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseScores {
    /// Cases that the workflow was meant for.
    pub eligible: Option<usize>,
    /// Of those, cases that passed every check, in a run.
    pub passed_checks: Option<Rate>,
    /// Of those, cases that a workflow which does nothing would pass too: passes that show nothing of this one.
    #[serde(default)]
    pub passed_by_doing_nothing: Option<usize>,
    /// Of those, cases that a reviewer accepted at last, corrected or not.
    pub accepted: Option<Rate>,
    /// Of those, cases that the first review accepted as they were.
    pub accepted_at_first_review: Option<Rate>,
    /// Corrections by reviewers.
    pub corrections: Option<usize>,
    /// Times that a reviewer sent something back.
    pub returned: Option<usize>,
}

/// Scores of operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationScores {
    /// Operations.
    pub operations: Option<usize>,
    /// Attempts at them, as far as they could be seen.
    pub attempts: Option<usize>,
    /// Operations by outcome; the sum is `operations`.
    pub outcomes: Option<BTreeMap<String, usize>>,
    /// Operations by how their claim stands to the evidence; the sum is `operations`.
    pub claims: Option<BTreeMap<String, usize>>,
}

/// Scores of refusals. A refusal that is right is the system working, and is no failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusalScores {
    /// Operations that the workflow or a target refused.
    pub refusals: Option<usize>,
    /// Of those that were judged, the right ones. A count without an interval: operations of one case are not independent.
    pub right: Option<usize>,
    /// Of those that were judged, the wrong ones.
    pub wrong: Option<usize>,
    /// Those that nobody judged.
    pub not_judged: Option<usize>,
}

/// Scores of exceptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExceptionScores {
    /// All.
    pub exceptions: Option<usize>,
    /// Those that no one has closed.
    pub unresolved: Option<usize>,
    /// Of those, the ones without an owner.
    pub unassigned: Option<usize>,
}

/// Scores of effort, in minutes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffortScores {
    /// What people spent.
    pub minutes: Option<f64>,
    /// The same by kind.
    pub by_kind: BTreeMap<String, f64>,
    /// For how many cases any is recorded.
    pub cases_recorded: Option<usize>,
    /// What the machine spent, in a run.
    pub machine_minutes: Option<f64>,
}

/// A cost in one currency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostScore {
    /// The currency.
    pub currency: String,
    /// What models cost.
    pub model: Option<f64>,
    /// What tools cost.
    pub tool: Option<f64>,
    /// For how many cases any is recorded.
    pub cases_recorded: usize,
}

/// Scores of the review queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueScores {
    /// Cases that wait for a review.
    pub waiting: Option<usize>,
    /// How long the oldest of them has waited, in minutes.
    pub oldest_minutes: Option<f64>,
    /// How long half of them have waited at least, in minutes.
    pub median_minutes: Option<f64>,
}

/// What reviewers would meet at a multiple of the volume, if everything grew alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewLoad {
    /// The multiple.
    pub times: u32,
    /// Cases to review.
    pub reviews: Option<usize>,
    /// Minutes of review, at the mean that was observed.
    pub minutes: Option<f64>,
    /// Exceptions to settle.
    pub exceptions: Option<usize>,
}

/// The scorecard of an account.
pub fn scorecard(account: &Account) -> Scorecard {
    Scorecard {
        schema: "holdpoint.scorecard/1".to_owned(),
        source: account.source.clone(),
        cases: case_scores(account),
        operations: operation_scores(account),
        refusals: refusal_scores(account),
        exceptions: exception_scores(account),
        effort: effort_scores(account),
        cost: cost_scores(account),
        queue: queue_scores(account),
        review_load: review_load(account),
        remarks: account.remarks.clone(),
    }
}

fn eligible(account: &Account) -> impl Iterator<Item = &CaseAccount> + Clone {
    account.cases.iter().filter(|case| case.eligible)
}

/// A number of something that can only be counted where there was anything to see.
fn seen<T>(is_seen: bool, value: impl FnOnce() -> T) -> Option<T> {
    is_seen.then(value)
}

fn case_scores(account: &Account) -> CaseScores {
    let all = eligible(account).count();
    let reviewed = account.cases.iter().any(|case| !case.decisions.is_empty());
    let count = |fits: &dyn Fn(&CaseAccount) -> bool| eligible(account).filter(|case| fits(case)).count();
    let decided = |wanted: Decision| {
        let decisions = account.cases.iter().flat_map(|case| &case.decisions);
        decisions.filter(|decision| **decision == wanted).count()
    };
    CaseScores {
        eligible: seen(!account.cases.is_empty(), || all),
        passed_checks: seen(account.cases.iter().any(|case| case.status.is_some()), || {
            Rate::new(count(&|case| case.status == Some(CaseStatus::Passed)), all)
        }),
        passed_by_doing_nothing: seen(all > 0 && eligible(account).all(|case| case.do_nothing.is_some()), || {
            count(&|case| case.do_nothing.is_some_and(DoNothing::passes))
        }),
        accepted: seen(reviewed, || {
            let taken =
                |case: &CaseAccount| matches!(case.decisions.last(), Some(Decision::Accepted | Decision::Corrected));
            Rate::new(count(&taken), all)
        }),
        accepted_at_first_review: seen(reviewed, || {
            Rate::new(count(&|case| case.decisions.first() == Some(&Decision::Accepted)), all)
        }),
        corrections: seen(reviewed, || decided(Decision::Corrected)),
        returned: seen(reviewed, || decided(Decision::Returned)),
    }
}

fn operation_scores(account: &Account) -> OperationScores {
    let operations = &account.operations;
    let any = !operations.is_empty();
    let tally = |names: &[&'static str], name_of: &dyn Fn(usize) -> &'static str| {
        let mut counts: BTreeMap<String, usize> = names.iter().map(|&name| (name.to_owned(), 0)).collect();
        for index in 0..operations.len() {
            *counts.entry(name_of(index).to_owned()).or_default() += 1;
        }
        counts
    };
    OperationScores {
        operations: seen(any, || operations.len()),
        attempts: sum_observed(operations.iter().map(OperationAccount::attempts_made)),
        outcomes: seen(any, || tally(&OUTCOMES.map(Outcome::name), &|index| operations[index].outcome.name())),
        claims: seen(any, || tally(&CLAIM_CHECKS.map(ClaimCheck::name), &|index| operations[index].claim_check.name())),
    }
}

fn refusal_scores(account: &Account) -> RefusalScores {
    let any = !account.operations.is_empty();
    let count = |judged: Option<Option<bool>>| {
        let refusals = account.operations.iter().filter(|operation| operation.is_refusal());
        refusals.filter(|operation| judged.is_none_or(|judged| operation.right == judged)).count()
    };
    // Refusals that nobody judged at all say nothing of right and wrong.
    let judged = any && (count(None) == 0 || count(None) > count(Some(None)));
    RefusalScores {
        refusals: seen(any, || count(None)),
        right: seen(judged, || count(Some(Some(true)))),
        wrong: seen(judged, || count(Some(Some(false)))),
        not_judged: seen(any, || count(Some(None))),
    }
}

fn exception_scores(account: &Account) -> ExceptionScores {
    let any = !account.operations.is_empty();
    let operations = || account.operations.iter();
    ExceptionScores {
        exceptions: seen(any, || operations().filter(|operation| operation.is_exception()).count()),
        unresolved: seen(any, || operations().filter(|operation| operation.is_open()).count()),
        // A run assigns nothing to anyone, so nothing of that was observed.
        unassigned: seen(any && matches!(account.source, Source::Ledger { .. }), || {
            operations().filter(|operation| operation.is_open() && operation.owner.is_none()).count()
        }),
    }
}

fn effort_scores(account: &Account) -> EffortScores {
    let mut by_kind = account.effort.clone();
    for (kind, minutes) in account.cases.iter().flat_map(|case| &case.effort) {
        *by_kind.entry(kind.clone()).or_default() += minutes;
    }
    let machine_ms: Vec<u64> = account.cases.iter().filter_map(|case| case.machine_ms).collect();
    let any = !by_kind.is_empty();
    EffortScores {
        minutes: seen(any, || by_kind.values().sum()),
        cases_recorded: seen(any, || account.cases.iter().filter(|case| !case.effort.is_empty()).count()),
        by_kind,
        machine_minutes: seen(!machine_ms.is_empty(), || {
            std::time::Duration::from_millis(machine_ms.iter().sum()).as_secs_f64() / 60.0
        }),
    }
}

fn cost_scores(account: &Account) -> Option<Vec<CostScore>> {
    let by_case = || account.cases.iter().map(|case| &case.costs).chain([&account.costs]);
    let mut currencies: Vec<&str> = by_case().flatten().map(|cost| cost.currency.as_str()).collect();
    currencies.sort_unstable();
    currencies.dedup();
    let score = |currency: &str| {
        let of_currency = || by_case().flatten().filter(|cost| cost.currency == currency);
        let sum = |part: fn(&CostAccount) -> Option<i64>| {
            let amounts: Vec<i64> = of_currency().filter_map(part).collect();
            (!amounts.is_empty()).then(|| units(amounts.iter().sum()))
        };
        CostScore {
            currency: currency.to_owned(),
            model: sum(|cost| cost.model_millionths),
            tool: sum(|cost| cost.tool_millionths),
            cases_recorded: account
                .cases
                .iter()
                .filter(|case| case.costs.iter().any(|cost| cost.currency == currency))
                .count(),
        }
    };
    (!currencies.is_empty()).then(|| currencies.into_iter().map(score).collect())
}

#[expect(clippy::cast_precision_loss, reason = "money below 2^52 millionths keeps every digit")]
fn units(millionths: i64) -> f64 {
    millionths as f64 / 1e6
}

fn queue_scores(account: &Account) -> QueueScores {
    let mut ages: Vec<f64> = account.cases.iter().filter_map(|case| case.waiting_minutes).collect();
    ages.sort_by(f64::total_cmp);
    let any = account.cases.iter().any(|case| case.was_queued);
    QueueScores {
        waiting: seen(any, || ages.len()),
        oldest_minutes: ages.last().copied(),
        median_minutes: ages.get(ages.len().saturating_sub(1) / 2).copied(),
    }
}

fn review_load(account: &Account) -> Vec<ReviewLoad> {
    let reviews: Option<usize> =
        seen(account.cases.iter().any(|case| case.was_queued || !case.decisions.is_empty()), || {
            account.cases.iter().filter(|case| case.was_queued || !case.decisions.is_empty()).count()
        });
    let times_recorded: Vec<f64> = account.cases.iter().filter_map(|case| case.effort.get("review")).copied().collect();
    let exceptions = exception_scores(account).exceptions;
    let load = |times: u32| {
        let factor = usize::try_from(times).unwrap_or(usize::MAX);
        let reviews = reviews.map(|reviews| reviews.saturating_mul(factor));
        ReviewLoad {
            times,
            reviews,
            minutes: reviews
                .filter(|_| !times_recorded.is_empty())
                .map(|reviews| real(reviews) * times_recorded.iter().sum::<f64>() / real(times_recorded.len())),
            exceptions: exceptions.map(|exceptions| exceptions.saturating_mul(factor)),
        }
    };
    FACTORS.into_iter().map(load).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases stay far below 2^52")]
fn real(count: usize) -> f64 {
    count as f64
}

/// Minutes with at most one digit.
fn minutes_text(minutes: f64) -> String {
    let text = format!("{minutes:.1}");
    format!("{} min", text.strip_suffix(".0").unwrap_or(&text))
}

fn amount_text(amount: f64) -> String {
    let text = format!("{amount:.6}");
    let text = text.trim_end_matches('0');
    text.trim_end_matches('.').to_owned()
}

impl OnSheet for Scorecard {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new("Scorecard");
        sheet.facts(source_facts(&self.source));
        self.push_cases(&mut sheet);
        self.push_operations(&mut sheet);
        self.push_effort(&mut sheet);
        sheet.heading("Review load");
        let rows = self.review_load.iter().map(|load| {
            vec![
                format!("{} times", load.times),
                observed(load.reviews),
                observed(load.minutes.map(minutes_text)),
                observed(load.exceptions),
            ]
        });
        sheet.table(&["volume", "cases to review", "review time", "exceptions to settle"], rows.collect());
        sheet.text("Reckoned as if everything grew alike; queues and tired reviewers do not.");
        push_remarks(&mut sheet, &self.remarks);
        sheet
    }
}

impl Scorecard {
    fn push_cases(&self, sheet: &mut Sheet) {
        let cases = &self.cases;
        let rate = |rate: Option<Rate>| observed(rate.map(|rate| rate.text()));
        sheet.heading("Cases");
        sheet.facts([
            ("Eligible", observed(cases.eligible)),
            ("Passed every check", rate(cases.passed_checks)),
            ("Passed by doing nothing", observed(cases.passed_by_doing_nothing)),
            ("Accepted by a reviewer", rate(cases.accepted)),
            ("Accepted at first review", rate(cases.accepted_at_first_review)),
            ("Corrections", observed(cases.corrections)),
            ("Sent back", observed(cases.returned)),
        ]);
    }

    fn push_operations(&self, sheet: &mut Sheet) {
        let OperationScores { operations, attempts, outcomes, claims } = &self.operations;
        sheet.heading("Operations and attempts");
        sheet.facts([("Operations", observed(*operations)), ("Attempts", observed(*attempts))]);
        for (name, counts) in [("outcome", outcomes), ("claim against evidence", claims)] {
            let Some(counts) = counts else { continue };
            let rows = counts.iter().map(|(word, count)| vec![word.clone(), count.to_string()]);
            sheet.table(&[name, "operations"], rows.collect());
        }
        sheet.heading("Refusals and exceptions");
        sheet.facts([
            ("Refusals", observed(self.refusals.refusals)),
            ("Refusals that were right", observed(self.refusals.right)),
            ("Refusals that were wrong", observed(self.refusals.wrong)),
            ("Refusals not judged", observed(self.refusals.not_judged)),
            ("Exceptions", observed(self.exceptions.exceptions)),
            ("Unresolved exceptions", observed(self.exceptions.unresolved)),
            ("Unassigned exceptions", observed(self.exceptions.unassigned)),
        ]);
    }

    fn push_effort(&self, sheet: &mut Sheet) {
        sheet.heading("Effort, cost and queue");
        let mut facts = vec![("Effort of people".to_owned(), observed(self.effort.minutes.map(minutes_text)))];
        facts.extend(self.effort.by_kind.iter().map(|(kind, minutes)| (format!("  {kind}"), minutes_text(*minutes))));
        facts.push((
            "Effort recorded for".to_owned(),
            self.effort.cases_recorded.map_or_else(|| NOT_OBSERVED.to_owned(), |cases| counted(cases, "case")),
        ));
        facts.push((
            "Machine time".to_owned(),
            observed(self.effort.machine_minutes.map(|minutes| format!("{minutes:.3} min"))),
        ));
        match &self.cost {
            None => facts.extend(["Model cost", "Tool cost"].map(|name| (name.to_owned(), NOT_OBSERVED.to_owned()))),
            Some(costs) => {
                for cost in costs {
                    for (name, amount) in [("Model cost", cost.model), ("Tool cost", cost.tool)] {
                        let known = |amount| {
                            format!(
                                "{} {}, recorded for {}",
                                amount_text(amount),
                                cost.currency,
                                counted(cost.cases_recorded, "case")
                            )
                        };
                        facts.push((name.to_owned(), observed(amount.map(known))));
                    }
                }
            }
        }
        facts.push(("Waiting for review".to_owned(), observed(self.queue.waiting)));
        facts.push(("Oldest in the queue".to_owned(), observed(self.queue.oldest_minutes.map(minutes_text))));
        facts.push(("Median in the queue".to_owned(), observed(self.queue.median_minutes.map(minutes_text))));
        sheet.facts(facts);
    }
}
