//! `agents.yaml` and `clients.yaml`, as values.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::hub::HubSettings;
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::task::{OnTimeout, RightsSet};

/// Everything that can be set. Shared as `Arc<Settings>` through a watch channel; a reload replaces it whole.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `hub.yaml`.
    pub hub: HubSettings,
    /// `agents.yaml`.
    pub roles: Roles,
    /// `clients.yaml`: by the client's declared name, lower case.
    pub clients: BTreeMap<String, ClientConfig>,
}

/// `agents.yaml`.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// Roles by id.
    pub roles: BTreeMap<RoleId, RoleConfig>,
    /// Agents that are configured by name.
    pub agents: BTreeMap<AgentId, AgentConfig>,
}

/// One role.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/agents.yaml")]
pub struct RoleConfig {
    pub display_name: String,
    pub aliases: BTreeSet<String>,
    pub capabilities: BTreeSet<String>,
    pub can_delegate_to: RightsSet,
    pub reports_to: BTreeSet<String>,
    pub ttl: Option<Duration>,
    pub ack_within: Option<Duration>,
    pub max_concurrent: u32,
    pub remind: BTreeSet<Remind>,
    pub worktree: bool,
    pub on_timeout: OnTimeout,
}

/// What a role is reminded of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remind {
    /// To wait again after an idle wait.
    Reconnect,
    /// To clean up its worktree after a completion.
    Cleanup,
}

/// An agent configured by name; what it says goes before its role.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "described in config/agents.yaml")]
pub struct AgentConfig {
    pub role: RoleId,
    pub display_name: Option<String>,
    pub capabilities: Option<BTreeSet<String>>,
    pub can_delegate_to: Option<RightsSet>,
    pub reports_to: Option<BTreeSet<String>>,
    pub max_concurrent: Option<u32>,
    pub ttl: Option<Duration>,
}

/// What an MCP client tolerates.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// The longest wait that it survives.
    pub wait_cap: Duration,
}

impl Roles {
    /// The role that `name` means: its id or one of its aliases, whatever the case.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(&RoleId, &RoleConfig)> {
        let name = name.trim().to_lowercase();
        self.roles
            .iter()
            .find(|(id, _)| id.as_str() == name)
            .or_else(|| self.roles.iter().find(|(_, role)| role.aliases.contains(&name)))
    }
}
