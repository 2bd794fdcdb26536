//! Damage to what was answered: to the last answer, which is the one that graders look at, and to its status and its time.

use serde_json::Value;

use crate::domain::CaseId;
use crate::evidence::{Answer, Observation};
use crate::manifest::{Case, Grader, Length, LengthUnit};

use super::Mutation;
use super::mutants::{LEAVES, alter, leaves};

/// Numbers in one answer that are altered at the most.
const NUMBERS: usize = 10;

/// What is answered in place of what was: words that have nothing to do with any question.
const OTHER_WORDS: &str = "Something else was said here.";

/// The mutants of the answer as a whole: gone, another one, another case's, cut short, longer than may be.
pub(super) fn whole(
    case: &Case,
    observation: &Observation,
    others: &[(&CaseId, &Answer)],
) -> Vec<(Mutation, Option<Answer>)> {
    let Some(answer) = observation.last_answer() else { return Vec::new() };
    let mut all: Vec<(Mutation, Option<Answer>)> = vec![
        (Mutation::EmptyAnswer, Some(said(answer, ""))),
        (Mutation::ReplaceAnswer, Some(said(answer, OTHER_WORDS))),
    ];
    let other = |(case, other): &(&CaseId, &Answer)| {
        let mutation = Mutation::SwapAnswer { case: (*case).clone() };
        (mutation, Some(Answer { claims: answer.claims.clone(), ..(*other).clone() }))
    };
    all.extend(others.iter().map(other));
    all.push((Mutation::CutAnswer, Some(said(answer, first_half(&answer.text)))));
    all.extend(beyond(case, answer));
    all.retain(|(_, mutant)| mutant.as_ref().is_none_or(|mutant| differs(mutant, answer)));
    all.extend(bounds_beside_the_answer(case));
    all
}

/// The mutants of one place in the answer.
pub(super) fn places(observation: &Observation) -> Vec<(Mutation, Option<Answer>)> {
    let Some(answer) = observation.last_answer() else { return Vec::new() };
    let mut all = Vec::new();
    if let Value::String(text) = &answer.output {
        let numbers = (0..NUMBERS).map_while(|place| Some((place, with_another_number(text, place)?)));
        all.extend(numbers.map(|(number, text)| (Mutation::AlterNumber { number }, with_output(answer, &text))));
        all.extend(negated(text).map(|text| (Mutation::NegateAnswer, with_output(answer, &text))));
    }
    let Some(json) = &answer.json else { return all };
    let mut pointers = Vec::new();
    leaves(json, String::new(), &mut pointers);
    pointers.retain(|pointer| !pointer.is_empty() && !pointer.starts_with("/claims/"));
    for pointer in pointers.into_iter().take(LEAVES) {
        let (mut without, mut altered) = (json.clone(), json.clone());
        if remove(&mut without, &pointer) {
            all.push((Mutation::DropAnswerField { pointer: pointer.clone() }, with_json(answer, without)));
        }
        altered.pointer_mut(&pointer).into_iter().for_each(alter);
        all.push((Mutation::AlterAnswerField { pointer }, with_json(answer, altered)));
    }
    all
}

/// Whether a grader that has only the output to look at could tell the two apart.
fn differs(mutant: &Answer, answer: &Answer) -> bool {
    mutant.output != answer.output || mutant.json != answer.json
}

/// The text of an answer that is no JSON; what was claimed stays, since claims have damage of their own.
pub(super) fn said(answer: &Answer, text: &str) -> Answer {
    let claims = answer.claims.clone();
    Answer { text: text.to_owned(), json: None, output: Value::from(text), claims }
}

pub(super) fn with_json(answer: &Answer, json: Value) -> Option<Answer> {
    let output = json.get("output").unwrap_or(&json).clone();
    Some(Answer { text: json.to_string(), json: Some(json), output, claims: answer.claims.clone() })
}

pub(super) fn with_output(answer: &Answer, text: &str) -> Option<Answer> {
    let Some(mut json) = answer.json.clone() else { return Some(said(answer, text)) };
    *json.get_mut("output")? = Value::from(text);
    with_json(answer, json)
}

fn first_half(text: &str) -> &str {
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..middle]
}

/// For every expectation that bounds the length from above: the answer, on and on until it is beyond that.
fn beyond<'c>(case: &'c Case, answer: &'c Answer) -> impl Iterator<Item = (Mutation, Option<Answer>)> + 'c {
    case.expect.iter().enumerate().filter_map(|(expectation, raw)| {
        let (Grader::Length(Length { at_most: Some(most), of, .. }), false) = raw.grader()? else { return None };
        let more = match of {
            LengthUnit::Characters => "x",
            LengthUnit::Words => " x",
            LengthUnit::Lines => "\nx",
        };
        let longer = format!("{}{}", answer.output_text(), more.repeat(most + 1));
        Some((Mutation::LengthenAnswer { expectation }, with_output(answer, &longer)))
    })
}

/// For every expectation of a status another one, and for every one that bounds the time a millisecond more. Elsewhere no
/// grader looks at them, and a status that nobody expects has ended its trial already.
fn bounds_beside_the_answer(case: &Case) -> impl Iterator<Item = (Mutation, Option<Answer>)> + '_ {
    case.expect.iter().enumerate().filter_map(|(expectation, raw)| match raw.grader()? {
        (Grader::HttpStatus(_), false) => Some((Mutation::AlterStatus { expectation }, None)),
        (Grader::Duration(_), false) => Some((Mutation::Delay { expectation }, None)),
        _ => None,
    })
}

/// The text with another number in place of one of those in it.
fn with_another_number(text: &str, place: usize) -> Option<String> {
    let is_digit =
        |(at, c): &(usize, char)| c.is_ascii_digit() && !text[..*at].ends_with(|before: char| before.is_ascii_digit());
    let (start, _) = text.char_indices().filter(is_digit).nth(place)?;
    let digits = text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - start);
    let (number, rest) = text[start..].split_at(digits);
    let other = number.parse::<u64>().ok().and_then(|number| number.checked_add(1)).unwrap_or_default();
    Some(format!("{}{other}{rest}", &text[..start]))
}

/// The text with the opposite of what it says first, as far as English words go.
fn negated(text: &str) -> Option<String> {
    const VERBS: [&str; 12] =
        ["is", "are", "was", "were", "can", "will", "may", "must", "has", "have", "should", "could"];
    if text.contains(" not ") {
        return Some(text.replacen(" not ", " ", 1));
    }
    let verbs = VERBS.iter().filter_map(|verb| text.find(&format!(" {verb} ")).map(|at| (at, verb)));
    let (at, verb) = verbs.min()?;
    let end = at + 1 + verb.len();
    Some(format!("{} not{}", &text[..end], &text[end..]))
}

/// Takes a field out of the map that holds it; an item of a list stays.
pub(super) fn remove(json: &mut Value, pointer: &str) -> bool {
    let Some((parent, name)) = pointer.rsplit_once('/') else { return false };
    let fields = json.pointer_mut(parent).and_then(Value::as_object_mut);
    fields.is_some_and(|fields| fields.remove(&name.replace("~1", "/").replace("~0", "~")).is_some())
}

/// Puts another answer in the place of the last one.
pub(super) fn replace(mutant: &mut Observation, answer: Answer) {
    let last = mutant.steps.iter_mut().rev().find_map(|step| step.answer.as_mut());
    last.into_iter().for_each(|place| *place = answer.clone());
}

/// The last HTTP answer had another status.
pub(super) fn alter_status(mutant: &mut Observation) {
    let last = mutant.steps.iter_mut().rev().find_map(|step| step.http_status.as_mut());
    last.into_iter().for_each(|status| *status = status.wrapping_add(1));
}

/// The trial took a millisecond longer than an expectation allows.
pub(super) fn delay(mutant: &mut Observation, case: &Case, expectation: usize) {
    if let Some((Grader::Duration(limit), false)) = case.expect.get(expectation).and_then(|raw| raw.grader()) {
        mutant.duration_ms = limit.at_most_ms.saturating_add(1);
    }
}
