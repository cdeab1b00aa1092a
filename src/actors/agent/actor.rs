//! The agent's shell.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use tokio::sync::watch;

use super::handle::AgentRef;
use super::message::{AgentError, AgentMessage, AgentStanding, CallId, Carried, Held, Profile, WaitEnd, WaitRequest};
use super::under_way::Shown;
use crate::actors::common::{Bell, Gauge, Refusals, Tally};
use crate::actors::dispatcher::{DispatcherMessage, DispatcherRef};
use crate::actors::journal::JournalRef;
use crate::actors::supervisor::SupervisorRef;
use crate::clock::Clock;
use crate::domain::agent::{Agent, Departure, Notice, Presence};
use crate::domain::ids::{NoticeId, TaskId};
use crate::domain::principal::By;
use crate::domain::session::Lifecycle;
use crate::domain::time::{Deadline, Timestamp};
use crate::settings::Settings;

/// Why the bell of an agent is set that does not wait.
const OFFLINE: &str = "silent for so long it counts as offline";

/// The actor.
#[derive(Debug)]
pub struct AgentActor;

/// What it is built with.
#[derive(Debug)]
pub struct AgentArgs {
    /// The agent, as the journal knows it.
    pub agent: Agent,
    /// Its own line, to be handed to others.
    pub line: AgentRef,
    /// The journal.
    pub journal: JournalRef,
    /// Whom it tells how it stands.
    pub dispatcher: DispatcherRef,
    /// Whom it tells of its session.
    pub supervisor: SupervisorRef,
    /// Its one deadline.
    pub bell: Bell,
    /// What is set.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// What is counted as it happens.
    pub tally: Tally,
    /// The hub's clock.
    pub clock: Clock,
    /// Its mailbox's gauge.
    pub gauge: Arc<Gauge>,
    /// The principal behind what the hub does by itself.
    pub hub: By,
}

/// A parked wait.
pub(super) struct Waiter {
    pub(super) request: WaitRequest,
    pub(super) since: Timestamp,
    pub(super) reply: RpcReplyPort<Result<WaitEnd, AgentError>>,
}

/// What it keeps.
pub struct Desk {
    pub(super) agent: Agent,
    pub(super) line: AgentRef,
    pub(super) journal: JournalRef,
    pub(super) dispatcher: DispatcherRef,
    pub(super) supervisor: SupervisorRef,
    pub(super) bell: Bell,
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) tally: Tally,
    pub(super) clock: Clock,
    pub(super) gauge: Arc<Gauge>,
    pub(super) hub: By,
    pub(super) presence: Presence,
    /// Open connections of its clients, and whose they are; those that opened before it was built are added when they
    /// tell next that they are there.
    pub(super) connections: Vec<(CallId, Option<String>)>,
    /// The client that registered or waited last, since this actor was built.
    pub(super) worker: Option<String>,
    /// At most one (A1).
    pub(super) waiter: Option<Waiter>,
    /// Answers that carry something and have not left yet.
    pub(super) under_way: BTreeMap<CallId, Carried>,
    pub(super) held: BTreeMap<TaskId, Held>,
    /// Offers that were asked to be made again, and have not come yet.
    pub(super) reoffering: BTreeSet<TaskId>,
    /// Notices that go or went with an answer; the next call after it left shows that it arrived.
    pub(super) shown: BTreeMap<NoticeId, Shown>,
    /// Notices that were found on disk: a word of them that was under way all the while is no news.
    pub(super) found: BTreeSet<NoticeId>,
    /// The newest report of progress that it has not heard, of each task that it asked for. Not persisted.
    pub(super) progress: BTreeMap<TaskId, Notice>,
    /// Something on disk may not have been told, and it has not looked yet.
    pub(super) stale: bool,
    /// When it called last, or its wait ended: counted from there, nobody fetches what it should hear.
    pub(super) quiet_since: Timestamp,
    /// Of those that answer a question, the ones of which the journal says that they left.
    pub(super) delivered: BTreeSet<NoticeId>,
    /// The reminder "finish first" was given since what it holds last changed.
    pub(super) reminded: bool,
    pub(super) draining: bool,
    pub(super) refusals: Refusals,
    pub(super) started_at: Timestamp,
    pub(super) told: Option<(Option<Timestamp>, usize, bool, Option<Departure>)>,
    pub(super) profile: Option<Arc<Profile>>,
    pub(super) lifecycle: Option<Lifecycle>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("agent", &self.agent.id).finish_non_exhaustive()
    }
}

impl Actor for AgentActor {
    type Msg = AgentMessage;
    type State = Desk;
    type Arguments = AgentArgs;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: AgentArgs) -> Result<Desk, ActorProcessingErr> {
        let mut desk = Desk {
            found: args.agent.notices.keys().cloned().collect(),
            agent: args.agent,
            line: args.line,
            journal: args.journal,
            dispatcher: args.dispatcher,
            supervisor: args.supervisor,
            bell: args.bell,
            settings: args.settings,
            tally: args.tally,
            started_at: args.clock.now(),
            clock: args.clock,
            gauge: args.gauge,
            hub: args.hub,
            presence: Presence::default(),
            connections: Vec::new(),
            worker: None,
            waiter: None,
            under_way: BTreeMap::new(),
            held: BTreeMap::new(),
            reoffering: BTreeSet::new(),
            shown: BTreeMap::new(),
            progress: BTreeMap::new(),
            quiet_since: args.clock.now(),
            delivered: BTreeSet::new(),
            stale: false,
            reminded: false,
            draining: false,
            refusals: Refusals::default(),
            told: None,
            profile: None,
            lifecycle: None,
        };
        desk.show_news();
        desk.dispatcher.tell(DispatcherMessage::AgentBuilt { id: desk.agent.id.clone(), agent: desk.line.clone() });
        desk.settle().await;
        Ok(desk)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: AgentMessage,
        desk: &mut Desk,
    ) -> Result<(), ActorProcessingErr> {
        desk.gauge.took();
        match message {
            // What writes is boxed: an agent that rests has no room to keep for it.
            AgentMessage::Register { request, reply } => Box::pin(desk.register(*request, reply)).await,
            AgentMessage::Called { instance, reply } => desk.called(instance, reply).await,
            AgentMessage::Collect { call, answers, reply } => Box::pin(desk.collect(call, answers, reply)).await,
            AgentMessage::Wait { request, reply } => desk.park(request, reply),
            AgentMessage::HangUp { id } => desk.hang_up(id),
            AgentMessage::Undelivered { call, carried } => desk.undelivered(call, carried),
            AgentMessage::Deliver { task, offered } => desk.deliver(task, offered),
            AgentMessage::Holds { task, held } => desk.holds(task, held),
            AgentMessage::Noticed { notice } => desk.noticed(notice),
            AgentMessage::Progressed { task, notice } => desk.progressed(task, notice),
            AgentMessage::Left { call } => desk.left(call),
            AgentMessage::LookAgain => desk.stale = true,
            AgentMessage::Post { request, reply } => Box::pin(desk.post(*request, reply)).await,
            AgentMessage::Evict { request, reply } => Box::pin(desk.evict(*request, reply)).await,
            AgentMessage::ToType { reply } => {
                let _ = reply.send(desk.to_type());
            }
            AgentMessage::OrderTyping { order, reply } => {
                let _ = reply.send(Box::pin(desk.order_typing(*order)).await);
            }
            AgentMessage::EndTyping { order, done } => Box::pin(desk.end_typing(*order, done)).await,
            AgentMessage::Show { reply } => desk.show(reply),
            AgentMessage::Present { instance, connection } => desk.is_present(instance, connection),
            AgentMessage::ClientGone(gone) => desk.client_gone(&gone),
            AgentMessage::Announce => desk.told = None,
            AgentMessage::Drain => desk.draining = true,
            AgentMessage::Tick => desk.bell.rang(),
            AgentMessage::Portrait { reply } => {
                let _ = reply.send(desk.portrait());
            }
        }
        desk.settle().await;
        Ok(())
    }
}

impl Desk {
    /// Leaves the desk tidy, whatever happened: the waiter answered if there is something for it, dropped if it hung
    /// up; the dispatcher told; the alarm set.
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
        self.bell.set(self.next_deadline(now));
    }

    /// When the wait ends; or when silence becomes absence, which only changes what others see.
    fn next_deadline(&self, now: Timestamp) -> Option<Deadline> {
        if let Some(waiter) = &self.waiter {
            let end = Deadline { at: waiter.request.until, reason: "the wait ends with nothing" };
            let typed = self.agent.held_until(now).map(|at| Deadline { at, reason: "nobody says what came of typing" });
            return typed.into_iter().chain([end]).min_by_key(|deadline| deadline.at);
        }
        let offline_at = self.presence.offline_at(self.settings.borrow().hub.leases.offline_after)?;
        // Each call moves this moment. The alarm is not told of each: it may ring too early, and is set anew then.
        let armed = self.bell.armed();
        let armed = armed.filter(|armed| armed.reason == OFFLINE && now < armed.at && armed.at < offline_at);
        armed.or_else(|| (offline_at > now).then_some(Deadline { at: offline_at, reason: OFFLINE }))
    }

    fn show(&self, reply: RpcReplyPort<AgentStanding>) {
        let departed = self.presence.departed(self.clock.now());
        let (agent, held, view) = (self.agent.clone(), self.held_list(), self.view());
        let _ = reply.send(AgentStanding { agent, held, view, departed });
    }
}
