//! Which passages answer a question, which of several sources rules, and where sources contradict each other.

use std::cmp::Reverse;

use jiff::civil::Date;

use crate::domain::PartId;

use super::conduct::Conduct;
use super::library::{PolicySource, Section};
use super::words::{figures, find_phrase, has_any, plain};

/// One topic that a question touches.
#[derive(Clone, Debug)]
pub(super) struct Finding<'s> {
    /// The topic's heading.
    pub(super) topic: &'s str,
    /// The source that rules.
    pub(super) ruling: Passage<'s>,
    /// The sources in force that say something else.
    pub(super) set_aside: Vec<SetAside<'s>>,
    /// The sources that will rule later and say something else.
    pub(super) upcoming: Vec<Passage<'s>>,
}

/// One section of one source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage<'s> {
    pub(super) source: &'s PolicySource,
    pub(super) section: &'s Section,
}

/// A passage that contradicts the ruling one, and why it does not rule.
#[derive(Clone, Debug)]
pub(super) struct SetAside<'s> {
    pub(super) passage: Passage<'s>,
    pub(super) because: &'static str,
}

/// Finds the topics that the question touches, in the order in which it touches them.
pub(super) fn find<'s>(
    question: &str,
    sources: &'s [PolicySource],
    may_read: impl Fn(&PartId) -> bool,
    today: Date,
    conduct: &Conduct,
) -> Vec<Finding<'s>> {
    let asked = plain(question);
    let readable = |source: &&PolicySource| !conduct.keeps_to_readable_sources || may_read(&source.id);
    let passages = sources
        .iter()
        .filter(readable)
        .flat_map(|source| source.sections.iter().map(move |section| Passage { source, section }));
    let mut topics: Vec<(usize, Vec<Passage<'s>>)> = Vec::new();
    for passage in passages {
        let touched = passage.section.asked_as.iter().filter_map(|phrase| find_phrase(&asked, phrase)).min();
        let known = topics.iter_mut().find(|(_, group)| group[0].section.topic == passage.section.topic);
        match known {
            Some((first, group)) => {
                *first = (*first).min(touched.unwrap_or(usize::MAX));
                group.push(passage);
            }
            None => topics.push((touched.unwrap_or(usize::MAX), vec![passage])),
        }
    }
    topics.retain(|(first, _)| *first != usize::MAX);
    topics.sort_by_key(|(first, group)| (*first, group[0].section.topic.as_str()));
    topics.into_iter().filter_map(|(_, group)| weigh(&group, today, conduct)).collect()
}

/// The source that rules on a topic today, with its version: what an approval of an earlier day is held against.
pub(super) fn ruling_on(
    topic: &str,
    sources: &[PolicySource],
    may_read: impl Fn(&PartId) -> bool,
    today: Date,
    conduct: &Conduct,
) -> Option<(PartId, String)> {
    let readable = sources.iter().filter(|source| !conduct.keeps_to_readable_sources || may_read(&source.id));
    let passages = readable.flat_map(|source| source.sections.iter().map(move |section| Passage { source, section }));
    let group: Vec<Passage<'_>> = passages.filter(|passage| passage.section.topic == topic).collect();
    let source = weigh(&group, today, conduct)?.ruling.source;
    Some((source.id.clone(), source.version.clone()))
}

/// Decides which passage of a topic rules. `None` where none is in force yet.
fn weigh<'s>(group: &[Passage<'s>], today: Date, conduct: &Conduct) -> Option<Finding<'s>> {
    let in_force = |passage: &Passage<'s>| !conduct.checks_effective_date || passage.source.in_force(today);
    let weight = |passage: &&Passage<'s>| {
        let source = passage.source;
        let standing =
            Reverse(if conduct.ranks_by_authority { (source.authority, source.rank) } else { Default::default() });
        (standing, source.effective, Reverse(&source.id))
    };
    let ruling = *group.iter().filter(|passage| in_force(passage)).max_by_key(weight)?;
    let others = || group.iter().copied().filter(|passage| contradict(passage.section, ruling.section));
    let set_aside =
        others().filter(in_force).map(|passage| SetAside { because: because(passage.source, ruling.source), passage });
    let upcoming = others().filter(|passage| !in_force(passage) && passage.source.upcoming(today));
    Some(Finding { topic: &ruling.section.topic, ruling, set_aside: set_aside.collect(), upcoming: upcoming.collect() })
}

/// Why a source does not rule beside the one that does.
fn because(source: &PolicySource, ruling: &PolicySource) -> &'static str {
    if source.authority > ruling.authority {
        "its authority is lower"
    } else if source.rank > ruling.rank {
        "its rank is lower"
    } else {
        "it is older"
    }
}

/// Whether two passages on one topic say different things: other figures, or one denies what the other does not.
fn contradict(one: &Section, other: &Section) -> bool {
    let denies = |section: &Section| has_any(&plain(&section.passage), &["not", "no", "never", "cannot"]);
    figures(&one.passage) != figures(&other.passage) || denies(one) != denies(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Authority;

    fn source(id: &str, effective: &str, authority: Authority, passage: &str) -> PolicySource {
        let section =
            Section { topic: "Return period".to_owned(), asked_as: vec![plain("return")], passage: passage.to_owned() };
        PolicySource {
            id: PartId::new(id),
            version: "1".to_owned(),
            effective: effective.parse().ok(),
            expires: None,
            authority,
            rank: 0,
            sections: vec![section],
        }
    }

    fn ruling(sources: &[PolicySource], conduct: &Conduct) -> (String, usize, usize) {
        let today = "2026-06-15".parse().unwrap();
        let findings = find("May I return it?", sources, |_| true, today, conduct);
        (findings[0].ruling.source.id.to_string(), findings[0].set_aside.len(), findings[0].upcoming.len())
    }

    #[test]
    fn authority_comes_before_date_and_the_future_does_not_rule() {
        let sources = [
            source("faq", "2026-03-01", Authority::Secondary, "14 days."),
            source("future", "2026-09-01", Authority::Primary, "60 days."),
            source("new", "2026-01-01", Authority::Primary, "30 days."),
            source("old", "2024-01-01", Authority::Primary, "30 days."),
        ];
        assert_eq!(ruling(&sources, &Conduct::sound()), ("new".to_owned(), 1, 1));
        let by_date = Conduct { ranks_by_authority: false, ..Conduct::sound() };
        assert_eq!(ruling(&sources, &by_date).0, "faq");
        let unchecked = Conduct { checks_effective_date: false, ..Conduct::sound() };
        assert_eq!(ruling(&sources, &unchecked).0, "future");
    }

    #[test]
    fn a_source_that_the_actor_may_not_read_says_nothing() {
        let sources = [source("secret", "2026-01-01", Authority::Primary, "30 days.")];
        let today = "2026-06-15".parse().unwrap();
        assert!(find("return", &sources, |_| false, today, &Conduct::sound()).is_empty());
    }
}
