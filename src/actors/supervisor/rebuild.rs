//! What becomes of an actor that ended: retired when its work is done, built anew when it failed.

use std::time::Duration;

use ractor::{ActorId, ActorRef};

use super::child::{Afterwards, Built, ChildSlot, Concerned, Held};
use super::kinds::{AgentKind, SessionKind, TaskKind};
use super::message::SupervisorMessage;
use super::state::State;
use crate::actors::agent::{AgentMessage, AgentRef};
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::journal::JournalMessage;
use crate::actors::session::SessionMessage;
use crate::actors::task::TaskRef;
use crate::journal::{Append, Entry, HubRecord};

impl State {
    /// An actor ended as it should: a task that closed, a terminal followed no more. One ended by hand is built anew.
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
        let closed = self.children.get(&name).is_some_and(|child| !child.by_hand && child.child.retires());
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
        let now = self.hub.clock.now();
        if let Some(child) = self.children.get_mut(&name) {
            child.lately.failed(now);
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
        let Some(held) = self.children.get(name) else { return };
        match self.build_behind_its_appends(held).await {
            Ok(Some(Built { cell, concerned })) => {
                let afterwards = held.child.afterwards();
                self.names.insert(cell.get_id(), name.to_owned());
                if let Some(held) = self.children.get_mut(name) {
                    held.cell = cell;
                    held.vacant = false;
                    held.by_hand = false;
                }
                afterwards.iter().for_each(|afterwards| self.tell_others(*afterwards, concerned.as_ref()));
                self.write_down(name).await;
            }
            Ok(None) => {
                held.child.gone(&self.spawner);
                self.children.remove(name);
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

    /// The actor before may have an append under way: the new one is built from a journal that has it or has refused
    /// it, so a stream is never decided on a row that is older than the stream.
    async fn build_behind_its_appends(&self, held: &Held) -> Result<Option<Built>, String> {
        let settled = self.hub.journal.settles(self.hub.clock.now(), self.spawner.hub.clone()).await;
        settled.map_err(|error| error.to_string())?;
        held.child.build(&self.spawner).await
    }

    /// Tells those whom it concerns that an actor was built anew.
    fn tell_others(&self, afterwards: Afterwards, concerned: Option<&Concerned>) {
        match afterwards {
            Afterwards::EverybodyTicks => self.rearm(),
            Afterwards::DispatcherAdopts => self.adopt(),
            Afterwards::AgentsLook => {
                let concerns =
                    |slot: &&ChildSlot<AgentKind>| concerned.is_none_or(|it| it.agents.contains(&slot.kind.id));
                self.slots().filter(concerns).for_each(|slot| {
                    slot.line.tell(AgentMessage::LookAgain);
                });
            }
            Afterwards::SessionsLook => {
                let concerns =
                    |slot: &&ChildSlot<SessionKind>| concerned.is_none_or(|it| it.sessions.contains(&slot.kind.id));
                self.slots().filter(concerns).for_each(|slot| {
                    slot.line.tell(SessionMessage::Moved);
                });
            }
        }
    }

    /// Each actor with a deadline is asked to look at the time: a new alarm knows none, and a journal that writes again
    /// need not be waited for any longer.
    pub(super) fn rearm(&self) {
        let _ = self.hub.journal.actor().send_message(JournalMessage::Tick);
        self.children.values().for_each(|held| held.child.tick());
    }

    /// A rebuilt dispatcher has no handles: it is given one to each, and each reports its state.
    fn adopt(&self) {
        let agents =
            self.slots().map(|slot: &ChildSlot<AgentKind>| (slot.kind.id.clone(), AgentRef::new(slot.line.clone())));
        let tasks =
            self.slots().map(|slot: &ChildSlot<TaskKind>| (slot.kind.id.clone(), TaskRef::new(slot.line.clone())));
        let (agents, tasks) = (agents.collect(), tasks.collect());
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

fn later(myself: &ActorRef<SupervisorMessage>, pause: Duration, name: String) {
    // Rare, and the alarm itself may be what failed: the library's own timer will do.
    drop(myself.send_after(pause, move || SupervisorMessage::Rebuild { name }));
}
