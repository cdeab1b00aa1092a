//! The typed door to the supervisor.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::watch;

use super::child::ChildKind;
use super::message::{Start, SupervisorMessage, TreeError};
use super::strain::Strained;
use crate::actors::common::{ActorHandle, ActorView, Result};
use crate::actors::session::{SessionMessage, SessionRef};
use crate::actors::terminal::TerminalRef;
use crate::actors::workflow::WorkflowRef;
use crate::domain::ids::{SessionId, TerminalId, WorkflowId};
use crate::domain::session::Lifecycle;
use crate::domain::terminal::TerminalSpec;

#[derive(Debug, Clone)]
pub struct SupervisorRef {
    line: ActorHandle<SupervisorMessage>,
    /// A line to each session that has an actor: whoever has something for it says so itself, so that order is kept.
    sessions: Arc<watch::Sender<BTreeMap<SessionId, SessionRef>>>,
}

impl SupervisorRef {
    pub fn new(line: ActorHandle<SupervisorMessage>) -> Self {
        Self { line, sessions: Arc::new(watch::Sender::new(BTreeMap::new())) }
    }

    /// A session can be reached by this line, or by none any more. For the supervisor alone.
    pub(super) fn knows(&self, id: &SessionId, line: Option<SessionRef>) {
        self.sessions.send_modify(|known| {
            match line {
                Some(line) => known.insert(id.clone(), line),
                None => known.remove(id),
            };
        });
    }

    fn known_session(&self, id: &SessionId) -> Option<SessionRef> {
        self.sessions.borrow().get(id).cloned()
    }

    /// Somebody else wrote into a session's stream, or opened it: it looks again, or is built.
    pub fn session_moved(&self, id: SessionId) {
        let told = self.known_session(&id).is_some_and(|line| line.tell(SessionMessage::Moved));
        if !told {
            self.tell(SupervisorMessage::SessionMoved { id });
        }
    }

    /// What an agent's behaviour says of its session's life.
    pub fn session_seen(&self, id: SessionId, lifecycle: Lifecycle) {
        let told = self.known_session(&id).is_some_and(|line| line.tell(SessionMessage::Seen { lifecycle }));
        if !told {
            self.tell(SupervisorMessage::Seen { id, lifecycle });
        }
    }

    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionRef>> {
        if let Some(known) = self.known_session(id) {
            return Ok(Some(known));
        }
        self.line.ask(|reply| SupervisorMessage::FindSession { id: id.clone(), reply }).await
    }

    /// Lines to every session, by id.
    pub async fn sessions(&self) -> Result<Vec<SessionRef>> {
        self.line.ask(|reply| SupervisorMessage::Sessions { reply }).await
    }

    /// A line to a terminal, which is opened with this if it is not there; and whether it was opened now. Fails when
    /// what was kept of it cannot be read, or the supervisor is busy or gone.
    pub async fn open_terminal(&self, spec: TerminalSpec) -> Result<(TerminalRef, bool)> {
        let spec = Box::new(spec);
        self.line.ask(|reply| SupervisorMessage::OpenTerminal { spec, reply }).await?
    }

    /// A line to a terminal that is open, or was when the hub ended. Fails when a read does, or if busy.
    pub async fn terminal(&self, id: &TerminalId) -> Result<Option<TerminalRef>> {
        self.line.ask(|reply| SupervisorMessage::FindTerminal { id: id.clone(), reply }).await?
    }

    /// Lines to every terminal that is open, by id.
    pub async fn terminals(&self) -> Result<Vec<TerminalRef>> {
        self.line.ask(|reply| SupervisorMessage::Terminals { reply }).await
    }

    /// A line to a run of a workflow that is about to begin.
    pub async fn new_workflow(&self, id: &WorkflowId) -> Result<WorkflowRef> {
        self.line.ask(|reply| SupervisorMessage::NewWorkflow { id: id.clone(), reply }).await?
    }

    /// A line to a run of a workflow that goes on.
    pub async fn workflow(&self, id: &WorkflowId) -> Result<Option<WorkflowRef>> {
        self.line.ask(|reply| SupervisorMessage::FindWorkflow { id: id.clone(), reply }).await
    }

    /// Supervises a follower or a service: it is built now, and anew when it fails.
    pub async fn supervise<K: ChildKind<Birth = ()>>(&self, kind: K) -> Result<()> {
        let start = Start(Box::new(|spawner| async move { Ok(spawner.start(kind, ()).await?.0) }.boxed()));
        self.line.ask(|reply| SupervisorMessage::Run { start, reply }).await?
    }

    /// The tree; at most `limit` children of each kind.
    pub async fn tree(&self, limit: usize) -> Result<ActorView> {
        self.line.ask(|reply| SupervisorMessage::Tree { limit, reply }).await
    }

    /// The actors that are under strain, by name, from what is counted outside of them: none is asked.
    pub async fn strained(&self) -> Result<Vec<Strained>> {
        self.line.ask(|reply| SupervisorMessage::Strained { reply }).await
    }

    /// One actor's picture. Fails with a fault outside, an unknown or silent actor inside.
    pub async fn actor_view(&self, name: &str) -> Result<Result<ActorView, TreeError>> {
        self.line.ask(|reply| SupervisorMessage::ActorView { name: name.to_owned(), reply }).await
    }

    /// Ends an actor and builds it anew. Fails with a fault outside, an unknown or exempt actor inside.
    pub async fn restart(&self, name: &str) -> Result<Result<(), TreeError>> {
        self.line.ask(|reply| SupervisorMessage::Restart { name: name.to_owned(), reply }).await
    }

    /// Ends everybody gently: open waits hear "reconnect", what was accepted is written.
    pub async fn shutdown(&self, within: Duration) -> Result<()> {
        self.line.ask(|reply| SupervisorMessage::Shutdown { within, reply }).await
    }

    pub fn tell(&self, message: SupervisorMessage) -> bool {
        self.line.tell(message)
    }
}
