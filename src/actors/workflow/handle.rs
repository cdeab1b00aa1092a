//! The typed door to a run of a workflow.

use tokio_util::sync::CancellationToken;

use super::message::{Done, Start, Started, WorkflowError, WorkflowMessage, WorkflowOrder};
use crate::actors::common::{ActorHandle, Result};
use crate::domain::ids::PrincipalId;
use crate::domain::workflow::run::WorkflowRun;

#[derive(Debug, Clone)]
pub struct WorkflowRef(ActorHandle<WorkflowMessage>);

impl WorkflowRef {
    pub const fn new(line: ActorHandle<WorkflowMessage>) -> Self {
        Self(line)
    }

    /// The run begins: on disk once this returns. Fails when the key was used otherwise, or on a fault.
    pub async fn start(&self, start: Start) -> Result<Started, WorkflowError> {
        self.0.ask(|reply| WorkflowMessage::Start { start: Box::new(start), reply }).await?
    }

    /// The right to carry out the plan until `gone` is cancelled; or what fires when whoever has it is gone. Fails when
    /// there is no such run of `owner`'s, or it is busy or gone.
    pub async fn drive(
        &self,
        owner: PrincipalId,
        gone: CancellationToken,
    ) -> Result<Result<Box<WorkflowRun>, CancellationToken>, WorkflowError> {
        self.0.ask(|reply| WorkflowMessage::Drive { owner, gone, reply }).await?
    }

    /// Gives it an order: on disk once this returns. Fails with the run's refusal, or a fault.
    pub async fn order(&self, order: WorkflowOrder) -> Result<Done, WorkflowError> {
        self.0.ask(|reply| WorkflowMessage::Order { order: Box::new(order), reply }).await?
    }

    /// How it stands; none before it began.
    pub async fn show(&self) -> Result<Option<Box<WorkflowRun>>> {
        self.0.ask(|reply| WorkflowMessage::Show { reply }).await
    }
}
