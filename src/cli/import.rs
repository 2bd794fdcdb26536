//! `holdpoint import`: what other tools hold, brought over. Reads one file, writes where nothing is, and says what stayed behind.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::domain::{BUILT_IN_RISKS, CaseId, ExitCode, Risk, counted};
use crate::evidence::excerpt;
use crate::import::{self, Aim, Brought, InspectOptions, Kind, NewFile, Note, TableOptions};
use crate::manifest::{AnswerForm, Diagnostic, DiskFiles, SideProject, load_side};
use crate::pipeline::{self, LaidDown, REPORTS_FOLDER};
use crate::report::shell_word;

use super::arguments::{CasesArguments, ImportCommand, InspectArguments, LedgerArguments, MatchWord, TableArguments};
use super::check::PROJECT_FILE;
use super::console::{FAINT, GOOD, STRONG, WARN, paint};
use super::documents::{IMPORT_SCHEMA, ImportCounts, ImportDocument, ImportNote};
use super::failure::Failure;
use super::{Context, check, schema};

/// The most bytes of a file that is imported.
const LARGEST: u64 = 1024 * 1024 * 1024;
/// What git is to leave out of a new project: all that is generated, but for the schemas that editors read.
const IGNORED: &str = "/reports/\n/.holdpoint/*\n!/.holdpoint/schemas/\n";
/// Characters of a note that are shown.
const SHOWN: usize = 400;

pub(super) fn run(context: &Context, command: &ImportCommand) -> Result<ExitCode, Failure> {
    match command {
        ImportCommand::Promptfoo(arguments) => promptfoo(context, arguments),
        ImportCommand::OpenaiEvals { cases, by } => {
            with_cases(context, cases, |name, bytes, aim| import::openai_evals(name, bytes, aim, by.meaning()))
        }
        ImportCommand::Csv(table) => {
            with_cases(context, &table.cases, |name, bytes, aim| import::csv(name, bytes, aim, &options(table)))
        }
        ImportCommand::Jsonl(table) => {
            with_cases(context, &table.cases, |name, bytes, aim| import::jsonl(name, bytes, aim, &options(table)))
        }
        ImportCommand::Inspect(arguments) => inspect(context, arguments),
        ImportCommand::Otel(arguments) => ledger(context, arguments, import::otel),
        ImportCommand::Ledger(arguments) => ledger(context, arguments, import::operations),
    }
}

fn options(table: &TableArguments) -> TableOptions {
    TableOptions { expect: table.expect.clone(), match_by: table.by.meaning(), id: table.id.clone() }
}

impl MatchWord {
    fn meaning(self) -> import::MatchBy {
        match self {
            Self::Includes => import::MatchBy::Contains,
            Self::IncludesAnyCase => import::MatchBy::ContainsAnyCase,
            Self::Exact => import::MatchBy::Equals,
        }
    }
}

fn promptfoo(context: &Context, arguments: &CasesArguments) -> Result<ExitCode, Failure> {
    let place = Place::of(context, arguments)?;
    let file = std::path::absolute(&arguments.file)?;
    let (folder, name) = (file.parent().unwrap_or(Path::new("/")), name_of(&file)?);
    let inside = inside(&place.into, folder);
    let files = DiskFiles::new(folder);
    let brought = import::promptfoo(&name, &files, &place.aim, inside.as_deref());
    let mut brought = brought.map_err(|found| refused(&name, found))?;
    place.tell_forms(&mut brought);
    place.finish(context, arguments, &name, brought)
}

/// A format that is one file of cases.
fn with_cases(
    context: &Context,
    arguments: &CasesArguments,
    read: impl FnOnce(&str, &[u8], &Aim) -> Result<Brought, Vec<Diagnostic>>,
) -> Result<ExitCode, Failure> {
    let place = Place::of(context, arguments)?;
    let name = name_of(&arguments.file)?;
    let brought = read(&name, &bytes_of(&arguments.file)?, &place.aim);
    place.finish(context, arguments, &name, brought.map_err(|found| refused(&name, found))?)
}

/// The path from the project's folder to another one, where that lies in it.
fn inside(into: &Path, folder: &Path) -> Option<String> {
    let (into, folder) = (into.canonicalize().ok()?, folder.canonicalize().ok()?);
    let names = folder.strip_prefix(into).ok()?.iter().map(|name| name.to_str());
    Some(names.collect::<Option<Vec<&str>>>()?.join("/"))
}

fn name_of(file: &Path) -> Result<String, Failure> {
    if file.is_dir() {
        return Err(Failure::usage(format!(
            "{} is a folder; name the file in it that is to be imported",
            file.display()
        )));
    }
    let name = file.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| Failure::usage(format!("{} has no name that is UTF-8", file.display())))
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| Failure::usage(format!("{} cannot be read: {error}", file.display()));
    // Opening a pipe would wait for whoever writes into it, and a device may never end.
    if std::fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(Failure::usage(format!("{} is no file", file.display())));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::usage(format!("{} is larger than {LARGEST} bytes", file.display())));
    }
    Ok(bytes)
}

/// A file that is not what it must be.
fn refused(name: &str, found: Vec<Diagnostic>) -> Failure {
    let text = format!("{} in {name}; nothing was imported", counted(found.len(), "error"));
    Failure::Unreadable { found, text }
}

/// Where cases go.
struct Place {
    into: PathBuf,
    /// The project that is there already.
    project: Option<SideProject>,
    aim: Aim,
}

impl Place {
    fn of(context: &Context, arguments: &CasesArguments) -> Result<Self, Failure> {
        let into = arguments.into.clone().unwrap_or_else(|| context.project_root.clone());
        let project = into.join(PROJECT_FILE).exists().then(|| load_side(&DiskFiles::new(&into)));
        let (set, workflow) = (Risk::from(arguments.set.as_str()), arguments.workflow.as_deref().map(Into::into));
        let place = Self { into, project, aim: Aim { set, workflow } };
        place.check()?;
        Ok(place)
    }

    /// What was asked for must be there, before anything is read.
    fn check(&self) -> Result<(), Failure> {
        let file = match &self.project {
            Some(side) => match &side.project_file {
                Some(file) => Some(file),
                None => {
                    let text = format!("{PROJECT_FILE} in {} cannot be read", self.into.display());
                    return Err(Failure::Unreadable { found: side.unreadable.clone(), text });
                }
            },
            None => None,
        };
        let known = file.as_ref().map_or(BUILT_IN_RISKS.to_vec(), |file| file.risk_names());
        if !known.contains(&self.aim.set.as_str()) {
            let text = format!("`{}` is no risk of this project", excerpt(self.aim.set.as_str(), 60));
            let hint = "`holdpoint rules` lists the risks that every project knows.";
            return Err(Failure::unknown(text, self.aim.set.as_str(), &known, hint));
        }
        match (&self.aim.workflow, file) {
            (Some(workflow), Some(file)) if !file.workflows.contains_key(workflow) => {
                let names: Vec<&str> = file.workflows.keys().map(|name| name.as_str()).collect();
                let text = format!("{PROJECT_FILE} has no workflow `{}`", excerpt(workflow.as_str(), 60));
                Err(Failure::unknown(text, workflow.as_str(), &names, format!("It has {}.", names.join(", "))))
            }
            (Some(_), None) => {
                Err(Failure::usage(format!("there is no {PROJECT_FILE} that could have a workflow of that name")))
            }
            _ => Ok(()),
        }
    }

    /// Names each workflow of the project that cases of texts are to run against, and that reads its answer otherwise. Of one that
    /// was named on the command line it is not known in whose place it stands: a text of either kind will do.
    fn tell_forms(&self, brought: &mut Brought) {
        let Some(file) = self.project.as_ref().and_then(|side| side.project_file.as_ref()) else { return };
        let read_as = |name: &str| file.workflows.get(name).map(|spec| spec.answer);
        let mut others = Vec::new();
        for piece in &brought.workflows {
            if let Some(found) = read_as(&piece.name).filter(|found| *found != piece.answer()) {
                others.push((piece.name.clone(), piece.answer(), found));
            }
        }
        if let Some(name) = self.aim.workflow.as_ref().map(|name| name.as_str())
            && let Some(found) = read_as(name)
            && !matches!(found, AnswerForm::Text | AnswerForm::TrimmedText)
        {
            others.push((name.to_owned(), AnswerForm::Text, found));
        }
        for (name, wanted, found) in others {
            brought.reads_otherwise(PROJECT_FILE, &name, wanted, found);
        }
    }

    fn finish(
        &self,
        context: &Context,
        arguments: &CasesArguments,
        name: &str,
        mut brought: Brought,
    ) -> Result<ExitCode, Failure> {
        if brought.tally.brought == 0 {
            show_notes(&brought.notes, |line| say(context, arguments.json, &line));
            let text = format!("no case came of {name}");
            return Err(Failure::Other { code: ExitCode::NoCases, text, hint: None });
        }
        let files = self.files(context, (name, arguments.json), &mut brought)?;
        let laid = pipeline::lay_down(&self.into, &files, arguments.dry_run)?;
        brought.leave_kept(&laid.kept);
        if !arguments.dry_run && !laid.written.is_empty() {
            schema::lay_down(context, &self.into)?;
        }
        if arguments.json {
            return document(context, name, &brought, &laid, None);
        }
        if arguments.dry_run && context.verbose {
            for file in &files {
                context.console.say(paint(STRONG, &file.path));
                context.console.lines(&file.text);
            }
        }
        summary(
            context,
            &brought,
            &laid,
            arguments.dry_run,
            &format!("{} as {}", counted(brought.tally.found, "test"), counted(brought.tally.brought, "case")),
        );
        if !arguments.dry_run {
            let named = arguments.into.as_ref().map(|into| into.display().to_string());
            let option = pipeline::project_option(named.as_deref().or(context.named_folder.as_deref()));
            context
                .console
                .remark(format!("Look them over, then: holdpoint{option} check; holdpoint{option} run --all"));
        }
        if brought.tally.left > 0 {
            let left = counted(brought.tally.left, "thing");
            context.console.complain(format!(
                "{}: {left} that should have come to a case did not; each is named above with its place",
                paint(WARN, "incomplete")
            ));
        }
        Ok(code_of(&brought))
    }

    /// The files of the import, with a project file where there is none; one that is there must have the workflows.
    fn files(
        &self,
        context: &Context,
        (name, json): (&str, bool),
        brought: &mut Brought,
    ) -> Result<Vec<NewFile>, Failure> {
        let mut files = std::mem::take(&mut brought.files);
        match &self.project {
            None => {
                let folder = self.into.canonicalize().ok();
                let folder =
                    folder.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
                let text = brought.project_file(&folder.unwrap_or_else(|| "imported".to_owned()), name);
                files.push(NewFile { path: PROJECT_FILE.to_owned(), text });
                if !self.into.join(".gitignore").exists() {
                    files.push(NewFile { path: ".gitignore".to_owned(), text: IGNORED.to_owned() });
                }
            }
            Some(side) => {
                let file = side.project_file.as_ref();
                let knows = |name: &str| file.is_some_and(|file| file.workflows.contains_key(name));
                let missing: Vec<String> = brought
                    .workflows
                    .iter()
                    .filter(|one| !knows(&one.name))
                    .map(|one| format!("`{}`", one.name))
                    .collect();
                if !missing.is_empty() {
                    say(context, json, brought.workflow_entries().trim_end());
                    return Err(Failure::Other {
                        code: ExitCode::Usage,
                        text: format!("{PROJECT_FILE} has no workflow {}; nothing was written", missing.join(", ")),
                        hint: Some(
                            "Add the entries above to it, or choose one of its own with `--workflow`.".to_owned(),
                        ),
                    });
                }
                refuse_taken(side, &files)?;
            }
        }
        Ok(files)
    }
}

/// An import that left tests behind shows less than what it was made of: that is no success for a script.
fn code_of(brought: &Brought) -> ExitCode {
    if brought.tally.left > 0 { ExitCode::Inconclusive } else { ExitCode::Passed }
}

/// An id that a case elsewhere in the project has already would make the project invalid.
fn refuse_taken(side: &SideProject, files: &[NewFile]) -> Result<(), Failure> {
    let by_id = side.cases.values().map(|case| (case.id.as_str().to_lowercase(), case));
    let by_id: std::collections::BTreeMap<String, _> = by_id.collect();
    for file in files {
        let stem = file
            .path
            .strip_prefix("cases/")
            .and_then(|path| path.split_once('/'))
            .and_then(|(_, name)| name.strip_suffix(".yaml"));
        let taken = stem.and_then(|stem| by_id.get(&stem.to_lowercase())).filter(|case| case.path != file.path);
        if let Some(case) = taken {
            let id: &CaseId = &case.id;
            return Err(Failure::usage(format!(
                "the case id `{id}` is already taken in `{}`; nothing was written",
                case.path
            )));
        }
    }
    Ok(())
}

fn inspect(context: &Context, arguments: &InspectArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    let name = name_of(&arguments.file)?;
    let options = InspectOptions { pass_at: arguments.pass_at, set: Risk::from(arguments.set.as_str()) };
    let imported = import::inspect(&name, &bytes_of(&arguments.file)?, &options);
    let imported = imported.map_err(|found| refused(&name, found))?;
    let run = if arguments.dry_run {
        imported.header.run.clone()
    } else {
        pipeline::record_imported(&context.project_root, &imported)?
    };
    let laid = LaidDown::default();
    if arguments.json {
        return document(context, &name, &imported.brought, &laid, Some(run.as_str()));
    }
    let tally = imported.brought.tally;
    let what = format!(
        "{} as {} of {}",
        counted(tally.found, "sample"),
        counted(tally.brought, "trial"),
        counted(imported.header.cases.len(), "case")
    );
    summary(context, &imported.brought, &laid, arguments.dry_run, &what);
    let done = if arguments.dry_run { "would be recorded as" } else { "recorded as" };
    context.console.say(format!(
        "{done} run {run}, imported: it can be compared, and not accepted; it has no report, since nothing was run here"
    ));
    let option = pipeline::project_option(context.named_folder.as_deref());
    context.console.remark(format!("  holdpoint{option} compare {run} --with RUN"));
    Ok(ExitCode::Passed)
}

/// A format that becomes a ledger.
fn ledger(
    context: &Context,
    arguments: &LedgerArguments,
    read: impl FnOnce(&str, &[u8], &str) -> Result<Brought, Vec<Diagnostic>>,
) -> Result<ExitCode, Failure> {
    let name = name_of(&arguments.file)?;
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let target = format!("{REPORTS_FOLDER}/imported/{stem}.ledger.jsonl");
    let brought = read(&name, &bytes_of(&arguments.file)?, &target);
    let mut brought = brought.map_err(|found| refused(&name, found))?;
    if brought.tally.brought == 0 {
        show_notes(&brought.notes, |line| say(context, arguments.json, &line));
        let text = format!("no operation stands in {name}");
        return Err(Failure::Other { code: ExitCode::NoCases, text, hint: None });
    }
    let into = arguments.into.clone().unwrap_or_else(|| context.project_root.clone());
    let laid = pipeline::lay_down(&into, &brought.files, arguments.dry_run)?;
    // A ledger in whose place another one stands was not brought.
    brought.tally.left += laid.kept.len();
    if arguments.json {
        return document(context, &name, &brought, &laid, None);
    }
    if arguments.dry_run && context.verbose {
        brought.files.iter().for_each(|file| context.console.lines(&file.text));
    }
    let tally = brought.tally;
    summary(
        context,
        &brought,
        &laid,
        arguments.dry_run,
        &format!("{} as {}", counted(tally.found, "record"), counted(tally.brought, "operation")),
    );
    let shown = if arguments.into.is_some() { into.join(&target).display().to_string() } else { target };
    context.console.remark(format!("  holdpoint failures --ledger {}", shell_word(&shown)));
    Ok(code_of(&brought))
}

/// Says something before an error: on standard output, or beside it where a document is to stand there alone.
fn say(context: &Context, beside: bool, text: &str) {
    if beside { context.console.complain(text) } else { context.console.lines(text) }
}

/// Every note once, with how often it holds: a test that is asked of several prompts and providers is told of once.
fn show_notes(notes: &[Note], say: impl Fn(String)) {
    for same in notes.chunk_by(|one, other| one == other) {
        let Some(note) = same.first() else { continue };
        let (place, what) = (excerpt(&note.place(), 200), excerpt(&note.what, SHOWN));
        let style = if note.kind == Kind::Changed { STRONG } else { WARN };
        let often = if same.len() == 1 { String::new() } else { format!(" (in {} cases)", same.len()) };
        say(format!("{place}: {}: {what}{often}", paint(style, note.kind.name())));
        say(paint(FAINT, format!("    {}", excerpt(&note.why, SHOWN))));
    }
}

fn summary(context: &Context, brought: &Brought, laid: &LaidDown, rehearsal: bool, what: &str) {
    show_notes(&brought.notes, |line| context.console.say(line));
    let left = brought.notes.chunk_by(|one, other| one == other).filter(|same| same[0].kind == Kind::Left).count();
    let tally = brought.tally;
    let say = |text: String| context.console.say(text);
    let expectations = if tally.expectations == 0 {
        String::new()
    } else {
        format!(", {}", counted(tally.expectations, "expectation"))
    };
    say(format!("{}: {what}{expectations}", paint(GOOD, "brought")));
    if tally.placeholders > 0 {
        say(format!(
            "{}: {}, each of which fails until it is written",
            paint(WARN, "to be written"),
            counted(tally.placeholders, "placeholder")
        ));
    }
    if left > 0 {
        say(format!("{}: {}", paint(WARN, "not brought"), counted(left, "thing")));
    }
    let verb = if rehearsal { "would write" } else { "wrote" };
    if !laid.written.is_empty() {
        say(format!("{verb} {}", counted(laid.written.len(), "file")));
        laid.written.iter().for_each(|path| say(format!("  {path}")));
    }
    if !laid.there.is_empty() {
        say(format!("{} there already, just so", counted(laid.there.len(), "file")));
    }
    for path in &laid.kept {
        say(format!("{}: {path} is there with another content, and was left as it is", paint(WARN, "kept")));
    }
}

/// `holdpoint.import/1`.
fn document(
    context: &Context,
    name: &str,
    brought: &Brought,
    laid: &LaidDown,
    run: Option<&str>,
) -> Result<ExitCode, Failure> {
    let notes: Vec<_> = brought
        .notes
        .iter()
        .map(|note| ImportNote {
            kind: note.kind.name(),
            path: note.path.clone(),
            line: note.line,
            what: note.what.clone(),
            why: note.why.clone(),
        })
        .collect();
    let tally = brought.tally;
    let counts = ImportCounts {
        left: tally.left,
        found: tally.found,
        brought: tally.brought,
        expectations: tally.expectations,
        placeholders: tally.placeholders,
    };
    context.console.json(&ImportDocument {
        schema: IMPORT_SCHEMA,
        from: name.to_owned(),
        run: run.map(str::to_owned),
        counts,
        notes,
        written: laid.written.clone(),
        there: laid.there.clone(),
        kept: laid.kept.clone(),
    })?;
    Ok(code_of(brought))
}
