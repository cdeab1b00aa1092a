//! `get_review_comments`: what people said of the work that was handed in.

use super::prelude::*;
use crate::domain::review::{Review, ReviewComment, ReviewState, Side};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct GetReviewComments {
    /// The task. Not needed while you hold one task.
    task_id: Option<String>,
    /// Leave out the threads that are settled; true when left out.
    unresolved_only: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    task_id: String,
    /// Where its review stands.
    state: ReviewState,
    /// How often it was handed in.
    round: u32,
    /// What people said, oldest first.
    comments: Vec<CommentShown>,
}

/// A comment on a change.
#[derive(Debug, Serialize, JsonSchema)]
struct CommentShown {
    /// Its id: what `resolve_review_comment` takes.
    comment_id: String,
    /// Who wrote it.
    from: Origin,
    text: String,
    /// The file it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Whether the line is of the file as it becomes, or as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<Side>,
    /// In which round it was made.
    round: u32,
    /// The comment that began its thread, where that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<String>,
    /// Whether its thread is settled.
    resolved: bool,
    /// What was said when it was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<String>,
    /// When, RFC 3339.
    at: String,
}

impl Verb for GetReviewComments {
    const NAME: &'static str = "get_review_comments";
    const TITLE: &'static str = "Read what reviewers said";
    const DESCRIPTION: &'static str = "\
        What reviewers said of a task's work, by file and line. Change what they ask for, answer each thread with \
        resolve_review_comment, and submit_for_review again.";
    const FOR: For = For::Anybody(Scope::View);
    const HINTS: Hints = Hints::LOOKS;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let named = call.meant_task(Self::NAME, input.task_id).await?;
        let task = call.visible_task(&named).await?;
        let review = call.review(task.id()).await?;
        let shown = |known: &&ReviewComment| {
            !input.unresolved_only.unwrap_or(true) || review.unresolved().any(|open| std::ptr::eq(open, *known))
        };
        let comments: Vec<CommentShown> =
            review.comments.iter().filter(shown).map(|known| CommentShown::of(&review, known)).collect();
        let message = match comments.len() {
            0 => format!("No comment on task {} is open.", task.id()),
            1 => format!("There is 1 comment on task {}.", task.id()),
            many => format!("There are {many} comments on task {}.", task.id()),
        };
        let round = review.round().map_or(0, |round| round.number);
        Ok(Answer::new(message, Output { task_id: task.id().to_string(), state: review.state, round, comments }))
    }
}

impl CommentShown {
    fn of(review: &Review, known: &ReviewComment) -> Self {
        let (comment, thread) = (&known.comment, review.thread_of(known));
        Self {
            comment_id: comment.id.to_string(),
            from: comment.from.clone(),
            text: comment.text.clone(),
            file: comment.file.clone(),
            line: comment.line,
            side: comment.line.map(|_| known.side),
            round: known.round,
            reply_to: comment.reply_to.as_ref().map(ToString::to_string),
            resolved: thread.is_some_and(|thread| thread.resolved.is_some()),
            response: known.resolved.as_ref().and_then(|end| end.response.clone()),
            at: comment.at.to_string(),
        }
    }
}

impl Call {
    /// The review of a task that the caller may see.
    async fn review(&self, task: &crate::domain::ids::TaskId) -> Result<Review> {
        let id = task.clone();
        let found = self.hub.journal.read(move |reader| reader.review(&id)).await;
        let none = || refuse::review(&crate::domain::review::ReviewRefusal::NoReview { task: task.to_string() });
        found.map_err(|error| refuse::read(&error))?.ok_or_else(none)
    }
}
