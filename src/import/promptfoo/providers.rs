//! Providers, each as a workflow: a program or a service where it is one, else one that is still to be connected.

use serde_json::{Map, Value, json};

use crate::import::Aim;
use crate::import::brought::{Brought, Kind, WorkflowPiece};
use crate::import::case_draft::one_line;
use crate::import::names::{Names, slug};
use crate::import::table::placeholder_workflow;

use super::source::{Folder, Place, fields};
use super::template::respelled;

/// What asks for more than a program and its arguments.
const SHELL: [char; 15] = ['|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '~', '\n', '{', '}'];

/// One provider.
#[derive(Default)]
pub(super) struct Provider {
    /// The workflow's name.
    pub(super) workflow: String,
    /// What it adds to the names of cases.
    pub(super) suffix: String,
    /// The names by which tests choose it.
    pub(super) labels: Vec<String>,
    /// The prompts that it takes; none where it takes all.
    pub(super) prompts: Option<Vec<String>>,
    /// Why assertions on its answers would mean something else.
    pub(super) spoils: Option<String>,
    /// What a program gets as its second argument; none for what is no program.
    pub(super) options: Option<Value>,
}

/// Reads the providers and adds a workflow for each; where a workflow was named, that is the only one.
pub(super) fn providers(
    config: &Place,
    folder: Folder<'_>,
    inside: Option<&str>,
    aim: &Aim,
    brought: &mut Brought,
) -> Vec<Provider> {
    let key = if config.value().get("providers").is_some() { "providers" } else { "targets" };
    let place = config.below(key);
    let found = match place.value() {
        Value::Array(_) => place.items(),
        Value::Null => Vec::new(),
        one => vec![(one, place.clone())],
    };
    if let Some(workflow) = &aim.workflow {
        for (value, place) in &found {
            let why = format!("its cases run against `{workflow}`");
            brought.note(Kind::Left, place.spot(), format!("the provider `{}`", short_id(value)), why);
        }
        let workflow = workflow.to_string();
        return vec![Provider { workflow, ..Provider::default() }];
    }
    let mut names = Names::default();
    let mut providers = Vec::new();
    for (value, place) in found {
        let provider = read(&value, &place, folder, inside, (&mut names, providers.is_empty()), brought);
        providers.push(provider);
    }
    if providers.is_empty() {
        brought.note(Kind::Left, place.spot(), "the workflow", "the configuration names no provider");
        brought.workflows.push(placeholder_workflow("imported", "The configuration names no provider."));
        let workflow = "imported".to_owned();
        providers.push(Provider { workflow, ..Provider::default() });
    }
    providers
}

fn short_id(value: &Value) -> String {
    let id = match value {
        Value::String(id) => id.clone(),
        Value::Object(fields) => match fields.get("id").and_then(Value::as_str) {
            Some(id) => id.to_owned(),
            None => fields.keys().next().cloned().unwrap_or_default(),
        },
        other => other.to_string(),
    };
    one_line(&id, 100)
}

fn read(
    value: &Value,
    place: &Place,
    folder: Folder<'_>,
    inside: Option<&str>,
    (names, is_first): (&mut Names, bool),
    brought: &mut Brought,
) -> Provider {
    let id = short_id(value);
    // `{id: …, label: …}`, or a map by id.
    let settings = match value.get("id") {
        Some(_) => fields(value),
        None => value.get(&id).map(fields).unwrap_or_default(),
    };
    let label = settings.get("label").and_then(Value::as_str);
    let wanted =
        label.map(slug).filter(|slug| !slug.is_empty()).unwrap_or_else(|| slug(id.trim_start_matches("exec:")));
    let (name, _) = names.take(if wanted.is_empty() { "workflow" } else { &wanted });
    let config = settings.get("config").map(fields).unwrap_or_default();
    let piece = match id.split_once(':') {
        Some(("exec", line)) => program(&name, line.trim(), (folder, inside), place, brought),
        Some(("http" | "https", _)) => service(&name, &id, &config, place, brought),
        _ if matches!(id.as_str(), "http" | "https") => {
            let url = config.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
            service(&name, &url, &config, place, brought)
        }
        _ => Err("it is a client built into the other tool".to_owned()),
    };
    let options = (piece.is_ok() && id.starts_with("exec:")).then(|| options(&config, place, brought));
    let mut piece = piece.unwrap_or_else(|why| unconnected((&name, &id), &why, place, brought));
    if id.starts_with("exec:") {
        // The other tool trims what a program prints, and takes the colours out of it, before any assertion looks at it.
        piece.entry.insert("answer".to_owned(), json!("trimmed_text"));
    }
    brought.workflows.push(piece);
    for key in
        settings.keys().filter(|key| !matches!(key.as_str(), "id" | "label" | "prompts" | "transform" | "config"))
    {
        brought.unread(&place.path, place.below(key).line(), key);
    }
    let prompts = settings.get("prompts").and_then(Value::as_array);
    Provider {
        suffix: if is_first {
            String::new()
        } else {
            format!("-{}", name.chars().take(20).collect::<String>().trim_end_matches('-'))
        },
        labels: label.map(str::to_owned).into_iter().chain([id, name.clone()]).collect(),
        workflow: name,
        options,
        prompts: prompts.map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        spoils: settings
            .contains_key("transform")
            .then(|| "its provider transforms the answer first, and nothing does that here".to_owned()),
    }
}

/// A workflow in the place of a provider that nothing here can ask.
fn unconnected((name, id): (&str, &str), why: &str, place: &Place, brought: &mut Brought) -> WorkflowPiece {
    let why = format!("{why}: connect the workflow `{name}`");
    brought.note(Kind::Left, place.spot(), format!("the provider `{id}`"), why);
    placeholder_workflow(name, &format!("Stands for the provider {id}."))
}

/// What a provider says to its program: its configuration, without what may be a secret.
fn options(config: &Map<String, Value>, place: &Place, brought: &mut Brought) -> Value {
    let mut kept = Map::new();
    for (key, value) in config {
        if holds_secret(key, value) {
            let why = "it may hold a secret: pass it on as a variable of the environment, below `command.env`";
            let place = place.below("config").below(key);
            brought.note(Kind::Left, place.spot(), format!("`{}` of the program", one_line(key, 60)), why);
        } else {
            kept.insert(key.clone(), respelled(value));
        }
    }
    json!({"config": kept})
}

/// Whether a setting, or one below it, is named like a secret or made up from the environment.
fn holds_secret(key: &str, value: &Value) -> bool {
    is_secret(key)
        || match value {
            Value::Object(fields) => fields.iter().any(|(key, value)| holds_secret(key, value)),
            Value::Array(items) => items.iter().any(|item| holds_secret("", item)),
            Value::String(text) => text.contains("{{") || text.contains("${"),
            _ => false,
        }
}

/// A program: what stands on the line, without a shell. It gets the prompt as its first argument, then options and
/// context, as it always did.
fn program(
    name: &str,
    line: &str,
    (folder, inside): (Folder<'_>, Option<&str>),
    place: &Place,
    brought: &mut Brought,
) -> Result<WorkflowPiece, String> {
    let run = words(line)?;
    if inside != Some("") {
        return Err("its program lies in another folder than the project".to_owned());
    }
    let code: Vec<String> = run.iter().filter_map(|word| folder.path(word).ok()).collect();
    let why = "it gets the prompt, the options and the context as its arguments, as it did; of the context only `vars`, and the \
               prompt as a text";
    brought.note(Kind::Changed, place.spot(), format!("the program `{}`", one_line(line, 100)), why);
    let entry = json!({"command": {"run": run, "arguments": ["/input/prompt", "/input/options", "/input"]}, "parts": [], "code": code});
    let remarks = vec!["Other variables of the environment than PATH are listed below `command.env`.".to_owned()];
    Ok(WorkflowPiece { name: name.to_owned(), entry: fields(&entry), remarks })
}

/// A line as a program and its arguments: words, some of them in quotes.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, '\\') => return Err("its line holds a backslash, which a shell would read".to_owned()),
            (None, c) if SHELL.contains(&c) => {
                return Err(format!("its line holds `{}`, which asks for a shell", c.escape_debug()));
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match (quote, words.is_empty()) {
        (Some(_), _) => Err("its line ends inside of quotes".to_owned()),
        (None, true) => Err("it names no program".to_owned()),
        (None, false) => Ok(words),
    }
}

/// A service. It is asked by POST with our own body: what the configuration says of method, body and answer is not brought.
fn service(
    name: &str,
    url: &str,
    config: &Map<String, Value>,
    place: &Place,
    brought: &mut Brought,
) -> Result<WorkflowPiece, String> {
    let is_whole = ["http://", "https://"].iter().any(|start| url.starts_with(start));
    if !is_whole || url.contains(['{', '$', ' ']) || url.chars().any(char::is_control) {
        return Err("its address is computed, or not whole".to_owned());
    }
    if url.starts_with("https://") {
        let why = "workflows are asked over plain http: forward to it from an address on this machine";
        brought.note(Kind::Changed, place.spot(), format!("the service `{}`", one_line(url, 100)), why);
    }
    let mut headers = Map::new();
    for (header, value) in config.get("headers").map(fields).unwrap_or_default() {
        match value.as_str().filter(|value| !value.contains(['{', '$'])).filter(|_| !is_secret(&header)) {
            Some(value) => {
                headers.insert(header, json!(value));
            }
            None => brought.note(
                Kind::Left,
                place.spot(),
                format!("the header `{}`", one_line(&header, 60)),
                "it is computed or may hold a secret: write `${NAME}` for a variable of the environment",
            ),
        }
    }
    for key in config.keys().filter(|key| !matches!(key.as_str(), "url" | "headers")) {
        let why =
            "holdpoint asks by POST with an invocation (holdpoint.invoke/1) as the body, and reads the answer as it is";
        brought.note(
            Kind::Left,
            place.below("config").below(key).spot(),
            format!("`{}` of the service", one_line(key, 60)),
            why,
        );
    }
    let mut http = json!({"url": url});
    if !headers.is_empty() {
        http["headers"] = Value::Object(headers);
    }
    let remarks =
        vec!["It is sent an invocation (holdpoint.invoke/1): the prompt stands in it at input.prompt.".to_owned()];
    let entry = json!({"http": http, "parts": []});
    Ok(WorkflowPiece { name: name.to_owned(), entry: fields(&entry), remarks })
}

/// Whether a header may hold what must not be written down.
fn is_secret(header: &str) -> bool {
    let header = header.to_lowercase();
    ["auth", "key", "token", "secret", "cookie", "password"].iter().any(|word| header.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_words_and_nothing_that_needs_a_shell() {
        assert_eq!(words("python3 a.py --x \"two words\" ''").unwrap(), ["python3", "a.py", "--x", "two words", ""]);
        for line in ["", "a | b", "a > b", "echo $HOME", "a 'b", "a && b", "a \\b", "a *.py", "a `b`"] {
            assert!(words(line).is_err(), "{line}");
        }
    }
}
