//! `json`: values inside the JSON answer.

use serde_json::Value;

use super::regex::compiled;
use crate::grading::json_equality::json_equal;
use crate::grading::json_path::{json_of, nothing_at, parsed};
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{JsonCheck, JsonKind};

impl Judge for JsonCheck {
    const DOC: GraderDoc = GraderDoc {
        name: "json",
        summary: "Values that a JSONPath (RFC 9535) finds in the JSON answer. The path starts at the whole answer, not at \
                  its `output`; an answer that is read as a text is looked into where it is JSON. `equals` and `one_of` \
                  need exactly one value; every other comparison must hold for each value found. Without any comparison \
                  the path must find something. A comparison on a path that finds nothing fails, so its `not` passes; \
                  an answer that is no JSON fails, and under `not` it is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let comparisons = comparisons(self)?;
        let answer = subject.answer()?;
        let mut wanted: Vec<String> = comparisons.iter().map(|comparison| comparison.phrase.clone()).collect();
        wanted.extend(self.count.map(|count| format!("{count} values")));
        wanted.extend(self.exists.map(|exists| if exists { "something" } else { "nothing" }.to_owned()));
        if wanted.is_empty() {
            wanted.push("something".to_owned());
        }
        let expected = format!("at {} {}", quoted(&self.path), wanted.join(" and "));
        let way = parsed(&self.path)?;
        let json = match json_of(answer) {
            Ok(json) => json,
            Err(found) => return Ok(Finding::absent(expected, found)),
        };
        let found = way.query(&json).all();
        let numbers_hold = match (self.count, self.exists) {
            (None, None) => !found.is_empty(),
            (count, exists) => {
                count.is_none_or(|count| found.len() == count) && exists.is_none_or(|exists| found.is_empty() != exists)
            }
        };
        let compared = comparisons.iter().all(|comparison| comparison.holds_for(&found));
        let found = match &found[..] {
            [] => nothing_at(&json, &self.path),
            [value] => shown(value),
            [first, ..] => format!("{} values, the first {}", found.len(), shown(first)),
        };
        Ok(Finding::of(numbers_hold && compared, expected, found))
    }
}

/// One comparison of the check.
struct Comparison<'a> {
    phrase: String,
    /// Whether exactly one value must be found.
    single: bool,
    holds: Box<dyn Fn(&Value) -> bool + 'a>,
}

impl Comparison<'_> {
    fn holds_for(&self, found: &[&Value]) -> bool {
        let enough = if self.single { found.len() == 1 } else { !found.is_empty() };
        enough && found.iter().all(|value| (self.holds)(value))
    }
}

fn comparisons(check: &JsonCheck) -> Result<Vec<Comparison<'_>>, NoJudgement> {
    let mut all = Vec::new();
    if let Some(wanted) = &check.equals {
        let holds = Box::new(move |value: &Value| json_equal(value, wanted));
        all.push(Comparison { phrase: format!("one value equal to {}", shown(wanted)), single: true, holds });
    }
    if let Some(wanted) = &check.one_of {
        let choices: Vec<String> = wanted.iter().map(shown).collect();
        let holds = Box::new(move |value: &Value| wanted.iter().any(|wanted| json_equal(value, wanted)));
        all.push(Comparison { phrase: format!("one value of {}", choices.join(", ")), single: true, holds });
    }
    all.extend(bounds(check)?);
    if let Some(part) = &check.contains {
        if part.is_empty() {
            return Err(NoJudgement::new("an empty text occurs in everything"));
        }
        let holds = Box::new(move |value: &Value| value.as_str().is_some_and(|text| text.contains(part.as_str())));
        all.push(Comparison { phrase: format!("texts that contain {}", quoted(part)), single: false, holds });
    }
    if let Some(pattern) = &check.matches {
        let regex = compiled(pattern)?;
        let holds = Box::new(move |value: &Value| value.as_str().is_some_and(|text| regex.is_match(text)));
        all.push(Comparison { phrase: format!("texts that match {}", quoted(pattern)), single: false, holds });
    }
    if let Some(kind) = check.kind {
        let holds = Box::new(move |value: &Value| is_of_kind(value, kind));
        all.push(Comparison { phrase: format!("values of type {}", kind_name(kind)), single: false, holds });
    }
    Ok(all)
}

fn bounds(check: &JsonCheck) -> Result<Vec<Comparison<'_>>, NoJudgement> {
    type Bound = (&'static str, Option<f64>, fn(f64, f64) -> bool);
    let bounds: [Bound; 4] = [
        ("above", check.above, |number, bound| number > bound),
        ("of at least", check.at_least, |number, bound| number >= bound),
        ("below", check.below, |number, bound| number < bound),
        ("of at most", check.at_most, |number, bound| number <= bound),
    ];
    let given = bounds.into_iter().filter_map(|(name, bound, compare)| Some((name, bound?, compare)));
    given
        .map(|(name, bound, compare)| {
            if !bound.is_finite() {
                return Err(NoJudgement::new(format!("{bound} is no bound to compare with")));
            }
            let holds = Box::new(move |value: &Value| value.as_f64().is_some_and(|number| compare(number, bound)));
            Ok(Comparison { phrase: format!("numbers {name} {bound}"), single: false, holds })
        })
        .collect()
}

fn is_of_kind(value: &Value, kind: JsonKind) -> bool {
    match kind {
        JsonKind::Null => value.is_null(),
        JsonKind::Boolean => value.is_boolean(),
        JsonKind::Number => value.is_number(),
        JsonKind::String => value.is_string(),
        JsonKind::Array => value.is_array(),
        JsonKind::Object => value.is_object(),
    }
}

fn kind_name(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Null => "null",
        JsonKind::Boolean => "boolean",
        JsonKind::Number => "number",
        JsonKind::String => "string",
        JsonKind::Array => "array",
        JsonKind::Object => "object",
    }
}

fn shown(value: &Value) -> String {
    quoted(&value.to_string())
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, json_answer, observation, passes, text};
    use serde_json::{Value, json};

    /// What a check comes to on `{"n": 5, "s": "abc", "list": [1, 2, 3], "none": null}`.
    fn on_document(check: Value) -> Option<bool> {
        passes(json!({ "json": check }), json_answer(json!({"n": 5, "s": "abc", "list": [1, 2, 3], "none": null})))
    }

    #[test]
    fn without_a_comparison_the_path_must_find_something() {
        assert_eq!(on_document(json!({"path": "$.n"})), Some(true));
        assert_eq!(on_document(json!({"path": "$.none"})), Some(true));
        assert_eq!(on_document(json!({"path": "$.m"})), Some(false));
    }

    #[test]
    fn equals_and_one_of_need_exactly_one_value() {
        assert_eq!(on_document(json!({"path": "$.n", "equals": 5.0})), Some(true));
        assert_eq!(on_document(json!({"path": "$.n", "equals": "5"})), Some(false));
        assert_eq!(on_document(json!({"path": "$.none", "equals": null})), Some(true));
        assert_eq!(on_document(json!({"path": "$.m", "equals": null})), Some(false));
        assert_eq!(on_document(json!({"path": "$.list[*]", "equals": 1})), Some(false));
        assert_eq!(on_document(json!({"path": "$.list[0]", "one_of": [2, 1]})), Some(true));
        assert_eq!(on_document(json!({"path": "$.list[2]", "one_of": [2, 1]})), Some(false));
        assert_eq!(on_document(json!({"path": "$.list[:2]", "one_of": [2, 1]})), Some(false));
    }

    #[test]
    fn bounds_hold_for_every_value_found() {
        assert_eq!(on_document(json!({"path": "$.list[*]", "above": 0, "below": 4})), Some(true));
        assert_eq!(on_document(json!({"path": "$.list[*]", "above": 1})), Some(false));
        assert_eq!(on_document(json!({"path": "$.list[*]", "at_least": 1, "at_most": 3})), Some(true));
        assert_eq!(on_document(json!({"path": "$.list[*]", "at_most": 2})), Some(false));
        assert_eq!(on_document(json!({"path": "$.list[*]", "at_least": 2})), Some(false));
        assert_eq!(on_document(json!({"path": "$.n", "below": 5})), Some(false));
        assert_eq!(on_document(json!({"path": "$.s", "below": 5})), Some(false));
    }

    #[test]
    fn texts_and_types_are_compared() {
        assert_eq!(on_document(json!({"path": "$.s", "contains": "bc"})), Some(true));
        assert_eq!(on_document(json!({"path": "$.n", "contains": "5"})), Some(false));
        assert_eq!(on_document(json!({"path": "$.s", "matches": "^a.c$"})), Some(true));
        assert_eq!(on_document(json!({"path": "$.s", "matches": "^b"})), Some(false));
        for (path, kind) in
            [("$.n", "number"), ("$.s", "string"), ("$.list", "array"), ("$.none", "null"), ("$", "object")]
        {
            assert_eq!(on_document(json!({"path": path, "type": kind})), Some(true), "{path}");
            assert_eq!(on_document(json!({"path": path, "type": "boolean"})), Some(false), "{path}");
        }
    }

    #[test]
    fn count_and_exists_look_at_how_many_were_found() {
        assert_eq!(on_document(json!({"path": "$.list[*]", "count": 3})), Some(true));
        assert_eq!(on_document(json!({"path": "$.list[*]", "count": 2})), Some(false));
        assert_eq!(on_document(json!({"path": "$.m", "count": 0})), Some(true));
        assert_eq!(on_document(json!({"path": "$.m", "exists": false})), Some(true));
        assert_eq!(on_document(json!({"path": "$.n", "exists": false})), Some(false));
        assert_eq!(on_document(json!({"path": "$.m", "exists": true})), Some(false));
        assert_eq!(on_document(json!({"path": "$.n", "exists": true, "equals": 4})), Some(false));
    }

    #[test]
    fn a_comparison_on_nothing_fails_and_its_opposite_passes() {
        let seen = observation(Some(json_answer(json!({"n": 5}))));
        for comparison in [json!({"equals": 1}), json!({"below": 1}), json!({"type": "null"}), json!({"contains": "x"})]
        {
            let mut check = comparison;
            check["path"] = json!("$.m");
            assert_both(&json!({ "json": check }), &seen, Some(false), Some(true));
        }
        assert_both(&json!({"json": {"path": "$.m", "count": 0, "above": 1}}), &seen, Some(false), Some(true));
    }

    #[test]
    fn an_answer_that_is_no_json_fails_and_shows_nothing_of_the_opposite() {
        let seen = observation(Some(text("Traceback (most recent call last)")));
        assert_both(&json!({"json": {"path": "$.refund", "equals": true}}), &seen, Some(false), None);
        assert_both(&json!({"json": {"path": "$.refund", "exists": false}}), &seen, Some(false), None);
    }

    #[test]
    fn a_text_that_is_json_is_looked_into_as_a_whole() {
        let check = |path: &str, wanted: Value| json!({"json": {"path": path, "equals": wanted}});
        let seen = observation(Some(text("{\n  \"output\": \"yes\",\n  \"days\": 30\n}")));
        assert_both(&check("$.days", json!(30)), &seen, Some(true), Some(false));
        assert_both(&check("$.days", json!(31)), &seen, Some(false), Some(true));
        assert_both(&check("$.output", json!("yes")), &seen, Some(true), Some(false));
        let twice = observation(Some(text("{\"days\": 30, \"days\": 31}")));
        assert_both(&check("$.days", json!(30)), &twice, Some(false), None);
        let nearly = observation(Some(text("{\"days\": NaN, \"more\": 30}")));
        assert_both(&check("$.more", json!(30)), &nearly, Some(false), None);
    }

    #[test]
    fn where_the_path_finds_nothing_the_message_says_where_it_starts_and_what_may_be_meant() {
        let seen = observation(Some(json_answer(json!({"output": {"days": 30}}))));
        let grade = graded(json!({"json": {"path": "$.days", "equals": 30}}), &seen);
        assert_eq!(grade.pass, Some(false));
        assert!(grade.message.contains("found nothing (did you mean `$.output.days`?)"), "{}", grade.message);
        assert!(grade.message.contains("the whole answer, `{\"output\":{\"days\":30}}`"), "{}", grade.message);
    }

    #[test]
    fn settings_that_say_nothing_and_a_missing_answer_are_no_judgement() {
        let seen = observation(Some(json_answer(json!({"n": 5}))));
        assert_no_judgement(&json!({"json": {"path": "n"}}), &seen);
        assert_no_judgement(&json!({"json": {"path": "$.n", "matches": "("}}), &seen);
        assert_no_judgement(&json!({"json": {"path": "$.n", "contains": ""}}), &seen);
        assert_no_judgement(&json!({"json": {"path": "$.n"}}), &observation(None));
    }

    #[test]
    fn the_message_names_path_comparison_and_value() {
        let seen = observation(Some(json_answer(json!({"n": 5}))));
        let grade = graded(json!({"json": {"path": "$.n", "above": 7}}), &seen);
        assert_eq!(grade.message, "expected at `$.n` numbers above 7; found `5`");
    }
}
