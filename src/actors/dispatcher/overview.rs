//! How the agents stand as a whole, and which of them wait while work for their role does.

use std::collections::BTreeMap;
use std::time::Duration;

use super::state::{AgentEntry, State};
use crate::domain::agent::Availability;
use crate::domain::ids::{AgentId, RoleId, TaskId};
use crate::domain::task::{TargetWho, TaskStateName};
use crate::domain::time::Timestamp;

/// How long a task may be queued beside a waiting agent of its role before a warning: by then holds and offers end.
const PASSED_AFTER: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overview {
    pub agents: AgentCounts,
    /// One for each role with agents that wait and work that is not given to them, by role.
    pub passed: Vec<Passed>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentCounts {
    /// Parked, and would take work.
    pub waiting: usize,
    pub busy: usize,
    /// Not heard of, or sent away.
    pub offline: usize,
}

/// An agent that waits, and a task for its role that it is not given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    pub role: RoleId,
    /// The agent of it that waits longest.
    pub agent: AgentId,
    pub task: TaskId,
    pub since: Timestamp,
}

impl State {
    pub(super) fn overview(&self, now: Timestamp) -> Overview {
        let offline_after = self.settings.borrow().hub.leases.offline_after;
        let mut agents = AgentCounts::default();
        let mut waiting: BTreeMap<&RoleId, (Timestamp, &AgentId)> = BTreeMap::new();
        for (id, entry) in &self.agents {
            let Some(role) = entry.profile.as_ref().map(|profile| &profile.role) else { continue };
            let count = match availability(entry, now, offline_after) {
                Availability::Waiting => &mut agents.waiting,
                Availability::Working => &mut agents.busy,
                Availability::Offline | Availability::Evicted => &mut agents.offline,
            };
            *count += 1;
            if let Some(since) = entry.standing.waiting_since.filter(|_| !entry.standing.evicted) {
                let longest = waiting.entry(role).or_insert((since, id));
                *longest = (*longest).min((since, id));
            }
        }
        Overview { agents, passed: self.passed(now, &waiting) }
    }

    fn passed(&self, now: Timestamp, waiting: &BTreeMap<&RoleId, (Timestamp, &AgentId)>) -> Vec<Passed> {
        let mut oldest: BTreeMap<&RoleId, Passed> = BTreeMap::new();
        let queued = self.tasks.values().filter_map(|entry| entry.summary.as_ref());
        let queued = queued.filter(|summary| summary.state == TaskStateName::Queued && summary.waits_for.is_empty());
        for summary in queued.filter(|summary| now.since(summary.spec.created_at) > PASSED_AFTER) {
            let TargetWho::Role(role) = &summary.spec.target.who else { continue };
            let (Some((_, agent)), since) = (waiting.get(role), summary.spec.created_at) else { continue };
            if oldest.get(role).is_none_or(|known| since < known.since) {
                let (role_id, agent, task) = (role.clone(), (*agent).clone(), summary.id.clone());
                oldest.insert(role, Passed { role: role_id, agent, task, since });
            }
        }
        oldest.into_values().collect()
    }
}

fn availability(entry: &AgentEntry, now: Timestamp, offline_after: Duration) -> Availability {
    entry.line.mailbox_metrics().presence().availability(now, offline_after, entry.standing.evicted)
}
