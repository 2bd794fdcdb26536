//! Which YAML files below `cases/` are cases, and which are only named by cases.

use std::collections::{BTreeMap, BTreeSet};

use crate::manifest::diagnostic::Diagnostic;

use super::cases::ReadCase;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Undecided,
    Case,
    Fixture,
}

/// Takes out the files that are fixtures of cases. A file is one when a case names it, so a fixture that looks like
/// a case cannot make other cases vanish by naming them; files that name each other in a circle stay, as errors.
///
/// A fixture that looks like a case is a warning: if it was meant as one, it never runs.
pub(super) fn take_out(mut read: Vec<ReadCase>, warnings: &mut Vec<Diagnostic>) -> Vec<ReadCase> {
    let index_of: BTreeMap<&str, usize> =
        read.iter().enumerate().map(|(index, file)| (file.path.as_str(), index)).collect();
    let mut namers: Vec<Vec<usize>> = vec![Vec::new(); read.len()];
    for (namer, file) in read.iter().enumerate() {
        for named in file.fixture_paths.iter().filter_map(|path| index_of.get(path.as_str())) {
            namers[*named].push(namer);
        }
    }
    let roles = decide(&namers);
    for (index, file) in read.iter_mut().enumerate() {
        match roles[index] {
            Role::Undecided => {
                let message = "this file is named as a fixture in a circle, so whether it is a case cannot be told";
                file.errors.push(
                    Diagnostic::of_file(&file.path, message).with_hint("a case names no other case as its fixture"),
                );
                file.case = None;
            }
            Role::Fixture if file.looks_like_case => {
                let message = "this file looks like a case, and is not run because a case names it as a fixture";
                let hint = "rename it, or take it out of that case's `fixtures`";
                warnings.push(Diagnostic::of_file(&file.path, message).with_hint(hint).as_warning());
            }
            _ => {}
        }
    }
    let mut roles = roles.into_iter();
    read.retain(|_| roles.next() != Some(Role::Fixture));
    read
}

/// A warning for each of the `others`, files that are not YAML, that no case names: it was meant as a case or as a
/// fixture, and is neither. Words for people (`.md`) and hidden files are left alone.
pub(super) fn unnamed(read: &[ReadCase], others: &[String]) -> Vec<Diagnostic> {
    let named: BTreeSet<&str> = read.iter().flat_map(|file| &file.fixture_paths).map(String::as_str).collect();
    let for_people = |path: &str| {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        name.starts_with('.') || name.to_lowercase().ends_with(".md")
    };
    let unnamed = others.iter().filter(|path| !named.contains(path.as_str()) && !for_people(path));
    unnamed
        .map(|path| {
            let warning = Diagnostic::of_file(path, "no case names this file as a fixture, and it is no case");
            warning.with_hint("a case ends in `.yaml`; a fixture stands under a case's `fixtures`").as_warning()
        })
        .collect()
}

fn decide(namers: &[Vec<usize>]) -> Vec<Role> {
    let mut roles = vec![Role::Undecided; namers.len()];
    loop {
        let mut changed = false;
        for index in 0..roles.len() {
            if roles[index] != Role::Undecided {
                continue;
            }
            let of_namers = |role: Role| namers[index].iter().any(|namer| roles[*namer] == role);
            let role = if of_namers(Role::Case) {
                Role::Fixture
            } else if of_namers(Role::Undecided) {
                continue;
            } else {
                Role::Case
            };
            roles[index] = role;
            changed = true;
        }
        if !changed {
            return roles;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_only_a_fixture_names_stays_a_case() {
        // 0 names 1, 1 names 2.
        assert_eq!(decide(&[vec![], vec![0], vec![1]]), [Role::Case, Role::Fixture, Role::Case]);
    }

    #[test]
    fn a_circle_is_left_undecided() {
        assert_eq!(decide(&[vec![1], vec![0], vec![]]), [Role::Undecided, Role::Undecided, Role::Case]);
        assert_eq!(decide(&[vec![0]]), [Role::Undecided]);
    }
}
