//! `/api/v1/inbox`: what needs a person, and many answers at once.

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::desk::{Desk, invalid, words};
use super::verdicts::{Approve, RequestChanges, Wish};
use crate::actors::HubRef;
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::inbox::{InboxAction, InboxCursor, InboxItem, InboxKind, page, prompt_of};
use crate::domain::permission::{Deed, Whose};
use crate::domain::principal::Scope;
use crate::domain::task::{Authority, CommentKind, TaskCommand};
use crate::journal::ReadError;
use crate::tools::{self, TypeInput};
use crate::transport::web::{ApiError, JsonBody, Params, Route, Routes, Who, page_request};

/// The most actions of one request.
const ACTIONS: usize = 100;

/// Which items, and how many of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct InboxParams {
    /// Of these sorts, separated by commas: question, `input_prompt`, review, blocked, timeout, stranded,
    /// `dead_letter`, undelivered.
    #[serde(default)]
    kind: Option<String>,
    /// Of this agent.
    #[serde(default)]
    agent: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    #[serde(default)]
    limit: Option<usize>,
    /// `nextCursor` of the page before: the order stays that of the first page.
    #[serde(default)]
    cursor: Option<String>,
}

/// What needs a person.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Inbox {
    /// In the order in which they should be looked at.
    items: Vec<InboxItem>,
    /// How many there are in all.
    total: usize,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
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
    let asked = page_request(params.limit, params.cursor)?;
    let no_cursor = |given: &String| ReadError::Cursor { given: given.chars().take(80).collect() };
    let read = |given: &String| InboxCursor::parse(given).ok_or_else(|| no_cursor(given));
    let cursor = asked.cursor.as_ref().map(read).transpose()?;
    let kinds = params.kind.as_deref().unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let kinds = kinds.map(kind).collect::<Result<Vec<_>, _>>()?;
    let mut items = hub.inbox().await?;
    let people = &hub.settings().people;
    items.retain_mut(|item| {
        let agent = item.agent_id.as_deref().and_then(|id| AgentId::parse(id).ok());
        let whose = whose(agent, item.role.as_ref());
        let may = |deed| people.decide(&who.principal.id, deed, &whose).is_ok();
        let types = item.kind == InboxKind::InputPrompt && may(Deed::TypeInTerminal);
        if item.kind == InboxKind::InputPrompt && !types {
            item.actions.clear();
        }
        (kinds.is_empty() || kinds.contains(&item.kind))
            && params.agent.as_ref().is_none_or(|agent| item.agent_id.as_ref() == Some(agent))
            && (types || may(deed(item.kind)))
    });
    let total = items.len();
    let (items, next) = page(hub.clock.now(), items, cursor.as_ref(), asked.limit);
    Ok(Json(Inbox { items, total, next_cursor: next.map(|next| next.to_string()) }))
}

fn kind(name: &str) -> Result<InboxKind, ApiError> {
    let unknown = || query("kind", format_args!("`{}` is no sort of item", name.escape_debug()));
    InboxKind::parse(&name.to_lowercase().replace('-', "_")).ok_or_else(unknown)
}

fn query(field: &str, what: impl std::fmt::Display) -> ApiError {
    ApiError::new("INVALID_ARGUMENTS", format!("the query: `{field}`: {what}")).detail("field", field)
}

/// What a person must be allowed to do before an item of this sort is theirs.
const fn deed(kind: InboxKind) -> Deed {
    match kind {
        InboxKind::Question | InboxKind::InputPrompt => Deed::AnswerQuestion,
        InboxKind::Blocked => Deed::AnswerTask,
        InboxKind::Review => Deed::JudgeWork,
        InboxKind::Timeout => Deed::RetryTask,
        InboxKind::Stranded => Deed::ReassignTask,
        InboxKind::DeadLetter => Deed::RequeueTask,
        InboxKind::Undelivered => Deed::EvictAgent,
    }
}

fn whose(agent: Option<AgentId>, role: Option<&RoleId>) -> Whose {
    match (agent, role.cloned()) {
        (Some(agent), role) => Whose::Agent { agent, role },
        (None, Some(role)) => Whose::Role { role },
        (None, None) => Whose::Anybody,
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
                self.answer_question(id, value, false).await?;
                Ok(Done { state: "resolved".to_owned(), changed: true })
            }
            InboxKind::InputPrompt if asked.action == InboxAction::Answer => {
                let value = asked.value.as_deref().ok_or_else(|| invalid("value", "is needed to answer"))?;
                let (session, place) = prompt_of(id).ok_or_else(unknown)?;
                self.answer_terminal(session, place, value).await
            }
            InboxKind::Question | InboxKind::InputPrompt | InboxKind::Undelivered => Err(not_for(asked)),
        }
    }

    /// Has the answer typed at the prompt that stood there, and at no other.
    async fn answer_terminal(&self, session: &str, place: u64, value: &str) -> Result<Done, ApiError> {
        let key = self.key(&["input", session, value, &place.to_string()])?;
        let stands = match tools::terminal(&self.hub, &self.who.principal, session).await? {
            Some(terminal) => terminal.view().await?.input_prompt,
            None => None,
        };
        let input = TypeInput {
            text: value.to_owned(),
            prompt_text: stands.map(|prompt| prompt.prompt_text).unwrap_or_default(),
            reason: "it was answered in the inbox".to_owned(),
            file_position: Some(place),
        };
        let caller = (self.who.by(), self.who.request.id.clone());
        tools::type_input(&self.hub, &self.who.principal, caller, key, session, input).await?;
        Ok(Done { state: "typed".to_owned(), changed: true })
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
                let answer = self.comment(CommentKind::Answer, must()?, None, None)?;
                TaskCommand::Answer { authority: Authority::Operator, answer }
            }
            InboxAction::Cancel => {
                let reason = said.map(|reason| words("value", reason)).transpose()?;
                TaskCommand::Cancel { authority: Authority::Operator, reason }
            }
            InboxAction::Retry => TaskCommand::Retry,
            InboxAction::Requeue => TaskCommand::Requeue,
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
