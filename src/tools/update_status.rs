//! `update_status`: an agent says what it does.

use super::prelude::*;
use super::report::prove;
use super::session::{Standing, standing};
use crate::domain::session::{Details, WorkflowStatus};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateStatus {
    /// What you do.
    status: Status,
    /// A line about it, for people: what you work on, what you wait for.
    message: String,
    /// More about it.
    #[serde(default)]
    details: Option<Details>,
}

/// What may be reported.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Working,
    AwaitingInput,
    Blocked,
    AwaitingReview,
    Completed,
}

impl Verb for UpdateStatus {
    const NAME: &'static str = "update_status";
    const TITLE: &'static str = "Say what you do";
    const DESCRIPTION: &'static str = "\
        Tell people where you are: working, blocked, awaiting_review or completed, with a line about it. Your task \
        moves along. To ask a person something call request_input instead; when you cannot go on call mark_blocked.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Output = Standing;

    async fn run(call: Call, input: Self) -> Result<Answer<Standing>> {
        let message = words(Self::NAME, "message", &input.message, LINE_LIMIT)?;
        let details = match input.details {
            Some(Details { phase, progress }) => Some(Details {
                phase: maybe(Self::NAME, "details.phase", phase.as_deref(), LINE_LIMIT)?,
                progress: maybe(Self::NAME, "details.progress", progress.as_deref(), LINE_LIMIT)?,
            }),
            None => None,
        };
        let status = WorkflowStatus::from(input.status);
        // It would complete the task, and brings no proof.
        if status == WorkflowStatus::Completed
            && let Some(task) = call.session_view().await?.task_id
        {
            prove(&call, TaskId::parse(&task).ok().as_ref(), None).await?;
        }
        let receipt = call.order_session(SessionCommand::Report { status, message, details }).await?;
        let fields = standing(&receipt);
        let answer = Answer::new(format!("Your status is {}.", receipt.session.status()), fields);
        Ok(match status {
            WorkflowStatus::Started | WorkflowStatus::Working => answer,
            WorkflowStatus::AwaitingInput => match receipt.session.open_question() {
                Some(open) => answer.prompt(crate::domain::reminder::pending(&open.spec.id)),
                None => answer,
            },
            WorkflowStatus::Blocked | WorkflowStatus::AwaitingReview | WorkflowStatus::Completed => {
                answer.prompt(crate::domain::reminder::next_task())
            }
        })
    }
}

impl From<Status> for WorkflowStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Working => Self::Working,
            Status::AwaitingInput => Self::AwaitingInput,
            Status::Blocked => Self::Blocked,
            Status::AwaitingReview => Self::AwaitingReview,
            Status::Completed => Self::Completed,
        }
    }
}
