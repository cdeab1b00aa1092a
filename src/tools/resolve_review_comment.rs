//! `resolve_review_comment`: who works on a task settles what a reviewer asked for.

use super::order::give;
use super::prelude::*;
use crate::domain::ids::CommentId;
use crate::domain::review::ReviewRefusal;
use crate::domain::text::shown;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResolveReviewComment {
    /// The comment, as `get_review_comments` named it.
    comment_id: String,
    /// What you did about it, or why you did not.
    #[serde(default)]
    response: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    comment_id: String,
    task_id: String,
    /// Whether this changed anything; a repeat does not.
    recorded: bool,
}

impl Verb for ResolveReviewComment {
    const NAME: &'static str = "resolve_review_comment";
    const TITLE: &'static str = "Settle a reviewer's comment";
    const DESCRIPTION: &'static str = "\
        Settle a comment on your work: response says what you did about it, or why you did not. Settle each of them \
        before you submit_for_review again.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let given = input.comment_id.trim().to_owned();
        let unknown = || refuse::review(&ReviewRefusal::CommentNotFound { comment: shown(&given) });
        let comment = CommentId::parse(&given).map_err(|_| unknown())?;
        let response = maybe(Self::NAME, "response", input.response.as_deref(), TEXT_LIMIT)?;
        let wanted = comment.clone();
        let found = call.hub.journal.read(move |reader| reader.task_of_comment(&wanted)).await;
        let task = found.map_err(|error| refuse::read(&error))?.ok_or_else(unknown)?;
        let order = give(&call, task.as_str(), TaskCommand::Resolve { comment, response }, Vec::new()).await;
        // Somebody else's comment answers like one that does not exist.
        let receipt = order.map_err(|no| if no.code == "TASK_NOT_FOUND" { unknown() } else { no })?;
        let message = format!("Comment {given} on task {task} is settled.");
        Ok(Answer::new(message, Output { comment_id: given, task_id: task.to_string(), recorded: receipt.changed }))
    }
}
