//! `GET /api/v1/limits`: what is bounded, and how much of it is used.

use super::prelude::*;

/// What is bounded, and how much of it is used. Sizes in bytes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Limits {
    /// Requests of one principal in a second, over a longer time.
    requests_per_second: u32,
    /// Requests of one principal at once.
    burst: u32,
    /// Connections at once.
    connections: usize,
    /// Tasks that may wait for one agent.
    queue_per_agent: usize,
    /// Tasks that may wait in all.
    queue_total: usize,
    /// Comments that one task may hold.
    comments_per_task: usize,
    /// Notices that may lie unheard for one agent before nobody may send it more.
    notices_per_agent: usize,
    /// Tasks that wait now.
    queued: usize,
    /// Open tasks now.
    open: usize,
    /// How many times work may be delegated from agent to agent.
    delegation_depth: u32,
    /// How many schedules there are at once.
    schedules: usize,
    /// The longest body on `/mcp`, `/ws` and `/api/v1/tools`.
    mcp_body: usize,
    /// The longest other body on `/api`, beside the texts of tasks and reviews, for which there is room besides.
    api_body: usize,
    /// Events that may lie unread for one reader; more are told as a gap.
    event_buffer: usize,
    /// Messages that may wait for one actor.
    mailbox: usize,
}

pub(super) fn routes() -> Routes {
    Routes::new().add(Route::get::<Limits>("/api/v1/limits", "what is bounded, and how much of it is used"), show)
}

async fn show(State(hub): State<HubRef>) -> ApiResult<Json<Limits>> {
    let counts = hub.dispatcher.counts().await?;
    let settings = hub.settings();
    let limits = &settings.hub.limits;
    Ok(Json(Limits {
        requests_per_second: limits.requests_per_second,
        burst: limits.burst,
        connections: limits.connections,
        queue_per_agent: limits.queue_per_agent,
        queue_total: limits.queue_total,
        comments_per_task: limits.comments_per_task,
        notices_per_agent: limits.notices_per_agent,
        queued: counts.queued,
        open: counts.open,
        delegation_depth: limits.delegation_depth,
        schedules: limits.schedules,
        mcp_body: limits.mcp_body,
        api_body: limits.api_body,
        event_buffer: limits.event_buffer,
        mailbox: limits.mailbox,
    }))
}
