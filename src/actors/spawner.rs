//! Builds agents, tasks and sessions under the supervisor, for the first time or anew.

use std::sync::Arc;

use ractor::{Actor, ActorCell, ActorRef, Message, SpawnErr};
use tokio::sync::watch;

use super::agent::{AgentActor, AgentArgs, AgentMessage, AgentRef};
use super::alarm::AlarmRef;
use super::common::{Bell, Fault, Line, Socket, Tally, line};
use super::dispatcher::DispatcherRef;
use super::journal::JournalRef;
use super::session::{SessionActor, SessionArgs, SessionMessage, SessionRef};
use super::supervisor::{Hired, Post, SupervisorMessage, SupervisorRef};
use super::task::{TaskActor, TaskArgs, TaskBirth, TaskMessage, TaskRef};
use super::terminal::{Shelf, TerminalActor, TerminalArgs, TerminalMessage, TerminalRef};
use crate::clock::Clock;
use crate::domain::agent::Agent;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::principal::By;
use crate::domain::session::{Lifecycle, Session};
use crate::domain::task::Task;
use crate::domain::terminal::TerminalSpec;
use crate::ids::Ids;
use crate::journal::ReadError;
use crate::settings::Settings;

/// Builds actors. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Spawner {
    /// The supervisor's own address: those who are built are linked to it.
    pub cell: ActorCell,
    /// A line to the supervisor, who hears of each that is built.
    pub supervisor: SupervisorRef,
    /// The journal.
    pub journal: JournalRef,
    /// What terminals printed.
    pub shelf: Shelf,
    /// Every deadline.
    pub alarm: AlarmRef,
    /// Who gets what.
    pub dispatcher: DispatcherRef,
    /// What is set.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// What is counted as it happens.
    pub tally: Tally,
    /// The hub's clock.
    pub clock: Clock,
    /// The hub's ids.
    pub ids: Ids,
    /// The principal behind what the hub does by itself.
    pub hub: By,
}

impl Spawner {
    /// An actor for a new task.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn task(&self, id: TaskId) -> Result<TaskRef, Fault> {
        self.new_task(id.clone(), TaskBirth::New(id)).await
    }

    /// An actor for a task that was read from the store.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn known_task(&self, task: Task) -> Result<TaskRef, Fault> {
        self.new_task(task.spec.id.clone(), TaskBirth::Known(Box::new(task))).await
    }

    /// An actor for an agent.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn agent(&self, agent: Agent) -> Result<AgentRef, Fault> {
        let id = agent.id.clone();
        let (socket, line) = self.line(format!("agent:{id}"));
        let agent_ref = AgentRef::new(line.clone());
        let actor = self.build_agent(agent, &socket, &line).await.map_err(|e| fault(&e))?;
        let cell = actor.get_cell();
        socket.connect(actor);
        self.hired(line.name().to_owned(), cell, Post::Agent { id, socket, line: line.clone() });
        Ok(agent_ref)
    }

    /// An agent as the store knows it. One that never registered is there, too: it may have been told something.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn stored_agent(&self, id: &AgentId) -> Result<Agent, ReadError> {
        let wanted = id.clone();
        let read = self.journal.read(move |reader| reader.agent(&wanted)).await;
        Ok(read?.unwrap_or_else(|| Agent::unknown(id.clone())))
    }

    /// An actor for a session.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn session(&self, session: Session, lifecycle: Lifecycle) -> Result<SessionRef, Fault> {
        let (hired, session) = self.open_session(session, lifecycle).await?;
        self.supervisor.tell(SupervisorMessage::Hired(Box::new(hired)));
        Ok(session)
    }

    /// Starts a session for the supervisor itself, which takes it in before it hears anybody else: whoever was told of
    /// the session may ask for it at once.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn open_session(&self, session: Session, lifecycle: Lifecycle) -> Result<(Hired, SessionRef), Fault> {
        let id = session.id.clone();
        let (socket, line) = self.line(format!("session:{id}"));
        let actor = self.build_session(session, lifecycle, &socket, &line).await.map_err(|e| fault(&e))?;
        let cell = actor.get_cell();
        socket.connect(actor);
        let session_ref = SessionRef::new(line.clone());
        let hired = Hired { name: line.name().to_owned(), cell, post: Post::Session { id, socket, line } };
        Ok((hired, session_ref))
    }

    /// Builds a task's actor for a line that exists.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn build_task(
        &self,
        birth: TaskBirth,
        socket: &Socket<TaskMessage>,
        line: &Line<TaskMessage>,
    ) -> Result<ActorRef<TaskMessage>, SpawnErr> {
        let bell = Bell::new(self.alarm.clone(), line.name(), ring(line, || TaskMessage::Tick));
        let args = TaskArgs {
            birth,
            line: TaskRef::new(line.clone()),
            journal: self.journal.clone(),
            dispatcher: self.dispatcher.clone(),
            supervisor: self.supervisor.clone(),
            bell,
            clock: self.clock,
            ids: self.ids.clone(),
            gauge: socket.gauge(),
            hub: self.hub.clone(),
        };
        Ok(Actor::spawn_linked(None, TaskActor, args, self.cell.clone()).await?.0)
    }

    /// Builds an agent's actor for a line that exists.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn build_agent(
        &self,
        agent: Agent,
        socket: &Socket<AgentMessage>,
        line: &Line<AgentMessage>,
    ) -> Result<ActorRef<AgentMessage>, SpawnErr> {
        let bell = Bell::new(self.alarm.clone(), line.name(), ring(line, || AgentMessage::Tick));
        let args = AgentArgs {
            agent,
            line: AgentRef::new(line.clone()),
            journal: self.journal.clone(),
            dispatcher: self.dispatcher.clone(),
            supervisor: self.supervisor.clone(),
            bell,
            settings: self.settings.clone(),
            tally: self.tally.clone(),
            clock: self.clock,
            gauge: socket.gauge(),
            hub: self.hub.clone(),
        };
        Ok(Actor::spawn_linked(None, AgentActor, args, self.cell.clone()).await?.0)
    }

    /// Builds a session's actor for a line that exists.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn build_session(
        &self,
        session: Session,
        lifecycle: Lifecycle,
        socket: &Socket<SessionMessage>,
        line: &Line<SessionMessage>,
    ) -> Result<ActorRef<SessionMessage>, SpawnErr> {
        let bell = Bell::new(self.alarm.clone(), line.name(), ring(line, || SessionMessage::Tick));
        let args = SessionArgs {
            session,
            lifecycle,
            journal: self.journal.clone(),
            dispatcher: self.dispatcher.clone(),
            bell,
            clock: self.clock,
            ids: self.ids.clone(),
            gauge: socket.gauge(),
            hub: self.hub.clone(),
        };
        Ok(Actor::spawn_linked(None, SessionActor, args, self.cell.clone()).await?.0)
    }

    /// Starts a terminal for the supervisor itself, which takes it in before it hears anybody else.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn open_terminal(&self, spec: TerminalSpec) -> Result<(Hired, TerminalRef), Fault> {
        let (socket, line) = self.line(format!("terminal:{}", spec.id));
        let actor = self.build_terminal(spec.clone(), &socket, &line).await.map_err(|e| fault(&e))?;
        let cell = actor.get_cell();
        socket.connect(actor);
        let terminal = TerminalRef::new(line.clone());
        let post = Post::Terminal { spec: Box::new(spec), socket, line: line.clone() };
        Ok((Hired { name: line.name().to_owned(), cell, post }, terminal))
    }

    /// Builds a terminal's actor for a line that exists.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn build_terminal(
        &self,
        spec: TerminalSpec,
        socket: &Socket<TerminalMessage>,
        line: &Line<TerminalMessage>,
    ) -> Result<ActorRef<TerminalMessage>, SpawnErr> {
        let bell = Bell::new(self.alarm.clone(), line.name(), ring(line, || TerminalMessage::Tick));
        let args = TerminalArgs {
            spec,
            journal: self.journal.clone(),
            shelf: self.shelf.clone(),
            bell,
            settings: self.settings.clone(),
            clock: self.clock,
            gauge: socket.gauge(),
            hub: self.hub.clone(),
        };
        Ok(Actor::spawn_linked(None, TerminalActor, args, self.cell.clone()).await?.0)
    }

    async fn new_task(&self, id: TaskId, birth: TaskBirth) -> Result<TaskRef, Fault> {
        let (socket, line) = self.line(format!("task:{id}"));
        let actor = self.build_task(birth, &socket, &line).await.map_err(|e| fault(&e))?;
        let cell = actor.get_cell();
        socket.connect(actor);
        let task = TaskRef::new(line.clone());
        self.hired(line.name().to_owned(), cell, Post::Task { id, socket, line });
        Ok(task)
    }

    fn line<M: Message>(&self, name: String) -> (Socket<M>, Line<M>) {
        line(name, self.settings.borrow().hub.limits.mailbox, &self.tally)
    }

    fn hired(&self, name: String, cell: ActorCell, post: Post) {
        let hired = Hired { name, cell, post };
        self.supervisor.tell(SupervisorMessage::Hired(Box::new(hired)));
    }
}

/// What a deadline does: it says so on the actor's line, which finds it also after it was built anew.
fn ring<M: Message>(line: &Line<M>, message: fn() -> M) -> impl Fn() -> bool + Send + Sync + 'static {
    let line = line.clone();
    move || line.rings(message())
}

fn fault(error: &SpawnErr) -> Fault {
    Fault::Unavailable(format!("an actor could not be started: {error}"))
}
