//! `send_response`: the holder reports how its task goes, or how it ended.

use super::prelude::*;
use super::report::{ArtifactArgument, ReportOutput, Reported, record};
use crate::domain::task::ReportKind;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SendResponse {
    /// The task, as `wait_for_prompt` named it.
    task_id: String,
    /// How it stands.
    status: Status,
    /// What you did, found, or need, for whoever asked.
    message: String,
    /// What came out: pull requests, branches, files, reports.
    #[serde(default)]
    artifacts: Option<Vec<ArtifactArgument>>,
    /// With BLOCKED: what you need, and from whom.
    #[serde(default)]
    blocked_reason: Option<String>,
    /// The change, as a unified diff.
    #[serde(default)]
    diff: Option<String>,
    /// Proof that the work is done: commands and their output, test results.
    #[serde(default)]
    evidence: Option<Value>,
    /// The number of your lease, as `wait_for_prompt` gave it.
    #[serde(default)]
    lease_epoch: Option<u64>,
    /// With PROGRESS: where you are.
    #[serde(default)]
    progress: Option<ProgressArgument>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Status {
    Completed,
    Blocked,
    Failed,
    Progress,
}

/// Where the work is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct ProgressArgument {
    /// The name of the present phase.
    phase: Option<String>,
    /// How much is done, 0 to 100.
    #[schemars(range(min = 0, max = 100))]
    percent: Option<u8>,
}

impl Verb for SendResponse {
    const NAME: &'static str = "send_response";
    const TITLE: &'static str = "Report on a task";
    const DESCRIPTION: &'static str = "\
        Report on a task that you hold. COMPLETED: it is done; say what you did and list what came out. BLOCKED: \
        you cannot go on without an answer; blockedReason says what you need. FAILED: it cannot be done; say \
        why. PROGRESS: you are still at it; this renews your lease. Every task must end with COMPLETED, BLOCKED \
        or FAILED. Follow the prompt in the result. Sending the same response again does no harm.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::ENDS;

    type Output = ReportOutput;

    async fn run(call: Call, input: Self) -> Result<Answer<ReportOutput>> {
        let progress = input.progress.unwrap_or_default();
        let kind = match input.status {
            Status::Completed => ReportKind::Completed,
            Status::Blocked => ReportKind::Blocked { reason: input.blocked_reason.unwrap_or_default(), question: None },
            Status::Failed => ReportKind::Failed,
            Status::Progress => ReportKind::Progress { phase: progress.phase, percent: progress.percent },
        };
        let reported = Reported {
            verb: Self::NAME,
            task_id: input.task_id,
            kind,
            message: input.message,
            diff: input.diff,
            artifacts: input.artifacts.unwrap_or_default(),
            evidence: input.evidence,
            lease_epoch: input.lease_epoch,
        };
        record(&call, reported).await
    }
}
