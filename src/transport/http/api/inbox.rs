//! `/api/v1/inbox`: what needs a person, and many answers at once.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::desk::{Desk, invalid, words};
use super::verdicts::{Approve, RequestChanges, Wish};
use crate::actors::HubRef;
use crate::domain::ids::AgentId;
use crate::domain::inbox::{InboxAction, InboxItem, InboxKind};
use crate::domain::principal::Scope;
use crate::domain::task::{Authority, CommentKind, TaskCommand};
use crate::settings::Right;
use crate::transport::web::{ApiError, JsonBody, Params, Route, Routes, Who};

/// The most actions of one request.
const ACTIONS: usize = 100;

/// The most items that are shown unless more are asked for, and in any case.
const SHOWN: usize = 100;
const MOST: usize = 500;

/// Which items, and how many of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct InboxParams {
    /// Of these sorts, separated by commas: question, review, blocked, timeout, stranded, `dead_letter`,
    /// undelivered.
    #[serde(default)]
    kind: Option<String>,
    /// Of this agent.
    #[serde(default)]
    agent: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    #[serde(default)]
    limit: Option<usize>,
}

/// What needs a person.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Inbox {
    /// In the order in which they should be looked at.
    items: Vec<InboxItem>,
    /// How many there are in all.
    total: usize,
}

/// What to do about many items.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Actions {
    /// One after the other; each comes to something of its own.
    actions: Vec<OneAction>,
}

/// What to do about one item.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneAction {
    /// The item, by its id.
    item: String,
    /// What to do.
    action: InboxAction,
    /// The answer, the remark, what is to change, the new target, or the reason.
    #[serde(default)]
    value: Option<String>,
}

/// What the actions came to, in their order.
#[derive(Debug, Serialize, JsonSchema)]
struct Outcomes {
    /// One for each.
    results: Vec<Outcome>,
    /// How many came to nothing.
    failed: usize,
}

/// What one action came to.
#[derive(Debug, Serialize, JsonSchema)]
struct Outcome {
    /// The item.
    item: String,
    /// What was to be done.
    action: InboxAction,
    /// Whether it was done, now or before.
    ok: bool,
    /// How it stands then.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// Whether this changed anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    /// The stable code, when it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// What is wrong, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// More for programs.
    #[serde(skip_serializing_if = "Map::is_empty")]
    details: Map<String, Value>,
}

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let list = Route::get::<Inbox>("/api/v1/inbox", "what needs you, the most pressing first");
    let act = Route::post::<Actions, Outcomes>("/api/v1/inbox/actions", "answers, approves and retries many at once");
    Routes::new().add(list.query::<InboxParams>().needs(Scope::Operate), show).add(act, act_on_all)
}

async fn show(
    State(hub): State<HubRef>,
    who: Who,
    Params(params): Params<InboxParams>,
) -> Result<Json<Inbox>, ApiError> {
    let limit = params.limit.unwrap_or(SHOWN);
    if limit == 0 || limit > MOST {
        return Err(query("limit", format_args!("must be 1 to {MOST}")));
    }
    let kinds = params.kind.as_deref().unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let kinds = kinds.map(kind).collect::<Result<Vec<_>, _>>()?;
    let mut items = hub.inbox().await?;
    let people = &hub.settings().people;
    items.retain(|item| {
        let agent = item.agent_id.as_deref().and_then(|id| AgentId::parse(id).ok());
        (kinds.is_empty() || kinds.contains(&item.kind))
            && params.agent.as_ref().is_none_or(|agent| item.agent_id.as_ref() == Some(agent))
            && people.may(&who.principal.id, right(item.kind), agent.as_ref(), item.role.as_ref())
    });
    let total = items.len();
    items.truncate(limit);
    Ok(Json(Inbox { items, total }))
}

fn kind(name: &str) -> Result<InboxKind, ApiError> {
    let unknown = || query("kind", format_args!("`{}` is no sort of item", name.escape_debug()));
    InboxKind::parse(&name.to_lowercase().replace('-', "_")).ok_or_else(unknown)
}

fn query(field: &str, what: impl std::fmt::Display) -> ApiError {
    ApiError::new("INVALID_ARGUMENTS", format!("the query: `{field}`: {what}")).detail("field", field)
}

/// What a person must be allowed to do before an item of this sort is theirs.
const fn right(kind: InboxKind) -> Right {
    match kind {
        InboxKind::Question | InboxKind::InputPrompt | InboxKind::Blocked => Right::Answer,
        InboxKind::Review => Right::Approve,
        InboxKind::Timeout | InboxKind::Stranded | InboxKind::DeadLetter | InboxKind::Undelivered => Right::Operate,
    }
}

async fn act_on_all(desk: Desk, JsonBody(body): JsonBody<Actions>) -> Result<Json<Outcomes>, ApiError> {
    if body.actions.is_empty() || body.actions.len() > ACTIONS {
        return Err(invalid("actions", format_args!("must have 1 to {ACTIONS} entries")));
    }
    // The key itself may be wrong: that is said once, and not of each.
    desk.who.key(&desk.headers, &[])?;
    let mut results = Vec::with_capacity(body.actions.len());
    for (n, action) in body.actions.iter().enumerate() {
        // A repeat of the request finds each of its actions under a key of its own.
        results.push(outcome(action, desk.nth(n).act_on(action).await));
    }
    let failed = results.iter().filter(|result| !result.ok).count();
    Ok(Json(Outcomes { results, failed }))
}

fn outcome(asked: &OneAction, came_to: Result<Done, ApiError>) -> Outcome {
    let plain = Outcome {
        item: asked.item.clone(),
        action: asked.action,
        ok: true,
        state: None,
        changed: None,
        code: None,
        error: None,
        details: Map::new(),
    };
    match came_to {
        Ok(Done { state, changed }) => Outcome { state: Some(state), changed: Some(changed), ..plain },
        Err(error) => Outcome {
            ok: false,
            code: Some(error.code.to_owned()),
            error: Some(error.message),
            details: error.details,
            ..plain
        },
    }
}

/// What an action came to.
struct Done {
    state: String,
    changed: bool,
}

impl Desk {
    async fn act_on(&self, asked: &OneAction) -> Result<Done, ApiError> {
        let unknown = || invalid("item", format_args!("`{}` is no item of the inbox", asked.item.escape_debug()));
        let (kind, id) = asked.item.split_once(':').ok_or_else(unknown)?;
        let kind = InboxKind::parse(kind).ok_or_else(unknown)?;
        match kind {
            InboxKind::Review
            | InboxKind::Blocked
            | InboxKind::Timeout
            | InboxKind::Stranded
            | InboxKind::DeadLetter => self.act_on_task(id, asked).await,
            InboxKind::Question if asked.action == InboxAction::Answer => {
                let value = asked.value.as_deref().ok_or_else(|| invalid("value", "is needed to answer"))?;
                self.answer_question(id, value).await?;
                Ok(Done { state: "resolved".to_owned(), changed: true })
            }
            InboxKind::Question | InboxKind::InputPrompt | InboxKind::Undelivered => Err(not_for(asked)),
        }
    }

    async fn act_on_task(&self, id: &str, asked: &OneAction) -> Result<Done, ApiError> {
        let said = asked.value.as_deref();
        let must = || said.ok_or_else(|| invalid("value", format_args!("is needed to {}", words_of(asked.action))));
        let body = json!({ "value": asked.value });
        let command = match asked.action {
            InboxAction::Approve => {
                let moved = self.approve(id, &Approve { message: asked.value.clone() }).await?;
                return Ok(Done { state: moved.state.to_string(), changed: moved.changed });
            }
            InboxAction::RequestChanges => {
                let comments = said.map(Wish::plain).into_iter().collect();
                let moved = self.request_changes(id, &RequestChanges { comments }).await?;
                return Ok(Done { state: moved.state.to_string(), changed: moved.changed });
            }
            InboxAction::Reassign => {
                let moved = self.reassign(id, &body, must()?).await?;
                return Ok(Done { state: moved.state.to_string(), changed: moved.changed });
            }
            InboxAction::Answer => {
                self.permits(Some(Right::Answer), id).await?;
                let answer = self.comment(CommentKind::Answer, must()?, None, None)?;
                TaskCommand::Answer { authority: Authority::Operator, answer }
            }
            InboxAction::Cancel => {
                self.permits(Some(Right::Operate), id).await?;
                let reason = said.map(|reason| words("value", reason)).transpose()?;
                TaskCommand::Cancel { authority: Authority::Operator, reason }
            }
            InboxAction::Retry => {
                self.permits(Some(Right::Operate), id).await?;
                TaskCommand::Retry
            }
            InboxAction::Requeue => {
                self.permits(Some(Right::Operate), id).await?;
                TaskCommand::Requeue
            }
        };
        let moved = self.order(id, words_of(asked.action), &body, command).await?;
        Ok(Done { state: moved.state.to_string(), changed: moved.changed })
    }
}

fn not_for(asked: &OneAction) -> ApiError {
    invalid("action", format_args!("`{}` is nothing that can be done about `{}`", words_of(asked.action), asked.item))
}

const fn words_of(action: InboxAction) -> &'static str {
    match action {
        InboxAction::Answer => "answer",
        InboxAction::Approve => "approve",
        InboxAction::RequestChanges => "request-changes",
        InboxAction::Retry => "retry",
        InboxAction::Requeue => "requeue",
        InboxAction::Reassign => "reassign",
        InboxAction::Cancel => "cancel",
    }
}
