//! `post_task_comment`: an agent writes a comment for people on its task.

use super::order::order;
use super::prelude::*;
use crate::domain::task::CommentKind;
use crate::domain::work_item::WorkItem;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PostTaskComment {
    /// What people should read.
    body: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    #[serde(rename = "taskId")]
    task_id: String,
}

impl Verb for PostTaskComment {
    const NAME: &'static str = "post_task_comment";
    const TITLE: &'static str = "Comment on your task";
    const DESCRIPTION: &'static str = "\
        Write a comment on your task, and on the work item it is linked to. For progress call update_progress, to ask \
        request_input.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ADDS;
    const IN_SESSION: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let body = words(Self::NAME, "body", &input.body, TEXT_LIMIT)?;
        let session = call.session_view().await?;
        let task = session.task_id.ok_or_else(|| refuse::no_such_task("none"))?;
        let posted_to = session.work_item.and_then(|item| WorkItem::parse(&item).ok());
        let comment = call.author().comment(CommentKind::Note, body);
        let receipt = order(&call, &task, TaskCommand::Remark { comment, posted_to }).await?;
        let message = format!("Your comment stands on task {}.", receipt.task_id);
        Ok(Answer::new(message, Output { task_id: receipt.task_id.to_string() }))
    }
}
