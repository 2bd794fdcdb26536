//! What a project declares of its own: kinds of part, and rules that say what a change puts at risk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::Risk;

/// A kind of part of the project's own. Its manifests have `id`, `kind`, `version`, `description`, `files` and `globs`, and
/// the keys of the kind: each leaf is a facet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindSpec {
    /// What such a part is, in a sentence; `holdpoint rules` shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A JSON Schema (draft 2020-12) of the kind's own keys. Without one, any key is a facet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Map<String, Value>>,
}

/// What a change of a kind of part, or of one of its facets, puts at risk. For a kind of the project's own the rules are all there
/// are: a change that none of them takes runs every case. For a built-in kind they count beside the built-in rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleSpec {
    /// The kind of part: one of `kinds`, or a built-in one.
    pub kind: String,
    /// The facet that it takes, with all that lies below it, as a plan names facets: `limits` takes `limits.daily` and `limits[0]`;
    /// `files` takes what stands in the files, too. Without one the rule takes every change of such a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facet: Option<String>,
    /// The risks that such a change puts at stake, for the workflows that use the part. One without a case is uncovered.
    #[schemars(length(min = 1))]
    pub risks: Vec<Risk>,
    /// Why it is so, in a sentence; `holdpoint rules` shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl RuleSpec {
    /// Whether the rule takes a change of this facet, as facets are written in a plan.
    pub fn takes(&self, facet: &str) -> bool {
        self.facet.as_deref().is_none_or(|own| facet_lies_in(own, facet))
    }
}

/// Whether a facet, as a plan writes it, is the one that a rule names or lies below it.
pub fn facet_lies_in(named: &str, facet: &str) -> bool {
    let below = facet.strip_prefix(named);
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        || named == "files" && facet.starts_with("file:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_takes_its_facet_and_what_lies_below_it() {
        let rule = |facet: Option<&str>| RuleSpec {
            kind: String::new(),
            facet: facet.map(str::to_owned),
            risks: Vec::new(),
            because: None,
        };
        let takes = |own: &str, facet: &str| rule(Some(own)).takes(facet);
        assert!(takes("limits", "limits") && takes("limits", "limits.daily") && takes("limits", "limits[0]"));
        assert!(takes("files", "file:a.md") && takes("files", "files[0]") && takes("limits.daily", "limits.daily.max"));
        assert!(!takes("limits", "limits2") && !takes("limits.daily", "limits") && !takes("limits", "file:limits"));
        assert!(rule(None).takes("anything"));
    }
}
