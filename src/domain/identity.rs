//! Identities: names that never change once given, kept apart by type. A copy shares the text: a run of many cases names each of
//! them in a dozen places.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! identity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes the text as it is; the manifest room has checked its form.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The text of the identity.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

identity!(
    /// A case's identity: unique in the project, also when letter case is ignored.
    CaseId
);
identity!(
    /// A part's identity: the `id` of its manifest.
    PartId
);
identity!(
    /// A workflow's name in the project file.
    WorkflowId
);
identity!(
    /// A run's identity. Run ids sort by the time at which the run began.
    RunId
);
identity!(
    /// An intended business action's identity, the same over all its retries.
    OperationId
);
