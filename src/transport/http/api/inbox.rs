//! `/api/v1/inbox`: what needs a person, and many answers at once.

use serde_json::Map;

use super::prelude::*;
use crate::domain::inbox::{InboxAction, InboxCursor, InboxItem, InboxKind, page};
use crate::journal::ReadError;
use crate::tools::Refusal;
use crate::tools::people::{ActOnInbox, InboxDeed, InboxOutcome, act_on_inbox, inbox};

/// Which items, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct InboxParams {
    /// Of these sorts, separated by commas: question, `input_prompt`, review, blocked, timeout, stranded,
    /// `dead_letter`, undelivered, `dead_delivery`, workflow.
    kind: Option<String>,
    /// Of this agent.
    agent: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before: the order stays that of the first page.
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

pub(super) fn routes() -> Routes {
    let list = Route::get::<Inbox>("/api/v1/inbox", "what needs you, the most pressing first");
    let act =
        Route::post::<ActOnInbox, Outcomes>("/api/v1/inbox/actions", "answers, approves and retries many at once");
    Routes::new().add(list.query::<InboxParams>().needs(Scope::Operate), show).add(act, act_on_all)
}

async fn show(State(hub): State<HubRef>, who: Who, Params(params): Params<InboxParams>) -> ApiResult<Json<Inbox>> {
    let asked = page_request(params.limit, params.cursor)?;
    let no_cursor = |given: &String| ReadError::Cursor { given: given.chars().take(80).collect() };
    let read = |given: &String| InboxCursor::parse(given).ok_or_else(|| no_cursor(given));
    let cursor = asked.cursor.as_ref().map(read).transpose()?;
    let kinds = names(params.kind.as_deref()).map(kind).collect::<Result<Vec<_>, _>>()?;
    let items = inbox(&hub, &who.principal, &kinds, params.agent.as_deref()).await?;
    let total = items.len();
    let (items, next) = page(hub.clock.now(), items, cursor.as_ref(), asked.limit);
    Ok(Json(Inbox { items, total, next_cursor: next.map(|next| next.to_string()) }))
}

fn kind(name: &str) -> ApiResult<InboxKind> {
    let unknown = || ApiError::query("kind", format_args!("`{}` is no sort of item", name.escape_debug()));
    InboxKind::parse(&name.to_lowercase().replace('-', "_")).ok_or_else(unknown)
}

async fn act_on_all(call: PersonCall, JsonBody(asked): JsonBody<ActOnInbox>) -> ApiResult<Json<Outcomes>> {
    let came_to = act_on_inbox(&call, &asked).await?;
    let results: Vec<Outcome> = asked.actions.into_iter().zip(came_to).map(outcome).collect();
    let failed = results.iter().filter(|result| !result.ok).count();
    Ok(Json(Outcomes { results, failed }))
}

fn outcome((asked, came_to): (InboxDeed, Result<InboxOutcome, Refusal>)) -> Outcome {
    let InboxDeed { item, action, .. } = asked;
    let details = Map::new();
    match came_to {
        Ok(InboxOutcome { state, changed }) => {
            let (state, changed) = (Some(state), Some(changed));
            Outcome { item, action, ok: true, state, changed, code: None, error: None, details }
        }
        Err(refusal) => {
            let ApiError { code, message, details, .. } = ApiError::from(refusal);
            let (code, error) = (Some(code.to_owned()), Some(message));
            Outcome { item, action, ok: false, state: None, changed: None, code, error, details }
        }
    }
}
