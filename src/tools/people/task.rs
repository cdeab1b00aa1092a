//! What people order of a task: cancel, retry, requeue, comment, answer.

use super::prelude::*;
use super::refused::{line, no_such_task};
use crate::actors::task::{Beside, CommentNote, ReceiptNote, TaskAct, TaskReceipt};
use crate::domain::ids::{CommentId, TaskId};
use crate::domain::task::{Comment, CommentKind, Priority, Task, TaskCommand, TaskEdit, TaskStateName};
use crate::domain::text::Sanitized;
use crate::domain::time::Timestamp;

/// How a task stands after an order.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Moved")]
pub struct TaskAfter {
    pub task_id: String,
    /// Its state now.
    pub state: TaskStateName,
    /// Whether the order changed anything; a repeat of what was done does not.
    pub changed: bool,
    /// The comment that was made, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment_id: Option<String>,
    /// Comments that stand beside what the diff shows. They are kept where they stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside_diff: Vec<Beside>,
}

/// Calls a task off.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CancelTask {
    /// Why, for the worker and the asker.
    pub reason: Option<String>,
}

/// Puts a FAILED or TIMEOUT task back into its queue.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryTask {}

/// Puts a dead letter back, its attempts counted anew.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequeueTask {}

/// Changes what a task asks, until somebody takes it up, and how urgent it is.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EditTask {
    /// A line for lists.
    title: Option<String>,
    /// The text that the agent reads.
    prompt: Option<String>,
    priority: Option<Priority>,
    /// When it was written, where that was earlier.
    #[serde(skip)]
    written: Option<Timestamp>,
}

/// Comments on a task; its holder hears it.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentOnTask {
    text: String,
    /// The file it is about.
    #[serde(default)]
    file: Option<String>,
    /// The line in that file, from 1.
    #[serde(default)]
    line: Option<u32>,
    /// The comment it answers.
    #[serde(default)]
    reply_to: Option<String>,
}

/// Answers a BLOCKED task.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerTask {
    pub answer: String,
}

impl EditTask {
    /// Other words for the agent, written then.
    pub(crate) const fn words(prompt: String, written: Option<Timestamp>) -> Self {
        Self { title: None, prompt: Some(prompt), priority: None, written }
    }
}

impl CommentOnTask {
    /// One about the task as a whole.
    pub(crate) const fn plain(text: String) -> Self {
        Self { text, file: None, line: None, reply_to: None }
    }
}

impl PersonVerb for CancelTask {
    const NAME: &'static str = "cancel";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, task: &str) -> Result<TaskAfter> {
        let reason = self.reason.as_deref().map(|reason| words("reason", reason)).transpose()?;
        call.order(task, self, call.author().cancel(reason)).await
    }
}

impl PersonVerb for RetryTask {
    const NAME: &'static str = "retry";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, task: &str) -> Result<TaskAfter> {
        call.order(task, self, TaskCommand::Retry).await
    }
}

impl PersonVerb for RequeueTask {
    const NAME: &'static str = "requeue";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, task: &str) -> Result<TaskAfter> {
        call.order(task, self, TaskCommand::Requeue).await
    }
}

impl PersonVerb for EditTask {
    const NAME: &'static str = "edit";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, task: &str) -> Result<TaskAfter> {
        let Self { title, prompt, priority, written } = self;
        if title.is_none() && prompt.is_none() && priority.is_none() {
            return Err(argument("prompt", "say what is to be different: `title`, `prompt` or `priority`"));
        }
        let edit = TaskEdit {
            title: title.as_deref().map(|title| line("title", title)).transpose()?,
            prompt: prompt.as_deref().map(|prompt| words("prompt", prompt)).transpose()?,
            priority: *priority,
            sanitized: prompt.as_deref().and_then(Sanitized::of),
            written: *written,
        };
        call.order(task, self, TaskCommand::Edit { edit: Box::new(edit) }).await
    }
}

impl PersonVerb for CommentOnTask {
    const NAME: &'static str = "comments";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, task: &str) -> Result<TaskAfter> {
        let reply_to = comment_id("replyTo", self.reply_to.as_deref())?;
        let comment = call.comment(CommentKind::Note, &self.text, self.file.as_deref(), self.line)?;
        call.order(task, self, TaskCommand::Remark { comment: Comment { reply_to, ..comment }, posted_to: None }).await
    }
}

impl PersonVerb for AnswerTask {
    const NAME: &'static str = "answer";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, task: &str) -> Result<TaskAfter> {
        let answer = words("text", &self.answer)?;
        call.order(task, self, call.author().answer(answer, Sanitized::of(&self.answer))).await
    }
}

impl PersonCall {
    /// Gives a task an order; a repeat is answered as the first time.
    pub(super) async fn order<V: PersonVerb>(
        &self,
        given: &str,
        request: &V,
        command: TaskCommand,
    ) -> Result<TaskAfter> {
        self.give(given, self.task_act(given, request, command, None)).await
    }

    /// The same for an order that is made already. Here `people.yaml` is asked, whatever the order is.
    pub(super) async fn give(&self, given: &str, act: TaskAct) -> Result<TaskAfter> {
        let id = TaskId::parse(given).map_err(|_| no_such_task(given))?;
        let receipt = authorize::order(&self.hub, self.who(), None, &id, act).await?;
        receipt.map(TaskAfter::from).ok_or_else(|| no_such_task(given))
    }

    /// An order under this call's key, with what its receipt is to tell of comments.
    pub(super) fn task_act<V: PersonVerb>(
        &self,
        given: &str,
        request: &V,
        command: TaskCommand,
        note: Option<CommentNote>,
    ) -> TaskAct {
        TaskAct {
            note: note.map(ReceiptNote::Comments),
            ..self.author().act(command, Vec::new(), self.key_of(given, request))
        }
    }

    /// A comment in the caller's name.
    pub(super) fn comment(
        &self,
        kind: CommentKind,
        text: &str,
        file: Option<&str>,
        line: Option<u32>,
    ) -> Result<Comment> {
        match (file, line) {
            (_, Some(0)) => return Err(argument("line", "lines are counted from 1")),
            (None, Some(_)) => return Err(argument("line", "a line is one of a file: name it in `file`")),
            (_, None) | (Some(_), Some(_)) => {}
        }
        let comment = self.author().comment(kind, words("text", text)?);
        let file = file.map(|file| words("file", file)).transpose()?;
        Ok(Comment { file, line, sanitized: Sanitized::of(text), ..comment })
    }
}

/// A task, open or closed. Fails with `TASK_NOT_FOUND`, or when the hub cannot say.
pub async fn find_task(hub: &HubRef, given: &str) -> Result<Task> {
    let id = TaskId::parse(given).map_err(|_| no_such_task(given))?;
    hub.task(&id).await.map_err(fault)?.ok_or_else(|| no_such_task(given))
}

pub(super) fn comment_id(field: &str, given: Option<&str>) -> Result<Option<CommentId>> {
    given.map(CommentId::parse).transpose().map_err(|error| argument(field, error))
}

impl From<TaskReceipt> for TaskAfter {
    fn from(receipt: TaskReceipt) -> Self {
        let TaskReceipt { task_id, state, changed, note, .. } = receipt;
        let CommentNote { comment_id, beside_diff } = match note {
            Some(ReceiptNote::Comments(note)) => note,
            Some(ReceiptNote::Assigned(_)) | None => CommentNote::default(),
        };
        Self { task_id: task_id.to_string(), state, changed, comment_id, beside_diff }
    }
}
