//! A person gives a task to another target.

use super::prelude::*;
use super::refused::no_such_task;
use super::task::{TaskAfter, find_task};
use crate::actors::common::Attempts;
use crate::actors::dispatcher::AssignError;
use crate::actors::task::{ActError, TaskAct};
use crate::domain::task::TaskCommand;

/// Gives a task to another target.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReassignTask {
    /// As `assign_task` takes it.
    pub target_agent_id: String,
}

impl PersonVerb for ReassignTask {
    const NAME: &'static str = "reassign";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, given: &str) -> Result<TaskAfter> {
        let target = words("targetAgentId", &self.target_agent_id)?;
        let (hub, who) = (&call.hub, call.who());
        let mut attempts = Attempts::default();
        loop {
            let task = find_task(hub, given).await?;
            // The hub reads the target later, in the dispatcher: until then the order names the old one.
            let unread = TaskCommand::Reassign { target: task.spec.target.clone() };
            let judged = authorize::is_narrowed(hub, who).then(|| Whose::of_task(&task));
            let act = TaskAct { judged, ..call.task_act(given, self, unread, None) };
            authorize::on_task(hub, who, &task, &act.command, act.key.as_ref()).await?;
            let rights = authorize::assignable(hub, who).await?;
            match hub.reassign(task.id(), target.clone(), rights, act, &mut attempts).await {
                Ok(Some(receipt)) => return Ok(TaskAfter::from(receipt)),
                Ok(None) => return Err(no_such_task(given)),
                Err(AssignError::Act(ActError::Repeated(first))) => return Ok(TaskAfter::from(*first)),
                Err(AssignError::Act(ActError::ChangedHands(_))) if attempts.again() => {}
                Err(error) => return Err(refuse::assign(error)),
            }
        }
    }
}
