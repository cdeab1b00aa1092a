//! The connection of one host: what it says, in its order, and what its slots are handed.
//!
//! Whoever owns the connection alternates between [`HostConnection::hears`], with each message of the host, and
//! [`HostConnection::wakes`] with [`HostConnection::acts`], which say what the host is to be told. `wakes` may be
//! dropped at any moment.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable, BoxFuture, ready};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use super::register::{HostOrder, Register};
use crate::actors::HubRef;
use crate::actors::agent::{AgentError, AgentRef, AnswerGuard, Awaited, CallId, ClientGone, WaitEnd, WaitRequest};
use crate::actors::common::Fault;
use crate::domain::agent::DepartureKind;
use crate::domain::ids::{AgentId, RoleId, RunId, SessionId};
use crate::domain::on_call::{FromHost, Hello, Numbered, RunToken, SlotState, ToHost};
use crate::domain::principal::By;
use crate::domain::task::{Budget, StopReason};
use crate::domain::time::Timestamp;
use crate::settings::Settings;

/// A slot has no end of its wait: a span that no machine lives through.
const NO_END: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How long a slot rests whose agent cannot wait just now.
const BREATH: Duration = Duration::from_secs(1);

/// The same where its agent asks something, and so cannot ask about the day.
const ASKS_ELSE: Duration = Duration::from_secs(60);

/// So shortly before midnight nobody is asked about the day.
const SOON_OVER: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
pub struct HostCaller {
    pub by: By,
    pub role: RoleId,
    pub request: String,
}

type SystemPrompt = dyn Fn(&RoleId, &AgentId) -> String + Send + Sync;

/// What the door of a host knows that no actor does.
pub struct HostMeans {
    pub token: Box<dyn Fn(&RunId) -> RunToken + Send + Sync>,
    pub system: Box<SystemPrompt>,
    pub mcp: String,
}

pub struct HostConnection {
    pub(super) hub: HubRef,
    pub(super) caller: HostCaller,
    pub(super) hello: Hello,
    pub(super) means: HostMeans,
    pub(super) role: RoleId,
    number: u64,
    /// The host said that it ends.
    ends: bool,
    orders: mpsc::Receiver<HostOrder>,
    limits: watch::Receiver<Register>,
    settings: watch::Receiver<Arc<Settings>>,
    pub(super) slots: BTreeMap<AgentId, Slot>,
    waits: FuturesUnordered<Wait>,
    pub(super) missing: BTreeMap<RunId, Instant>,
}

type Waited = Result<(WaitEnd, AnswerGuard), AgentError>;
type Wait = BoxFuture<'static, Option<(AgentId, CallId, Waited)>>;

pub(super) struct Slot {
    own: SlotAgent,
    /// Who has its task, where that is an agent of this task alone.
    pub(super) fresh: Option<SlotAgent>,
    parked: Option<(Awaited, Option<(CallId, AbortHandle)>)>,
    /// When it waits again, where it cannot just now.
    pub(super) rests_until: Option<Instant>,
    /// What was handed to its host, and is lost with the connection until the run calls a tool.
    pub(super) handed: Option<AnswerGuard>,
    pub(super) run: Option<RunId>,
}

pub(super) struct SlotAgent {
    pub(super) id: AgentId,
    pub(super) line: AgentRef,
    pub(super) session: SessionId,
}

#[derive(Debug)]
pub struct HostWake(Woken);

#[derive(Debug)]
enum Woken {
    Order(HostOrder),
    Waited(AgentId, CallId, Box<Waited>),
    Due,
    /// A limit or a budget.
    Moved,
    Replaced,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectionLost {
    /// The same host has a newer connection, or does not read its orders.
    #[error("a newer connection of this host has taken the place of this one")]
    Replaced,
    /// The journal or an actor failed: nothing was kept, and the host says it again when it is back.
    #[error("what the host said could not be kept: {0}")]
    Fault(#[from] Fault),
}

impl fmt::Debug for HostMeans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostMeans").field("mcp", &self.mcp).finish_non_exhaustive()
    }
}

impl fmt::Debug for HostConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostConnection").field("host", &self.hello.host).finish_non_exhaustive()
    }
}

impl Slot {
    pub(super) const fn new(own: SlotAgent) -> Self {
        Self { own, fresh: None, parked: None, rests_until: None, handed: None, run: None }
    }

    pub(super) fn agent(&self) -> &SlotAgent {
        self.fresh.as_ref().unwrap_or(&self.own)
    }

    /// The offer that was passed on went elsewhere, or is on its way.
    const fn is_stranded(&self) -> bool {
        self.fresh.is_some() && self.run.is_none()
    }

    fn unparks(&mut self) -> Option<Awaited> {
        let (awaits, wait) = self.parked.take()?;
        if let Some((_, wait)) = wait {
            wait.abort();
        }
        self.rests_until = None;
        Some(awaits)
    }
}

impl HostConnection {
    pub(super) fn new(
        hub: HubRef,
        caller: HostCaller,
        hello: Hello,
        means: HostMeans,
        role: RoleId,
        (number, orders): (u64, mpsc::Receiver<HostOrder>),
    ) -> Self {
        let (limits, mut settings) = (hub.on_call.subscribe(), hub.settings.clone());
        settings.mark_unchanged();
        Self {
            hub,
            caller,
            hello,
            means,
            role,
            number,
            ends: false,
            orders,
            limits,
            settings,
            slots: BTreeMap::new(),
            waits: FuturesUnordered::new(),
            missing: BTreeMap::new(),
        }
    }

    pub async fn wakes(&mut self) -> HostWake {
        let rests = self.slots.values().filter_map(|slot| slot.rests_until);
        let due = rests.chain(self.missing.values().copied()).min();
        let at = due.unwrap_or_else(Instant::now);
        HostWake(tokio::select! {
            biased;
            order = self.orders.recv() => order.map_or(Woken::Replaced, Woken::Order),
            Some(waited) = self.waits.next(), if !self.waits.is_empty() => match waited {
                Some((agent, call, waited)) => Woken::Waited(agent, call, Box::new(waited)),
                None => Woken::Due,
            },
            Ok(()) = self.limits.changed() => Woken::Moved,
            Ok(()) = self.settings.changed() => Woken::Moved,
            () = sleep_until(at), if due.is_some() => Woken::Due,
        })
    }

    /// Does it, and says what the host is to be told. Fails when the connection ends by it.
    pub async fn acts(&mut self, wake: HostWake) -> Result<Vec<ToHost>, ConnectionLost> {
        match wake.0 {
            Woken::Replaced => Err(ConnectionLost::Replaced),
            Woken::Order(order) => Ok(self.is_told(order)),
            Woken::Moved => {
                let rests = self.slots.values_mut().filter(|slot| matches!(slot.parked, Some((_, None))));
                rests.for_each(|slot| slot.rests_until = None);
                self.looks_again().await?;
                Ok(Vec::new())
            }
            Woken::Due => {
                self.looks_again().await?;
                Ok(Vec::new())
            }
            Woken::Waited(agent, call, waited) => self.waited(agent, call, *waited).await,
        }
    }

    /// What the host says, once it is on disk. Fails when it could not be kept: the host repeats it when it is back.
    pub async fn hears(&mut self, said: Numbered) -> Result<ToHost, ConnectionLost> {
        let Numbered { number, message } = said;
        let ended = if let FromHost::Ended(ended) = &message { Some(ended.run.clone()) } else { None };
        if !self.hub.on_call.was_kept(&self.hello.host, number) {
            self.heeds(message).await?;
            self.hub.on_call.keeps(&self.hello.host, number);
        }
        let waits = match ended {
            Some(run) => self.settles(&run).await?,
            None => false,
        };
        Ok(ToHost::Kept { number, waits })
    }

    async fn heeds(&mut self, message: FromHost) -> Result<(), ConnectionLost> {
        match message {
            FromHost::Hello(_) => {}
            FromHost::Parked { slot } => self.is_free(&slot),
            FromHost::Paused { slot, pause, reason } => {
                let until = self.hub.clock.now() + pause;
                if let Some(known) = self.slots.get_mut(&slot) {
                    drop((known.unparks(), known.handed.take()));
                    self.empties(&slot);
                    tracing::info!(
                        "slot `{slot}` pauses until {until}: its runs end without a call ({})",
                        reason.as_str()
                    );
                    self.shows(&slot, SlotState::Paused { until, reason });
                }
            }
            FromHost::Started { run, pid } => {
                tracing::debug!("run `{run}` has process {pid}");
                self.missing.remove(&run);
            }
            FromHost::Conversation { run, id } => self.has_conversation(&run, id).await?,
            FromHost::Active { run } => self.lives(&run).await?,
            FromHost::Ended(ended) => self.has_ended(ended).await?,
            FromHost::Bye {} => {
                self.ends = true;
                for slot in self.slots.values_mut() {
                    drop(slot.unparks());
                }
            }
        }
        Ok(())
    }

    fn is_free(&mut self, agent: &AgentId) {
        let Some(slot) = self.slots.get_mut(agent) else { return };
        // Whatever was handed out and not taken up goes back.
        slot.handed = None;
        self.empties(agent);
        self.shows(agent, SlotState::Free);
        self.parks(agent, Awaited::Work);
    }

    /// The slot has no run any more, and an agent of its task alone is gone.
    pub(super) fn empties(&mut self, slot: &AgentId) {
        let Some(slot) = self.slots.get_mut(slot) else { return };
        slot.run = None;
        if let Some(fresh) = slot.fresh.take() {
            drop(slot.unparks());
            self.leaves(&fresh, DepartureKind::Ended);
        }
    }

    fn leaves(&self, agent: &SlotAgent, how: DepartureKind) {
        agent.line.client_gone(ClientGone { instance: Some(self.hello.host.clone()), connection: None, how });
    }

    fn is_told(&mut self, order: HostOrder) -> Vec<ToHost> {
        let holds = |slot: &Slot, run: &RunId| slot.run.as_ref() == Some(run);
        match order {
            HostOrder::Stop { run, why } => vec![ToHost::Stop { run, why }],
            HostOrder::Called { run } => {
                if let Some(slot) = self.slots.values_mut().find(|slot| holds(slot, &run))
                    && let Some(handed) = slot.handed.take()
                {
                    handed.leaves();
                }
                vec![ToHost::Called { run }]
            }
            // One without a process has nobody to say that it ended.
            HostOrder::Over { run } => {
                let waits = |slot: &Slot| matches!(slot.parked, Some((Awaited::Only(_) | Awaited::Back(_), _)));
                let found = self.slots.iter_mut().find(|(_, slot)| holds(slot, &run) && waits(slot));
                let Some((id, slot)) = found else { return Vec::new() };
                let id = id.clone();
                drop(slot.unparks());
                self.empties(&id);
                vec![ToHost::Stop { run, why: StopReason::LeaseLost }]
            }
        }
    }

    /// Slots that rested wait again, slots of an account at its limit do not, and what is missing for too long is lost.
    async fn looks_again(&mut self) -> Result<(), ConnectionLost> {
        let now = Instant::now();
        let is_over = |slot: &Slot| slot.rests_until.is_some_and(|until| until <= now);
        let stranded = self.slots.iter().filter(|(_, slot)| slot.is_stranded() && is_over(slot));
        for slot in stranded.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.is_free(&slot);
        }
        let parked: Vec<(AgentId, Awaited)> = self
            .slots
            .iter()
            .filter(|(_, slot)| slot.rests_until.is_none_or(|until| until <= now))
            .filter_map(|(agent, slot)| Some((agent.clone(), slot.parked.as_ref()?)))
            .filter(|(_, (awaits, wait))| wait.is_none() || *awaits == Awaited::Work)
            .map(|(agent, (awaits, _))| (agent, awaits.clone()))
            .collect();
        for (agent, awaits) in parked {
            self.parks(&agent, awaits);
        }
        let lost: Vec<RunId> = self.missing.extract_if(.., |_, until| *until <= now).map(|(run, _)| run).collect();
        for id in lost {
            if let Some((_, run)) = self.run_of(&id).await?.filter(|(_, run)| run.has_process()) {
                tracing::info!("run `{id}` ends: its host came back without its process");
                self.is_lost(&run).await?;
            }
        }
        Ok(())
    }

    pub(super) fn budget(&self) -> Budget {
        self.hub.settings().roles.roles.get(&self.role).map(|role| role.budget).unwrap_or_default()
    }

    /// Until when nothing is taken: the account is at its limit, or the budget of the day is used up. While people are
    /// to be asked about that, the next task is taken, and asks them.
    pub(super) fn closed_until(&self, now: Timestamp) -> Option<Timestamp> {
        let limited = self.hub.on_call.limited_until(&self.hello, now);
        let used_up = self.hub.on_call.used_up(&self.role, &self.budget(), now);
        limited.max(used_up.filter(|_| !self.has_to_ask(now)))
    }

    /// Whether the day is used up, and people are to be asked whether the role goes on all the same.
    pub(super) fn has_to_ask(&self, now: Timestamp) -> bool {
        let used_up = self.hub.on_call.used_up(&self.role, &self.budget(), now);
        let asked = self.hub.on_call.asked_of_day(&self.role, now).is_some();
        used_up.is_some_and(|until| !asked && until.since(now) >= SOON_OVER)
    }

    /// Waits as this agent, unless no run may start: then it does when that is over.
    pub(super) fn parks(&mut self, agent: &AgentId, awaits: Awaited) {
        let now = self.hub.clock.now();
        let closed = self.closed_until(now);
        let Some(slot) = self.slots.get_mut(agent) else { return };
        let goes_on = slot.parked.as_ref().is_some_and(|(known, wait)| *known == awaits && wait.is_some());
        // An answer resumes a conversation also at the limit: the client says when it meets it again.
        if let Some(until) = closed.filter(|_| awaits == Awaited::Work) {
            drop(slot.unparks());
            slot.parked = Some((awaits, None));
            slot.rests_until = Some(self.hub.clock.instant(until));
            return;
        }
        if goes_on {
            return;
        }
        drop(slot.unparks());
        let (line, id) = (slot.agent().line.clone(), agent.clone());
        let request = WaitRequest {
            id: self.hub.next_call(),
            instance: Some(self.hello.host.clone()),
            until: self.hub.clock.moment(Instant::now() + NO_END),
            awaits: awaits.clone(),
            nudges: false,
        };
        let (handle, registration) = AbortHandle::new_pair();
        let call = request.id;
        let wait = Abortable::new(async move { (id, call, line.wait(request).await) }, registration);
        let mut wait = wait.map(Result::ok).boxed();
        // The agent knows of it before anything else is said to anybody.
        let ended = (&mut wait).now_or_never();
        self.waits.push(ended.map_or(wait, |ended| ready(ended).boxed()));
        slot.parked = Some((awaits, Some((call, handle))));
    }

    /// The wait of a slot ended.
    async fn waited(&mut self, agent: AgentId, call: CallId, waited: Waited) -> Result<Vec<ToHost>, ConnectionLost> {
        // One that was ended meanwhile gives back what it got.
        let own = |parked: &mut (Awaited, Option<(CallId, AbortHandle)>)| {
            parked.1.as_ref().is_some_and(|(own, _)| *own == call)
        };
        let Some(slot) = self.slots.get_mut(&agent) else { return Ok(Vec::new()) };
        let Some((awaits, _)) = slot.parked.take_if(own) else { return Ok(Vec::new()) };
        slot.rests_until = None;
        match waited {
            Ok((WaitEnd::Task(offered), _given_back)) if self.hello.fresh && awaits == Awaited::Work => {
                let passed = self.passes_on(&agent, &offered).await?;
                Ok(if passed { Vec::new() } else { self.rests(&agent, awaits) })
            }
            Ok((WaitEnd::Task(offered), guard)) => {
                let told = self.is_offered(&agent, &offered, guard).await?;
                Ok(told.map_or_else(|| self.rests(&agent, awaits), |told| vec![told]))
            }
            Ok((WaitEnd::Notices(notices), guard)) => {
                let told = self.is_answered(&agent, &notices, guard).await?;
                // Its task is queued for it: it goes on with that, and hears the rest by its first call.
                if let (None, Awaited::Only(task)) = (&told, &awaits) {
                    self.parks(&agent, Awaited::Back(task.clone()));
                    return Ok(Vec::new());
                }
                Ok(told.into_iter().collect())
            }
            Ok((WaitEnd::Idle, _)) => {
                self.parks(&agent, awaits);
                Ok(Vec::new())
            }
            // Its host hears of what it holds by the tasks. It waits again when the host is connected anew.
            Ok((WaitEnd::Evicted(_) | WaitEnd::Superseded, _)) => {
                tracing::info!(agent.id = %agent, "slot `{agent}` is on call no more: it was sent away, or taken over");
                self.shows(&agent, SlotState::Away);
                Ok(Vec::new())
            }
            Ok((WaitEnd::AtCapacity(_) | WaitEnd::Draining, _)) | Err(_) => Ok(self.rests(&agent, awaits)),
        }
    }

    /// The slot waits again in a moment; for any task, where it has no run.
    fn rests(&mut self, agent: &AgentId, awaits: Awaited) -> Vec<ToHost> {
        let is_stranded = self.slots.get(agent).is_some_and(Slot::is_stranded);
        let awaits = if is_stranded { Awaited::Work } else { awaits };
        if is_stranded {
            self.empties(agent);
        }
        let rest = if self.has_to_ask(self.hub.clock.now()) { ASKS_ELSE } else { BREATH };
        if let Some(slot) = self.slots.get_mut(agent) {
            slot.parked = Some((awaits, None));
            slot.rests_until = Some(Instant::now() + rest);
        }
        Vec::new()
    }

    pub(super) fn shows(&self, slot: &AgentId, state: SlotState) {
        let fresh = self.slots.get(slot).and_then(|slot| slot.fresh.as_ref()).map(|fresh| fresh.id.clone());
        self.hub.on_call.shows((&self.hello.prefix, self.number), slot, fresh, state);
    }
}

impl Drop for HostConnection {
    fn drop(&mut self) {
        if !self.hub.on_call.leaves(&self.hello.prefix, self.number) {
            return;
        }
        let how = if self.ends { DepartureKind::Ended } else { DepartureKind::Lost };
        for slot in self.slots.values() {
            self.leaves(&slot.own, how);
            slot.fresh.iter().for_each(|fresh| self.leaves(fresh, how));
        }
    }
}
