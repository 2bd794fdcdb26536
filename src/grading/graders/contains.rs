//! `contains`: texts that occur in the output, or do not.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted, quoted_around};
use crate::manifest::Contains;

impl Judge for Contains {
    const DOC: GraderDoc = GraderDoc {
        name: "contains",
        summary: "Texts that occur in the output: `all` of a list (also the short form), at least one of `any`, and \
                  none of `none`. With `ignore_case` letter case is ignored, by Unicode's simple case folding. An \
                  empty text occurs everywhere and so is no expectation.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let texts: Vec<&String> = [&self.all, &self.any, &self.none].into_iter().flatten().collect();
        if texts.is_empty() {
            return Err(NoJudgement::new("no text to look for is given"));
        }
        if texts.iter().any(|text| text.is_empty()) {
            return Err(NoJudgement::new("an empty text occurs in everything"));
        }
        let output = subject.answer()?.output_text();
        let occurring = |texts: &[String]| occurring(texts, &output, self.ignore_case);
        let (all, any, none) = (occurring(&self.all)?, occurring(&self.any)?, occurring(&self.none)?);
        let holds = all.iter().all(Option::is_some)
            && (any.is_empty() || any.iter().any(Option::is_some))
            && none.iter().all(Option::is_none);
        let missing = self.all.iter().zip(&all).find(|(_, place)| place.is_none());
        let unwanted = self.none.iter().zip(&none).find_map(|(text, place)| Some((text, place.clone()?)));
        let found = if let Some((text, _)) = missing {
            format!("no {} in {}", quoted(text), quoted(&output))
        } else if let Some((text, place)) = unwanted {
            format!("{} in {}", quoted(text), quoted_around(&output, place))
        } else if let Some(place) = all.iter().chain(&any).flatten().next() {
            quoted_around(&output, place.clone())
        } else {
            quoted(&output)
        };
        Ok(Finding::of(holds, phrase(self), found))
    }
}

fn phrase(settings: &Contains) -> String {
    let lists = [("all", &settings.all), ("any", &settings.any), ("none", &settings.none)];
    let named = lists.into_iter().filter(|(_, texts)| !texts.is_empty()).map(|(name, texts)| {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        format!("{name} of {}", texts.join(", "))
    });
    format!("the output to contain {}", named.collect::<Vec<_>>().join(" and "))
}

/// Where each text occurs first, in bytes.
fn occurring(texts: &[String], output: &str, ignore_case: bool) -> Result<Vec<Option<Range<usize>>>, NoJudgement> {
    let place = |text: &String| {
        if ignore_case {
            return Ok(folded(text)?.find(output).map(|found| found.range()));
        }
        Ok(output.find(text.as_str()).map(|start| start..start + text.len()))
    };
    texts.iter().map(place).collect()
}

fn folded(text: &str) -> Result<Regex, NoJudgement> {
    RegexBuilder::new(&regex::escape(text))
        .case_insensitive(true)
        .build()
        .map_err(|_| NoJudgement::new(format!("{} is too long to ignore its letter case", quoted(text))))
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, json_answer, observation, passes, text};
    use serde_json::json;

    #[test]
    fn every_text_of_all_must_occur() {
        let seen = observation(Some(text("refund in 30 days")));
        assert_both(&json!({"contains": "refund"}), &seen, Some(true), Some(false));
        assert_both(&json!({"contains": ["refund", "30 days"]}), &seen, Some(true), Some(false));
        assert_both(&json!({"contains": ["refund", "31 days"]}), &seen, Some(false), Some(true));
    }

    #[test]
    fn one_text_of_any_is_enough_and_one_of_none_is_too_many() {
        let answer = || text("refund in 30 days");
        assert_eq!(passes(json!({"contains": {"any": ["credit", "refund"]}}), answer()), Some(true));
        assert_eq!(passes(json!({"contains": {"any": ["credit", "voucher"]}}), answer()), Some(false));
        assert_eq!(passes(json!({"contains": {"none": ["credit", "refund"]}}), answer()), Some(false));
        assert_eq!(passes(json!({"contains": {"none": ["credit"]}}), answer()), Some(true));
        assert_eq!(passes(json!({"contains": {"all": ["refund"], "none": ["30"]}}), answer()), Some(false));
    }

    #[test]
    fn letter_case_counts_unless_ignored() {
        assert_eq!(passes(json!({"contains": "REFUND"}), text("Refund")), Some(false));
        let ignoring = |text: &str| json!({"contains": {"all": [text], "ignore_case": true}});
        assert_eq!(passes(ignoring("REFUND"), text("Refund")), Some(true));
        assert_eq!(passes(ignoring("ΟΔΟΣ"), text("οδος στην")), Some(true));
        assert_eq!(passes(ignoring("a.c"), text("ABC")), Some(false));
    }

    #[test]
    fn an_output_that_is_no_text_is_looked_at_in_its_json_form() {
        assert_eq!(
            passes(json!({"contains": "\"days\":30"}), json_answer(json!({"output": {"days": 30}}))),
            Some(true)
        );
    }

    #[test]
    fn an_empty_text_or_an_empty_list_is_no_expectation() {
        let seen = observation(Some(text("anything")));
        for settings in [json!(""), json!([]), json!({"any": ["x", ""]}), json!({}), json!({"none": [""]})] {
            assert_no_judgement(&json!({ "contains": settings }), &seen);
        }
    }

    #[test]
    fn without_an_answer_there_is_no_judgement() {
        assert_no_judgement(&json!({"contains": {"none": ["x"]}}), &observation(None));
    }

    #[test]
    fn of_a_long_answer_the_message_shows_where_the_text_occurs() {
        let seen = observation(Some(text(&format!("{} it is HOT today {}", "a ".repeat(500), "b ".repeat(500)))));
        let settings = [
            json!({"not": {"contains": "HOT"}}),
            json!({"contains": {"none": ["HOT"]}}),
            json!({"contains": {"none": ["hot"], "ignore_case": true}}),
            json!({"not": {"regex": "H.T"}}),
        ];
        for settings in settings {
            let grade = graded(settings, &seen);
            assert_eq!(grade.pass, Some(false));
            assert!(grade.message.contains("it is HOT today"), "{}", grade.message);
        }
    }

    #[test]
    fn the_message_names_the_text_that_decided() {
        let grade = graded(json!({"contains": {"none": ["b", "c"]}}), &observation(Some(text("a c"))));
        assert_eq!(grade.message, "expected the output to contain none of `b`, `c`; found `c` in `a c`");
    }
}
