//! Whom an agent may delegate to. Sets are only ever intersected on their way down a chain, so they shrink (D1).

use std::collections::BTreeSet;

use super::roster::Roster;
use crate::ids::{AgentId, RoleId};
use crate::task::{RightsSet, Target, TargetWho};

/// What configuration leaves of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub granted: RightsSet,
    /// Names that were claimed and are not granted; `*` when everybody was claimed.
    pub cut: BTreeSet<String>,
}

impl RightsSet {
    pub const fn none() -> Self {
        Self::Only(BTreeSet::new())
    }

    /// From names as people and agents write them: `*`, a role by any of its names, an agent's id.
    pub fn named(names: impl IntoIterator<Item = impl AsRef<str>>, roster: &Roster) -> Self {
        let names: BTreeSet<String> = names.into_iter().map(|name| roster.canonical(name.as_ref())).collect();
        if names.contains("*") { Self::All } else { Self::Only(names) }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::All => false,
            Self::Only(names) => names.is_empty(),
        }
    }

    /// Whether this agent, of this role, may be delegated to.
    pub fn allows(&self, agent: Option<&AgentId>, role: Option<&RoleId>) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => {
                agent.is_some_and(|agent| names.contains(agent.as_str()))
                    || role.is_some_and(|role| names.contains(role.as_str()))
            }
        }
    }

    /// Whether somebody who could take a task for this target may be delegated to; of `any` one is enough.
    pub fn allows_target(&self, target: &Target, roster: &Roster) -> bool {
        match &target.who {
            TargetWho::Agent(agent) => self.allows(Some(agent), roster.role_of(agent)),
            TargetWho::Role(role) => self.allows(None, Some(role)),
            TargetWho::Any => {
                matches!(self, Self::All)
                    || roster.every_role().into_iter().any(|role| self.allows(None, Some(role)))
                    || roster.agents.keys().any(|agent| self.allows(Some(agent), None))
            }
        }
    }

    /// Those whom both allow. An agent that one names by its id and the other by its role is in both.
    pub fn intersect(&self, other: &Self, roster: &Roster) -> Self {
        match (self, other) {
            (Self::All, narrower) | (narrower, Self::All) => narrower.clone(),
            (Self::Only(ours), Self::Only(theirs)) => {
                let in_both = |names: &BTreeSet<String>, set: &Self| -> BTreeSet<String> {
                    names.iter().filter(|name| set.covers(name, roster)).cloned().collect()
                };
                Self::Only(&in_both(ours, other) | &in_both(theirs, self))
            }
        }
    }

    /// Those of `self` whom `denied` does not name; where one of a role is denied, its other known agents are named.
    pub fn without(&self, denied: &Self, roster: &Roster) -> Self {
        let Self::Only(out) = denied else { return Self::none() };
        if out.is_empty() {
            return self.clone();
        }
        let known = || roster.agents.iter().map(|(id, agent)| (id.as_str(), agent.role.as_ref().map(RoleId::as_str)));
        let names: BTreeSet<String> = match self {
            Self::All => {
                let nobodys = known().filter(|(_, role)| role.is_none()).map(|(id, _)| id);
                roster.every_role().into_iter().map(RoleId::as_str).chain(nobodys).map(str::to_owned).collect()
            }
            Self::Only(names) => names.clone(),
        };
        let of_role = |name: &str| -> BTreeSet<String> {
            known().filter(|(_, role)| *role == Some(name)).map(|(id, _)| id.to_owned()).collect()
        };
        let mut left = BTreeSet::new();
        for name in names.into_iter().filter(|name| !denied.covers(name, roster)) {
            let of_it = of_role(&name);
            if of_it.is_disjoint(out) {
                left.insert(name);
            } else {
                left.extend(&of_it - out);
            }
        }
        Self::Only(left)
    }

    /// Whether no name of `self` goes beyond `other`.
    pub fn within(&self, other: &Self, roster: &Roster) -> bool {
        match (self, other) {
            (_, Self::All) => true,
            (Self::All, Self::Only(_)) => false,
            (Self::Only(names), Self::Only(_)) => names.iter().all(|name| other.covers(name, roster)),
        }
    }

    /// What configuration leaves of an agent's claim, and all of it without one: registration never widens.
    pub fn bound(claim: Option<&Self>, configured: &Self, roster: &Roster) -> Bound {
        let Some(claim) = claim else {
            return Bound { granted: configured.clone(), cut: BTreeSet::new() };
        };
        let granted = claim.intersect(configured, roster);
        let cut = match (claim, &granted) {
            (Self::All, Self::Only(_)) => BTreeSet::from(["*".to_owned()]),
            (Self::Only(names), Self::Only(kept)) => names - kept,
            (Self::All | Self::Only(_), Self::All) => BTreeSet::new(),
        };
        Bound { granted, cut }
    }

    fn covers(&self, name: &str, roster: &Roster) -> bool {
        let agent = AgentId::parse(name).ok();
        let role = agent.as_ref().and_then(|agent| roster.role_of(agent));
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name) || role.is_some_and(|role| names.contains(role.as_str())),
        }
    }
}

/// For a person or a model to read: `everybody`, `nobody`, or the names.
impl std::fmt::Display for RightsSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("everybody"),
            Self::Only(names) if names.is_empty() => f.write_str("nobody"),
            Self::Only(names) => {
                let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                f.write_str(&quoted.join(", "))
            }
        }
    }
}
