//! Whether whatever is answered passes: sentences that have nothing to do with any question, and values far from those that were answered.

use serde_json::Value;

use crate::domain::{FORM_RISK, TrialStatus};
use crate::evidence::{Answer, Observation};
use crate::grading::grade::{GradedTrial, GradingContext};
use crate::grading::trial::grade;
use crate::manifest::{Case, Expectation, Grader, Length};

use super::answers::{self, remove, said, with_json, with_output};
use super::concerns::asks_for_words;
use super::mutants::{LEAVES, leaves};
use super::{CaseMutation, Sight};

/// Ordinary sentences that answer nothing. Between them they hold every letter, and no number that a case could want.
const SENTENCES: [&str; 4] = [
    "Something else was said here.",
    "The river was calm, and two gulls sat on the old bridge.",
    "My aunt paints small pictures of clouds and mountains.",
    "A quick brown fox jumps over the lazy dog.",
];

/// How a case stands that passes whatever is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnyAnswer {
    /// It asks for the form of the answer, which is what its set is about, and for nothing that stands in it.
    OfThatForm,
    /// Any words pass.
    Passes,
}

/// Whether a trial of a case that passed would pass with any answer of the same form, whatever a program would say of it. `None` too where that
/// cannot be told: where the case judges what was done, and not blindly so.
pub fn any_answer(
    case: &Case,
    trial: &GradedTrial,
    checked: &CaseMutation,
    context: &GradingContext<'_>,
) -> Option<AnyAnswer> {
    if trial.status != TrialStatus::Passed || judges_more_than_the_answer(case, checked) {
        return None;
    }
    let answer = trial.observation.last_answer()?;
    let asking: Vec<(usize, Grader)> = case.expect.iter().enumerate().filter_map(asking).collect();
    if asking.is_empty() {
        return None;
    }
    let tried = Tried { case, observation: &trial.observation, context };
    let loose = tried.loose(&asking, answer);
    let passes = |sentence: &str| {
        let other = with_output(answer, sentence).unwrap_or_else(|| said(answer, sentence));
        let grades = tried.grades(other);
        let by_value = |at: usize| asking.iter().any(|(asked, grader)| *asked == at && looks_at_values(grader));
        grades.iter().enumerate().all(|(at, pass)| if by_value(at) { loose.contains(&at) } else { *pass })
    };
    if !SENTENCES.into_iter().any(passes) {
        return None;
    }
    let is_of_form = case.set.as_str() == FORM_RISK && asking.iter().all(|(_, grader)| asks_for_form(grader));
    Some(if is_of_form { AnyAnswer::OfThatForm } else { AnyAnswer::Passes })
}

/// What is done is judged where an expectation of it is not blind; and where a call failed, whatever it says.
fn judges_more_than_the_answer(case: &Case, checked: &CaseMutation) -> bool {
    case.expect.iter().zip(&checked.graders).any(|(raw, seen)| {
        let Some((grader, _)) = raw.grader() else { return true };
        let judges_deeds = !is_of_the_answer(&grader) && !matches!(grader, Grader::Command(_));
        judges_deeds && (seen.sight != Sight::Blind || !case.faults.is_empty())
    })
}

/// Whether nothing but the answer is looked at. A citation is never said by chance.
fn is_of_the_answer(grader: &Grader) -> bool {
    matches!(
        grader,
        Grader::Equals(_)
            | Grader::Contains(_)
            | Grader::Regex(_)
            | Grader::Json(_)
            | Grader::JsonSchema(_)
            | Grader::Similar(_)
            | Grader::Number(_)
            | Grader::Length(_)
    )
}

/// An expectation that something is answered, with its place.
fn asking((at, raw): (usize, &Expectation)) -> Option<(usize, Grader)> {
    let (grader, is_turned) = raw.grader()?;
    (!is_turned && asks_for_words(&grader)).then_some((at, grader))
}

/// Whether it is the values in the answer that decide, each in its place.
fn looks_at_values(grader: &Grader) -> bool {
    match grader {
        Grader::Json(_) | Grader::JsonSchema(_) | Grader::Number(_) => true,
        // No other answer is known to break it but a longer one, which was tried already.
        Grader::Length(Length { at_most: Some(_), .. }) => true,
        _ => false,
    }
}

/// Whether a grader asks how an answer looks, and not what stands in it.
fn asks_for_form(grader: &Grader) -> bool {
    match grader {
        Grader::Length(_) | Grader::JsonSchema(_) => true,
        Grader::Json(check) => check.kind.is_some(),
        _ => false,
    }
}

/// A passing trial whose answer is exchanged.
struct Tried<'t> {
    case: &'t Case,
    observation: &'t Observation,
    context: &'t GradingContext<'t>,
}

impl Tried<'_> {
    /// Which expectations hold with another answer.
    fn grades(&self, answer: Answer) -> Vec<bool> {
        let mut observation = self.observation.clone();
        answers::replace(&mut observation, answer);
        let graded = grade(self.case, observation, self.context);
        graded.grades.iter().map(|grade| grade.pass == Some(true)).collect()
    }

    /// The graders of values that ask for a value somewhere, and that no other value there makes fail.
    fn loose(&self, asking: &[(usize, Grader)], answer: &Answer) -> Vec<usize> {
        let by_value = |(at, grader): &(usize, Grader)| {
            matches!(grader, Grader::Json(_) | Grader::JsonSchema(_) | Grader::Number(_)).then_some(*at)
        };
        let mut open: Vec<(usize, bool)> = asking.iter().filter_map(by_value).map(|at| (at, false)).collect();
        if open.is_empty() {
            return Vec::new();
        }
        for place in places(answer) {
            let gone: Vec<Vec<bool>> = place.gone.into_iter().map(|without| self.grades(without)).collect();
            let others: Vec<Vec<bool>> = place.others.into_iter().map(|other| self.grades(other)).collect();
            let fails = |grades: &[Vec<bool>], at: usize| grades.iter().any(|grades| grades.get(at) != Some(&true));
            // What does not miss the value does not look at it.
            open.retain(|(at, _)| !fails(&others, *at));
            for (at, is_tried) in &mut open {
                *is_tried |= !others.is_empty() && fails(&gone, *at);
            }
        }
        open.into_iter().filter(|(_, is_tried)| *is_tried).map(|(at, _)| at).collect()
    }
}

/// One value of an answer: the answer without it, and with others in its place.
struct Place {
    gone: Vec<Answer>,
    others: Vec<Answer>,
}

fn places(answer: &Answer) -> Vec<Place> {
    let Some(json) = &answer.json else {
        let others = far_from(&Value::from(answer.text.as_str()));
        let others = others.iter().filter_map(Value::as_str).map(|text| said(answer, text)).collect();
        return vec![Place { gone: vec![said(answer, "")], others }];
    };
    let mut pointers = Vec::new();
    leaves(json, String::new(), &mut pointers);
    pointers.retain(|pointer| !pointer.starts_with("/claims/"));
    let at = |pointer: &String| {
        let exchanged = |value: Value| {
            let mut other = json.clone();
            other.pointer_mut(pointer).into_iter().for_each(|place| *place = value.clone());
            with_json(answer, other)
        };
        let mut without = json.clone();
        let removed = remove(&mut without, pointer).then(|| with_json(answer, without)).flatten();
        let others = json.pointer(pointer).map(far_from).unwrap_or_default();
        Place {
            gone: removed.into_iter().chain(exchanged(Value::Null)).collect(),
            others: others.into_iter().filter_map(exchanged).collect(),
        }
    };
    pointers.iter().take(LEAVES).map(at).collect()
}

/// Values of the same type that are far from this one; for a number, to both sides.
fn far_from(value: &Value) -> Vec<Value> {
    let both_sides = |number: f64| [number.abs() * 100.0 + 1000.0, -(number.abs() * 100.0 + 1000.0)];
    match value {
        Value::Bool(flag) => vec![Value::from(!flag)],
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) if whole.unsigned_abs() < 1 << 40 => {
                let far = whole.abs() * 100 + 1000;
                vec![Value::from(far), Value::from(-far)]
            }
            (_, Some(number)) => both_sides(number).into_iter().map(Value::from).collect(),
            _ => Vec::new(),
        },
        Value::String(text) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => {
                both_sides(number).iter().map(|far| Value::from(far.to_string())).collect()
            }
            _ => SENTENCES.iter().map(|sentence| Value::from(*sentence)).collect(),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => Vec::new(),
    }
}
