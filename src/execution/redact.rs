//! Takes secrets out of what is recorded: their values, and the forms in which programs commonly write them. Pure.

mod cuts;
mod escaped;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::domain::OperationId;
use crate::evidence::{
    Answer, Answered, AttemptSeen, Exchange, Judgement, Message, Observation, OperationSeen, Reading, StepObservation,
};
use crate::manifest::{Project, ProjectFile, REDACTED, SHORTEST_SECRET, WorkflowEnv, WorkflowSpec};

use super::encodings::encoded_forms;

/// Variables whose values are no secrets.
const HARMLESS: [&str; 22] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "SHELL",
    "SHLVL",
    "HOSTNAME",
    "EDITOR",
    "PAGER",
    "NO_COLOR",
    "CI",
    "VIRTUAL_ENV",
];

/// Beginnings of the names of variables whose values are no secrets.
const HARMLESS_PREFIXES: [&str; 3] = ["LC_", "PYTHON", "XDG_"];

/// Knows the secrets of a run and replaces each by `[redacted:NAME]`.
#[derive(Debug, Default)]
pub struct Redactor {
    /// What to look for and what to write instead, the longest first.
    replacements: Vec<(String, String)>,
    /// The values themselves, to be found in what an escaped text says, and what to write instead.
    values: Vec<(String, String)>,
}

impl Redactor {
    /// Knows these secrets: values by the names of their variables. Names that are known to be harmless, and
    /// values too short to be told from ordinary text, are passed over.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut replacements: BTreeMap<String, String> = BTreeMap::new();
        let mut values = Vec::new();
        for (name, value) in secrets {
            if is_harmless(name) {
                continue;
            }
            if value.trim().len() >= SHORTEST_SECRET {
                values.push((value.trim().to_owned(), format!("{REDACTED}{name}]")));
            }
            for form in encoded_forms(value) {
                if form.len() >= SHORTEST_SECRET && value.len() >= SHORTEST_SECRET {
                    replacements.entry(form).or_insert_with(|| format!("{REDACTED}{name}]"));
                }
            }
        }
        let mut replacements: Vec<(String, String)> = replacements.into_iter().collect();
        replacements.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        Self { replacements, values }
    }

    /// Knows the secrets of a project: the variables that are passed on to its workflows, targets and probes, and those
    /// whose value stands in what a program is given, in a header or in an address.
    pub fn for_project(project: &Project, environment: &BTreeMap<String, String>) -> Self {
        let handed_on = HandedOn::by(&project.file);
        Self::new(
            environment
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .filter(|(name, value)| value.len() >= SHORTEST_SECRET && handed_on.holds(name, value)),
        )
    }

    /// The text without secrets, and without what is left of one where the text was shortened.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for (form, replacement) in &self.replacements {
            if text.contains(form.as_str()) {
                text = Cow::Owned(text.replace(form.as_str(), replacement));
            }
        }
        if let Some(without) = escaped::without(&text, &self.values) {
            text = Cow::Owned(without);
        }
        match cuts::without_rests(&text, &self.replacements) {
            Some(whole) => Cow::Owned(whole),
            None => text,
        }
    }

    /// The operation's identity without secrets: a workflow can name an operation as it likes.
    pub fn operation_id(&self, operation: &OperationId) -> OperationId {
        OperationId::new(self.text(operation.as_str()))
    }

    /// The value without secrets, those in keys and in numbers included.
    pub fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::from(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => Value::Object(self.fields(fields)),
            Value::Number(number) => {
                let text = number.to_string();
                match self.text(&text) {
                    Cow::Borrowed(_) => value.clone(),
                    Cow::Owned(redacted) => Value::from(redacted),
                }
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    fn fields(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        fields.iter().map(|(name, value)| (self.text(name).into_owned(), self.json(value))).collect()
    }

    /// The observation without secrets. Each type is taken apart by name, so that a field that is added to it
    /// later cannot be forgotten here.
    pub fn observation(&self, observation: Observation) -> Observation {
        if self.replacements.is_empty() {
            return observation;
        }
        let Observation {
            case,
            form,
            trial,
            started,
            duration_ms,
            mut steps,
            mut operations,
            mut readings,
            mut looks,
            mut exchanges,
            mut judgements,
            mut unreached,
            mut error,
        } = observation;
        steps.iter_mut().for_each(|step| self.step(step));
        operations.iter_mut().for_each(|operation| self.operation_seen(operation));
        readings.values_mut().for_each(|reading| self.reading(reading));
        looks.values_mut().for_each(|look| self.replace(&mut look.why));
        exchanges.iter_mut().for_each(|exchange| self.exchange(exchange));
        for judgement in judgements.values_mut() {
            let (Judgement::Verdict { message: text, .. } | Judgement::Unclear(text)) = judgement;
            self.replace(text);
        }
        for one in &mut unreached {
            self.replace(&mut one.why);
            self.replace(&mut one.then);
        }
        if let Some(error) = &mut error {
            self.replace(&mut error.message);
        }
        Observation {
            case,
            form,
            trial,
            started,
            duration_ms,
            steps,
            operations,
            readings,
            looks,
            exchanges,
            judgements,
            unreached,
            error,
        }
    }

    fn exchange(&self, exchange: &mut Exchange) {
        let Exchange {
            number: _,
            step: _,
            connector: _,
            operation: _,
            intention,
            key,
            begun_us: _,
            sent_us: _,
            answered_us: _,
            ended_us: _,
            method,
            target,
            request,
            forwarded: _,
            answer,
            status: _,
            delivered: _,
            delivered_status: _,
            retry_after,
            fault: _,
            problem,
        } = exchange;
        intention.iter_mut().for_each(|operation| self.redact_id(operation));
        key.iter_mut().chain(retry_after).chain(problem).chain([method, target]).for_each(|text| self.replace(text));
        answer.iter_mut().chain([request]).for_each(|message| self.message(message));
    }

    fn message(&self, message: &mut Message) {
        let Message { headers, bytes: _, digest: _, text, is_cut } = message;
        self.replace(text);
        if *is_cut && let Some(whole) = cuts::without_rest_at_end(text, &self.replacements) {
            *text = whole;
        }
        headers.iter_mut().for_each(|(_, value)| self.replace(value));
    }

    fn replace(&self, text: &mut String) {
        if let Cow::Owned(redacted) = self.text(text) {
            *text = redacted;
        }
    }

    fn redact_id(&self, operation: &mut OperationId) {
        *operation = self.operation_id(operation);
    }

    fn step(&self, step: &mut StepObservation) {
        let StepObservation { number: _, kind: _, duration_ms: _, answer, http_status: _, stderr, failure } = step;
        self.replace(stderr);
        failure.iter_mut().for_each(|failure| self.replace(&mut failure.message));
        let Some(Answer { text, json, output, claims }) = answer else { return };
        self.replace(text);
        if let Some(json) = json {
            *json = self.json(json);
        }
        *output = self.json(output);
        claims.iter_mut().for_each(|claim| self.redact_id(&mut claim.operation));
    }

    fn operation_seen(&self, seen: &mut OperationSeen) {
        let OperationSeen { operation, outcome: _, attempts, effects: _, evidence } = seen;
        self.redact_id(operation);
        evidence.iter_mut().for_each(|sentence| self.replace(sentence));
        for AttemptSeen { number: _, step: _, call: _, identity, fault, answered, exchange: _, behind: _ } in attempts {
            identity.iter_mut().chain(fault).for_each(|text| self.replace(text));
            match answered {
                Answered::Committed { receipt } | Answered::Replayed { receipt } => {
                    receipt.iter_mut().for_each(|receipt| self.replace(receipt));
                }
                Answered::Refused { reason: text } | Answered::Error { detail: text } => self.replace(text),
                Answered::NoAnswer | Answered::NotForwarded | Answered::NotRecorded => {}
            }
        }
    }

    fn reading(&self, reading: &mut Reading) {
        match reading {
            Reading::Effects(effects) => effects.iter_mut().for_each(|effect| *effect = self.fields(effect)),
            Reading::Unreadable(reason) => self.replace(reason),
        }
    }
}

/// The variables that may have held a secret of the project when something was recorded, and that are not set now: what they held
/// cannot be looked for.
pub fn unset_secrets(file: &ProjectFile, environment: &BTreeMap<String, String>) -> BTreeSet<String> {
    let is_unset = |name: &&str| !is_harmless(name) && environment.get(*name).is_none_or(String::is_empty);
    HandedOn::by(file).names().filter(is_unset).map(str::to_owned).collect()
}

/// The names in `${NAME}`; what stands behind `$${` is none.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let named = text.match_indices("${").filter(|(at, _)| !text[..*at].ends_with('$'));
    named.filter_map(|(at, mark)| Some(text[at + mark.len()..].split_once('}')?.0))
}

fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || HARMLESS_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// What a project hands on: environments, and texts in which values of variables may stand.
#[derive(Default)]
struct HandedOn<'a> {
    environments: Vec<&'a WorkflowEnv>,
    texts: Vec<&'a String>,
}

impl<'a> HandedOn<'a> {
    /// All that the project's workflows, their targets and its probes are given.
    fn by(file: &'a ProjectFile) -> Self {
        let mut handed_on = Self::default();
        file.workflows.values().for_each(|workflow| handed_on.add_workflow(workflow));
        for connector in file.connectors.values() {
            handed_on.environments.extend(connector.upstream.start.as_ref().map(|start| &start.env));
            handed_on.texts.extend(&connector.upstream.url);
        }
        for probe in file.probes.values() {
            handed_on.environments.extend(probe.command.as_ref().map(|command| &command.env));
            if let Some(http) = &probe.http {
                handed_on.texts.push(&http.path);
                handed_on.texts.extend(http.headers.values());
            }
        }
        handed_on
    }

    fn add_workflow(&mut self, workflow: &'a WorkflowSpec) {
        self.environments.extend(workflow.command.as_ref().map(|command| &command.env));
        let Some(http) = &workflow.http else { return };
        self.environments.push(&http.env);
        self.texts.push(&http.url);
        self.texts.extend(http.headers.values());
        self.texts.extend(http.ready.as_ref().map(|ready| &ready.url));
    }

    /// The variables that are named: those that are passed on, and those that a text takes in.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        let passed = self
            .environments
            .iter()
            .copied()
            .flat_map(|env| env.pass.iter().chain(&env.pass_if_set))
            .map(String::as_str);
        let set = self.environments.iter().copied().flat_map(|env| env.set.values());
        passed.chain(set.chain(self.texts.iter().copied()).flat_map(|text| names_in(text)))
    }

    /// Whether this variable is among it, by its name or by its value.
    fn holds(&self, name: &str, value: &str) -> bool {
        let by_name = |env: &&WorkflowEnv| env.pass.iter().chain(&env.pass_if_set).any(|passed| passed == name);
        let set = self.environments.iter().flat_map(|env| env.set.values());
        let mut given = set.chain(self.texts.iter().copied());
        self.environments.iter().any(by_name) || given.any(|text| stands_in(value, text))
    }
}

/// Whether `value` stands in `text` as a whole word of it, as `${NAME}` in the project file would have put it there.
fn stands_in(value: &str, text: &str) -> bool {
    let is_border = |c: char| c.is_whitespace() || " :=/@?&;,\"'|".contains(c);
    text.match_indices(value).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + value.len()..].chars().next();
        before.is_none_or(is_border) && after.is_none_or(is_border)
    })
}

#[cfg(test)]
mod tests;
