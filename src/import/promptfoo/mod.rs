//! promptfoo configurations, in YAML or JSON, with the files of tests, prompts and values that they lead to.
//!
//! A test there is asked of every prompt and every provider: each such combination becomes a case here, and each provider a
//! workflow. An assertion that has an equal becomes that expectation; every other one becomes a placeholder that fails.

mod asserted;
mod assertions;
mod columns;
mod judges;
mod patterns;
mod prompts;
mod providers;
mod source;
mod template;
mod tests_of;
mod types;

pub use types::ASSERTION_TYPES;

use serde_json::{Map, Value, json};

use crate::manifest::{Diagnostic, FileSource, ForeignFile};

use super::Aim;
use super::brought::{Brought, Kind};
use super::case_draft::{CaseDraft, Expected, one_line};
use super::names::content_name;
use super::reading::error_at;

use asserted::{Asserted, in_words};
use assertions::expectation;
use prompts::{Prompt, has_ending};
use providers::Provider;
use source::{Folder, Place, fields};
use template::{fill, fill_value, respelled};
use tests_of::{Reader, Test};

/// The most cases of one import.
const MOST_CASES: usize = 100_000;

/// Keys at the top that are read, or that change nothing of what a test means.
const TOP: [&str; 10] = [
    "description",
    "prompts",
    "providers",
    "targets",
    "tests",
    "scenarios",
    "defaultTest",
    "evaluateOptions",
    "assertionTemplates",
    "$schema",
];

/// Keys of an assertion that something here is made of.
const ASSERTED: [&str; 7] = ["type", "value", "threshold", "weight", "transform", "assert", "$ref"];

/// Brings the configuration at `path`, whose folder holds `files`. `inside` is the path from the project's folder to the
/// configuration's (empty where they are the same), or none where it lies elsewhere.
///
/// # Errors
/// When the configuration cannot be read, or comes to more than 100,000 cases.
pub fn promptfoo(
    path: &str,
    files: &dyn FileSource,
    aim: &Aim,
    inside: Option<&str>,
) -> Result<Brought, Vec<Diagnostic>> {
    let bytes =
        files.read(path).map_err(|error| vec![error_at(path, 0, error.to_string(), "name a file that is there")])?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let config = Place::of(path, ForeignFile::read(path, bytes)?);
    let Value::Object(top) = config.value() else {
        return Err(vec![error_at(path, 1, "a configuration is a map", "it has `prompts`, `providers` and `tests`")]);
    };
    let mut brought = Brought::default();
    brought.inert.push(path.to_owned());
    for key in top.keys().filter(|key| !TOP.contains(&key.as_str())) {
        brought.unread(path, config.below(key).line(), key);
    }
    let folder = Folder(files);
    let prompts = prompts::prompts(&config, folder, inside, &mut brought);
    let providers = providers::providers(&config, folder, inside, aim, &mut brought);
    let tests = Reader { folder, brought: &mut brought, within: Vec::new() }.all(&config);
    let trials = repeats(&top, &config, &mut brought);
    let mut writer = Writer { folder, inside, prompts: &prompts, providers: &providers, config: &config, aim, trials };
    for test in tests {
        writer.write(test, &mut brought)?;
    }
    watch_prompts(&prompts, &mut brought);
    match inside {
        Some(inside) if !inside.is_empty() => {
            brought.inert.iter_mut().for_each(|path| *path = format!("{inside}/{path}"))
        }
        Some(_) => {}
        None => brought.inert.clear(),
    }
    brought.inert.sort();
    brought.inert.dedup();
    Ok(brought.finish())
}

/// `evaluateOptions`: how often each test is asked; the rest steers the other tool.
fn repeats(top: &Map<String, Value>, config: &Place, brought: &mut Brought) -> u64 {
    let place = config.below("evaluateOptions");
    let options = top.get("evaluateOptions").map(fields).unwrap_or_default();
    for key in options.keys().filter(|key| *key != "repeat") {
        brought.unread(&place.path, place.below(key).line(), &format!("evaluateOptions.{key}"));
    }
    let repeat = options.get("repeat").and_then(Value::as_u64).unwrap_or(1);
    repeat.clamp(1, 10_000)
}

/// Every workflow that was brought along rests on every prompt that was, and its answer is a text: whatever it says, the other
/// tool's assertions look at all of it. Of a program it is trimmed, which its provider says.
fn watch_prompts(prompts: &[Prompt], brought: &mut Brought) {
    let parts: Vec<&String> = prompts.iter().filter_map(|prompt| prompt.part.as_ref()).collect();
    for piece in &mut brought.workflows {
        piece.entry.insert("parts".to_owned(), json!(parts));
        piece.entry.entry("answer").or_insert_with(|| json!("text"));
    }
}

struct Writer<'a> {
    folder: Folder<'a>,
    /// The path from the project's folder to the configuration's, where that lies in it.
    inside: Option<&'a str>,
    prompts: &'a [Prompt],
    providers: &'a [Provider],
    config: &'a Place,
    aim: &'a Aim,
    trials: u64,
}

impl Writer<'_> {
    /// Writes every case of a test: of each choice of its variables, each prompt and each provider.
    fn write(&mut self, mut test: Test, brought: &mut Brought) -> Result<(), Vec<Diagnostic>> {
        brought.tally.found += 1;
        let mut asked = false;
        let mut trouble = test.spoils.take();
        for (_, value) in &mut test.vars {
            if let Value::String(reference) = value
                && reference.starts_with("file://")
            {
                match self.file_value(reference) {
                    Ok(read) => *value = read,
                    Err(why) => trouble = trouble.or(Some(format!("a variable of it: {why}"))),
                }
            }
        }
        let expand = test.options.get("disableVarExpansion") != Some(&json!(true));
        let choices = choices(&test.vars, expand).ok_or_else(|| self.too_many(&test))?;
        for vars in &choices {
            for (prompt, provider) in self.combinations(&test) {
                if brought.tally.brought >= MOST_CASES {
                    return Err(self.too_many(&test));
                }
                asked = true;
                self.write_one(&test, vars, (prompt, provider), trouble.as_deref(), brought);
            }
        }
        if !asked {
            let why =
                "it is for prompts or providers that the configuration does not have, or for none of its variables";
            brought.left_out(test.place.spot(), title(&test, &test.vars), why);
        }
        Ok(())
    }

    fn too_many(&self, test: &Test) -> Vec<Diagnostic> {
        let message = format!("the configuration comes to more than {MOST_CASES} cases");
        vec![error_at(&test.place.path, test.place.line(), message, "take it apart")]
    }

    fn combinations(&self, test: &Test) -> Vec<(&Prompt, &Provider)> {
        let meant = |wanted: Option<&Vec<String>>, labels: &[String]| {
            wanted.is_none_or(|wanted| labels.is_empty() || wanted.iter().any(|one| labels.contains(one)))
        };
        let mut found = Vec::new();
        for provider in self.providers.iter().filter(|one| meant(test.providers.as_ref(), &one.labels)) {
            let takes = |prompt: &&Prompt| {
                meant(test.prompts.as_ref(), &prompt.labels) && meant(provider.prompts.as_ref(), &prompt.labels)
            };
            found.extend(self.prompts.iter().filter(takes).map(|prompt| (prompt, provider)));
        }
        found
    }

    fn write_one(
        &self,
        test: &Test,
        vars: &Map<String, Value>,
        (prompt, provider): (&Prompt, &Provider),
        trouble: Option<&str>,
        brought: &mut Brought,
    ) {
        let mut trouble = trouble.map(str::to_owned).or_else(|| provider.spoils.clone());
        let vars = filled_vars(vars, &mut trouble);
        let text = prompt.filled(&test.options, &vars).unwrap_or_else(|why| {
            let why = prompt.absent.map_or_else(|| format!("its prompt: {why}"), str::to_owned);
            trouble = trouble.take().or(Some(why));
            prompt.raw().to_owned()
        });
        let title = title(test, &vars);
        let name = content_name(&title, &json!({"description": test.description, "vars": vars}));
        let mut expect = Vec::new();
        let group = Group { asserts: &test.asserts, threshold: test.threshold };
        self.group(&group, &vars, trouble.as_deref(), 0, &mut expect, brought);
        if let Some(why) = trouble.filter(|_| test.asserts.is_empty()) {
            let was = "an expectation".to_owned();
            expect.push((test.place.clone(), Expected::Placeholder { was, why, line: test.place.line() }));
        }
        let draft = CaseDraft {
            title,
            workflow: provider.workflow.as_str().into(),
            trials: self.trials,
            input: input(text, vars, provider),
            expect: expect.into_iter().map(|(_, expected)| expected).collect(),
            path: test.place.path.to_string(),
            line: test.place.line(),
        };
        draft.write(&format!("{name}{}{}", prompt.suffix, provider.suffix), self.aim, brought);
    }

    /// The expectations of assertions that count together.
    fn group(
        &self,
        group: &Group<'_>,
        vars: &Map<String, Value>,
        trouble: Option<&str>,
        depth: usize,
        expect: &mut Vec<(Place, Expected)>,
        brought: &mut Brought,
    ) {
        let means_another = group.means_another();
        let trouble = trouble.or(means_another.as_deref());
        for (value, place) in group.asserts {
            let line = place.line();
            let Value::Object(assertion) = value else {
                let (was, why) = (asserted::quoted(value), "it is no map with a type".to_owned());
                expect.push((place.clone(), Expected::Placeholder { was, why, line }));
                continue;
            };
            let assertion = self.resolved(assertion);
            let was = in_words(&assertion);
            if assertion.get("weight").and_then(Value::as_f64) == Some(0.0) {
                brought.note(Kind::Left, place.spot(), was, "its weight is 0, so that it never failed a test");
                continue;
            }
            // A key that nobody knows is most often one that was mistyped, and would have changed the verdict.
            for key in assertion.keys().filter(|key| !ASSERTED.contains(&key.as_str())) {
                brought.unread(&place.path, place.below(key).line(), &format!("assert.{key}"));
            }
            let is_set = assertion.get("type").and_then(Value::as_str) == Some("assert-set");
            if is_set && depth < 8 && trouble.is_none() {
                let asserts = asserted::listed(assertion.get("assert"), &place.below("assert"), brought);
                if !asserts.is_empty() {
                    let threshold = assertion.get("threshold").and_then(Value::as_f64);
                    self.group(&Group { asserts: &asserts, threshold }, vars, None, depth + 1, expect, brought);
                    continue;
                }
            }
            let mapped = match trouble {
                Some(why) => Err(why.to_owned()),
                None if is_set && depth < 8 => Err("the set holds no assertion".to_owned()),
                None => self.mapped(&assertion, vars, brought),
            };
            let expected = match mapped {
                Ok(expectation) => Expected::Mapped { expectation, was, line },
                Err(why) => Expected::Placeholder { was, why, line },
            };
            expect.push((place.clone(), expected));
        }
    }

    /// The assertion that `$ref` leads to, where it has one, with what stands beside that.
    fn resolved(&self, assertion: &Map<String, Value>) -> Map<String, Value> {
        let reference = assertion.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix("#/"));
        let Some(reference) = reference else { return assertion.clone() };
        let template = self.config.value().pointer(&format!("/{reference}")).and_then(Value::as_object).cloned();
        let Some(mut template) = template else { return assertion.clone() };
        template.extend(assertion.clone().into_iter().filter(|(key, _)| key != "$ref"));
        template
    }

    fn mapped(
        &self,
        assertion: &Map<String, Value>,
        vars: &Map<String, Value>,
        brought: &mut Brought,
    ) -> Result<Value, String> {
        if assertion.get("value").and_then(Value::as_str).is_some_and(|value| value.starts_with("package:")) {
            return Err("its value comes from an installed package, and no such code is loaded here".to_owned());
        }
        if let Some(code) = judges::expectation(assertion, vars, (self.folder, self.inside), brought) {
            return code;
        }
        let kind = assertion.get("type").and_then(Value::as_str).ok_or("it has no type")?;
        let value = match assertion.get("value") {
            Some(Value::String(reference)) if reference.starts_with("file://") => self.file_value(reference)?,
            Some(value) => value.clone(),
            None => Value::Null,
        };
        if !assertion.contains_key("transform")
            && let Some(judged) =
                fill_value(&value, vars).ok().and_then(|value| judges::measured(assertion, &value, brought))
        {
            return Ok(judged);
        }
        // What has no equal is told so, whatever its template would come to.
        expectation(kind, &value, assertion)?;
        expectation(kind, &fill_value(&value, vars)?, assertion)
    }

    /// What a file holds that stands for a value.
    fn file_value(&self, reference: &str) -> Result<Value, String> {
        if has_ending(reference, &["json", "yaml", "yml"]) {
            Ok(self.folder.values(reference)?.value())
        } else if has_ending(reference, &["txt", "md"]) {
            Ok(Value::String(self.folder.text(reference)?.1.trim_end().to_owned()))
        } else {
            Err(format!("`{}` is computed, or no text", one_line(reference, 100)))
        }
    }
}

/// What the workflow gets. A program finds what its provider says of it beside what the test varies, as it always did.
fn input(prompt: String, vars: Map<String, Value>, provider: &Provider) -> Value {
    let mut input = json!({"prompt": prompt, "vars": vars});
    if let Some(options) = &provider.options {
        input["options"] = options.clone();
    }
    input
}

/// Assertions that count together.
struct Group<'a> {
    asserts: &'a [Asserted],
    threshold: Option<f64>,
}

impl Group<'_> {
    /// Why the assertions would mean something else each for itself; here every expectation must hold. A threshold on a mean of
    /// passes means the same where all of them are needed, or where there is only one.
    fn means_another(&self) -> Option<String> {
        let threshold = self.threshold?;
        let weighed =
            self.asserts.iter().filter(|(one, _)| one.get("weight").and_then(Value::as_f64) != Some(0.0)).count();
        if threshold <= 0.0 {
            Some(format!("with the threshold {threshold} every answer passes"))
        } else if threshold < 1.0 && weighed > 1 {
            Some(format!("a mean score of {threshold} is enough there; here every expectation must hold"))
        } else if threshold > 1.0 {
            Some(format!("no mean score of passes reaches {threshold}"))
        } else {
            None
        }
    }
}

/// Variables that hold other variables, filled in once.
fn filled_vars(vars: &Map<String, Value>, trouble: &mut Option<String>) -> Map<String, Value> {
    let filled = vars.iter().map(|(name, value)| {
        let value = match value {
            Value::String(text) if text.contains("{{") || text.contains("{%") => match fill(text, vars) {
                Ok(text) => Value::String(text),
                Err(why) => {
                    trouble.get_or_insert(format!("its variable `{name}`: {why}"));
                    value.clone()
                }
            },
            other => respelled(other),
        };
        (name.clone(), value)
    });
    filled.collect()
}

/// Every choice of one item from each list among the variables; `None` where there are too many.
fn choices(vars: &Map<String, Value>, expand: bool) -> Option<Vec<Map<String, Value>>> {
    let mut all = vec![Map::new()];
    for (name, value) in vars {
        let items = match value {
            Value::Array(items) if expand => items.clone(),
            one => vec![one.clone()],
        };
        if all.len().saturating_mul(items.len()) > MOST_CASES {
            return None;
        }
        all = all
            .iter()
            .flat_map(|chosen| {
                items.iter().map(move |item| {
                    let mut chosen = chosen.clone();
                    chosen.insert(name.clone(), item.clone());
                    chosen
                })
            })
            .collect();
    }
    Some(all)
}

/// What the test says of itself, or else its first text: one of its own, where it has one.
fn title(test: &Test, vars: &Map<String, Value>) -> String {
    let described = test.description.as_deref().filter(|text| !text.trim().is_empty());
    let own = test.own.iter().filter_map(|name| vars.get(name));
    let first = || own.chain(vars.values()).filter_map(Value::as_str).find(|text| !text.trim().is_empty());
    let title = described.or_else(first).map(|text| one_line(text, 200));
    title.unwrap_or_else(|| format!("Test on line {} of {}", test.place.line(), test.place.path))
}
