//! The typed door to the schedules.

use super::message::{EndedTask, ScheduleDone, ScheduleError, ScheduleRequest, SchedulesMessage};
use crate::actors::common::{ActorHandle, Result};
use crate::domain::schedule::Schedule;
use crate::journal::Seq;

#[derive(Debug, Clone)]
pub struct SchedulesRef(ActorHandle<SchedulesMessage>);

impl SchedulesRef {
    pub const fn new(line: ActorHandle<SchedulesMessage>) -> Self {
        Self(line)
    }

    /// Gives an order; on disk once this returns. The error says why it is not followed, or a fault.
    pub async fn order(&self, asked: ScheduleRequest) -> Result<ScheduleDone, ScheduleError> {
        self.0.ask(|reply| SchedulesMessage::Order { asked: Box::new(asked), reply }).await?
    }

    pub async fn list(&self) -> Result<Vec<Schedule>> {
        self.0.ask(|reply| SchedulesMessage::List { reply }).await
    }

    /// Says that a task ended; what follows is on disk once this returns.
    pub async fn task_ended(&self, task: EndedTask) -> Result<()> {
        self.0.ask(|reply| SchedulesMessage::TaskEnded { task: Box::new(task), reply }).await?
    }

    /// From which event on the ends of tasks matter.
    pub async fn place(&self) -> Result<Seq> {
        self.0.ask(|reply| SchedulesMessage::Place { reply }).await?
    }

    pub fn reloaded(&self) {
        self.0.tell(SchedulesMessage::Reloaded);
    }
}
