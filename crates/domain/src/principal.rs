//! Who is calling, and through which surface. A principal is established by a credential, never by an argument.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ids::{AgentId, PrincipalId, RoleId, RunId, TaskId};
use super::names::names;

/// What a credential allows. `View < Operate < Admin`; `Agent` and `Host` stand apart and include none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Agent,
    /// The connection of a host of agents on call, and nothing else.
    Host,
    /// See everything, change nothing.
    View,
    /// Hand out work, answer, cancel, retry.
    Operate,
    /// Tokens, restarts of actors, configuration.
    Admin,
}

impl Scope {
    /// Whether somebody who was given `self` may do what asks for `wanted`.
    pub fn covers(self, wanted: Self) -> bool {
        match (self, wanted) {
            (Self::Agent | Self::Host, wanted) => self == wanted,
            (_, Self::Agent | Self::Host) => false,
            (have, wanted) => have >= wanted,
        }
    }
}

names!(Scope { Agent = "agent", Host = "host", View = "view", Operate = "operate", Admin = "admin" });

/// What sort of caller a principal is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum PrincipalKind {
    /// A worker; it acts as this agent and as no other.
    Agent { agent: AgentId },
    /// A run on call: it acts as this agent, about this task alone, until the run ends.
    Run { agent: AgentId, run: RunId, task: TaskId },
    /// A host of agents on call, for this role.
    Host { role: RoleId },
    /// A human being.
    Person,
    /// A program that is not an agent.
    Service,
}

/// A caller, as its credential says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// Its name; bound to MCP sessions, audit lines and events.
    pub id: PrincipalId,
    pub display_name: String,
    pub kind: PrincipalKind,
    pub scopes: BTreeSet<Scope>,
}

impl Principal {
    pub fn agent(&self) -> Option<&AgentId> {
        match &self.kind {
            PrincipalKind::Agent { agent } | PrincipalKind::Run { agent, .. } => Some(agent),
            PrincipalKind::Host { .. } | PrincipalKind::Person | PrincipalKind::Service => None,
        }
    }

    /// The run that it is, and the only task that is there for it.
    pub fn run(&self) -> Option<(&RunId, &TaskId)> {
        match &self.kind {
            PrincipalKind::Run { run, task, .. } => Some((run, task)),
            PrincipalKind::Agent { .. }
            | PrincipalKind::Host { .. }
            | PrincipalKind::Person
            | PrincipalKind::Service => None,
        }
    }

    /// Whether it is a human being, as far as its credential says.
    pub const fn is_person(&self) -> bool {
        match &self.kind {
            PrincipalKind::Person => true,
            PrincipalKind::Agent { .. }
            | PrincipalKind::Run { .. }
            | PrincipalKind::Host { .. }
            | PrincipalKind::Service => false,
        }
    }

    /// Whether one of its scopes covers `wanted`.
    pub fn may(&self, wanted: Scope) -> bool {
        self.scopes.iter().any(|have| have.covers(wanted))
    }
}

/// Where somebody acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    Agent,
    Discord,
    Page,
    Cli,
    Api,
    Tracker,
    Timer,
    Workflow,
    /// The hub itself: matching, restarts.
    Hub,
}

names!(Surface {
    Agent = "agent", Discord = "discord", Page = "page", Cli = "cli", Api = "api", Tracker = "tracker", Timer = "timer",
    Workflow = "workflow", Hub = "hub",
});

/// Who caused a record, and where: the `actor` of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    pub principal: PrincipalId,
    pub surface: Surface,
}

#[cfg(test)]
mod tests;
