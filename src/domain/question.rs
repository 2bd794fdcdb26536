//! The question that a case asks: two results speak of the same thing only where it is the same.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// One side of what a case asks and is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// What goes in: input, fixtures, steps, time, workflow, sources.
    Case,
    /// What must hold.
    Expectations,
    /// The content of the programs that judge.
    JudgingPrograms,
    /// What is done to the workflow's calls.
    FaultSchedule,
    /// How often it is executed.
    Trials,
    /// What the target is asked, and how.
    Probes,
}

impl Aspect {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Expectations => "expectations",
            Self::JudgingPrograms => "judging_programs",
            Self::FaultSchedule => "fault_schedule",
            Self::Trials => "trials",
            Self::Probes => "probes",
        }
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Case => "the case itself",
            Self::Expectations => "its expectations",
            Self::JudgingPrograms => "a program that judges it",
            Self::FaultSchedule => "its fault schedule",
            Self::Trials => "its trials",
            Self::Probes => "a probe that it is judged by",
        })
    }
}

/// The digests of a case's aspects beside that of the case as a whole. An aspect that a case does not have is not there;
/// the expectations always are, so that an empty question is that of a record in which it was not kept. What goes in is not
/// there in records of before it was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "BTreeMap<Aspect, Digest>", into = "BTreeMap<Aspect, Digest>")]
#[schemars(with = "BTreeMap<Aspect, Digest>")]
pub struct Question(
    /// Sorted by aspect. Every case has one, with two or three entries: a tree would take three times as much.
    Arc<[(Aspect, Digest)]>,
);

impl Question {
    /// Adds an aspect.
    pub fn set(&mut self, aspect: Aspect, digest: Digest) {
        let mut all = BTreeMap::from(self.clone());
        all.insert(aspect, digest);
        *self = all.into();
    }

    /// Takes an aspect out.
    pub fn forget(&mut self, aspect: Aspect) {
        self.0 = self.0.iter().filter(|(one, _)| *one != aspect).cloned().collect();
    }

    /// The digest of an aspect.
    pub fn get(&self, aspect: Aspect) -> Option<&Digest> {
        self.0.iter().find(|(one, _)| *one == aspect).map(|(_, digest)| digest)
    }

    /// Whether it was not kept.
    pub fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }

    /// The aspects that differ, in order; none where either was not kept.
    pub fn differing(&self, other: &Self) -> Vec<Aspect> {
        if self.is_unknown() || other.is_unknown() {
            return Vec::new();
        }
        let aspects =
            [Aspect::Case, Aspect::Expectations, Aspect::JudgingPrograms, Aspect::FaultSchedule, Aspect::Probes];
        // What goes in was not kept at first: it differs only where both say what it was.
        let is_open =
            |aspect: Aspect| aspect == Aspect::Case && (self.get(aspect).is_none() || other.get(aspect).is_none());
        let differs = |aspect: &Aspect| !is_open(*aspect) && self.get(*aspect) != other.get(*aspect);
        aspects.into_iter().filter(differs).collect()
    }
}

impl From<BTreeMap<Aspect, Digest>> for Question {
    fn from(aspects: BTreeMap<Aspect, Digest>) -> Self {
        Self(aspects.into_iter().collect())
    }
}

impl From<Question> for BTreeMap<Aspect, Digest> {
    fn from(question: Question) -> Self {
        question.0.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(aspects: &[(Aspect, &str)]) -> Question {
        let mut question = Question::default();
        aspects.iter().for_each(|(aspect, text)| question.set(*aspect, Digest::of(text.as_bytes())));
        question
    }

    #[test]
    fn an_aspect_that_only_one_has_differs() {
        let bare = question(&[(Aspect::Expectations, "a")]);
        let probed = question(&[(Aspect::Expectations, "a"), (Aspect::Probes, "b")]);
        assert_eq!(bare.differing(&probed), [Aspect::Probes]);
        assert_eq!(probed.differing(&bare), [Aspect::Probes]);
        assert_eq!(probed.differing(&probed), []);
    }

    #[test]
    fn what_goes_in_differs_only_where_both_say_what_it_was() {
        let (bare, one) = (question(&[(Aspect::Expectations, "a")]), |input: &str| {
            question(&[(Aspect::Expectations, "a"), (Aspect::Case, input)])
        });
        assert_eq!(one("x").differing(&one("y")), [Aspect::Case]);
        assert_eq!(bare.differing(&one("x")), []);
        assert_eq!(one("x").differing(&bare), []);
    }

    #[test]
    fn what_was_not_kept_differs_from_nothing() {
        let known = question(&[(Aspect::Expectations, "a")]);
        assert!(Question::default().is_unknown() && !known.is_unknown());
        assert_eq!(known.differing(&Question::default()), []);
    }

    #[test]
    fn it_is_written_by_the_names_of_its_aspects() {
        let text = serde_json::to_string(&question(&[(Aspect::JudgingPrograms, "a")])).unwrap();
        assert!(text.starts_with("{\"judging_programs\":\"sha256:"), "{text}");
    }
}
