//! `POST /api/v1/tasks/{id}/…`: what an operator may order of a task.

use axum::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::desk::{Desk, Moved, invalid, words};
use crate::domain::ids::CommentId;
use crate::domain::task::{Authority, Comment, CommentKind, TaskCommand};
use crate::transport::web::{ApiError, JsonBody, Route, Routes, Segment};

/// An order without more words.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Plain {}

/// Why it is called off.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cancel {
    /// For the worker and the asker.
    #[serde(default)]
    reason: Option<String>,
}

/// For whom now.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Reassign {
    /// As `assign_task` takes it.
    target_agent_id: String,
}

/// A remark.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Remark {
    /// The text.
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

/// What the worker waits for.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// The answer.
    answer: String,
}

/// Makes the handler of an order: the body becomes a command.
macro_rules! order {
    ($body:ty, $verb:literal, $to_command:expr) => {
        async |desk: Desk, Segment(id): Segment, JsonBody(body): JsonBody<$body>| {
            let asked = json!(body);
            let to_command: fn(&Desk, $body) -> Result<TaskCommand, ApiError> = $to_command;
            let command = to_command(&desk, body)?;
            desk.order(&id, $verb, &asked, command).await.map(Json)
        }
    };
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    Routes::new()
        .add(row::<Cancel>("/api/v1/tasks/{id}/cancel", "calls it off"), order!(Cancel, "cancel", cancel))
        .add(
            row::<Plain>("/api/v1/tasks/{id}/retry", "puts a FAILED or TIMEOUT task back into its queue"),
            order!(Plain, "retry", |_, Plain {}| Ok(TaskCommand::Retry)),
        )
        .add(
            row::<Plain>("/api/v1/tasks/{id}/requeue", "puts a dead letter back, its attempts counted anew"),
            order!(Plain, "requeue", |_, Plain {}| Ok(TaskCommand::Requeue)),
        )
        .add(row::<Reassign>("/api/v1/tasks/{id}/reassign", "gives it to another target"), reassign)
        .add(row::<Remark>("/api/v1/tasks/{id}/comments", "remarks on it"), order!(Remark, "comments", remark))
        .add(row::<Reply>("/api/v1/tasks/{id}/answer", "answers a BLOCKED task"), order!(Reply, "answer", answer))
}

const fn row<B: JsonSchema>(path: &'static str, summary: &'static str) -> Route {
    Route::post::<B, Moved>(path, summary)
}

fn cancel(_: &Desk, body: Cancel) -> Result<TaskCommand, ApiError> {
    let reason = body.reason.map(|reason| words("reason", &reason)).transpose()?;
    Ok(TaskCommand::Cancel { authority: Authority::Operator, reason })
}

fn remark(desk: &Desk, body: Remark) -> Result<TaskCommand, ApiError> {
    let reply_to = body.reply_to.as_deref().map(CommentId::parse).transpose();
    let reply_to = reply_to.map_err(|error| invalid("replyTo", error))?;
    let comment = desk.comment(CommentKind::Note, &body.text, body.file.as_deref(), body.line)?;
    Ok(TaskCommand::Remark { comment: Comment { reply_to, ..comment } })
}

fn answer(desk: &Desk, body: Reply) -> Result<TaskCommand, ApiError> {
    let answer = desk.comment(CommentKind::Answer, &body.answer, None, None)?;
    Ok(TaskCommand::Answer { authority: Authority::Operator, answer })
}

async fn reassign(
    desk: Desk,
    Segment(id): Segment,
    JsonBody(body): JsonBody<Reassign>,
) -> Result<Json<Moved>, ApiError> {
    desk.reassign(&id, &json!(body), &body.target_agent_id).await.map(Json)
}
