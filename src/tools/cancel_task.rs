//! `cancel_task`: who asked for a task calls it off.

use super::order::{Moved, order};
use super::prelude::*;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CancelTask {
    /// The task, as `assign_task` named it.
    task_id: String,
    /// Why; whoever works on it reads this.
    #[serde(default)]
    reason: Option<String>,
}

impl Verb for CancelTask {
    const NAME: &'static str = "cancel_task";
    const TITLE: &'static str = "Cancel a task";
    const DESCRIPTION: &'static str = "\
        Call off a task that you assigned. Whoever works on it is told to stop with its next call. A cancelled \
        task cannot be taken up again.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ENDS;

    type Output = Moved;

    async fn run(call: Call, input: Self) -> Result<Answer<Moved>> {
        let reason = maybe(Self::NAME, "reason", input.reason.as_deref(), LINE_LIMIT)?;
        let receipt = order(&call, &input.task_id, call.author().cancel(reason)).await?;
        let message = format!("Task {} is {}.", receipt.task_id, receipt.state);
        Ok(Answer::new(message, Moved::from(&receipt)))
    }
}
