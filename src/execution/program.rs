//! A program of the project: found once, started often, with an environment that holds only what was listed.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::evidence::{ErrorKind, TrialError};
use crate::manifest::WorkflowEnv;

use super::orphans::STATE_DIR_VARIABLE;

/// Where programs come from: the project's folder and the environment that holdpoint itself was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    /// The project's folder, absolute.
    pub(super) root: &'a Path,
    /// The environment that programs may be given parts of.
    pub(super) environment: &'a BTreeMap<String, String>,
}

impl<'a> Surroundings<'a> {
    /// The same for a program that is started in a folder of its own.
    pub(super) fn started_in(self, folder: Option<&'a Path>) -> Self {
        Self { root: folder.unwrap_or(self.root), ..self }
    }
}

/// A program with its arguments and environment, ready to be started.
#[derive(Clone, Debug)]
pub(super) struct Program {
    name: String,
    path: PathBuf,
    arguments: Vec<String>,
    environment: BTreeMap<String, String>,
    root: PathBuf,
}

impl Program {
    /// Finds the program of `run` and puts its environment together.
    ///
    /// It is looked up here and not by the system, because a `Command` that changes PATH and names no path
    /// is started by `fork` instead of the much faster `posix_spawn`.
    ///
    /// # Errors
    /// When it is not to be found, or a variable that must be passed on is not set.
    pub(super) fn find(run: &[String], env: &WorkflowEnv, surroundings: Surroundings<'_>) -> Result<Self, TrialError> {
        let (name, arguments) =
            run.split_first().ok_or_else(|| setup("the project names no program to start".to_owned()))?;
        let environment = environment(env, surroundings.environment)?;
        let path = if name.contains('/') {
            surroundings.root.join(name)
        } else {
            let folders = environment.get("PATH").map_or("", String::as_str);
            look_up(name, folders).ok_or_else(|| TrialError {
                kind: ErrorKind::Start,
                message: format!("the program `{name}` is in no folder of PATH ({folders})"),
            })?
        };
        let root = surroundings.root.to_owned();
        Ok(Self { name: name.clone(), path, arguments: arguments.to_vec(), environment, root })
    }

    /// The name that the project gives it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// A command that starts it in the project's folder with this state directory.
    pub(super) fn command(&self, state_dir: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command
            .arg0(&self.name)
            .args(&self.arguments)
            .env_clear()
            .envs(&self.environment)
            .env(STATE_DIR_VARIABLE, state_dir)
            .current_dir(&self.root);
        command
    }

    /// What to say when it could not be started.
    pub(super) fn start_error(&self, error: &std::io::Error) -> TrialError {
        let message = format!("`{}` ({}) could not be started: {error}", self.name, self.path.display());
        TrialError { kind: ErrorKind::Start, message }
    }
}

fn setup(message: String) -> TrialError {
    TrialError { kind: ErrorKind::Setup, message }
}

/// PATH, then what is passed on, then what is set: a later one replaces an earlier one.
fn environment(
    env: &WorkflowEnv,
    surroundings: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, TrialError> {
    let mut environment = BTreeMap::new();
    let optional = env.pass_if_set.iter().map(String::as_str);
    for name in optional.chain(["PATH"]) {
        if let Some(value) = surroundings.get(name) {
            environment.insert(name.to_owned(), value.clone());
        }
    }
    for name in &env.pass {
        let value = surroundings
            .get(name)
            .ok_or_else(|| setup(format!("the environment variable {name}, which is passed on, is not set")))?;
        environment.insert(name.clone(), value.clone());
    }
    environment.extend(env.set.iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(environment)
}

/// The first executable file of that name. Entries of PATH that are relative are passed over.
fn look_up(name: &str, folders: &str) -> Option<PathBuf> {
    folders
        .split(':')
        .map(Path::new)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn only_listed_variables_and_path_are_passed_on() {
        let around = surroundings(&[("PATH", "/bin"), ("TOKEN", "t"), ("HOME", "/h"), ("OTHER", "o"), ("LANG", "C")]);
        let env = WorkflowEnv {
            pass: vec!["TOKEN".to_owned()],
            pass_if_set: vec!["LANG".to_owned(), "UNSET".to_owned()],
            set: surroundings(&[("MODE", "test")]),
        };
        let expected = surroundings(&[("PATH", "/bin"), ("TOKEN", "t"), ("LANG", "C"), ("MODE", "test")]);
        assert_eq!(environment(&env, &around).unwrap(), expected);
    }

    #[test]
    fn a_variable_that_must_be_passed_on_and_is_not_set_is_an_error() {
        let env = WorkflowEnv { pass: vec!["TOKEN".to_owned()], ..WorkflowEnv::default() };
        let error = environment(&env, &BTreeMap::new()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Setup);
        assert!(error.message.contains("TOKEN"), "{}", error.message);
    }

    #[test]
    fn a_relative_folder_in_path_is_passed_over() {
        assert_eq!(look_up("sh", ".:bin:"), None);
        assert!(look_up("sh", ".:/bin:/usr/bin").is_some());
    }

    #[test]
    fn a_program_that_is_nowhere_is_a_start_error_that_names_it() {
        let around = surroundings(&[("PATH", "/bin:/usr/bin")]);
        let surroundings = Surroundings { root: Path::new("/"), environment: &around };
        let run = ["no-such-program-here".to_owned()];
        let error = Program::find(&run, &WorkflowEnv::default(), surroundings).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Start);
        assert!(error.message.contains("no-such-program-here"), "{}", error.message);
    }
}
