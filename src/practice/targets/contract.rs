//! What a target promises, as the manifest of its connector states it.

use serde_json::Value;

use crate::domain::PartId;
use crate::manifest::{ConnectorManifest, Idempotency, IdempotencyKey, Manifest, Operation, Part};
use crate::practice::PracticeError;

use super::clock::ms;

/// How long a caller waits for an answer where the manifest's `settings.timeout_s` does not say, in milliseconds.
const DEFAULT_TIMEOUT_MS: i64 = 5_000;

/// The contract of one target.
#[derive(Clone, Debug)]
pub struct Contract {
    manifest: ConnectorManifest,
}

impl Contract {
    /// The contract that a connector's manifest states.
    ///
    /// # Errors
    /// When the part is no connector.
    pub fn of(part: &Part) -> Result<Self, PracticeError> {
        match part.manifest() {
            Ok(Manifest::Connector(manifest)) => Ok(Self { manifest: manifest.clone() }),
            Ok(_) => Err(PracticeError::Setup {
                what: format!("`{}` is a manifest of kind {}", part.id, part.kind),
                hint: "the contract of a target is the manifest of a connector".to_owned(),
            }),
            Err(error) => Err(PracticeError::Setup {
                what: format!("the manifest of `{}` fits no connector: {error}", part.id),
                hint: "`holdpoint schema` prints what a manifest can hold".to_owned(),
            }),
        }
    }

    /// The connector's identity.
    pub fn id(&self) -> &PartId {
        &self.manifest.id
    }

    /// One of its operations.
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.manifest.operations.get(name)
    }

    /// How long a caller waits for an answer, in milliseconds.
    pub fn timeout_ms(&self) -> i64 {
        self.manifest.settings.get("timeout_s").and_then(Value::as_f64).map_or(DEFAULT_TIMEOUT_MS, ms)
    }

    /// The role to which an operation is given whose outcome the workflow cannot settle.
    pub fn owner_role(&self) -> Option<&str> {
        self.manifest.settings.get("owner_role").and_then(Value::as_str)
    }
}

/// Whether a caller can send the same request again and be protected by its key.
pub(crate) fn has_key(idempotency: &Idempotency) -> bool {
    idempotency.key != IdempotencyKey::None
}

/// By how much what this operation wrote can be missing from the target's views, in milliseconds.
pub(crate) fn lag_ms(operation: &Operation) -> i64 {
    operation.lookup.as_ref().map_or(0, |lookup| ms(lookup.lag_s))
}

/// After how long nothing of a request can still take effect, in milliseconds; `None` where nothing bounds it.
pub(crate) fn bound_ms(operation: &Operation) -> Option<i64> {
    operation.processing.map(|processing| ms(processing.within_s))
}
