//! An order to a task, and how the task stands after it.

use super::authorize;
use super::prelude::*;
use crate::actors::task::{TaskAct, TaskReceipt};
use crate::domain::ids::LeaseEpoch;
use crate::journal::Blob;

/// How a task stands after an order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Moved {
    task_id: String,
    /// Its state now.
    state: String,
}

/// Gives a task an order that needs no blobs; a repeat is answered as the first time.
pub(super) async fn order(call: &Call, given: &str, command: TaskCommand) -> Result<TaskReceipt> {
    give(call, given, command, Vec::new()).await
}

/// The same for an order that mentions long texts.
pub(super) async fn give(call: &Call, given: &str, command: TaskCommand, blobs: Vec<Blob>) -> Result<TaskReceipt> {
    let task = TaskId::parse(given.trim()).map_err(|_| refuse::no_such_task(given))?;
    tell(call, &task, call.act(command, blobs)).await?.ok_or_else(|| refuse::no_such_task(given))
}

/// The same for an order that is made already; none when there is no such task.
pub(super) async fn tell(call: &Call, task: &TaskId, act: TaskAct) -> Result<Option<TaskReceipt>> {
    authorize::order(&call.hub, &call.caller.principal, call.held(task).cloned(), task, act).await
}

/// Hands in the work on a task. Who names no number, and was offered the task before the call began, has heard what its
/// reviewer wants: where that is in doubt, the number of that offer is named for it.
pub(super) async fn hand_in(
    call: &Call,
    task: &TaskId,
    given: Option<LeaseEpoch>,
    blobs: Vec<Blob>,
    command: impl Fn(Option<LeaseEpoch>) -> TaskCommand,
) -> Result<TaskReceipt> {
    let heard = call.offered(task).filter(|_| given.is_none());
    let again = heard.map(|epoch| call.act(command(Some(epoch)), blobs.clone()));
    match (tell(call, task, call.act(command(given), blobs)).await, again) {
        (Err(no), Some(again)) if no.code == "CHANGES_REQUESTED" => tell(call, task, again).await,
        (first, _) => first,
    }?
    .ok_or_else(|| refuse::no_such_task(task.as_str()))
}

impl From<&TaskReceipt> for Moved {
    fn from(receipt: &TaskReceipt) -> Self {
        Self { task_id: receipt.task_id.to_string(), state: receipt.state.to_string() }
    }
}
