//! `holdpoint init`: begins a project in a repository, or lays a whole example down.

use crate::domain::{ExitCode, counted};
use crate::init::{CiSystem, Start};
use crate::manifest::is_address;
use crate::pipeline::{self, BegunProject, Example, InitRequest};

use super::Context;
use super::arguments::{CiChoice, ExampleChoice, InitArguments};
use super::console::{FAINT, STRONG, paint};
use super::failure::Failure;
use super::schema;

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
    let option = pipeline::project_option(context.named_folder.as_deref());
    console.remark(paint(STRONG, "Next"));
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
    for (number, step) in steps.iter().enumerate() {
        console.remark(format!("  {}. {step}", number + 1));
    }
}
