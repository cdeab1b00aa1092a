//! The typed door to the dispatcher.

use std::sync::Arc;

use tracing::Span;

use super::agent_handle::{AgentHandle, AgentHoldings};
use super::dependencies::stored;
use super::message::{AssignError, AssignReceipt, AssignRequest, DispatcherMessage, QueueCounts, Why};
use super::overview::Overview;
use crate::actors::common::{ActorHandle, ActorView, Fault};
use crate::actors::journal::JournalReads;
use crate::actors::task::{ActError, TaskBirth, TaskReceipt, TaskRef};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::routing::Roster;
use crate::domain::task::{RightsSet, Target};

/// A line to the dispatcher. What it has to know of the journal is read here, before it is asked: it awaits no disk.
#[derive(Debug, Clone)]
pub struct DispatcherRef(ActorHandle<DispatcherMessage>, JournalReads);

impl DispatcherRef {
    /// Wraps a line.
    #[must_use]
    pub const fn new(line: ActorHandle<DispatcherMessage>, reads: JournalReads) -> Self {
        Self(line, reads)
    }

    /// Hands out work; the task is on disk when it returns.
    ///
    /// # Errors
    /// A refusal, a repeat's first receipt, or a fault.
    pub async fn assign(&self, request: AssignRequest) -> Result<AssignReceipt, AssignError> {
        let stored = stored(&self.1, &request.dependencies).await.map_err(Fault::from)?;
        let (request, span) = (Box::new(request), Span::current());
        let asked = self.0.ask(|reply| DispatcherMessage::Assign { request, stored, span, reply }).await?;
        match asked {
            Ok(receipt) => read_note(receipt),
            Err(ActError::Repeated(receipt)) => Err(AssignError::Repeated(Box::new(read_note(*receipt)?))),
            Err(other) => Err(other.into()),
        }
    }

    /// A line to an agent that is known.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn agent(&self, id: &AgentId) -> Result<Option<AgentHandle>, Fault> {
        self.0.ask(|reply| DispatcherMessage::Agent { id: id.clone(), reply }).await
    }

    /// A line to an agent, built when nobody of that name is there yet.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn hire(&self, id: &AgentId) -> Result<Option<AgentHandle>, Fault> {
        if let Some(known) = self.agent(id).await? {
            return Ok(Some(known));
        }
        let agent = Box::new(self.1.agent(id).await?);
        self.0.ask(|reply| DispatcherMessage::Hire { agent, reply }).await
    }

    /// The same while the hub is built: behind whatever every open task announces of itself, and never refused.
    ///
    /// # Errors
    /// When the dispatcher is gone.
    pub async fn hire_at_the_start(&self, id: &AgentId) -> Result<Option<AgentHandle>, Fault> {
        let agent = Box::new(self.1.agent(id).await?);
        self.0
            .ask_however_full(|reply| DispatcherMessage::Hire { agent, reply })
            .await?
            .ok_or_else(|| self.0.unavailable())
    }

    /// Waits until it has heard what every actor announced of itself while the hub was built: a door that opens sooner
    /// would find its mailbox full.
    ///
    /// # Errors
    /// When the dispatcher is gone.
    pub async fn catches_up(&self) -> Result<(), Fault> {
        let counts = self.0.ask_however_full(|reply| DispatcherMessage::Counts { reply }).await?;
        counts.map(drop).ok_or_else(|| self.0.unavailable())
    }

    /// Lines to every agent, by id.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn agents(&self) -> Result<Vec<AgentHandle>, Fault> {
        self.0.ask(|reply| DispatcherMessage::Agents { reply }).await
    }

    /// The same with what each holds. No agent and no task is asked.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn holdings(&self) -> Result<Vec<AgentHoldings>, Fault> {
        self.0.ask(|reply| DispatcherMessage::Holdings { reply }).await
    }

    /// Everybody who can be named: who is configured, who has registered, and who has a token. It is made once after
    /// each change, and no agent's row is read for it.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn roster(&self) -> Result<Arc<Roster>, Fault> {
        self.0.ask(|reply| DispatcherMessage::Roster { reply }).await
    }

    /// A line to an open task.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn task(&self, id: &TaskId) -> Result<Option<TaskRef>, Fault> {
        self.0.ask(|reply| DispatcherMessage::Task { id: id.clone(), reply }).await
    }

    /// A line to a task that was read from the store; to the open one when somebody was quicker.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn reopen(&self, task: TaskBirth) -> Result<TaskRef, Fault> {
        self.0.ask(|reply| DispatcherMessage::Reopen { task, reply }).await
    }

    /// For whom a task would be, read as `assign` reads it.
    ///
    /// # Errors
    /// `TARGET_UNKNOWN`, `NOT_PERMITTED`, or a fault.
    pub async fn retarget(&self, id: &TaskId, target: String, rights: RightsSet) -> Result<Target, AssignError> {
        let asked = self.0.ask(|reply| DispatcherMessage::Retarget { id: id.clone(), target, rights, reply }).await?;
        Ok(asked?)
    }

    /// The queued tasks that nobody takes, and of each whether somebody who is registered could.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn starving(&self) -> Result<Vec<(TaskId, bool)>, Fault> {
        self.0.ask(|reply| DispatcherMessage::Starving { reply }).await
    }

    /// Why a task is not being worked on; none when it is closed or unknown.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn why(&self, id: &TaskId) -> Result<Option<Why>, Fault> {
        self.0.ask(|reply| DispatcherMessage::Why { id: id.clone(), reply }).await
    }

    /// How much work waits.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn counts(&self) -> Result<QueueCounts, Fault> {
        self.0.ask(|reply| DispatcherMessage::Counts { reply }).await
    }

    /// How its agents stand, from what each told it: none of them is asked.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn overview(&self) -> Result<Overview, Fault> {
        self.0.ask(|reply| DispatcherMessage::Overview { reply }).await
    }

    /// How the actor stands now, as `/admin/actors` shows it.
    ///
    /// # Errors
    /// When the dispatcher is busy or gone.
    pub async fn actor_view(&self) -> Result<ActorView, Fault> {
        self.0.ask(|reply| DispatcherMessage::ActorView { reply }).await
    }

    /// Tells it something.
    pub fn tell(&self, message: DispatcherMessage) -> bool {
        self.0.tell(message)
    }
}

/// The receipt that the dispatcher gave the task to keep.
fn read_note(receipt: TaskReceipt) -> Result<AssignReceipt, AssignError> {
    let note = receipt.note.unwrap_or_default();
    serde_json::from_value(note).map_err(|error| {
        AssignError::from(Fault::Unavailable(format!("the receipt of `{}` cannot be read: {error}", receipt.task_id)))
    })
}
