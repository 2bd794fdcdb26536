//! The runs that are shown: a red one, a green one, one that cannot be decided, and a hostile one.

use holdpoint::domain::CaseStatus;
use holdpoint::report::ReportDocument;
use holdpoint::verdict::VerdictWord;
use serde_json::Value;

/// Text that tries to run, to hide, to break out and to colour a terminal.
pub(crate) const HOSTILE: &str = "</pre></title></style></script><script>document.title='owned'</script>\
     <img src=x onerror=\"document.title='owned'\"><svg onload=\"document.title='owned'\"><a href=\"javascript:owned()\">\
     {{ 7*7 }}{% include '/etc/passwd' %} \u{202e}desrever\u{202c}\u{2066} \u{1b}[31mred\u{1b}[0m \u{0}\u{fffe} \\ud83d \
     <!-- --> ]]> & \" ' ` שלום \u{301}\u{200b}";

/// The sample run that the unit tests keep in `report.snap`: one of everything, hostile in a title, a reason, an answer, a
/// grade and on standard error.
pub(crate) fn red() -> ReportDocument {
    serde_json::from_value(red_json()).expect("the snapshot is a report")
}

fn red_json() -> Value {
    let snapshot = include_str!("report.snap");
    let json = snapshot.splitn(3, "---\n").nth(2).expect("a snapshot has a head");
    serde_json::from_str(json).expect("the snapshot is JSON")
}

/// A run in which everything passed.
pub(crate) fn green() -> ReportDocument {
    let mut document = red();
    document.verdict = VerdictWord::Pass;
    document.exit_code = 0;
    document.verdict_reasons.clear();
    document.uncovered.clear();
    document.failure_table.clear();
    document.accept_command = None;
    document.cases.retain(|case| case.id.as_str().starts_with("policy-answer-"));
    document.counts.selected = document.cases.len();
    document.counts.passed = document.cases.len();
    document.counts.failed = 0;
    document.counts.errored = 0;
    document.counts.uncertain = 0;
    document.counts.flaky = 0;
    document
}

/// A run that ended without a conclusion: an uncertain case, an edited expectation, an uncovered risk.
pub(crate) fn inconclusive() -> ReportDocument {
    let mut document = red();
    document.verdict = VerdictWord::Inconclusive;
    document.exit_code = 11;
    document.verdict_reasons.retain(|reason| reason.exit_code == 11);
    let keep = ["lost-ack-after-commit", "conflicting-hours", "policy-answer-01"];
    document.cases.retain(|case| keep.contains(&case.id.as_str()));
    document.counts.selected = document.cases.len();
    document.counts.passed = document.cases.iter().filter(|case| case.status == CaseStatus::Passed).count();
    document.counts.failed = 0;
    document.counts.errored = 0;
    document.counts.flaky = 0;
    document
}

/// The red run with [`HOSTILE`] in every text that a project, a workflow or a target can write: in ids, names, paths,
/// answers, reasons, and the names of probes. One answer is of five megabytes.
pub(crate) fn hostile() -> ReportDocument {
    let mut json = red_json();
    spoil(&mut json, "");
    let mut document: ReportDocument = serde_json::from_value(json).expect("it is a report still");
    document.cases[0].trials[0].output = Some(Box::new(Value::String(HOSTILE.repeat(5_000_000 / HOSTILE.len()))));
    document.cases[0].trials[0].answer = None;
    document
}

/// Fields whose words are the program's own.
const OWN_WORDS: [&str; 20] = [
    "baseline_state",
    "do_nothing",
    "schema",
    "verdict",
    "status",
    "comparison",
    "outcome",
    "claim",
    "claim_check",
    "change",
    "forwarded",
    "delivered",
    "another_attempt",
    "digest",
    "record",
    "accepted",
    "started",
    "finished",
    "mode",
    "from",
];

fn spoil(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if text.starts_with("sha256:") || OWN_WORDS.contains(&key) => {}
        Value::String(text) => {
            // What kind of thing changed or went wrong is the program's own word; a step's kind is not.
            let is_own = key == "kind" && !matches!(text.as_str(), "invoke" | "restart");
            if !is_own {
                text.push_str(HOSTILE);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, key)),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                spoil(field, name);
            }
            if matches!(key, "readings" | "looks") {
                *fields = std::mem::take(fields).into_iter().map(|(name, field)| (name + HOSTILE, field)).collect();
            }
        }
        _ => {}
    }
}
