//! Runs of workflows, for whoever holds the hub: those that go on, and those that lie in the store.

use super::HubRef;
use super::common::{Fault, Result};
use super::workflow::{Done, Start, Started, WorkflowError, WorkflowOrder};
use crate::domain::ids::WorkflowId;
use crate::domain::principal::By;
use crate::domain::workflow::run::{WorkflowCommand, WorkflowRefusal, WorkflowRun};

impl HubRef {
    /// A new run, on disk once this returns, or the one of this key. Fails on a key used otherwise, or a fault.
    pub async fn start_workflow(&self, start: Start) -> Result<WorkflowId, WorkflowError> {
        let id = self.ids.workflow();
        let line = self.supervisor.new_workflow(&id).await?;
        Ok(match line.start(start).await? {
            Started::Begun => id,
            Started::Repeated(first) => first,
        })
    }

    pub async fn workflow(&self, id: &WorkflowId) -> Result<Option<WorkflowRun>> {
        if let Some(line) = self.supervisor.workflow(id).await?
            && let Ok(Some(run)) = line.show().await
        {
            return Ok(Some(*run));
        }
        // It was over, or came to its end between the two questions: then the store has it.
        let wanted = id.clone();
        let read = self.journal.read(move |reader| reader.workflow(&wanted)).await;
        read.map_err(|error| Fault::Unavailable(error.to_string()))
    }

    /// Gives a run of the caller's an order. Fails with its refusal, with `Unknown` where it is not theirs, or a fault.
    pub async fn order_workflow(
        &self,
        id: &WorkflowId,
        command: WorkflowCommand,
        by: By,
        request: Option<String>,
    ) -> Result<Done, WorkflowError> {
        self.order_workflow_all(id, vec![command], by, request).await
    }

    /// The same for several orders: all of them in one append, or none. Fails as [`HubRef::order_workflow`] does.
    pub async fn order_workflow_all(
        &self,
        id: &WorkflowId,
        commands: Vec<WorkflowCommand>,
        by: By,
        request: Option<String>,
    ) -> Result<Done, WorkflowError> {
        let owner = by.principal.clone();
        self.give_workflow(id, WorkflowOrder { commands, owner, by, request, key: None }).await
    }

    /// Gives a run an order whoever's it is. Fails as [`HubRef::order_workflow`] does, and with `KeyReused`.
    pub async fn give_workflow(&self, id: &WorkflowId, order: WorkflowOrder) -> Result<Done, WorkflowError> {
        let owner = order.owner.clone();
        if let Some(line) = self.supervisor.workflow(id).await? {
            let outcome = line.order(order).await;
            if !matches!(outcome, Err(WorkflowError::Fault(Fault::Unavailable(_)))) {
                return outcome;
            }
        }
        match self.workflow(id).await?.filter(|run| run.owner == owner) {
            Some(run) if run.is_working() => {
                Err(Fault::Unavailable(format!("workflow `{id}` did not answer; repeat the call")).into())
            }
            Some(run) => Err(WorkflowRefusal::Ended { status: run.status }.into()),
            None => Err(WorkflowError::Unknown),
        }
    }
}
