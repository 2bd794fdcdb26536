//! How long cases took, by the records of this machine or by a file that is kept with the project.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, Digest};
use crate::evidence::Form;

use super::run_record::{FILE, MIGRATIONS};
use super::{Store, StoreError, schema};

/// The value of [`Durations::schema`].
pub const DURATIONS: &str = "holdpoint.durations/1";

/// So many of the newest runs are looked at; what is older says little of how long a case takes now.
const RUNS: usize = 20;

/// How long cases took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Durations {
    /// [`DURATIONS`].
    pub schema: String,
    /// Milliseconds for all trials of a case, by case.
    pub cases: BTreeMap<CaseId, u64>,
}

impl Durations {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no file of durations.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| StoreError::Files { path: path.to_owned(), source })?;
        let refused = |why: String| StoreError::Durations { path: path.to_owned(), why };
        let durations: Self = serde_json::from_str(&text).map_err(|error| {
            refused(format!("no file of durations, as `holdpoint runs --durations` prints one: {error}"))
        })?;
        if durations.schema != DURATIONS {
            return Err(refused(format!("its schema is `{}`, not `{DURATIONS}`", durations.schema)));
        }
        Ok(durations)
    }

    /// The digest by which two machines see whether they have the same.
    pub fn digest(&self) -> Digest {
        let lines: String = self.cases.iter().map(|(case, time)| format!("{time} {case}\n")).collect();
        Digest::of(lines.as_bytes())
    }
}

impl Store {
    /// How long each case took in the newest whole run that has it. A record that cannot be read is passed over: durations
    /// balance the work and change no result.
    ///
    /// # Errors
    /// When the folder of runs cannot be read.
    pub fn durations(&self) -> Result<Durations, StoreError> {
        let mut cases = BTreeMap::new();
        for run in self.runs()?.into_iter().rev().take(RUNS) {
            for (case, time) in of_run(&self.run_folder(&run).join(FILE)).unwrap_or_default() {
                cases.entry(case).or_insert(time);
            }
        }
        Ok(Durations { schema: DURATIONS.to_owned(), cases })
    }
}

/// Nothing for a part of a run: a part that is recorded while others are still to be begun must not move their cases.
fn of_run(path: &Path) -> Result<Vec<(CaseId, u64)>, StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    let connection: Connection = schema::open_to_read(path, MIGRATIONS)?;
    let is_part = "SELECT json_extract(value, '$.part') IS NOT NULL FROM fact WHERE name = 'header'";
    if connection.query_row(is_part, [], |row| row.get(0)).map_err(fail)? {
        return Ok(Vec::new());
    }
    let query = "SELECT case_id, SUM(json_extract(content, '$.observation.duration_ms')) FROM trial WHERE form = ?1
                 GROUP BY case_id";
    let mut select = connection.prepare(query).map_err(fail)?;
    let rows = select
        .query_map([Form::Head.name()], |row| Ok((CaseId::new(row.get::<_, String>(0)?), row.get::<_, i64>(1)?)))
        .map_err(fail)?;
    rows.map(|row| row.map(|(case, time)| (case, u64::try_from(time).unwrap_or(0))).map_err(fail)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_is_printed_and_another_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("durations.json");
        let durations =
            Durations { schema: DURATIONS.to_owned(), cases: [(CaseId::from("a"), 7), (CaseId::from("b"), 0)].into() };
        std::fs::write(&path, serde_json::to_string(&durations).unwrap()).unwrap();
        assert_eq!(Durations::read(&path).unwrap(), durations);
        for wrong in [r#"{"schema": "x/1", "cases": {}}"#, r#"{"schema": "holdpoint.durations/1"}"#, "[]", ""] {
            std::fs::write(&path, wrong).unwrap();
            let error = Durations::read(&path).unwrap_err().to_string();
            assert!(error.contains("durations.json"), "{error}");
        }
    }

    #[test]
    fn the_digest_is_of_every_case_and_time() {
        let of = |cases: &[(&str, u64)]| {
            let cases = cases.iter().map(|(case, time)| (CaseId::from(*case), *time)).collect();
            Durations { schema: DURATIONS.to_owned(), cases }.digest()
        };
        assert_eq!(of(&[("a", 1), ("b", 2)]), of(&[("b", 2), ("a", 1)]));
        assert_ne!(of(&[("a", 1)]), of(&[("a", 2)]));
        assert_ne!(of(&[("a", 1)]), of(&[("b", 1)]));
    }
}
