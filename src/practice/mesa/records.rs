//! Customers' records, as the lookup tool returns them. What it returned is checked before anything rests on it.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::domain::PartId;

use super::conduct::Conduct;
use super::parts::DeskParts;
use super::permissions::Permissions;
use super::request::Request;

/// The lookup tool: the id of its manifest.
pub(super) const LOOKUP_TOOL: &str = "customer-lookup";
/// The records' source: the id of its manifest.
pub(super) const RECORDS_SOURCE: &str = "customer-records";

/// One customer's record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CustomerRecord {
    pub(super) customer: String,
    pub(super) version: i64,
    pub(super) appliance: String,
    /// The day of delivery, as the tool writes days: `2026-05-20`.
    #[serde(deserialize_with = "day")]
    pub(super) delivered: Date,
    /// Written by staff for staff; never part of an answer.
    pub(super) notes: Vec<String>,
}

fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

/// What the desk knows of the asking customer.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookup {
    /// The record, where it could be had.
    pub(super) record: Option<CustomerRecord>,
    /// Records that only a defective lookup hands over.
    pub(super) strangers: Vec<CustomerRecord>,
    /// Why a record that was asked for could not be had, in one sentence.
    pub(super) problem: Option<&'static str>,
    /// What the tool returned, where only a defective desk would pass it on.
    pub(super) raw: Option<String>,
    /// Tools whose results were given though the desk has no such tool.
    pub(super) unknown_tools: Vec<String>,
}

/// Looks up the record of the request's customer.
pub(super) fn look_up(
    request: &Request,
    parts: &DeskParts,
    texts: &BTreeMap<PartId, BTreeMap<String, String>>,
    permissions: &Permissions,
    conduct: &Conduct,
) -> Lookup {
    let unknown_tools = request.tool_results.keys().filter(|id| !parts.has_tool(id)).cloned().collect();
    let mut lookup = Lookup { unknown_tools, ..Lookup::default() };
    let Some(customer) = &request.customer else { return lookup };
    if !permissions.may_read(&request.actor, RECORDS_SOURCE) {
        lookup.problem = Some("the actor may not read customers' records");
        return lookup;
    }
    let kept = kept_records(texts);
    if !conduct.keeps_to_own_record {
        lookup.strangers = kept.iter().filter(|record| record.customer != *customer).cloned().collect();
    }
    let Some(returned) = request.tool_results.get(LOOKUP_TOOL) else {
        lookup.record = kept.into_iter().find(|record| record.customer == *customer);
        lookup.problem = lookup.record.is_none().then_some("no record of that customer exists");
        return lookup;
    };
    match check(returned, customer) {
        Ok(record) => lookup.record = Some(record),
        Err(problem) => {
            lookup.problem = Some(problem);
            lookup.raw = (!conduct.checks_tool_output).then(|| as_text(returned));
        }
    }
    lookup
}

fn kept_records(texts: &BTreeMap<PartId, BTreeMap<String, String>>) -> Vec<CustomerRecord> {
    let files = texts.get(RECORDS_SOURCE).into_iter().flatten().filter(|(path, _)| path.ends_with(".json"));
    files.flat_map(|(_, text)| serde_json::from_str::<Vec<CustomerRecord>>(text).unwrap_or_default()).collect()
}

/// Tools return text as often as JSON: both are read, and neither is trusted.
fn check(returned: &Value, customer: &str) -> Result<CustomerRecord, &'static str> {
    let record: Result<CustomerRecord, _> = match returned {
        Value::String(text) => serde_json::from_str(text),
        value => CustomerRecord::deserialize(value),
    };
    let record = record.map_err(|_| "the lookup returned something that is no record")?;
    if record.customer == customer { Ok(record) } else { Err("the lookup returned another customer's record") }
}

fn as_text(returned: &Value) -> String {
    returned.as_str().map_or_else(|| returned.to_string(), str::to_owned)
}
