//! Manifests and the files that they name.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::Value;

use crate::domain::Digest;
use crate::manifest::compile::compile_glob;
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::files::FileSource;
use crate::manifest::node::{Half, below};
use crate::manifest::part::{
    ConnectorManifest, Manifest, ModelManifest, OwnManifest, Part, PartKind, PermissionsManifest, PromptManifest,
    SourceManifest, ToolManifest,
};
use crate::manifest::schema::{FileKind, read_raw, read_with};
use crate::manifest::suggest::{list_of, nearest};
use crate::manifest::yaml::Document;

use super::expectations::schema_fault;
use super::names::{self, IdPlace};
use super::own_kinds::OwnKinds;
use super::paths::{self, PathFault};
use super::project_file::check_glob;
use super::wires;

/// One manifest as far as it could be read.
pub(super) struct ReadPart {
    /// Its path.
    pub(super) path: String,
    /// The YAML, where it is YAML.
    pub(super) document: Option<Document>,
    /// Its id, where it can be read at all.
    pub(super) id_place: Option<IdPlace>,
    /// Its kind, where it names one.
    pub(super) kind: Option<PartKind>,
    /// Its fields, where it fits its kind's schema.
    pub(super) manifest: Option<Manifest>,
    /// The part, where the manifest fits; files that could not be read are missing from it.
    pub(super) part: Option<Part>,
    /// The files that are UTF-8, by path.
    pub(super) texts: BTreeMap<String, String>,
    /// What is wrong with the manifest itself.
    pub(super) errors: Vec<Diagnostic>,
    /// What is wrong with the files that it names.
    pub(super) file_errors: Vec<Diagnostic>,
}

impl ReadPart {
    /// A manifest of which nothing could be read.
    pub(super) fn unreadable(path: &str, errors: Vec<Diagnostic>) -> Self {
        Self {
            path: path.to_owned(),
            document: None,
            id_place: None,
            kind: None,
            manifest: None,
            part: None,
            texts: BTreeMap::new(),
            errors,
            file_errors: Vec::new(),
        }
    }
}

/// Reads one manifest and the files that it names, and checks all that can be told without other manifests.
pub(super) fn read(files: &dyn FileSource, path: &str, kinds: &OwnKinds) -> ReadPart {
    let mut read = ReadPart::unreadable(path, Vec::new());
    let document = match super::read_document(files, path) {
        Ok(document) => document,
        Err(errors) => return ReadPart::unreadable(path, errors),
    };
    read.id_place = IdPlace::of(&document);
    match kind_of(&document, kinds) {
        Ok(kind) => {
            read.kind = Some(kind);
            match read_manifest(kind, kinds, &document) {
                Ok(manifest) => take(files, manifest, &document, &mut read),
                Err(errors) => read.errors.extend(errors),
            }
        }
        Err(error) => read.errors.push(*error),
    }
    read.document = Some(document);
    read
}

fn kind_of(document: &Document, own: &OwnKinds) -> Result<PartKind, Box<Diagnostic>> {
    let names = own.names();
    let kinds = format!("the kinds are {}", list_of(&names, "and"));
    let error = match document.json.get("kind") {
        Some(Value::String(name)) => {
            let built_in = PartKind::BUILT_IN.into_iter().find(|kind| kind.name() == name);
            if let Some(kind) = built_in.or_else(|| own.find(name).map(PartKind::Own)) {
                return Ok(kind);
            }
            let own = if own.is_known { "is declared under `kinds` in" } else { "may stand in, which cannot be read:" };
            let kinds = format!("{kinds}; one of your own {own} holdpoint.yaml");
            let hint = nearest(name, &names).map_or(kinds, |near| format!("did you mean `{near}`?"));
            document.error("/kind", format!("`{}` is no kind of manifest", name.escape_debug())).with_hint(hint)
        }
        Some(_) => document.error("/kind", "the kind of a manifest is a text").with_hint(kinds),
        None if document.json.is_object() => document.error("", "the key `kind` is missing").with_hint(kinds),
        None => document.error("", "a manifest is a map").with_hint("`holdpoint schema` prints what it can hold"),
    };
    Err(Box::new(error))
}

fn read_manifest(kind: PartKind, kinds: &OwnKinds, document: &Document) -> Result<Manifest, Vec<Diagnostic>> {
    let schema = FileKind::Manifest(kind);
    Ok(match kind {
        PartKind::Model => Manifest::Model(read_raw::<ModelManifest>(schema, document)?),
        PartKind::Prompt => Manifest::Prompt(read_raw::<PromptManifest>(schema, document)?),
        PartKind::Source => Manifest::Source(read_raw::<SourceManifest>(schema, document)?),
        PartKind::Permissions => Manifest::Permissions(read_raw::<PermissionsManifest>(schema, document)?),
        PartKind::Connector => Manifest::Connector(read_raw::<ConnectorManifest>(schema, document)?),
        PartKind::Tool => Manifest::Tool(read_raw::<ToolManifest>(schema, document)?),
        PartKind::Own(own) => Manifest::Own(match kinds.schema(own) {
            Some((schema, validator)) => read_with::<OwnManifest>(schema, validator, document)?,
            None => read_raw::<OwnManifest>(schema, document)?,
        }),
    })
}

fn take(files: &dyn FileSource, manifest: Manifest, document: &Document, read: &mut ReadPart) {
    let (id, kind, version) = manifest.identity();
    names::check_form(document, "/id", "part id", id.as_str(), &mut read.errors);
    if version.trim().is_empty() {
        read.errors.push(document.error("/version", "the version is empty").with_hint("as in `1.0.0`"));
    }
    check_alone(&manifest, document, &mut read.errors);
    let mut reader =
        FileReader { files, document, errors: Vec::new(), digests: BTreeMap::new(), texts: BTreeMap::new() };
    match &manifest {
        Manifest::Prompt(prompt) => reader.named(&prompt.files),
        Manifest::Tool(tool) => reader.named(&tool.files),
        Manifest::Source(source) => {
            reader.named(&source.files);
            reader.matched(&source.globs);
        }
        Manifest::Own(own) => {
            reader.named(&own.files);
            reader.matched(&own.globs);
        }
        Manifest::Model(_) | Manifest::Permissions(_) | Manifest::Connector(_) => {}
    }
    let fields = document.json.as_object().cloned().unwrap_or_default();
    read.part = Some(Part::new(id.clone(), kind, version.to_owned(), read.path.clone(), fields, reader.digests));
    read.texts = reader.texts;
    read.file_errors = reader.errors;
    read.manifest = Some(manifest);
}

/// What a schema cannot say of one manifest.
fn check_alone(manifest: &Manifest, document: &Document, errors: &mut Vec<Diagnostic>) {
    match manifest {
        Manifest::Source(source) => check_source(source, document, errors),
        Manifest::Tool(tool) => {
            let fault = schema_fault(&Value::Object(tool.schema.clone()), "/schema");
            errors.extend(fault.map(|(place, message, hint)| document.error(&place, message).with_hint(hint)));
            if tool.operation.is_some() && tool.connector.is_none() {
                let error = document.error_at("/operation", Half::Key, "an operation needs its connector");
                errors.push(error.with_hint("name the connector under `connector`"));
            }
        }
        Manifest::Permissions(permissions) => check_permissions(permissions, document, errors),
        Manifest::Connector(connector) => {
            for (name, _) in connector.operations.iter().filter(|(name, _)| name.trim().is_empty()) {
                errors.push(document.error_at(&below("/operations", name), Half::Key, "the operation's name is empty"));
            }
            wires::check(connector, document, errors);
        }
        Manifest::Model(_) | Manifest::Prompt(_) | Manifest::Own(_) => {}
    }
}

fn check_source(source: &SourceManifest, document: &Document, errors: &mut Vec<Diagnostic>) {
    if source.files.is_empty() && source.globs.is_empty() {
        let error = document.error("", "the source names no file");
        errors.push(error.with_hint("name files under `files`, or globs under `globs`"));
    }
    let mut date = |key: &str, text: &Option<String>| {
        let text = text.as_ref()?;
        let day = text.parse::<Date>().ok().filter(|day| day.to_string() == *text);
        if day.is_none() {
            let message = format!("`{}` is no date", text.escape_debug());
            errors.push(document.error(&below("", key), message).with_hint("write it as in `2026-03-02`"));
        }
        day
    };
    let days = (date("effective", &source.effective), date("expires", &source.expires));
    if let (Some(effective), Some(expires)) = days
        && expires < effective
    {
        errors.push(document.error("/expires", "the source expires before it takes effect"));
    }
}

fn check_permissions(permissions: &PermissionsManifest, document: &Document, errors: &mut Vec<Diagnostic>) {
    let actions: Vec<&str> = permissions.actions.keys().map(String::as_str).collect();
    let mut approvers: Vec<&str> = permissions.actors.keys().map(String::as_str).collect();
    for (name, actor) in &permissions.actors {
        approvers.extend(actor.roles.iter().map(String::as_str));
        for (index, action) in
            actor.actions.iter().enumerate().filter(|(_, action)| !actions.contains(&action.as_str()))
        {
            let pointer = format!("{}/actions/{index}", below("/actors", name));
            let error = document.error(&pointer, format!("there is no action `{}`", action.escape_debug()));
            errors.push(error.with_hint(match nearest(action, &actions) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the manifest's actions: {}", list_of(&actions, "and")),
            }));
        }
    }
    for (name, action) in &permissions.actions {
        let pointer = below("/actions", name);
        if action.needs_approval && action.approvers.is_empty() {
            let error = document.error_at(&pointer, Half::Key, format!("nobody can approve the action `{name}`"));
            errors.push(error.with_hint("name actors or roles under `approvers`"));
        }
        for (index, who) in action.approvers.iter().enumerate().filter(|(_, who)| !approvers.contains(&who.as_str())) {
            let error = document.error(
                &format!("{pointer}/approvers/{index}"),
                format!("`{}` is neither an actor nor a role of one", who.escape_debug()),
            );
            errors.push(error.with_hint(match nearest(who, &approvers) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the manifest's actors and roles: {}", list_of(&approvers, "and")),
            }));
        }
    }
}

/// Reads the files that one manifest names.
struct FileReader<'a> {
    files: &'a dyn FileSource,
    document: &'a Document,
    errors: Vec<Diagnostic>,
    digests: BTreeMap<String, Digest>,
    texts: BTreeMap<String, String>,
}

impl FileReader<'_> {
    fn named(&mut self, paths: &[String]) {
        for (index, path) in paths.iter().enumerate() {
            let pointer = below("/files", index);
            if self.digests.contains_key(path) {
                self.errors.push(self.document.error(&pointer, format!("`{path}` is named twice")));
                continue;
            }
            self.read(&pointer, path);
        }
    }

    fn matched(&mut self, globs: &[String]) {
        for (index, glob) in globs.iter().enumerate() {
            let pointer = below("/globs", index);
            let before = self.errors.len();
            check_glob(self.document, &pointer, glob, &mut self.errors);
            if self.errors.len() > before {
                continue;
            }
            let Ok(matcher) = compile_glob(glob).map(|glob| glob.compile_matcher()) else { continue };
            let folder = literal_folder(glob);
            let listed = match self.files.list(folder) {
                Ok(listed) => listed,
                Err(error) => {
                    self.errors.push(self.document.error(&pointer, error.to_string()));
                    continue;
                }
            };
            let found: Vec<String> = listed.into_iter().filter(|path| matcher.is_match(path)).collect();
            if found.is_empty() {
                let error = self.document.error(&pointer, format!("the glob `{glob}` matches no file"));
                self.errors.push(error.with_hint("`*` stays within one name, `**` stands for any number of folders"));
            }
            for path in found {
                if !self.digests.contains_key(&path) {
                    self.read(&pointer, &path);
                }
            }
        }
    }

    fn read(&mut self, pointer: &str, path: &str) {
        let fault = |message: String, hint: Option<String>| PathFault { message, hint };
        let content = paths::check_file(self.files, path)
            .and_then(|()| self.files.read(path).map_err(|error| fault(error.to_string(), None)));
        match content {
            Ok(content) => {
                self.digests.insert(path.to_owned(), Digest::of(&content));
                if let Ok(text) = String::from_utf8(content) {
                    self.texts.insert(path.to_owned(), text);
                }
            }
            Err(PathFault { message, hint }) => {
                let error = self.document.error(pointer, message);
                self.errors.push(match hint {
                    Some(hint) => error.with_hint(hint),
                    None => error,
                });
            }
        }
    }
}

/// The folder that everything a glob matches lies in.
fn literal_folder(glob: &str) -> &str {
    let literal = glob.find(['*', '?', '[', '{', '\\']).map_or(glob, |index| &glob[..index]);
    literal.rsplit_once('/').map_or("", |(folder, _)| folder)
}
