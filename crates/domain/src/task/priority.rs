//! How urgent a task is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How urgent. A task older than `agingAfter` counts as one class higher.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// In its turn.
    #[default]
    Normal,
    /// Before what is normal.
    High,
    /// Before everything else.
    Critical,
}
