//! The tests of a configuration, wherever they stand, each with what it inherits.

use serde_json::{Map, Value, json};

use crate::import::brought::{Brought, Kind, Note};
use crate::import::case_draft::one_line;
use crate::import::json_line::Line;
use crate::import::reading::{csv_table, readable_lines};
use crate::import::table::left_lines;

use super::asserted::{self, Asserted};
use super::columns;
use super::prompts::has_ending;
use super::source::{Folder, Place, fields};

/// What every test may hold that something here is made of.
const READ: [&str; 12] = [
    "description",
    "vars",
    "assert",
    "threshold",
    "options",
    "providers",
    "prompts",
    "provider",
    "providerOutput",
    "assertScoringFunction",
    "extensions",
    "metadata",
];

/// Options of a test that change nothing, or are read.
const OPTIONS: [&str; 7] =
    ["prefix", "suffix", "transform", "postprocess", "transformVars", "disableVarExpansion", "disableDefaultAsserts"];

/// Why what stands where a map should was left behind.
const NO_MAP: &str = "it is neither a map nor a file";

/// Longest value in a note, in characters.
const SHOWN: usize = 300;

/// A layer of a test: the default, a scenario's row, the test itself.
#[derive(Clone)]
pub(super) struct Layer {
    pub(super) fields: Map<String, Value>,
    pub(super) place: Place,
}

/// A test with all that it inherits.
pub(super) struct Test {
    pub(super) description: Option<String>,
    pub(super) vars: Map<String, Value>,
    /// The names of those that it does not inherit.
    pub(super) own: Vec<String>,
    /// What is asserted.
    pub(super) asserts: Vec<Asserted>,
    pub(super) threshold: Option<f64>,
    pub(super) options: Map<String, Value>,
    /// The providers and prompts that it is for; none where it is for all.
    pub(super) providers: Option<Vec<String>>,
    pub(super) prompts: Option<Vec<String>>,
    /// Why its assertions would mean something else.
    pub(super) spoils: Option<String>,
    pub(super) place: Place,
}

/// Reads the tests of a configuration.
pub(super) struct Reader<'a, 'b> {
    pub(super) folder: Folder<'a>,
    pub(super) brought: &'b mut Brought,
    /// The files whose tests are being read: one that leads to itself would never end.
    pub(super) within: Vec<String>,
}

impl Reader<'_, '_> {
    /// All tests: those of `tests`, and those of `scenarios`, each with what it inherits.
    pub(super) fn all(&mut self, config: &Place) -> Vec<Test> {
        let default = self.one(&config.below("defaultTest"));
        let mut tests = Vec::new();
        for test in self.listed(&config.below("tests")) {
            tests.push(self.merged(&[default.clone(), test]));
        }
        for scenario in self.listed(&config.below("scenarios")) {
            for key in scenario.fields.keys().filter(|key| !matches!(key.as_str(), "description" | "config" | "tests"))
            {
                self.brought.unread(&scenario.place.path, scenario.place.below(key).line(), key);
            }
            let rows = self.listed(&scenario.place.below("config"));
            let mut own = self.listed(&scenario.place.below("tests"));
            if own.is_empty() {
                own.push(Layer { fields: Map::new(), place: scenario.place.clone() });
            }
            for row in &rows {
                for test in &own {
                    let mut merged = self.merged(&[default.clone(), row.clone(), test.clone()]);
                    merged.description = merged
                        .description
                        .or_else(|| scenario.fields.get("description").and_then(Value::as_str).map(str::to_owned));
                    tests.push(merged);
                }
            }
        }
        tests
    }

    /// The one map that stands at a place, or in the file that is named there.
    fn one(&mut self, place: &Place) -> Layer {
        match place.value() {
            Value::String(reference) => match self.folder.values(&reference) {
                Ok(place) => self.map_at(place.value(), &place),
                Err(why) => {
                    self.brought.note(Kind::Left, place.spot(), format!("`{reference}`"), why);
                    Layer { fields: Map::new(), place: place.clone() }
                }
            },
            value => self.map_at(value, place),
        }
    }

    /// What stands at a place, as a map; anything else is named and left behind.
    fn map_at(&mut self, value: Value, place: &Place) -> Layer {
        let is_told = |note: &Note| note.line == place.line() && note.why == NO_MAP && *note.path == *place.path;
        if !matches!(value, Value::Object(_) | Value::Null) && !self.brought.notes.iter().any(is_told) {
            self.brought.note(Kind::Left, place.spot(), one_line(&value.to_string(), SHOWN), NO_MAP);
        }
        Layer { fields: fields(&value), place: place.clone() }
    }

    /// The maps that are listed at a place, in the file that is named there, or in files that are named in the list.
    fn listed(&mut self, place: &Place) -> Vec<Layer> {
        match place.value() {
            Value::Null => Vec::new(),
            Value::String(reference) => self.in_file(&reference, place),
            Value::Array(_) => {
                let mut found = Vec::new();
                for (item, place) in place.items() {
                    match item {
                        Value::String(reference) => found.extend(self.in_file(&reference, &place)),
                        Value::Object(fields) if fields.contains_key("path") && !fields.contains_key("vars") => {
                            let why = "a program makes these tests: write them out first";
                            self.brought.left_out(place.spot(), "computed tests", why);
                        }
                        Value::Object(fields) => found.push(Layer { fields, place }),
                        _ => self.brought.left_out(place.spot(), "a test", "it is neither a map nor a file"),
                    }
                }
                found
            }
            Value::Object(fields) => vec![Layer { fields, place: place.clone() }],
            _ => {
                self.brought.left_out(place.spot(), "tests", "they are neither a list nor a file");
                Vec::new()
            }
        }
    }

    /// The tests in the file that a reference leads to, or in the files that it stands for.
    fn in_file(&mut self, reference: &str, place: &Place) -> Vec<Layer> {
        if reference.contains("{{") || !reference.contains(['*', '?', '[']) {
            return self.in_one_file(reference, &format!("`{reference}`"), place);
        }
        match self.folder.matching(reference) {
            Ok(paths) => {
                let told = |path: &str| format!("`{path}`, one of `{reference}`");
                paths.iter().flat_map(|path| self.in_one_file(path, &told(path), place)).collect()
            }
            Err(why) => {
                self.brought.left_out(place.spot(), format!("the tests in `{reference}`"), why);
                Vec::new()
            }
        }
    }

    fn in_one_file(&mut self, reference: &str, told: &str, place: &Place) -> Vec<Layer> {
        let path = self.folder.path(reference).ok();
        let read = if path.as_ref().is_some_and(|path| self.within.contains(path)) {
            Err("it leads back to itself".to_owned())
        } else if has_ending(reference, &["csv"]) {
            self.in_csv(reference)
        } else if has_ending(reference, &["jsonl"]) {
            self.in_lines(reference)
        } else if has_ending(reference, &["yaml", "yml", "json"]) {
            self.within.extend(path.clone());
            let read = self.folder.values(reference).map(|place| self.listed(&place));
            self.within.truncate(self.within.len() - usize::from(path.is_some()));
            read
        } else {
            Err("tests are read from CSV, JSON, JSON lines and YAML".to_owned())
        };
        match read {
            Ok(layers) => {
                self.brought.inert.extend(path);
                layers
            }
            Err(why) => {
                self.brought.left_out(place.spot(), format!("the tests in {told}"), why);
                Vec::new()
            }
        }
    }

    fn in_csv(&mut self, reference: &str) -> Result<Vec<Layer>, String> {
        let (path, bytes) = self.folder.bytes(reference)?;
        let table = csv_table(&path, &bytes).map_err(|errors| first_words(&errors))?;
        let layer = |(line, values): &(usize, Vec<String>)| {
            let fields = columns::test_of(&table, values, |column| self.brought.unread(&path, *line, column));
            Layer { fields, place: Place::at(&path, *line) }
        };
        Ok(table.rows.iter().map(layer).collect())
    }

    fn in_lines(&mut self, reference: &str) -> Result<Vec<Layer>, String> {
        let (path, bytes) = self.folder.bytes(reference)?;
        let (rows, broken) = readable_lines(&path, &bytes).map_err(|errors| first_words(&errors))?;
        left_lines(broken, self.brought);
        let layer = |mut row: Line| {
            row.keep_numbers(&path, &[], self.brought);
            Layer { fields: row.fields, place: Place::at(&path, row.number) }
        };
        Ok(rows.into_iter().map(layer).collect())
    }

    /// One test of its layers: later ones add to `vars`, `options` and `assert`, and replace everything else.
    fn merged(&mut self, layers: &[Layer]) -> Test {
        let mut all = Map::new();
        let (mut vars, mut options, mut asserts) = (Map::new(), Map::new(), Vec::new());
        let mut own = Vec::new();
        for layer in layers {
            let added = self.vars_of(layer);
            own = added.keys().cloned().collect();
            vars.extend(added);
            let given = layer.fields.get("options").cloned().unwrap_or_default();
            options.extend(self.map_at(given, &layer.place.below("options")).fields);
            let place = layer.place.below("assert");
            if options.get("disableDefaultAsserts") == Some(&json!(true))
                && std::ptr::eq(layer, &layers[layers.len() - 1])
            {
                asserts.clear();
            }
            asserts.extend(asserted::listed(layer.fields.get("assert"), &place, self.brought));
            for key in layer.fields.keys().filter(|key| !READ.contains(&key.as_str())) {
                self.brought.unread(&layer.place.path, layer.place.below(key).line(), key);
            }
            all.extend(layer.fields.clone());
        }
        let place = layers.last().map_or_else(|| Place::at("", 0), |layer| layer.place.clone());
        for key in options.keys().filter(|key| !OPTIONS.contains(&key.as_str())) {
            self.brought.unread(&place.path, place.below("options").below(key).line(), &format!("options.{key}"));
        }
        for key in ["metadata", "extensions", "provider"]
            .into_iter()
            .filter(|key| all.get(*key).is_some_and(|value| !value.is_null()))
        {
            self.brought.unread(&place.path, place.below(key).line(), key);
        }
        let names = |key: &str| {
            let names = all.get(key)?.as_array()?;
            Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        Test {
            description: all.get("description").and_then(Value::as_str).map(str::to_owned),
            threshold: all.get("threshold").and_then(Value::as_f64),
            providers: names("providers"),
            prompts: names("prompts"),
            spoils: spoils(&all, &options),
            vars,
            own,
            asserts,
            options,
            place,
        }
    }

    /// The variables of a layer; those in files are read.
    fn vars_of(&mut self, layer: &Layer) -> Map<String, Value> {
        match layer.fields.get("vars") {
            Some(Value::String(reference)) => match self.folder.values(reference) {
                Ok(place) => fields(&place.value()),
                Err(why) => {
                    self.brought.note(
                        Kind::Left,
                        layer.place.below("vars").spot(),
                        format!("the variables in `{reference}`"),
                        why,
                    );
                    Map::new()
                }
            },
            Some(value) => self.map_at(value.clone(), &layer.place.below("vars")).fields,
            None => Map::new(),
        }
    }
}

fn first_words(errors: &[crate::manifest::Diagnostic]) -> String {
    errors.first().map_or_else(String::new, |error| format!("line {}: {}", error.line, error.message))
}

/// Why no assertion of a test would mean here what it means there.
fn spoils(all: &Map<String, Value>, options: &Map<String, Value>) -> Option<String> {
    let has = |fields: &Map<String, Value>, key: &str| fields.get(key).is_some_and(|value| !value.is_null());
    if has(options, "transform") || has(options, "postprocess") {
        Some("the answer is transformed before it is looked at, and nothing does that here".to_owned())
    } else if has(options, "transformVars") {
        Some("the variables are computed, and no program is run for that".to_owned())
    } else if has(all, "assertScoringFunction") {
        Some("a program of its own makes one score of all assertions".to_owned())
    } else if has(all, "providerOutput") {
        Some("its answer is written in the test itself, so that nothing is tested".to_owned())
    } else {
        None
    }
}
