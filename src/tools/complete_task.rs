//! `complete_task`: the task is done, also where its approval was what it waited for.

use super::prelude::*;
use super::report::{ReportOutput, Reported, record};
use crate::domain::task::ReportKind;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CompleteTask {
    /// What you did, for whoever asked.
    summary: String,
    /// Proof that the work is done: commands and their outcome, checks, the merge.
    #[serde(default)]
    evidence: Option<Value>,
    /// The task. Not needed while you hold one task.
    #[serde(default)]
    task_id: Option<String>,
}

impl Verb for CompleteTask {
    const NAME: &'static str = "complete_task";
    const TITLE: &'static str = "Complete a task";
    const DESCRIPTION: &'static str = "\
        Say that a task is done: after an approval, once its change is merged. The same as send_response with status \
        COMPLETED. A task that waits for its reviewer is refused until it is approved.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ENDS;
    const IN_SESSION: bool = true;

    type Output = ReportOutput;

    async fn run(call: Call, input: Self) -> Result<Answer<ReportOutput>> {
        let reported = Reported {
            verb: Self::NAME,
            task_id: call.meant_task(Self::NAME, input.task_id).await?,
            kind: ReportKind::Completed,
            message: input.summary,
            diff: None,
            artifacts: Vec::new(),
            evidence: input.evidence,
            lease_epoch: None,
        };
        record(&call, reported).await
    }
}
