//! A project begun: what a repository shows of a workflow's parts, and the files that make a first project of it. Pure.
//!
//! [`look()`] reads what is there and concludes only what a name or a line says; [`propose`] writes files around it, each
//! with comments that say what it is for and what only a person can know.

mod adapter;
mod case_text;
mod ci;
mod left_out;
mod look;
mod manifest_text;
mod names;
mod parts;
mod project_text;
#[cfg(test)]
mod tests;

pub use adapter::Language;
pub use ci::{CI_SYSTEMS, CiSystem};
pub use look::{Found, FoundLine, FoundTool, look};
pub use names::name_of;

/// How the workflow is started, where that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// Nobody said: an adapter is written, which its author joins to the workflow.
    Adapter,
    /// A program and its arguments, which take `holdpoint.invoke/1` on standard input.
    Command(Vec<String>),
    /// A service at this address, which takes `holdpoint.invoke/1` as a POST body.
    Service(String),
}

/// What the files are made of.
#[derive(Clone, Debug)]
pub struct Proposal<'a> {
    /// What the repository shows.
    pub found: &'a Found,
    /// What the project is called: the folder's name.
    pub name: &'a str,
    /// The project's folder below the repository's root, with `/` between names; empty where they are the same.
    pub below: &'a str,
    /// Whether `reports/` holds files that are none of holdpoint's.
    pub has_reports: bool,
    /// How the workflow is started.
    pub start: Start,
    /// The system that runs the gate; none where no file is wanted.
    pub ci: Option<CiSystem>,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its path below the project's folder, or below the repository's root for a CI file.
    pub path: String,
    /// Whether the path is below the repository's root.
    pub at_repository_root: bool,
    /// Its text.
    pub text: String,
    /// What it is, in a few words.
    pub what: String,
}

impl NewFile {
    fn new(path: impl Into<String>, what: impl Into<String>, text: String) -> Self {
        Self { path: path.into(), at_repository_root: false, text, what: what.into() }
    }
}

/// What holdpoint writes into the folder of reports, for a file that says what git ignores: runs by the form of their ids.
fn generated_reports(folder: &str) -> String {
    const DIGIT: &str = "[0-9]";
    let run = format!("{}-{}-??????", DIGIT.repeat(8), DIGIT.repeat(9));
    ["latest", &format!("{run}/"), "exercises/", "imported/"].map(|name| format!("{folder}{name}\n")).concat()
}

/// What keeps all that holdpoint generates out of git where a `.gitignore` stands that is not its own. `has_reports` says
/// whether `reports/` holds files that are none of holdpoint's.
pub fn kept_out_of_git(has_reports: bool) -> [NewFile; 2] {
    const SAYS: &str = "# What holdpoint generates stays out of git.";
    // They are part of the repository themselves: what they keep out is generated in every clone.
    const ALL_BUT_THIS: &str = "*\n!.gitignore\n";
    let file = |folder: &str, lines: &str| {
        let text = format!("{SAYS}\n{lines}");
        NewFile::new(format!("{folder}/.gitignore"), "keeps what is generated out of git", text)
    };
    // What else lies in a folder that is in use stays git's.
    let reports = if has_reports { generated_reports("/") } else { ALL_BUT_THIS.to_owned() };
    // Editors read the schemas, in every clone.
    [file(".holdpoint", &format!("{ALL_BUT_THIS}!schemas/\n!schemas/*\n")), file("reports", &reports)]
}

/// The files of a first project, the project file first. They pass `holdpoint check` as they are.
pub fn propose(proposal: &Proposal<'_>) -> Vec<NewFile> {
    let parts = parts::parts(proposal.found);
    let workflow = names::name_of(proposal.name, "workflow");
    let mut files = vec![NewFile::new(
        "holdpoint.yaml",
        format!("the project: the workflow `{workflow}` and its parts"),
        project_text::text(proposal, &workflow, &parts),
    )];
    files.extend(parts.iter().map(|part| {
        let path = format!("manifests/{}.yaml", part.id);
        NewFile::new(path, format!("{}, from {}", part.kind(), part.from()), manifest_text::text(part))
    }));
    files.extend(case_text::cases(proposal, &workflow, &parts));
    if proposal.start == Start::Adapter {
        files.push(adapter::file(proposal.found.language));
    }
    if proposal.found.has_gitignore {
        files.extend(kept_out_of_git(proposal.has_reports));
    } else {
        let reports = if proposal.has_reports { generated_reports("/reports/") } else { "reports/\n".to_owned() };
        let text = format!(
            "# What holdpoint generates, but for the schemas that editors read.\n{reports}.holdpoint/*\n!.holdpoint/schemas/\n"
        );
        files.push(NewFile::new(".gitignore", "keeps what is generated out of git", text));
    }
    files.extend(proposal.ci.map(|system| ci::file(system, proposal)));
    files
}
