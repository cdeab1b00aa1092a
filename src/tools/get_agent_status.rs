//! `get_agent_status`: what one agent is doing.

use super::list_agents::Shown;
use super::prelude::*;
use crate::domain::agent::Availability;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GetAgentStatus {
    /// The agent; yourself when left out.
    agent_id: Option<String>,
}

impl Verb for GetAgentStatus {
    const NAME: &'static str = "get_agent_status";
    const TITLE: &'static str = "Look at an agent";
    const DESCRIPTION: &'static str = "\
        Whether an agent waits, works, is offline or was evicted. Of yourself you also see what you hold and \
        what is queued for you.";
    const FOR: For = For::Anybody(Scope::View);
    const HINTS: Hints = Hints::LOOKS;
    const TELLS: bool = true;

    type Output = Shown;

    async fn run(call: Call, input: Self) -> Result<Answer<Shown>> {
        let own = || call.agent.as_ref().map(|agent| agent.id.to_string());
        let wanted = input.agent_id.or_else(own);
        let wanted = wanted.ok_or_else(|| refuse::bad_argument(Self::NAME, "agentId", "is missing: name the agent"))?;
        let found = match AgentId::parse(wanted.trim()) {
            Ok(id) => call.hub.agent_view(&id).await.map_err(refuse::fault)?,
            Err(_) => None,
        };
        let Some(view) = found else {
            let views = call.hub.agent_views().await.map_err(refuse::fault)?;
            let known: Vec<&str> = views.iter().map(|view| view.agent_id.as_str()).collect();
            return Err(refuse::no_such_agent(&wanted, &known));
        };
        let shown = Shown::to(&call, view);
        let doing = match shown.availability {
            Availability::Waiting => "is waiting for work",
            Availability::Working => "is working",
            Availability::Offline => "is offline",
            Availability::Evicted => "was evicted",
        };
        let note = shown.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        Ok(Answer::new(format!("Agent {} {doing}{note}.", shown.agent_id), shown))
    }
}
