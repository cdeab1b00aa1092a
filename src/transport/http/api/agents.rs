//! `/api/v1/agents`: who is there.

use super::prelude::*;
use crate::domain::agent::{AgentView, Availability};
use crate::tools::people::{find_agent, no_such_agent};

/// Which agents, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct AgentParams {
    /// Of this role, by any of its names.
    role: Option<String>,
    availability: Option<Availability>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<AgentView>>("/api/v1/agents", "agents, by id").query::<AgentParams>();
    let one = Route::get::<AgentView>("/api/v1/agents/{id}", "an agent");
    Routes::new().add(list, read_list).add(one, show)
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<AgentParams>) -> Listed<AgentView> {
    let page = page_request(params.limit, params.cursor)?;
    let role = params.role.as_deref().map(|name| hub.settings().roles.id_of(name));
    let meant = |agent: &AgentView| {
        role.as_ref().is_none_or(|role| agent.role.as_ref() == Some(role))
            && params.availability.is_none_or(|wanted| agent.availability == wanted)
    };
    let agents = hub.agent_views().await?.into_iter().filter(meant).collect();
    Ok(Json(List::page_of(agents, &page, |agent| &agent.agent_id)))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<AgentView>> {
    let line = find_agent(&hub, &id).await?;
    let standing = line.agent.show().await?;
    if standing.agent.registration.is_none() {
        return Err(no_such_agent(&id).into());
    }
    Ok(Json(AgentView { queued: line.queued, ..standing.view }))
}
