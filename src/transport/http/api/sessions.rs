//! `/api/v1/sessions`: the agents' working contexts.

use super::prelude::*;
use crate::actors::noticeboard::{Event, check_types};
use crate::actors::session::SessionView;
use crate::journal::{HistoryFilter, Seq};

/// Which sessions, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct SessionParams {
    /// Of this agent.
    agent: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

/// Which of a session's events.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct HistoryParams {
    /// At most so many, 1 to 500; 50 when left out.
    limit: Option<usize>,
    /// Only what is older than this event.
    before_seq: Option<u64>,
    /// Only these types or families, separated by commas.
    types: Option<String>,
    /// Only where these words were said.
    q: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct History {
    /// The newest first.
    items: Vec<Event>,
    /// `beforeSeq` of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_before_seq: Option<u64>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<SessionView>>("/api/v1/sessions", "sessions, by id").query::<SessionParams>();
    let one = Route::get::<SessionView>("/api/v1/sessions/{id}", "a session");
    let history = Route::get::<History>("/api/v1/sessions/{id}/history", "what happened in it, the newest first");
    let history = history.query::<HistoryParams>();
    Routes::new().add(list, read_list).add(one, show).add(history, look_back)
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<SessionParams>) -> Listed<SessionView> {
    let page = page_request(params.limit, params.cursor)?;
    let mut sessions = hub.session_views().await?;
    sessions.retain(|session| params.agent.as_ref().is_none_or(|agent| session.agent_id == *agent));
    sessions.sort_by(|one, other| one.session_id.cmp(&other.session_id));
    Ok(Json(List::page_of(sessions, &page, |session| &session.session_id)))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<SessionView>> {
    let unknown = || ApiError::new("SESSION_NOT_FOUND", "that session does not exist, or is not yours");
    let id = SessionId::parse(&id).map_err(|_| unknown())?;
    let line = hub.supervisor.session(&id).await?.ok_or_else(unknown)?;
    Ok(Json(line.view().await?))
}

async fn look_back(
    State(hub): State<HubRef>,
    Segment(id): Segment,
    Params(params): Params<HistoryParams>,
) -> ApiResult<Json<History>> {
    let unknown = || ApiError::new("SESSION_NOT_FOUND", "that session does not exist, or is not yours");
    let id = SessionId::parse(&id).map_err(|_| unknown())?;
    let limit = page_request(params.limit.or(Some(50)), None)?.limit;
    let types: Vec<String> = names(params.types.as_deref()).map(str::to_owned).collect();
    check_types(&types).map_err(|unknown| super::events::no_such_type(&unknown))?;
    let filter = HistoryFilter {
        limit: limit + 1,
        before: params.before_seq.map(Seq),
        types,
        query: params.q.filter(|query| !query.trim().is_empty()),
    };
    if filter.query.is_some() {
        hub.journal.caught_up().await;
    }
    let read = hub.journal.read(move |reader| Ok((reader.session(&id)?, reader.session_history(&id, &filter)?)));
    let (session, mut kept) = read.await?;
    session.ok_or_else(unknown)?;
    let more = kept.len() > limit;
    kept.truncate(limit);
    let next_before_seq = if more { kept.last().map(|kept| kept.seq.0) } else { None };
    Ok(Json(History { items: kept.iter().map(Event::of).collect(), next_before_seq }))
}
