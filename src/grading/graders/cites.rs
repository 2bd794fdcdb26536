//! `cites`: every passage that the answer quotes stands in the source it names, at the version it names.

use serde_json::Value;

use crate::domain::PartId;
use crate::grading::json_path::one_value;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{Cites, PartKind};

impl Judge for Cites {
    const DOC: GraderDoc = GraderDoc {
        name: "cites",
        summary: "The answer holds a list of citations, each with `source`, `version` and `quote`; each quote stands \
                  in one of that source's files, whole words and all but for runs of white space, and the version is \
                  the one in force. With `source` that one must be among them. A citation that is wrong, or a source that is none, \
                  fails; so does an answer without a citation, which under `not` is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let answer = subject.answer()?;
        let expected = match &self.source {
            None => "citations that stand in their sources".to_owned(),
            Some(source) => {
                format!("citations that stand in their sources, {} among them", quoted(source.as_str()))
            }
        };
        let citations = match one_value(answer, &self.path)? {
            Err(found) => return Ok(Finding::absent(expected, found)),
            Ok(found) => found,
        };
        let Some(citations) = citations.as_array().filter(|citations| !citations.is_empty()) else {
            return Ok(Finding::absent(expected, format!("no citations but {}", quoted(&citations.to_string()))));
        };
        for citation in citations {
            if let Some(wrong) = what_is_wrong(citation, subject)? {
                return Ok(Finding::of(false, expected, wrong));
            }
        }
        let counted = match citations.len() {
            1 => "1 citation".to_owned(),
            several => format!("{several} citations"),
        };
        let cited = |source: &PartId| citations.iter().any(|citation| citation["source"] == source.as_str());
        Ok(match &self.source {
            Some(source) if !cited(source) => Finding::of(false, expected, format!("{counted}, none of that source")),
            _ => Finding::of(true, expected, format!("{counted} of that kind")),
        })
    }
}

/// What is wrong with one citation; `None` where it stands.
fn what_is_wrong(citation: &Value, subject: &Subject<'_>) -> Result<Option<String>, NoJudgement> {
    let (Some(source), Some(quote)) = (citation["source"].as_str(), citation["quote"].as_str()) else {
        return Ok(Some(format!("a citation without source or quote: {}", quoted(&citation.to_string()))));
    };
    let part = subject.context.parts.get(source).filter(|part| part.kind == PartKind::Source);
    let Some(part) = part else {
        return Ok(Some(format!("a citation of {}, which is no source", quoted(source))));
    };
    // A version of digits alone is easily written as a JSON number; it names the same version.
    let version = match &citation["version"] {
        Value::String(version) => version.clone(),
        Value::Number(version) => version.to_string(),
        _ => return Ok(Some(format!("a citation of {} without a version", quoted(source)))),
    };
    if version != part.version {
        let in_force = quoted(&part.version);
        return Ok(Some(format!("{} cited at version {}, in force is {in_force}", quoted(source), quoted(&version))));
    }
    let quote = spaced_once(quote);
    if quote.is_empty() {
        return Ok(Some(format!("an empty quote from {}", quoted(source))));
    }
    let Some(texts) = subject.context.texts.get(source).filter(|texts| !texts.is_empty()) else {
        return Err(NoJudgement::new(format!("the text of {} cannot be read", quoted(source))));
    };
    let stands = texts.values().any(|text| stands_in(&spaced_once(text), &quote));
    Ok((!stands).then(|| format!("a quote that does not stand in {}: {}", quoted(source), quoted(&quote))))
}

/// Whether `quote` stands in `text` without cutting a word at either end: `worn shoes go back` is no quote from
/// "Unworn shoes go back". Only letters of scripts with upper and lower case, which part their words, and digits
/// count as one word; other scripts can be quoted from any character on.
fn stands_in(text: &str, quote: &str) -> bool {
    let is_of_word = |character: char| character.is_lowercase() || character.is_uppercase() || character.is_numeric();
    let cuts = |left: Option<char>, right: Option<char>| left.is_some_and(is_of_word) && right.is_some_and(is_of_word);
    let (first, last) = (quote.chars().next(), quote.chars().next_back());
    let mut from = 0;
    while let Some(place) = text[from..].find(quote) {
        let (start, end) = (from + place, from + place + quote.len());
        if !cuts(text[..start].chars().next_back(), first) && !cuts(last, text[end..].chars().next()) {
            return true;
        }
        from = start + first.map_or(1, char::len_utf8);
    }
    false
}

/// The text with every run of white space as one space, since a quote may be wrapped in another way.
fn spaced_once(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::stands_in;
    use crate::evidence::Observation;
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, json_answer, observation, text};
    use serde_json::{Value, json};

    fn citing(citations: Value) -> Observation {
        observation(Some(json_answer(json!({"output": "30 days", "citations": citations}))))
    }

    fn citation(source: &str, version: impl Into<Value>, quote: &str) -> Value {
        json!({"source": source, "version": version.into(), "quote": quote})
    }

    #[test]
    fn a_quote_that_stands_in_its_source_passes_however_it_is_wrapped() {
        for version in [json!("3"), json!(3)] {
            let seen = citing(json!([citation("returns", version, " shoes go back within\n30 days")]));
            assert_both(&json!({"cites": {}}), &seen, Some(true), Some(false));
        }
    }

    #[test]
    fn one_wrong_citation_fails_all() {
        let right = || citation("returns", "3", "Unworn shoes");
        let wrong = [
            citation("returns", "3", "worn shoes go back"),
            citation("returns", "3", "unworn shoes"),
            citation("returns", "3", "Unworn shoes within 30 days"),
            citation("returns", "2", "Unworn shoes"),
            citation("returns", Value::Null, "Unworn shoes"),
            citation("returns", "3", " \n"),
            citation("refunds", "3", "Unworn shoes"),
            citation("drafter", "3", "Unworn shoes"),
            json!({"source": "returns", "version": "3"}),
            json!("returns"),
        ];
        for wrong in wrong {
            let seen = citing(json!([right(), wrong]));
            assert_both(&json!({"cites": {}}), &seen, Some(false), Some(true));
        }
    }

    #[test]
    fn a_quote_that_cuts_a_word_does_not_stand() {
        assert!(!stands_in("Unworn shoes within 30 days", "worn shoes"));
        assert!(!stands_in("Unworn shoes within 30 days", "0 days"));
        assert!(!stands_in("Unworn shoes within 30 days", "Unworn shoe"));
        assert!(stands_in("Unworn shoes, worn shoes", "worn shoes"));
        assert!(stands_in("未穿过的鞋可以退货", "的鞋"));
        assert!(stands_in("\"Unworn\" shoes.", "\" shoes"));
    }

    #[test]
    fn a_source_that_is_asked_for_must_be_among_those_cited() {
        let seen = citing(json!([citation("returns", "3", "Unworn shoes")]));
        assert_both(&json!({"cites": {"source": "returns"}}), &seen, Some(true), Some(false));
        assert_both(&json!({"cites": {"source": "shipping"}}), &seen, Some(false), Some(true));
    }

    #[test]
    fn an_answer_without_citations_fails_and_shows_nothing_of_the_opposite() {
        for seen in [
            citing(json!([])),
            citing(json!("returns")),
            observation(Some(json_answer(json!({"output": "30 days"})))),
            observation(Some(text("30 days"))),
        ] {
            assert_both(&json!({"cites": {}}), &seen, Some(false), None);
        }
    }

    #[test]
    fn the_list_is_found_where_the_case_says() {
        let seen = observation(Some(json_answer(json!({"cited": [citation("returns", "3", "30 days")]}))));
        assert_both(&json!({"cites": {"path": "$.cited"}}), &seen, Some(true), Some(false));
    }

    #[test]
    fn a_source_whose_text_is_not_at_hand_and_a_missing_answer_are_no_judgement() {
        assert_no_judgement(&json!({"cites": {}}), &citing(json!([citation("unread", "3", "30 days")])));
        assert_no_judgement(&json!({"cites": {}}), &observation(None));
    }

    #[test]
    fn the_message_names_the_version_in_force() {
        let seen = citing(json!([citation("returns", "2", "Unworn shoes")]));
        let message = graded(json!({"cites": {}}), &seen).message;
        assert!(message.ends_with("found `returns` cited at version `2`, in force is `3`"), "{message}");
    }
}
