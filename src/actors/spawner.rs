//! Builds actors under the supervisor.

use std::sync::Arc;

use ractor::{ActorCell, Message};
use tokio::sync::watch;

use super::agent::AgentRef;
use super::alarm::AlarmRef;
use super::common::{ActorHandle, Counters, Fault, MailboxMetrics, Result, Timer, line};
use super::credentials::Credentials;
use super::dispatcher::DispatcherRef;
use super::journal::JournalRef;
use super::noticeboard::NoticeboardRef;
use super::on_call::OnCall;
use super::session::SessionRef;
use super::supervisor::{
    AgentKind, ChildKind, ChildSlot, SessionKind, Spawned, SupervisorMessage, SupervisorRef, TaskKind,
};
use super::task::{TaskBirth, TaskRef};
use super::terminal::Shelf;
use super::workflow::OpenSteps;
use crate::clock::Clock;
use crate::domain::agent::Agent;
use crate::domain::principal::By;
use crate::domain::session::{Lifecycle, Session};
use crate::ids::Ids;
use crate::settings::Settings;

#[derive(Debug, Clone)]
pub struct Spawner {
    /// The supervisor's own address: those who are built are linked to it.
    pub cell: ActorCell,
    pub supervisor: SupervisorRef,
    pub journal: JournalRef,
    pub noticeboard: NoticeboardRef,
    pub shelf: Shelf,
    pub alarm: AlarmRef,
    pub dispatcher: DispatcherRef,
    pub credentials: Credentials,
    pub settings: watch::Receiver<Arc<Settings>>,
    pub counters: Counters,
    pub open_steps: OpenSteps,
    pub on_call: OnCall,
    pub clock: Clock,
    pub ids: Ids,
    /// The principal behind what the hub does by itself.
    pub hub: By,
}

/// What an actor is built from: its own, and the hub as it stands around it.
#[derive(Debug)]
pub struct ActorArgs<M, B = ()> {
    /// Its state as the journal has it.
    pub birth: B,
    /// The handle to it, which stays when it is rebuilt.
    pub line: ActorHandle<M>,
    pub spawner: Spawner,
}

impl<M: Message, B> ActorArgs<M, B> {
    /// Its one deadline: see [`Spawner::timer`].
    pub fn timer(&self, message: fn() -> M) -> Timer {
        self.spawner.timer(&self.line, message)
    }

    pub fn mailbox_metrics(&self) -> Arc<MailboxMetrics> {
        Arc::clone(self.line.mailbox_metrics())
    }

    /// The same for an actor that is built from something else.
    pub fn of<C>(self, birth: impl FnOnce(B) -> C) -> ActorArgs<M, C> {
        ActorArgs { birth: birth(self.birth), line: self.line, spawner: self.spawner }
    }
}

impl Spawner {
    pub async fn task(&self, birth: TaskBirth) -> Result<TaskRef> {
        let id = birth.id().clone();
        Ok(TaskRef::new(self.spawn(TaskKind { id }, birth).await?))
    }

    pub async fn agent(&self, agent: Agent) -> Result<AgentRef> {
        let id = agent.id.clone();
        Ok(AgentRef::new(self.spawn(AgentKind { id }, agent).await?))
    }

    pub async fn session(&self, session: Session, lifecycle: Lifecycle) -> Result<SessionRef> {
        let id = session.id.clone();
        Ok(SessionRef::new(self.spawn(SessionKind { id }, (session, lifecycle)).await?))
    }

    pub async fn spawn<K: ChildKind>(&self, kind: K, birth: K::Birth) -> Result<ActorHandle<K::Message>> {
        let (spawned, line) = self.start(kind, birth).await?;
        self.supervisor.tell(SupervisorMessage::Spawned(Box::new(spawned)));
        Ok(line)
    }

    /// Starts an actor for the supervisor, which knows it before it hears anybody else: others may ask for it at once.
    pub async fn start<K: ChildKind>(&self, kind: K, birth: K::Birth) -> Result<(Spawned, ActorHandle<K::Message>)> {
        let (socket, line) = line(kind.name(), self.settings.borrow().hub.limits.mailbox, &self.counters);
        let slot = ChildSlot::new(kind, (socket, line.clone()));
        let failed = |why| Fault::Unavailable(format!("an actor could not be started: {why}"));
        let cell = slot.start(self, birth).await.map_err(failed)?;
        Ok((Spawned::new(slot, cell), line))
    }

    /// An actor's one deadline: at its time `message` is sent to the actor, also after it was built anew.
    pub fn timer<M: Message>(&self, line: &ActorHandle<M>, message: fn() -> M) -> Timer {
        let ringing = line.clone();
        Timer::new(self.alarm.clone(), line.name(), move || ringing.rings(message()))
    }
}
