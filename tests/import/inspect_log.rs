//! Inspect's logs: as runs, and as archives that mean harm.

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use holdpoint::domain::{CaseId, TrialStatus};
use holdpoint::import::{self, ImportedRun, InspectOptions};

/// A log with these files.
pub(crate) fn log(files: &[(&str, String)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn header(model: &str) -> String {
    json!({
        "version": 2, "status": "success",
        "eval": {
            "task": "returns", "model": model, "created": "2026-03-02T09:00:00+00:00", "config": {"epochs": 2},
            "dataset": {"name": "d", "sample_ids": [1, "two words", "gone"]},
            "revision": {"type": "git", "origin": "o", "commit": "abc1234"},
        },
        "stats": {"started_at": "2026-03-02T09:00:01+00:00", "completed_at": "2026-03-02T09:05:00+00:00"},
    })
    .to_string()
}

fn sample(id: Value, epoch: u32, score: &str) -> (String, String) {
    let name = format!("samples/{}_epoch_{epoch}.json", id.as_str().unwrap_or("1"));
    let mut sample = json!({
        "id": id, "epoch": epoch, "input": "Can I return it?", "target": "yes", "messages": [], "events": [{"large": "x"}],
        "output": {"model": "m", "completion": "Yes, you can."}, "scores": {"includes": {"value": "SCORE", "explanation": "as\nsaid"}},
        "total_time": 1.5, "error": null,
    })
    .to_string();
    sample = sample.replace("\"SCORE\"", score);
    (name, sample)
}

pub(crate) fn samples(first: [&str; 2], second: [&str; 2], model: &str, method: CompressionMethod) -> Vec<u8> {
    let two = |id: &Value, scores: [&str; 2]| [sample(id.clone(), 1, scores[0]), sample(id.clone(), 2, scores[1])];
    let all: Vec<(String, String)> =
        two(&json!(1), first).into_iter().chain(two(&json!("two words"), second)).collect();
    let mut files = vec![("header.json", header(model))];
    files.extend(all.iter().map(|(name, text)| (name.as_str(), text.clone())));
    log(&files, method)
}

fn read(bytes: &[u8], pass_at: f64) -> Result<ImportedRun, String> {
    let options = InspectOptions { pass_at, set: "policy_accuracy".into() };
    import::inspect("log.eval", bytes, &options).map_err(|errors| errors[0].message.clone())
}

fn statuses(run: &ImportedRun) -> Vec<(String, u32, TrialStatus)> {
    run.trials.iter().map(|one| (one.observation.case.to_string(), one.observation.trial, one.status)).collect()
}

#[test]
fn samples_are_cases_and_epochs_trials_however_the_log_is_packed() {
    use TrialStatus::{Errored, Failed, Passed};
    for method in [CompressionMethod::Deflated, CompressionMethod::Zstd, CompressionMethod::Stored] {
        let run = read(&samples(["\"C\"", "\"I\""], ["\"P\"", "NaN"], "m", method), 1.0).unwrap();
        let second = run.trials[2].observation.case.to_string();
        assert!(second.starts_with("two-words-"), "{second}");
        let expected =
            [("1", 1, Passed), ("1", 2, Failed), (second.as_str(), 1, Failed), (second.as_str(), 2, Errored)];
        assert_eq!(statuses(&run), expected.map(|(case, trial, status)| (case.to_owned(), trial, status)));
        assert_eq!(run.trials[0].grades[0].message, "scored \"C\", and 1 is a pass; as\\nsaid");
        assert_eq!(run.trials[0].observation.last_answer().unwrap().text, "Yes, you can.");
        assert_eq!(run.header.commit.as_deref(), Some("abc1234"));
        assert!(run.header.run.as_str().starts_with("imported-20260302090001-"), "{}", run.header.run);
        // What was to run and has no result stays in the count.
        assert_eq!(run.header.cases[&CaseId::from("gone")].trials, 2);
        assert_eq!(run.header.cases.len(), 3);
    }
}

#[test]
fn what_passes_is_said_by_the_score() {
    let passed = |score: &str, pass_at: f64| {
        let run = read(&samples([score, score], [score, score], "m", CompressionMethod::Deflated), pass_at).unwrap();
        run.trials[0].status
    };
    for (score, pass_at, expected) in [
        ("\"C\"", 1.0, TrialStatus::Passed),
        ("\"P\"", 0.5, TrialStatus::Passed),
        ("\"N\"", 0.5, TrialStatus::Failed),
        ("0.8", 0.8, TrialStatus::Passed),
        ("0.79", 0.8, TrialStatus::Failed),
        ("true", 1.0, TrialStatus::Passed),
        ("\"0.9\"", 0.8, TrialStatus::Passed),
        ("\"fine\"", 0.5, TrialStatus::Errored),
        ("{\"a\": 1}", 0.5, TrialStatus::Errored),
        ("null", 0.0, TrialStatus::Errored),
    ] {
        assert_eq!(passed(score, pass_at), expected, "{score}");
    }
}

#[test]
fn a_sample_that_ended_badly_or_was_never_scored_is_errored() {
    let of = |change: &dyn Fn(&mut Value)| {
        let (name, text) = sample(json!(1), 1, "\"C\"");
        let mut value: Value = serde_json::from_str(&text).unwrap();
        change(&mut value);
        let files = [("header.json", header("m")), (name.as_str(), value.to_string())];
        read(&log(&files, CompressionMethod::Deflated), 1.0).unwrap().trials[0].status
    };
    assert_eq!(of(&|_| {}), TrialStatus::Passed);
    assert_eq!(of(&|sample| sample["error"] = json!({"message": "it broke"})), TrialStatus::Errored);
    assert_eq!(of(&|sample| sample["scores"] = json!(null)), TrialStatus::Errored);
    assert_eq!(of(&|sample| sample["scores"] = json!({})), TrialStatus::Errored);
}

#[test]
fn samples_whose_score_says_nothing_are_counted_in_the_notes() {
    let mut files = vec![("header.json".to_owned(), header("m"))];
    // What each sample was scored; none where it has no scores, or ended with an error.
    let scores = [Some("\"CORRECT-ish\""), Some("null"), Some("NaN"), None, None];
    for (at, score) in scores.into_iter().enumerate() {
        let (name, text) = sample(json!(format!("s{at}")), 1, &score.unwrap_or("1").replace("NaN", "\"NaN\""));
        let mut value: Value = serde_json::from_str(&text).unwrap();
        if score.is_none() {
            value["scores"] = json!(null);
        }
        if at == 4 {
            value["error"] = json!({"message": "it broke"});
        }
        files.push((name, value.to_string().replace("\"NaN\"", "NaN")));
    }
    files.push(sample(json!("scored"), 1, "0"));
    let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    let run = read(&log(&files, CompressionMethod::Deflated), 1.0).unwrap();
    let notes: Vec<(&str, &str)> =
        run.brought.notes.iter().map(|note| (note.what.as_str(), note.why.as_str())).collect();
    for (what, why) in [
        ("1 sample without a score, the first \"s3\" of epoch 1", "nothing judged them: they count as errored"),
        (
            "3 samples with a score that cannot be read, the first \"s0\" of epoch 1 (includes: \"CORRECT-ish\")",
            "it is neither a letter nor a number: they count as errored",
        ),
    ] {
        assert!(notes.contains(&(what, why)), "{what}: {notes:?}");
    }
    assert_eq!(notes.iter().filter(|(what, _)| what.contains("a score")).count(), 2, "{notes:?}");
    let well = read(&samples(["1", "0"], ["\"C\"", "\"I\""], "m", CompressionMethod::Deflated), 1.0).unwrap();
    assert!(well.brought.notes.iter().all(|note| !note.what.contains("a score")), "{:?}", well.brought.notes);
}

#[test]
fn a_log_that_was_cut_off_is_read_from_its_journal() {
    let (name, text) = sample(json!(1), 1, "\"C\"");
    let mut start: Value = serde_json::from_str(&header("m")).unwrap();
    start.as_object_mut().unwrap().remove("status");
    let files = [("_journal/start.json", start.to_string()), (name.as_str(), text)];
    let run = read(&log(&files, CompressionMethod::Deflated), 1.0).unwrap();
    assert!(run.brought.notes.iter().any(|note| note.why.contains("cut off")), "{:?}", run.brought.notes);
}

#[test]
fn an_archive_that_means_harm_is_refused() {
    let deflated = CompressionMethod::Deflated;
    assert!(read(b"no zip at all", 1.0).unwrap_err().contains("no zip archive"));
    assert!(read(&log(&[("other.json", "{}".into())], deflated), 1.0).unwrap_err().contains("header.json"));
    assert!(read(&log(&[("header.json", header("m"))], deflated), 1.0).unwrap_err().contains("no sample"));
    let twice = [
        ("header.json", header("m")),
        ("samples/a.json", sample(json!(1), 1, "1").1),
        ("samples/b.json", sample(json!(1), 1, "1").1),
    ];
    assert!(read(&log(&twice, deflated), 1.0).unwrap_err().contains("twice"));
    let broken = [("header.json", header("m")), ("samples/a.json", "{\"id\": 1,\n".into())];
    assert!(read(&log(&broken, deflated), 1.0).unwrap_err().starts_with("samples/a.json, line 2"));
    // 200 MB of spaces in 200 KB.
    let bomb = [("header.json", header("m")), ("samples/a.json", " ".repeat(200 * 1024 * 1024))];
    assert!(read(&log(&bomb, deflated), 1.0).unwrap_err().contains("larger than is read"));
    let mut cut = samples(["1", "1"], ["1", "1"], "m", deflated);
    cut.truncate(cut.len() / 2);
    assert!(read(&cut, 1.0).is_err());
}

#[test]
fn two_ids_that_differ_in_letter_case_alone_stay_two_cases() {
    let files = [
        ("header.json", header("m")),
        ("samples/a.json", sample(json!("Ab"), 1, "1").1),
        ("samples/b.json", sample(json!("aB"), 1, "0").1),
    ];
    let run = read(&log(&files, CompressionMethod::Deflated), 1.0).unwrap();
    let cases: std::collections::BTreeSet<String> =
        run.trials.iter().map(|one| one.observation.case.as_str().to_lowercase()).collect();
    assert_eq!(cases.len(), 2);
}

#[test]
fn a_sample_that_lacks_an_epoch_is_named_with_it() {
    let lacking = |epochs: &[u32]| {
        let all: Vec<(String, String)> = epochs.iter().map(|epoch| sample(json!(1), *epoch, "\"C\"")).collect();
        let mut files = vec![("header.json", header("m"))];
        files.extend(all.iter().map(|(name, text)| (name.as_str(), text.clone())));
        let run = read(&log(&files, CompressionMethod::Deflated), 1.0).unwrap();
        let notes = run.brought.notes.iter().filter(|note| note.what.starts_with("the sample of case"));
        notes.map(|note| format!("{} {}", note.what, note.why)).collect::<Vec<_>>()
    };
    assert_eq!(lacking(&[1, 2]), [""; 0]);
    let said = |which: &str| {
        format!("the sample of case 1: 1 of its 2 epochs it has no result of epoch {which}: it counts as errored")
    };
    assert_eq!(lacking(&[2]), [said("1")]);
    assert_eq!(lacking(&[1]), [said("2")]);
}
