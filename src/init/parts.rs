//! The parts that a first project gets: one for each prompt, document, tool, model and address that was found.

use crate::manifest::PartKind;

use super::look::{Found, FoundLine, FoundTool};
use super::names::{Ids, folder, name_of, stem};

/// More files than this of a kind are taken folder by folder.
const MOST_SINGLE: usize = 12;

/// A part that was found.
pub(super) struct FoundPart<'a> {
    pub(super) id: String,
    pub(super) shows: Shows<'a>,
}

/// What shows the part.
pub(super) enum Shows<'a> {
    Prompt(Vec<&'a str>),
    Source(Vec<&'a str>),
    /// A folder of documents.
    SourceFolder(&'a str),
    Tool(&'a FoundTool),
    Model(&'a FoundLine),
    Address(&'a FoundLine),
}

impl FoundPart<'_> {
    pub(super) fn kind(&self) -> PartKind {
        match self.shows {
            Shows::Prompt(_) => PartKind::Prompt,
            Shows::Source(_) | Shows::SourceFolder(_) => PartKind::Source,
            Shows::Tool(_) => PartKind::Tool,
            Shows::Model(_) => PartKind::Model,
            Shows::Address(_) => PartKind::Connector,
        }
    }

    /// Where it was found.
    pub(super) fn from(&self) -> String {
        match &self.shows {
            Shows::Prompt(files) | Shows::Source(files) => match files.as_slice() {
                [only] => (*only).to_owned(),
                files => format!("{} files of {}", files.len(), folder(files.first().unwrap_or(&""))),
            },
            Shows::SourceFolder(folder) => format!("{folder}/"),
            Shows::Tool(tool) => tool.path.clone(),
            Shows::Model(line) | Shows::Address(line) => format!("{}:{}", line.path, line.line),
        }
    }
}

/// The parts, each with an id of its own: sources keep the names of their files, since answers cite them.
pub(super) fn parts(found: &Found) -> Vec<FoundPart<'_>> {
    let mut ids = Ids::default();
    let mut parts = Vec::new();
    for files in grouped(&found.sources) {
        let (name, shows) = match files.as_slice() {
            [only] => (name_of(stem(only), "source"), Shows::Source(files.clone())),
            _ => (name_of(folder(files[0]), "sources"), shows_folder(&files, &found.sources)),
        };
        parts.push(FoundPart { id: ids.free(&name, files[0]), shows });
    }
    for files in grouped(&found.prompts) {
        let name = name_of(if files.len() == 1 { stem(files[0]) } else { folder(files[0]) }, "prompt");
        let name = if name.contains("prompt") { name } else { format!("{name}-prompt") };
        parts.push(FoundPart { id: ids.free(&name, files[0]), shows: Shows::Prompt(files) });
    }
    for tool in &found.tools {
        let id = ids.free(&name_of(&tool.name, "tool"), &tool.path);
        parts.push(FoundPart { id, shows: Shows::Tool(tool) });
    }
    for model in &found.models {
        let id = ids.free(&name_of(&model.name, "model"), &model.path);
        parts.push(FoundPart { id, shows: Shows::Model(model) });
    }
    for address in &found.addresses {
        let short = ["_BASE_URL", "_API_URL", "_SERVICE_URL", "_URL", "_ENDPOINT"]
            .iter()
            .find_map(|end| address.name.strip_suffix(end));
        let id = ids.free(&name_of(short.unwrap_or(&address.name), "connector"), &address.path);
        parts.push(FoundPart { id, shows: Shows::Address(address) });
    }
    parts
}

/// A glob takes in what a folder will hold; where something else lies there too, the files are named.
fn shows_folder<'a>(files: &[&'a str], all: &[String]) -> Shows<'a> {
    let here = folder(files[0]);
    let below = all.iter().filter(|path| path.starts_with(&format!("{here}/"))).count();
    if below == files.len() && !here.is_empty() { Shows::SourceFolder(here) } else { Shows::Source(files.to_vec()) }
}

/// Each file by itself while they are few, else those of a folder together.
fn grouped(paths: &[String]) -> Vec<Vec<&str>> {
    if paths.len() <= MOST_SINGLE {
        return paths.iter().map(|path| vec![path.as_str()]).collect();
    }
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for path in paths {
        match groups.iter_mut().find(|group| folder(group[0]) == folder(path)) {
            Some(group) => group.push(path),
            None => groups.push(vec![path]),
        }
    }
    groups
}
