//! How well a completion is proven.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The grade of a proof; a later one is worth more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceGrade {
    /// The agent says so.
    #[default]
    Said,
    /// The agent ran a command and reports its outcome.
    SelfChecked,
    /// The hub saw it: a file, a review, a terminal.
    Observed,
    /// Continuous integration says so.
    Ci,
}
