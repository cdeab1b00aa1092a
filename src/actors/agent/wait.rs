//! The parked wait: who is answered with what, and what becomes of an offer that finds nobody.

use ractor::RpcReplyPort;

use super::message::{AgentError, Held, HeldState, WaitEnd, WaitRequest};
use super::state::{State, Waiter};
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::task::{OfferedTask, TaskRef};
use crate::broken::{self, Break};
use crate::domain::agent::{AgentCommand, AgentRefusal, CallId, Carried};
use crate::domain::ids::LeaseEpoch;
use crate::domain::session::question::Way;
use crate::domain::task::{ReturnReason, TaskCommand};
use crate::domain::time::Timestamp;

impl State {
    /// Parks a wait; a newer one takes the place of the older.
    pub(super) fn park(&mut self, mut request: WaitRequest, reply: RpcReplyPort<Result<WaitEnd, AgentError>>) {
        let now = self.clock.now();
        self.presence.last_seen = Some(now);
        if let Err(refusal) = self.may_wait(&request) {
            self.refusals.note(now, refusal.code(), refusal.to_string());
            let _ = reply.send(Err(refusal.into()));
            return;
        }
        if let Some(older) = self.waiter.as_ref().filter(|_| broken::by(Break::EndsTheWrongWait)) {
            request.until = request.until.min(older.request.until);
        }
        self.end_wait(WaitEnd::Superseded);
        self.presence.heard(now);
        self.works_by(request.instance.as_ref());
        self.presence.waiting_since = Some(now);
        self.waiter = Some(Waiter { request, since: now, reply });
    }

    /// An answer is lost, or the call that it would go to: a wait that is open under this number is over, and never a
    /// newer one. Its offer goes back; where the task has not said yet that this agent holds it, as soon as it does.
    pub(super) fn lost(&mut self, call: CallId, carried: Carried) {
        if self.waiter.as_ref().is_some_and(|waiter| waiter.request.id == call) {
            if !broken::by(Break::KeepsDeadWaits) {
                self.unpark();
            }
            return;
        }
        let Some((id, epoch)) = self.unread.lost(call, carried) else { return };
        let Some(held) = self.held.get(&id) else { return self.unread.remember((id, epoch)) };
        if held.state == HeldState::Offered && held.epoch == epoch {
            let task = held.task.clone();
            self.held.remove(&id);
            self.give_back(&task, epoch, ReturnReason::ConnectionLost);
        }
    }

    pub(super) fn drop_who_hung_up(&mut self) {
        if self.waiter.as_ref().is_some_and(|waiter| waiter.reply.is_closed()) && !broken::by(Break::KeepsDeadWaits) {
            self.unpark();
        }
    }

    /// Puts an offer into the parked wait; with nobody there it goes back at once.
    pub(super) fn deliver(&mut self, task: TaskRef, offered: Box<OfferedTask>) {
        let (id, epoch) = (offered.spec.id.clone(), offered.epoch);
        self.reoffering.remove(&id);
        let held = Held {
            task: task.clone(),
            id: id.clone(),
            state: HeldState::Offered,
            epoch,
            since: None,
            until: None,
            priority: offered.priority,
        };
        let Some(waiter) = self.take_waiter() else {
            self.held.remove(&id);
            self.give_back(&task, epoch, ReturnReason::NobodyWaiting);
            return;
        };
        self.presence.waiting_since = None;
        self.presence.last_seen = Some(self.clock.now());
        self.gauge.shows(&self.presence);
        if waiter.reply.send(Ok(WaitEnd::Task(offered))).is_err() && !broken::by(Break::KeepsDeadWaits) {
            self.held.remove(&id);
            self.give_back(&task, epoch, ReturnReason::ConnectionLost);
            return;
        }
        self.unread.hands_out(waiter.request.id, (id.clone(), epoch));
        self.held.insert(id, held);
        self.reminded = false;
    }

    /// Answers the waiter if there is something for it. In this order: sent away, going down, to hear, at capacity,
    /// time over.
    pub(super) async fn answer_waiter(&mut self, now: Timestamp) {
        let Some(waiter) = &self.waiter else { return };
        let call = waiter.request.id;
        let over = waiter.request.until <= now;
        if let Some(eviction) = self.agent.eviction.clone() {
            // Told also when the journal cannot keep that it was: an eviction that is heard twice does no harm, one
            // unheard does, and a wait whose time is over must end.
            if let Err(error) = self.decide_and_write(AgentCommand::HearEviction, self.hub.clone(), None).await {
                self.refusals.note(now, "UNAVAILABLE", error.to_string());
            }
            self.end_wait(WaitEnd::Evicted(eviction));
        } else if self.draining {
            self.end_wait(WaitEnd::Draining);
        } else if let Some(notices) = self.news(call, now) {
            self.unread.tells(call, Way::Wait, notices.iter().map(|notice| notice.id.clone()));
            self.end_wait(WaitEnd::Notices(notices));
        } else if self.at_capacity() && (!self.reminded || over) {
            self.reminded = true;
            let held = self.held_list();
            self.end_wait(WaitEnd::AtCapacity(held));
        } else if over {
            self.end_wait(WaitEnd::Idle);
        }
    }

    /// Offers that this agent has not acknowledged are offered again to its new wait, under the next number.
    pub(super) fn ask_for_offers_again(&mut self) {
        if self.waiter.is_none() {
            return;
        }
        let unacknowledged = self.held.values().filter(|held| held.state == HeldState::Offered);
        let missing: Vec<_> =
            unacknowledged.map(|held| held.id.clone()).filter(|id| !self.reoffering.contains(id)).collect();
        for task in missing {
            self.reoffering.insert(task.clone());
            self.dispatcher.tell(DispatcherMessage::Reoffer { agent: self.agent.id.clone(), task });
        }
    }

    /// Since when it is parked and would take work; none while it waits for something else.
    pub(super) fn open_to_work_since(&self) -> Option<Timestamp> {
        let waiter = self.waiter.as_ref()?;
        // An offer of its own that it has not acknowledged is offered again first, whatever else is queued.
        let unacknowledged = self.held.values().any(|held| held.state == HeldState::Offered);
        (!unacknowledged && !self.at_capacity() && self.agent.registration.is_some()).then_some(waiter.since)
    }

    /// Whether it holds as much as its role may; what is BLOCKED or IN_REVIEW does not count.
    pub(super) fn at_capacity(&self) -> bool {
        let counted = self
            .held
            .values()
            .filter(|held| match held.state {
                HeldState::Offered | HeldState::InProgress => true,
                HeldState::Blocked | HeldState::InReview => false,
            })
            .count();
        let unacknowledged = self.held.values().any(|held| held.state == HeldState::Offered);
        // An offer of its own comes first, whatever else it holds.
        // It may always hold one: whoever holds nothing needs no look at the settings.
        counted > 0 && !unacknowledged && counted >= self.most_at_once()
    }

    pub(super) fn end_wait(&mut self, end: WaitEnd) {
        if let Some(waiter) = self.take_waiter() {
            self.presence.waiting_since = None;
            self.gauge.shows(&self.presence);
            if waiter.reply.send(Ok(end)).is_err() {
                self.lost(waiter.request.id, Carried::default());
            }
        }
    }

    fn may_wait(&self, request: &WaitRequest) -> Result<(), AgentRefusal> {
        let agent = self.agent.id.to_string();
        if self.agent.was_superseded(request.instance.as_deref()) {
            return Err(AgentRefusal::Superseded { agent });
        }
        if self.agent.registration.is_none() && self.agent.eviction.is_none() {
            return Err(AgentRefusal::NotRegistered { agent });
        }
        Ok(())
    }

    pub(super) fn unpark(&mut self) {
        drop(self.take_waiter());
        self.presence.waiting_since = None;
    }

    /// The wait is over, whatever it ends with.
    fn take_waiter(&mut self) -> Option<Waiter> {
        let waiter = self.waiter.take()?;
        self.quiet_since = self.clock.now();
        self.tally.waits.observe(self.clock.now().since(waiter.since).as_secs_f64());
        Some(waiter)
    }

    pub(super) fn give_back(&self, task: &TaskRef, epoch: LeaseEpoch, why: ReturnReason) {
        let command = TaskCommand::ReturnOffer { agent: self.agent.id.clone(), epoch, why };
        task.tell(self.own_act(command));
    }

    fn most_at_once(&self) -> usize {
        let Some(registration) = &self.agent.registration else { return 1 };
        let most = self.settings.borrow().max_concurrent(&self.agent.id, &registration.role);
        usize::try_from(most).unwrap_or(1).max(1)
    }
}
