//! The messages of the supervisor.

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use ractor::RpcReplyPort;
use thiserror::Error;

use super::child::Spawned;
use super::strain::Strained;
use crate::actors::Spawner;
use crate::actors::common::{ActorView, Result};
use crate::actors::session::SessionRef;
use crate::actors::terminal::TerminalRef;
use crate::actors::workflow::WorkflowRef;
use crate::domain::ids::{SessionId, TerminalId, WorkflowId};
use crate::domain::session::Lifecycle;
use crate::domain::terminal::TerminalSpec;

pub struct Start(pub Box<dyn FnOnce(Spawner) -> BoxFuture<'static, Result<Spawned>> + Send>);

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Start")
    }
}

#[derive(Debug)]
pub enum SupervisorMessage {
    /// Somebody was built; it is to be built anew when it fails.
    Spawned(Box<Spawned>),
    /// A session was opened, or somebody else wrote into its stream; already on disk.
    SessionMoved {
        id: SessionId,
    },
    /// What an agent's behaviour says of its session's life.
    Seen {
        id: SessionId,
        lifecycle: Lifecycle,
    },
    /// Build this one anew; its pause is over.
    Rebuild {
        name: String,
    },
    /// The journal writes again, after a time in which it could not.
    JournalMended,
    FindSession {
        id: SessionId,
        reply: RpcReplyPort<Option<SessionRef>>,
    },
    Sessions {
        reply: RpcReplyPort<Vec<SessionRef>>,
    },
    /// A line to a terminal, which is opened if it is not there.
    OpenTerminal {
        spec: Box<TerminalSpec>,
        /// Where to, with whether it was opened now.
        reply: RpcReplyPort<Result<(TerminalRef, bool)>>,
    },
    /// A line to a terminal that is open, or was when the hub ended.
    FindTerminal {
        id: TerminalId,
        reply: RpcReplyPort<Result<Option<TerminalRef>>>,
    },
    Terminals {
        reply: RpcReplyPort<Vec<TerminalRef>>,
    },
    /// An actor for a run of a workflow that is about to begin.
    NewWorkflow {
        id: WorkflowId,
        reply: RpcReplyPort<Result<WorkflowRef>>,
    },
    /// A line to a run of a workflow that goes on.
    FindWorkflow {
        id: WorkflowId,
        reply: RpcReplyPort<Option<WorkflowRef>>,
    },
    /// Build an actor that the composition root brings, for as long as the hub runs.
    Run {
        start: Start,
        reply: RpcReplyPort<Result<()>>,
    },
    /// The whole tree, each actor by its own picture.
    Tree {
        /// At most so many children of a kind.
        limit: usize,
        reply: RpcReplyPort<ActorView>,
    },
    Strained {
        reply: RpcReplyPort<Vec<Strained>>,
    },
    ActorView {
        /// Its name, as `task:0196…`.
        name: String,
        reply: RpcReplyPort<Result<ActorView, TreeError>>,
    },
    /// End an actor and build it anew.
    Restart {
        name: String,
        reply: RpcReplyPort<Result<(), TreeError>>,
    },
    /// End everybody gently, leaves first.
    Shutdown {
        within: Duration,
        reply: RpcReplyPort<()>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TreeError {
    #[error("there is no actor `{0}`: see /admin/actors")]
    Unknown(String),
    #[error("actor `{0}` did not answer")]
    Silent(String),
    #[error("actor `{0}` cannot be restarted by hand: restart the hub instead")]
    NotRestartable(String),
}
