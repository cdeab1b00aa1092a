//! May this agent hand that work on? And what the new task inherits from the chain it stands in.
//!
//! An agent may hold several tasks when it asks for another one, and nobody can tell for which of them it asks. So the
//! rights are those that every one of them leaves, and the depth is the greatest; only `via`, which is shown to people,
//! follows the one that was acknowledged last.

use std::collections::BTreeSet;

use thiserror::Error;

use super::roster::Roster;
use crate::ids::{AgentId, TaskId};
use crate::names::codes;
use crate::task::{Origin, RightsSet, Target, TargetWho, TaskSpec};

/// An agent that wants to hand work on.
#[derive(Debug, Clone)]
pub struct Delegation<'a> {
    pub asker: &'a AgentId,
    /// Whom its registration lets it delegate to.
    pub rights: &'a RightsSet,
    /// The tasks that it holds, the one acknowledged last at the end.
    pub held: &'a [&'a TaskSpec],
    /// The most hops from agent to agent: `limits.delegationDepth`.
    pub limit: u32,
}

/// What a new task takes with it from the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// Whom its holder may delegate to further.
    pub rights: RightsSet,
    /// How many hops from agent to agent led here.
    pub depth: u32,
    /// From who began it down to the asker's asker.
    pub via: Vec<Origin>,
    /// The task in whose course the asker asks: the one that it took last, as in `via`.
    pub parent: Option<TaskId>,
    /// Agents of the chain, who may not get their own work back.
    pub excluded: BTreeSet<AgentId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DelegationRefusal {
    #[error("`{asker}` may not delegate to `{target}`; it may delegate to {allowed}")]
    Denied { asker: AgentId, target: String, allowed: RightsSet },
    #[error("this work would be handed from agent to agent {depth} times, and {limit} is the most")]
    TooDeep { depth: u32, limit: u32 },
    #[error("`{target}` is already in the chain of this work and cannot get it back")]
    Cycle { target: AgentId },
}

impl Delegation<'_> {
    /// Whether the work may go to `target`, and what the new task inherits. Fails with `DELEGATION_CYCLE`,
    /// `DELEGATION_DENIED`, `DELEGATION_TOO_DEEP`, looked for in this order.
    pub fn grant(&self, target: &Target, roster: &Roster) -> Result<Granted, DelegationRefusal> {
        let excluded = self.chain();
        if let TargetWho::Agent(agent) = &target.who
            && excluded.contains(agent)
        {
            return Err(DelegationRefusal::Cycle { target: agent.clone() });
        }
        let rights = self.effective(roster);
        if !rights.allows_target(target, roster) {
            let (asker, target) = (self.asker.clone(), target.to_string());
            return Err(DelegationRefusal::Denied { asker, target, allowed: rights });
        }
        let depth = self.held.iter().map(|task| task.depth).max().unwrap_or(0).saturating_add(1);
        if depth > self.limit {
            return Err(DelegationRefusal::TooDeep { depth, limit: self.limit });
        }
        let parent = self.held.last().map(|task| task.id.clone());
        Ok(Granted { rights, depth, via: self.via(), parent, excluded })
    }

    /// What is left of the asker's rights under everything that it holds.
    pub fn effective(&self, roster: &Roster) -> RightsSet {
        self.held.iter().fold(self.rights.clone(), |left, task| left.intersect(&task.rights, roster))
    }

    fn chain(&self) -> BTreeSet<AgentId> {
        let before = self.held.iter().flat_map(|task| task.excluded.iter().cloned().chain(task.asking_agent()));
        before.chain([self.asker.clone()]).collect()
    }

    fn via(&self) -> Vec<Origin> {
        let Some(task) = self.held.last() else { return Vec::new() };
        task.via.iter().chain([&task.from]).cloned().collect()
    }
}

impl Granted {
    /// What a task of a human or a service begins with: no chain, and the whole of its holder's own rights.
    pub const fn from_outside() -> Self {
        Self { rights: RightsSet::All, depth: 0, via: Vec::new(), parent: None, excluded: BTreeSet::new() }
    }

    /// What a task made because `ended` ended takes along: its place in the chain. Fails with `DELEGATION_TOO_DEEP`.
    pub fn after(ended: &TaskSpec, limit: u32) -> Result<Self, DelegationRefusal> {
        let depth = ended.depth.saturating_add(1);
        if depth > limit {
            return Err(DelegationRefusal::TooDeep { depth, limit });
        }
        let via = ended.via.iter().chain([&ended.from]).cloned().collect();
        Ok(Self { depth, via, ..Self::from_outside() })
    }
}

codes!(DelegationRefusal {
    Denied = "DELEGATION_DENIED", TooDeep = "DELEGATION_TOO_DEEP", Cycle = "DELEGATION_CYCLE",
});
