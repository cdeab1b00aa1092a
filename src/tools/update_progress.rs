//! `update_progress`: `send_response` with PROGRESS, under a name that says so.

use super::prelude::*;
use super::report::{ReportOutput, Reported, record};
use crate::domain::task::ReportKind;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdateProgress {
    /// The task, as `wait_for_prompt` named it.
    task_id: String,
    /// What you are doing, for whoever asked.
    message: String,
    /// The name of the present phase.
    #[serde(default)]
    phase: Option<String>,
    /// How much is done, 0 to 100.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    percent: Option<u8>,
    /// The number of your lease, as `wait_for_prompt` gave it.
    #[serde(default)]
    lease_epoch: Option<u64>,
}

impl Verb for UpdateProgress {
    const NAME: &'static str = "update_progress";
    const TITLE: &'static str = "Report progress";
    const DESCRIPTION: &'static str = "\
        Say how a task that you hold gets on. Call it every few minutes while you work: it renews your lease, \
        and whoever asked sees it. The same as send_response with status PROGRESS.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::ADDS;

    type Output = ReportOutput;

    async fn run(call: Call, input: Self) -> Result<Answer<ReportOutput>> {
        let reported = Reported {
            verb: Self::NAME,
            task_id: input.task_id,
            kind: ReportKind::Progress { phase: input.phase, percent: input.percent },
            message: input.message,
            diff: None,
            artifacts: Vec::new(),
            evidence: None,
            lease_epoch: input.lease_epoch,
        };
        record(&call, reported).await
    }
}
