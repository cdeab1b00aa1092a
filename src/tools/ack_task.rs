//! `ack_task`: the offer becomes a lease.

use super::order::{order, tell};
use super::prelude::*;
use crate::actors::task::{TaskAct, TaskReceipt};
use crate::domain::ids::LeaseEpoch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AckTask {
    /// The task, as `wait_for_prompt` named it.
    task_id: String,
    /// The number of the offer, as `wait_for_prompt` gave it.
    #[serde(default)]
    lease_epoch: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    task_id: String,
    /// Its state now.
    state: String,
    /// The number of your lease.
    lease_epoch: u64,
    /// When the lease ends unless you report progress, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

impl Verb for AckTask {
    const NAME: &'static str = "ack_task";
    const TITLE: &'static str = "Acknowledge a task";
    const DESCRIPTION: &'static str = "\
        Say that you have received the task that wait_for_prompt gave you and start on it. Call this right after \
        wait_for_prompt returned status TASK, before you do anything else: an offer that is not acknowledged in \
        time (ackBy) goes back to the queue. Calling it again does no harm.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::SETTLES;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let receipt = acknowledge(&call, &input.task_id, input.lease_epoch.map(LeaseEpoch)).await?;
        let task = &receipt.task_id;
        let fields = Output {
            task_id: task.to_string(),
            state: receipt.state.to_string(),
            lease_epoch: receipt.epoch.0,
            expires_at: receipt.expires_at.map(|at| at.to_string()),
        };
        let prompt = format!(
            "## NEXT STEP\nDo the work of task {task}. Report with update_progress while it takes long, and end it \
             with send_response: COMPLETED, BLOCKED or FAILED."
        );
        Ok(Answer::new(format!("Task {task} is yours."), fields).prompt(prompt))
    }
}

/// Acknowledges on behalf of an agent that calls for something else: the key of the call is for that.
pub(super) async fn acknowledge_beside(call: &Call, task: &TaskId) -> Result<()> {
    let agent = call.calling()?.id.clone();
    let act = TaskAct { key: None, ..call.act(TaskCommand::Acknowledge { agent, epoch: None }, Vec::new()) };
    tell(call, task, act).await?.map(|_| ()).ok_or_else(|| refuse::no_such_task(task.as_str()))
}

/// Acknowledges on behalf of the calling agent.
pub(super) async fn acknowledge(call: &Call, given: &str, epoch: Option<LeaseEpoch>) -> Result<TaskReceipt> {
    let agent = call.calling()?.id.clone();
    order(call, given, TaskCommand::Acknowledge { agent, epoch }).await
}
