//! Who gets what: every queue, every parked agent, and the best pair of them.
//!
//! Tasks lie in lanes by whom they are for and which capabilities they ask for. A pair is looked for when either side
//! arrives, so after each turn no eligible task is queued while an eligible agent is parked (A2).
//!
//! Among tasks: the higher class first (a task older than `aging_after` counts one class higher), what is kept for this
//! agent, then the oldest. Among agents: who held it last, who works in the same repository, who has the fewest spare
//! capabilities, who waits longest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::holds::Holds;
use super::lane::Lane;
use crate::ids::{AgentId, RoleId, TaskId};
use crate::task::{Priority, RightsSet, Target, TargetWho};
use crate::time::Timestamp;

/// After so many eligible agents the search for the best one ends: the longest waiting are enough to choose from.
const CANDIDATES: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedTask {
    pub id: TaskId,
    pub target: Target,
    pub priority: Priority,
    /// Its place among equals.
    pub created_at: Timestamp,
    pub excluded: BTreeSet<AgentId>,
    /// Who else may not, where the target names nobody: those whom the asker may not delegate to.
    pub within: RightsSet,
    pub repo: Option<String>,
    /// Kept for this agent until then, while it is present.
    pub held_for: Option<(AgentId, Timestamp)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub role: RoleId,
    pub capabilities: BTreeSet<String>,
    pub repo: Option<String>,
    /// Since when it is parked and would take work.
    pub waiting_since: Option<Timestamp>,
    pub last_seen: Option<Timestamp>,
    /// The only task that it would take now, where it waits for that one.
    pub only: Option<TaskId>,
    /// A task that is being offered to it just now.
    pub reserved: Option<TaskId>,
}

/// Every queue and every seat.
#[derive(Debug, Clone)]
pub struct Matching {
    aging_after: Duration,
    offline_after: Duration,
    candidates: BTreeMap<AgentId, Candidate>,
    waiting: BTreeMap<RoleId, BTreeSet<(Timestamp, AgentId)>>,
    lanes: BTreeMap<Target, Lane>,
    queued: BTreeMap<TaskId, QueuedTask>,
    holds: Holds,
}

impl Matching {
    pub fn new(aging_after: Duration, offline_after: Duration) -> Self {
        Self {
            aging_after,
            offline_after,
            candidates: BTreeMap::new(),
            waiting: BTreeMap::new(),
            lanes: BTreeMap::new(),
            queued: BTreeMap::new(),
            holds: Holds::default(),
        }
    }

    pub fn retime(&mut self, aging_after: Duration, offline_after: Duration) {
        self.aging_after = aging_after;
        self.offline_after = offline_after;
        for holder in self.holds.holders() {
            self.holds.seen(&holder, self.present_until(&holder));
        }
    }

    /// An agent is as this seat says; a reservation stands.
    pub fn candidate(&mut self, id: &AgentId, mut candidate: Candidate) {
        if let Some(old) = self.candidates.get(id) {
            candidate.reserved = old.reserved.clone();
            self.unlist(id);
        }
        if let Some(since) = candidate.waiting_since {
            self.waiting.entry(candidate.role.clone()).or_default().insert((since, id.clone()));
        }
        self.candidates.insert(id.clone(), candidate);
        self.holds.seen(id, self.present_until(id));
    }

    pub fn remove_candidate(&mut self, id: &AgentId) {
        self.unlist(id);
        self.candidates.remove(id);
        self.holds.seen(id, self.present_until(id));
    }

    /// An agent is parked no more: it was handed something, or hung up.
    pub fn unpark(&mut self, id: &AgentId) {
        self.unlist(id);
        if let Some(candidate) = self.candidates.get_mut(id) {
            candidate.waiting_since = None;
        }
        self.holds.seen(id, self.present_until(id));
    }

    pub fn enqueue(&mut self, task: QueuedTask) {
        self.dequeue(&task.id);
        self.lanes.entry(task.target.clone()).or_default().insert(task.priority, task.created_at, task.id.clone());
        if let Some((holder, until)) = &task.held_for {
            self.holds.keep(&task.id, holder, *until, self.present_until(holder));
        }
        self.queued.insert(task.id.clone(), task);
    }

    pub fn dequeue(&mut self, id: &TaskId) {
        let Some(task) = self.queued.remove(id) else { return };
        if let Some((holder, _)) = &task.held_for {
            self.holds.drop(id, holder);
        }
        if let Some(lane) = self.lanes.get_mut(&task.target) {
            lane.remove(task.priority, task.created_at, id);
            if lane.is_empty() {
                self.lanes.remove(&task.target);
            }
        }
    }

    /// Matches neither until it is known what came of the offer; the task leaves its lane until it is queued again.
    pub fn reserve(&mut self, task: &TaskId, agent: &AgentId) {
        self.dequeue(task);
        if let Some(candidate) = self.candidates.get_mut(agent) {
            candidate.reserved = Some(task.clone());
        }
    }

    /// It is known what came of the offer.
    pub fn release(&mut self, task: &TaskId, agent: &AgentId) {
        if let Some(candidate) = self.candidates.get_mut(agent)
            && candidate.reserved.as_ref() == Some(task)
        {
            candidate.reserved = None;
        }
    }

    /// The best queued task for an agent that is parked and free.
    pub fn task_for(&self, now: Timestamp, id: &AgentId) -> Option<TaskId> {
        let candidate = self.candidates.get(id).filter(|candidate| is_free(candidate))?;
        let who = [TargetWho::Agent(id.clone()), TargetWho::Role(candidate.role.clone()), TargetWho::Any];
        let lanes = who.into_iter().flat_map(|who| self.lanes_of(who));
        let lanes = lanes.filter(|(target, _)| target.capabilities.is_subset(&candidate.capabilities));
        let heads = lanes.flat_map(|(_, lane)| lane.heads(|task| self.may_take(now, id, task)));
        // What is kept for it may lie behind a head.
        let serves = |task: &QueuedTask| serves(id, candidate, &task.target) && self.allowed(now, id, task);
        let kept = self.holds.of(id).filter(|task| self.queued.get(*task).is_some_and(serves));
        heads
            .chain(kept)
            .filter_map(|task| self.queued.get(task))
            .max_by_key(|task| {
                let kept = task.held_for.as_ref().is_some_and(|(agent, _)| agent == id);
                (self.class(now, task), kept, Reverse(task.created_at), Reverse(task.id.clone()))
            })
            .map(|task| task.id.clone())
    }

    /// The best parked and free agent for a task, queued or about to be.
    pub fn agent_for(&self, now: Timestamp, task: &QueuedTask) -> Option<AgentId> {
        let fits = |id: &AgentId| {
            self.candidates.get(id).is_some_and(|candidate| is_free(candidate) && serves(id, candidate, &task.target))
                && self.allowed(now, id, task)
        };
        if let Some((holder, _)) = &task.held_for
            && fits(holder)
        {
            return Some(holder.clone());
        }
        match &task.target.who {
            TargetWho::Agent(id) => fits(id).then(|| id.clone()),
            TargetWho::Role(role) => {
                let waiting = self.waiting.get(role)?.iter();
                self.best(task, waiting.map(|(_, id)| id).filter(|id| fits(id)).take(CANDIDATES))
            }
            TargetWho::Any => {
                let waiting = self.waiting.values().flatten();
                self.best(task, waiting.map(|(_, id)| id).filter(|id| fits(id)).take(CANDIDATES))
            }
        }
    }

    /// Whether any known agent could ever take this task: by role, capabilities, exclusions and the asker's rights.
    pub fn reachable(&self, task: &QueuedTask) -> bool {
        let could = |id: &AgentId, candidate: &Candidate| {
            !task.excluded.contains(id) && serves(id, candidate, &task.target) && is_covered(id, candidate, task)
        };
        match &task.target.who {
            TargetWho::Agent(id) => self.candidates.get(id).is_some_and(|candidate| could(id, candidate)),
            TargetWho::Role(_) | TargetWho::Any => self.candidates.iter().any(|(id, candidate)| could(id, candidate)),
        }
    }

    pub fn queued(&self, id: &TaskId) -> Option<&QueuedTask> {
        self.queued.get(id)
    }

    pub fn candidate_of(&self, id: &AgentId) -> Option<&Candidate> {
        self.candidates.get(id)
    }

    pub fn candidates(&self) -> impl Iterator<Item = (&AgentId, &Candidate)> {
        self.candidates.iter()
    }

    /// The place of a task among those of its target, from 1.
    pub fn position(&self, now: Timestamp, id: &TaskId) -> Option<usize> {
        let mine = self.queued.get(id)?;
        let rank = |task: &QueuedTask| (Reverse(self.class(now, task)), task.created_at, task.id.clone());
        let lane = self.lanes.get(&mine.target)?;
        let before = lane.ids().filter_map(|id| self.queued.get(id)).filter(|task| rank(task) < rank(mine)).count();
        Some(before + 1)
    }

    pub fn queued_for(&self, who: &TargetWho) -> usize {
        self.lanes_of(who.clone()).map(|(_, lane)| lane.len()).sum()
    }

    pub fn len(&self) -> usize {
        self.queued.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    /// How many tasks wait, by target as it is written.
    pub fn by_target(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (target, lane) in &self.lanes {
            *counts.entry(target.to_string()).or_insert(0) += lane.len();
        }
        counts
    }

    /// When the next task is kept for its last holder no longer.
    pub fn next_hold_end(&self) -> Option<Timestamp> {
        self.holds.next_end()
    }

    /// Lets go of what was kept for its last holder until now, and names it: others may have it.
    pub fn end_holds(&mut self, now: Timestamp) -> Vec<TaskId> {
        let mut ended = Vec::new();
        while let Some(id) = self.holds.over(now) {
            let Some(task) = self.queued.get_mut(&id) else { break };
            if let Some((holder, _)) = task.held_for.take() {
                self.holds.drop(&id, &holder);
            }
            ended.push(id);
        }
        ended
    }

    /// Pairs that A2 forbids: an eligible task queued while an eligible agent is parked and free.
    pub fn unmatched_pairs(&self, now: Timestamp) -> Vec<(TaskId, AgentId)> {
        self.queued
            .values()
            .filter_map(|task| self.agent_for(now, task).map(|agent| (task.id.clone(), agent)))
            .collect()
    }

    /// Whether a task is kept for another agent that is present.
    pub fn kept_for_another(&self, now: Timestamp, id: &AgentId, task: &QueuedTask) -> bool {
        task.held_for
            .as_ref()
            .is_some_and(|(holder, until)| holder != id && *until > now && self.present_until(holder) > now)
    }

    fn allowed(&self, now: Timestamp, id: &AgentId, task: &QueuedTask) -> bool {
        let takes = |candidate: &Candidate| {
            candidate.only.as_ref().is_none_or(|only| *only == task.id) && is_covered(id, candidate, task)
        };
        !task.excluded.contains(id)
            && self.candidates.get(id).is_some_and(takes)
            && !self.kept_for_another(now, id, task)
    }

    fn may_take(&self, now: Timestamp, id: &AgentId, task: &TaskId) -> bool {
        self.queued.get(task).is_some_and(|task| self.allowed(now, id, task))
    }

    /// Until when an agent counts as present, if it is not heard again; for good while it waits.
    fn present_until(&self, id: &AgentId) -> Timestamp {
        let Some(candidate) = self.candidates.get(id) else { return Timestamp::default() };
        match (candidate.waiting_since, candidate.last_seen) {
            (Some(_), _) => Timestamp(u64::MAX),
            (None, Some(seen)) => seen + self.offline_after,
            (None, None) => Timestamp::default(),
        }
    }

    fn class(&self, now: Timestamp, task: &QueuedTask) -> u8 {
        let class = match task.priority {
            Priority::Normal => 0,
            Priority::High => 1,
            Priority::Critical => 2,
        };
        class + u8::from(now.since(task.created_at) >= self.aging_after)
    }

    fn best<'a>(&'a self, task: &QueuedTask, candidates: impl Iterator<Item = &'a AgentId>) -> Option<AgentId> {
        candidates
            .filter_map(|id| self.candidates.get(id).map(|candidate| (id, candidate)))
            .min_by_key(|(id, candidate)| {
                let elsewhere = task.repo.is_none() || candidate.repo != task.repo;
                let spare = candidate.capabilities.len().saturating_sub(task.target.capabilities.len());
                (elsewhere, spare, candidate.waiting_since, (*id).clone())
            })
            .map(|(id, _)| id.clone())
    }

    fn lanes_of(&self, who: TargetWho) -> impl Iterator<Item = (&Target, &Lane)> {
        let first = Target { who: who.clone(), capabilities: BTreeSet::new() };
        self.lanes.range(first..).take_while(move |(target, _)| target.who == who)
    }

    fn unlist(&mut self, id: &AgentId) {
        let Some(candidate) = self.candidates.get(id) else { return };
        if let (Some(since), Some(waiting)) = (candidate.waiting_since, self.waiting.get_mut(&candidate.role)) {
            waiting.remove(&(since, id.clone()));
            if waiting.is_empty() {
                self.waiting.remove(&candidate.role);
            }
        }
    }
}

/// Whether a candidate is of the target's sort and has its capabilities.
pub fn serves(id: &AgentId, candidate: &Candidate, target: &Target) -> bool {
    let fits = match &target.who {
        TargetWho::Agent(wanted) => wanted == id,
        TargetWho::Role(role) => role == &candidate.role,
        TargetWho::Any => true,
    };
    fits && target.capabilities.is_subset(&candidate.capabilities)
}

/// Whether the asker's rights cover this candidate; only for `any` was that not judged when it was asked.
pub fn is_covered(id: &AgentId, candidate: &Candidate, task: &QueuedTask) -> bool {
    match &task.target.who {
        TargetWho::Agent(_) | TargetWho::Role(_) => true,
        TargetWho::Any => task.within.allows(Some(id), Some(&candidate.role)),
    }
}

const fn is_free(candidate: &Candidate) -> bool {
    candidate.waiting_since.is_some() && candidate.reserved.is_none()
}
