//! Inspect's log of an evaluation, `.eval`, as a run that can be compared: each sample is a case, each epoch a trial, each score a
//! grade. It shows what that tool scored; nothing of it was observed here.

mod archive;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::change::{RestDigests, Snapshot};
use crate::domain::{Aspect, CaseId, Digest, Question, Risk, RunId, TrialStatus};
use crate::evidence::{Answer, ErrorKind, Form, Observation, StepObservation, TrialError, excerpt};
use crate::grading::{Grade, GradedTrial};
use crate::manifest::Diagnostic;
use crate::store::{IMPORTED, PlannedCase, RunHeader, RunKind, RunSummary};

use super::brought::{Brought, Kind};
use super::case_draft::one_line;
use super::names::given_name;
use super::reading::error_at;

use archive::Archive;

/// Longest message of a grade, in characters.
const SHOWN: usize = 300;

/// The most epochs that are named of those that a sample lacks.
const EPOCHS_NAMED: usize = 5;

/// How scores are read.
#[derive(Clone, Debug)]
pub struct InspectOptions {
    /// The least score that is a pass: 1 is `C`, 0.5 is `P`, 0 is `I` and `N`.
    pub pass_at: f64,
    /// The set that the cases stand in.
    pub set: Risk,
}

/// A run that another tool carried out.
#[derive(Clone, Debug)]
pub struct ImportedRun {
    /// What it was, and the cases that it was to have.
    pub header: RunHeader,
    /// Its trials.
    pub trials: Vec<GradedTrial>,
    /// How it ended.
    pub summary: RunSummary,
    /// What could not be brought.
    pub brought: Brought,
}

#[derive(Debug, Deserialize)]
struct Header {
    #[serde(default)]
    status: Option<String>,
    eval: Eval,
    #[serde(default)]
    stats: Stats,
}

#[derive(Debug, Deserialize)]
struct Eval {
    #[serde(default)]
    created: String,
    #[serde(default)]
    task: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    dataset: Dataset,
    #[serde(default)]
    config: EvalConfig,
    #[serde(default)]
    revision: Option<Revision>,
}

#[derive(Debug, Default, Deserialize)]
struct Dataset {
    #[serde(default)]
    sample_ids: Option<Vec<Value>>,
}

#[derive(Debug, Default, Deserialize)]
struct EvalConfig {
    #[serde(default)]
    epochs: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct Revision {
    #[serde(default)]
    commit: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Stats {
    #[serde(default)]
    started_at: String,
    #[serde(default)]
    completed_at: String,
}

#[derive(Debug, Deserialize)]
struct Sample {
    id: Value,
    epoch: u32,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    target: Value,
    #[serde(default)]
    output: Value,
    #[serde(default)]
    scores: Option<Map<String, Value>>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    total_time: Option<f64>,
}

/// Brings a log.
///
/// # Errors
/// When it is no such archive, is larger than is read, or one of its parts is not what it must be.
pub fn inspect(path: &str, bytes: &[u8], options: &InspectOptions) -> Result<ImportedRun, Vec<Diagnostic>> {
    let fail = |message: String| {
        vec![error_at(path, 0, message, "an Inspect log is a zip archive with header.json and samples/")]
    };
    let mut archive = Archive::open(bytes).map_err(fail)?;
    let mut brought = Brought::default();
    let header: Header = match archive.json("header.json").map_err(fail)? {
        Some(header) => header,
        None => {
            let why = "header.json is missing, so the evaluation was cut off: samples that it did not get to count as errored";
            brought.note(Kind::Changed, (path, 0), "the evaluation", why);
            archive
                .json("_journal/start.json")
                .map_err(fail)?
                .ok_or_else(|| fail("it holds no header.json".to_owned()))?
        }
    };
    let mut samples = Vec::new();
    for name in archive.samples() {
        let sample: Sample = archive.json(&name).map_err(fail)?.ok_or_else(|| fail(format!("{name} is gone")))?;
        samples.push(sample);
    }
    if samples.is_empty() {
        return Err(fail("it holds no sample".to_owned()));
    }
    run_of(path, &Digest::of(bytes), header, &samples, options, brought).map_err(fail)
}

fn run_of(
    path: &str,
    digest: &Digest,
    header: Header,
    samples: &[Sample],
    options: &InspectOptions,
    mut brought: Brought,
) -> Result<ImportedRun, String> {
    let mut names = CaseNames::default();
    let mut trials = Vec::new();
    let mut cases: BTreeMap<CaseId, PlannedCase> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let started = first_text([&header.stats.started_at, &header.eval.created]);
    for sample in samples {
        brought.tally.found += 1;
        let case = names.of(&sample.id);
        if !seen.insert((case.clone(), sample.epoch)) {
            return Err(format!(
                "the sample {} of epoch {} stands in it twice",
                one_line(&sample.id.to_string(), 80),
                sample.epoch
            ));
        }
        let trial = trial_of(sample, &case, &started, options.pass_at);
        let planned =
            cases.entry(case).or_insert_with(|| planned(sample, header.eval.config.epochs, &trial.grades, options));
        planned.trials = planned.trials.max(sample.epoch);
        brought.tally.brought += 1;
        brought.tally.expectations += trial.grades.len();
        trials.push(trial);
    }
    note_lacking(path, &cases, &seen, &mut brought);
    for id in header.eval.dataset.sample_ids.iter().flatten() {
        let case = names.of(id);
        if let Entry::Vacant(absent_case) = cases.entry(case) {
            let why = "it was to run and has no result: it counts as errored";
            brought.note(Kind::Changed, (path, 0), format!("the sample {}", one_line(&id.to_string(), 80)), why);
            absent_case.insert(absent(id, header.eval.config.epochs, options));
        }
    }
    note_unscored(path, samples, &trials, &mut brought);
    let status = header.status.clone().unwrap_or_else(|| "cut off".to_owned());
    if status != "success" {
        let why = "it did not come to its end; what it did not finish counts as errored";
        brought.note(Kind::Changed, (path, 0), format!("the evaluation ended `{}`", one_line(&status, 40)), why);
    }
    let summary = RunSummary {
        finished: first_text([&header.stats.completed_at, &started]),
        exit_code: 0,
        verdict: IMPORTED.to_owned(),
        ..RunSummary::default()
    };
    let header = run_header(path, digest, &header, started, cases);
    Ok(ImportedRun { header, trials, summary, brought: brought.finish() })
}

/// Names the samples that have results of some epochs and not of all.
fn note_lacking(
    path: &str,
    cases: &BTreeMap<CaseId, PlannedCase>,
    seen: &BTreeSet<(CaseId, u32)>,
    brought: &mut Brought,
) {
    for (case, planned) in cases {
        let there = seen.range((case.clone(), 0)..=(case.clone(), planned.trials)).count();
        let lacking = usize::try_from(planned.trials).unwrap_or(usize::MAX).saturating_sub(there);
        if lacking == 0 {
            continue;
        }
        let first = (1..=planned.trials).filter(|epoch| !seen.contains(&(case.clone(), *epoch)));
        let first: Vec<String> = first.take(EPOCHS_NAMED).map(|epoch| epoch.to_string()).collect();
        let more = if lacking > first.len() { ", …" } else { "" };
        let what = format!("the sample of case {case}: {lacking} of its {} epochs", planned.trials);
        let why = format!("it has no result of epoch {}{more}: it counts as errored", first.join(", "));
        brought.note(Kind::Changed, (path, 0), what, why);
    }
}

/// Says how many samples have no score that can be read. Those that ended with an error have that for a reason.
fn note_unscored(path: &str, samples: &[Sample], trials: &[GradedTrial], brought: &mut Brought) {
    let finished = || samples.iter().zip(trials).filter(|(_, trial)| trial.observation.error.is_none());
    let unscored = finished().filter(|(_, trial)| trial.grades.is_empty()).map(|(sample, _)| (sample, String::new()));
    let unread = finished().filter_map(|(sample, trial)| {
        let mut scored = sample.scores.iter().flatten().zip(&trial.grades);
        let ((scorer, score), _) = scored.find(|(_, grade)| grade.pass.is_none())?;
        let value = score.get("value").unwrap_or(&Value::Null);
        Some((sample, format!(" ({})", one_line(&format!("{scorer}: {value}"), 120))))
    });
    for (found, what, why) in [
        (unscored.collect::<Vec<_>>(), "without a score", "nothing judged them: they count as errored"),
        (
            unread.collect(),
            "with a score that cannot be read",
            "it is neither a letter nor a number: they count as errored",
        ),
    ] {
        if let Some((first, said)) = found.first() {
            let many = if found.len() == 1 { "1 sample".to_owned() } else { format!("{} samples", found.len()) };
            let id = one_line(&first.id.to_string(), 80);
            let what = format!("{many} {what}, the first {id} of epoch {}{said}", first.epoch);
            brought.note(Kind::Changed, (path, 0), what, why);
        }
    }
}

fn run_header(
    path: &str,
    digest: &Digest,
    header: &Header,
    started: String,
    cases: BTreeMap<CaseId, PlannedCase>,
) -> RunHeader {
    let day: String = started.chars().filter(char::is_ascii_digit).take(14).collect();
    let eval = &header.eval;
    let subject =
        json!({"task": eval.task, "model": eval.model, "commit": eval.revision.as_ref().map(|one| &one.commit)});
    RunHeader {
        run: RunId::new(format!("{IMPORTED}-{day}-{}", &digest.hex()[..6])),
        kind: RunKind::Imported,
        started,
        commit: eval.revision.as_ref().and_then(|revision| revision.commit.clone()),
        fingerprint: Digest::of_json(&subject),
        // What the other tool ran is no project of ours: there is nothing to take a snapshot of.
        snapshot: Snapshot {
            parts: BTreeMap::new(),
            project_file: digest.clone(),
            policy: None,
            rest: RestDigests::default(),
        },
        inert: None,
        baseline_heads: Vec::new(),
        project_cases: cases.keys().cloned().collect(),
        cases,
        covers: false,
        paused: false,
        imported_from: Some(one_line(&format!("{path} (Inspect: task {}, model {})", eval.task, eval.model), 300)),
        asked: None,
        passed: None,
        part: None,
        merged_from: Vec::new(),
    }
}

/// The first text that says something.
fn first_text<const N: usize>(texts: [&String; N]) -> String {
    let found = texts.into_iter().find(|text| !text.trim().is_empty()).map(|text| one_line(text, 40));
    found.unwrap_or_else(|| "1970-01-01T00:00:00Z".to_owned())
}

/// The cases' names, by sample: the same sample gets the same name in every log.
#[derive(Default)]
struct CaseNames(BTreeMap<String, CaseId>);

impl CaseNames {
    fn of(&mut self, id: &Value) -> CaseId {
        let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let taken: Vec<String> = self.0.values().map(|case| case.as_str().to_lowercase()).collect();
        let name = || {
            let name = given_name(&text);
            // Two ids that differ in letter case alone are kept apart by the digits of their digests.
            let clashes = taken.contains(&name.to_lowercase());
            CaseId::new(if clashes { format!("{name}-{}", &Digest::of(text.as_bytes()).hex()[..8]) } else { name })
        };
        self.0.entry(id.to_string()).or_insert_with(name).clone()
    }
}

fn planned(sample: &Sample, epochs: Option<u32>, grades: &[Grade], options: &InspectOptions) -> PlannedCase {
    let scorers: Vec<&str> = grades.iter().map(|grade| grade.grader.as_str()).collect();
    let expected = json!({"target": sample.target, "scorers": scorers});
    let mut question = Question::default();
    question.set(Aspect::Expectations, Digest::of_json(&expected));
    question.set(Aspect::Case, Digest::of_json(&json!(sample.input)));
    PlannedCase {
        set: options.set.clone(),
        digest: Digest::of_json(&json!({"input": sample.input, "expected": expected})),
        question,
        trials: epochs.unwrap_or(1).clamp(1, 10_000),
        title: Some(title(&sample.input).into()),
        workflow: None,
        calls_seen: false,
        do_nothing: None,
        old_form: None,
    }
}

fn absent(id: &Value, epochs: Option<u32>, options: &InspectOptions) -> PlannedCase {
    PlannedCase {
        set: options.set.clone(),
        digest: Digest::of_json(id),
        question: Question::default(),
        trials: epochs.unwrap_or(1).clamp(1, 10_000),
        title: None,
        workflow: None,
        calls_seen: false,
        do_nothing: None,
        old_form: None,
    }
}

fn title(input: &Value) -> String {
    let text = match input {
        Value::String(text) => Some(text.as_str()),
        Value::Array(messages) => messages.iter().rev().find_map(|message| message.get("content")?.as_str()),
        _ => None,
    };
    one_line(text.unwrap_or("a sample"), 200)
}

fn trial_of(sample: &Sample, case: &CaseId, started: &str, pass_at: f64) -> GradedTrial {
    let error = sample.error.as_ref().filter(|error| !error.is_null()).map(|error| {
        let message = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
        TrialError {
            kind: ErrorKind::Setup,
            message: format!("Inspect recorded an error: {}", excerpt(&message, SHOWN)),
        }
    });
    let scores = sample.scores.iter().flatten();
    let grades: Vec<Grade> = scores.map(|(name, score)| grade(name, score, pass_at)).collect();
    let status = if error.is_some() || grades.is_empty() || grades.iter().any(|grade| grade.pass.is_none()) {
        TrialStatus::Errored
    } else if grades.iter().all(|grade| grade.pass == Some(true)) {
        TrialStatus::Passed
    } else {
        TrialStatus::Failed
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 10^12")]
    let duration_ms = (sample.total_time.unwrap_or_default() * 1000.0).clamp(0.0, 1e12) as u64;
    let text = completion(&sample.output);
    let answer = Answer { output: text.as_str().into(), text, json: None, claims: Vec::new() };
    let step = StepObservation {
        number: 1,
        kind: "invoke".to_owned(),
        duration_ms,
        answer: Some(answer),
        http_status: None,
        stderr: String::new(),
        failure: None,
    };
    let observation = Observation {
        duration_ms,
        steps: vec![step],
        error,
        ..Observation::begun(case, Form::Head, sample.epoch, started.to_owned())
    };
    GradedTrial { observation, grades, claim_checks: BTreeMap::new(), status }
}

fn completion(output: &Value) -> String {
    let whole = output.get("completion").and_then(Value::as_str);
    let first = || output.pointer("/choices/0/message/content").and_then(Value::as_str);
    whole.or_else(first).unwrap_or_default().replace('\0', "\u{fffd}")
}

/// A score as a grade. What is neither a letter, a number nor a truth value is no judgement.
fn grade(name: &str, score: &Value, pass_at: f64) -> Grade {
    let value = score.get("value").unwrap_or(&Value::Null);
    let worth = match value {
        Value::Bool(flag) => Some(if *flag { 1.0 } else { 0.0 }),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            other => other.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
        },
        _ => None,
    };
    let text = |key: &str| score.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let why = text("explanation").map_or_else(String::new, |why| format!("; {why}"));
    let message = match worth {
        Some(_) => excerpt(&format!("scored {value}, and {pass_at} is a pass{why}"), SHOWN),
        None => excerpt(&format!("no judgement: the score {value} is neither a letter nor a number{why}"), SHOWN),
    };
    Grade { grader: one_line(name, 80), pass: worth.map(|worth| worth >= pass_at), message }
}
