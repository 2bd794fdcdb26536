//! `holdpoint completions` and `holdpoint man`: what shells and readers get of the command line, made from it.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::domain::{ExitCode, counted};

use super::Context;
use super::arguments::{Arguments, CompletionsArguments, ManArguments};
use super::failure::Failure;

const NAME: &str = "holdpoint";

pub(super) fn completions(context: &Context, arguments: &CompletionsArguments) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), NAME, &mut script);
    let mut script = String::from_utf8_lossy(&script).trim_end().to_owned();
    if arguments.shell == Shell::Fish {
        script.push_str(&fish_words());
    }
    context.console.document(&script)?;
    Ok(ExitCode::Passed)
}

/// The words that stand in the place of an argument without a name, which the library leaves out for this shell.
fn fish_words() -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let mut lines = String::new();
    for command in Arguments::command().get_subcommands() {
        for word in command.get_positionals().flat_map(|argument| argument.get_possible_values()) {
            let what = word.get_help().map(|help| format!(" -d '{}'", quoted(&help.to_string()))).unwrap_or_default();
            lines.push_str(&format!(
                "\ncomplete -c {NAME} -n \"__fish_{NAME}_using_subcommand {}\" -f -a '{}'{what}",
                command.get_name(),
                quoted(word.get_name())
            ));
        }
    }
    lines
}

pub(super) fn man(context: &Context, arguments: &ManArguments) -> Result<ExitCode, Failure> {
    let folder = &arguments.folder;
    let failed = |error: std::io::Error| Failure::internal(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut command = Arguments::command().name(NAME).disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    man_pages(&command, &mut pages)?;
    for (name, text) in &pages {
        std::fs::write(folder.join(name), text).map_err(failed)?;
    }
    context.console.say(format!("{} in {}", counted(pages.len(), "page"), folder.display()));
    Ok(ExitCode::Passed)
}

/// The line of a synopsis with what each option takes, which the library leaves out.
fn with_value_names(line: &str, command: &clap::Command) -> String {
    let escaped = |text: &str| text.replace('-', "\\-");
    let mut line = line.to_owned();
    let takes_one = |option: &&clap::Arg| option.get_action().takes_values() && !option.is_positional();
    for option in command.get_arguments().filter(takes_one) {
        let (Some(long), Some(names)) = (option.get_long(), option.get_value_names()) else { continue };
        let names: Vec<String> = names.iter().map(|name| format!("\\fI{}\\fR", escaped(name))).collect();
        let name = format!("\\fB\\-\\-{}\\fR", escaped(long));
        for end in [']', '>'] {
            line = line.replace(&format!("{name}{end}"), &format!("{name} {}{end}", names.join(" ")));
        }
    }
    line
}

/// The pages of a command and of those below it, with the names of their files.
fn man_pages(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        man_pages(below, pages)?;
    }
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let name = command.get_display_name().unwrap_or(NAME);
    // The library leaves an empty date out, so that what follows it would be taken for one.
    let title = format!(".TH {name} 1 \"\" \"{NAME} {}\" \"{NAME}\"", env!("CARGO_PKG_VERSION"));
    let lines = text.lines().map(|line| match line {
        _ if line.starts_with(".TH ") => title.clone(),
        _ if line.contains("[\\fB\\-\\-") || line.contains("<\\fB\\-\\-") => with_value_names(line, command),
        _ => line.to_owned(),
    });
    let lines: String = lines.map(|line| format!("{line}\n")).collect();
    pages.push((page.get_filename(), lines.into_bytes()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synopsis_says_what_each_option_takes() {
        let mut command = Arguments::command().name(NAME).disable_help_subcommand(true);
        command.build();
        let mut pages = Vec::new();
        man_pages(&command, &mut pages).unwrap();
        let (_, page) = pages.iter().find(|(name, _)| name == "holdpoint-case-new.1").unwrap();
        let page = String::from_utf8(page.clone()).unwrap();
        let synopsis: String = page.lines().skip_while(|line| *line != ".SH SYNOPSIS").take(3).collect();
        for said in ["\\-\\-for\\fR \\fIPART/RISK\\fR]", "\\-\\-project\\fR \\fIDIR\\fR]"] {
            assert!(synopsis.contains(said), "{said} in {synopsis}");
        }
        assert!(synopsis.contains("\\-\\-help\\fR]"), "what takes nothing stays as it is: {synopsis}");
    }
}
