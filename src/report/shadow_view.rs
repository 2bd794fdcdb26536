//! What the selection would have done in a run of every case, in `holdpoint.report/1` and in words.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::Standing;
use crate::comparison::statistics::{clopper_pearson, percent_up};
use crate::domain::{CaseId, CaseStatus, ExitCode, counted};
use crate::verdict::Shadow;

use super::document::CaseView;

/// The confidence of the limit on the share that escapes.
const CONFIDENCE: f64 = 0.95;

/// What the selection would have done in a run of every case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShadowView {
    /// The cases that it would have run, by id.
    pub would_select: Vec<CaseId>,
    /// The cases that it would have left out, by id.
    pub left_out: Vec<CaseId>,
    /// Those of the left out whose results would not have let the gate pass.
    pub escapes: Vec<EscapeView>,
    /// What that says of the selection, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<String>,
}

/// A case that the selection would have left out, and that would not have let the gate pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EscapeView {
    /// The case.
    pub case: CaseId,
    /// How it ended.
    pub status: CaseStatus,
    /// How it stands against its baseline.
    pub comparison: Standing,
    /// Why it stands so, in one sentence.
    pub why: String,
    /// Why the selection would have left it out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub left_out_because: String,
    /// The exit code that it alone would give.
    pub exit_code: u8,
}

/// The view of a shadow over a run of these cases.
pub(super) fn shadow_view(shadow: &Shadow, cases: &[CaseView]) -> ShadowView {
    let views: BTreeMap<&CaseId, &CaseView> = cases.iter().map(|case| (&case.id, case)).collect();
    let escape = |(case, code): &(CaseId, ExitCode)| {
        let view = views.get(case)?;
        Some(EscapeView {
            case: case.clone(),
            status: view.status,
            comparison: view.comparison,
            why: view.why.to_string(),
            left_out_because: shadow.left_out.get(case).cloned().unwrap_or_default(),
            exit_code: code.number(),
        })
    };
    let mut view = ShadowView {
        would_select: shadow.would_select.iter().cloned().collect(),
        left_out: shadow.left_out.keys().cloned().collect(),
        escapes: shadow.escapes.iter().filter_map(escape).collect(),
        sentences: Vec::new(),
    };
    view.sentences = sentences(&view);
    view
}

fn sentences(view: &ShadowView) -> Vec<String> {
    let (selected, left_out, escaped) = (view.would_select.len(), view.left_out.len(), view.escapes.len());
    let all = counted(selected + left_out, "case");
    let mut sentences = vec![format!(
        "Every case ran. By its changes alone the gate would have run {selected} of {all} and left out {left_out}."
    )];
    if left_out == 0 {
        sentences.push("Nothing would have been left out, so nothing could escape.".to_owned());
        return sentences;
    }
    sentences.push(match escaped {
        0 => "None of those left out would have kept the gate from passing: nothing escaped.".to_owned(),
        _ => format!("Escaped, because left out and not passing: {}.", counted(escaped, "case")),
    });
    if let Some(interval) = clopper_pearson(escaped, left_out, CONFIDENCE).filter(|interval| interval.high < 1.0) {
        sentences.push(format!(
            "{escaped} of {left_out}: for changes and cases like these, the share that escapes is below {} % with 95 % \
             confidence (Clopper-Pearson).",
            percent_up(interval.high)
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn what_escaped_is_counted_against_what_was_left_out() {
        let shadow = Sample::shadow();
        assert_eq!(shadow.escapes.len(), 1);
        assert_eq!(shadow.escapes[0].left_out_because, "no change puts any of its risks at stake");
        let left_out = shadow.left_out.len();
        assert!(shadow.sentences[0].ends_with(&format!("and left out {left_out}.")), "{:?}", shadow.sentences);
        assert_eq!(shadow.sentences[1], "Escaped, because left out and not passing: 1 case.");
        assert!(shadow.sentences[2].contains("the share that escapes is below"), "{:?}", shadow.sentences);
    }

    #[test]
    fn where_nothing_is_left_out_nothing_is_claimed() {
        let view = ShadowView { would_select: vec!["a".into()], ..ShadowView::default() };
        let told = sentences(&view);
        assert_eq!(told.len(), 2);
        assert!(told[1].contains("nothing could escape"));
    }
}
