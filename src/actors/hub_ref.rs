//! What every door holds: lines to the actors, the clock, the ids, the settings. Never an actor's address.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

use super::agent::{AgentRef, AgentStanding, CallId};
use super::alarm::AlarmRef;
use super::common::{Attempts, Counters, Result};
use super::credentials::Credentials;
use super::dispatcher::{AgentHandle, AssignError, DispatcherRef};
use super::forge::Forge;
use super::journal::JournalRef;
use super::learner::LearnerRef;
use super::noticeboard::NoticeboardRef;
use super::on_call::OnCall;
use super::outbox::{Destinations, OutboxRef};
use super::ownership::Ownership;
use super::schedules::SchedulesRef;
use super::supervisor::SupervisorRef;
use super::task::{ActError, TaskAct, TaskBirth, TaskReceipt, TaskRef};
use super::terminal::Shelf;
use super::tickets::TicketsRef;
use super::workflow::OpenSteps;
use crate::audit::Audit;
use crate::clock::Clock;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::task::{RightsSet, Task, TaskCommand};
use crate::ids::Ids;
use crate::settings::Settings;

/// The hub, as its doors see it. Cheap to clone: a door does so with each request.
#[derive(Debug, Clone)]
pub struct HubRef(Arc<HubLines>);

#[derive(Debug)]
pub struct HubLines {
    pub dispatcher: DispatcherRef,
    pub journal: JournalRef,
    pub noticeboard: NoticeboardRef,
    pub alarm: AlarmRef,
    pub supervisor: SupervisorRef,
    /// What is set now; a reload replaces it whole.
    pub settings: watch::Receiver<Arc<Settings>>,
    pub draining: watch::Receiver<bool>,
    pub clock: Clock,
    pub ids: Ids,
    pub calls: Arc<AtomicU64>,
    pub counters: Counters,
    pub shelf: Shelf,
    pub learner: LearnerRef,
    /// Begins when the composition root says where; so do `credentials` and `ownership`.
    pub audit: Audit,
    pub credentials: Credentials,
    pub tickets: TicketsRef,
    pub schedules: SchedulesRef,
    pub outbox: OutboxRef,
    pub destinations: Destinations,
    pub forge: Forge,
    pub open_steps: OpenSteps,
    pub ownership: Ownership,
    pub on_call: OnCall,
}

impl From<HubLines> for HubRef {
    fn from(lines: HubLines) -> Self {
        Self(Arc::new(lines))
    }
}

impl Deref for HubRef {
    type Target = HubLines;

    fn deref(&self) -> &HubLines {
        &self.0
    }
}

impl HubRef {
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.borrow())
    }

    pub fn next_call(&self) -> CallId {
        CallId(self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// A task, open or closed.
    pub async fn task(&self, id: &TaskId) -> Result<Option<Task>> {
        if let Some(open) = self.dispatcher.task(id).await? {
            // Between the two questions it may have closed: then the store has it.
            if let Ok(task) = open.show().await {
                return Ok(Some(task));
            }
        }
        let wanted = id.clone();
        Ok(self.journal.read(move |reader| reader.task(&wanted)).await?)
    }

    /// A line to a task; a closed one is taken from the store, for an order that may reopen it.
    pub async fn task_line(&self, id: &TaskId) -> Result<Option<TaskRef>> {
        if let Some(open) = self.dispatcher.task(id).await? {
            return Ok(Some(open));
        }
        let wanted = id.clone();
        match self.journal.read(move |reader| TaskBirth::stored(reader, &wanted)).await? {
            Some(task) => self.dispatcher.reopen(task).await.map(Some),
            None => Ok(None),
        }
    }

    /// Gives a task an order, open or closed; none when there is no such task. Fails with the task's refusal, a
    /// repeat's first receipt, or a fault.
    pub async fn order(&self, id: &TaskId, act: TaskAct) -> Result<Option<TaskReceipt>, ActError> {
        self.order_by(None, id, act, &mut Attempts::default()).await
    }

    /// The same, by a line to a task that the caller holds, after `attempts` of its own. Fails as [`Self::order`] does.
    pub async fn order_by(
        &self,
        mut line: Option<TaskRef>,
        id: &TaskId,
        act: TaskAct,
        attempts: &mut Attempts,
    ) -> Result<Option<TaskReceipt>, ActError> {
        loop {
            let known = match line.take() {
                Some(known) => Some(known),
                None => self.task_line(id).await?,
            };
            let Some(known) = known else { return Ok(None) };
            match known.act_if_there(act.clone()).await {
                // Where its actor ended, it did nothing with the order.
                Ok(None) | Err(ActError::Moved(_)) if attempts.again() => {}
                Ok(None) => return Err(ActError::Moved(id.clone())),
                answer => return answer,
            }
        }
    }

    /// Changes for whom a task is, within the `rights` of who orders it; none when there is no such task. `act` has the
    /// cause and key; its command is replaced. Fails with `TARGET_UNKNOWN`, `NOT_PERMITTED`, and as [`HubRef::order`].
    pub async fn reassign(
        &self,
        id: &TaskId,
        target: String,
        rights: RightsSet,
        act: TaskAct,
        attempts: &mut Attempts,
    ) -> Result<Option<TaskReceipt>, AssignError> {
        let target = self.dispatcher.retarget(id, target, rights).await?;
        let act = TaskAct { command: TaskCommand::Reassign { target }, ..act };
        Ok(self.order_by(None, id, act, attempts).await?)
    }

    /// A line to a known agent; what is said by it is heard behind whatever was on its way to the agent.
    pub async fn agent(&self, id: &AgentId) -> Result<Option<AgentRef>> {
        self.dispatcher.agent_in_order(id).await
    }

    /// Those of these agents that registered, with what they hold, in this order.
    pub(super) async fn standings_of(lines: impl Iterator<Item = &AgentHandle>) -> Vec<AgentStanding> {
        let asked = lines.map(async |line| {
            // Who is being built anew just now is left out rather than shown wrongly.
            let mut standing = line.agent.show().await.ok()?;
            standing.view.queued = line.queued;
            standing.agent.registration.is_some().then_some(standing)
        });
        futures_util::future::join_all(asked).await.into_iter().flatten().collect()
    }
}
