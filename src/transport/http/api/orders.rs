//! `POST /api/v1/tasks/{id}/…`: what an operator may order of a task.

use axum::Json;
use axum::extract::State;
use http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::actors::HubRef;
use crate::actors::dispatcher::AssignError;
use crate::actors::task::{ActError, TaskAct, TaskReceipt, TaskRef};
use crate::domain::ids::{CommentId, TaskId};
use crate::domain::task::{Authority, Cause, Comment, CommentKind, TaskCommand, TaskStateName};
use crate::domain::text::clean;
use crate::transport::web::{ApiError, JsonBody, Route, Routes, Segment, Who};

/// The longest text, in bytes.
const TEXT: usize = 64 * 1024;

/// The most wishes of one review.
const WISHES: usize = 100;

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

/// A reviewer agrees.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Approve {
    /// What they say.
    #[serde(default)]
    message: Option<String>,
}

/// A reviewer wants changes.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RequestChanges {
    /// What is to change, at least one.
    comments: Vec<Wish>,
}

/// What is to change.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wish {
    /// The text.
    text: String,
    /// The file it is about.
    #[serde(default)]
    file: Option<String>,
    /// The line in that file, from 1.
    #[serde(default)]
    line: Option<u32>,
}

/// How the task stands after the order.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Moved {
    /// Which.
    task_id: String,
    /// Its state now.
    state: TaskStateName,
    /// Whether the order changed anything; a repeat of what was done does not.
    changed: bool,
}

/// Makes the handler of an order: the body becomes a command.
macro_rules! order {
    ($body:ty, $verb:literal, $to_command:expr) => {
        async |State(hub): State<HubRef>,
               who: Who,
               Segment(id): Segment,
               headers: HeaderMap,
               JsonBody(body): JsonBody<$body>| {
            let desk = Desk { hub, who, headers };
            let asked = json!(body);
            let to_command: fn(&Desk, $body) -> Result<TaskCommand, ApiError> = $to_command;
            let command = to_command(&desk, body)?;
            desk.order(&id, $verb, &asked, command).await
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
        .add(
            row::<Approve>("/api/v1/tasks/{id}/approve", "agrees with its result"),
            order!(Approve, "approve", approve),
        )
        .add(
            row::<RequestChanges>("/api/v1/tasks/{id}/request-changes", "sends it back to its worker with wishes"),
            order!(RequestChanges, "request-changes", request_changes),
        )
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

fn approve(_: &Desk, body: Approve) -> Result<TaskCommand, ApiError> {
    let message = body.message.map(|message| words("message", &message)).transpose()?;
    Ok(TaskCommand::Approve { message })
}

fn request_changes(desk: &Desk, body: RequestChanges) -> Result<TaskCommand, ApiError> {
    if body.comments.is_empty() || body.comments.len() > WISHES {
        return Err(invalid("comments", format_args!("must have 1 to {WISHES} entries")));
    }
    let wish = |wish: &Wish| desk.comment(CommentKind::Review, &wish.text, wish.file.as_deref(), wish.line);
    let comments = body.comments.iter().map(wish).collect::<Result<_, _>>()?;
    Ok(TaskCommand::RequestChanges { comments })
}

async fn reassign(
    State(hub): State<HubRef>,
    who: Who,
    Segment(id): Segment,
    headers: HeaderMap,
    JsonBody(body): JsonBody<Reassign>,
) -> Result<Json<Moved>, ApiError> {
    let desk = Desk { hub, who, headers };
    let line = desk.line(&id).await?;
    let task = line.show().await?;
    // The command is the dispatcher's to fill in: it reads targets.
    let act = desk.act(&id, "reassign", &json!(body), TaskCommand::Retry)?;
    let target = words("targetAgentId", &body.target_agent_id)?;
    match desk.hub.dispatcher.reassign(task.id(), target, act).await {
        Ok(receipt) => Ok(Json(Moved::from(receipt))),
        Err(AssignError::Act(ActError::Repeated(first))) => Ok(Json(Moved::from(*first))),
        Err(error) => Err(crate::tools::blame::assign(error).into()),
    }
}

/// Who orders, and all that comes with an order.
struct Desk {
    hub: HubRef,
    who: Who,
    headers: HeaderMap,
}

impl Desk {
    async fn order(&self, id: &str, verb: &str, asked: &Value, command: TaskCommand) -> Result<Json<Moved>, ApiError> {
        let act = self.act(id, verb, asked, command)?;
        match self.line(id).await?.act(act).await {
            Ok(receipt) => Ok(Json(Moved::from(receipt))),
            Err(ActError::Repeated(first)) => Ok(Json(Moved::from(*first))),
            Err(error) => Err(crate::tools::blame::act(error).into()),
        }
    }

    async fn line(&self, given: &str) -> Result<TaskRef, ApiError> {
        let id = TaskId::parse(given).map_err(|_| ApiError::no_such_task(given))?;
        self.hub.task_line(&id).await?.ok_or_else(|| ApiError::no_such_task(given))
    }

    fn act(&self, id: &str, verb: &str, asked: &Value, command: TaskCommand) -> Result<TaskAct, ApiError> {
        let notices = (0..Cause::NOTICES).map(|_| self.hub.ids.notice()).collect();
        Ok(TaskAct {
            command,
            cause: Cause { by: self.who.by(), who: self.who.origin(), notices },
            request: Some(self.who.request.id.clone()),
            blobs: Vec::new(),
            key: self.who.key(&self.headers, &[verb, id, &asked.to_string()])?,
            note: None,
        })
    }

    fn comment(
        &self,
        kind: CommentKind,
        text: &str,
        file: Option<&str>,
        line: Option<u32>,
    ) -> Result<Comment, ApiError> {
        Ok(Comment {
            id: self.hub.ids.comment(),
            kind,
            from: self.who.origin(),
            text: words("text", text)?,
            file: file.map(|file| words("file", file)).transpose()?,
            line,
            reply_to: None,
            at: self.hub.clock.now(),
        })
    }
}

impl From<TaskReceipt> for Moved {
    fn from(receipt: TaskReceipt) -> Self {
        Self { task_id: receipt.task_id.to_string(), state: receipt.state, changed: receipt.changed }
    }
}

/// A text that says something, cleaned.
fn words(field: &str, given: &str) -> Result<String, ApiError> {
    if given.len() > TEXT {
        let message = format!("`{field}` has {} bytes; {TEXT} is the most", given.len());
        return Err(ApiError::new("TEXT_TOO_LONG", message).detail("field", field).detail("limit", TEXT));
    }
    let text = clean(given, TEXT.saturating_mul(3)).text;
    if text.trim().is_empty() { Err(invalid(field, "must not be empty")) } else { Ok(text) }
}

fn invalid(field: &str, what: impl std::fmt::Display) -> ApiError {
    ApiError::new("INVALID_ARGUMENTS", format!("the body: `{field}`: {what}")).detail("field", field)
}
