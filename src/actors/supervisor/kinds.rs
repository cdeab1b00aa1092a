//! Every kind of actor that is built anew when it fails: how it is built, when it is drained, whom its return concerns.

use std::collections::BTreeSet;

use super::child::{Afterwards, ChildKind, Concerned, Rank, built_from_nothing, kind, takes_args};
use crate::actors::agent::{AgentActor, AgentMessage};
use crate::actors::alarm::{AlarmActor, AlarmArgs, AlarmMessage};
use crate::actors::dispatcher::{DispatcherActor, DispatcherMessage};
use crate::actors::learner::{LearnerActor, LearnerMessage};
use crate::actors::outbox::{Destinations, OutboxActor, OutboxArgs, OutboxMessage};
use crate::actors::schedules::{SchedulesActor, SchedulesMessage};
use crate::actors::session::{SessionActor, SessionMessage};
use crate::actors::spawner::{ActorArgs, Spawner};
use crate::actors::task::{TaskActor, TaskBirth, TaskMessage};
use crate::actors::terminal::{TerminalActor, TerminalMessage};
use crate::actors::tickets::{TicketsActor, TicketsMessage};
use crate::domain::agent::Agent;
use crate::domain::ids::{AgentId, SessionId, TaskId};
use crate::domain::session::{Lifecycle, Session};
use crate::domain::terminal::TerminalSpec;

#[derive(Debug)]
pub(super) struct AlarmKind;

impl ChildKind for AlarmKind {
    kind!("alarm", AlarmActor, AlarmMessage);

    const RANK: Rank = Rank::Alarm;
    const AFTERWARDS: &'static [Afterwards] = &[Afterwards::EverybodyTicks];

    built_from_nothing!();

    fn actor(&self, args: ActorArgs<AlarmMessage>) -> (AlarmActor, AlarmArgs) {
        (AlarmActor, AlarmArgs { mailbox_metrics: args.mailbox_metrics(), clock: args.spawner.clock })
    }
}

/// What people answer to input prompts.
#[derive(Debug)]
pub(super) struct LearnerKind;

impl ChildKind for LearnerKind {
    kind!("learner", LearnerActor, LearnerMessage);

    const RANK: Rank = Rank::Workers;

    built_from_nothing!();
    takes_args!(LearnerActor);
}

/// Calls whose answer is fetched later.
#[derive(Debug)]
pub(super) struct TicketsKind;

impl ChildKind for TicketsKind {
    kind!("tickets", TicketsActor, TicketsMessage);

    const RANK: Rank = Rank::Workers;
    const TICK: Option<fn() -> TicketsMessage> = Some(|| TicketsMessage::Tick);

    built_from_nothing!();
    takes_args!(TicketsActor);
}

/// When tasks are made by themselves.
#[derive(Debug)]
pub(super) struct SchedulesKind;

impl ChildKind for SchedulesKind {
    kind!("schedules", SchedulesActor, SchedulesMessage);

    // A hub that is going down makes no more tasks: it has the dispatcher make them.
    const RANK: Rank = Rank::Dispatcher;
    const TICK: Option<fn() -> SchedulesMessage> = Some(|| SchedulesMessage::Tick);

    built_from_nothing!();
    takes_args!(SchedulesActor);
}

/// What must reach the outside.
#[derive(Debug)]
pub(super) struct OutboxKind(pub(super) Destinations);

impl ChildKind for OutboxKind {
    kind!("outbox", OutboxActor, OutboxMessage);

    const RANK: Rank = Rank::Workers;
    const TICK: Option<fn() -> OutboxMessage> = Some(|| OutboxMessage::Tick);

    built_from_nothing!();

    fn actor(&self, args: ActorArgs<OutboxMessage>) -> (OutboxActor, OutboxArgs) {
        let (timer, mailbox_metrics) = (args.timer(|| OutboxMessage::Tick), args.mailbox_metrics());
        let Spawner { journal, clock, ids, hub, .. } = args.spawner;
        (OutboxActor, OutboxArgs { journal, destinations: self.0.clone(), clock, ids, hub, timer, mailbox_metrics })
    }
}

/// Who gets what.
#[derive(Debug)]
pub(super) struct DispatcherKind;

impl ChildKind for DispatcherKind {
    kind!("dispatcher", DispatcherActor, DispatcherMessage);

    const RANK: Rank = Rank::Dispatcher;
    const AFTERWARDS: &'static [Afterwards] = &[Afterwards::DispatcherAdopts, Afterwards::AgentsLook];
    const TICK: Option<fn() -> DispatcherMessage> = Some(|| DispatcherMessage::Tick);

    built_from_nothing!();
    takes_args!(DispatcherActor);
}

#[derive(Debug)]
pub struct AgentKind {
    pub id: AgentId,
}

impl ChildKind for AgentKind {
    kind!("agent", AgentActor, AgentMessage, Agent);

    const RANK: Rank = Rank::Agents;
    const TICK: Option<fn() -> AgentMessage> = Some(|| AgentMessage::Tick);
    const ANNOUNCE: Option<fn() -> AgentMessage> = Some(|| AgentMessage::LookAgain);

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.id)
    }

    /// One that never registered is built, too: it may have been told something.
    async fn stored(&self, spawner: &Spawner) -> Result<Option<Agent>, String> {
        spawner.journal.reads().agent(&self.id).await.map(Some).map_err(|error| error.to_string())
    }

    takes_args!(AgentActor);
}

#[derive(Debug)]
pub struct TaskKind {
    pub id: TaskId,
}

impl ChildKind for TaskKind {
    kind!("task", TaskActor, TaskMessage, TaskBirth);

    const RANK: Rank = Rank::Workers;
    const RETIRES: bool = true;
    const AFTERWARDS: &'static [Afterwards] = &[Afterwards::AgentsLook, Afterwards::SessionsLook];
    const TICK: Option<fn() -> TaskMessage> = Some(|| TaskMessage::Tick);
    const ANNOUNCE: Option<fn() -> TaskMessage> = Some(|| TaskMessage::Announce);

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.id)
    }

    fn concerns(birth: &TaskBirth) -> Option<Concerned> {
        let TaskBirth::Stored(task, _) = birth else { return None };
        Some(Concerned { agents: task.agents().collect(), sessions: task.sessions().collect() })
    }

    /// One that closed is built, too: it tells how it ended, if its last words were not heard, and retires.
    async fn stored(&self, spawner: &Spawner) -> Result<Option<TaskBirth>, String> {
        let wanted = self.id.clone();
        let read = spawner.journal.read(move |reader| TaskBirth::stored(reader, &wanted)).await;
        read.map_err(|error| error.to_string())
    }

    takes_args!(TaskActor);

    fn gone(&self, spawner: &Spawner) {
        spawner.dispatcher.tell(DispatcherMessage::TaskGone { id: self.id.clone() });
    }
}

#[derive(Debug)]
pub struct SessionKind {
    pub id: SessionId,
}

impl ChildKind for SessionKind {
    kind!("session", SessionActor, SessionMessage, (Session, Lifecycle));

    const RANK: Rank = Rank::Workers;
    const AFTERWARDS: &'static [Afterwards] = &[Afterwards::AgentsLook];
    const TICK: Option<fn() -> SessionMessage> = Some(|| SessionMessage::Tick);

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.id)
    }

    /// A session tells its own agent alone.
    fn concerns((session, _): &(Session, Lifecycle)) -> Option<Concerned> {
        Some(Concerned { agents: BTreeSet::from([session.agent.clone()]), sessions: BTreeSet::new() })
    }

    async fn stored(&self, spawner: &Spawner) -> Result<Option<(Session, Lifecycle)>, String> {
        let wanted = self.id.clone();
        let read = spawner.journal.read(move |reader| reader.session(&wanted)).await;
        Ok(read.map_err(|error| error.to_string())?.map(|session| (session, Lifecycle::Running)))
    }

    fn gone(&self, spawner: &Spawner) {
        spawner.supervisor.knows(&self.id, None);
    }

    takes_args!(SessionActor);
}

#[derive(Debug)]
pub(super) struct TerminalKind {
    pub(super) spec: Box<TerminalSpec>,
}

impl ChildKind for TerminalKind {
    kind!("terminal", TerminalActor, TerminalMessage);

    const RANK: Rank = Rank::Workers;
    const RETIRES: bool = true;
    const TICK: Option<fn() -> TerminalMessage> = Some(|| TerminalMessage::Tick);

    fn name(&self) -> String {
        format!("{}:{}", Self::NAME, self.spec.id)
    }

    built_from_nothing!();

    fn actor(&self, args: ActorArgs<TerminalMessage>) -> (TerminalActor, ActorArgs<TerminalMessage, TerminalSpec>) {
        (TerminalActor, args.of(|()| (*self.spec).clone()))
    }
}
