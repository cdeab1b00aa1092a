//! The state of the dispatcher: the agents and open tasks that it knows, and how each of them stands.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::watch;

use crate::actors::agent::{AgentRef, Profile};
use crate::actors::common::{MailboxMetrics, Refusals, Timer};
use crate::actors::journal::JournalRef;
use crate::actors::spawner::Spawner;
use crate::actors::task::{TaskRef, TaskSummary};
use crate::clock::Clock;
use crate::domain::agent::Departure;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::principal::By;
use crate::domain::routing::Roster;
use crate::domain::routing::matching::Matching;
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::settings::Settings;

/// The state of the dispatcher. None of it is on disk: agents and tasks tell it again when the actor is rebuilt.
#[derive(Debug)]
pub struct State {
    pub(super) spawner: Spawner,
    pub(super) journal: JournalRef,
    pub(super) timer: Timer,
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) clock: Clock,
    pub(super) ids: Ids,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) hub: By,
    pub(super) matching: Matching,
    pub(super) agents: BTreeMap<AgentId, AgentEntry>,
    pub(super) tasks: BTreeMap<TaskId, TaskEntry>,
    /// The agents and roles that a task may name as its target; none when they changed since the last look.
    pub(super) roster: Option<Arc<Roster>>,
    pub(super) dependents: BTreeMap<TaskId, BTreeSet<TaskId>>,
    pub(super) starving: Watch,
    pub(super) draining: bool,
    pub(super) refusals: Refusals,
    pub(super) started_at: Timestamp,
}

#[derive(Debug, Clone)]
pub(super) struct AgentEntry {
    pub(super) line: AgentRef,
    pub(super) profile: Option<Arc<Profile>>,
    pub(super) standing: AgentAvailability,
}

#[derive(Debug, Clone, Default)]
pub(super) struct AgentAvailability {
    pub(super) waiting_since: Option<Timestamp>,
    pub(super) only: Option<TaskId>,
    pub(super) held: usize,
    pub(super) last_seen: Option<Timestamp>,
    pub(super) evicted: bool,
    pub(super) departed: Option<Departure>,
    pub(super) nudged: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub(super) struct TaskEntry {
    pub(super) line: TaskRef,
    /// How it stands; none until it told for the first time.
    pub(super) summary: Option<TaskSummary>,
    /// To whom it is being offered just now.
    pub(super) offering: Option<AgentId>,
}

/// Queued tasks of which nothing was said yet, by the moment at which something will be.
#[derive(Debug, Default)]
pub(super) struct Watch {
    due: BTreeSet<(Timestamp, TaskId)>,
    by_task: BTreeMap<TaskId, Timestamp>,
}

impl Watch {
    pub(super) fn begin(&mut self, task: &TaskId, due: Timestamp) {
        if !self.by_task.contains_key(task) {
            self.by_task.insert(task.clone(), due);
            self.due.insert((due, task.clone()));
        }
    }

    pub(super) fn end(&mut self, task: &TaskId) {
        if let Some(due) = self.by_task.remove(task) {
            self.due.remove(&(due, task.clone()));
        }
    }

    pub(super) fn said(&self) -> impl Iterator<Item = &TaskId> {
        let waits = |(task, due): &(&TaskId, &Timestamp)| !self.due.contains(&(**due, (*task).clone()));
        self.by_task.iter().filter(waits).map(|(task, _)| task)
    }

    pub(super) fn next(&self) -> Option<Timestamp> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Those of whom it is time to speak. They stay known, so that nothing is said of them twice.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<TaskId> {
        let mut due = Vec::new();
        while self.next().is_some_and(|at| at <= now) {
            due.extend(self.due.pop_first().map(|(_, task)| task));
        }
        due
    }
}
