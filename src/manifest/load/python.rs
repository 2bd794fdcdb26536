//! Workflows that are Python: its cache of compiled modules can answer from code that no longer stands there.

use std::path::Path;

use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::files::FileSource;
use crate::manifest::node::below;
use crate::manifest::project_file::{ProjectFile, WorkflowEnv};
use crate::manifest::yaml::Document;

/// The variable that keeps Python from writing the cache.
const NO_CACHE: &str = "PYTHONDONTWRITEBYTECODE";

/// Warns of each workflow that is started as Python with its cache. The cache is told apart from a module by second and
/// length, so that a word which is replaced by one as long, within the second of the last run, does not run.
pub(super) fn cached(files: &dyn FileSource, file: &ProjectFile, document: &Document) -> Vec<Diagnostic> {
    let started = file.workflows.iter().flat_map(|(id, workflow)| {
        let pointer = below("/workflows", id);
        let command = workflow
            .command
            .iter()
            .map(|command| ("command/run", command.run.as_slice(), &command.env))
            .collect::<Vec<_>>();
        let http = workflow.http.iter().map(|http| ("http/start", http.start.as_slice(), &http.env));
        command.into_iter().chain(http).map(move |(key, run, env)| (format!("{pointer}/{key}/0"), run, env))
    });
    let cached: Vec<_> = started.filter(|(_, run, env)| is_cached(run, env)).collect();
    if cached.is_empty() || !has_modules(files) {
        return Vec::new();
    }
    let warn = |(pointer, run, _): (String, &[String], &WorkflowEnv)| {
        let message =
            "Python keeps compiled modules, and an edit of the same length within a second runs as the old code";
        let hint = format!("start it as `{} -B`, or set `{NO_CACHE}: \"1\"` under `env.set`", run[0]);
        document.error(&pointer, message).with_hint(hint).as_warning()
    };
    cached.into_iter().map(warn).collect()
}

fn is_cached(run: &[String], env: &WorkflowEnv) -> bool {
    let Some((program, arguments)) = run.split_first() else { return false };
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_python =
        name.strip_prefix("python").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'));
    let names = || env.pass.iter().chain(&env.pass_if_set).chain(env.set.keys());
    is_python && !is_without_cache(arguments) && !names().any(|name| name == NO_CACHE)
}

/// Whether `-B` stands among Python's own options, alone or in a bundle such as `-uB`. They end with the program.
fn is_without_cache(arguments: &[String]) -> bool {
    let mut arguments = arguments.iter();
    while let Some(bundle) = arguments.next().and_then(|argument| argument.strip_prefix('-')) {
        // These take the rest of the word, or the next one; what follows `-c` and `-m` is the program's.
        let (flags, taken) = match bundle.find(['c', 'm', 'W', 'X']) {
            Some(at) if !bundle.starts_with('-') => (&bundle[..at], Some(&bundle[at..])),
            _ => (bundle, None),
        };
        if !bundle.starts_with('-') && flags.contains('B') {
            return true;
        }
        match taken {
            Some(taken) if taken.starts_with(['c', 'm']) => return false,
            Some(taken) if taken.len() == 1 => drop(arguments.next()),
            _ => {}
        }
    }
    false
}

/// Whether there is more Python in the project than one program: that alone is never cached.
fn has_modules(files: &dyn FileSource) -> bool {
    let paths = files.list("").unwrap_or_default();
    paths.iter().filter(|path| path.ends_with(".py")).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::manifest::{MemoryFiles, load_project};

    /// What is said of a project that is started so.
    fn said(start: &str, modules: &[&str]) -> Vec<String> {
        let file = format!("schema: holdpoint.project/1\nname: x\nworkflows:\n  w:\n    {start}\n    parts: []\n");
        let mut files = MemoryFiles::new().with("holdpoint.yaml", file);
        for module in modules {
            files = files.with(module, "");
        }
        let loaded = load_project(&files, &BTreeMap::new()).unwrap_or_else(|errors| panic!("{start}: {errors:?}"));
        loaded
            .warnings
            .iter()
            .map(|warning| format!("{}:{} {}", warning.line, warning.column, warning.message))
            .collect()
    }

    #[test]
    fn python_with_its_cache_is_named_where_it_stands() {
        for start in
            ["python3, desk.py", "/usr/bin/python3.12, -u, desk.py, -B", "python, -W, B, -m, desk", "python3, -c, B"]
        {
            let said = said(&format!("command: {{run: [{start}]}}"), &["desk.py", "words.py"]);
            assert_eq!(said.len(), 1, "{start}");
            assert!(said[0].starts_with("5:21 Python keeps compiled modules"), "{said:?}");
        }
        let service =
            said("http: {url: \"http://127.0.0.1:1\", start: [python3, serve.py]}", &["serve.py", "words.py"]);
        assert_eq!(service.len(), 1);
    }

    #[test]
    fn nothing_is_said_of_what_has_no_cache() {
        let two: &[&str] = &["desk.py", "words.py"];
        for start in ["python3, -B, desk.py", "python3, -uB, desk.py", "python3, -X, dev, -B, -m, desk", "sh, run.sh"] {
            assert!(said(&format!("command: {{run: [{start}]}}"), two).is_empty(), "{start}");
        }
        let env = "command: {run: [python3, desk.py], env: {set: {PYTHONDONTWRITEBYTECODE: \"1\"}}}";
        assert!(said(env, two).is_empty());
        assert!(said("command: {run: [python3, desk.py]}", &["desk.py"]).is_empty(), "a program alone is not cached");
    }
}
