//! The oracle check: a passing trial is damaged in one place at a time and graded again. A grader that still passes, although
//! what it looks at was damaged, is blind: its pass says nothing. Pure.

mod answers;
mod calls;
mod concerns;
mod mutants;
#[cfg(test)]
mod tests;
mod unrelated;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, Claim, OperationId, Outcome, TrialStatus};
use crate::evidence::{Answer, Call};
use crate::manifest::{Case, Grader};

use super::grade::{GradedTrial, GradingContext};
use super::trial::grade;

use concerns::concerns;
use mutants::mutants;

pub use unrelated::{AnyAnswer, any_answer};

/// Mutants of one trial at the most. What is left out is counted.
const MOST: usize = 400;

/// One damage to what was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Mutation {
    /// An operation came to another outcome.
    FlipOutcome {
        /// The operation.
        operation: OperationId,
        /// The outcome that it has now.
        to: Outcome,
    },
    /// The workflow claimed something else in the end.
    FlipClaim {
        /// The operation.
        operation: OperationId,
        /// The claim that is made now.
        to: Claim,
    },
    /// A probe does not show an effect.
    DropEffect {
        /// The probe.
        probe: String,
        /// The effect's place among those that it showed, from 0.
        row: usize,
    },
    /// A probe shows an effect twice.
    CopyEffect {
        /// The probe.
        probe: String,
        /// The effect's place.
        row: usize,
    },
    /// A probe shows an effect that an expectation says must not be there.
    AddEffect {
        /// The probe.
        probe: String,
        /// The place of the expectation in its case, from 0.
        expectation: usize,
    },
    /// A field of an effect has another value.
    AlterField {
        /// The probe.
        probe: String,
        /// The effect's place.
        row: usize,
        /// The field.
        field: String,
    },
    /// A call was never made.
    DropExchange {
        /// Its number.
        exchange: u32,
    },
    /// No call of an operation was ever made.
    DropCalls {
        /// The operation.
        call: Call,
    },
    /// Every call of an operation came before any of another one, which it had come after.
    AdvanceCalls {
        /// The operation whose calls came first.
        call: Call,
        /// The one whose calls they came before.
        before: Call,
    },
    /// Attempts went on and on that an expectation bounds from above.
    RepeatAttempts {
        /// The place of the expectation in its case, from 0.
        expectation: usize,
    },
    /// A request said something else in one place.
    AlterArgument {
        /// The number of the call.
        exchange: u32,
        /// The place in its JSON body (RFC 6901).
        pointer: String,
    },
    /// The last answer had not a word.
    EmptyAnswer,
    /// The last answer was words that have nothing to do with what was asked.
    ReplaceAnswer,
    /// The last answer was what another case was answered.
    SwapAnswer {
        /// The other case.
        case: CaseId,
    },
    /// The last answer broke off in the middle.
    CutAnswer,
    /// The last answer was longer than an expectation allows.
    LengthenAnswer {
        /// The place of the expectation in its case, from 0.
        expectation: usize,
    },
    /// A number in the text of the last answer was another.
    AlterNumber {
        /// Its place among the numbers there, from 0.
        number: usize,
    },
    /// The text of the last answer said the opposite.
    NegateAnswer,
    /// A field of the last answer was missing.
    DropAnswerField {
        /// The place in the JSON answer (RFC 6901).
        pointer: String,
    },
    /// A field of the last answer had another value.
    AlterAnswerField {
        /// The place in the JSON answer (RFC 6901).
        pointer: String,
    },
    /// The last HTTP answer had another status than an expectation wants.
    AlterStatus {
        /// The place of the expectation in its case, from 0.
        expectation: usize,
    },
    /// The trial took longer than an expectation allows.
    Delay {
        /// The place of the expectation in its case, from 0.
        expectation: usize,
    },
}

impl Mutation {
    /// What was done, in a clause.
    pub fn phrase(&self) -> String {
        match self {
            Self::FlipOutcome { operation, to } => format!("the outcome of {operation} was {to}"),
            Self::FlipClaim { operation, to } => format!("{operation} was claimed as {to}"),
            Self::DropEffect { probe, row } => format!("effect {} of {probe} was missing", row + 1),
            Self::CopyEffect { probe, row } => format!("effect {} of {probe} was there twice", row + 1),
            Self::AddEffect { probe, expectation } => {
                format!("{probe} had an effect that expectation {} counts", expectation + 1)
            }
            Self::AlterField { probe, row, field } => {
                format!("effect {} of {probe} had another {field}", row + 1)
            }
            Self::DropExchange { exchange } => format!("call {exchange} was never made"),
            Self::DropCalls { call } => format!("{call} was never called"),
            Self::AdvanceCalls { call, before } => format!("{call} was called before {before}"),
            Self::RepeatAttempts { expectation } => {
                format!("attempts went on that expectation {} bounds", expectation + 1)
            }
            Self::AlterArgument { exchange, pointer } => format!("call {exchange} asked for another {pointer}"),
            Self::EmptyAnswer => "the answer had not a word".to_owned(),
            Self::ReplaceAnswer => "the answer was about something else".to_owned(),
            Self::SwapAnswer { case } => format!("the answer was what {case} was answered"),
            Self::CutAnswer => "the answer broke off in the middle".to_owned(),
            Self::LengthenAnswer { expectation } => {
                format!("the answer was longer than expectation {} allows", expectation + 1)
            }
            Self::AlterNumber { number } => format!("number {} in the answer was another", number + 1),
            Self::NegateAnswer => "the answer said the opposite".to_owned(),
            Self::DropAnswerField { pointer } => format!("the answer lacked {pointer}"),
            Self::AlterAnswerField { pointer } => format!("the answer had another {pointer}"),
            Self::AlterStatus { expectation } => format!("the status was not that of expectation {}", expectation + 1),
            Self::Delay { expectation } => format!("it took longer than expectation {} allows", expectation + 1),
        }
    }
}

/// How one grader of a case stood the check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraderChecked {
    /// The place of its expectation in the case, from 0.
    pub expectation: usize,
    /// Its name.
    pub grader: String,
    /// How it stood it.
    pub sight: Sight,
    /// The mutants that damaged what it looks at.
    pub concerned: usize,
    /// Those of them at which it did not pass any more.
    pub noticed: usize,
}

/// How a grader stood the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// It noticed at least one mutant that concerned it.
    Sees,
    /// It noticed none of those that concerned it.
    Blind,
    /// No mutant concerned it.
    Untried,
    /// It is a program, which cannot be asked again about what never happened; or it is turned round.
    NotJudged,
}

/// What the check of one case came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseMutation {
    /// The case.
    pub case: CaseId,
    /// The trials that passed and were damaged.
    pub trials: usize,
    /// The mutants that were graded.
    pub mutants: usize,
    /// Those of them with which the trial did not pass any more.
    pub noticed: usize,
    /// Those of the noticed in which the answer had not a word.
    #[serde(default)]
    pub noticed_silence: usize,
    /// Mutants that were left out, because there were too many.
    pub left_out: usize,
    /// What no grader noticed, once each.
    pub survivors: Vec<Mutation>,
    /// The graders, in the order of the case's expectations.
    pub graders: Vec<GraderChecked>,
}

impl CaseMutation {
    /// What [`mutate`] comes to, with what other cases were answered put in the place of this one's answer, too. While the trials of a run end
    /// in any order that is not known; of a run on record it is.
    pub fn beside(
        case: &Case,
        trial: &GradedTrial,
        others: &[(&CaseId, &Answer)],
        context: &GradingContext<'_>,
    ) -> Option<Self> {
        if trial.status != TrialStatus::Passed {
            return None;
        }
        let all = mutants(case, &trial.observation, others);
        let left_out = all.len().saturating_sub(MOST);
        let mut checked = Self {
            case: case.id.clone(),
            trials: 1,
            mutants: all.len().min(MOST),
            noticed: 0,
            noticed_silence: 0,
            left_out,
            survivors: Vec::new(),
            graders: graders(case, trial),
        };
        for (mutation, observation) in all.into_iter().take(MOST) {
            let regraded = grade(case, observation.apply(case, &trial.observation), context);
            if regraded.status == TrialStatus::Passed {
                checked.survivors.push(mutation.clone());
            } else {
                checked.noticed += 1;
                checked.noticed_silence += usize::from(mutation == Mutation::EmptyAnswer);
            }
            for grader in checked.graders.iter_mut().filter(|grader| grader.sight != Sight::NotJudged) {
                let Some((settings, _)) = case.expect.get(grader.expectation).and_then(|one| one.grader()) else {
                    continue;
                };
                if concerns(&settings, grader.expectation, &mutation, &trial.observation) {
                    grader.concerned += 1;
                    let passes = regraded.grades.get(grader.expectation).is_some_and(|grade| grade.pass == Some(true));
                    grader.noticed += usize::from(!passes);
                }
            }
        }
        for grader in checked.graders.iter_mut().filter(|grader| grader.sight != Sight::NotJudged) {
            grader.sight = sight(grader.concerned, grader.noticed);
        }
        Some(checked)
    }

    /// The graders that noticed nothing.
    pub fn blind(&self) -> impl Iterator<Item = &GraderChecked> {
        self.graders.iter().filter(|grader| grader.sight == Sight::Blind)
    }

    /// Adds what another trial of the same case came to. A grader sees if it saw in any trial.
    pub fn add(&mut self, other: Self) {
        self.trials += other.trials;
        self.mutants += other.mutants;
        self.noticed += other.noticed;
        self.noticed_silence += other.noticed_silence;
        self.left_out += other.left_out;
        for survivor in other.survivors {
            if !self.survivors.contains(&survivor) {
                self.survivors.push(survivor);
            }
        }
        for (grader, more) in self.graders.iter_mut().zip(other.graders) {
            grader.concerned += more.concerned;
            grader.noticed += more.noticed;
            if grader.sight != Sight::NotJudged {
                grader.sight = sight(grader.concerned, grader.noticed);
            }
        }
    }
}

/// Damages a passing trial in every place once, at most [`MOST`], and grades each mutant. `None` for a trial that did
/// not pass. The same trial always gives the same mutants.
pub fn mutate(case: &Case, trial: &GradedTrial, context: &GradingContext<'_>) -> Option<CaseMutation> {
    CaseMutation::beside(case, trial, &[], context)
}

fn sight(concerned: usize, noticed: usize) -> Sight {
    match (concerned, noticed) {
        (0, _) => Sight::Untried,
        (_, 0) => Sight::Blind,
        _ => Sight::Sees,
    }
}

fn graders(case: &Case, trial: &GradedTrial) -> Vec<GraderChecked> {
    let each = case.expect.iter().zip(&trial.grades).enumerate();
    each.map(|(expectation, (raw, grade))| {
        let sight = match raw.grader() {
            Some((Grader::Command(_), _) | (_, true)) | None => Sight::NotJudged,
            Some(_) => Sight::Untried,
        };
        GraderChecked { expectation, grader: grade.grader.clone(), sight, concerned: 0, noticed: 0 }
    })
    .collect()
}

/// What the check of a run came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutationTotals {
    /// Cases with a trial that passed.
    pub cases: usize,
    /// Mutants that were graded.
    pub mutants: usize,
    /// Mutants that were noticed.
    pub noticed: usize,
    /// Mutants that were left out.
    pub left_out: usize,
    /// Blind graders.
    pub blind: usize,
    /// Dropped effects that no grader noticed.
    pub dropped_effects_unnoticed: usize,
}

impl MutationTotals {
    /// Adds up cases.
    pub fn of<'c>(cases: impl IntoIterator<Item = &'c CaseMutation>) -> Self {
        let mut totals = Self::default();
        for case in cases {
            totals.cases += 1;
            totals.mutants += case.mutants;
            totals.noticed += case.noticed;
            totals.left_out += case.left_out;
            totals.blind += case.blind().count();
            let dropped = |mutation: &&Mutation| matches!(mutation, Mutation::DropEffect { .. });
            totals.dropped_effects_unnoticed += case.survivors.iter().filter(dropped).count();
        }
        totals
    }
}

/// The trials' checks put together by case, in the order of the cases' ids.
pub fn by_case(checked: impl IntoIterator<Item = CaseMutation>) -> Vec<CaseMutation> {
    let mut cases: BTreeMap<CaseId, CaseMutation> = BTreeMap::new();
    for one in checked {
        match cases.get_mut(&one.case) {
            Some(case) => case.add(one),
            None => {
                cases.insert(one.case.clone(), one);
            }
        }
    }
    cases.into_values().collect()
}
