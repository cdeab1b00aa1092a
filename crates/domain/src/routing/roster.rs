//! Everybody who can be named: agents and roles, registered or only configured.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{AgentId, RoleId};

/// Everybody who can be named. An agent that is configured and never registered is known, and so is its role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    pub agents: BTreeMap<AgentId, KnownAgent>,
    pub roles: BTreeMap<RoleId, KnownRole>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAgent {
    pub display_name: String,
    pub role: Option<RoleId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownRole {
    pub display_name: String,
    /// Other names, lower case.
    pub aliases: BTreeSet<String>,
}

impl Roster {
    /// The role of an agent, where both are known.
    pub fn role_of(&self, agent: &AgentId) -> Option<&RoleId> {
        self.agents.get(agent)?.role.as_ref()
    }

    /// The role that `name` means in any case: id, alias, display name, or one that some agent registered with.
    pub fn role(&self, name: &str) -> Option<&RoleId> {
        let name = name.trim().to_lowercase();
        let configured = |fits: &dyn Fn(&RoleId, &KnownRole) -> bool| {
            self.roles.iter().find(|(id, role)| fits(id, role)).map(|(id, _)| id)
        };
        configured(&|id, _| id.as_str() == name)
            .or_else(|| configured(&|_, role| role.aliases.contains(&name)))
            .or_else(|| configured(&|_, role| role.display_name.to_lowercase() == name))
            .or_else(|| self.agents.values().filter_map(|agent| agent.role.as_ref()).find(|role| role.as_str() == name))
    }

    /// Every role that somebody has or could have.
    pub fn every_role(&self) -> BTreeSet<&RoleId> {
        self.roles.keys().chain(self.agents.values().filter_map(|agent| agent.role.as_ref())).collect()
    }

    /// What a name in a list of rights stands for: an agent's id, a role's id where it is a name of one, or itself.
    pub fn canonical(&self, name: &str) -> String {
        let name = name.trim().trim_start_matches('@').trim_start_matches("role:").to_lowercase();
        if self.agents.keys().any(|id| id.as_str() == name) {
            return name;
        }
        self.role(&name).map_or(name, ToString::to_string)
    }
}
