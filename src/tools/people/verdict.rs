//! A reviewer's verdict and comments. A review has the name of its task: either id means the same.
//!
//! A comment on no line of the diff is kept, and listed in `besideDiff`: no verdict is lost for a slip of a line.

use super::prelude::*;
use super::task::{TaskAfter, comment_id, find_task};
use crate::actors::task::{Beside, CommentNote};
use crate::domain::ids::{CommentId, TaskId};
use crate::domain::review::{DiffMap, Side};
use crate::domain::task::{Comment, CommentKind, Task, TaskCommand};
use crate::journal::{ReadError, Reader};
use crate::settings::OnApprove;
use crate::tools::texts::whole_text;

/// The most wishes of one verdict.
const WISHES: usize = 100;

/// A reviewer agrees.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ApproveWork {
    /// What they say.
    pub message: Option<String>,
    /// The round of the review that they looked at: should a newer one have been handed in since, it is refused
    /// (`REVIEW_CHANGED`). Without it, whatever was handed in last is approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
}

/// A reviewer wants changes.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RequestChanges {
    /// What is to change; none are needed where comments are open already.
    pub comments: Vec<Wish>,
    /// The round of the review that they looked at: should a newer one have been handed in since, it is refused
    /// (`REVIEW_CHANGED`). Without it, whatever was handed in last is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
}

/// What is to change.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// What is to be said.
    text: String,
    /// The file it is about, as the diff names it.
    #[serde(default)]
    file: Option<String>,
    /// The line in that file as it becomes, from 1. One that the diff does not show is kept, and the answer says so.
    #[serde(default)]
    line: Option<u32>,
}

impl Wish {
    /// One about the change as a whole.
    pub fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), file: None, line: None }
    }
}

/// A comment on the change, without a verdict.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentOnReview {
    text: String,
    /// The file it is about, as the diff names it.
    #[serde(default)]
    file: Option<String>,
    /// The line in that file, from 1. One that the diff does not show is kept, and the answer says so.
    #[serde(default)]
    line: Option<u32>,
    /// Of which side of the diff the line is; as it becomes when left out.
    #[serde(default)]
    side: Side,
    /// A comment of the thread that it belongs to.
    #[serde(default)]
    reply_to: Option<String>,
}

/// What a login had approved on the forge was dismissed there.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct DismissApproval {
    /// Their name on the forge.
    pub login: String,
}

/// A thread is settled.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResolveComment {
    /// A comment of the thread.
    comment_id: String,
    /// What was done about it.
    #[serde(default)]
    response: Option<String>,
}

impl PersonVerb for ApproveWork {
    const NAME: &'static str = "approve";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, given: &str) -> Result<TaskAfter> {
        let task = find_task(&call.hub, given).await?;
        let message = self.message.as_deref().map(|message| words("message", message)).transpose()?;
        let completes = on_approve(call, &task) == OnApprove::Complete;
        let comment = call.hub.ids.comment();
        let grounds = authorize::grounds(&call.hub, call.who(), Whose::of_task(&task), call.grounds.as_ref()).await?;
        let approve = TaskCommand::Approve { message, comment, completes, grounds: Some(grounds), round: self.round };
        call.order(given, self, approve).await
    }
}

impl PersonVerb for RequestChanges {
    const NAME: &'static str = "request-changes";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, given: &str) -> Result<TaskAfter> {
        if self.comments.len() > WISHES {
            return Err(argument("comments", format_args!("must have at most {WISHES} entries")));
        }
        let task = find_task(&call.hub, given).await?;
        let wish = |wish: &Wish| call.comment(CommentKind::Review, &wish.text, wish.file.as_deref(), wish.line);
        let comments = self.comments.iter().map(wish).collect::<Result<Vec<Comment>, _>>()?;
        let placed = comments.iter().map(|comment| (comment.clone(), Side::New)).collect();
        let note = CommentNote { comment_id: None, beside_diff: beside_the_diff(call, &task, placed).await? };
        let command = TaskCommand::RequestChanges { comments, round: self.round };
        call.give(given, call.task_act(given, self, command, Some(note))).await
    }
}

impl PersonVerb for CommentOnReview {
    const NAME: &'static str = "review comments";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, given: &str) -> Result<TaskAfter> {
        let task = find_task(&call.hub, given).await?;
        let reply_to = comment_id("replyTo", self.reply_to.as_deref())?;
        let comment = call.comment(CommentKind::Review, &self.text, self.file.as_deref(), self.line)?;
        let beside_diff = beside_the_diff(call, &task, vec![(comment.clone(), self.side)]).await?;
        let note = CommentNote { comment_id: Some(comment.id.to_string()), beside_diff };
        let command = TaskCommand::Discuss { comment: Comment { reply_to, ..comment }, side: self.side };
        call.give(given, call.task_act(given, self, command, Some(note))).await
    }
}

impl PersonVerb for DismissApproval {
    const NAME: &'static str = "dismiss-approval";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, given: &str) -> Result<TaskAfter> {
        call.order(given, self, TaskCommand::Dismiss { login: self.login.clone() }).await
    }
}

impl PersonVerb for ResolveComment {
    const NAME: &'static str = "resolve";
    type Reply = TaskAfter;

    async fn act(&self, call: &PersonCall, given: &str) -> Result<TaskAfter> {
        let comment = CommentId::parse(&self.comment_id).map_err(|error| argument("commentId", error))?;
        let response = self.response.as_deref().map(|response| words("response", response)).transpose()?;
        call.order(given, self, TaskCommand::Resolve { comment, response }).await
    }
}

/// What an approval means for whoever handed the task in: their role says so.
fn on_approve(call: &PersonCall, task: &Task) -> OnApprove {
    let role = Whose::of_task(task).role().map(ToString::to_string);
    let settings = call.hub.settings();
    role.and_then(|role| settings.roles.find(&role).map(|(_, role)| role.on_approve)).unwrap_or_default()
}

/// Comments at no file and line of the newest diff. Without a diff, only the forge knows the lines.
async fn beside_the_diff(call: &PersonCall, task: &Task, said: Vec<(Comment, Side)>) -> Result<Vec<Beside>> {
    let id = task.id().clone();
    let placed = move |reader: &dyn Reader| -> Result<Vec<Beside>, ReadError> {
        let Some(map) = newest_map(reader, &id)? else { return Ok(Vec::new()) };
        let beside = said.iter().enumerate().filter_map(|(comment, (said, side))| {
            let error = map.place(said.file.as_deref(), said.line, *side).err()?;
            Some(Beside { comment, why: error.to_string() })
        });
        Ok(beside.collect())
    };
    call.hub.journal.read(placed).await.map_err(|error| read(&error))
}

/// The newest diff of a review; none where there is no review or no diff.
fn newest_map(reader: &dyn Reader, task: &TaskId) -> Result<Option<DiffMap>, ReadError> {
    let Some(review) = reader.review(task)? else { return Ok(None) };
    let text = review.round().and_then(|round| round.change.diff.as_ref()).map(|diff| whole_text(reader, diff));
    Ok(text.transpose()?.map(|text| DiffMap::of(&text)))
}
