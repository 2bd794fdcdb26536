//! What damaging the passing trials of a run showed: one versioned document, and its form for the terminal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, RunId, counted};
use crate::grading::{CaseMutation, GraderChecked, Mutation, MutationTotals, Sight};

use super::ink::Ink;
use super::visible::visible_line;

/// The schema that the document names.
pub const MUTATION_SCHEMA: &str = "holdpoint.mutation/1";

/// Blind graders, and effects that nobody missed, that are printed; the document has all.
const SHOWN: usize = 20;

/// The oracle check of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutationDocument {
    /// Always [`MUTATION_SCHEMA`].
    pub schema: String,
    /// The run.
    pub run: RunId,
    /// What all cases add up to.
    pub totals: MutationTotals,
    /// The cases with a trial that passed.
    pub cases: Vec<CaseMutation>,
    /// The cases that ran and of which no trial passed: there was nothing to damage.
    pub not_tried: Vec<CaseId>,
}

impl MutationDocument {
    /// The document of these cases.
    pub fn new(run: &RunId, cases: Vec<CaseMutation>, not_tried: Vec<CaseId>) -> Self {
        let totals = MutationTotals::of(&cases);
        Self { schema: MUTATION_SCHEMA.to_owned(), run: run.clone(), totals, cases, not_tried }
    }
}

/// A sentence for each blind grader.
pub fn blind_sentences(cases: &[CaseMutation]) -> Vec<String> {
    let blind = cases.iter().flat_map(|case| case.blind().map(move |grader| (case, grader)));
    blind.map(|(case, grader)| blind_sentence(case, grader)).collect()
}

fn blind_sentence(case: &CaseMutation, grader: &GraderChecked) -> String {
    let mutants = counted(grader.concerned, "mutant");
    format!(
        "blind: expectation {} ({}) of {} passed with each of {mutants} that damaged what it looks at",
        grader.expectation + 1,
        grader.grader,
        case.case
    )
}

/// The table for the terminal, each line ended by a line feed.
pub fn mutation_text(document: &MutationDocument, styled: bool) -> String {
    let ink = Ink::new(styled);
    let mut lines = vec![ink.heading("Oracle check: passing trials damaged in one place at a time, and graded again")];
    let width = document.cases.iter().map(|case| case.case.as_str().chars().count()).max().unwrap_or(4).max(4);
    if !document.cases.is_empty() {
        lines.push(ink.quiet(&format!("  {:width$}  {:>8}  {:>8}  blind graders", "case", "mutants", "noticed")));
    }
    for case in &document.cases {
        let id = visible_line(case.case.as_str());
        let (blind, untried) = (names(case, Sight::Blind), names(case, Sight::Untried));
        let blind = if blind.is_empty() { "-".to_owned() } else { ink.bad(&blind.join(", ")) };
        let untried = if untried.is_empty() {
            String::new()
        } else {
            ink.quiet(&format!("  (no mutant concerns {})", untried.join(", ")))
        };
        lines.push(format!("  {id:width$}  {:>8}  {:>8}  {blind}{untried}", case.mutants, case.noticed));
    }
    lines.push(totals_line(document));
    some(blind_sentences(&document.cases), "blind grader", &mut lines);
    let dropped = |case: &CaseMutation| {
        let unnoticed = case.survivors.iter().filter(|mutation| matches!(mutation, Mutation::DropEffect { .. }));
        unnoticed.map(|mutation| format!("nobody noticed in {}: {}", case.case, mutation.phrase())).collect::<Vec<_>>()
    };
    some(document.cases.iter().flat_map(dropped).collect(), "such effect", &mut lines);
    lines.push(String::new());
    lines.join("\n")
}

fn names(case: &CaseMutation, sight: Sight) -> Vec<String> {
    let of_sight = case.graders.iter().filter(|grader| grader.sight == sight);
    of_sight.map(|grader| format!("{} ({})", grader.expectation + 1, visible_line(&grader.grader))).collect()
}

fn totals_line(document: &MutationDocument) -> String {
    let totals = &document.totals;
    let mut parts = vec![
        counted(totals.cases, "case"),
        format!("{} of which {} noticed", counted(totals.mutants, "mutant"), totals.noticed),
        counted(totals.blind, "blind grader"),
    ];
    if totals.left_out > 0 {
        parts.push(format!("{} left out", counted(totals.left_out, "mutant")));
    }
    if !document.not_tried.is_empty() {
        parts.push(format!("{} without a trial that passed", counted(document.not_tried.len(), "case")));
    }
    format!("{}.", parts.join(", "))
}

fn some(sentences: Vec<String>, what: &str, lines: &mut Vec<String>) {
    let more = sentences.len().saturating_sub(SHOWN);
    lines.extend(sentences.into_iter().take(SHOWN).map(|sentence| format!("  {}", visible_line(&sentence))));
    if more > 0 {
        lines.push(format!("  and {} in mutation.json", counted(more, &format!("more {what}"))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, sights: &[Sight], survivors: usize) -> CaseMutation {
        let grader = |(expectation, sight): (usize, &Sight)| GraderChecked {
            expectation,
            grader: "effects".to_owned(),
            sight: *sight,
            concerned: 4,
            noticed: 0,
        };
        CaseMutation {
            case: id.into(),
            trials: 1,
            mutants: 9,
            noticed: 9 - survivors,
            noticed_silence: 0,
            left_out: 0,
            survivors: (0..survivors).map(|row| Mutation::DropEffect { probe: "queue".to_owned(), row }).collect(),
            graders: sights.iter().enumerate().map(grader).collect(),
        }
    }

    fn document() -> MutationDocument {
        let cases = vec![
            case("staged-once", &[Sight::Sees, Sight::NotJudged], 0),
            case("loose", &[Sight::Untried, Sight::Blind], 1),
        ];
        MutationDocument::new(&RunId::new("r-1"), cases, vec!["failing".into()])
    }

    #[test]
    fn the_table_names_who_is_blind_and_what_nobody_missed() {
        let expected = "\
Oracle check: passing trials damaged in one place at a time, and graded again
  case          mutants   noticed  blind graders
  staged-once         9         9  -
  loose               9         8  2 (effects)  (no mutant concerns 1 (effects))
2 cases, 18 mutants of which 17 noticed, 1 blind grader, 1 case without a trial that passed.
  blind: expectation 2 (effects) of loose passed with each of 4 mutants that damaged what it looks at
  nobody noticed in loose: effect 1 of queue was missing
";
        assert_eq!(mutation_text(&document(), false), expected);
    }

    #[test]
    fn much_is_cut_and_hostile_names_stay_on_their_line() {
        let many: Vec<CaseMutation> =
            (0..30).map(|number| case(&format!("c{number}\n\u{1b}[2J"), &[Sight::Blind], 0)).collect();
        let text = mutation_text(&MutationDocument::new(&RunId::new("r-1"), many, Vec::new()), false);
        assert_eq!(text.lines().filter(|line| line.contains("blind: ")).count(), SHOWN);
        assert!(text.contains("and 10 more blind graders in mutation.json"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn the_document_is_read_as_it_was_written() {
        let text = serde_json::to_string(&document()).unwrap();
        assert_eq!(serde_json::from_str::<MutationDocument>(&text).unwrap(), document());
        assert!(text.starts_with(r#"{"schema":"holdpoint.mutation/1","run":"r-1","totals":{"#), "{text}");
    }
}
