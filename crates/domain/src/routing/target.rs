//! Whom a caller means: an agent's id, a display name with or without `@`, `role:<role>`, `any`.

use std::collections::BTreeSet;

use thiserror::Error;

use super::distance::nearest;
use super::roster::Roster;
use crate::ids::{AgentId, RoleId};
use crate::task::{Target, TargetWho};

/// The most names that are suggested.
const SUGGESTIONS: usize = 3;

/// Nobody is called so, or several are. Its code is [`TargetUnknown::CODE`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", sentence(.given, *.shared, .nearest))]
pub struct TargetUnknown {
    /// The name as it came, cut to 80 characters.
    pub given: String,
    /// Several agents have this display name: `nearest` are their ids.
    pub shared: bool,
    /// Names that may have been meant, the nearest first, written so that they can be used as they are.
    pub nearest: Vec<String>,
}

impl TargetUnknown {
    pub const CODE: &'static str = "TARGET_UNKNOWN";
}

fn sentence(given: &str, shared: bool, nearest: &[String]) -> String {
    let names: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(" or ");
    match (shared, nearest.is_empty()) {
        (true, _) => format!("`{given}` is the name of several agents: say by its id which one you mean, {names}"),
        (false, false) => format!("no agent or role is called `{given}`; did you mean {names}?"),
        (false, true) => format!("no agent or role is called `{given}`"),
    }
}

impl Roster {
    /// Whom `given` means: an id before a display name, an agent before a role. A display name that several agents
    /// share means their role where that is called so. Fails when nobody known is.
    pub fn target(&self, given: &str, capabilities: BTreeSet<String>) -> Result<Target, TargetUnknown> {
        let name = given.trim().to_lowercase();
        let who = match name.strip_prefix("role:") {
            Some(role) => self.role(role).cloned().map(TargetWho::Role),
            None if name == "any" => Some(TargetWho::Any),
            None => self.who(name.strip_prefix('@').unwrap_or(&name)),
        };
        who.map(|who| Target { who, capabilities }).ok_or_else(|| self.unknown(given))
    }

    fn who(&self, name: &str) -> Option<TargetWho> {
        if let Some(id) = AgentId::parse(name).ok().filter(|id| self.agents.contains_key(id)) {
            return Some(TargetWho::Agent(id));
        }
        let namesakes = self.namesakes(name);
        if let [only] = namesakes.as_slice() {
            return Some(TargetWho::Agent((*only).clone()));
        }
        self.role(name).cloned().map(TargetWho::Role)
    }

    fn namesakes(&self, name: &str) -> Vec<&AgentId> {
        let called = self.agents.iter().filter(|(_, agent)| agent.display_name.to_lowercase() == name);
        called.map(|(id, _)| id).collect()
    }

    fn unknown(&self, given: &str) -> TargetUnknown {
        let name = given.trim().trim_start_matches('@').trim_start_matches("role:").to_lowercase();
        let namesakes: Vec<String> = self.namesakes(&name).into_iter().map(ToString::to_string).collect();
        let shared = !namesakes.is_empty();
        let nearest = if shared { namesakes } else { nearest(&name, self.names(), SUGGESTIONS) };
        TargetUnknown { given: given.chars().filter(|c| !c.is_control()).take(80).collect(), shared, nearest }
    }

    /// Every name, and how it is written as a target.
    fn names(&self) -> Vec<(String, String)> {
        let agents = self.agents.iter().flat_map(|(id, agent)| {
            [id.to_string(), agent.display_name.to_lowercase()].map(|name| (name, id.to_string()))
        });
        let roles = self.roles.iter().flat_map(|(id, role)| {
            let names = role.aliases.iter().cloned().chain([id.to_string(), role.display_name.to_lowercase()]);
            names.map(|name| (name, written(id))).collect::<Vec<_>>()
        });
        agents.chain(roles).collect()
    }
}

fn written(role: &RoleId) -> String {
    format!("role:{role}")
}
