//! The manifest of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::PartId;

use super::PartKind;

/// A model, how it is sampled, and the limits it runs under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelManifest {
    /// The part's identity. It never changes, and no other part has it, whatever the letter case.
    pub id: PartId,
    /// Always `model` here.
    #[schemars(extend("const" = "model"))]
    pub kind: PartKind,
    /// The version, raised with every change.
    pub version: String,
    /// What the part is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further settings, of the provider or of a practice workflow. Each leaf is a facet like any other.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Who serves the model.
    pub provider: String,
    /// The model's name, as the provider spells it.
    pub name: String,
    /// The dated snapshot, where the name alone can come to mean another model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// How it is sampled; what is left out is the provider's default.
    #[serde(default)]
    pub sampling: Sampling,
    /// The limits it runs under.
    #[serde(default)]
    pub limits: ModelLimits,
}

/// How a model is sampled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// The temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// The share of probability that nucleus sampling keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub top_p: Option<f64>,
    /// The most tokens of one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_output_tokens: Option<u64>,
    /// The seed, where the provider takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Texts that end an answer.
    #[serde(default)]
    pub stop: Vec<String>,
}

/// The limits that a model runs under.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelLimits {
    /// The tokens that one request can hold, answer included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub context_tokens: Option<u64>,
    /// The most requests in a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub requests_per_minute: Option<u64>,
    /// The most tokens in a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub tokens_per_minute: Option<u64>,
    /// Seconds after which a request is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001))]
    pub timeout_s: Option<f64>,
    /// What one request may cost at the most, in the currency that the provider bills in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub cost_per_request: Option<f64>,
}
