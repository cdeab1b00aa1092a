//! Whose a thing is, as far as rights ask.

use std::fmt;

use crate::ids::{AgentId, RoleId};
use crate::task::{Target, TargetWho, Task};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// An agent's, of this role where it is known.
    Agent { agent: AgentId, role: Option<RoleId> },
    /// Whoever of this role comes first.
    Role { role: RoleId },
    /// Nobody's yet: whoever can do it comes first.
    Anybody,
    /// The hub's own, or everybody's: it needs a right that nothing narrows.
    Everybody,
}

impl Whose {
    /// Who has a task, or had it last, in the role in which they have it; else whom it is meant for.
    pub fn of_task(task: &Task) -> Self {
        match task.holder().or(task.last_holder.as_ref()) {
            Some(agent) => {
                let role = task.tenures.get(agent).map(|tenure| tenure.terms.role.clone());
                Self::Agent { agent: agent.clone(), role }
            }
            None => Self::of_target(&task.spec.target),
        }
    }

    pub fn of_target(target: &Target) -> Self {
        match &target.who {
            TargetWho::Agent(agent) => Self::Agent { agent: agent.clone(), role: None },
            TargetWho::Role(role) => Self::Role { role: role.clone() },
            TargetWho::Any => Self::Anybody,
        }
    }

    pub const fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Agent { agent, .. } => Some(agent),
            Self::Role { .. } | Self::Anybody | Self::Everybody => None,
        }
    }

    pub const fn role(&self) -> Option<&RoleId> {
        match self {
            Self::Agent { role, .. } => role.as_ref(),
            Self::Role { role } => Some(role),
            Self::Anybody | Self::Everybody => None,
        }
    }
}

/// For a person to read: `fullstack-1`, `role:test-engineer`, `any`, `everybody`.
impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent { agent, .. } => agent.fmt(f),
            Self::Role { role } => write!(f, "role:{role}"),
            Self::Anybody => f.write_str("any"),
            Self::Everybody => f.write_str("everybody"),
        }
    }
}
