//! What all graders share: the trait, what they look at, and what they find.

use std::ops::Range;

use crate::evidence::{Answer, Observation, excerpt};
use crate::manifest::Case;

use super::grade::{Grade, GradingContext};

/// Characters of one quoted text in a message.
const QUOTED: usize = 160;
/// Characters of each half of a message: what was expected, and what was found.
const HALF: usize = 220;

/// A grader's name and what it judges, for reference pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraderDoc {
    /// The name, as a case writes it.
    pub name: &'static str,
    /// What it judges, when it fails and when it comes to no judgement, in a few sentences.
    pub summary: &'static str,
}

/// A grader with its settings.
pub(super) trait Judge {
    /// Its name and what it judges.
    const DOC: GraderDoc;

    /// Judges one trial.
    ///
    /// # Errors
    /// [`NoJudgement`] where there is nothing to judge by: no answer, an unreadable target, settings that say nothing.
    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement>;
}

/// What a grader may look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    /// The case.
    pub(super) case: &'a Case,
    /// The trial.
    pub(super) observation: &'a Observation,
    /// The project's parts and their texts.
    pub(super) context: &'a GradingContext<'a>,
    /// The place of the expectation in its case, from 0.
    pub(super) index: usize,
}

impl<'a> Subject<'a> {
    /// The answer of the last invoke.
    ///
    /// # Errors
    /// Where the workflow answered nothing at all.
    pub(super) fn answer(&self) -> Result<&'a Answer, NoJudgement> {
        self.observation.last_answer().ok_or_else(|| NoJudgement::new("the workflow gave no answer"))
    }
}

/// Why a grader came to no judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoJudgement(String);

impl NoJudgement {
    /// Takes the reason: a clause without a full stop.
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// What a grader found, with both halves of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    verdict: FindingVerdict,
    expected: String,
    found: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FindingVerdict {
    Holds,
    Fails,
    Absent,
}

impl Finding {
    /// A verdict. `expected` continues the word "expected", `found` the word "found".
    pub(super) fn of(holds: bool, expected: impl Into<String>, found: impl Into<String>) -> Self {
        let verdict = if holds { FindingVerdict::Holds } else { FindingVerdict::Fails };
        Self { verdict, expected: expected.into(), found: found.into() }
    }

    /// What the expectation speaks of is not there: it fails. Its opposite is not shown by that, so under `not`
    /// there is no judgement: an answer that is no JSON at all must not pass for one without a forbidden value.
    pub(super) fn absent(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { verdict: FindingVerdict::Absent, expected: expected.into(), found: found.into() }
    }
}

/// The grade of a finding, turned round where the expectation stood under an odd number of `not`.
pub(super) fn grade_of(doc: GraderDoc, negated: bool, finding: Result<Finding, NoJudgement>) -> Grade {
    let grader = if negated { format!("not {}", doc.name) } else { doc.name.to_owned() };
    let (pass, message) = match finding {
        Err(NoJudgement(reason)) => (None, format!("no judgement: {}", excerpt(&reason, 2 * HALF))),
        Ok(finding) => {
            let expected = excerpt(&finding.expected, HALF);
            let found = excerpt(&finding.found, HALF);
            match (finding.verdict, negated) {
                (FindingVerdict::Absent, true) => {
                    (None, format!("no judgement: did not expect {expected}; found {found}"))
                }
                (verdict, false) => {
                    (Some(verdict == FindingVerdict::Holds), format!("expected {expected}; found {found}"))
                }
                (verdict, true) => {
                    (Some(verdict != FindingVerdict::Holds), format!("did not expect {expected}; found {found}"))
                }
            }
        }
    };
    Grade { grader, pass, message }
}

/// A text in a message: cut, escaped, and between back quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", excerpt(text, QUOTED))
}

/// What lies around a place of a text, in bytes, in a message: as [`quoted`], with `…` for what was left out before it.
pub(super) fn quoted_around(text: &str, place: Range<usize>) -> String {
    let lead = QUOTED.saturating_sub(place.len()) / 2;
    let start = text.floor_char_boundary(place.start.saturating_sub(lead));
    if start == 0 || place.end + lead / 2 < QUOTED {
        return quoted(text);
    }
    format!("`… {}`", excerpt(&text[start..], QUOTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_around_a_place_is_quoted_with_it() {
        let text = format!("{}é HOT {}", "a".repeat(1000), "b".repeat(1000));
        let at = text.find("HOT").unwrap();
        let around = quoted_around(&text, at..at + 3);
        assert!(around.starts_with("`… aaa") && around.contains("é HOT b") && around.ends_with(" more)`"), "{around}");
        assert_eq!(quoted_around("a HOT b", 2..5), "`a HOT b`");
        let end = text.len();
        assert!(quoted_around(&text, end - 1..end).ends_with("b`"));
        assert_eq!(quoted_around(&text, 0..end), quoted(&text), "nothing is left out before it");
    }

    const DOC: GraderDoc = GraderDoc { name: "equals", summary: "" };

    #[test]
    fn not_turns_a_verdict_round() {
        for holds in [true, false] {
            let finding = Finding::of(holds, "one", "two");
            assert_eq!(grade_of(DOC, false, Ok(finding.clone())).pass, Some(holds));
            assert_eq!(grade_of(DOC, true, Ok(finding)).pass, Some(!holds));
        }
    }

    #[test]
    fn what_is_not_there_fails_and_shows_nothing_of_the_opposite() {
        let finding = Finding::absent("one", "nothing");
        assert_eq!(grade_of(DOC, false, Ok(finding.clone())).pass, Some(false));
        assert_eq!(grade_of(DOC, true, Ok(finding)).pass, None);
    }

    #[test]
    fn no_judgement_stays_none_under_not() {
        for negated in [false, true] {
            assert_eq!(grade_of(DOC, negated, Err(NoJudgement::new("it is gone"))).pass, None);
        }
    }

    #[test]
    fn the_name_and_the_message_say_that_the_verdict_was_turned_round() {
        let grade = grade_of(DOC, true, Ok(Finding::of(true, "a `b`", "it")));
        assert_eq!((grade.grader.as_str(), grade.message.as_str()), ("not equals", "did not expect a `b`; found it"));
    }

    #[test]
    fn a_message_is_short_and_on_one_line_whatever_it_quotes() {
        let hostile = "\u{1b}[2J\n::error::\u{202e}".repeat(10_000);
        let finding = Finding::of(false, quoted(&hostile), hostile.clone());
        for finding in [Ok(finding), Err(NoJudgement::new(hostile))] {
            let message = grade_of(DOC, true, finding).message;
            assert!(message.chars().count() <= 520, "{}", message.chars().count());
            assert!(!message.chars().any(char::is_control), "{message}");
        }
    }
}
