//! The typed door to one task.

use tokio::sync::mpsc;
use tracing::Span;

use super::message::{ActError, TaskAct, TaskMessage, TaskOutcome};
use super::receipt::TaskReceipt;
use crate::actors::common::{ActorHandle, Result};
use crate::domain::ids::AgentId;
use crate::domain::task::{Progress, Task};

#[derive(Debug, Clone)]
pub struct TaskRef(ActorHandle<TaskMessage>);

impl TaskRef {
    pub const fn new(line: ActorHandle<TaskMessage>) -> Self {
        Self(line)
    }

    /// Orders, and waits until the decision is on disk. Fails with the machine's refusal, or a fault to be repeated.
    pub async fn act(&self, act: TaskAct) -> Result<TaskReceipt, ActError> {
        self.act_if_there(act).await?.ok_or_else(|| ActError::Fault(self.0.unavailable()))
    }

    /// As [`TaskRef::act`]; none when the task's actor ended, and the order was certainly not heard.
    pub async fn act_if_there(&self, act: TaskAct) -> Result<Option<TaskReceipt>, ActError> {
        let message = |reply| TaskMessage::Act { act: Box::new(act), span: Span::current(), reply: Some(reply) };
        self.0.ask_if_there(message).await?.transpose()
    }

    /// Orders, and hears of it by the task's announcement to the dispatcher.
    pub fn tell(&self, act: TaskAct) -> bool {
        self.0.tell(TaskMessage::Act { act: Box::new(act), span: Span::current(), reply: None })
    }

    pub fn send(&self, message: TaskMessage) -> bool {
        self.0.tell(message)
    }

    /// The task as it stands. Fails when the actor is busy or gone; a closed task is in the store.
    pub async fn show(&self) -> Result<Task> {
        self.0.ask(|reply| TaskMessage::Show { reply }).await
    }

    /// Waits until the task is closed or BLOCKED; `heard` gets its reports of progress. Dropping the future ends it.
    pub async fn watch(&self, agent: Option<AgentId>, heard: mpsc::Sender<Progress>) -> Result<TaskOutcome> {
        self.0.ask(|reply| TaskMessage::Watch { agent, heard, reply }).await
    }

    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.0.mailbox_metrics().depth()
    }

    #[cfg(test)]
    pub(crate) fn handled(&self) -> u64 {
        self.0.mailbox_metrics().handled()
    }
}
