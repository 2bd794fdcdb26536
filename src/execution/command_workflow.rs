//! Workflows that are programs: started anew for each invocation, without a shell.

use std::io::{self, ErrorKind as ErrorCause};
use std::process::Child;

use crate::evidence::{ErrorKind, TrialError, excerpt};
use crate::manifest::{AnswerForm, CommandWorkflow, WorkflowSpec};

use super::answer::{MORE_ALLOWED, read_answer};
use super::invocation::Invocation;
use super::memory_cap;
use super::orphans::end_orphans;
use super::process::{self, End, Finished, Limits};
use super::program::{Program, Surroundings};
use super::time_limit::{StepLimit, TimeLimit};
use super::workflow::{StepContext, StepEnd};

/// How much of a program's last words an error message shows, in characters.
const SHOWN: usize = 300;

/// A program of the project as a workflow.
pub(super) struct CommandRunner<'a> {
    spec: &'a WorkflowSpec,
    program: Program,
    /// JSON pointers to the arguments that come from the invocation.
    arguments: &'a [String],
}

impl<'a> CommandRunner<'a> {
    /// Finds the program.
    ///
    /// # Errors
    /// When it is not to be found, or a variable of its environment is not set.
    pub(super) fn new(
        spec: &'a WorkflowSpec,
        command: &'a CommandWorkflow,
        surroundings: Surroundings<'_>,
    ) -> Result<Self, TrialError> {
        let program = Program::find(&command.run, &command.env, surroundings)?;
        Ok(Self { spec, program, arguments: &command.arguments })
    }

    /// Starts the program, hands it the invocation and reads its answer.
    pub(super) fn invoke(&self, invocation: &Invocation<'_>, context: &StepContext<'_>) -> StepEnd {
        let input = match invocation.to_bytes() {
            Ok(input) => input,
            Err(error) => return StepEnd::of(Err(error)),
        };
        let time = TimeLimit::of_step(self.spec.timeout_s, context.until);
        let limits =
            Limits { timeout: time.left, output_cap: self.spec.output_cap_bytes, cancellation: context.cancellation };
        let arguments = match arguments_of(invocation, self.arguments) {
            Ok(arguments) => arguments,
            Err(error) => return StepEnd::of(Err(error)),
        };
        let mut command = self.program.command(context.state_dir);
        command.args(arguments).envs(context.environment);
        let child = match process::spawn(command) {
            Ok(child) => child,
            Err(error) => {
                let unreached = is_passing(error.kind());
                return StepEnd { unreached, ..StepEnd::of(Err(self.program.start_error(&error))) };
            }
        };
        if let Err(error) = self.cap_memory(&child) {
            process::end(child);
            return StepEnd::of(Err(error));
        }
        match process::attend(child, &input, &limits) {
            Err(error) => StepEnd::of(Err(self.program.start_error(&error))),
            Ok(finished) => {
                if finished.held_open {
                    end_orphans(context.state_dir, context.spare);
                }
                self.read(finished, self.spec.answer, time)
            }
        }
    }

    fn cap_memory(&self, child: &Child) -> Result<(), TrialError> {
        let capped = self.spec.memory_cap_bytes.map_or(Ok(()), |bytes| memory_cap::cap(child, bytes));
        capped.map_err(|error| self.program.start_error(&uncapped(&error)))
    }

    fn read(&self, finished: Finished, form: AnswerForm, time: StepLimit) -> StepEnd {
        let over = time.of_all_steps().filter(|_| finished.end == End::TimedOut);
        let too_long = match &over {
            Some(limit) => format!("was ended at {}", limit.phrase()),
            None => too_long(self.spec.timeout_s),
        };
        let answer = match why_ended(self.program.name(), &finished, too_long, self.spec.output_cap_bytes) {
            Some(error) if error.kind == ErrorKind::OutputCap => {
                Err(TrialError { message: format!("{}; {MORE_ALLOWED}", error.message), ..error })
            }
            Some(error) => Err(error),
            None => read_answer(&finished.stdout, form),
        };
        StepEnd { stderr: finished.stderr, time_is_up: over.is_some(), ..StepEnd::of(answer) }
    }
}

/// The arguments that an invocation brings with it.
fn arguments_of(invocation: &Invocation<'_>, pointers: &[String]) -> Result<Vec<String>, TrialError> {
    if pointers.is_empty() {
        return Ok(Vec::new());
    }
    let invocation = invocation.to_json()?;
    let setup = |message: String| TrialError { kind: ErrorKind::Setup, message };
    let argument = |pointer: &String| {
        let found = invocation.pointer(pointer);
        let found = found.ok_or_else(|| setup(format!("the invocation has nothing at `{pointer}`, an argument")))?;
        let text = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
        if text.contains('\0') {
            return Err(setup(format!(
                "the argument at `{pointer}` holds a NUL character, which no program can be given"
            )));
        }
        Ok(text)
    };
    pointers.iter().map(argument).collect()
}

/// Whether a program that could not be started may well start a moment later: the system had no process or memory left
/// (EAGAIN, ENOMEM), or the program's file was still being written (ETXTBSY).
fn is_passing(kind: ErrorCause) -> bool {
    matches!(kind, ErrorCause::WouldBlock | ErrorCause::OutOfMemory | ErrorCause::ExecutableFileBusy)
}

/// What is said where a memory cap could not be set.
pub(super) fn uncapped(error: &io::Error) -> io::Error {
    io::Error::other(format!("its memory could not be limited (`memory_cap_bytes`): {error}"))
}

/// Why a program that has ended counts as errored, whatever it printed; `None` where it ended well.
pub(super) fn end_error(name: &str, finished: &Finished, timeout_s: u64, output_cap: usize) -> Option<TrialError> {
    why_ended(name, finished, too_long(timeout_s), output_cap)
}

fn too_long(timeout_s: u64) -> String {
    format!("ran for more than {timeout_s} s and was ended")
}

/// As [`end_error`]; `too_long` says what became of a program that ran out of time.
fn why_ended(name: &str, finished: &Finished, too_long: String, output_cap: usize) -> Option<TrialError> {
    let (kind, what) = match finished.end {
        End::Exited(status) if status.success() => return None,
        End::Exited(status) => (ErrorKind::Exit, format!("ended with {status}")),
        End::TimedOut => (ErrorKind::Timeout, too_long),
        End::OutputCap => (ErrorKind::OutputCap, format!("printed more than {output_cap} bytes and was ended")),
        End::Cancelled => (ErrorKind::Cancelled, "was killed because the run was cancelled".to_owned()),
    };
    let last_words = last_words(&finished.stderr);
    let last_words = if last_words.is_empty() { String::new() } else { format!(": {}", excerpt(last_words, SHOWN)) };
    Some(TrialError { kind, message: format!("`{name}` {what}{last_words}") })
}

/// What a program said last of why it ended. Where that is a line of a stack with the error above it, the error.
fn last_words(stderr: &str) -> &str {
    let lines = || stderr.lines().rev().filter(|line| !line.trim().is_empty());
    let is_frame = |line: &&str| {
        let text = line.trim_start();
        text.starts_with("at ") && text.len() < line.len() || text.starts_with("Node.js v") || matches!(text, "}" | "^")
    };
    let names_error = |line: &&str| {
        let word = line.split([':', ' ']).next().unwrap_or_default();
        word.ends_with("Error") || word.ends_with("Exception")
    };
    let last = lines().next().unwrap_or_default();
    if !is_frame(&last) {
        return last;
    }
    lines().find(names_error).or_else(|| lines().find(|line| !is_frame(line))).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_told_and_not_the_stack_below_it() {
        let node = "/srv/judge.cjs:3\nthrow new TypeError(\"x\");\n^\n\nTypeError: Cannot read properties of undefined\n    \
                    at main (/srv/judge.cjs:3:7)\n    at node:internal/main/run:5:1 {\n  code: 'E'\n}\n\nNode.js v20.1.0\n";
        assert_eq!(last_words(node), "TypeError: Cannot read properties of undefined");
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'x'\n\n";
        assert_eq!(last_words(python), "KeyError: 'x'");
        assert_eq!(last_words("starting\nno such table\n"), "no such table");
        assert_eq!(last_words("thrown: 3\n    at f (a.js:1)\n"), "thrown: 3");
        assert_eq!(last_words("    at f (a.js:1)\n"), "    at f (a.js:1)");
        assert_eq!(last_words(""), "");
    }
}
