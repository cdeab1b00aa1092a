//! Whether an agent may work, and which of its connections speaks for it.

use super::presence::{Availability, Presence};
use super::refusal::AgentRefusal;
use super::state::{Agent, Eviction, Registration};
use super::view::AgentView;
use crate::ids::TaskId;
use crate::time::Timestamp;

impl Agent {
    /// Its registration, when it may work. Fails with `NotRegistered`, or `Evicted` where it has not registered since.
    pub fn registered(&self) -> Result<&Registration, AgentRefusal> {
        let agent = self.id.to_string();
        match (&self.registration, &self.eviction) {
            (None, _) => Err(AgentRefusal::NotRegistered { agent }),
            (Some(_), Some(eviction)) => Err(AgentRefusal::Evicted { agent, reason: eviction.reason.clone() }),
            (Some(registration), None) => Ok(registration),
        }
    }

    /// The eviction that its next wait is to answer with; after that it hears a refusal ([`Agent::registered`]).
    pub fn eviction_to_tell(&self) -> Option<&Eviction> {
        self.eviction.as_ref().filter(|_| !self.eviction_heard)
    }

    /// Whether a registration of `instance` supersedes the last one. Connections without a name cannot be told apart.
    pub fn supersedes(&self, instance: Option<&str>) -> bool {
        let known = self.registration.as_ref().and_then(|registration| registration.instance.as_deref());
        matches!((known, instance), (Some(known), Some(instance)) if known != instance)
    }

    /// Whether a newer registration took over from this connection.
    pub fn was_superseded(&self, instance: Option<&str>) -> bool {
        instance.is_some_and(|instance| self.superseded.iter().any(|old| old == instance))
    }

    /// How people call it; its id before it registers.
    pub fn display_name(&self) -> &str {
        self.registration.as_ref().map_or(self.id.as_str(), |registration| registration.display_name.as_str())
    }

    /// How it looks from outside at `now`, with what only its actor knows.
    pub fn view(
        &self,
        now: Timestamp,
        (availability, presence): (Availability, &Presence),
        held: &[&TaskId],
        lease_until: Option<Timestamp>,
    ) -> AgentView {
        let known = self.registration.as_ref();
        let departed = presence.departed(now).filter(|_| availability == Availability::Offline);
        AgentView {
            agent_id: self.id.to_string(),
            role: known.map(|registration| registration.role.to_string()),
            display_name: self.display_name().to_owned(),
            availability,
            waiting_since: presence.waiting_since.map(|at| at.to_string()),
            current_tasks: held.iter().map(ToString::to_string).collect(),
            queued: 0,
            last_seen: presence.last_seen.map(|at| at.to_string()),
            departed_at: departed.map(|departed| departed.at.to_string()),
            note: departed.map(|departed| departed.told(now, lease_until)),
            client: None,
            on_call: None,
            capabilities: known.map(|registration| registration.capabilities.clone()).unwrap_or_default(),
            session_id: known.map(|registration| registration.session.to_string()),
            sanitized: known.and_then(|registration| registration.sanitized.clone()),
        }
    }
}
