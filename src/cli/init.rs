//! `holdpoint init`: begins a project in a repository, or lays a whole example down.

use crate::domain::{ExitCode, counted, some_of};
use crate::init::{CiSystem, Start};
use crate::manifest::is_address;
use crate::pipeline::{self, BegunProject, Example, InitRequest};

use super::Context;
use super::arguments::{CiChoice, ExampleChoice, InitArguments};
use super::console::{FAINT, STRONG, WARN, paint};
use super::failure::Failure;
use super::schema;

/// The most ignored files that are named.
const NAMED: usize = 5;

pub(super) fn run(context: &Context, arguments: &InitArguments) -> Result<ExitCode, Failure> {
    match arguments.example {
        Some(example) => lay_down(context, example),
        None => begin(context, arguments),
    }
}

fn lay_down(context: &Context, example: ExampleChoice) -> Result<ExitCode, Failure> {
    let example = match example {
        ExampleChoice::SupportDesk => Example::SupportDesk,
        ExampleChoice::R618 => Example::R618,
    };
    let laid = pipeline::lay_down_example(example, &context.project_root)?;
    schema::lay_down(context, &context.project_root)?;
    let console = &context.console;
    let files = counted(laid.written.len(), "file");
    if console.is_quiet() {
        return Ok(ExitCode::Passed);
    }
    if laid.written.iter().any(|path| path == "README.md") {
        console.say(format!("{files}: README.md says what to try"));
    } else {
        console.say(files);
    }
    for path in &laid.kept {
        console.remark(format!("{path} stood there already and is as it was"));
    }
    console.remark("Next, in a git repository:");
    console.remark("  git add . && git commit -m \"The example as it came\"");
    console.remark(format!("  holdpoint{} gate", pipeline::project_option(context.named_folder.as_deref())));
    Ok(ExitCode::Passed)
}

fn begin(context: &Context, arguments: &InitArguments) -> Result<ExitCode, Failure> {
    if let Some(url) = arguments.url.as_deref().filter(|url| !is_address(url)) {
        return Err(Failure::Other {
            code: ExitCode::Usage,
            text: format!("`{}` is no address of an HTTP service", url.escape_debug()),
            hint: Some("Write the whole address, as in --url http://127.0.0.1:8080/invoke".to_owned()),
        });
    }
    let start = match (&arguments.url, arguments.command.as_slice()) {
        (Some(url), _) => Start::Service(url.clone()),
        (None, []) => Start::Adapter,
        (None, command) => Start::Command(command.to_vec()),
    };
    let ci = arguments.ci.map(|choice| match choice {
        CiChoice::Github => CiSystem::Github,
        CiChoice::Gitlab => CiSystem::Gitlab,
        CiChoice::Script => CiSystem::Script,
    });
    let begun = pipeline::init(&InitRequest { project_root: context.project_root.clone(), start: start.clone(), ci })?;
    schema::lay_down(context, &context.project_root)?;
    report(context, &begun, &start);
    Ok(ExitCode::Passed)
}

fn report(context: &Context, begun: &BegunProject, start: &Start) {
    let console = &context.console;
    if console.is_quiet() {
        return;
    }
    let width = begun.written.iter().map(|file| file.path.chars().count()).max().unwrap_or_default();
    for file in &begun.written {
        console.say(format!("{:<width$}  {}", file.path, paint(FAINT, &file.what)));
    }
    for path in &begun.kept {
        console.remark(format!("{path} stood there already and is as it was"));
    }
    for notice in &begun.notices {
        console.remark(format!("Seen: {notice}"));
    }
    if !begun.in_git {
        console
            .remark("This folder lies in no git repository: `git init` first, since holdpoint finds changes with git.");
    }
    if !begun.ignored.is_empty() {
        console.complain(ignored(&begun.ignored));
    }
    console.remark(paint(STRONG, "Next"));
    for (number, step) in steps(context, begun, start).iter().enumerate() {
        console.remark(format!("  {}. {step}", number + 1));
    }
}

/// What is said of files that git ignores, with the way out: no rule of git takes back what lies in an ignored folder.
fn ignored(paths: &[String]) -> String {
    format!(
        "{}: git ignores {}, so that no commit takes what was written there and the gate sees no change of it. `git check-ignore -v PATH` \
         names the rule; take it away, write `!PATH` below it, or add the files with `git add --force`.",
        paint(WARN, "warning"),
        some_of(paths, NAMED)
    )
}

fn steps(context: &Context, begun: &BegunProject, start: &Start) -> Vec<String> {
    let option = pipeline::project_option(context.named_folder.as_deref());
    let mut steps = vec![format!("holdpoint{option} gate     runs the two cases and says what they lack")];
    if matches!(start, Start::Service(_)) {
        steps.insert(0, "start the service, or say under `http` in holdpoint.yaml how holdpoint starts it".to_owned());
    }
    if *start == Start::Adapter {
        steps.push("join your workflow in the adapter, at the line that says where".to_owned());
    }
    steps.push("write a fact of yours into cases/policy_accuracy/says-a-fact.yaml".to_owned());
    steps.push(format!(
        "holdpoint{option} gate, then accept what it measured: holdpoint{option} baseline accept latest --by YOU --reason WHY"
    ));
    // Until then the file cannot run: nobody but its author knows where they keep holdpoint.
    match begun.ci {
        Some(CiSystem::Github) => steps.push(
            "in .github/workflows/holdpoint.yml, write the repository in which you keep holdpoint for `your-organisation/holdpoint`"
                .to_owned(),
        ),
        Some(CiSystem::Gitlab) => steps.push(
            "in .gitlab/holdpoint.yml, write an image that has holdpoint for `registry.example.org/holdpoint`".to_owned(),
        ),
        Some(CiSystem::Script) | None => {}
    }
    steps
}
