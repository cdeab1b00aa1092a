//! An order to a task, and how the task stands after it.

use schemars::JsonSchema;
use serde::Serialize;

use super::blame;
use super::refusal::Refusal;
use super::verb::Call;
use crate::actors::task::{ActError, TaskReceipt};
use crate::domain::ids::TaskId;
use crate::domain::task::TaskCommand;
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
    match call.hub.order_by(call.held(&task), &task, call.act(command, blobs)).await {
        Ok(None) => Err(blame::no_such_task(given)),
        Ok(Some(receipt)) => Ok(receipt),
        Err(ActError::Repeated(first)) => Ok(*first),
        Err(error) => Err(blame::act(error)),
    }
}

impl From<&TaskReceipt> for Moved {
    fn from(receipt: &TaskReceipt) -> Self {
        Self { task_id: receipt.task_id.to_string(), state: receipt.state.to_string() }
    }
}
