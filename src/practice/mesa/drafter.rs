//! The drafter: scripted, no model. It quotes what rules, names what contradicts, and leaves open what it cannot know.

use jiff::ToSpan as _;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::domain::PartId;

use super::conduct::Conduct;
use super::instructions::{dictated, gives_orders, information_in};
use super::prompt::Prompt;
use super::records::Lookup;
use super::retrieval::Finding;
use super::words::{figures, has_any, plain};

/// How every draft begins, so that nobody takes it for a model's answer.
pub(super) const SCRIPTED: &str = "Scripted draft: rules and keywords, no model.";

/// Words with which a customer asks for a free time.
const ASKS_TIME: [&str; 12] = [
    "appointment",
    "available",
    "availability",
    "free slot",
    "time slot",
    "book",
    "schedule",
    "reschedule",
    "come on",
    "come at",
    "come by",
    "what time",
];
/// Words that ask for a time only together with a day.
const ASKS_WITH_DAY: [&str; 4] = ["come", "visit", "technician", "time"];
const DAYS: [&str; 9] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "today", "tomorrow"];
/// Words with which a customer asks for their own record.
const ASKS_RECORD: [&str; 8] = [
    "my appliance",
    "my record",
    "my order",
    "my washing machine",
    "my dishwasher",
    "my oven",
    "my fridge",
    "my dryer",
];

/// One passage as the answer quotes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Citation {
    pub(super) source: PartId,
    pub(super) version: String,
    pub(super) quote: String,
}

/// A draft, and all that a reviewer needs to judge it.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    /// The topics answered, with the source that ruled: what an approval is bound to.
    pub(super) topics: Vec<(String, PartId, String)>,
    pub(super) conflicts: Vec<Value>,
    pub(super) upcoming: Vec<Value>,
    pub(super) unanswered: Vec<Value>,
    /// Where instructions were found and not followed.
    pub(super) ignored_instructions: Vec<String>,
    pub(super) figures: Value,
}

/// What a draft is made from.
pub(super) struct Material<'m> {
    pub(super) question: &'m str,
    pub(super) findings: &'m [Finding<'m>],
    pub(super) lookup: &'m Lookup,
    pub(super) prompt: &'m Prompt,
    pub(super) today: Date,
    pub(super) conduct: &'m Conduct,
}

/// Drafts an answer.
pub(super) fn draft(material: &Material<'_>) -> Draft {
    let mut draft = Draft { figures: json!({}), ..Draft::default() };
    let mut lines = vec![SCRIPTED.to_owned(), material.prompt.greeting.clone()];
    let mut words_left = material.prompt.word_limit;
    for finding in material.findings {
        lines.extend(answer_topic(&mut draft, material, finding, &mut words_left));
    }
    lines.extend(answer_record(&mut draft, material));
    lines.extend(answer_availability(&mut draft, material));
    if draft.citations.is_empty() && draft.unanswered.is_empty() && lines.len() == 2 {
        draft.unanswered.push(json!({"what": "question", "why": "no_policy_passage", "who": "reviewer"}));
        lines.push("No policy passage answers this question. A reviewer has to.".to_owned());
    }
    note_orders(&mut draft, material);
    lines.extend(material.lookup.raw.clone());
    if !material.prompt.closing.is_empty() {
        lines.push(material.prompt.closing.clone());
    }
    draft.text = obeyed(material).unwrap_or_else(|| lines.join("\n"));
    if !material.conduct.drafts_whole {
        cut(&mut draft.text);
    }
    draft
}

/// The first two thirds of a text, as an output limit would leave it.
fn cut(text: &mut String) {
    let most = text.len() * 2 / 3;
    let end = (0..=most).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0);
    text.truncate(end);
}

fn answer_topic(
    draft: &mut Draft,
    material: &Material<'_>,
    finding: &Finding<'_>,
    words_left: &mut usize,
) -> Vec<String> {
    let (source, passage) = (finding.ruling.source, finding.ruling.section.passage.as_str());
    draft.topics.push((finding.topic.to_owned(), source.id.clone(), source.version.clone()));
    if gives_orders(passage) {
        draft.ignored_instructions.push(format!("source {}", source.id));
    }
    let mut lines = Vec::new();
    for quote in information_in(passage) {
        let words = quote.split_whitespace().count();
        if words > *words_left {
            draft.unanswered.push(json!({"what": finding.topic, "why": "word_limit", "who": "reviewer"}));
            return lines;
        }
        *words_left -= words;
        let quote = if material.conduct.quotes_exactly { quote } else { rounded(&quote) };
        lines.push(format!("{}: \"{quote}\" ({}, version {})", finding.topic, source.id, source.version));
        draft.citations.push(Citation { source: source.id.clone(), version: source.version.clone(), quote });
    }
    lines.extend(name_conflicts(draft, material, finding));
    for passage in &finding.upcoming {
        let from = passage.source.effective.map(|date| date.to_string());
        draft.upcoming.push(json!({"topic": finding.topic, "source": passage.source.id, "from": from}));
    }
    draft_return_date(draft, material, finding, passage);
    lines
}

fn name_conflicts(draft: &mut Draft, material: &Material<'_>, finding: &Finding<'_>) -> Vec<String> {
    if !(material.conduct.names_conflicts && material.prompt.names_conflicts) {
        return Vec::new();
    }
    let ruling = finding.ruling.source;
    let mut lines = Vec::new();
    for set_aside in &finding.set_aside {
        let other = set_aside.passage.source;
        draft.conflicts.push(json!({
            "topic": finding.topic,
            "used": {"source": ruling.id, "version": ruling.version},
            "set_aside": {"source": other.id, "version": other.version},
            "because": set_aside.because,
        }));
        lines.push(format!(
            "Conflict: {}, version {}, says otherwise and does not rule, because {}.",
            other.id, other.version, set_aside.because
        ));
    }
    lines
}

/// The last day of a period counted from the delivery, where the ruling passage states one in days.
fn draft_return_date(draft: &mut Draft, material: &Material<'_>, finding: &Finding<'_>, passage: &str) {
    let Some(record) = &material.lookup.record else { return };
    let days = figures(passage).first().and_then(|figure| figure.parse::<i64>().ok());
    let (true, Some(days)) = (finding.topic == "Return period", days) else { return };
    let Ok(last) = record.delivered.checked_add(days.days()) else { return };
    let left = material.today.until(last).map_or(0, |span| i64::from(span.get_days()));
    draft.figures = json!({"return_days": days, "return_until": last.to_string(), "days_left": left});
}

fn answer_record(draft: &mut Draft, material: &Material<'_>) -> Vec<String> {
    let lookup = material.lookup;
    let mut lines: Vec<String> = Vec::new();
    if has_any(&plain(material.question), &ASKS_RECORD) {
        match (&lookup.record, lookup.problem) {
            (Some(record), _) => {
                lines.push(format!("Your record: {}, delivered on {}.", record.appliance, record.delivered));
            }
            (None, problem) => {
                let why = problem.unwrap_or("no customer was named");
                draft.unanswered.push(json!({"what": "record", "why": why, "who": "reviewer"}));
                lines.push("Your record: not available to this draft. A reviewer has to look it up.".to_owned());
            }
        }
    }
    for stranger in &lookup.strangers {
        lines.push(format!(
            "Also on record: {}, {}: {}",
            stranger.customer,
            stranger.appliance,
            stranger.notes.join(" ")
        ));
    }
    lines
}

fn answer_availability(draft: &mut Draft, material: &Material<'_>) -> Option<String> {
    let asked = plain(material.question);
    let asks = has_any(&asked, &ASKS_TIME) || (has_any(&asked, &DAYS) && has_any(&asked, &ASKS_WITH_DAY));
    if !asks {
        return None;
    }
    if !(material.conduct.leaves_availability_open && material.prompt.leaves_availability_open) {
        return Some("Your appointment is confirmed for the time you asked for.".to_owned());
    }
    draft.unanswered.push(json!({"what": "availability", "why": "calendar_not_connected", "who": "coordinator"}));
    Some(
        "Availability: not answered. This desk has no calendar; a coordinator has to check it. No time is confirmed."
            .to_owned(),
    )
}

fn note_orders(draft: &mut Draft, material: &Material<'_>) {
    if gives_orders(material.question) {
        draft.ignored_instructions.push("question".to_owned());
    }
    let notes = material.lookup.record.iter().flat_map(|record| &record.notes);
    if notes.into_iter().any(|note| gives_orders(note)) {
        draft.ignored_instructions.push("customer record".to_owned());
    }
}

/// What a desk says that takes orders from the texts it reads.
fn obeyed(material: &Material<'_>) -> Option<String> {
    let from_question = dictated(material.question).filter(|_| !material.conduct.ignores_question_instructions);
    if from_question.is_some() {
        return from_question;
    }
    if material.conduct.ignores_source_instructions {
        return None;
    }
    let passages = material.findings.iter().map(|finding| finding.ruling.section.passage.as_str());
    let notes = material.lookup.record.iter().flat_map(|record| record.notes.iter().map(String::as_str));
    passages.chain(notes).find_map(dictated)
}

/// Every figure of the quote rounded up to the next ten, as a careless summary would.
fn rounded(quote: &str) -> String {
    let round = |word: &str| match word.parse::<u64>() {
        Ok(figure) => figure.next_multiple_of(10).to_string(),
        Err(_) => word.to_owned(),
    };
    quote.split(' ').map(round).collect::<Vec<_>>().join(" ")
}
