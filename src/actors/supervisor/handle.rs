//! The typed door to the supervisor.

use std::time::Duration;

use futures_util::FutureExt as _;

use super::child::ChildKind;
use super::message::{Start, SupervisorMessage, TreeError};
use super::strain::Strained;
use crate::actors::common::{ActorHandle, ActorView, Fault};
use crate::actors::session::SessionRef;
use crate::actors::terminal::TerminalRef;
use crate::actors::workflow::WorkflowRef;
use crate::domain::ids::{SessionId, TerminalId, WorkflowId};
use crate::domain::terminal::TerminalSpec;

/// A line to the supervisor.
#[derive(Debug, Clone)]
pub struct SupervisorRef(ActorHandle<SupervisorMessage>);

impl SupervisorRef {
    /// Wraps a line.
    #[must_use]
    pub const fn new(line: ActorHandle<SupervisorMessage>) -> Self {
        Self(line)
    }

    /// A line to a session.
    ///
    /// # Errors
    /// When the supervisor is busy or gone.
    pub async fn session(&self, id: &SessionId) -> Result<Option<SessionRef>, Fault> {
        self.0.ask(|reply| SupervisorMessage::FindSession { id: id.clone(), reply }).await
    }

    /// Lines to every session, by id.
    ///
    /// # Errors
    /// When the supervisor is busy or gone.
    pub async fn sessions(&self) -> Result<Vec<SessionRef>, Fault> {
        self.0.ask(|reply| SupervisorMessage::Sessions { reply }).await
    }

    /// A line to a terminal, which is opened with this if it is not there; and whether it was opened now.
    ///
    /// # Errors
    /// When what was kept of it cannot be read, or the supervisor is busy or gone.
    pub async fn open_terminal(&self, spec: TerminalSpec) -> Result<(TerminalRef, bool), Fault> {
        let spec = Box::new(spec);
        self.0.ask(|reply| SupervisorMessage::OpenTerminal { spec, reply }).await?
    }

    /// A line to a terminal that is open, or was when the hub ended.
    ///
    /// # Errors
    /// When what was kept of it cannot be read, or the supervisor is busy or gone.
    pub async fn terminal(&self, id: &TerminalId) -> Result<Option<TerminalRef>, Fault> {
        self.0.ask(|reply| SupervisorMessage::FindTerminal { id: id.clone(), reply }).await?
    }

    /// Lines to every terminal that is open, by id.
    ///
    /// # Errors
    /// When the supervisor is busy or gone.
    pub async fn terminals(&self) -> Result<Vec<TerminalRef>, Fault> {
        self.0.ask(|reply| SupervisorMessage::Terminals { reply }).await
    }

    /// A line to a run of a workflow that is about to begin.
    ///
    /// # Errors
    /// When its actor cannot be started, or the supervisor is busy or gone.
    pub async fn new_workflow(&self, id: &WorkflowId) -> Result<WorkflowRef, Fault> {
        self.0.ask(|reply| SupervisorMessage::NewWorkflow { id: id.clone(), reply }).await?
    }

    /// A line to a run of a workflow that goes on.
    ///
    /// # Errors
    /// When the supervisor is busy or gone.
    pub async fn workflow(&self, id: &WorkflowId) -> Result<Option<WorkflowRef>, Fault> {
        self.0.ask(|reply| SupervisorMessage::FindWorkflow { id: id.clone(), reply }).await
    }

    /// Supervises a follower or a service: it is built now, and anew when it fails.
    ///
    /// # Errors
    /// When it cannot be started, or the supervisor is busy or gone.
    pub async fn supervise<K: ChildKind<Birth = ()>>(&self, kind: K) -> Result<(), Fault> {
        let start: Start = Box::new(|spawner| async move { Ok(spawner.start(kind, ()).await?.0) }.boxed());
        self.0.ask(|reply| SupervisorMessage::Run { start, reply }).await?
    }

    /// The tree; at most `limit` children of each kind.
    ///
    /// # Errors
    /// When the supervisor is busy or gone.
    pub async fn tree(&self, limit: usize) -> Result<ActorView, Fault> {
        self.0.ask(|reply| SupervisorMessage::Tree { limit, reply }).await
    }

    /// The actors that are under strain, by name, from what is counted outside of them: none is asked.
    ///
    /// # Errors
    /// When the supervisor is busy or gone.
    pub async fn strained(&self) -> Result<Vec<Strained>, Fault> {
        self.0.ask(|reply| SupervisorMessage::Strained { reply }).await
    }

    /// One actor's picture.
    ///
    /// # Errors
    /// A fault outside, an unknown or silent actor inside.
    pub async fn actor_view(&self, name: &str) -> Result<Result<ActorView, TreeError>, Fault> {
        self.0.ask(|reply| SupervisorMessage::ActorView { name: name.to_owned(), reply }).await
    }

    /// Ends an actor and builds it anew.
    ///
    /// # Errors
    /// A fault outside, an unknown or exempt actor inside.
    pub async fn restart(&self, name: &str) -> Result<Result<(), TreeError>, Fault> {
        self.0.ask(|reply| SupervisorMessage::Restart { name: name.to_owned(), reply }).await
    }

    /// Ends everybody gently: open waits hear "reconnect", what was accepted is written.
    ///
    /// # Errors
    /// When the supervisor is gone already.
    pub async fn shutdown(&self, within: Duration) -> Result<(), Fault> {
        self.0.ask(|reply| SupervisorMessage::Shutdown { within, reply }).await
    }

    /// Tells it something.
    pub fn tell(&self, message: SupervisorMessage) -> bool {
        self.0.tell(message)
    }
}
