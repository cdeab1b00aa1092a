//! The typed door to the dispatcher.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;
use tracing::Span;

use super::agent_handle::{AgentHandle, AgentHoldings};
use super::dependencies::judged;
use super::message::{AssignError, AssignReceipt, AssignRequest, DispatcherMessage, QueueCounts, Why};
use super::overview::Overview;
use crate::actors::agent::{AgentMessage, AgentRef};
use crate::actors::common::{ActorHandle, Fault, Result};
use crate::actors::journal::JournalReads;
use crate::actors::task::{ActError, OfferedTask, ReceiptNote, TaskBirth, TaskReceipt, TaskRef};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::routing::Roster;
use crate::domain::task::{RightsSet, Target};

/// What must be known of the journal is read here, before the dispatcher is asked: it awaits no disk.
#[derive(Debug, Clone)]
pub struct DispatcherRef {
    line: ActorHandle<DispatcherMessage>,
    reads: JournalReads,
    /// Every agent that the dispatcher knows. None is ever forgotten, so these can be reached without asking.
    known: Arc<watch::Sender<BTreeMap<AgentId, AgentRef>>>,
}

impl DispatcherRef {
    pub fn new(line: ActorHandle<DispatcherMessage>, reads: JournalReads) -> Self {
        Self { line, reads, known: Arc::new(watch::Sender::new(BTreeMap::new())) }
    }

    /// An agent can be reached by this line. For the dispatcher alone.
    pub(super) fn knows(&self, id: &AgentId, line: &AgentRef) {
        self.known.send_modify(|known| drop(known.insert(id.clone(), line.clone())));
    }

    /// Hands out work; the task is on disk when it returns. Fails with a refusal, a repeat's first receipt, or a fault.
    pub async fn assign(&self, request: AssignRequest) -> Result<AssignReceipt, AssignError> {
        let dependencies = judged(&self.reads, &request).await?;
        let (request, span) = (Box::new(request), Span::current());
        let asked = self.line.ask(|reply| DispatcherMessage::Assign { request, dependencies, span, reply }).await?;
        match asked {
            Ok(receipt) => assigned(receipt),
            Err(ActError::Repeated(receipt)) => Err(AssignError::Repeated(Box::new(assigned(*receipt)?))),
            Err(other) => Err(other.into()),
        }
    }

    /// A line to a known agent, behind whatever was on its way to it through the dispatcher: so who completes a task
    /// and then waits holds it no more. A dispatcher at rest has passed all on, and need not be asked.
    pub async fn agent_in_order(&self, id: &AgentId) -> Result<Option<AgentRef>> {
        // In this order: an agent that is made known in a turn is in the table before the turn ends.
        if self.line.mailbox_metrics().is_at_rest()
            && let Some(line) = self.known.borrow().get(id)
        {
            return Ok(Some(line.clone()));
        }
        Ok(self.agent(id).await?.map(|known| known.agent))
    }

    pub async fn agent(&self, id: &AgentId) -> Result<Option<AgentHandle>> {
        self.line.ask(|reply| DispatcherMessage::Agent { id: id.clone(), reply }).await
    }

    /// Puts an offer into its agent's parked wait, after the task told the dispatcher that it is offered. An agent that
    /// is being rebuilt hears from the dispatcher that it holds the offer.
    pub fn deliver(&self, agent: &AgentId, task: TaskRef, offered: OfferedTask) {
        if let Some(line) = self.known.borrow().get(agent) {
            line.send(AgentMessage::Deliver { task, offered: Box::new(offered) });
        }
    }

    pub async fn hire(&self, id: &AgentId) -> Result<Option<AgentHandle>> {
        if let Some(known) = self.agent(id).await? {
            return Ok(Some(known));
        }
        let agent = Box::new(self.reads.agent(id).await?);
        self.line.ask(|reply| DispatcherMessage::Hire { agent, reply }).await
    }

    /// The same while the hub is built: behind whatever every open task announces of itself, and never refused.
    pub async fn hire_at_the_start(&self, id: &AgentId) -> Result<Option<AgentHandle>> {
        let agent = Box::new(self.reads.agent(id).await?);
        self.line
            .ask_however_full(|reply| DispatcherMessage::Hire { agent, reply })
            .await?
            .ok_or_else(|| self.line.unavailable())
    }

    /// Waits until it heard what every actor announced during the start: a door opened sooner finds a full mailbox.
    pub async fn catches_up(&self) -> Result<()> {
        let counts = self.line.ask_however_full(|reply| DispatcherMessage::Counts { reply }).await?;
        counts.map(drop).ok_or_else(|| self.line.unavailable())
    }

    pub async fn agents(&self) -> Result<Vec<AgentHandle>> {
        self.line.ask(|reply| DispatcherMessage::Agents { reply }).await
    }

    /// The same with what each holds. No agent and no task is asked.
    pub async fn holdings(&self) -> Result<Vec<AgentHoldings>> {
        self.line.ask(|reply| DispatcherMessage::Holdings { reply }).await
    }

    /// Everybody who can be named: configured, registered, or with a token. Made once after each change.
    pub async fn roster(&self) -> Result<Arc<Roster>> {
        self.line.ask(|reply| DispatcherMessage::Roster { reply }).await
    }

    pub async fn task(&self, id: &TaskId) -> Result<Option<TaskRef>> {
        self.line.ask(|reply| DispatcherMessage::Task { id: id.clone(), reply }).await
    }

    /// A line to a task that was read from the store; to the open one when somebody was quicker.
    pub async fn reopen(&self, task: TaskBirth) -> Result<TaskRef> {
        self.line.ask(|reply| DispatcherMessage::Reopen { task, reply }).await
    }

    /// For whom a task would be, read as `assign` reads it. Fails with `TARGET_UNKNOWN`, `NOT_PERMITTED`, or a fault.
    pub async fn retarget(&self, id: &TaskId, target: String, rights: RightsSet) -> Result<Target, AssignError> {
        let asked =
            self.line.ask(|reply| DispatcherMessage::Retarget { id: id.clone(), target, rights, reply }).await?;
        Ok(asked?)
    }

    pub async fn starving(&self) -> Result<Vec<(TaskId, bool)>> {
        self.line.ask(|reply| DispatcherMessage::Starving { reply }).await
    }

    pub async fn why(&self, id: &TaskId) -> Result<Option<Why>> {
        self.line.ask(|reply| DispatcherMessage::Why { id: id.clone(), reply }).await
    }

    pub async fn counts(&self) -> Result<QueueCounts> {
        self.line.ask(|reply| DispatcherMessage::Counts { reply }).await
    }

    /// How its agents stand, from what each told it: none of them is asked.
    pub async fn overview(&self) -> Result<Overview> {
        self.line.ask(|reply| DispatcherMessage::Overview { reply }).await
    }

    pub fn tell(&self, message: DispatcherMessage) -> bool {
        self.line.tell(message)
    }
}

/// The receipt that the dispatcher gave the task to keep.
fn assigned(receipt: TaskReceipt) -> Result<AssignReceipt, AssignError> {
    match receipt.note {
        Some(ReceiptNote::Assigned(receipt)) => Ok(*receipt),
        Some(ReceiptNote::Comments(_)) | None => {
            let why = format!("the receipt of `{}` does not say how it was assigned", receipt.task_id);
            Err(Fault::Unavailable(why).into())
        }
    }
}
