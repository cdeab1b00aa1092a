//! A run by its id, for its owner: how it stands, and its end.

use serde_json::{Value, json};

use crate::actors::HubRef;
use crate::actors::workflow::WorkflowError;
use crate::domain::ids::WorkflowId;
use crate::domain::principal::Scope;
use crate::domain::workflow::run::{WorkflowCommand, WorkflowRun};
use crate::tools::call::call;
use crate::tools::caller::Caller;
use crate::tools::refusal::Result;
use crate::tools::refuse;

/// The run of that id. Fails with `WORKFLOW_NOT_FOUND`, also for somebody else's, or when the hub is busy.
pub async fn find(hub: &HubRef, caller: &Caller, given: &str) -> Result<WorkflowRun> {
    let id = parse(given)?;
    let run = hub.workflow(&id).await.map_err(refuse::fault)?;
    let own = run.filter(|run| run.owner == caller.principal.id);
    own.ok_or_else(|| refuse::workflow(WorkflowError::Unknown))
}

/// Ends a run of the caller's: completed with `result`, else cancelled. Fails with `WORKFLOW_NOT_FOUND`,
/// `WORKFLOW_ENDED`, `TEXT_TOO_LONG`, or when the caller may not, or the hub is busy.
pub async fn end(hub: &HubRef, caller: &Caller, given: &str, result: Option<Value>) -> Result<()> {
    let id = parse(given)?;
    if let Some(result) = result {
        let arguments = json!({"task": id, "result": result});
        return call(hub, caller, "workflow_complete", arguments).await.map(drop);
    }
    if caller.principal.agent().is_none() && !caller.principal.may(Scope::Operate) {
        return Err(refuse::scope(caller, Scope::Operate));
    }
    let request = Some(caller.request.clone());
    let ended = hub.order_workflow(&id, WorkflowCommand::Cancel, caller.by(), request).await;
    ended.map(drop).map_err(refuse::workflow)
}

fn parse(given: &str) -> Result<WorkflowId> {
    WorkflowId::parse(given).map_err(|_| refuse::workflow(WorkflowError::Unknown))
}
