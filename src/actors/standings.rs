//! How every agent and session stands, and nobody is asked.
//!
//! Who an agent is and what a session is about are rows, as new as the journal. Presence is shown by the actor beside
//! its mailbox, and the dispatcher knows what is held: so a look at all costs one message and one read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::HubRef;
use super::common::{Fault, Result};
use super::dispatcher::AgentHoldings;
use super::on_call::OnCall;
use super::session::SessionView;
use crate::domain::agent::{Agent, AgentView, Availability, Presence};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::session::{Lifecycle, Session};
use crate::domain::time::Timestamp;
use crate::settings::Settings;

#[derive(Debug)]
pub struct Sighted {
    now: Timestamp,
    settings: Arc<Settings>,
    agents: BTreeMap<AgentId, AgentHoldings>,
    on_call: OnCall,
}

impl HubRef {
    pub async fn sighted(&self) -> Result<Sighted> {
        let agents = self.dispatcher.holdings().await?;
        let agents = agents.into_iter().map(|holdings| (holdings.line.id.clone(), holdings)).collect();
        Ok(Sighted { now: self.clock.now(), settings: self.settings(), agents, on_call: self.on_call.clone() })
    }

    pub async fn agent_views(&self) -> Result<Vec<AgentView>> {
        let rows = self.journal.read(|reader| reader.agents()).await;
        let rows = rows.map_err(|error| Fault::Unavailable(error.to_string()))?;
        Ok(self.sighted().await?.agents(&rows))
    }

    /// One registered agent as others may see it; none where it is not registered. Fails as [`Self::agent_views`] does.
    pub async fn agent_view(&self, id: &AgentId) -> Result<Option<AgentView>> {
        let wanted = id.clone();
        let row = self.journal.read(move |reader| reader.agent(&wanted)).await;
        let row = row.map_err(|error| Fault::Unavailable(error.to_string()))?;
        match row.filter(|agent| agent.registration.is_some()) {
            Some(row) => Ok(Some(self.sighted().await?.agent(&row))),
            None => Ok(None),
        }
    }

    pub async fn session_views(&self) -> Result<Vec<SessionView>> {
        let read = self.journal.read(|reader| Ok((reader.agents()?, reader.sessions()?))).await;
        let (agents, sessions) = read.map_err(|error| Fault::Unavailable(error.to_string()))?;
        Ok(self.sighted().await?.sessions(&agents, &sessions))
    }
}

impl Sighted {
    /// Those of these that registered, in this order.
    pub fn agents(&self, rows: &[Agent]) -> Vec<AgentView> {
        rows.iter().filter(|agent| agent.registration.is_some()).map(|agent| self.agent(agent)).collect()
    }

    /// These sessions, in this order; that which its agent has no more is over.
    pub fn sessions(&self, agents: &[Agent], rows: &[Session]) -> Vec<SessionView> {
        let known: BTreeMap<_, _> = agents.iter().map(|agent| (&agent.id, agent)).collect();
        let lifecycle = |session: &Session| {
            let agent = known.get(&session.agent).filter(|agent| {
                agent.registration.as_ref().is_some_and(|registration| registration.session == session.id)
            });
            Lifecycle::of(agent.map_or(Availability::Offline, |agent| self.availability(agent).0))
        };
        rows.iter().map(|session| SessionView::of(session, lifecycle(session))).collect()
    }

    fn agent(&self, agent: &Agent) -> AgentView {
        let (availability, presence) = self.availability(agent);
        let known = self.agents.get(&agent.id);
        let held: Vec<&TaskId> = known.map(|known| known.held.iter().collect()).unwrap_or_default();
        let lease_until = known.and_then(|known| known.lease_until);
        let mut view = agent.view(self.now, (availability, &presence), &held, lease_until);
        view.client = self.settings.client_view(agent);
        view.on_call = self.on_call.slot(&agent.id, self.now).map(Box::new);
        view.queued = known.map_or(0, |known| known.line.queued);
        view
    }

    fn availability(&self, agent: &Agent) -> (Availability, Presence) {
        let known = self.agents.get(&agent.id);
        let presence = known.map(|known| known.line.agent.mailbox_metrics().presence()).unwrap_or_default();
        (presence.availability(self.now, self.settings.hub.leases.offline_after, agent.eviction.is_some()), presence)
    }
}
