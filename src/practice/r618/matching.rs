//! Whether what a target shows is the record of a step, and not just something like it. Pure.

use serde_json::{Map, Value};

use crate::practice::targets::Target;

use super::conduct::Conduct;
use super::request::Wanted;
use super::steps::Step;

/// What a step's record must say.
#[derive(Clone, Debug)]
pub(super) struct Expected<'e> {
    pub(super) request: &'e str,
    pub(super) wanted: &'e Wanted,
    /// The case, once it is verified.
    pub(super) case: Option<&'e str>,
    /// The allocation, once it is verified.
    pub(super) allocation: Option<&'e str>,
    /// What the stock was before the reservation was asked for, where it was looked at.
    pub(super) stock_before: Option<i64>,
}

/// What a look found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The one record of the step: its id.
    Match(String),
    /// More than one record for one intention.
    Several(usize),
    /// A record of this request that says something else.
    Other,
    /// The target says that it is at it.
    InProgress,
    /// Nothing.
    Nothing,
}

impl Found {
    /// What was found, in a few words, for the record.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Match(id) => format!("{id} matches"),
            Self::Several(count) => format!("{count} records match"),
            Self::Other => "a record with other parameters".to_owned(),
            Self::InProgress => "in progress".to_owned(),
            Self::Nothing => "nothing".to_owned(),
        }
    }
}

/// What `shown`, a view or an operation's status, says of `step`.
pub(super) fn find(step: Step, shown: &Value, expected: &Expected<'_>, conduct: &Conduct) -> Found {
    let records: Vec<&Map<String, Value>> =
        shown[step.target().records()].as_array().into_iter().flatten().filter_map(Value::as_object).collect();
    let says = |record: &Map<String, Value>, field: &str, value: &str| record.get(field) == Some(&Value::from(value));
    let is_ours = |record: &&&Map<String, Value>| says(record, "request", expected.request);
    let ours: Vec<&&Map<String, Value>> = records.iter().filter(is_ours).collect();
    let matching: Vec<&&Map<String, Value>> =
        ours.iter().copied().filter(|record| fits(step, record, expected)).collect();
    match matching.as_slice() {
        [one] => return Found::Match(id_of(step, one)),
        [] => {}
        several => return Found::Several(several.len()),
    }
    if !conduct.matches_whole_record
        && step == Step::Reservation
        && let Some(any) = records.iter().find(|record| says(record, "component", &expected.wanted.component))
    {
        return Found::Match(id_of(step, any));
    }
    if !conduct.ignores_stock_changes && step == Step::Reservation {
        let fell = expected.stock_before.zip(shown["stock"].as_i64()).is_some_and(|(before, now)| now < before);
        if fell {
            return Found::Match("stock".to_owned());
        }
    }
    if !ours.is_empty() && Step::FORWARD.contains(&step) {
        return Found::Other;
    }
    if shown["state"] == "in_progress" { Found::InProgress } else { Found::Nothing }
}

fn fits(step: Step, record: &Map<String, Value>, expected: &Expected<'_>) -> bool {
    let text = |field: &str| record.get(field).and_then(Value::as_str);
    let Expected { wanted, case, allocation, .. } = expected;
    match step {
        Step::Case => text("customer") == Some(&wanted.customer),
        Step::Reservation => {
            text("case") == *case
                && text("component") == Some(&wanted.component)
                && record.get("quantity").and_then(Value::as_i64) == Some(wanted.quantity)
        }
        Step::Confirmation => {
            text("case") == *case && text("allocation") == *allocation && text("recipient") == Some(&wanted.contact)
        }
        Step::Release => text("allocation") == *allocation && text("status") == Some("released"),
        Step::Closure => text("case") == *case && text("status") == Some("closed"),
    }
}

fn id_of(step: Step, record: &Map<String, Value>) -> String {
    let field = match step.target() {
        Target::CaseDesk => "case",
        Target::Inventory => "allocation",
        Target::Messaging => "message",
    };
    record.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted() -> Wanted {
        Wanted {
            customer: "K-12".to_owned(),
            matter: "noise".to_owned(),
            contact: "k12@example.net".to_owned(),
            component: "PUMP-7".to_owned(),
            quantity: 1,
        }
    }

    fn found(allocations: Value) -> Found {
        let wanted = wanted();
        let expected = Expected {
            request: "R-618",
            wanted: &wanted,
            case: Some("C-618"),
            allocation: None,
            stock_before: Some(5),
        };
        find(Step::Reservation, &json!({"allocations": allocations, "stock": 4}), &expected, &Conduct::sound())
    }

    fn allocation(request: &str, case: &str, component: &str, quantity: i64) -> Value {
        json!({"allocation": "A-1", "request": request, "case": case, "component": component, "quantity": quantity})
    }

    #[test]
    fn an_allocation_settles_only_where_case_component_quantity_and_request_all_fit() {
        assert_eq!(found(json!([allocation("R-618", "C-618", "PUMP-7", 1)])), Found::Match("A-1".to_owned()));
        let near = [
            (allocation("R-700", "C-700", "PUMP-7", 1), Found::Nothing),
            (allocation("R-700", "C-618", "PUMP-7", 1), Found::Nothing),
            (allocation("R-618", "C-619", "PUMP-7", 1), Found::Other),
            (allocation("R-618", "C-618", "VALVE-2", 1), Found::Other),
            (allocation("R-618", "C-618", "PUMP-7", 2), Found::Other),
        ];
        for (record, expected) in near {
            assert_eq!(found(json!([record])), expected, "{record}");
        }
    }

    #[test]
    fn a_stock_that_fell_settles_nothing_and_two_allocations_are_two() {
        assert_eq!(found(json!([])), Found::Nothing);
        let twice = json!([allocation("R-618", "C-618", "PUMP-7", 1), allocation("R-618", "C-618", "PUMP-7", 1)]);
        assert_eq!(found(twice), Found::Several(2));
    }
}
