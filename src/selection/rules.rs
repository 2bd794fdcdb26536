//! The built-in rules, as data: which kind of change puts which risks at stake, and for whom.

use serde::Serialize;

use crate::change::ChangeKind;
use crate::domain::{ANSWER_RISKS, BUILT_IN_RISKS, Risk};

/// Whose cases a rule reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleScope {
    /// Cases of the workflows that use the part, where they show one of the rule's risks.
    UsingWorkflows,
    /// Cases that rest on the source, where they show one of the rule's risks.
    CitingCases,
    /// The case that changed, and no other.
    ThatCase,
    /// Every case, whatever it shows.
    Everything,
    /// No case.
    Nothing,
}

impl RuleScope {
    /// Whom the rule reaches, as a phrase for a person.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::UsingWorkflows => "cases of the workflows that use the part",
            Self::CitingCases => "cases that rest on the source",
            Self::ThatCase => "that case",
            Self::Everything => "every case",
            Self::Nothing => "no case",
        }
    }
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The kind of change that it speaks of.
    pub(super) change: ChangeKind,
    /// The risks that such a change puts at stake: where no case shows one, the change is uncovered.
    pub(super) risks: &'static [&'static str],
    /// Further risks at stake: cases that show one run, and nothing is missed where there are none.
    pub(super) further: &'static [&'static str],
    /// Whose cases it reaches.
    pub(super) scope: RuleScope,
    /// Why it is so.
    pub(super) sentence: &'static str,
}

/// The rules, one for each kind of change.
const RULES: [Rule; 11] = [
    Rule {
        change: ChangeKind::Model,
        risks: &ANSWER_RISKS,
        further: &[],
        scope: RuleScope::UsingWorkflows,
        sentence: "Another model, or another way to sample it, can change any answer.",
    },
    Rule {
        change: ChangeKind::Prompt,
        risks: &ANSWER_RISKS,
        further: &[],
        scope: RuleScope::UsingWorkflows,
        sentence: "Another prompt can change any answer of the workflows that use it.",
    },
    Rule {
        change: ChangeKind::Source,
        risks: &["policy_accuracy", "source_conflict", "missing_availability"],
        further: &["injected_instructions"],
        scope: RuleScope::CitingCases,
        sentence: "An answer that rests on this source can be out of date, contradict another source, or promise what is gone. \
                   A case that names no source rests on all of its workflow's. What a source says can also be an order.",
    },
    Rule {
        change: ChangeKind::Permissions,
        risks: &["access", "action", "injected_instructions"],
        further: &[],
        scope: RuleScope::UsingWorkflows,
        sentence: "What may be read and done is drawn anew, and with it what an injected instruction could reach.",
    },
    Rule {
        change: ChangeKind::Connector,
        risks: &["action", "duplicate", "uncertain_outcome", "partial_failure"],
        further: &["access", "operations"],
        scope: RuleScope::UsingWorkflows,
        sentence: "Another release, endpoint, contract or retry policy changes what happens when a call fails halfway or is \
                   refused, how often it is tried again and how long that takes.",
    },
    Rule {
        change: ChangeKind::Tool,
        risks: &["access", "action", "injected_instructions", "duplicate", "uncertain_outcome"],
        further: &["malformed_output"],
        scope: RuleScope::UsingWorkflows,
        sentence: "A new or changed tool can be called where it should not be, twice, or with an end that nobody saw, and \
                   what it returns can be of another form.",
    },
    Rule {
        change: ChangeKind::Code,
        risks: &BUILT_IN_RISKS,
        further: &[],
        scope: RuleScope::Everything,
        sentence: "A workflow's code can change anything.",
    },
    Rule {
        change: ChangeKind::Case,
        risks: &[],
        further: &[],
        scope: RuleScope::ThatCase,
        sentence: "A case whose input, fixture or expectation changed runs in its old and its new form.",
    },
    Rule {
        change: ChangeKind::Project,
        risks: &BUILT_IN_RISKS,
        further: &[],
        scope: RuleScope::Everything,
        sentence: "The project file says what is tested and what the gate demands.",
    },
    UNKNOWN,
    Rule {
        change: ChangeKind::Inert,
        risks: &[],
        further: &[],
        scope: RuleScope::Nothing,
        sentence: "The project lists the path as inert.",
    },
];

/// The rule for what no rule knows.
const UNKNOWN: Rule = Rule {
    change: ChangeKind::Unclassified,
    risks: &BUILT_IN_RISKS,
    further: &[],
    scope: RuleScope::Everything,
    sentence: "No rule knows the path, so nothing can be said to be safe from it.",
};

/// The rule for this kind of change.
pub(super) fn rule_for(kind: ChangeKind) -> &'static Rule {
    RULES.iter().find(|rule| rule.change == kind).unwrap_or(&UNKNOWN)
}

impl Rule {
    /// The risks that such a change puts at stake in a project with these risks of its own, sorted. No built-in
    /// rule can know what a project's own risk depends on, so every rule that names any risk names those too.
    pub(super) fn risks_with(&self, project_risks: &[Risk]) -> Vec<Risk> {
        if self.risks.is_empty() {
            return Vec::new();
        }
        let mut risks: Vec<Risk> = self.risks.iter().chain(self.further).copied().map(Risk::from).collect();
        risks.extend(project_risks.iter().cloned());
        risks.sort_unstable();
        risks.dedup();
        risks
    }

    /// Whether the rule itself demands a case for this risk.
    pub(super) fn names(&self, risk: &Risk) -> bool {
        self.risks.contains(&risk.as_str())
    }
}

/// One rule as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleRow {
    /// The kind of change.
    pub change: ChangeKind,
    /// The risks that it puts at stake, sorted.
    pub risks: Vec<Risk>,
    /// Whose cases it reaches.
    pub scope: RuleScope,
    /// Why it is so.
    pub sentence: &'static str,
}

/// Every rule as it holds in a project with these risks of its own (`risks` in the project file).
pub fn rule_rows(project_risks: &[Risk]) -> Vec<RuleRow> {
    RULES
        .iter()
        .map(|rule| RuleRow {
            change: rule.change,
            risks: rule.risks_with(project_risks),
            scope: rule.scope,
            sentence: rule.sentence,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(kind: ChangeKind) -> Vec<&'static str> {
        let rule = rule_for(kind);
        let mut names: Vec<&str> = rule.risks.iter().chain(rule.further).copied().collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn each_kind_of_part_puts_the_risks_at_stake_that_the_documentation_lists() {
        let answers = [
            "context_boundaries",
            "injected_instructions",
            "malformed_output",
            "missing_availability",
            "policy_accuracy",
            "source_conflict",
        ];
        assert_eq!(names(ChangeKind::Model), answers);
        assert_eq!(names(ChangeKind::Prompt), answers);
        assert_eq!(
            names(ChangeKind::Source),
            ["injected_instructions", "missing_availability", "policy_accuracy", "source_conflict"]
        );
        assert_eq!(names(ChangeKind::Permissions), ["access", "action", "injected_instructions"]);
        assert_eq!(
            names(ChangeKind::Tool),
            ["access", "action", "duplicate", "injected_instructions", "malformed_output", "uncertain_outcome"]
        );
        assert_eq!(
            names(ChangeKind::Connector),
            ["access", "action", "duplicate", "operations", "partial_failure", "uncertain_outcome"]
        );
        let demanded = |kind: ChangeKind| rule_for(kind).names(&Risk::from("injected_instructions"));
        assert!(
            demanded(ChangeKind::Tool) && !demanded(ChangeKind::Source),
            "what is at stake besides demands no case"
        );
    }

    #[test]
    fn code_the_project_file_and_unknown_paths_put_everything_at_stake() {
        for kind in [ChangeKind::Code, ChangeKind::Project, ChangeKind::Unclassified] {
            assert_eq!(rule_for(kind).scope, RuleScope::Everything, "{}", kind.name());
            assert_eq!(rule_for(kind).risks.len(), BUILT_IN_RISKS.len(), "{}", kind.name());
        }
        assert_eq!(rule_for(ChangeKind::Inert).scope, RuleScope::Nothing);
        assert_eq!(rule_for(ChangeKind::Case).scope, RuleScope::ThatCase);
    }

    #[test]
    fn every_kind_has_one_rule_of_its_own() {
        use ChangeKind::{
            Case, Code, Connector, Inert, Model, Permissions, Project, Prompt, Source, Tool, Unclassified,
        };
        let kinds = [Model, Prompt, Source, Permissions, Connector, Tool, Code, Case, Project, Unclassified, Inert];
        assert_eq!(RULES.len(), kinds.len());
        for kind in kinds {
            assert_eq!(rule_for(kind).change, kind);
        }
    }

    #[test]
    fn every_risk_that_a_rule_names_is_built_in() {
        for risk in RULES.iter().flat_map(|rule| rule.risks.iter().chain(rule.further)) {
            assert!(BUILT_IN_RISKS.contains(risk), "{risk}");
        }
    }

    #[test]
    fn a_risk_that_the_project_names_itself_is_at_stake_with_every_part_and_never_with_inert_paths() {
        let rows = rule_rows(&[Risk::from("tone")]);
        for row in rows {
            let has_tone = row.risks.contains(&Risk::from("tone"));
            assert_eq!(has_tone, !matches!(row.change, ChangeKind::Case | ChangeKind::Inert), "{}", row.change.name());
        }
    }
}
