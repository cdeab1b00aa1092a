//! What happened to a terminal, as the journal keeps it.

use serde::{Deserialize, Serialize};

use super::order::{InputOrder, OrderEnd};
use super::seen::SeenPrompt;
use super::spec::TerminalKind;
use crate::ids::{AgentId, PatternId};
use crate::prompt::PromptKind;
use crate::prompt::learn::{InputSource, Provenance};
use crate::time::Millis;

/// What happened to a terminal. Events of these are called `session.…`: people think of the session that it is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TerminalRecord {
    /// A file of this sort is followed.
    MonitorStarted { agent: Option<AgentId>, kind: TerminalKind },
    /// It is followed no more.
    MonitorStopped { agent: Option<AgentId> },
    /// A program waits for its user.
    InputPromptDetected { agent: Option<AgentId>, prompt: Box<SeenPrompt> },
    /// It waits no more.
    InputPromptGone { agent: Option<AgentId>, prompt_text: String, after: Millis },
    InputTracked {
        agent: Option<AgentId>,
        /// It, without what must not be kept.
        input: Box<TrackedInput>,
    },
    /// The terminal's host is about to be told to type this.
    InputOrdered { agent: Option<AgentId>, order: Box<InputOrder> },
    /// The host typed it, and the program took it.
    InputInjected { agent: Option<AgentId>, order: Box<InputOrder> },
    /// The host typed it, and did not see it leave: it may stand unsent where it was typed.
    InputUndelivered { agent: Option<AgentId>, order: Box<InputOrder>, why: String },
    /// The host did not type it.
    InputDeclined { agent: Option<AgentId>, order_id: String, why: String },
}

/// What was typed at a prompt: never a secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackedInput {
    pub prompt_text: String,
    pub prompt_type: PromptKind,
    /// Whether the answer may have destroyed something.
    pub dangerous: bool,
    /// What was typed, or `[REDACTED]`.
    pub input_text: String,
    /// Whether the program took it.
    pub success: bool,
    pub source: InputSource,
    pub provenance: Provenance,
    /// How long the prompt had waited.
    pub response_time: Millis,
    /// Where: patterns are kept for each workspace.
    pub workspace: Option<String>,
    /// What it taught, if anything.
    pub pattern: Option<PatternId>,
}

impl TerminalRecord {
    pub fn of_end(agent: Option<AgentId>, order: InputOrder, end: OrderEnd) -> Self {
        match end {
            OrderEnd::Delivered => Self::InputInjected { agent, order: Box::new(order) },
            OrderEnd::Declined(why) => Self::InputDeclined { agent, order_id: order.order_id, why },
            OrderEnd::Undelivered(why) => Self::InputUndelivered { agent, order: Box::new(order), why },
        }
    }

    pub const fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::MonitorStarted { agent, .. }
            | Self::MonitorStopped { agent }
            | Self::InputPromptDetected { agent, .. }
            | Self::InputPromptGone { agent, .. }
            | Self::InputTracked { agent, .. }
            | Self::InputOrdered { agent, .. }
            | Self::InputInjected { agent, .. }
            | Self::InputUndelivered { agent, .. }
            | Self::InputDeclined { agent, .. } => agent.as_ref(),
        }
    }
}
