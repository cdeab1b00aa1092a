//! A reviewer's verdict and comments: the same by the name of the task and by that of its review, which are one.

use axum::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::desk::{Beside, Desk, Moved, invalid, words};
use crate::domain::ids::{CommentId, TaskId};
use crate::domain::permission::Whose;
use crate::domain::review::{DiffMap, Review, Side};
use crate::domain::task::{Comment, CommentKind, KeptText, Task, TaskCommand};
use crate::journal::{ReadError, Reader};
use crate::settings::OnApprove;
use crate::transport::web::{ApiError, JsonBody, Route, Routes, Segment};

/// The most wishes of one verdict.
const WISHES: usize = 100;

/// A reviewer agrees.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Approve {
    /// What they say.
    #[serde(default)]
    pub(super) message: Option<String>,
}

/// A reviewer wants changes.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestChanges {
    /// What is to change; none are needed where comments are open already.
    #[serde(default)]
    pub(super) comments: Vec<Wish>,
}

/// What is to change.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    /// The text.
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
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), file: None, line: None }
    }
}

/// A comment on the change, without a verdict.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Discuss {
    /// The text.
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

/// A thread is settled.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Resolve {
    /// A comment of the thread.
    comment_id: String,
    /// What was done about it.
    #[serde(default)]
    response: Option<String>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    Routes::new()
        .add(row::<Approve>("/api/v1/tasks/{id}/approve", "agrees with its result"), approve)
        .add(row::<Approve>("/api/v1/reviews/{id}/approve", "agrees with the change"), approve)
        .add(
            row::<RequestChanges>("/api/v1/tasks/{id}/request-changes", "sends it back to its worker with wishes"),
            request_changes,
        )
        .add(
            row::<RequestChanges>("/api/v1/reviews/{id}/request-changes", "sends the change back with wishes"),
            request_changes,
        )
        .add(row::<Discuss>("/api/v1/reviews/{id}/comments", "comments on the change, without a verdict"), discuss)
        .add(row::<Resolve>("/api/v1/reviews/{id}/resolve", "settles a thread"), resolve)
}

const fn row<B: JsonSchema>(path: &'static str, summary: &'static str) -> Route {
    Route::post::<B, Moved>(path, summary)
}

async fn approve(desk: Desk, Segment(id): Segment, JsonBody(body): JsonBody<Approve>) -> Result<Json<Moved>, ApiError> {
    desk.approve(&id, &body).await.map(Json)
}

async fn request_changes(
    desk: Desk,
    Segment(id): Segment,
    JsonBody(body): JsonBody<RequestChanges>,
) -> Result<Json<Moved>, ApiError> {
    desk.request_changes(&id, &body).await.map(Json)
}

async fn discuss(desk: Desk, Segment(id): Segment, JsonBody(body): JsonBody<Discuss>) -> Result<Json<Moved>, ApiError> {
    let task = super::task::find(&desk.hub, &id).await?;
    let reply_to = body.reply_to.as_deref().map(CommentId::parse).transpose();
    let reply_to = reply_to.map_err(|error| invalid("replyTo", error))?;
    let comment = desk.comment(CommentKind::Review, &body.text, body.file.as_deref(), body.line)?;
    let beside = desk.beside_the_diff(&task, vec![(comment.clone(), body.side)]).await?;
    let comment = Comment { reply_to, ..comment };
    let note = json!({ "commentId": comment.id, "besideDiff": beside });
    let command = TaskCommand::Discuss { comment, side: body.side };
    let mut act = desk.act(&id, "review comments", &json!(body), command)?;
    act.note = Some(note);
    desk.give(&id, act).await.map(Json)
}

async fn resolve(desk: Desk, Segment(id): Segment, JsonBody(body): JsonBody<Resolve>) -> Result<Json<Moved>, ApiError> {
    let comment = CommentId::parse(&body.comment_id).map_err(|error| invalid("commentId", error))?;
    let response = body.response.as_deref().map(|response| words("response", response)).transpose()?;
    desk.order(&id, "resolve", &json!(body), TaskCommand::Resolve { comment, response }).await.map(Json)
}

impl Desk {
    /// A reviewer agrees.
    pub(super) async fn approve(&self, id: &str, body: &Approve) -> Result<Moved, ApiError> {
        let task = super::task::find(&self.hub, id).await?;
        let message = body.message.as_deref().map(|message| words("message", message)).transpose()?;
        let completes = self.on_approve(&task) == OnApprove::Complete;
        let command = TaskCommand::Approve { message, comment: self.hub.ids.comment(), completes };
        self.order(id, "approve", &json!(body), command).await
    }

    /// A reviewer wants changes.
    pub(super) async fn request_changes(&self, id: &str, body: &RequestChanges) -> Result<Moved, ApiError> {
        if body.comments.len() > WISHES {
            return Err(invalid("comments", format_args!("must have at most {WISHES} entries")));
        }
        let task = super::task::find(&self.hub, id).await?;
        let wish = |wish: &Wish| self.comment(CommentKind::Review, &wish.text, wish.file.as_deref(), wish.line);
        let comments = body.comments.iter().map(wish).collect::<Result<Vec<Comment>, _>>()?;
        let placed = comments.iter().map(|comment| (comment.clone(), Side::New)).collect();
        let beside = self.beside_the_diff(&task, placed).await?;
        let mut act = self.act(id, "request-changes", &json!(body), TaskCommand::RequestChanges { comments })?;
        act.note = Some(json!({ "besideDiff": beside }));
        self.give(id, act).await
    }

    /// What an approval means for whoever handed the task in: their role says so.
    fn on_approve(&self, task: &Task) -> OnApprove {
        let role = Whose::of_task(task).role().map(ToString::to_string);
        let settings = self.hub.settings();
        role.and_then(|role| settings.roles.find(&role).map(|(_, role)| role.on_approve)).unwrap_or_default()
    }

    /// Which comments stand at no file and line that the newest diff shows. They are kept where they stand: a reviewer
    /// may well mean what was not changed, and no verdict is lost for a slip of the line. Where there is no diff, only
    /// the forge knows.
    async fn beside_the_diff(&self, task: &Task, comments: Vec<(Comment, Side)>) -> Result<Vec<Beside>, ApiError> {
        let id = task.id().clone();
        let placed = move |reader: &dyn Reader| -> Result<Vec<Beside>, ReadError> {
            let Some(map) = newest_map(reader, &id)? else { return Ok(Vec::new()) };
            let beside = comments.iter().enumerate().filter_map(|(comment, (said, side))| {
                let error = map.place(said.file.as_deref(), said.line, *side).err()?;
                Some(Beside { comment, why: error.to_string() })
            });
            Ok(beside.collect())
        };
        Ok(self.hub.journal.read(placed).await?)
    }
}

/// The newest diff of a review, read; none where there is no review or no diff.
fn newest_map(reader: &dyn Reader, task: &TaskId) -> Result<Option<DiffMap>, ReadError> {
    let Some(review) = reader.review(task)? else { return Ok(None) };
    let text = review.round().and_then(|round| round.change.diff.as_ref()).map(|diff| text_of(reader, diff));
    Ok(text.transpose()?.map(|text| DiffMap::of(&text)))
}

/// A diff whole, wherever it lies.
pub(super) fn text_of(reader: &dyn Reader, diff: &KeptText) -> Result<String, ReadError> {
    match diff {
        KeptText::Inline { text } => Ok(text.clone()),
        KeptText::Stored { blob, head, .. } => Ok(reader.blob(blob)?.unwrap_or_else(|| head.clone())),
    }
}

/// A review by the name of its task, or the sentence that there is none.
pub(super) async fn find_review(desk_hub: &crate::actors::HubRef, given: &str) -> Result<Review, ApiError> {
    let none = || {
        let shown: String = given.chars().filter(|c| !c.is_control()).take(64).collect();
        ApiError::new("REVIEW_NOT_FOUND", format!("task `{shown}` was not submitted for review, or does not exist"))
    };
    let id = TaskId::parse(given).map_err(|_| none())?;
    desk_hub.journal.read(move |reader| reader.review(&id)).await?.ok_or_else(none)
}
