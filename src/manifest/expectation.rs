//! What a case can expect: one raw form for the file and its schema, one checked form for the graders.

mod behaviour;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::{Claim, OperationId, Outcome, PartId, Rule};

pub use behaviour::{
    AttemptBounds, BackoffCheck, CallsMeant, ContractCheck, ContractForm, ContractWord, Dependency, NoRetry,
    NoRetryAfter, ParametersWord, PermittedCalls, Precedence, RetryAfterForm, RetryAfterWord, RetryLayers,
};

/// One expectation: exactly one of its fields, which names the grader that judges it.
///
/// Expectations look at the answer of the last invoke, unless they look at what the target holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
// Every form is boxed: of more than twenty all but one are empty, and a project holds as many as its cases have.
pub struct Expectation {
    /// The opposite must hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<Expectation>>,
    /// The output is exactly this: a text, or any JSON value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub equals: Option<Box<Value>>,
    /// The output's text contains these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<Box<ContainsForm>>,
    /// A regular expression is found in the output's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<Box<RegexForm>>,
    /// A value inside the JSON answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<Box<JsonCheck>>,
    /// The JSON answer fits a JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_schema: Option<Box<JsonSchemaCheck>>,
    /// The output's text resembles another text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar: Option<Box<Similar>>,
    /// A number, within a tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Box<NumberCheck>>,
    /// The length of the output's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Box<Length>>,
    /// How long the trial's steps took together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Box<DurationLimit>>,
    /// Each passage that the answer quotes stands in the source it names, at the version it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cites: Option<Box<Cites>>,
    /// What a probe shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Box<EffectCount>>,
    /// What the evidence supports for an operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Box<OperationOutcome>>,
    /// What the workflow claims of its operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Box<ClaimForm>>,
    /// How often an operation is tried, and how long that takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Box<AttemptBounds>>,
    /// How long the waits between attempts are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<Box<BackoffCheck>>,
    /// After a 429 or 503 with `Retry-After` nobody came again sooner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Box<RetryAfterForm>>,
    /// What must not be tried again was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_retry: Option<Box<NoRetry>>,
    /// The key is there, stays the same over the attempts at one operation, and is another one for another operation and for
    /// another payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Box<CallsMeant>>,
    /// One key never goes with two payloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<ParametersWord>,
    /// Calls come in this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub order: Option<Vec<Precedence>>,
    /// A call is made only once what it depends on is known to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends: Option<Box<Dependency>>,
    /// Every call is one that the permissions manifest allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permitted_calls: Option<Box<PermittedCalls>>,
    /// How many layers try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_layers: Option<Box<RetryLayers>>,
    /// Rules about calls are kept: what their targets promise of a request that they get twice is used, and not more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Box<ContractForm>>,
    /// The status of the HTTP answer. Without this expectation any status outside 2xx is an error of the trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<Box<HttpStatus>>,
    /// A program that judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Box<CommandGrader>>,
    /// What is still to be written stands here: no answer passes, also under `not`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<Box<Placeholder>>,
}

/// One text, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One text.
    One(String),
    /// Several texts.
    Many(Vec<String>),
}

impl OneOrMany {
    /// All the texts.
    pub fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

/// `contains`: a text, a list of which all must occur, or the full form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ContainsForm {
    /// All of these.
    Texts(OneOrMany),
    /// The full form.
    Full(Contains),
}

/// Texts that occur in the output or do not. At least one list must name something; no text may be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contains {
    /// Each of these occurs.
    #[serde(default)]
    pub all: Vec<String>,
    /// At least one of these occurs.
    #[serde(default)]
    pub any: Vec<String>,
    /// None of these occurs.
    #[serde(default)]
    pub none: Vec<String>,
    /// Whether letter case is ignored.
    #[serde(default)]
    pub ignore_case: bool,
}

/// `regex`: the pattern alone, or the full form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RegexForm {
    /// The pattern.
    Pattern(String),
    /// The full form.
    Full(RegexCheck),
}

/// A pattern in the syntax of the `regex` crate, found anywhere unless anchored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegexCheck {
    /// The pattern.
    pub pattern: String,
    /// How many matches there must be; by default at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
}

/// Values that a JSONPath (RFC 9535) finds in the JSON answer, and what must hold for each of them.
/// The path starts at the whole answer, also where that has `output`: `$.output.days`, then.
/// Without any comparison the path must find something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonCheck {
    /// The path, from `$`: the whole answer, not its `output`.
    pub path: String,
    /// The one value found equals this.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub equals: Option<Value>,
    /// The one value found is one of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Value>>,
    /// Every value found is a number above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// Every value found is a number of at least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Every value found is a number below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// Every value found is a number of at most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Every value found is a text that contains this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// Every value found is a text in which this regular expression is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<String>,
    /// Every value found is of this type.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<JsonKind>,
    /// So many values are found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Whether the path finds anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
}

/// Keeps `equals: null` apart from no `equals` at all.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The types of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JsonKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// Any number.
    Number,
    /// A text.
    String,
    /// A list.
    Array,
    /// A map.
    Object,
}

/// A JSON Schema, draft 2020-12, in the case itself. Nothing is fetched: a `$ref` may only lead inside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonSchemaCheck {
    /// The schema.
    pub schema: Map<String, Value>,
    /// A JSONPath to the one value that must fit, from the whole answer on
    /// (`$.output.days`); by default the whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether a map or a list anywhere in the answer's text may be what fits, with other words around it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anywhere: bool,
}

/// A text that the output must resemble. The ratio is that of matching words, 2·M / (words of both), as in
/// Ratcliff and Obershelp's measure over words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Similar {
    /// The text to compare with.
    pub to: String,
    /// The least ratio, above 0 and at most 1.
    #[schemars(range(min = 0.000_001, max = 1.0))]
    pub at_least: f64,
}

/// A number in the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberCheck {
    /// A JSONPath to the one number (or text that is a number), from the whole answer on
    /// (`$.output.days`); by default the whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it should be.
    pub is: f64,
    /// How far it may be off, in the number's own unit. By default it may not.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub tolerance: f64,
}

/// The length of the output's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// What is counted.
    #[serde(default)]
    pub of: LengthUnit,
    /// The least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<usize>,
    /// The most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<usize>,
}

/// What a length counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LengthUnit {
    /// Unicode scalar values.
    #[default]
    Characters,
    /// Runs of characters between white space.
    Words,
    /// Lines, the last one counted whether or not it ends.
    Lines,
}

/// How long the trial's steps took together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DurationLimit {
    /// Milliseconds at the most.
    #[schemars(range(min = 1))]
    pub at_most_ms: u64,
}

/// The answer's citations: a list of maps with `source` (a part's id), `version` and `quote`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cites {
    /// A source that must be among those cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<PartId>,
    /// Where the list stands in the answer.
    #[serde(default = "default_citations_path")]
    pub path: String,
}

fn default_citations_path() -> String {
    "$.citations".to_owned()
}

/// How many effects of a kind a probe shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectCount {
    /// The probe, as the project file names it.
    pub probe: String,
    /// Only effects with these fields are counted.
    #[serde(default)]
    pub r#where: BTreeMap<String, Value>,
    /// Each effect that is counted has these fields.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Value>,
    /// Exactly so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// At least so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<usize>,
    /// At most so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<usize>,
}

/// What the evidence supports for an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationOutcome {
    /// The operation.
    pub operation: OperationId,
    /// Its outcome.
    pub is: Outcome,
}

/// `claim`: `matches_evidence`, or what is claimed of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ClaimForm {
    /// Every claim is confirmed, or honestly unknown.
    Word(ClaimWord),
    /// One operation's claim.
    Operation(BehaviourClaim),
}

/// The one word that `claim` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimWord {
    /// Every claim is confirmed, or honestly unknown.
    MatchesEvidence,
}

/// What is claimed of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BehaviourClaim {
    /// The operation.
    pub operation: OperationId,
    /// What is claimed.
    pub is: Claim,
}

/// The status of the HTTP answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpStatus {
    /// The status code.
    #[schemars(range(min = 100, max = 599))]
    pub is: u16,
}

/// A program that judges: it gets the invocation, the answer and what the probes show as JSON on standard input and
/// answers `{"pass": true|false, "message": "..."}`. Anything else is an error of the trial, never a pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandGrader {
    /// The program and its arguments, started without a shell in the project's folder.
    #[schemars(length(min = 1))]
    pub run: Vec<String>,
    /// Seconds that it may take.
    #[serde(default = "default_grader_timeout")]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_s: u64,
    /// The folder that it is started in; the project's own, but for the old form of a case, which is judged by its own files.
    #[serde(skip)]
    pub started_in: Option<PathBuf>,
}

fn default_grader_timeout() -> u64 {
    30
}

/// An expectation that is still to be written. It never passes, so that nothing that was meant to hold is forgotten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// What is to be expected here, in the words of whoever meant it.
    pub stands_for: String,
    /// Where that was written: a file and a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Why it is not written here yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// An inclusive range for a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The least.
    pub at_least: usize,
    /// The most, or no limit.
    pub at_most: Option<usize>,
}

impl Count {
    /// Whether `number` lies in the range.
    pub fn holds(self, number: usize) -> bool {
        number >= self.at_least && self.at_most.is_none_or(|most| number <= most)
    }
}

/// The checked form: which grader, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Grader {
    /// See [`Expectation::equals`].
    Equals(Value),
    /// See [`Expectation::contains`].
    Contains(Contains),
    /// See [`Expectation::regex`].
    Regex(RegexCheck),
    /// See [`Expectation::json`].
    Json(JsonCheck),
    /// See [`Expectation::json_schema`].
    JsonSchema(JsonSchemaCheck),
    /// See [`Expectation::similar`].
    Similar(Similar),
    /// See [`Expectation::number`].
    Number(NumberCheck),
    /// See [`Expectation::length`].
    Length(Length),
    /// See [`Expectation::duration`].
    Duration(DurationLimit),
    /// See [`Expectation::cites`].
    Cites(Cites),
    /// See [`Expectation::effects`].
    Effects(EffectCount),
    /// See [`Expectation::outcome`].
    Outcome(OperationOutcome),
    /// See [`Expectation::claim`]: one operation's claim.
    Claim(BehaviourClaim),
    /// See [`Expectation::claim`]: `matches_evidence`.
    ClaimMatchesEvidence,
    /// See [`Expectation::attempts`].
    Attempts(AttemptBounds),
    /// See [`Expectation::backoff`].
    Backoff(BackoffCheck),
    /// See [`Expectation::retry_after`].
    RetryAfter(CallsMeant),
    /// See [`Expectation::no_retry`].
    NoRetry(NoRetry),
    /// See [`Expectation::identity`].
    Identity(CallsMeant),
    /// See [`Expectation::parameters`].
    ParametersUnchanged,
    /// See [`Expectation::order`].
    Order(Vec<Precedence>),
    /// See [`Expectation::depends`].
    Depends(Dependency),
    /// See [`Expectation::permitted_calls`].
    PermittedCalls(PermittedCalls),
    /// See [`Expectation::retry_layers`].
    RetryLayers(RetryLayers),
    /// See [`Expectation::contract`]: these rules are kept.
    Contract(Vec<Rule>),
    /// See [`Expectation::http_status`].
    HttpStatus(HttpStatus),
    /// See [`Expectation::command`].
    Command(CommandGrader),
    /// See [`Expectation::placeholder`].
    Placeholder(Placeholder),
}

impl Expectation {
    /// The grader, and whether its verdict is turned round (an odd number of `not` around it).
    /// `None` where not exactly one field is set, which the schema refuses.
    pub fn grader(&self) -> Option<(Grader, bool)> {
        if let Some(inner) = &self.not {
            return inner.grader().map(|(grader, negated)| (grader, !negated));
        }
        let contains = |form: &ContainsForm| match form {
            ContainsForm::Texts(texts) => Contains { all: texts.texts().to_vec(), ..Contains::default() },
            ContainsForm::Full(full) => full.clone(),
        };
        let regex = |form: &RegexForm| match form {
            RegexForm::Pattern(pattern) => RegexCheck { pattern: pattern.clone(), count: None },
            RegexForm::Full(full) => full.clone(),
        };
        let claim = |form: &ClaimForm| match form {
            ClaimForm::Word(ClaimWord::MatchesEvidence) => Grader::ClaimMatchesEvidence,
            ClaimForm::Operation(one) => Grader::Claim(one.clone()),
        };
        let grader = None
            .or_else(|| self.equals.as_deref().cloned().map(Grader::Equals))
            .or_else(|| self.contains.as_deref().map(|form| Grader::Contains(contains(form))))
            .or_else(|| self.regex.as_deref().map(|form| Grader::Regex(regex(form))))
            .or_else(|| self.json.as_deref().cloned().map(Grader::Json))
            .or_else(|| self.json_schema.as_deref().cloned().map(Grader::JsonSchema))
            .or_else(|| self.similar.as_deref().cloned().map(Grader::Similar))
            .or_else(|| self.number.as_deref().cloned().map(Grader::Number))
            .or_else(|| self.length.as_deref().cloned().map(Grader::Length))
            .or_else(|| self.duration.as_deref().cloned().map(Grader::Duration))
            .or_else(|| self.cites.as_deref().cloned().map(Grader::Cites))
            .or_else(|| self.effects.as_deref().cloned().map(Grader::Effects))
            .or_else(|| self.outcome.as_deref().cloned().map(Grader::Outcome))
            .or_else(|| self.claim.as_deref().map(claim))
            .or_else(|| self.behaviour())
            .or_else(|| self.http_status.as_deref().cloned().map(Grader::HttpStatus))
            .or_else(|| self.command.as_deref().cloned().map(Grader::Command))
            .or_else(|| self.placeholder.as_deref().cloned().map(Grader::Placeholder))?;
        Some((grader, false))
    }

    /// The grader of what is expected of calls.
    fn behaviour(&self) -> Option<Grader> {
        None.or_else(|| self.attempts.as_deref().cloned().map(Grader::Attempts))
            .or_else(|| self.backoff.as_deref().cloned().map(Grader::Backoff))
            .or_else(|| self.retry_after.as_deref().map(|form| Grader::RetryAfter(form.calls())))
            .or_else(|| self.no_retry.as_deref().cloned().map(Grader::NoRetry))
            .or_else(|| self.identity.as_deref().cloned().map(Grader::Identity))
            .or_else(|| self.parameters.map(|ParametersWord::Unchanged| Grader::ParametersUnchanged))
            .or_else(|| self.order.clone().map(Grader::Order))
            .or_else(|| self.depends.as_deref().cloned().map(Grader::Depends))
            .or_else(|| self.permitted_calls.as_deref().cloned().map(Grader::PermittedCalls))
            .or_else(|| self.retry_layers.as_deref().cloned().map(Grader::RetryLayers))
            .or_else(|| self.contract.as_deref().map(|form| Grader::Contract(form.rules())))
    }
}
