//! The hub is built: from the store up, leaves last.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ractor::ActorRef;
use tokio::sync::{oneshot, watch};

use super::child::{ChildKind, ChildSlot, Spawned};
use super::handle::SupervisorRef;
use super::kinds::{AlarmKind, DispatcherKind, LearnerKind, OutboxKind, SchedulesKind, TerminalKind, TicketsKind};
use super::lasting::FollowerKind;
use super::message::SupervisorMessage;
use super::state::State;
use crate::actors::alarm::AlarmRef;
use crate::actors::common::{ActorHandle, ActorResult, Counters, Result, Socket, line};
use crate::actors::dispatcher::DispatcherRef;
use crate::actors::follower::Consumer;
use crate::actors::forge::Forge;
use crate::actors::journal::{JournalArgs, JournalMessage, JournalReads, Sink};
use crate::actors::learner::LearnerRef;
use crate::actors::noticeboard::{NoticeboardActor, NoticeboardArgs};
use crate::actors::on_call::OnCall;
use crate::actors::outbox::{Destinations, DestinationsOutlet, OutboxRef};
use crate::actors::schedules::{Follows, SchedulesRef};
use crate::actors::task::TaskBirth;
use crate::actors::terminal::Shelf;
use crate::actors::tickets::TicketsRef;
use crate::actors::workflow::OpenSteps;
use crate::actors::{HubLines, HubRef, Spawner};
use crate::audit::Audit;
use crate::broken::{self, Break};
use crate::clock::Clock;
use crate::domain::agent::Agent;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::domain::session::{Lifecycle, Session};
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::journal::search::SearchIndex;
use crate::journal::{HubRecord, Kept, Record, Seq, Store};
use crate::settings::Settings;

pub struct SupervisorArgs {
    /// The one writer.
    pub store: Box<dyn Store>,
    pub reads: JournalReads,
    /// The search index to keep up, where there is one.
    pub search: Option<SearchIndex>,
    pub destinations: Destinations,
    pub forge: Forge,
    pub shelf: Shelf,
    pub settings: watch::Receiver<Arc<Settings>>,
    /// True once the hub is going down.
    pub draining: watch::Receiver<bool>,
    pub counters: Counters,
    pub clock: Clock,
    pub ids: Ids,
    pub line: (Socket<SupervisorMessage>, ActorHandle<SupervisorMessage>),
    pub ready: oneshot::Sender<HubRef>,
    /// Who ends the hub when it cannot go on.
    pub fatal: watch::Sender<Option<String>>,
}

impl fmt::Debug for SupervisorArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SupervisorArgs")
    }
}

/// The state that is read from the store at the start.
struct StoredState {
    agents: Vec<Agent>,
    sessions: Vec<Session>,
    tasks: Vec<TaskBirth>,
    last: Option<Timestamp>,
}

/// Builds everybody, and hands the hub to who waits for it.
#[expect(clippy::too_many_lines, reason = "a line for each who is built")]
pub(super) async fn everybody(myself: &ActorRef<SupervisorMessage>, args: SupervisorArgs) -> ActorResult<State> {
    let (socket, own) = args.line;
    socket.connect(myself.clone());
    let limits = args.settings.borrow().hub.limits.clone();
    let known = read(&args.reads).await?;
    let supervisor = SupervisorRef::new(own);
    let board = NoticeboardArgs { reads: args.reads.clone(), event_buffer: limits.event_buffer };
    let noticeboard = NoticeboardActor::start(board, Some(myself.get_cell())).await?;
    let outbox = line(OutboxKind::NAME, limits.mailbox, &args.counters);
    let outbox_ref = OutboxRef::new(outbox.1.clone());
    let outlet = DestinationsOutlet { destinations: args.destinations.clone(), outbox: outbox_ref.clone() };
    let journal = JournalArgs {
        store: args.store,
        reads: args.reads,
        batch: args.settings.borrow().hub.journal.batch,
        mailbox: limits.mailbox,
        sink: also_told_of_the_end_of_an_outage(noticeboard.sink(), supervisor.clone()),
        search: args.search,
        outlet: Some(Box::new(outlet)),
    };
    let journal = journal.start(Some(myself.get_cell())).await?;
    let alarm = line(AlarmKind::NAME, limits.mailbox, &args.counters);
    let learner = line(LearnerKind::NAME, limits.mailbox, &args.counters);
    let tickets = line(TicketsKind::NAME, limits.mailbox, &args.counters);
    let schedules = line(SchedulesKind::NAME, limits.mailbox, &args.counters);
    let dispatcher = line(DispatcherKind::NAME, limits.mailbox, &args.counters);

    let hub = HubRef::from(HubLines {
        dispatcher: DispatcherRef::new(dispatcher.1.clone(), journal.reads().clone()),
        journal,
        noticeboard,
        alarm: AlarmRef::new(alarm.1.clone()),
        supervisor,
        settings: args.settings,
        draining: args.draining,
        clock: args.clock.not_before(known.last.unwrap_or_default()),
        ids: args.ids,
        calls: Arc::new(AtomicU64::new(0)),
        counters: args.counters,
        shelf: args.shelf,
        learner: LearnerRef::new(learner.1.clone()),
        audit: Audit::default(),
        credentials: args.destinations.credentials(),
        ownership: args.destinations.ownership().clone(),
        tickets: TicketsRef::new(tickets.1.clone()),
        schedules: SchedulesRef::new(schedules.1.clone()),
        outbox: outbox_ref,
        destinations: args.destinations.clone(),
        forge: args.forge,
        open_steps: OpenSteps::default(),
        on_call: OnCall::default(),
    });
    let mut state = State {
        mailbox_metrics: socket.mailbox_metrics(),
        started_at: hub.clock.now(),
        hub: hub.clone(),
        spawner: spawner(myself, &hub)?,
        fatal: args.fatal,
        children: BTreeMap::new(),
        names: BTreeMap::new(),
        early: BTreeMap::new(),
        ending: false,
    };
    state.take(myself, ChildSlot::new(AlarmKind, alarm)).await?;
    tell_journal_of_time(&hub)?;
    state.take(myself, ChildSlot::new(LearnerKind, learner)).await?;
    state.take(myself, ChildSlot::new(TicketsKind, tickets)).await?;
    state.take(myself, ChildSlot::new(OutboxKind(args.destinations), outbox)).await?;
    state.take(myself, ChildSlot::new(DispatcherKind, dispatcher)).await?;
    state.resume(myself, known, ChildSlot::new(SchedulesKind, schedules)).await?;
    // Nobody minds when whoever asked for a hub went away meanwhile: it is dropped with its supervisor.
    let _ = args.ready.send(hub);
    Ok(state)
}

/// The journal is older than the alarm, and tries again by it after an outage.
fn tell_journal_of_time(hub: &HubRef) -> ActorResult {
    let timing = JournalMessage::Timing { alarm: hub.alarm.clone(), clock: hub.clock.clone() };
    Ok(hub.journal.actor().send_message(timing)?)
}

/// Who builds whoever comes later.
fn spawner(myself: &ActorRef<SupervisorMessage>, hub: &HubRef) -> ActorResult<Spawner> {
    Ok(Spawner {
        shelf: hub.shelf.clone(),
        cell: myself.get_cell(),
        supervisor: hub.supervisor.clone(),
        journal: hub.journal.clone(),
        noticeboard: hub.noticeboard.clone(),
        alarm: hub.alarm.clone(),
        dispatcher: hub.dispatcher.clone(),
        settings: hub.settings.clone(),
        credentials: hub.credentials.clone(),
        open_steps: hub.open_steps.clone(),
        on_call: hub.on_call.clone(),
        counters: hub.counters.clone(),
        clock: hub.clock.clone(),
        ids: hub.ids.clone(),
        hub: By { principal: PrincipalId::parse("hub")?, surface: Surface::Hub },
    })
}

impl State {
    /// Terminals that go on where the hub before ended.
    async fn resume_terminals(&mut self, myself: &ActorRef<SupervisorMessage>) -> ActorResult {
        for kept in self.hub.shelf.to_resume().await? {
            let (spawned, _) = self.spawner.start(TerminalKind { spec: Box::new(kept.spec) }, ()).await?;
            self.spawned(myself, spawned);
        }
        Ok(())
    }

    /// What goes on where the hub before ended; last the schedules, which hear of the ends of tasks.
    async fn resume(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        known: StoredState,
        schedules: ChildSlot<SchedulesKind>,
    ) -> ActorResult {
        populate(self, known).await?;
        self.resume_terminals(myself).await?;
        self.resume_workflows(myself).await?;
        self.take(myself, schedules).await?;
        let schedules = self.hub.schedules.clone();
        let what = move || -> Box<dyn Consumer> { Box::new(Follows(schedules.clone())) };
        let follower = FollowerKind { name: "schedules", what: Box::new(what) };
        let spawned = started(self.spawner.clone(), follower).await?;
        self.spawned(myself, spawned);
        Ok(())
    }

    /// Builds the one actor of a kind, whose line others hold already.
    async fn take<K: ChildKind<Birth = ()>>(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        slot: ChildSlot<K>,
    ) -> ActorResult {
        let cell = slot.start(&self.spawner, ()).await?;
        self.spawned(myself, Spawned::new(slot, cell));
        Ok(())
    }
}

/// Builds an actor. Generic and boxed, as the compiler does not see that a future over a kind with a `dyn` is `Send`.
fn started<K: ChildKind<Birth = ()>>(spawner: Spawner, kind: K) -> BoxFuture<'static, Result<Spawned>> {
    async move { Ok(spawner.start(kind, ()).await?.0) }.boxed()
}

/// The noticeboard's sink, by which the supervisor hears, too, that the journal writes again.
fn also_told_of_the_end_of_an_outage(board: Sink, supervisor: SupervisorRef) -> Sink {
    Box::new(move |kept| {
        let mended = |kept: &Kept| matches!(kept.record, Record::Hub(HubRecord::JournalMended { .. }));
        if kept.iter().any(mended) {
            supervisor.tell(SupervisorMessage::JournalMended);
        }
        board(kept);
    })
}

async fn read(reads: &JournalReads) -> ActorResult<StoredState> {
    let known = reads.read(|reader| {
        let before = Seq(reader.position()?.0.saturating_sub(1));
        let last = reader.records(before, 1)?.last().map(|kept| kept.at);
        let tasks =
            reader.open_tasks()?.into_iter().map(|task| TaskBirth::of(reader, task)).collect::<Result<_, _>>()?;
        Ok(StoredState { agents: reader.agents()?, sessions: reader.sessions()?, tasks, last })
    });
    Ok(known.await?)
}

/// Everybody whom the store knows; then the dispatcher hears from each.
async fn populate(state: &State, known: StoredState) -> ActorResult {
    let (mut agents, mut tasks) = (Vec::new(), Vec::new());
    for agent in known.agents {
        let id = agent.id.clone();
        let agent = if broken::by(Break::ForgetsWhoRegistered) { Agent::unknown(id.clone()) } else { agent };
        agents.push((id, state.spawner.agent(agent).await?));
    }
    for birth in known.tasks {
        let leased = matches!(&birth, TaskBirth::Stored(task, _) if task.lease().is_some());
        if leased && broken::by(Break::ForgetsLeases) {
            continue;
        }
        tasks.push((birth.id().clone(), state.spawner.task(birth).await?));
    }
    state.hub.dispatcher.tell(crate::actors::dispatcher::DispatcherMessage::Adopt { agents, tasks });
    // Last: a question that is due at once needs its task, and asks the dispatcher for it.
    for session in known.sessions {
        state.spawner.session(session, Lifecycle::Stopped).await?;
    }
    Ok(())
}
