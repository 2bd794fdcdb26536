//! What the gate demands before it passes: of the project, and of each case set.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::Risk;

use super::project_file::ProjectFile;

/// What the gate demands before it passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GatePolicy {
    /// Whether a baseline must exist. Without it a project that never accepted one is judged by its cases alone.
    #[serde(default = "yes")]
    pub require_baseline: bool,
    /// Whether a change that puts a risk on a part without any case keeps the gate from passing.
    #[serde(default = "yes")]
    pub uncovered_is_inconclusive: bool,
}

fn yes() -> bool {
    true
}

impl Default for GatePolicy {
    fn default() -> Self {
        Self { require_baseline: true, uncovered_is_inconclusive: true }
    }
}

/// What is said of one case set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetSpec {
    /// At least so many trials of each of its cases; a case that says more gets more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub trials: Option<u32>,
    /// What the gate tolerates in it. By default nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<SetPolicy>,
}

/// What the gate tolerates in a set: exactly one of its fields. Whatever it is, a case that errored or whose evidence is
/// uncertain keeps the gate from passing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct SetPolicy {
    /// No case may fail that was not accepted as failing. The default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_tolerance: Option<ZeroTolerance>,
    /// Cases may fail as long as the rest shows that enough of them pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_rate: Option<MinimumRate>,
    /// Cases that passed at acceptance may fail as long as that is no significant drop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_significant_drop: Option<NoSignificantDrop>,
}

/// Nothing is tolerated: it has no settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZeroTolerance {}

/// The share of cases that must pass, as their number shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MinimumRate {
    /// The least share of passes, above 0 and below 1. It must be shown, not just reached: the one-sided exact lower
    /// limit must not lie below it.
    #[schemars(range(min = 0.01, max = 0.9999))]
    pub at_least: f64,
    /// With this confidence.
    #[serde(default = "default_confidence")]
    #[schemars(range(min = 0.8, max = 0.9999))]
    pub confidence: f64,
}

fn default_confidence() -> f64 {
    0.95
}

/// A drop from what was accepted, on the same cases, judged by McNemar's exact test. With fewer flips than could show
/// anything the gate is inconclusive. That no drop was found does not show that there is none: `margin` asks for that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoSignificantDrop {
    /// The level of the test, over all sets with this policy together (Holm).
    #[serde(default = "default_alpha")]
    #[schemars(range(min = 0.0001, max = 0.2))]
    pub alpha: f64,
    /// By how much the share of passes may have dropped, as a share: 0.05 is five points. With it, cases may fail only where the
    /// data show, one-sided at `alpha`, that the drop is smaller: the lower limit of Newcombe's paired interval must not lie
    /// below. Each set must show it for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 0.5))]
    pub margin: Option<f64>,
}

fn default_alpha() -> f64 {
    0.05
}

/// The policy of a set as one of three.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SetRule {
    /// See [`ZeroTolerance`].
    ZeroTolerance,
    /// See [`MinimumRate`].
    MinimumRate(MinimumRate),
    /// See [`NoSignificantDrop`].
    NoSignificantDrop(NoSignificantDrop),
}

impl SetPolicy {
    /// Which of the three it is.
    pub fn rule(&self) -> SetRule {
        match (self.minimum_rate, self.no_significant_drop) {
            (Some(minimum), None) => SetRule::MinimumRate(minimum),
            (None, Some(drop)) => SetRule::NoSignificantDrop(drop),
            _ => SetRule::ZeroTolerance,
        }
    }
}

/// All that a project file says of the gate, in a form that a baseline records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectPolicy {
    /// What holds for the project.
    pub gate: GatePolicy,
    /// What is tolerated in a set, for the sets that say it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<Risk, SetPolicy>,
}

impl ProjectPolicy {
    /// The rule of a set.
    pub fn rule(&self, set: &Risk) -> SetRule {
        self.sets.get(set).map_or(SetRule::ZeroTolerance, SetPolicy::rule)
    }
}

impl ProjectFile {
    /// What it says of the gate.
    pub fn policy(&self) -> ProjectPolicy {
        let sets = self.sets.iter().filter_map(|(set, spec)| Some((set.clone(), spec.policy?)));
        ProjectPolicy { gate: self.gate.clone(), sets: sets.collect() }
    }

    /// How many trials a case of this set gets that asks for so many itself.
    pub fn trials(&self, set: &Risk, own: u32) -> u32 {
        self.sets.get(set).and_then(|spec| spec.trials).map_or(own, |least| least.max(own))
    }
}
