//! A person sends an agent away.

use super::prelude::*;
use crate::actors::agent::{AgentError, EvictRequest};
use crate::actors::dispatcher::AgentHandle;
use crate::domain::agent::{AgentRefusal, Eviction, EvictionAction};
use crate::domain::ids::AgentId;
use crate::domain::text::clean;

/// The longest reason, in bytes; a longer one is cut.
const REASON: usize = 4 * 1024;

/// Sends an agent away.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvictAgent {
    /// What the agent is to do.
    action: EvictionAction,
    /// Why; it reads this.
    reason: String,
}

/// Who was sent away, and how.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evicted {
    agent_id: String,
    /// What it is to do.
    action: EvictionAction,
    reason: String,
}

impl PersonVerb for EvictAgent {
    const NAME: &'static str = "evict";
    type Reply = Evicted;

    async fn act(&self, call: &PersonCall, id: &str) -> Result<Evicted> {
        let reason = clean(&self.reason, REASON).text;
        if reason.trim().is_empty() {
            let message = "`reason` must not be empty: the agent reads it";
            return Err(Refusal::without_advice("INVALID_ARGUMENTS", message).detail("field", "reason"));
        }
        let line = find_agent(&call.hub, id).await?;
        let whose = Whose::Agent { agent: line.id.clone(), role: None };
        authorize::person(&call.hub, call.who(), Deed::EvictAgent, whose).await?;
        let request = EvictRequest {
            eviction: Eviction { action: self.action, reason, for_good: false },
            by: call.caller.by(),
            request: Some(call.caller.request.clone()),
            key: call.key_of(id, self),
        };
        match line.agent.evict_once(request).await {
            Ok(Eviction { action, reason, for_good: _ }) => {
                Ok(Evicted { agent_id: line.id.to_string(), action, reason })
            }
            Err(AgentError::Refused(AgentRefusal::NotRegistered { .. })) => Err(no_such_agent(id)),
            Err(error) => Err(refuse::agent(&line.id, error)),
        }
    }
}

/// Registered or known by name. Fails with `AGENT_NOT_FOUND`, or when the dispatcher is busy.
pub async fn find_agent(hub: &HubRef, given: &str) -> Result<AgentHandle> {
    let id = AgentId::parse(given).map_err(|_| no_such_agent(given))?;
    hub.dispatcher.agent(&id).await.map_err(fault)?.ok_or_else(|| no_such_agent(given))
}

pub fn no_such_agent(given: &str) -> Refusal {
    Refusal::without_advice("AGENT_NOT_FOUND", format!("no agent `{}` is registered", shown(given)))
}
