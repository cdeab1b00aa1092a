//! What a terminal is, from its first moment on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, PrincipalId, TerminalId};
use crate::names::names;
use crate::time::Timestamp;

/// Whose terminal it is, and where its output comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TerminalSpec {
    pub id: TerminalId,
    pub owner: PrincipalId,
    pub agent: Option<AgentId>,
    /// Where that agent works: what people answer is learned for each place by itself.
    pub workspace: Option<String>,
    pub kind: TerminalKind,
    /// The file that is followed, as it was found below its root.
    pub log_file: Option<String>,
    /// What whoever opened it says of it.
    pub metadata: BTreeMap<String, String>,
    pub started_at: Timestamp,
}

/// Where a terminal's output comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TerminalKind {
    /// Whoever runs the program sends it.
    Pushed,
    /// A host runs the program, and knows what only a host can.
    Hosted,
    /// The log of a remote session.
    Ssh,
    /// What `script` records.
    Script,
    /// A log of any program.
    File,
}

impl TerminalKind {
    pub const fn follows_a_file(self) -> bool {
        match self {
            Self::Pushed | Self::Hosted => false,
            Self::Ssh | Self::Script | Self::File => true,
        }
    }
}

names!(TerminalKind { Pushed = "pushed", Hosted = "hosted", Ssh = "ssh", Script = "script", File = "file" });
