//! What is kept of a terminal.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{AgentId, PrincipalId};
use crate::domain::terminal::TerminalSpec;
use crate::domain::time::Timestamp;

/// A terminal as it was written last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptTerminal {
    /// Whose it is, and where its output comes from.
    pub spec: TerminalSpec,
    /// How many bytes it ever drew.
    pub position: u64,
    /// Where in its file it had read to, where one is followed.
    pub read_to: Option<u64>,
    pub rows: u16,
    pub cols: u16,
    /// What draws its screen on an empty terminal.
    pub drawing: String,
    /// The rows of its screen, as text.
    pub screen: Vec<String>,
    /// The number of the screen's first row among all lines.
    pub screen_line: u64,
    pub waits: bool,
    pub stopped_at: Option<Timestamp>,
    /// When something was printed last.
    pub updated_at: Timestamp,
}

/// A line that has left the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLine {
    /// Its number, from 0.
    pub number: u64,
    /// When it was printed, to the second.
    pub at: Timestamp,
    /// Whether it goes on in the next one, because the screen was too narrow.
    pub wrapped: bool,
    pub text: String,
}

/// A piece of what was printed lately, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPiece {
    pub start: u64,
    /// How many bytes of the stream it stands for.
    pub length: u64,
    /// It, without secrets.
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    pub terminal: KeptTerminal,
    /// Lines that have left the screen since.
    pub lines: Vec<KeptLine>,
    /// Lines before this number are kept no longer.
    pub drop_before: u64,
}

/// Whose terminals are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    All,
    /// Those of this agent, and those that this principal opened.
    Of(AgentId, PrincipalId),
}

/// What a cleaning came to, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub terminals: Vec<String>,
    /// How many bytes of text they were.
    pub bytes: u64,
}

impl Whose {
    pub fn admits(&self, spec: &TerminalSpec) -> bool {
        match self {
            Self::All => true,
            Self::Of(agent, principal) => spec.agent.as_ref() == Some(agent) || spec.owner == *principal,
        }
    }
}
