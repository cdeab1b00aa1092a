//! The parked wait: who is answered with what, and what becomes of an offer that finds nobody.

use ractor::RpcReplyPort;

use super::message::{AgentError, Awaited, Held, WaitEnd, WaitRequest};
use super::state::{State, Waiter};
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::task::{OfferedTask, TaskRef};
use crate::broken::{self, Break};
use crate::domain::agent::{AgentCommand, CallId, Carried, HeldState, Load, Pending, WaitOver};
use crate::domain::ids::{LeaseEpoch, TaskId};
use crate::domain::session::question::AnswerRoute;
use crate::domain::task::{ReturnReason, TaskCommand};
use crate::domain::time::Timestamp;

impl State {
    pub(super) fn park(&mut self, mut request: WaitRequest, reply: RpcReplyPort<Result<WaitEnd, AgentError>>) {
        let now = self.clock.now();
        self.presence.last_seen = Some(now);
        if let Err(refusal) = self.agent.may_wait(request.instance.as_deref()) {
            self.refusals.note(now, refusal.code(), refusal.to_string());
            let _ = reply.send(Err(refusal.into()));
            return;
        }
        if let Some(older) = self.waiter.as_ref().filter(|_| broken::by(Break::EndsTheWrongWait)) {
            request.until = request.until.min(older.request.until);
        }
        // A client that gives up seldom says so: it calls again while its older call is open.
        if self.waiter.as_ref().is_some_and(|older| older.request.instance == request.instance) {
            self.gives_up();
        }
        self.end_wait(WaitEnd::Superseded);
        self.presence.heard(now);
        self.works_by(request.instance.as_ref());
        self.presence.waiting_since = Some(now);
        let ends = self.clock.instant(request.until);
        self.waiter = Some(Waiter { request, since: now, ends, reply });
    }

    /// An answer is lost, or the call that it would go to: a wait that is open under this number is over, and never a
    /// newer one. Its offer goes back; where the task has not said yet that this agent holds it, as soon as it does.
    pub(super) fn lost(&mut self, call: CallId, carried: Carried) {
        if self.waiter.as_ref().is_some_and(|waiter| waiter.request.id == call) {
            if !broken::by(Break::KeepsDeadWaits) {
                self.gives_up();
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
            self.gives_up();
            self.unpark();
        }
    }

    fn gives_up(&mut self) {
        if let Some(waiter) = &self.waiter {
            self.tolerance.gave_up(waiter.request.until.since(waiter.since));
        }
    }

    /// Puts an offer into the parked wait; with nobody there it goes back at once.
    pub(super) fn deliver(&mut self, task: TaskRef, offered: Box<OfferedTask>) {
        let (id, epoch) = (offered.spec.id.clone(), offered.epoch);
        self.reoffering.remove(&id);
        let (state, priority) = (HeldState::Offered, offered.priority);
        let held = Held { task: task.clone(), id: id.clone(), state, epoch, since: None, until: None, priority };
        let Some(waiter) = self.take_waiter() else {
            self.held.remove(&id);
            self.give_back(&task, epoch, ReturnReason::NobodyWaiting);
            return;
        };
        self.presence.waiting_since = None;
        self.presence.last_seen = Some(self.clock.now());
        self.mailbox_metrics.shows(&self.presence);
        if waiter.reply.send(Ok(WaitEnd::Task(offered))).is_err() && !broken::by(Break::KeepsDeadWaits) {
            self.held.remove(&id);
            self.give_back(&task, epoch, ReturnReason::ConnectionLost);
            return;
        }
        self.nudged = waiter.request.nudges.then(|| self.clock.now());
        self.unread.hands_out(waiter.request.id, (id.clone(), epoch));
        self.held.insert(id, held);
        self.reminded = false;
    }

    pub(super) async fn answer_waiter(&mut self, now: Timestamp) {
        let Some(waiter) = &self.waiter else { return };
        let (call, span) = (waiter.request.id, waiter.request.until.since(waiter.since));
        let over = self.clock.moment(waiter.ends) <= now;
        let news = self.news(call, now);
        let pending = Pending {
            evicted: self.agent.eviction.is_some(),
            draining: self.draining,
            news: news.is_some() && waiter.request.awaits.hears(),
            full: waiter.request.awaits == Awaited::Anything && self.load().is_full(|| self.most_at_once()),
            reminded: self.reminded,
            over,
        };
        let Some(end) = pending.ends_with() else { return };
        let end = match end {
            WaitOver::Evicted => self.told_that_it_is_evicted(now).await,
            WaitOver::Draining => WaitEnd::Draining,
            WaitOver::News => {
                let notices = news.unwrap_or_default();
                self.unread.tells(call, AnswerRoute::Wait, notices.iter().map(|notice| notice.id.clone()));
                WaitEnd::Notices(notices)
            }
            WaitOver::AtCapacity => {
                self.reminded = true;
                WaitEnd::AtCapacity(self.held_list())
            }
            WaitOver::Idle => {
                self.tolerance.answered(span);
                WaitEnd::Idle
            }
        };
        self.end_wait(end);
    }

    /// Told also when the journal cannot keep it: an eviction heard twice does no harm, and a wait must end in time.
    async fn told_that_it_is_evicted(&mut self, now: Timestamp) -> WaitEnd {
        let eviction = self.agent.eviction.clone();
        if let Err(error) = self.decide_and_write(AgentCommand::HearEviction, self.hub.clone(), None).await {
            self.refusals.note(now, "UNAVAILABLE", error.to_string());
        }
        eviction.map_or(WaitEnd::Idle, WaitEnd::Evicted)
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
        let takes_work = self.load().takes_work(|| self.most_at_once());
        (takes_work && self.agent.registration.is_some()).then_some(waiter.since)
    }

    pub(super) fn waits_only_for(&self) -> Option<TaskId> {
        match &self.waiter.as_ref()?.request.awaits {
            Awaited::Only(task) | Awaited::Back(task) => Some(task.clone()),
            Awaited::Anything | Awaited::Work => None,
        }
    }

    fn load(&self) -> Load {
        self.held.values().map(|held| held.state).collect()
    }

    pub(super) fn end_wait(&mut self, end: WaitEnd) {
        if let Some(waiter) = self.take_waiter() {
            self.presence.waiting_since = None;
            self.mailbox_metrics.shows(&self.presence);
            let nudges = waiter.request.nudges && matches!(end, WaitEnd::Notices(_));
            self.nudged = nudges.then(|| self.clock.now());
            if waiter.reply.send(Ok(end)).is_err() {
                self.lost(waiter.request.id, Carried::default());
            }
        }
    }

    pub(super) fn unpark(&mut self) {
        drop(self.take_waiter());
        self.presence.waiting_since = None;
    }

    fn take_waiter(&mut self) -> Option<Waiter> {
        let waiter = self.waiter.take()?;
        self.quiet_since = self.clock.now();
        self.counters.waits.observe(self.clock.now().since(waiter.since).as_secs_f64());
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
