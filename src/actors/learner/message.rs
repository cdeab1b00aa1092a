//! The messages of the learner.

use ractor::RpcReplyPort;

use crate::actors::common::{ActorView, Fault};
use crate::domain::ids::{AgentId, PatternId, TerminalId};
use crate::domain::principal::By;
use crate::domain::prompt::book::KeptPattern;
use crate::domain::terminal::TrackedInput;

#[derive(Debug)]
pub enum LearnerMessage {
    /// Keep what was typed, and learn from it.
    Track {
        track: Box<Track>,
        reply: RpcReplyPort<Result<Tracked, Fault>>,
    },
    /// What people answer to this prompt, in this workspace or else in the hub.
    Find {
        workspace: Option<String>,
        prompt_text: String,
        reply: RpcReplyPort<Option<KeptPattern>>,
    },
    /// Every pattern, by name.
    List {
        reply: RpcReplyPort<Vec<KeptPattern>>,
    },
    /// Let a pattern go, or let the whole hub have it.
    Change {
        id: PatternId,
        /// What to do with it.
        order: Order,
        by: By,
        request: Option<String>,
        /// Where to: the pattern, or none when there is none.
        reply: RpcReplyPort<Result<Option<KeptPattern>, Fault>>,
    },
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

/// What a person may do with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It is suggested no more.
    Forget,
    /// It holds in the whole hub.
    Promote,
}

/// What was typed at a prompt: without its secret already.
#[derive(Debug, Clone)]
pub struct Track {
    pub terminal: TerminalId,
    /// Whose that is.
    pub agent: Option<AgentId>,
    pub input: TrackedInput,
    /// Who tells, and where.
    pub by: By,
    pub request: Option<String>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// The number of its record.
    pub seq: u64,
    /// The pattern that it changed, if it changed one.
    pub pattern: Option<PatternId>,
}
