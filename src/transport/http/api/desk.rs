//! Who orders something of a task over plain HTTP, and all that comes with an order.

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::request::Parts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::actors::HubRef;
use crate::actors::dispatcher::AssignError;
use crate::actors::task::{ActError, IdempotencyKey, TaskAct, TaskReceipt};
use crate::domain::ids::TaskId;
use crate::domain::permission::Whose;
use crate::domain::task::{Cause, Comment, CommentKind, TaskCommand, TaskStateName};
use crate::domain::text::clean;
use crate::tools::permit;
use crate::transport::web::{ApiError, Who};

/// The longest text, in bytes.
const TEXT: usize = 64 * 1024;

/// How the task stands after an order.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Moved {
    /// Which.
    pub(super) task_id: String,
    /// Its state now.
    pub(super) state: TaskStateName,
    /// Whether the order changed anything; a repeat of what was done does not.
    pub(super) changed: bool,
    /// The comment that was made, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) comment_id: Option<String>,
    /// Comments that stand beside what the diff shows. They are kept where they stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) beside_diff: Vec<Beside>,
}

/// A comment beside what the diff shows.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Beside {
    /// Which of those that were given, from 0.
    pub(super) comment: usize,
    /// What the diff shows instead.
    pub(super) why: String,
}

/// Who orders, and by which request.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) hub: HubRef,
    pub(super) who: Who,
    pub(super) headers: HeaderMap,
    /// Which of the request's many orders this is.
    nth: Option<usize>,
}

impl FromRequestParts<HubRef> for Desk {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, hub: &HubRef) -> Result<Self, ApiError> {
        let who = Who::from_request_parts(parts, hub).await?;
        Ok(Self { hub: hub.clone(), who, headers: parts.headers.clone(), nth: None })
    }
}

impl Desk {
    /// The same for one of many orders of a request: its key is its own.
    pub(super) fn nth(&self, n: usize) -> Self {
        Self { nth: Some(n), ..self.clone() }
    }

    /// Gives a task an order; a repeat is answered as the first time.
    pub(super) async fn order(
        &self,
        id: &str,
        verb: &str,
        asked: &Value,
        command: TaskCommand,
    ) -> Result<Moved, ApiError> {
        self.give(id, self.act(id, verb, asked, command)?).await
    }

    /// The same for an order that is made already. Here `people.yaml` is asked, for whatever the order is.
    pub(super) async fn give(&self, given: &str, act: TaskAct) -> Result<Moved, ApiError> {
        let id = TaskId::parse(given).map_err(|_| ApiError::no_such_task(given))?;
        let receipt = permit::order(&self.hub, &self.who.principal, None, &id, act).await?;
        receipt.map(Moved::from).ok_or_else(|| ApiError::no_such_task(given))
    }

    /// An order with its cause, and with the key of this request.
    pub(super) fn act(&self, id: &str, verb: &str, asked: &Value, command: TaskCommand) -> Result<TaskAct, ApiError> {
        let notices = (0..Cause::NOTICES).map(|_| self.hub.ids.notice()).collect();
        Ok(TaskAct {
            command,
            cause: Cause { by: self.who.by(), who: self.who.origin(), notices },
            request: Some(self.who.request.id.clone()),
            blobs: Vec::new(),
            key: self.key(&[verb, id, &asked.to_string()])?,
            note: None,
            part: None,
            judged: None,
        })
    }

    /// The key of this request, and of which of its orders.
    pub(super) fn key(&self, asked: &[&str]) -> Result<Option<IdempotencyKey>, ApiError> {
        let key = self.who.key(&self.headers, asked)?;
        // The first of many has the request's own: so the key of a whole request is known too.
        Ok(key.map(|key| match self.nth {
            Some(n @ 1..) => IdempotencyKey { key: format!("{}#{n}", key.key), ..key },
            Some(0) | None => key,
        }))
    }

    /// Gives a task to another target, which the hub reads.
    pub(super) async fn reassign(&self, id: &str, asked: &Value, target: &str) -> Result<Moved, ApiError> {
        let given = words("targetAgentId", target)?;
        for _ in 0..permit::ATTEMPTS {
            let task = super::task::find(&self.hub, id).await?;
            // Stands for the order until the hub has read the target.
            let meant = TaskCommand::Reassign { target: task.spec.target.clone() };
            let judged = permit::is_narrowed(&self.hub, &self.who.principal).then(|| Whose::of_task(&task));
            let act = TaskAct { judged, ..self.act(id, "reassign", asked, meant)? };
            permit::on_task(&self.hub, &self.who.principal, &task, &act.command, act.key.as_ref()).await?;
            let rights = permit::assignable(&self.hub, &self.who.principal).await?;
            match self.hub.reassign(task.id(), given.clone(), rights, act).await {
                Ok(Some(receipt)) => return Ok(Moved::from(receipt)),
                Ok(None) => return Err(ApiError::no_such_task(id)),
                Err(AssignError::Act(ActError::Repeated(first))) => return Ok(Moved::from(*first)),
                Err(AssignError::Act(ActError::ChangedHands(_))) => {}
                Err(error) => return Err(crate::tools::blame::assign(error).into()),
            }
        }
        let id = TaskId::parse(id).map_err(|_| ApiError::no_such_task(id))?;
        Err(crate::tools::blame::act(ActError::ChangedHands(id)).into())
    }

    /// A comment in the caller's name.
    pub(super) fn comment(
        &self,
        kind: CommentKind,
        text: &str,
        file: Option<&str>,
        line: Option<u32>,
    ) -> Result<Comment, ApiError> {
        match (file, line) {
            (_, Some(0)) => return Err(invalid("line", "lines are counted from 1")),
            (None, Some(_)) => return Err(invalid("line", "a line is one of a file: name it in `file`")),
            (_, None) | (Some(_), Some(_)) => {}
        }
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
        let note = |name: &str| receipt.note.as_ref().and_then(|note| note.get(name));
        let comment = note("commentId").and_then(Value::as_str);
        let beside = note("besideDiff").and_then(|beside| Vec::<Beside>::deserialize(beside).ok());
        Self {
            beside_diff: beside.unwrap_or_default(),
            comment_id: comment.map(str::to_owned),
            task_id: receipt.task_id.to_string(),
            state: receipt.state,
            changed: receipt.changed,
        }
    }
}

/// A text that says something, cleaned.
pub(super) fn words(field: &str, given: &str) -> Result<String, ApiError> {
    if given.len() > TEXT {
        let message = format!("`{field}` has {} bytes; {TEXT} is the most", given.len());
        return Err(ApiError::new("TEXT_TOO_LONG", message).detail("field", field).detail("limit", TEXT));
    }
    let text = clean(given, TEXT.saturating_mul(3)).text;
    if text.trim().is_empty() { Err(invalid(field, "must not be empty")) } else { Ok(text) }
}

/// A field of the body is not as it must be.
pub(super) fn invalid(field: &str, what: impl std::fmt::Display) -> ApiError {
    ApiError::new("INVALID_ARGUMENTS", format!("the body: `{field}`: {what}")).detail("field", field)
}
