//! Cases that were read before, for a second side that has some of them in the same bytes.

use std::collections::BTreeMap;

use crate::manifest::case::HeldCase;
use crate::manifest::files::FileSource;
use crate::manifest::project::Project;

use super::cases::ReadCase;
use super::names::IdPlace;

/// The cases of one side, to be taken over by another where its files hold the same. A case is made of its own file and of
/// its fixtures; what judges it beside these is asked of each side anew.
#[derive(Clone, Default)]
pub struct EarlierCases<'a> {
    side: Option<&'a dyn FileSource>,
    cases: BTreeMap<&'a str, &'a HeldCase>,
}

impl<'a> EarlierCases<'a> {
    /// Those of a project that was read from `files`.
    pub fn of(files: &'a dyn FileSource, project: &'a Project) -> Self {
        Self { side: Some(files), cases: project.cases.values().map(|case| (case.path.as_str(), case)).collect() }
    }

    /// What reading the file at `path` of another side would give, where that is known without reading it.
    pub(super) fn read(&self, files: &dyn FileSource, path: &str) -> Option<ReadCase> {
        let (side, case) = (self.side?, *self.cases.get(path)?);
        let is_same = |path: &str| {
            let name = files.content_name(path);
            name.is_some() && name == side.content_name(path)
        };
        if !is_same(path) || !case.fixtures.iter().all(|fixture| is_same(&fixture.path)) {
            return None;
        }
        Some(ReadCase {
            path: path.to_owned(),
            id_place: Some(IdPlace::of_case(case)),
            fixture_paths: case.fixtures.iter().map(|fixture| fixture.path.clone()).collect(),
            looks_like_case: true,
            case: Some(case.clone()),
            errors: Vec::new(),
        })
    }
}
