//! The rules, as data: which kind of change puts which risks at stake, and for whom. The built-in ones stand here, and the
//! project's own are read beside them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::change::ChangeKind;
use crate::domain::{ANSWER_RISKS, BUILT_IN_RISKS, CALL_RISKS, Risk};
use crate::manifest::{ProjectFile, RuleSpec};

/// Whose cases a rule reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
        risks: &CALL_RISKS,
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

/// The built-in rule for this kind of change.
fn rule_for(kind: ChangeKind) -> &'static Rule {
    RULES.iter().find(|rule| rule.change == kind).unwrap_or(&UNKNOWN)
}

/// What the rules say of a change, the project's own among them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ruling {
    /// Every risk at stake.
    pub(super) risks: BTreeSet<Risk>,
    /// Those for which a case is demanded: where none shows one, the change is uncovered.
    pub(super) demanded: BTreeSet<Risk>,
    /// Whose cases it reaches.
    pub(super) scope: RuleScope,
}

/// Which change is asked about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked<'a> {
    /// Of this facet; of a whole part where there is none.
    Facet(Option<&'a str>),
    /// Whichever may come one day.
    Any,
}

/// What is said of such a change. A kind of the project's own has its rules and no others, and a change that none of them takes
/// reaches every case. For all other kinds the project can only say more than is built in.
pub(super) fn ruling(file: &ProjectFile, kind: ChangeKind, asked: Asked<'_>) -> Ruling {
    let of_kind: Vec<&RuleSpec> = own_rules(file, kind).collect();
    let is_for_all = of_kind.iter().any(|rule| rule.facet.is_none());
    let taking: Vec<&RuleSpec> = match asked {
        Asked::Facet(Some(facet)) if facet != "*" => of_kind.into_iter().filter(|rule| rule.takes(facet)).collect(),
        // A part that came or went is a change of every facet: rules for some do not speak for the rest.
        Asked::Facet(_) if !is_for_all && matches!(kind, ChangeKind::Own(_)) => Vec::new(),
        Asked::Facet(_) | Asked::Any => of_kind,
    };
    let own: BTreeSet<Risk> = taking.iter().flat_map(|rule| rule.risks.iter().cloned()).collect();
    if matches!(kind, ChangeKind::Own(_)) && !taking.is_empty() {
        return Ruling { risks: own.clone(), demanded: own, scope: RuleScope::UsingWorkflows };
    }
    let built_in = rule_for(kind);
    let mut risks: BTreeSet<Risk> = built_in.risks_with(&file.risks).into_iter().collect();
    let mut demanded = built_in.demanded();
    risks.extend(own.iter().cloned());
    demanded.extend(own);
    Ruling { risks, demanded, scope: built_in.scope }
}

/// The project's own rules for a kind of change.
fn own_rules(file: &ProjectFile, kind: ChangeKind) -> impl Iterator<Item = &RuleSpec> {
    file.rules.iter().filter(move |rule| rule.kind == kind.name())
}

impl Rule {
    /// The risks for which such a change demands a case. What reaches every case runs those that there are, and demands none.
    fn demanded(&self) -> BTreeSet<Risk> {
        match self.scope {
            RuleScope::Everything => BTreeSet::new(),
            _ => self.risks.iter().copied().map(Risk::from).collect(),
        }
    }

    /// The risks that such a change puts at stake in a project with these risks of its own, sorted. No built-in
    /// rule can know what a project's own risk depends on, so every rule that names any risk names those too.
    fn risks_with(&self, project_risks: &[Risk]) -> Vec<Risk> {
        if self.risks.is_empty() {
            return Vec::new();
        }
        let mut risks: Vec<Risk> = self.risks.iter().chain(self.further).copied().map(Risk::from).collect();
        risks.extend(project_risks.iter().cloned());
        risks.sort_unstable();
        risks.dedup();
        risks
    }
}

/// One rule as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleRow {
    /// The kind of change.
    pub change: ChangeKind,
    /// The facet that it takes, with what lies below it; every change of the kind where there is none.
    pub facet: Option<String>,
    /// The risks that it puts at stake, sorted.
    pub risks: Vec<Risk>,
    /// Those of them for which a case is demanded, sorted: where none shows one, the change is uncovered.
    pub demanded: Vec<Risk>,
    /// Whose cases it reaches.
    pub scope: RuleScope,
    /// Why it is so.
    pub sentence: String,
    /// Whether the project says it.
    pub own: bool,
}

/// Every rule as it holds in a project: the built-in ones, and then its own. A kind of its own that no rule takes as a whole has a
/// row that says what happens then.
pub fn rule_rows(file: Option<&ProjectFile>) -> Vec<RuleRow> {
    let own_risks = file.map(|file| file.risks.as_slice()).unwrap_or_default();
    let mut rows: Vec<RuleRow> = RULES
        .iter()
        .map(|rule| RuleRow {
            change: rule.change,
            facet: None,
            risks: rule.risks_with(own_risks),
            demanded: rule.demanded().into_iter().collect(),
            scope: rule.scope,
            sentence: rule.sentence.to_owned(),
            own: false,
        })
        .collect();
    let Some(file) = file else { return rows };
    for (name, spec) in &file.kinds {
        let Ok(kind) = name.parse() else { continue };
        let change = ChangeKind::Own(kind);
        rows.extend(own_rules(file, change).map(|rule| own_row(change, rule, spec.description.as_deref())));
        if !own_rules(file, change).any(|rule| rule.facet.is_none()) {
            let all: BTreeSet<Risk> = UNKNOWN.risks_with(own_risks).into_iter().collect();
            let what = if own_rules(file, change).next().is_some() { "any other change" } else { "a change" };
            rows.push(RuleRow {
                change,
                facet: None,
                risks: all.into_iter().collect(),
                demanded: Vec::new(),
                scope: RuleScope::Everything,
                sentence: format!("No rule of the project says what {what} puts at risk."),
                own: false,
            });
        }
    }
    for change in RULES.iter().map(|rule| rule.change) {
        rows.extend(own_rules(file, change).map(|rule| own_row(change, rule, None)));
    }
    rows
}

fn own_row(change: ChangeKind, rule: &RuleSpec, description: Option<&str>) -> RuleRow {
    let risks: BTreeSet<Risk> = rule.risks.iter().cloned().collect();
    let sentence = rule.because.as_deref().or(description).unwrap_or("The project says so.").to_owned();
    let scope = rule_for(change).scope;
    let scope = if scope == RuleScope::CitingCases { scope } else { RuleScope::UsingWorkflows };
    let risks: Vec<Risk> = risks.into_iter().collect();
    RuleRow { change, facet: rule.facet.clone(), demanded: risks.clone(), risks, scope, sentence, own: true }
}

/// The risks that any change of a kind can put at stake in the project.
pub fn risks_at_stake(file: &ProjectFile, kind: ChangeKind) -> BTreeSet<Risk> {
    ruling(file, kind, Asked::Any).risks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{MemoryFiles, load_side};

    fn project_file(more: &str) -> ProjectFile {
        let text = format!(
            "schema: holdpoint.project/1\nname: x\nworkflows:\n  w:\n    command: {{run: [w]}}\n    parts: []\n{more}\n"
        );
        let side = load_side(&MemoryFiles::new().with("holdpoint.yaml", text));
        side.project_file.unwrap_or_else(|| panic!("{:?}", side.unreadable))
    }

    fn names(kind: ChangeKind) -> Vec<&'static str> {
        let rule = rule_for(kind);
        let mut names: Vec<&str> = rule.risks.iter().chain(rule.further).copied().collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_rule_shows_what_is_demanded_when_a_change_comes() {
        let file = project_file("risks: [tone]");
        for row in rule_rows(Some(&file)) {
            let ruling = ruling(&file, row.change, Asked::Any);
            assert_eq!(row.demanded, ruling.demanded.into_iter().collect::<Vec<_>>(), "{:?}", row.change);
            assert_eq!(row.risks, ruling.risks.into_iter().collect::<Vec<_>>(), "{:?}", row.change);
            assert!(!row.demanded.contains(&"tone".into()), "no built-in rule knows what an own risk depends on");
        }
        let of =
            |kind: ChangeKind| rule_rows(None).into_iter().find(|row| row.change == kind).map(|row| row.demanded.len());
        assert_eq!((of(ChangeKind::Source), of(ChangeKind::Code)), (Some(3), Some(0)));
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
        let demanded = |kind: ChangeKind| rule_for(kind).risks.contains(&"injected_instructions");
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
        let file = project_file("risks: [tone]");
        for row in rule_rows(Some(&file)) {
            let has_tone = row.risks.contains(&Risk::from("tone"));
            assert_eq!(has_tone, !matches!(row.change, ChangeKind::Case | ChangeKind::Inert), "{}", row.change.name());
        }
    }

    const OWN: &str = "risks: [tone]\nkinds: {guard: {}, lone: {}}\nrules:\n  - {kind: guard, facet: limits, risks: [action]}\n  \
                       - {kind: guard, facet: words, risks: [tone, access]}\n  - {kind: prompt, facet: settings.voice, risks: [tone, operations]}";

    fn risks_of(ruling: &Ruling) -> Vec<&str> {
        ruling.risks.iter().map(Risk::as_str).collect()
    }

    #[test]
    fn a_kind_of_ones_own_puts_at_stake_what_its_rules_say_and_everything_where_none_takes_the_change() {
        let file = project_file(OWN);
        let kind = ChangeKind::Own("guard".parse().unwrap());
        let of = |facet: Option<&str>| ruling(&file, kind, Asked::Facet(facet));
        assert_eq!(risks_of(&of(Some("limits.daily"))), ["action"]);
        assert_eq!(of(Some("limits.daily")).scope, RuleScope::UsingWorkflows);
        assert_eq!(of(Some("words[0]")).demanded.len(), 2);
        for facet in [None, Some("*"), Some("other"), Some("limits2"), Some("file:limits")] {
            assert_eq!(of(facet).scope, RuleScope::Everything, "{facet:?}");
            assert_eq!(of(facet).risks.len(), BUILT_IN_RISKS.len() + 1, "{facet:?}");
        }
        let lone = ruling(&file, ChangeKind::Own("lone".parse().unwrap()), Asked::Facet(Some("limits")));
        assert_eq!(lone.scope, RuleScope::Everything);
        assert!(lone.demanded.is_empty(), "every case runs, and none is missed");
    }

    #[test]
    fn a_rule_for_the_whole_kind_takes_every_change_beside_those_for_facets() {
        let file = project_file(&format!("{OWN}\n  - {{kind: guard, risks: [duplicate]}}"));
        let kind = ChangeKind::Own("guard".parse().unwrap());
        let of = |facet: Option<&str>| ruling(&file, kind, Asked::Facet(facet));
        assert_eq!(risks_of(&of(Some("limits.daily"))), ["action", "duplicate"]);
        assert_eq!(risks_of(&of(Some("other"))), ["duplicate"]);
        assert_eq!(risks_of(&of(None)), ["access", "action", "duplicate", "tone"]);
    }

    #[test]
    fn of_a_built_in_kind_the_project_can_only_say_more() {
        let file = project_file(OWN);
        let of = |facet: &str| ruling(&file, ChangeKind::Prompt, Asked::Facet(Some(facet)));
        assert!(of("files[0]").risks.len() == ANSWER_RISKS.len() + 1, "the answer risks, and the project's own");
        assert!(of("settings.voice").risks.contains(&Risk::from("operations")));
        assert!(of("settings.voice").demanded.contains(&Risk::from("tone")));
        assert!(!of("files[0]").demanded.contains(&Risk::from("tone")));
    }

    #[test]
    fn the_list_names_the_projects_own_rules_and_what_no_rule_takes() {
        let rows = rule_rows(Some(&project_file(OWN)));
        let own: Vec<(&str, Option<&str>, bool)> =
            rows[RULES.len()..].iter().map(|row| (row.change.name(), row.facet.as_deref(), row.own)).collect();
        let expected = [
            ("guard", Some("limits"), true),
            ("guard", Some("words"), true),
            ("guard", None, false),
            ("lone", None, false),
            ("prompt", Some("settings.voice"), true),
        ];
        assert_eq!(own, expected);
    }
}
