//! `list_agents`: who is there.

use std::collections::BTreeSet;

use super::prelude::*;
use crate::domain::agent::{AgentView, Availability};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListAgents {
    /// Only agents of this role, by any of its names.
    role: Option<String>,
    /// Only agents that can do this.
    capability: Option<String>,
    /// Only agents that are so.
    availability: Option<Availability>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// The agents, by id.
    agents: Vec<Shown>,
}

/// An agent as the caller may see it: all of it for people and of oneself, names and availability of other agents.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shown {
    pub(super) agent_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<String>,
    /// How people call it.
    pub(super) display_name: String,
    /// What it is doing.
    pub(super) availability: Availability,
    /// Since when it waits, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_since: Option<String>,
    /// The tasks it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    current_tasks: Option<Vec<String>>,
    /// How many tasks wait for it by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    queued: Option<usize>,
    /// When it was last heard, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen: Option<String>,
    /// When its client ended, or its connection broke for good, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    departed_at: Option<String>,
    /// The same in words, with the end of the lease that it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// What it can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<BTreeSet<String>>,
}

impl Verb for ListAgents {
    const NAME: &'static str = "list_agents";
    const TITLE: &'static str = "List agents";
    const DESCRIPTION: &'static str = "\
        Who is registered, and whether they wait, work or are offline. Use it to find whom to assign a task to; name a \
        role or a capability to see who has it.";
    const FOR: For = For::Anybody(Scope::View);
    const HINTS: Hints = Hints::LOOKS;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let role = input.role.map(|name| call.settings.roles.id_of(&name));
        let fits = |view: &AgentView| {
            role.as_ref().is_none_or(|role| view.role.as_ref() == Some(role))
                && input.capability.as_ref().is_none_or(|can| view.capabilities.contains(can))
                && input.availability.is_none_or(|wanted| view.availability == wanted)
        };
        let output = shown(&call, fits).await?;
        let message = match output.agents.len() {
            1 => "1 agent.".to_owned(),
            many => format!("{many} agents."),
        };
        Ok(Answer::new(message, output))
    }
}

/// What the caller may see of the agents that fit.
pub(super) async fn shown(call: &Call, fits: impl Fn(&AgentView) -> bool) -> Result<Output> {
    let views = call.hub.agent_views().await.map_err(refuse::fault)?;
    Ok(Output { agents: views.into_iter().filter(fits).map(|view| Shown::to(call, view)).collect() })
}

impl Shown {
    /// What `call` may see of an agent.
    pub(super) fn to(call: &Call, view: AgentView) -> Self {
        let all = call.agent.as_ref().is_none_or(|agent| agent.id.as_str() == view.agent_id);
        Self {
            agent_id: view.agent_id,
            role: view.role.filter(|_| all),
            display_name: view.display_name,
            availability: view.availability,
            waiting_since: view.waiting_since.filter(|_| all),
            current_tasks: all.then_some(view.current_tasks),
            queued: all.then_some(view.queued),
            last_seen: view.last_seen.filter(|_| all),
            departed_at: view.departed_at.filter(|_| all),
            note: view.note.filter(|_| all),
            capabilities: all.then_some(view.capabilities),
        }
    }
}
