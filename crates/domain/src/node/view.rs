//! What people see of a node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NodeState {
    /// It has the journal.
    Owner,
    Standby,
    /// It ended, or has not counted for so long that it may be declared dead.
    Gone,
}

/// One of several hubs on one database. Times are by the clock of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    pub name: String,
    pub state: NodeState,
    /// Since when the owner has the journal.
    pub since: Option<Timestamp>,
    /// When its newest beat was counted.
    pub last_beat: Option<Timestamp>,
    /// Where clients reach it, as its settings say.
    pub public_url: Option<String>,
    /// The release that it runs.
    pub version: String,
    /// What its settings come to, of those that are to be the same on every node.
    pub config: Option<String>,
}
