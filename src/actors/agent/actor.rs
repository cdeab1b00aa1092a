//! The agent's shell.

use std::collections::{BTreeMap, BTreeSet};

use ractor::{Actor, ActorRef, RpcReplyPort};

use super::handle::AgentRef;
use super::message::{AgentMessage, AgentStanding};
use super::state::State;
use crate::actors::common::{ActorResult, Refusals, respond};
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::spawner::ActorArgs;
use crate::domain::agent::{Agent, HeldState, Presence, Unread, WaitTolerance};
use crate::domain::time::{Deadline, Timestamp};

/// Why the timer of an agent is set that does not wait.
const OFFLINE: &str = "silent for so long it counts as offline";

#[derive(Debug)]
pub struct AgentActor;

impl Actor for AgentActor {
    type Msg = AgentMessage;
    type State = State;
    type Arguments = ActorArgs<AgentMessage, Agent>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| AgentMessage::Tick), args.mailbox_metrics());
        let ActorArgs { birth: agent, line, spawner } = args;
        let state = State {
            found: agent.notices.keys().cloned().collect(),
            agent,
            line: AgentRef::new(line),
            journal: spawner.journal,
            dispatcher: spawner.dispatcher,
            supervisor: spawner.supervisor,
            timer,
            settings: spawner.settings,
            counters: spawner.counters,
            started_at: spawner.clock.now(),
            quiet_since: spawner.clock.now(),
            nudged: None,
            clock: spawner.clock,
            mailbox_metrics,
            hub: spawner.hub,
            on_call: spawner.on_call,
            presence: Presence::default(),
            connections: Vec::new(),
            worker: None,
            tolerance: WaitTolerance::default(),
            waiter: None,
            unread: Unread::default(),
            held: BTreeMap::new(),
            reoffering: BTreeSet::new(),
            progress: BTreeMap::new(),
            delivered: BTreeSet::new(),
            stale: false,
            reminded: false,
            draining: false,
            refusals: Refusals::default(),
            told: None,
            profile: None,
            lifecycle: None,
        };
        state.show_news();
        state.dispatcher.tell(DispatcherMessage::AgentBuilt { id: state.agent.id.clone(), agent: state.line.clone() });
        Ok(state)
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: AgentMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.began();
        match message {
            // What writes is boxed: an agent that rests has no room to keep for it.
            AgentMessage::Register { request, reply } => Box::pin(state.register(*request, reply)).await,
            AgentMessage::Called { instance, reply } => state.called(instance, reply).await,
            AgentMessage::Collect { call, answers, reply } => Box::pin(state.collect(call, answers, reply)).await,
            AgentMessage::Wait { request, reply } => state.park(request, reply),
            AgentMessage::Lost { call, carried } => state.lost(call, carried),
            AgentMessage::Deliver { task, offered } => state.deliver(task, offered),
            AgentMessage::Holds { task, held } => state.holds(task, held),
            AgentMessage::Noticed { notice } => state.noticed(notice),
            AgentMessage::Progressed { task, notice } => state.progressed(task, notice),
            AgentMessage::Left { call } => state.unread.left(call),
            AgentMessage::LookAgain => state.stale = true,
            AgentMessage::Post { request, reply } => Box::pin(state.post(*request, reply)).await,
            AgentMessage::Evict { request, reply } => Box::pin(state.evict(*request, reply)).await,
            AgentMessage::ToType { reply } => respond(reply, state.to_type()),
            AgentMessage::OrderTyping { order, reply } => respond(reply, Box::pin(state.order_typing(*order)).await),
            AgentMessage::EndTyping { order, done } => Box::pin(state.end_typing(*order, done)).await,
            AgentMessage::Show { reply } => state.show(reply),
            AgentMessage::Present { instance, connection } => state.is_present(instance, connection),
            AgentMessage::ClientGone(gone) => state.client_gone(&gone),
            AgentMessage::Announce => state.told = None,
            AgentMessage::Drain => state.draining = true,
            AgentMessage::Tick => state.timer.rang(),
            AgentMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        state.settle().await;
        Ok(())
    }
}

impl State {
    /// Ends every turn: the parked wait is answered where there is something for it, or dropped where its caller hung
    /// up; the dispatcher and the session are told; the timer is set; whether something needs a person is shown.
    pub(super) async fn settle(&mut self) {
        let now = self.clock.now();
        self.drop_who_hung_up();
        if self.stale {
            Box::pin(self.look_again()).await;
        }
        self.give_up(now).await;
        self.answer_waiter(now).await;
        self.note_deliveries(now).await;
        self.ask_for_offers_again();
        self.tell_dispatcher();
        self.tell_session(now);
        self.timer.set(self.next_deadline(now));
        self.mailbox_metrics.shows(&self.presence);
        self.mailbox_metrics.ended(self.may_need_a_person());
    }

    /// May its inbox have an item now, or later without another turn: it left work, or has not heard something.
    fn may_need_a_person(&self) -> bool {
        let works = || self.held.values().any(|held| held.state == HeldState::InProgress);
        (self.presence.departure.is_some() && works()) || self.agent.unheard().next().is_some()
    }

    /// When the wait ends; or when silence becomes absence, which only changes what others see.
    fn next_deadline(&self, now: Timestamp) -> Option<Deadline> {
        if let Some(waiter) = &self.waiter {
            let end = Deadline { at: self.clock.moment(waiter.ends), reason: "the wait ends with nothing" };
            let typed = self.agent.held_until(now).map(|at| Deadline { at, reason: "nobody says what came of typing" });
            return typed.into_iter().chain([end]).min_by_key(|deadline| deadline.at);
        }
        let offline_at = self.presence.offline_at(self.settings.borrow().hub.leases.offline_after)?;
        // Each call moves this moment. The alarm is not told of each: it may ring too early, and is set anew then.
        let armed = self.timer.armed();
        let armed = armed.filter(|armed| armed.reason == OFFLINE && now < armed.at && armed.at < offline_at);
        armed.or_else(|| (offline_at > now).then_some(Deadline { at: offline_at, reason: OFFLINE }))
    }

    fn show(&self, reply: RpcReplyPort<AgentStanding>) {
        let departed = self.presence.departed(self.clock.now());
        let (agent, held, view) = (self.agent.clone(), self.held_list(), self.view());
        let _ = reply.send(AgentStanding { agent, held, view, departed });
    }
}
