//! An order to a task, and how the task stands after it.

use schemars::JsonSchema;
use serde::Serialize;

use super::blame;
use super::permit;
use super::refusal::Refusal;
use super::verb::Call;
use crate::actors::task::{ActError, TaskReceipt};
use crate::domain::ids::{LeaseEpoch, TaskId};
use crate::domain::task::{TaskCommand, TaskRefusal};
use crate::journal::Blob;

/// How a task stands after an order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Moved {
    /// The task.
    task_id: String,
    /// Its state now.
    state: String,
}

/// Gives a task an order that needs no blobs; a repeat is answered as the first time.
pub(super) async fn order(call: &Call, given: &str, command: TaskCommand) -> Result<TaskReceipt, Refusal> {
    give(call, given, command, Vec::new()).await
}

/// The same for an order that mentions long texts.
pub(super) async fn give(
    call: &Call,
    given: &str,
    command: TaskCommand,
    blobs: Vec<Blob>,
) -> Result<TaskReceipt, Refusal> {
    let task = TaskId::parse(given.trim()).map_err(|_| blame::no_such_task(given))?;
    if permit::is_narrowed(&call.hub, &call.caller.principal) {
        let known = call.hub.task(&task).await.map_err(blame::fault)?;
        let known = known.ok_or_else(|| blame::no_such_task(given))?;
        permit::on_task(&call.hub, &call.caller.principal, &known, &command, call.key.as_ref()).await?;
    }
    match call.hub.order_by(call.held(&task), &task, call.act(command, blobs)).await {
        Ok(None) => Err(blame::no_such_task(given)),
        Ok(Some(receipt)) => Ok(receipt),
        Err(ActError::Repeated(first)) => Ok(*first),
        Err(error) => Err(blame::act(error)),
    }
}

/// Hands in the work on a task. Who names no number, and was offered the task before the call began, has heard what its
/// reviewer wants: where that is in doubt, the number of that offer is named for it.
pub(super) async fn hand_in(
    call: &Call,
    task: &TaskId,
    given: Option<LeaseEpoch>,
    blobs: Vec<Blob>,
    command: impl Fn(Option<LeaseEpoch>) -> TaskCommand,
) -> Result<Option<TaskReceipt>, ActError> {
    let heard = call.offered(task).filter(|_| given.is_none());
    let again = heard.map(|epoch| call.act(command(Some(epoch)), blobs.clone()));
    let first = call.hub.order_by(call.held(task), task, call.act(command(given), blobs)).await;
    match (first, again) {
        (Err(ActError::Refused(TaskRefusal::ChangesRequested { .. })), Some(again)) => {
            call.hub.order_by(call.held(task), task, again).await
        }
        (first, _) => first,
    }
}

impl From<&TaskReceipt> for Moved {
    fn from(receipt: &TaskReceipt) -> Self {
        Self { task_id: receipt.task_id.to_string(), state: receipt.state.to_string() }
    }
}
