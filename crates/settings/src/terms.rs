//! What follows from the settings for one agent, one task, one wait.

use std::time::Duration;

use super::clients::{self, ClientConfig, PromptArguments};
use super::in_force::Settings;
use super::roles::{AgentConfig, RoleConfig};
use crate::domain::agent::{Agent, ClientView, DeclaredClient};
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::task::{LeaseTerms, OnTimeout, TaskSpec};
use crate::domain::time::Millis;

impl Settings {
    /// The terms under which `agent`, of `role`, is offered a task: what the task says goes before what the agent's
    /// entry says, then the role's, then `leases`. `agent` is `None` while nobody in particular is meant.
    pub fn lease_terms(&self, agent: Option<&AgentId>, role: &RoleId, task: &TaskSpec) -> LeaseTerms {
        let leases = &self.hub.leases;
        let agent = agent.and_then(|id| self.roles.agents.get(id));
        let config = self.role_of(agent, role);
        let ttl = agent.and_then(|agent| agent.ttl).or(config.and_then(|role| role.ttl)).unwrap_or(leases.ttl);
        let ack_within = agent.and_then(|agent| agent.ack_within).or(config.and_then(|role| role.ack_within));
        let worktree = agent.and_then(|agent| agent.worktree).or(config.map(|role| role.worktree));
        let reports_to = agent.and_then(|agent| agent.reports_to.as_ref()).or(config.map(|role| &role.reports_to));
        LeaseTerms {
            ttl: task.ttl.unwrap_or_else(|| ttl.into()),
            ack_within: ack_within.unwrap_or(leases.ack_within).into(),
            max_attempts: leases.max_attempts,
            last_holder_hold: Millis::from(leases.last_holder_hold),
            on_timeout: config.map_or(OnTimeout::default(), |role| role.on_timeout),
            escalate_to: reports_to.and_then(|names| names.iter().find_map(|name| self.roles.target(name))),
            worktree: task.worktree.or(worktree).unwrap_or(false),
            role: role.clone(),
            session: None,
        }
    }

    fn role_of(&self, agent: Option<&AgentConfig>, role: &RoleId) -> Option<&RoleConfig> {
        let configured = self.roles.find(role.as_str()).map(|(_, config)| config);
        configured.or_else(|| agent.and_then(|agent| self.roles.roles.get(&agent.role)))
    }

    /// How many tasks an agent works on at once; 1 when nothing says otherwise.
    pub fn max_concurrent(&self, agent: &AgentId, role: &RoleId) -> u32 {
        let agent = self.roles.agents.get(agent);
        let config = self.role_of(agent, role);
        agent.and_then(|agent| agent.max_concurrent).or(config.map(|role| role.max_concurrent)).unwrap_or(1)
    }

    /// What a client tolerates, by the name it declared; `None` of a name is the row `unknown`.
    pub fn client(&self, name: Option<&str>) -> Option<&ClientConfig> {
        clients::row(&self.clients, name).map(|(_, row)| row)
    }

    /// Whether a client is known to hand over only the first word of what its user typed for a prompt.
    pub fn cuts_prompt_arguments(&self, client: Option<&str>) -> bool {
        self.client(client).is_some_and(|row| row.prompt_arguments == PromptArguments::Cut)
    }

    /// Whether no row but that for all others is for a client.
    pub fn is_in_no_row(&self, client: Option<&DeclaredClient>) -> bool {
        clients::named(&self.clients, client.map(|client| client.name.as_str())).is_none()
    }

    /// The client of an agent as it is shown, with what its row makes of it; none where it declared none.
    pub fn client_view(&self, agent: &Agent) -> Option<ClientView> {
        let client = agent.registration.as_ref()?.client.as_ref()?;
        let found = clients::row(&self.clients, Some(&client.name));
        let row = found.map_or(clients::UNKNOWN, |(key, _)| key);
        Some(ClientView {
            name: client.name.clone(),
            version: client.version.clone(),
            row: row.to_owned(),
            wait_cap_seconds: self.wait_cap(Some(client)).as_secs(),
            wake: found.map(|(_, row)| row.wake).unwrap_or_default(),
        })
    }

    /// The longest that a call of this client may block: its row, and never more than `waits.max`.
    pub fn wait_cap(&self, client: Option<&DeclaredClient>) -> Duration {
        let row = self.client(client.map(|client| client.name.as_str()));
        row.map_or(self.hub.waits.default, |row| row.cap(client)).min(self.hub.waits.max)
    }

    /// How long a wait blocks: what was asked, and never more than the client's cap. Where nothing was asked, as long
    /// as that cap; `waits.default` for a client that no row names.
    pub fn wait_for(&self, client: Option<&DeclaredClient>, asked: Option<Duration>) -> Duration {
        let cap = self.wait_cap(client);
        let unasked = if self.is_in_no_row(client) { self.hub.waits.default } else { cap };
        asked.unwrap_or(unasked).min(cap)
    }
}
