//! `effects`: how many effects of a kind a probe shows.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::length::range_phrase;
use crate::evidence::Reading;
use crate::grading::json_equality::json_equal;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{Count, EffectCount};

impl Judge for EffectCount {
    const DOC: GraderDoc = GraderDoc {
        name: "effects",
        summary: "A probe shows exactly `count`, `at_least` or `at_most` effects whose fields are those of `where`, and \
                  each of those has the `fields`. A target that could not be read is no judgement, never a zero; nor is \
                  a `where` or a `fields` that names a field which no effect has, nor a look that was not settled or not \
                  authoritative where one effect more or less than it shows would matter.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let range = range(self)?;
        let probe = quoted(&self.probe);
        let effects = match subject.observation.readings.get(&self.probe) {
            Some(Reading::Effects(effects)) => effects,
            Some(Reading::Unreadable(reason)) => {
                return Err(NoJudgement::new(format!("the probe {probe} could not read its target: {reason}")));
            }
            None => return Err(NoJudgement::new(format!("the probe {probe} was not asked"))),
        };
        let named = self.r#where.keys().chain(self.fields.keys());
        if let Some(field) = unknown_field(named, effects) {
            return Err(NoJudgement::new(format!(
                "no effect that the probe {probe} shows has a field {}",
                quoted(field)
            )));
        }
        let counted: Vec<_> = effects.iter().filter(|effect| matches(&self.r#where, effect)).collect();
        let wanted = phrase(" with ", &self.r#where);
        let noun = if range.at_most.unwrap_or(range.at_least) == 1 { "effect" } else { "effects" };
        let each = phrase(", each with ", &self.fields);
        let expected = format!("{} {noun} at {probe}{wanted}{each}", range_phrase(range));
        let other = counted.iter().find_map(|effect| self.fields.keys().find(|field| self.differs(effect, field)));
        let found = match other {
            Some(field) if range.holds(counted.len()) => {
                let values = counted.iter().filter(|effect| self.differs(effect, field));
                let shown: Vec<String> = values.map(|effect| value_of(effect, field)).collect();
                return Ok(Finding::of(false, expected, format!("{field} = {}", quoted(&shown.join(", ")))));
            }
            _ => format!("{} of {} there", counted.len(), effects.len()),
        };
        // What is there is there; that no more is there, only a settled look at the whole shows.
        let more_would_matter = range.at_most.is_some() || counted.len() < range.at_least;
        let is_too_many = range.at_most.is_some_and(|most| counted.len() > most);
        if let Some(had) = subject.observation.looks.get(&self.probe)
            && more_would_matter
            && !is_too_many
            && !(had.settled && had.authoritative)
        {
            let lack = if had.settled { "its view may lag" } else { had.why.trim_end_matches('.') };
            return Err(NoJudgement::new(format!("the probe {probe} shows {found}, which concludes nothing: {lack}")));
        }
        Ok(Finding::of(range.holds(counted.len()), expected, found))
    }
}

impl EffectCount {
    /// Whether an effect has another value in a field than it must have.
    fn differs(&self, effect: &Map<String, Value>, field: &str) -> bool {
        let wanted = self.fields.get(field);
        wanted.is_some_and(|wanted| effect.get(field).is_none_or(|found| !json_equal(found, wanted)))
    }
}

fn value_of(effect: &Map<String, Value>, field: &str) -> String {
    effect.get(field).map_or("nothing".to_owned(), Value::to_string)
}

fn phrase(before: &str, fields: &BTreeMap<String, Value>) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let fields = fields.iter().map(|(field, value)| format!("{field} = {value}"));
    format!("{before}{}", quoted(&fields.collect::<Vec<_>>().join(", ")))
}

fn range(check: &EffectCount) -> Result<Count, NoJudgement> {
    if check.count.is_none() && check.at_least.is_none() && check.at_most.is_none() {
        return Err(NoJudgement::new("no number of effects is given"));
    }
    let least = check.count.into_iter().chain(check.at_least).max().unwrap_or(0);
    let most = check.count.into_iter().chain(check.at_most).min();
    Ok(Count { at_least: least, at_most: most })
}

/// A named field that no effect has: with a misspelt name nothing would ever match, and a count of zero
/// would hold for ever.
fn unknown_field<'a>(mut named: impl Iterator<Item = &'a String>, effects: &[Map<String, Value>]) -> Option<&'a str> {
    if effects.is_empty() {
        return None;
    }
    let is_known = |field: &str| effects.iter().any(|effect| effect.contains_key(field));
    named.find(|field| !is_known(field)).map(String::as_str)
}

fn matches(wanted: &BTreeMap<String, Value>, effect: &Map<String, Value>) -> bool {
    wanted.iter().all(|(field, value)| effect.get(field).is_some_and(|found| json_equal(found, value)))
}

#[cfg(test)]
mod tests {
    use crate::evidence::{LookHad, Observation, Reading};
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, observation};
    use serde_json::{Value, json};

    fn showing(reading: Reading) -> Observation {
        let mut seen = observation(None);
        seen.readings.insert("queue".to_owned(), reading);
        seen
    }

    fn rows(rows: Value) -> Observation {
        let rows = rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect();
        showing(Reading::Effects(rows))
    }

    fn two() -> Observation {
        rows(json!([{"operation": "op-1", "quantity": 2.0}, {"operation": "op-2", "quantity": 1}]))
    }

    fn effects(settings: Value) -> Value {
        let mut settings = settings;
        settings["probe"] = json!("queue");
        json!({ "effects": settings })
    }

    fn had(settled: bool, authoritative: bool) -> Observation {
        let mut seen = two();
        let had = LookHad { at_us: 1, readings: 1, settled, authoritative, why: "It was too early.".to_owned() };
        seen.looks.insert("queue".to_owned(), had);
        seen
    }

    #[test]
    fn a_look_that_may_lack_an_effect_says_only_what_is_there() {
        for seen in [had(false, true), had(true, false)] {
            for open in [json!({"count": 2}), json!({"at_most": 2}), json!({"at_least": 3}), json!({"count": 3})] {
                assert_no_judgement(&effects(open.clone()), &seen);
                assert_no_judgement(&json!({"not": effects(open)}), &seen);
            }
            assert_both(&effects(json!({"at_least": 2})), &seen, Some(true), Some(false));
            assert_both(&effects(json!({"at_most": 1})), &seen, Some(false), Some(true));
            let other = json!({"count": 2, "fields": {"quantity": 2}});
            assert_both(&effects(other), &seen, Some(false), Some(true));
        }
        assert_both(&effects(json!({"count": 2})), &had(true, true), Some(true), Some(false));
    }

    #[test]
    fn effects_are_counted_exactly_or_within_limits() {
        assert_both(&effects(json!({"count": 2})), &two(), Some(true), Some(false));
        assert_both(&effects(json!({"count": 1})), &two(), Some(false), Some(true));
        assert_both(&effects(json!({"at_least": 2})), &two(), Some(true), Some(false));
        assert_both(&effects(json!({"at_least": 3})), &two(), Some(false), Some(true));
        assert_both(&effects(json!({"at_most": 1})), &two(), Some(false), Some(true));
        assert_both(&effects(json!({"at_least": 1, "at_most": 2})), &two(), Some(true), Some(false));
        assert_both(&effects(json!({"count": 2, "at_most": 1})), &two(), Some(false), Some(true));
        assert_both(&effects(json!({"count": 2, "at_least": 3})), &two(), Some(false), Some(true));
    }

    #[test]
    fn only_effects_with_the_wanted_fields_count() {
        assert_both(&effects(json!({"where": {"operation": "op-1"}, "count": 1})), &two(), Some(true), Some(false));
        assert_both(&effects(json!({"where": {"quantity": 2}, "count": 1})), &two(), Some(true), Some(false));
        assert_both(&effects(json!({"where": {"quantity": "2"}, "count": 0})), &two(), Some(true), Some(false));
        let both = json!({"where": {"operation": "op-1", "quantity": 1}, "count": 0});
        assert_both(&effects(both), &two(), Some(true), Some(false));
    }

    #[test]
    fn no_effect_is_a_zero_where_the_target_was_read() {
        assert_both(
            &effects(json!({"where": {"operation": "op-1"}, "count": 0})),
            &rows(json!([])),
            Some(true),
            Some(false),
        );
    }

    #[test]
    fn a_target_that_was_not_read_is_no_zero() {
        let unreadable = showing(Reading::Unreadable("database is locked".to_owned()));
        assert_no_judgement(&effects(json!({"count": 0})), &unreadable);
        assert_no_judgement(&effects(json!({"count": 0})), &observation(None));
        assert!(graded(effects(json!({"count": 0})), &unreadable).message.contains("database is locked"));
    }

    #[test]
    fn a_misspelt_field_is_no_judgement() {
        assert_no_judgement(&effects(json!({"where": {"operaton": "op-1"}, "count": 0})), &two());
    }

    #[test]
    fn each_effect_that_is_counted_has_the_fields() {
        let of = |settings| effects(settings);
        let one = json!({"where": {"operation": "op-1"}, "count": 1, "fields": {"quantity": 2}});
        assert_both(&of(one), &two(), Some(true), Some(false));
        let wrong = json!({"where": {"operation": "op-1"}, "count": 1, "fields": {"quantity": 3}});
        assert_both(&of(wrong.clone()), &two(), Some(false), Some(true));
        assert!(graded(of(wrong), &two()).message.ends_with("found quantity = `2.0`"));
        assert_both(&of(json!({"count": 2, "fields": {"quantity": 1}})), &two(), Some(false), Some(true));
        assert_both(&of(json!({"count": 3, "fields": {"quantity": 1}})), &two(), Some(false), Some(true));
        assert_no_judgement(&of(json!({"count": 2, "fields": {"quantty": 1}})), &two());
    }

    #[test]
    fn without_a_number_there_is_no_expectation() {
        assert_no_judgement(&effects(json!({})), &two());
    }

    #[test]
    fn one_effect_is_no_plural() {
        for (settings, wanted) in [
            (json!({"count": 1}), "exactly 1 effect at"),
            (json!({"at_least": 1}), "at least 1 effect at"),
            (json!({"at_most": 1}), "at most 1 effect at"),
            (json!({"count": 2}), "exactly 2 effects at"),
            (json!({"count": 0}), "exactly 0 effects at"),
        ] {
            let message = graded(effects(settings), &two()).message;
            assert!(message.contains(wanted), "{message}");
        }
    }
}
