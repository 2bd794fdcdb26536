//! A case in two states: whole, as it is executed and judged, and at rest, as its text.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde_json::Value;

use crate::domain::{Aspect, CaseId, Digest, PartId, Question, Risk, WorkflowId};

use super::case_file::{FaultSpec, Step};
use super::expectation::Expectation;
use super::judging;

/// A file that a case copies into its trial's state directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its name in the state directory, possibly with folders.
    pub name: String,
    /// Where it stands, relative to the project's folder.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// What plans, lists and comparisons look at of a case: all but what goes in, what is done and what must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseOutline {
    /// Its identity.
    pub id: CaseId,
    /// The risk of its folder: the set it belongs to.
    pub set: Risk,
    /// What holds when it passes.
    pub title: Arc<str>,
    /// Its file.
    pub path: String,
    /// The line of its `id`, for annotations.
    pub line: usize,
    /// The workflow it runs against.
    pub workflow: WorkflowId,
    /// All its risks, that of its folder first.
    pub risks: Vec<Risk>,
    /// The sources it rests on; empty means all.
    pub sources: Vec<PartId>,
    /// How many trials.
    pub trials: u32,
    /// Whether it is selected whatever changed.
    pub always: bool,
    /// Files for the state directory, sorted by name.
    pub fixtures: Vec<Fixture>,
    /// The digest of everything that can change a result (not `title`, `path`, `line`, `always`, `risks`).
    pub digest: Digest,
    /// The digest of what must hold alone.
    pub expectation_digest: Digest,
    /// What a result of it speaks of, beside its own file: the programs and the probes that it is judged by.
    pub question: Question,
}

/// One case, checked, with all that it says. Its outline stands in it: `case.id`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What is looked at without executing it.
    pub outline: Arc<CaseOutline>,
    /// What the workflow gets.
    pub input: Value,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// What is done to its calls.
    pub faults: Vec<FaultSpec>,
    /// The time told to the workflow at the first step, RFC 3339.
    pub now: Option<String>,
    /// What must hold; never empty.
    pub expect: Vec<Expectation>,
}

/// One case at rest. A project has many cases and executes few at a time, so of each only the outline is kept as values;
/// the rest is a text, a tenth as large, which is read again when the case is executed, judged or shown.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldCase {
    outline: Arc<CaseOutline>,
    /// Input, steps, faults, time and expectations, as a JSON list.
    text: Box<str>,
    /// The words with which its graders are started.
    programs: Box<[String]>,
    /// The probes that its expectations name.
    probes: Box<[String]>,
}

/// What the text of a case at rest holds, in this order.
type Said = (Value, Vec<Step>, Vec<FaultSpec>, Option<String>, Vec<Expectation>);

impl CaseOutline {
    /// A case with names and nothing else: it has no file, one trial, and a digest of its id.
    pub fn named(id: CaseId, set: Risk, workflow: WorkflowId) -> Self {
        let digest = Digest::of(id.as_str().as_bytes());
        Self {
            risks: vec![set.clone()],
            id,
            set,
            title: "".into(),
            path: String::new(),
            line: 0,
            workflow,
            sources: Vec::new(),
            trials: 1,
            always: false,
            fixtures: Vec::new(),
            expectation_digest: digest.clone(),
            digest,
            question: Question::default(),
        }
    }
}

impl Case {
    /// A case of this outline that gives this input and expects that, without steps and faults.
    pub fn new(outline: CaseOutline, input: Value, expect: Vec<Expectation>) -> Self {
        Self { outline: outline.into(), input, steps: Vec::new(), faults: Vec::new(), now: None, expect }
    }

    /// The case at rest. A folder that a judging program is started in is this process's own and is not kept.
    pub fn held(&self) -> HeldCase {
        let said = (&self.input, &self.steps, &self.faults, &self.now, &self.expect);
        HeldCase {
            outline: Arc::clone(&self.outline),
            // What was read from a file can be written: it has no keys but texts.
            text: serde_json::to_string(&said).unwrap_or_default().into(),
            programs: judging::arguments_of(&self.expect).map(str::to_owned).collect(),
            probes: judging::probes_of(&self.expect).map(str::to_owned).collect(),
        }
    }
}

impl HeldCase {
    /// The whole case.
    pub fn open(&self) -> Case {
        let (input, steps, faults, now, expect): Said = serde_json::from_str(&self.text)
            .unwrap_or_else(|error| unreachable!("the text of the case {} was written here: {error}", self.id));
        Case { outline: Arc::clone(&self.outline), input, steps, faults, now, expect }
    }

    /// The words with which its graders are started, each as a path from the project's folder.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(String::as_str)
    }

    /// The probes that its expectations name.
    pub(super) fn probes(&self) -> impl Iterator<Item = &str> {
        self.probes.iter().map(String::as_str)
    }

    /// Completes what the case asks by what judges it; `None` where nothing of that kind does.
    pub(super) fn ask(&mut self, aspect: Aspect, digest: Option<Digest>) {
        // Most cases of two sides share their outline, and go on sharing it where both ask the same.
        if self.question.get(aspect) == digest.as_ref() {
            return;
        }
        let question = &mut Arc::make_mut(&mut self.outline).question;
        match digest {
            Some(digest) => question.set(aspect, digest),
            None => question.forget(aspect),
        }
    }
}

impl Deref for Case {
    type Target = CaseOutline;

    fn deref(&self) -> &CaseOutline {
        &self.outline
    }
}

impl DerefMut for Case {
    fn deref_mut(&mut self) -> &mut CaseOutline {
        Arc::make_mut(&mut self.outline)
    }
}

impl Deref for HeldCase {
    type Target = CaseOutline;

    fn deref(&self) -> &CaseOutline {
        &self.outline
    }
}

/// A case in either state.
#[derive(Clone, Copy, Debug)]
pub enum CaseRef<'a> {
    /// At rest.
    Held(&'a HeldCase),
    /// Whole.
    Whole(&'a Case),
}

impl<'a> CaseRef<'a> {
    /// The whole case.
    pub fn open(self) -> Cow<'a, Case> {
        match self {
            Self::Held(case) => Cow::Owned(case.open()),
            Self::Whole(case) => Cow::Borrowed(case),
        }
    }

    /// Its outline.
    pub fn outline(self) -> &'a CaseOutline {
        match self {
            Self::Held(case) => &case.outline,
            Self::Whole(case) => &case.outline,
        }
    }
}

impl Deref for CaseRef<'_> {
    type Target = CaseOutline;

    fn deref(&self) -> &CaseOutline {
        self.outline()
    }
}

impl<'a> From<&'a Case> for CaseRef<'a> {
    fn from(case: &'a Case) -> Self {
        Self::Whole(case)
    }
}

impl<'a> From<&'a HeldCase> for CaseRef<'a> {
    fn from(case: &'a HeldCase) -> Self {
        Self::Held(case)
    }
}
