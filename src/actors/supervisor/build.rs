//! The hub is built: from the store up, leaves last.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ractor::{ActorProcessingErr, ActorRef};

use super::actor::{Desk, SupervisorArgs};
use super::handle::SupervisorRef;
use super::message::SupervisorMessage;
use super::post::{Child, Post};
use super::rebuild::{dispatcher_args, learner_args, spawn, tickets_args};
use crate::actors::alarm::{AlarmActor, AlarmArgs, AlarmMessage, AlarmRef};
use crate::actors::common::{Line, Restarts, Socket, line};
use crate::actors::dispatcher::{DispatcherActor, DispatcherMessage, DispatcherRef};
use crate::actors::journal::{JournalActor, JournalArgs, JournalMessage, JournalReads, Sink};
use crate::actors::learner::{LearnerActor, LearnerMessage, LearnerRef};
use crate::actors::noticeboard::{NoticeboardActor, NoticeboardArgs};
use crate::actors::tickets::{TicketsActor, TicketsMessage, TicketsRef};
use crate::actors::{HubLines, HubRef, Spawner};
use crate::audit::Audit;
use crate::broken::{self, Break};
use crate::domain::agent::Agent;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::domain::session::{Lifecycle, Session};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::journal::{HubRecord, Kept, Record, Seq};

/// What the store knows at the start.
struct Known {
    agents: Vec<Agent>,
    sessions: Vec<Session>,
    tasks: Vec<Task>,
    /// When the last record was written.
    last: Option<Timestamp>,
}

/// Builds everybody, and hands the hub to who waits for it.
pub(super) async fn everybody(
    myself: &ActorRef<SupervisorMessage>,
    args: SupervisorArgs,
) -> Result<Desk, ActorProcessingErr> {
    let (socket, own) = args.line;
    socket.connect(myself.clone());
    let limits = args.settings.borrow().hub.limits.clone();
    let batch = args.settings.borrow().hub.journal.batch;
    let known = read(&args.reads).await?;

    let board = NoticeboardArgs { reads: args.reads.clone(), event_buffer: limits.event_buffer };
    let noticeboard = NoticeboardActor::start(board, Some(myself.get_cell())).await?;
    let journal = JournalArgs {
        store: args.store,
        reads: args.reads,
        batch,
        mailbox: limits.mailbox,
        sink: also_told_of_the_end_of_an_outage(noticeboard.sink(), SupervisorRef::new(own.clone())),
        search: args.search,
    };
    let journal = JournalActor::start(journal, Some(myself.get_cell())).await?;
    let (alarm_socket, alarm_line) = line("alarm", limits.mailbox, &args.tally);
    let (learner_socket, learner_line) = line("learner", limits.mailbox, &args.tally);
    let (tickets_socket, tickets_line) = line("tickets", limits.mailbox, &args.tally);
    let (dispatcher_socket, dispatcher_line) = line("dispatcher", limits.mailbox, &args.tally);

    let hub = HubRef::from(HubLines {
        dispatcher: DispatcherRef::new(dispatcher_line.clone()),
        journal,
        noticeboard,
        alarm: AlarmRef::new(alarm_line.clone()),
        supervisor: SupervisorRef::new(own),
        settings: args.settings,
        draining: args.draining,
        clock: args.clock.not_before(known.last.unwrap_or_default()),
        ids: args.ids,
        calls: Arc::new(AtomicU64::new(0)),
        tally: args.tally,
        shelf: args.shelf,
        learner: LearnerRef::new(learner_line.clone()),
        audit: Audit::default(),
        tickets: TicketsRef::new(tickets_line.clone()),
    });
    let spawner = spawner(myself, &hub)?;
    let mut desk = Desk {
        gauge: socket.gauge(),
        started_at: hub.clock.now(),
        hub: hub.clone(),
        spawner,
        fatal: args.fatal,
        children: BTreeMap::new(),
        names: BTreeMap::new(),
        early: BTreeMap::new(),
        ending: false,
    };
    desk.take_alarm(myself, alarm_socket, alarm_line).await?;
    let timing = JournalMessage::Timing { alarm: hub.alarm.clone(), clock: hub.clock };
    hub.journal.actor().send_message(timing)?;
    desk.take_learner(myself, learner_socket, learner_line).await?;
    desk.take_tickets(myself, tickets_socket, tickets_line).await?;
    desk.take_dispatcher(myself, dispatcher_socket, dispatcher_line).await?;
    populate(&desk, known).await?;
    desk.resume_terminals(myself).await?;
    // Nobody minds when whoever asked for a hub went away meanwhile: it is dropped with its supervisor.
    let _ = args.ready.send(hub);
    Ok(desk)
}

/// Who builds whoever comes later.
fn spawner(myself: &ActorRef<SupervisorMessage>, hub: &HubRef) -> Result<Spawner, ActorProcessingErr> {
    Ok(Spawner {
        shelf: hub.shelf.clone(),
        cell: myself.get_cell(),
        supervisor: hub.supervisor.clone(),
        journal: hub.journal.clone(),
        alarm: hub.alarm.clone(),
        dispatcher: hub.dispatcher.clone(),
        settings: hub.settings.clone(),
        tally: hub.tally.clone(),
        clock: hub.clock,
        ids: hub.ids.clone(),
        hub: By { principal: PrincipalId::parse("hub")?, surface: Surface::Hub },
    })
}

impl Desk {
    async fn take_alarm(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        socket: Socket<AlarmMessage>,
        line: Line<AlarmMessage>,
    ) -> Result<(), ActorProcessingErr> {
        let args = AlarmArgs { clock: self.hub.clock, gauge: socket.gauge() };
        let alarm = spawn(myself, AlarmActor, args).await?;
        socket.connect(alarm.clone());
        self.take(Post::Alarm { socket, line }, "alarm", alarm.get_cell());
        Ok(())
    }

    async fn take_learner(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        socket: Socket<LearnerMessage>,
        line: Line<LearnerMessage>,
    ) -> Result<(), ActorProcessingErr> {
        let learner = spawn(myself, LearnerActor, learner_args(self, socket.gauge())).await?;
        socket.connect(learner.clone());
        self.take(Post::Learner { socket, line }, "learner", learner.get_cell());
        Ok(())
    }

    async fn take_tickets(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        socket: Socket<TicketsMessage>,
        line: Line<TicketsMessage>,
    ) -> Result<(), ActorProcessingErr> {
        let tickets = spawn(myself, TicketsActor, tickets_args(self, &line, socket.gauge())).await?;
        socket.connect(tickets.clone());
        self.take(Post::Tickets { socket, line }, "tickets", tickets.get_cell());
        Ok(())
    }

    async fn take_dispatcher(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        socket: Socket<DispatcherMessage>,
        line: Line<DispatcherMessage>,
    ) -> Result<(), ActorProcessingErr> {
        let with = dispatcher_args(self, &line, socket.gauge());
        let dispatcher = spawn(myself, DispatcherActor, with).await?;
        socket.connect(dispatcher.clone());
        self.take(Post::Dispatcher { socket, line }, "dispatcher", dispatcher.get_cell());
        Ok(())
    }

    /// Terminals that go on where the hub before ended.
    async fn resume_terminals(&mut self, myself: &ActorRef<SupervisorMessage>) -> Result<(), ActorProcessingErr> {
        for kept in self.hub.shelf.to_resume().await? {
            let (hired, _) = self.spawner.open_terminal(kept.spec).await?;
            self.hired(myself, hired);
        }
        Ok(())
    }

    fn take(&mut self, post: Post, name: &str, cell: ractor::ActorCell) {
        self.names.insert(cell.get_id(), name.to_owned());
        let child = Child { post, cell, restarts: Restarts::default(), vacant: false, by_hand: false };
        self.children.insert(name.to_owned(), child);
    }
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

async fn read(reads: &JournalReads) -> Result<Known, ActorProcessingErr> {
    let known = reads.read(|reader| {
        let before = Seq(reader.position()?.0.saturating_sub(1));
        let last = reader.records(before, 1)?.last().map(|kept| kept.at);
        Ok(Known { agents: reader.agents()?, sessions: reader.sessions()?, tasks: reader.open_tasks()?, last })
    });
    Ok(known.await?)
}

/// Everybody whom the store knows; then the dispatcher hears from each.
async fn populate(desk: &Desk, known: Known) -> Result<(), ActorProcessingErr> {
    let (mut agents, mut tasks) = (Vec::new(), Vec::new());
    for agent in known.agents {
        let id = agent.id.clone();
        let agent = if broken::by(Break::ForgetsWhoRegistered) { Agent::unknown(id.clone()) } else { agent };
        agents.push((id, desk.spawner.agent(agent).await?));
    }
    for task in known.tasks {
        if task.lease().is_some() && broken::by(Break::ForgetsLeases) {
            continue;
        }
        let id = task.spec.id.clone();
        tasks.push((id, desk.spawner.known_task(task).await?));
    }
    desk.hub.dispatcher.tell(crate::actors::dispatcher::DispatcherMessage::Adopt { agents, tasks });
    // Last: a question that is due at once needs its task, and asks the dispatcher for it.
    for session in known.sessions {
        desk.spawner.session(session, Lifecycle::Stopped).await?;
    }
    Ok(())
}
