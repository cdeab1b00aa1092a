//! What a hub and a program beside it agree on: the words of a host of terminals, and how often a line is tried.
//!
//! To the hub a host sends output as binary messages, as the program printed it. A text message is one of these words
//! as JSON. A word stands where it was said: what comes before it was printed before it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ids::AgentId;
use crate::prompt::{Host, PromptKind};

/// How often a hub asks the other end of a WebSocket whether it lives; who has not been heard by the next time is gone.
///
/// The pause is the contract's: proxies in between cut what is silent for 60 s (nginx, load balancers of clouds).
pub const PING_EVERY: Duration = Duration::from_secs(20);

/// The WebSocket protocol of hosts of terminals.
pub const PROTOCOL: &str = "callboard-terminal";

/// The most that one message of a host may hold, in bytes.
pub const LARGEST: usize = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostWord {
    Hello {
        /// This host: the same in each of its connections, and nobody else's. One of an earlier version has no name.
        #[serde(default)]
        host: String,
        /// The agent that works in the terminal.
        agent: AgentId,
        /// The session that it is; the agent's current one when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// Whether the hub may type into it.
        #[serde(default)]
        inject: bool,
        /// Whether what runs there is the agent's own input box, into which the hub may also type what it tells it.
        #[serde(default)]
        messages: bool,
        /// Whether it was refused because another host was there, which is let in first after an outage.
        #[serde(default)]
        waited: bool,
    },
    /// The terminal has this size now.
    Size { rows: u16, cols: u16 },
    /// What only the host can know. Good until something is printed.
    Signals { host: Host },
    /// The user typed something.
    Typed,
    /// What the user typed at a prompt, once it was entered.
    Answered { answer: Answer },
    /// Output was lost (so many bytes), or does not follow from what the hub has: a clean screen follows, drawn anew.
    Reset { missed: u64 },
    /// What the hub asked to type was typed, and the program took it.
    Injected { id: String },
    /// It was typed, and not seen to leave the place where it was typed. A hub of before this word was known takes no
    /// notice of it, and counts the order as one of which nobody knows what came of it.
    Undelivered { id: String, why: String },
    /// It was not.
    Declined { id: String, why: String },
    /// The program ended, with this code.
    Ended { code: u8 },
}

/// What a person typed at a prompt: a secret is never among it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub prompt_text: String,
    pub prompt_type: PromptKind,
    pub is_dangerous: bool,
    /// What was typed, or `[REDACTED]`.
    pub input_text: String,
    /// Whether the program took it: it did not ask the same again.
    pub success: bool,
    /// How long the prompt had waited.
    pub response_time_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HubWord {
    Welcome {
        session: String,
        /// How many bytes the hub has of that terminal.
        position: u64,
    },
    /// The host is not taken; it may come again.
    Refused {
        code: String,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<String>,
    },
    /// All is taken, after [`HostWord::Ended`].
    Goodbye {},
    /// To type this, if it is safe at that instant.
    Type {
        id: String,
        /// What to type, without the key that enters it.
        text: String,
        /// The prompt that it is for; the host types at no other.
        prompt_text: String,
        /// Whether a person gave it as the answer to this prompt.
        by_person: bool,
        /// Whether it answers nothing, and tells the agent something. Only for hosts that take messages.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        notice: bool,
    },
}
