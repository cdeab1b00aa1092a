//! Everybody who can be named: who is configured, and who registered.

use super::in_force::Settings;
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::routing::{KnownAgent, KnownRole, Roster};

impl Settings {
    /// The configured roles and agents, and `registered` (id, display name, role), which goes before the configuration.
    pub fn roster(&self, registered: impl IntoIterator<Item = (AgentId, String, RoleId)>) -> Roster {
        let configured = self.roles.agents.iter().map(|(id, agent)| {
            let display_name = agent.display_name.clone().unwrap_or_else(|| id.to_string());
            (id.clone(), KnownAgent { display_name, role: Some(agent.role.clone()) })
        });
        let registered =
            registered.into_iter().map(|(id, display_name, role)| (id, KnownAgent { display_name, role: Some(role) }));
        let roles = self.roles.roles.iter().map(|(id, role)| {
            (id.clone(), KnownRole { display_name: role.display_name.clone(), aliases: role.aliases.clone() })
        });
        Roster { agents: configured.chain(registered).collect(), roles: roles.collect() }
    }
}
