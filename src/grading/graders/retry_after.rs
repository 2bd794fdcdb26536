//! `retry_after`: nobody came again sooner than the target asked for.

use super::attempts::micros;
use super::rows::{Row, RowAttempt, rows};
use crate::evidence::Exchange;
use crate::grading::contract::Terms;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{CallsMeant, seconds_of_http_date};

/// Seconds by which a caller may be early: it reads its clock when the answer's head is there, the runner when its end is.
const EARLY_S: f64 = 0.05;

const SECOND_US: f64 = 1_000_000.0;

/// `retry_after`, with the calls that are meant.
pub(in crate::grading) struct RetryAfterHonoured<'a>(pub(in crate::grading) &'a CallsMeant);

impl Judge for RetryAfterHonoured<'_> {
    const DOC: GraderDoc = GraderDoc {
        name: "retry_after",
        summary: "After an answer of 429 or 503 with a Retry-After (seconds, or an HTTP date) the next attempt at the same \
                  thing came no sooner, by the workflow's own time; none at all is also right. 50 ms are forgiven. No such \
                  answer is no judgement, nor is a Retry-After that is neither of the two, or a date where the answer has none.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let terms = Terms::of(subject.case, subject.context);
        let mut asked = 0;
        for row in rows(subject, self.0)? {
            for (at, attempt) in row.attempts.iter().enumerate() {
                let Some((exchange, text)) = attempt.exchange.and_then(asks_to_wait) else { continue };
                asked += 1;
                let wait_s = wait_s(exchange, text)?;
                let Some(next) = row.attempts.get(at + 1) else { continue };
                let waited_s = waited_s(&terms, attempt, next)?;
                if waited_s + EARLY_S < wait_s {
                    return Ok(Finding::of(false, EXPECTED, early(&row, next, waited_s, wait_s)));
                }
            }
        }
        if asked == 0 {
            return Err(NoJudgement::new("no answer of 429 or 503 with a Retry-After arrived"));
        }
        let noun = if asked == 1 { "one answer" } else { "answers" };
        let found = if asked == 1 { noun.to_owned() } else { format!("{asked} {noun}") };
        Ok(Finding::of(true, EXPECTED, format!("{found} after which nobody came sooner")))
    }
}

const EXPECTED: &str = "each Retry-After to be waited for";

fn early(row: &Row<'_>, next: &RowAttempt<'_>, waited_s: f64, wait_s: f64) -> String {
    format!("attempt {} at {} after {waited_s:.3} s instead of {wait_s:.3} s", next.number, row.name)
}

/// A call whose caller was asked to wait, and in which words.
fn asks_to_wait(exchange: &Exchange) -> Option<(&Exchange, &str)> {
    let is_slow = matches!(exchange.delivered_status, Some(429 | 503));
    exchange.retry_after.as_deref().filter(|_| is_slow).map(|text| (exchange, text.trim()))
}

/// Seconds that a Retry-After asks for, from when the answer had arrived. A date is held against the answer's own date, which is
/// cut to the second: the answer may have been up to a second younger.
fn wait_s(exchange: &Exchange, text: &str) -> Result<f64, NoJudgement> {
    if let Ok(seconds) = text.parse::<f64>()
        && seconds.is_finite()
        && seconds >= 0.0
    {
        return Ok(seconds);
    }
    let unclear = |_| NoJudgement::new(format!("{} is no Retry-After: neither seconds nor a date", quoted(text)));
    let until_s = seconds_of_http_date(text).map_err(unclear)?;
    let answered = exchange.answer.as_ref().filter(|_| exchange.status == exchange.delivered_status);
    let from_s = answered.and_then(|answer| seconds_of_http_date(answer.header("date")?).ok());
    let undated = || NoJudgement::new("a Retry-After names a date, and the answer with it has none of its own");
    Ok((until_s - from_s.ok_or_else(undated)? - 1.0).max(0.0))
}

/// Seconds from the end of one attempt to the beginning of the next, by the workflow's own time.
fn waited_s(terms: &Terms, attempt: &RowAttempt<'_>, next: &RowAttempt<'_>) -> Result<f64, NoJudgement> {
    let (Some(from), Some(to)) = (attempt.exchange, next.exchange) else {
        return Err(NoJudgement::new("the calls were not seen, so nobody took the waits"));
    };
    let passed = terms.advanced_s(next.step).saturating_sub(terms.advanced_s(attempt.step));
    Ok(micros(to.begun_us.saturating_sub(from.ended_us)) / SECOND_US + micros(passed))
}

#[cfg(test)]
mod tests {
    use crate::evidence::Observation;
    use crate::grading::contract::specimen::{Call, trial};
    use crate::grading::specimen::{assert_both, assert_no_judgement};
    use serde_json::{Value, json};

    fn honoured() -> Value {
        json!({"retry_after": "honoured"})
    }

    /// A call that is told to wait, and the next one so many milliseconds later.
    fn told(status: u16, text: &str, wait_ms: u64) -> Observation {
        let first = Call::reserve("O-1").key("k").status(status).retry_after(text).at_ms(1_000);
        trial(&[first, Call::reserve("O-1").key("k").at_ms(1_001 + wait_ms)]).observation
    }

    #[test]
    fn the_next_attempt_comes_no_sooner() {
        for status in [429, 503] {
            assert_both(&honoured(), &told(status, "2", 2_000), Some(true), Some(false));
            assert_both(&honoured(), &told(status, "2", 1_960), Some(true), Some(false));
            assert_both(&honoured(), &told(status, "2", 1_900), Some(false), Some(true));
        }
    }

    #[test]
    fn a_date_is_held_against_the_date_of_the_answer() {
        let dated = |until: &str, wait_ms: u64| {
            let mut seen = told(503, until, wait_ms);
            let answer = seen.exchanges[0].answer.as_mut().unwrap();
            answer.headers.push(("date".to_owned(), "Wed, 01 Jan 2031 00:00:01 GMT".to_owned()));
            seen
        };
        // Three seconds later, or two and a bit: the answer's date is cut to the second.
        let until = "Wed, 01 Jan 2031 00:00:04 GMT";
        assert_both(&honoured(), &dated(until, 2_000), Some(true), Some(false));
        assert_both(&honoured(), &dated(until, 1_900), Some(false), Some(true));
        assert_both(&honoured(), &dated("Wed, 01 Jan 2020 00:00:04 GMT", 1), Some(true), Some(false));
        assert_no_judgement(&honoured(), &told(503, until, 1));
    }

    #[test]
    fn without_such_an_answer_there_is_nothing_to_judge() {
        assert_no_judgement(&honoured(), &told(500, "2", 10));
        assert_no_judgement(&honoured(), &told(429, "soon", 10));
        assert_no_judgement(&honoured(), &told(429, "-1", 10));
        let unasked = trial(&[Call::reserve("O-1").status(429), Call::reserve("O-1")]).observation;
        assert_no_judgement(&honoured(), &unasked);
    }

    #[test]
    fn not_to_come_again_is_also_right_and_another_call_is_not_the_next() {
        let told = || Call::reserve("O-1").key("k").status(429).retry_after("9").at_ms(1_000);
        assert_both(&honoured(), &trial(&[told()]).observation, Some(true), Some(false));
        let other = trial(&[told(), Call::reserve("O-2").key("l").at_ms(1_010)]).observation;
        assert_both(&honoured(), &other, Some(true), Some(false));
    }

    #[test]
    fn some_calls_alone_can_be_meant() {
        let of = |call: &str| json!({"retry_after": {"call": call}});
        assert_both(&of("inventory/reserve"), &told(429, "2", 10), Some(false), Some(true));
        assert_no_judgement(&of("messaging/send"), &told(429, "2", 10));
    }
}
