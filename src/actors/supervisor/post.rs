//! A post: what the supervisor must know to build its holder anew.

use std::time::Duration;

use ractor::ActorCell;

use crate::actors::agent::AgentMessage;
use crate::actors::alarm::AlarmMessage;
use crate::actors::common::{Line, Restarts, Socket};
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::learner::LearnerMessage;
use crate::actors::session::SessionMessage;
use crate::actors::task::TaskMessage;
use crate::actors::terminal::TerminalMessage;
use crate::actors::tickets::TicketsMessage;
use crate::domain::ids::{AgentId, SessionId, TaskId};
use crate::domain::terminal::TerminalSpec;

/// Somebody was built.
#[derive(Debug)]
pub struct Hired {
    /// Its name in the tree.
    pub name: String,
    /// Its address.
    pub cell: ActorCell,
    /// What to build when it fails.
    pub post: Post,
}

/// What to build, and the line to connect it to.
#[derive(Debug)]
#[expect(missing_docs, reason = "each has its id where it has one, its line, and the line's other end")]
pub enum Post {
    Alarm { socket: Socket<AlarmMessage>, line: Line<AlarmMessage> },
    Learner { socket: Socket<LearnerMessage>, line: Line<LearnerMessage> },
    Tickets { socket: Socket<TicketsMessage>, line: Line<TicketsMessage> },
    Dispatcher { socket: Socket<DispatcherMessage>, line: Line<DispatcherMessage> },
    Agent { id: AgentId, socket: Socket<AgentMessage>, line: Line<AgentMessage> },
    Task { id: TaskId, socket: Socket<TaskMessage>, line: Line<TaskMessage> },
    Session { id: SessionId, socket: Socket<SessionMessage>, line: Line<SessionMessage> },
    Terminal { spec: Box<TerminalSpec>, socket: Socket<TerminalMessage>, line: Line<TerminalMessage> },
}

/// A post and who holds it.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) post: Post,
    pub(super) cell: ActorCell,
    pub(super) restarts: Restarts,
    /// It ended, and is about to be built anew.
    pub(super) vacant: bool,
    /// Somebody asked for it to be ended and built anew.
    pub(super) by_hand: bool,
}

impl Child {
    /// How long to wait before building it anew: 10 ms, and twice as long with each failure, at most 10 s.
    pub(super) fn pause(&self) -> Duration {
        let doubled = Duration::from_millis(10) * 2u32.saturating_pow(self.restarts.count.min(10));
        doubled.min(Duration::from_secs(10))
    }
}

impl Post {
    /// Disconnects the line from whoever holds the post.
    pub(super) fn disconnect(&self) {
        match self {
            Self::Alarm { socket, .. } => socket.disconnect(),
            Self::Learner { socket, .. } => socket.disconnect(),
            Self::Tickets { socket, .. } => socket.disconnect(),
            Self::Dispatcher { socket, .. } => socket.disconnect(),
            Self::Agent { socket, .. } => socket.disconnect(),
            Self::Task { socket, .. } => socket.disconnect(),
            Self::Session { socket, .. } => socket.disconnect(),
            Self::Terminal { socket, .. } => socket.disconnect(),
        }
    }
}
