//! Cases that say nearly the same: a copy that was never made into a case of its own.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use similar::TextDiff;

use crate::domain::{CaseId, WorkflowId};
use crate::manifest::{Case, HeldCase};

/// Two texts that share this much of their characters are near copies: a question of thirty letters in a case of three
/// hundred makes another case, a letter or a blank does not.
const ALIKE: f32 = 0.97;

/// In the order of their texts, and of their texts read backwards, near copies stand close together; so many are compared
/// with each. A case of every other would take hours for 100,000.
const NEIGHBOURS: usize = 8;

/// Two cases that say nearly the same.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NearCopy {
    /// The first by name.
    pub case: CaseId,
    /// The other.
    pub other: CaseId,
    /// How much of their characters they share, up to 1.
    pub alike: f32,
}

/// The pairs of near copies among the cases of each workflow, sorted. Of cases that fail other calls, or the same in another
/// way, none is a copy: one word makes that another question.
pub(super) fn near_copies<'a>(cases: impl Iterator<Item = &'a HeldCase>) -> Vec<NearCopy> {
    let mut by_faults: BTreeMap<(&WorkflowId, String), Vec<(String, &CaseId)>> = BTreeMap::new();
    let mut by_sorted: BTreeMap<(&WorkflowId, String), Vec<&CaseId>> = BTreeMap::new();
    for held in cases {
        let mut case = held.open();
        let faults = json!(case.faults).to_string();
        by_faults.entry((&held.workflow, faults)).or_default().push((essence(&case), &held.id));
        case.expect.sort_by_cached_key(|expectation| json!(expectation).to_string());
        by_sorted.entry((&held.workflow, essence(&case))).or_default().push(&held.id);
    }
    let mut pairs: BTreeMap<(&CaseId, &CaseId), f32> = BTreeMap::new();
    for mut texts in by_faults.into_values() {
        texts.sort_unstable();
        compare_neighbours(&texts, &mut pairs);
        let mut backwards: Vec<(String, &(String, &CaseId))> =
            texts.iter().map(|entry| (entry.0.chars().rev().collect(), entry)).collect();
        backwards.sort_unstable();
        let texts: Vec<(String, &CaseId)> = backwards.into_iter().map(|(_, entry)| entry.clone()).collect();
        compare_neighbours(&texts, &mut pairs);
    }
    // The order of expectations makes no other case.
    for mut alike in by_sorted.into_values() {
        alike.sort_unstable();
        for (at, case) in alike.iter().enumerate() {
            let others = alike.iter().skip(at + 1).take(NEIGHBOURS);
            pairs.extend(others.map(|other| ((*case, *other), 1.0)));
        }
    }
    let pair = |((case, other), alike): ((&CaseId, &CaseId), f32)| NearCopy {
        case: case.clone(),
        other: other.clone(),
        alike,
    };
    pairs.into_iter().map(pair).collect()
}

/// The pairs as groups, each case in one of them, sorted by their first cases. In each group the case that is alike to most others, and most alike,
/// stands first.
pub(super) fn groups(pairs: &[NearCopy]) -> Vec<Vec<CaseId>> {
    let mut beside: BTreeMap<&CaseId, Vec<(&CaseId, f32)>> = BTreeMap::new();
    for pair in pairs {
        beside.entry(&pair.case).or_default().push((&pair.other, pair.alike));
        beside.entry(&pair.other).or_default().push((&pair.case, pair.alike));
    }
    let nearness = |case: &CaseId| beside.get(case).into_iter().flatten().map(|(_, alike)| alike).sum::<f32>();
    let (mut grouped, mut groups) = (BTreeSet::new(), Vec::new());
    for first in beside.keys() {
        let (mut group, mut open) = (Vec::new(), vec![*first]);
        while let Some(case) = open.pop() {
            if grouped.insert(case) {
                group.push(case);
                open.extend(beside.get(case).into_iter().flatten().map(|(other, _)| *other));
            }
        }
        group.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)).then_with(|| a.cmp(b)));
        if !group.is_empty() {
            groups.push(group.into_iter().cloned().collect());
        }
    }
    groups
}

fn compare_neighbours<'a>(texts: &[(String, &'a CaseId)], pairs: &mut BTreeMap<(&'a CaseId, &'a CaseId), f32>) {
    let mut compared = BTreeSet::new();
    for (at, (text, case)) in texts.iter().enumerate() {
        for (other_text, other) in texts.iter().skip(at + 1).take(NEIGHBOURS) {
            let pair = if case < other { (*case, *other) } else { (*other, *case) };
            if compared.insert(pair) && could_be_alike(text, other_text) {
                let alike = TextDiff::from_chars(text.as_str(), other_text.as_str()).ratio();
                if alike >= ALIKE {
                    pairs.insert(pair, alike);
                }
            }
        }
    }
}

/// Spares the comparison of texts that differ all over: near copies share a long beginning, or a long end.
fn could_be_alike(a: &str, b: &str) -> bool {
    let longest = a.len().max(b.len());
    let shared =
        |a: &mut dyn Iterator<Item = u8>, b: &mut dyn Iterator<Item = u8>| a.zip(b).take_while(|(a, b)| a == b).count();
    let begin = shared(&mut a.bytes(), &mut b.bytes());
    let end = shared(&mut a.bytes().rev(), &mut b.bytes().rev());
    2 * (begin + end) >= longest
}

/// What a case asks and expects, without its names, in small letters and with single blanks.
fn essence(case: &Case) -> String {
    let document = json!({
        "input": case.input, "steps": case.steps, "faults": case.faults, "sources": case.sources, "expect": case.expect,
    });
    let text = document.to_string().to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{MemoryFiles, load_project};

    /// The pairs among cases with these questions.
    fn pairs(questions: &[&str]) -> Vec<(String, String)> {
        pairs_with(&questions.iter().map(|question| (*question, "")).collect::<Vec<_>>())
    }

    /// The same, each with faults.
    fn pairs_with(questions: &[(&str, &str)]) -> Vec<(String, String)> {
        let project = "schema: holdpoint.project/1\nname: x\nworkflows:\n  w: {command: {run: [cat]}, parts: [shop]}\n\
                       connectors:\n  shop: {upstream: {url: 'http://127.0.0.1:9'}, env: [SHOP]}\n";
        let shop = "kind: connector\nid: shop\nversion: '1'\nrelease: '1'\noperations:\n  order:\n    effect: create\n    \
                    wire: {method: POST, path: /orders, intention: {body: /request}}\n";
        let mut files = MemoryFiles::new().with("holdpoint.yaml", project).with("manifests/shop.yaml", shop);
        for (number, (question, faults)) in questions.iter().enumerate() {
            let text = format!(
                "id: c{number}\ntitle: t{number}\nworkflow: w\ninput: {{question: \"{question}\", customer: K-12, channel: \
                 the counter of the shop}}\nexpect:\n  - contains: Unused parts can be returned within thirty days\n{faults}"
            );
            files = files.with(&format!("cases/action/c{number}.yaml"), text);
        }
        let project = load_project(&files, &BTreeMap::new()).unwrap_or_else(|errors| panic!("{errors:?}")).project;
        let copies = near_copies(project.cases.values());
        copies.into_iter().map(|pair| (pair.case.to_string(), pair.other.to_string())).collect()
    }

    #[test]
    fn a_letter_or_a_blank_makes_no_other_case_and_another_question_does() {
        let asked = "How long can I return unused parts that I bought at the counter?";
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            pairs(&[asked, "how long  can I return unused parts that I bought at the counter"]),
            [pair("c0", "c1")]
        );
        assert_eq!(pairs(&[asked, "Is a repair of the front light under warranty after two years?"]), []);
        assert_eq!(pairs(&[asked, "x", asked]), [pair("c0", "c2")]);
    }

    #[test]
    fn near_copies_are_grouped_and_the_most_central_of_each_stands_first() {
        let pair = |case: &str, other: &str, alike| NearCopy { case: case.into(), other: other.into(), alike };
        let pairs = [pair("a", "b", 0.98), pair("b", "c", 0.98), pair("x", "y", 1.0)];
        let groups = groups(&pairs);
        assert_eq!(groups, [vec!["b".into(), "a".into(), "c".into()], vec![CaseId::from("x"), "y".into()]]);
    }

    #[test]
    fn the_order_of_expectations_makes_no_other_case() {
        let case = |id: &str, expect: [&str; 3]| {
            let expect: String = expect.iter().map(|one| format!("  - contains: {one}\n")).collect();
            format!("id: {id}\ntitle: t\nworkflow: w\ninput: {{question: How long}}\nexpect:\n{expect}")
        };
        let (window, tubes, receipt) =
            ("unused parts within thirty days", "opened tubes never", "with the receipt alone");
        let project = "schema: holdpoint.project/1\nname: x\nworkflows:\n  w: {command: {run: [cat]}, parts: []}\n";
        let files = MemoryFiles::new()
            .with("holdpoint.yaml", project)
            .with("cases/action/a.yaml", case("order-a", [window, tubes, receipt]))
            .with("cases/action/b.yaml", case("order-b", [receipt, window, tubes]))
            .with("cases/action/c.yaml", case("fewer", [window, tubes, "something else that is long enough"]));
        let project = load_project(&files, &BTreeMap::new()).unwrap_or_else(|errors| panic!("{errors:?}")).project;
        let copies = near_copies(project.cases.values());
        assert_eq!(copies, [NearCopy { case: "order-a".into(), other: "order-b".into(), alike: 1.0 }]);
    }

    #[test]
    fn another_fault_makes_another_case() {
        let asked = "How long can I return unused parts that I bought at the counter?";
        let fault = |name: &str| format!("faults: [{{connector: shop, operation: order, fault: {name}}}]\n");
        let (before, after) = (fault("drop_before"), fault("lost_ack"));
        assert_eq!(pairs_with(&[(asked, &before), (asked, &after)]), []);
        assert_eq!(pairs_with(&[(asked, &after), (asked, &after)]).len(), 1);
    }
}
