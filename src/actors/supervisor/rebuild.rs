//! What becomes of an actor that ended: retired when its work is done, built anew when it failed.

use std::time::Duration;

use ractor::{Actor, ActorCell, ActorId, ActorRef, SpawnErr};

use super::actor::Desk;
use super::message::SupervisorMessage;
use super::post::Post;
use crate::actors::agent::{AgentMessage, AgentRef};
use crate::actors::alarm::{AlarmActor, AlarmArgs};
use crate::actors::common::{Bell, Line};
use crate::actors::dispatcher::{DispatcherActor, DispatcherArgs, DispatcherMessage};
use crate::actors::learner::{LearnerActor, LearnerArgs};
use crate::actors::session::SessionMessage;
use crate::actors::task::{TaskBirth, TaskMessage, TaskRef};
use crate::actors::tickets::{TicketsActor, TicketsArgs, TicketsMessage};
use crate::domain::ids::TaskId;
use crate::domain::session::Lifecycle;
use crate::journal::{Append, Entry, HubRecord};

/// What was found to be built anew.
enum Anew {
    Built(ActorCell),
    /// The store knows nothing of it, or its work is done: nobody is to be built.
    Gone,
}

impl Desk {
    /// An actor ended as it should: a task that closed, a terminal that is followed no more. One that was ended by hand
    /// is built anew.
    pub(super) fn ended(&mut self, myself: &ActorRef<SupervisorMessage>, actor: ActorId) {
        if self.ending {
            return;
        }
        let Some(name) = self.names.get(&actor).cloned() else {
            self.early.insert(actor, String::new());
            return;
        };
        if !self.holds_post(&name, actor) {
            // Somebody else has its name by now: a task that was reopened while its first actor still ended.
            self.names.remove(&actor);
            return;
        }
        let closed = self.children.get(&name).is_some_and(|child| !child.by_hand && retires(&child.post));
        if closed {
            self.names.remove(&actor);
            self.children.remove(&name);
        } else {
            self.failed(myself, actor, "ended by hand");
        }
    }

    /// An actor failed: it is built anew after a pause.
    pub(super) fn failed(&mut self, myself: &ActorRef<SupervisorMessage>, actor: ActorId, reason: &str) {
        if self.ending {
            return;
        }
        let fatal = [self.hub.journal.actor().get_id(), self.hub.noticeboard.actor().get_id()];
        if fatal.contains(&actor) {
            tracing::error!("the journal or the noticeboard failed, the hub ends: {reason}");
            self.fatal.send_replace(Some(reason.to_owned()));
            return;
        }
        let Some(name) = self.names.remove(&actor) else {
            self.early.insert(actor, reason.to_owned());
            return;
        };
        if !self.holds_post(&name, actor) {
            return;
        }
        if let Some(child) = self.children.get_mut(&name) {
            let pause = child.pause();
            child.vacant = true;
            child.restarts.count += 1;
            child.restarts.last = Some(reason.to_owned());
            tracing::warn!(actor = %name, count = child.restarts.count, "`{name}` ended and is built anew: {reason}");
            later(myself, pause, name);
        }
    }

    fn holds_post(&self, name: &str, actor: ActorId) -> bool {
        self.children.get(name).is_some_and(|child| child.cell.get_id() == actor)
    }

    /// Builds anew whoever holds this post no more.
    pub(super) async fn rebuild(&mut self, myself: &ActorRef<SupervisorMessage>, name: &str) {
        if self.ending || !self.children.get(name).is_some_and(|child| child.vacant) {
            return;
        }
        match self.build_anew(myself, name).await {
            Ok(Anew::Built(cell)) => {
                self.names.insert(cell.get_id(), name.to_owned());
                if let Some(child) = self.children.get_mut(name) {
                    child.cell = cell;
                    child.vacant = false;
                    child.by_hand = false;
                }
                if let Some(child) = self.children.get(name) {
                    self.others_look_again(&child.post);
                }
                self.write_down(name).await;
            }
            Ok(Anew::Gone) => {
                self.children.remove(name);
                if let Some(id) = name.strip_prefix("task:").and_then(|id| TaskId::parse(id).ok()) {
                    self.hub.dispatcher.tell(DispatcherMessage::TaskGone { id });
                }
            }
            Err(reason) => {
                let Some(child) = self.children.get_mut(name) else { return };
                child.restarts.count += 1;
                tracing::warn!(actor = %name, "`{name}` could not be built anew yet: {reason}");
                let pause = child.pause();
                later(myself, pause, name.to_owned());
            }
        }
    }

    async fn build_anew(&self, myself: &ActorRef<SupervisorMessage>, name: &str) -> Result<Anew, String> {
        let Some(child) = self.children.get(name) else { return Ok(Anew::Gone) };
        let spawner = &self.spawner;
        let says = |error: SpawnErr| error.to_string();
        match &child.post {
            Post::Alarm { socket, .. } => {
                let args = AlarmArgs { clock: self.hub.clock, gauge: socket.gauge() };
                let actor = spawn(myself, AlarmActor, args).await.map_err(says)?;
                socket.connect(actor.clone());
                self.rearm();
                Ok(Anew::Built(actor.get_cell()))
            }
            Post::Learner { socket, .. } => {
                let actor = spawn(myself, LearnerActor, learner_args(self, socket.gauge())).await.map_err(says)?;
                socket.connect(actor.clone());
                Ok(Anew::Built(actor.get_cell()))
            }
            Post::Tickets { socket, line } => {
                let args = tickets_args(self, line, socket.gauge());
                let actor = spawn(myself, TicketsActor, args).await.map_err(says)?;
                socket.connect(actor.clone());
                Ok(Anew::Built(actor.get_cell()))
            }
            Post::Dispatcher { socket, line } => {
                let args = dispatcher_args(self, line, socket.gauge());
                let actor = spawn(myself, DispatcherActor, args).await.map_err(says)?;
                socket.connect(actor.clone());
                self.adopt();
                Ok(Anew::Built(actor.get_cell()))
            }
            Post::Agent { id, socket, line } => {
                let agent = spawner.stored_agent(id).await.map_err(|error| error.to_string())?;
                let actor = spawner.build_agent(agent, socket, line).await.map_err(says)?;
                socket.connect(actor.clone());
                Ok(Anew::Built(actor.get_cell()))
            }
            Post::Task { id, socket, line } => {
                let wanted = id.clone();
                let task =
                    self.hub.journal.read(move |reader| reader.task(&wanted)).await.map_err(|e| e.to_string())?;
                // One that closed is built, too: it tells how it ended, if its last words were not heard, and retires.
                let Some(task) = task else { return Ok(Anew::Gone) };
                let birth = TaskBirth::Known(Box::new(task));
                let actor = spawner.build_task(birth, socket, line).await.map_err(says)?;
                socket.connect(actor.clone());
                TaskRef::new(line.clone()).send(TaskMessage::Announce);
                Ok(Anew::Built(actor.get_cell()))
            }
            Post::Session { id, socket, line } => {
                let wanted = id.clone();
                let read = self.hub.journal.read(move |reader| reader.session(&wanted)).await;
                let Some(session) = read.map_err(|e| e.to_string())? else { return Ok(Anew::Gone) };
                let actor = spawner.build_session(session, Lifecycle::Running, socket, line).await.map_err(says)?;
                socket.connect(actor.clone());
                Ok(Anew::Built(actor.get_cell()))
            }
            Post::Terminal { spec, socket, line } => {
                let actor = spawner.build_terminal((**spec).clone(), socket, line).await.map_err(says)?;
                socket.connect(actor.clone());
                Ok(Anew::Built(actor.get_cell()))
            }
        }
    }

    /// What one that ended had written, or was to pass on, and had not told yet, nobody else will: whom it may concern
    /// looks at what is on disk.
    fn others_look_again(&self, built: &Post) {
        let (agents, sessions) = match built {
            Post::Task { .. } => (true, true),
            Post::Dispatcher { .. } | Post::Session { .. } => (true, false),
            Post::Alarm { .. }
            | Post::Learner { .. }
            | Post::Tickets { .. }
            | Post::Agent { .. }
            | Post::Terminal { .. } => return,
        };
        for child in self.children.values() {
            if let (Post::Agent { line, .. }, true) = (&child.post, agents) {
                AgentRef::new(line.clone()).send(AgentMessage::LookAgain);
            }
            if let (Post::Session { line, .. }, true) = (&child.post, sessions) {
                line.tell(SessionMessage::Moved);
            }
        }
    }

    /// Each actor with a deadline is asked to look at the time: a new alarm knows none, and a journal that writes again
    /// need not be waited for any longer.
    pub(super) fn rearm(&self) {
        let _ = self.hub.journal.actor().send_message(crate::actors::journal::JournalMessage::Tick);
        for child in self.children.values() {
            match &child.post {
                Post::Task { line, .. } => drop(line.tell(TaskMessage::Tick)),
                Post::Agent { line, .. } => drop(line.tell(crate::actors::agent::AgentMessage::Tick)),
                Post::Dispatcher { line, .. } => drop(line.tell(DispatcherMessage::Tick)),
                Post::Session { line, .. } => drop(line.tell(SessionMessage::Tick)),
                Post::Terminal { line, .. } => drop(line.tell(crate::actors::terminal::TerminalMessage::Tick)),
                Post::Tickets { line, .. } => drop(line.tell(crate::actors::tickets::TicketsMessage::Tick)),
                Post::Alarm { .. } | Post::Learner { .. } => {}
            }
        }
    }

    /// A new dispatcher knows nobody: it is given a line to each, and each tells how it stands.
    pub(super) fn adopt(&self) {
        let (mut agents, mut tasks) = (Vec::new(), Vec::new());
        for child in self.children.values() {
            match &child.post {
                Post::Agent { id, line, .. } => agents.push((id.clone(), AgentRef::new(line.clone()))),
                Post::Task { id, line, .. } => tasks.push((id.clone(), TaskRef::new(line.clone()))),
                Post::Alarm { .. }
                | Post::Learner { .. }
                | Post::Tickets { .. }
                | Post::Dispatcher { .. }
                | Post::Session { .. }
                | Post::Terminal { .. } => {}
            }
        }
        self.hub.dispatcher.tell(DispatcherMessage::Adopt { agents, tasks });
    }

    async fn write_down(&self, name: &str) {
        let Some(child) = self.children.get(name) else { return };
        let record = HubRecord::ActorRestarted {
            actor: name.to_owned(),
            reason: child.restarts.last.clone().unwrap_or_default(),
            count: child.restarts.count,
        };
        let append = Append {
            at: self.hub.clock.now(),
            by: self.spawner.hub.clone(),
            request: None,
            entries: vec![Entry::of_hub(record)],
            rows: Vec::new(),
            blobs: Vec::new(),
            idempotency: None,
            expects: Vec::new(),
        };
        if let Err(fault) = self.hub.journal.append(append).await {
            tracing::warn!("the restart of `{name}` could not be written down: {fault}");
        }
    }
}

/// Whether whoever holds this post may end because its work is done.
const fn retires(post: &Post) -> bool {
    match post {
        Post::Task { .. } | Post::Terminal { .. } => true,
        Post::Alarm { .. }
        | Post::Learner { .. }
        | Post::Tickets { .. }
        | Post::Dispatcher { .. }
        | Post::Agent { .. }
        | Post::Session { .. } => false,
    }
}

/// What a learner is built with.
pub(super) fn learner_args(desk: &Desk, gauge: std::sync::Arc<crate::actors::common::Gauge>) -> LearnerArgs {
    LearnerArgs { journal: desk.hub.journal.clone(), clock: desk.hub.clock, gauge }
}

/// What the tickets are built with.
pub(super) fn tickets_args(
    desk: &Desk,
    line: &Line<TicketsMessage>,
    gauge: std::sync::Arc<crate::actors::common::Gauge>,
) -> TicketsArgs {
    let ringing = line.clone();
    let bell = Bell::new(desk.hub.alarm.clone(), "tickets", move || ringing.tell(TicketsMessage::Tick));
    let (journal, clock, ids) = (desk.hub.journal.clone(), desk.hub.clock, desk.hub.ids.clone());
    TicketsArgs { journal, clock, ids, hub: desk.spawner.hub.clone(), bell, gauge }
}

/// What a dispatcher is built with.
pub(super) fn dispatcher_args(
    desk: &Desk,
    line: &Line<DispatcherMessage>,
    gauge: std::sync::Arc<crate::actors::common::Gauge>,
) -> DispatcherArgs {
    let ringing = line.clone();
    let bell = Bell::new(desk.hub.alarm.clone(), "dispatcher", move || ringing.rings(DispatcherMessage::Tick));
    DispatcherArgs {
        spawner: desk.spawner.clone(),
        journal: desk.hub.journal.clone(),
        bell,
        settings: desk.hub.settings.clone(),
        clock: desk.hub.clock,
        ids: desk.hub.ids.clone(),
        gauge,
        hub: desk.spawner.hub.clone(),
    }
}

pub(super) async fn spawn<A: Actor>(
    myself: &ActorRef<SupervisorMessage>,
    actor: A,
    args: A::Arguments,
) -> Result<ActorRef<A::Msg>, SpawnErr> {
    Ok(Actor::spawn_linked(None, actor, args, myself.get_cell()).await?.0)
}

fn later(myself: &ActorRef<SupervisorMessage>, pause: Duration, name: String) {
    // Rare, and the alarm itself may be what failed: the library's own timer will do.
    drop(myself.send_after(pause, move || SupervisorMessage::Rebuild { name }));
}
