//! The registered agents and the open tasks: a handle to each, and its state.

use std::collections::BTreeMap;
use std::sync::Arc;

use ractor::RpcReplyPort;

use super::agent_handle::{AgentHandle, AgentHoldings};
use super::message::QueueCounts;
use super::state::{AgentAvailability, AgentEntry, State, TaskEntry};
use crate::actors::agent::{AgentMessage, AgentRef, Held, HeldState, Profile};
use crate::actors::task::{TaskBirth, TaskMessage, TaskRef, TaskSummary};
use crate::domain::agent::Agent;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::routing::matching::Candidate;
use crate::domain::task::TargetWho;
use crate::domain::time::Timestamp;

impl State {
    pub(super) fn task_line(&self, id: &TaskId, reply: RpcReplyPort<Option<TaskRef>>) {
        let _ = reply.send(self.tasks.get(id).map(|entry| entry.line.clone()));
    }

    pub(super) fn agent_line(&self, id: &AgentId, reply: RpcReplyPort<Option<AgentHandle>>) {
        let _ = reply.send(self.agents.get(id).map(|entry| self.line_of(id, entry)));
    }

    pub(super) async fn hire(&mut self, agent: Agent, reply: RpcReplyPort<Option<AgentHandle>>) {
        let id = agent.id.clone();
        if !self.agents.contains_key(&id) {
            match self.spawner.agent(agent).await {
                Ok(line) => {
                    // What was posted to it after it was read has found nobody here.
                    line.send(AgentMessage::LookAgain);
                    self.roster = None;
                    self.spawner.dispatcher.knows(&id, &line);
                    let entry = AgentEntry { line, profile: None, standing: AgentAvailability::default() };
                    self.agents.insert(id.clone(), entry);
                }
                Err(fault) => self.refusals.note(self.clock.now(), "UNAVAILABLE", fault.to_string()),
            }
        }
        self.agent_line(&id, reply);
    }

    pub(super) fn agent_lines(&self, reply: RpcReplyPort<Vec<AgentHandle>>) {
        let _ = reply.send(self.agents.iter().map(|(id, entry)| self.line_of(id, entry)).collect());
    }

    pub(super) fn holdings(&self) -> Vec<AgentHoldings> {
        let mut held: BTreeMap<&AgentId, (Vec<TaskId>, Option<Timestamp>)> = BTreeMap::new();
        for entry in self.tasks.values() {
            let Some(summary) = &entry.summary else { continue };
            let Some(holder) = &summary.holder else { continue };
            let (tasks, until) = held.entry(holder).or_default();
            tasks.push(summary.id.clone());
            *until = until.iter().chain(&summary.leased_until).min().copied();
        }
        let with = |(id, entry): (&AgentId, &AgentEntry)| {
            let (mut held, lease_until) = held.remove(id).unwrap_or_default();
            held.sort();
            AgentHoldings { line: self.line_of(id, entry), held, lease_until }
        };
        self.agents.iter().map(with).collect()
    }

    /// An actor for a task that was read from the store, unless somebody was quicker.
    pub(super) async fn reopen(&mut self, task: TaskBirth, reply: RpcReplyPort<TaskRef>) {
        let id = task.id().clone();
        if let Some(entry) = self.tasks.get(&id) {
            let _ = reply.send(entry.line.clone());
            return;
        }
        match self.spawner.task(task).await {
            Ok(line) => {
                self.tasks.insert(id, TaskEntry { line: line.clone(), summary: None, offering: None });
                let _ = reply.send(line);
            }
            Err(fault) => self.refusals.note(self.clock.now(), "UNAVAILABLE", fault.to_string()),
        }
    }

    /// Lines to what was built before the dispatcher was; each then tells how it stands.
    pub(super) fn adopt(&mut self, agents: Vec<(AgentId, AgentRef)>, tasks: Vec<(TaskId, TaskRef)>) {
        self.roster = None;
        for (id, line) in agents {
            self.spawner.dispatcher.knows(&id, &line);
            self.agents.entry(id).or_insert(AgentEntry { line, profile: None, standing: AgentAvailability::default() });
        }
        for (id, line) in tasks {
            self.tasks.entry(id).or_insert(TaskEntry { line, summary: None, offering: None });
        }
        for entry in self.agents.values() {
            entry.line.send(AgentMessage::Announce);
        }
        for entry in self.tasks.values() {
            entry.line.send(TaskMessage::Announce);
        }
    }

    pub(super) fn agent_built(&mut self, id: AgentId, line: AgentRef) {
        for entry in self.tasks.values() {
            let Some(summary) = &entry.summary else { continue };
            if summary.holder.as_ref() == Some(&id) {
                let held = held_of(entry, summary);
                line.send(AgentMessage::Holds { task: summary.id.clone(), held });
            }
        }
        self.roster = None;
        self.spawner.dispatcher.knows(&id, &line);
        let entry = AgentEntry { line, profile: None, standing: AgentAvailability::default() };
        self.agents.entry(id).and_modify(|known| known.line = entry.line.clone()).or_insert(entry);
    }

    pub(super) fn agent_moved(&mut self, id: &AgentId, profile: Option<Arc<Profile>>, standing: AgentAvailability) {
        let Some(entry) = self.agents.get_mut(id) else { return };
        if entry.profile != profile {
            self.roster = None;
            entry.profile.clone_from(&profile);
        }
        entry.standing = standing.clone();
        match profile {
            Some(profile) if !standing.evicted => {
                let candidate = Candidate {
                    role: profile.role.clone(),
                    capabilities: profile.capabilities.clone(),
                    repo: profile.repo.clone(),
                    waiting_since: standing.waiting_since,
                    // Not heard since this dispatcher began: maybe on its way back, and what is kept for it stays so.
                    // Nothing is kept for a client that ended.
                    last_seen: standing.last_seen.or(Some(self.started_at)).filter(|_| standing.departed.is_none()),
                    only: standing.only,
                    reserved: None,
                };
                self.matching.candidate(id, candidate);
                self.match_agent(id);
            }
            Some(_) | None => self.matching.remove_candidate(id),
        }
    }

    /// A task never began, or closed and has told so.
    pub(super) fn task_gone(&mut self, id: &TaskId) {
        self.matching.dequeue(id);
        if let Some(entry) = self.tasks.remove(id)
            && let Some(agent) = entry.offering
        {
            self.matching.release(id, &agent);
            self.match_agent(&agent);
        }
    }

    pub(super) fn counts(&self) -> QueueCounts {
        QueueCounts {
            queued: self.matching.len(),
            open: self.tasks.len(),
            waiting: self.agents.values().filter(|entry| entry.standing.waiting_since.is_some()).count(),
            agents: self.agents.values().filter(|entry| entry.profile.is_some()).count(),
            by_target: self.matching.by_target(),
        }
    }

    fn line_of(&self, id: &AgentId, entry: &AgentEntry) -> AgentHandle {
        let queued = self.matching.queued_for(&TargetWho::Agent(id.clone()));
        AgentHandle { id: id.clone(), agent: entry.line.clone(), queued }
    }
}

/// How a task is held, for its holder; none when nobody works on it.
pub(super) fn held_of(entry: &TaskEntry, summary: &TaskSummary) -> Option<Held> {
    let state = HeldState::of(summary.state)?;
    Some(Held {
        task: entry.line.clone(),
        id: summary.id.clone(),
        state,
        epoch: summary.epoch,
        since: summary.leased_since,
        until: summary.leased_until,
        priority: summary.spec.priority,
    })
}
