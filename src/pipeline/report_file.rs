//! `report.json`, written a case at a time: the cases of a large run do not fit into memory with all their evidence.

use std::collections::{BTreeMap, btree_map};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::domain::CaseId;
use crate::evidence::Form;
use crate::execution::Redactor;
use crate::grading::GradedTrial;
use crate::manifest::{Case, HeldCase};
use crate::operations::RunAccount;
use crate::report::{CaseFeed, CaseView, ReportDocument};
use crate::store::RecordedTrials;

use super::publish::Material;
use super::{PipelineError, figures};

/// The report as a document, in the run's folder of reports.
pub const DOCUMENT: &str = "report.json";

/// Where the cases stand in the text of a document that has none.
const NO_CASES: &str = "\n  \"cases\": []";

/// What indents a case in the document.
const INDENT: &[u8] = b"    ";

/// Reads each case's evidence where it is kept, has it accounted for, and puts the case into the document's file.
pub(super) struct RecordFeed<'a> {
    material: &'a Material<'a>,
    /// The head's cases that were not asked for yet: their place is taken by their lines.
    held: Peekable<btree_map::IntoValues<CaseId, HeldCase>>,
    trials: RecordedTrials,
    account: RunAccount<'a>,
    redactor: Redactor,
    spool: CaseSpool,
}

impl<'a> RecordFeed<'a> {
    pub(super) fn new(material: &'a Material<'a>, cases: BTreeMap<CaseId, HeldCase>) -> Result<Self, PipelineError> {
        let Material { request, store, run, finished, prepared, outcome, judged, folder, .. } = *material;
        Ok(Self {
            material,
            held: cases.into_values().peekable(),
            trials: store.recorded_trials(run)?,
            account: figures::account(outcome, &judged.verdict, finished),
            redactor: Redactor::for_project(&prepared.project, &request.environment),
            spool: CaseSpool::in_folder(folder)?,
        })
    }

    /// What the trials came to, and the cases as they were written.
    pub(super) fn into_parts(self) -> (RunAccount<'a>, CaseSpool) {
        (self.account, self.spool)
    }
}

impl CaseFeed for RecordFeed<'_> {
    type Error = PipelineError;

    fn case(&mut self, case: &CaseId) -> Option<Case> {
        while self.held.next_if(|held| held.id < *case).is_some() {}
        Some(self.held.next_if(|held| held.id == *case)?.open())
    }

    fn trials(&mut self, case: &CaseId, form: Form, recorded: usize) -> Result<Vec<GradedTrial>, PipelineError> {
        let trials = self.trials.of(case, form, recorded)?;
        trials.iter().for_each(|trial| self.account.add(trial));
        Ok(trials)
    }

    /// The check of the ledger, which every gate does, has told of a text that cannot be read.
    fn accepted(&mut self, case: &CaseId) -> Result<Option<String>, PipelineError> {
        let Material { request, prepared, .. } = self.material;
        let files = request.head.as_ref().map(|_| prepared.sides.head_files());
        let entry = prepared.accepted.baseline.cases.get(case);
        Ok(entry.and_then(|entry| prepared.accepted.output(files, entry.case.output.as_ref()?)))
    }

    /// What was observed holds no secret since it was recorded; what a case asks is shown as its file has it.
    fn whole(&mut self, case: &mut CaseView) -> Result<(), PipelineError> {
        case.input = case.input.as_ref().map(|input| Box::new(self.redactor.json(input)));
        self.spool.add(case)
    }
}

/// The text of the document's cases, in a file that nobody sees.
pub(super) struct CaseSpool {
    path: PathBuf,
    file: BufWriter<File>,
    is_empty: bool,
}

impl CaseSpool {
    fn in_folder(folder: &Path) -> Result<Self, PipelineError> {
        let path = folder.join(DOCUMENT);
        match tempfile::tempfile_in(folder) {
            Ok(file) => Ok(Self { path, file: BufWriter::new(file), is_empty: true }),
            Err(source) => Err(PipelineError::Files { path, source }),
        }
    }

    fn add(&mut self, case: &CaseView) -> Result<(), PipelineError> {
        let write = |file: &mut BufWriter<File>| {
            file.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
            file.write_all(INDENT)?;
            Ok(case.serialize(&mut Serializer::with_formatter(file, in_list_of_document()?))?)
        };
        let written = write(&mut self.file);
        self.is_empty = false;
        written.map_err(|source| PipelineError::Files { path: self.path.clone(), source })
    }

    /// The text of the document as it is without cases, into which [`Self::write_document`] puts them.
    pub(super) fn frame(&self, document: &mut ReportDocument) -> Result<String, PipelineError> {
        let cases = std::mem::take(&mut document.cases);
        let text = serde_json::to_string_pretty(document);
        document.cases = cases;
        text.map_err(|error| PipelineError::Files { path: self.path.clone(), source: error.into() })
    }

    /// Writes the document with these cases in it: a whole file or none.
    pub(super) fn write_document(self, frame: &str) -> Result<(), PipelineError> {
        let path = self.path.clone();
        self.written(frame).map_err(|source| PipelineError::Files { path, source })
    }

    fn written(self, frame: &str) -> io::Result<()> {
        let (before, after) =
            frame.split_once(NO_CASES).ok_or_else(|| io::Error::other("the document has no place for its cases"))?;
        let folder = self.path.parent().unwrap_or(&self.path);
        let mut whole = BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
        write!(whole, "{before}\n  \"cases\": [")?;
        let mut cases = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        cases.rewind()?;
        io::copy(&mut BufReader::new(cases), &mut whole)?;
        write!(whole, "{}{after}", if self.is_empty { "]" } else { "\n  ]" })?;
        let whole = whole.into_inner().map_err(io::IntoInnerError::into_error)?;
        whole.as_file().sync_all()?;
        whole.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// The document's layout where the document is open, and in it the list of cases.
fn in_list_of_document() -> io::Result<PrettyFormatter<'static>> {
    let mut layout = PrettyFormatter::new();
    layout.begin_object(&mut io::sink())?;
    layout.begin_array(&mut io::sink())?;
    Ok(layout)
}
