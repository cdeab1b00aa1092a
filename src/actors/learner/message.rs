//! The messages of the learner.

use ractor::RpcReplyPort;

use crate::actors::common::{ActorView, Result};
use crate::domain::ids::{AgentId, PatternId, TerminalId};
use crate::domain::principal::By;
use crate::domain::prompt::book::KeptPattern;
use crate::domain::terminal::TrackedInput;

#[derive(Debug)]
pub enum LearnerMessage {
    /// Keep what was typed, and learn from it.
    Track {
        track: Box<Track>,
        reply: RpcReplyPort<Result<Tracked>>,
    },
    Find {
        workspace: Option<String>,
        prompt_text: String,
        reply: RpcReplyPort<Option<KeptPattern>>,
    },
    List {
        reply: RpcReplyPort<Vec<KeptPattern>>,
    },
    Change {
        id: PatternId,
        order: Order,
        by: By,
        request: Option<String>,
        reply: RpcReplyPort<Result<Option<KeptPattern>>>,
    },
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

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
    pub agent: Option<AgentId>,
    pub input: TrackedInput,
    /// Who tells, and where.
    pub by: By,
    pub request: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    pub seq: u64,
    /// The pattern that it changed, if it changed one.
    pub pattern: Option<PatternId>,
}
