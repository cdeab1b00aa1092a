//! A host: its slots, the processes in them, and the hub, in one loop.
//!
//! ```text
//!   hub ◄── link ──► host ── Slot (pure) says what is to be done
//!                     │ ▲
//!              orders ▼ │ events
//!                   runner × n, one for each process
//! ```
//!
//! While the hub is away nothing is started, and what runs goes on: the hub ends it by its lease. What the hub has to
//! know is said again when it is back. A host that is to end takes nothing more, and has its processes end first.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::folder::{self, Book, Folders};
use super::link::{Home, LinkEvent};
use super::outbox::Outbox;
use super::runner::{self, Order, Plan, RunEvent, RunReports, Why};
use super::slot::{Due, GRACE, Slot, SlotAction, SlotEvent};
use super::spec::HostSpec;
use super::told::Printer;
use super::worktree::{InUse, Removal, Repository};
use crate::domain::ids::{AgentId, RunId};
use crate::domain::on_call::{Ended, FromHost, Hello, Numbered, Offer, Resume, ToHost, VERSION};
use crate::domain::task::{RunEnd, StopReason, Usage};
use crate::exit::Exit;
use crate::ids::Ids;
use crate::problem::Problem;

/// How often the hub is told that a run prints, at most.
const ACTIVE_EVERY: Duration = Duration::from_secs(60);
/// A client that prints only at its end is heard of by its calls alone: it may be silent so many times as long.
const QUIET: u32 = 2;
/// How long a host that ends waits for the hub to keep what it says, once its processes are gone.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How many events may wait for the host; a process that prints waits for it.
const EVENTS: usize = 64;

pub(super) struct Host {
    spec: Arc<HostSpec>,
    folders: Folders,
    hello: Hello,
    outbox: Outbox,
    seats: BTreeMap<AgentId, HeldSlot>,
    /// Where to say something; none while the hub is away.
    connected: Option<mpsc::UnboundedSender<String>>,
    /// Whether the hub has taken this host in this connection, and in any.
    is_welcome: bool,
    was_welcome: bool,
    silence: Duration,
    events: mpsc::Sender<(AgentId, RunId, RunEvent)>,
    /// Until when it has ended, where it is about to.
    ends_by: Option<Instant>,
    told: Printer,
    in_use: InUse,
    /// Conversations with which a client could not go on: it was killed before it had written them down.
    broken: BTreeSet<String>,
    /// What goes on beside its loop: processes, and worktrees that are put away.
    work: FuturesUnordered<Pin<Box<dyn Future<Output = ()>>>>,
}

struct HeldSlot {
    slot: Slot,
    /// What the hub asked for last, until it is started.
    asked: Option<Plan>,
    /// Which process of its run that is.
    wanted: u32,
    orders: Option<mpsc::Sender<Order>>,
    /// The conversation with which its process goes on.
    conversation: Option<String>,
    /// The run as it was offered, for as long as it is here.
    offer: Option<Offer>,
    /// How its last process ended.
    ended: Option<Ended>,
    active_at: Option<Instant>,
}

impl Host {
    /// Serves until `stop` says so. Fails when the hub does not take this host.
    pub(super) async fn run(
        spec: HostSpec,
        folders: Folders,
        home: Home,
        mut stop: watch::Receiver<bool>,
    ) -> Result<(), Problem> {
        let (events, mut happened) = mpsc::channel(EVENTS);
        let (link_events, mut link) = mpsc::channel(EVENTS);
        let hello = Hello {
            host: Ids::random().request(),
            protocol: VERSION,
            role: spec.role.clone(),
            client: spec.client.clone(),
            version: None,
            max: spec.max,
            prefix: spec.prefix.to_string(),
            fresh: spec.fresh,
            workspace: spec.workspace.display().to_string(),
            account: spec.account.clone(),
            runs: Vec::new(),
        };
        let told = Printer::new(&spec);
        let mut host = Self {
            spec: Arc::new(spec),
            folders,
            hello,
            outbox: Outbox::default(),
            seats: BTreeMap::new(),
            connected: None,
            is_welcome: false,
            was_welcome: false,
            silence: Duration::MAX,
            events,
            ends_by: None,
            told,
            in_use: InUse::default(),
            broken: BTreeSet::new(),
            work: FuturesUnordered::new(),
        };
        let mut keeper = pin!(home.keep(link_events));
        let done = loop {
            if host.is_over() {
                break Ok(());
            }
            let due = host.due();
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop), if host.ends_by.is_none() => host.ends(),
                Some(event) = link.recv() => if let Err(problem) = host.hears(event) {
                    break Err(problem);
                },
                // Each says by its events what it does, and has nothing more to say at its end.
                () = &mut keeper => break Ok(()),
                Some(()) = host.work.next() => {}
                Some((slot, run, event)) = happened.recv() => host.sees(&slot, &run, event),
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => host.ticks(),
            }
        };
        tokio::select! {
            () = host.says_bye(&mut link) => {}
            () = keeper => {}
        }
        done
    }

    fn is_over(&self) -> bool {
        let Some(by) = self.ends_by else { return false };
        let has_process = self.seats.values().any(|seat| seat.slot.has_process());
        let is_said = self.outbox.is_empty() || !self.is_welcome;
        (!has_process && is_said && self.work.is_empty()) || by <= Instant::now()
    }

    /// When something is due next.
    fn due(&self) -> Option<Instant> {
        self.seats.values().filter_map(|seat| seat.slot.deadline()).chain(self.ends_by).min()
    }

    /// Takes nothing more, and has all processes end.
    fn ends(&mut self) {
        let now = Instant::now();
        self.ends_by = Some(now + GRACE + LAST_WORDS * 2);
        self.told.ends(self.seats.values().filter(|seat| seat.slot.has_process()).count());
        for slot in self.slots() {
            let run = self.seats.get(&slot).filter(|seat| seat.slot.has_process()).and_then(|seat| seat.slot.run());
            if let Some(run) = run.cloned() {
                self.steps(&slot, SlotEvent::Stop(run));
            }
        }
    }

    async fn says_bye(&mut self, link: &mut mpsc::Receiver<LinkEvent>) {
        if !self.is_welcome {
            return;
        }
        self.says(FromHost::Bye {});
        let kept = async {
            while let Some(LinkEvent::Heard(message)) = link.recv().await {
                if let ToHost::Kept { number, .. } = message {
                    self.outbox.kept(number);
                }
                if self.outbox.is_empty() {
                    break;
                }
            }
        };
        drop(timeout(LAST_WORDS, kept).await);
        self.connected = None;
        let hung_up = async { while let Some(LinkEvent::Heard(_)) = link.recv().await {} };
        drop(timeout(LAST_WORDS, hung_up).await);
    }

    fn slots(&self) -> Vec<AgentId> {
        self.seats.keys().cloned().collect()
    }

    fn hears(&mut self, event: LinkEvent) -> Result<(), Problem> {
        match event {
            LinkEvent::Opened(said) => {
                self.connected = Some(said);
                let has_process = |seat: &&HeldSlot| seat.slot.has_process();
                self.hello.runs =
                    self.seats.values().filter(has_process).filter_map(|seat| seat.slot.run().cloned()).collect();
                self.sends(&Numbered { number: 0, message: FromHost::Hello(self.hello.clone()) });
            }
            LinkEvent::Lost(problem) => {
                (self.connected, self.is_welcome) = (None, false);
                self.told.lost(&problem);
            }
            LinkEvent::KeptOut(problem) => return Err(problem),
            LinkEvent::Heard(message) => return self.is_told(message),
        }
        Ok(())
    }

    fn is_told(&mut self, message: ToHost) -> Result<(), Problem> {
        match message {
            ToHost::Welcome { slots, silence, runs, .. } => self.welcomed(slots, silence, &runs),
            ToHost::Refused { code, error, prompt } => {
                let problem = Problem::new(Exit::of_code(&code), format!("{error} ({code})"));
                let problem = problem.next(prompt.unwrap_or_default());
                if !self.was_welcome && problem.exit() != Exit::Failed {
                    return Err(problem);
                }
                // Another host may have its slots until the hub finds that it is gone.
                self.told.lost(&problem);
                (self.connected, self.is_welcome) = (None, false);
            }
            ToHost::Kept { number, waits } => {
                if let Some(FromHost::Ended(ended)) = self.outbox.kept(number)
                    && let Some(slot) = self.seat_of(&ended.run)
                {
                    self.is_kept(&slot, waits);
                }
            }
            ToHost::Offer(offer) => self.offered(*offer),
            ToHost::Resume(resume) => self.resumed(*resume),
            ToHost::Called { run } => {
                if let Some(slot) = self.seat_of(&run) {
                    self.steps(&slot, SlotEvent::Called(run));
                }
            }
            ToHost::Stop { run, why } => match self.seat_of(&run) {
                Some(slot) if why == StopReason::Reported => self.steps(&slot, SlotEvent::Reported(run)),
                Some(slot) => {
                    self.told.stops(&slot, why);
                    self.steps(&slot, SlotEvent::Stop(run));
                }
                None => {}
            },
        }
        Ok(())
    }

    fn welcomed(&mut self, slots: Vec<AgentId>, silence: Duration, runs: &[RunId]) {
        (self.is_welcome, self.was_welcome) = (true, true);
        self.silence = if self.spec.preset.quiet { silence.saturating_mul(QUIET) } else { silence };
        for slot in &slots {
            let silence = self.silence;
            self.seats.entry(slot.clone()).or_insert_with(|| HeldSlot::new(silence));
        }
        self.seats.retain(|slot, seat| slots.contains(slot) || seat.slot.run().is_some());
        let again: Vec<Numbered> = self.outbox.again().cloned().collect();
        for message in &again {
            self.sends(message);
        }
        let mine = self.seats.values().filter_map(|seat| seat.slot.run().cloned());
        let needed: Vec<RunId> = mine.chain(runs.iter().cloned()).collect();
        self.folders.keep_only(&needed);
        for slot in self.slots() {
            let run = self.seats.get(&slot).and_then(|seat| seat.slot.run().cloned());
            match run {
                // The hub ended it meanwhile.
                Some(run) if !runs.contains(&run) && !self.outbox.tells_end_of(&run) => {
                    self.steps(&slot, SlotEvent::Stop(run));
                }
                Some(_) => {}
                None => self.parks(&slot),
            }
        }
        self.tells_free();
    }

    /// Says that a slot is free, or for how long it is not.
    fn parks(&mut self, slot: &AgentId) {
        let Some(seat) = self.seats.get(slot).filter(|_| self.is_welcome && self.ends_by.is_none()) else { return };
        let message = match seat.slot.deadline() {
            None => FromHost::Parked { slot: slot.clone() },
            Some(until) => {
                let reason = seat.ended.as_ref().map_or(RunEnd::NoReport, |ended| ended.reason);
                FromHost::Paused { slot: slot.clone(), pause: until.saturating_duration_since(Instant::now()), reason }
            }
        };
        self.says(message);
    }

    fn offered(&mut self, offer: Offer) {
        let (slot, run) = (offer.slot.clone(), offer.run.clone());
        let can_go_on = |id: &String| self.spec.preset.can_resume() && !self.broken.contains(id);
        // A slot that the hub has and this host has not is none of its own.
        let Some(seat) = self.seats.get_mut(&slot) else { return self.declines(run, 1) };
        seat.wanted = 1;
        if seat.slot.run().is_none() {
            let plan = Plan {
                folder: self.folders.of(&run),
                token: offer.token.clone(),
                system: offer.system.clone(),
                text: offer.prompt.clone(),
                conversation: offer.conversation.clone().filter(can_go_on),
                used: Usage::default(),
                in_use: Arc::clone(&self.in_use),
                book: Book { offer, process: 1 },
            };
            seat.asked = Some(plan);
        }
        self.steps(&slot, SlotEvent::Offered(run));
    }

    fn resumed(&mut self, resume: Resume) {
        let Resume { slot, run, token, conversation, input, story, process, used } = resume;
        let folder = self.folders.of(&run);
        let Some(mut book) = folder::read(&folder) else {
            // It began on another machine, or its folder is lost: the task is given back, and begins anew.
            return self.declines(run, process);
        };
        book.process += 1;
        let Some(seat) = self.seats.get_mut(&slot) else { return self.declines(run, book.process) };
        let conversation = conversation.filter(|id| self.spec.preset.can_resume() && !self.broken.contains(id));
        let (system, text) = match conversation {
            Some(_) => (String::new(), input),
            None => (book.offer.system.clone(), story),
        };
        seat.wanted = book.process;
        if seat.slot.run().is_none_or(|held| *held == run) && !seat.slot.has_process() {
            seat.asked =
                Some(Plan { folder, book, token, system, text, conversation, used, in_use: Arc::clone(&self.in_use) });
        }
        self.steps(&slot, SlotEvent::Offered(run));
    }

    /// A run that cannot be taken here: the task goes back to its queue, and no attempt is used up.
    fn declines(&mut self, run: RunId, process: u32) {
        let tail = Some("the host has no free slot for it".to_owned());
        let reason = RunEnd::Killed;
        self.says(FromHost::Ended(Ended { run, process, reason, exit: None, tail, usage: None, limited: None }));
    }

    fn is_kept(&mut self, slot: &AgentId, waits: bool) {
        let Some(seat) = self.seats.get_mut(slot) else { return };
        if let (Some(offer), Some(ended)) = (&seat.offer, &seat.ended) {
            self.told.ended(slot, offer, ended, waits);
        }
        let reason = seat.ended.as_ref().map_or(RunEnd::Killed, |ended| ended.reason);
        if let Some(offer) = seat.offer.take_if(|_| !waits) {
            self.puts_away(&offer, reason);
        }
        self.steps(slot, SlotEvent::Kept { waits });
        if !waits {
            self.tells_free();
        }
    }

    /// What a run had is removed, where nothing is lost by that.
    fn puts_away(&self, offer: &Offer, ended: RunEnd) {
        folder::remove(&self.folders.of(&offer.run));
        // Whose client failed, that task comes back.
        if offer.worktree && ended == RunEnd::NoReport {
            let (spec, task, told) = (Arc::clone(&self.spec), offer.task.clone(), self.told.clone());
            let in_use = Arc::clone(&self.in_use);
            self.work.push(Box::pin(async move {
                let in_use = in_use.lock().await;
                if in_use.contains(&task) {
                    return;
                }
                let removed = async { Repository::of(&spec.workspace).await?.remove(&spec.role, &task).await };
                match removed.await {
                    Ok(Removal::Removed | Removal::Absent) => {}
                    Ok(Removal::Kept(why)) | Err(why) => told.kept_worktree(&why),
                }
            }));
        }
    }

    fn sees(&mut self, slot: &AgentId, run: &RunId, event: RunEvent) {
        let Some(seat) = self.seats.get_mut(slot).filter(|seat| seat.slot.run() == Some(run)) else { return };
        match event {
            RunEvent::FoundChanges(path) => self.told.found_changes(slot, &path),
            RunEvent::Spawned { pid } => {
                if let Some(offer) = &seat.offer {
                    self.told.started(slot, offer, pid);
                }
                self.says(FromHost::Started { run: run.clone(), pid });
                self.steps(slot, SlotEvent::Spawned);
            }
            RunEvent::NotSpawned { ended, of_task } => {
                (seat.ended, seat.orders) = (Some(*ended), None);
                self.steps(slot, SlotEvent::SpawnFailed { of_task });
            }
            RunEvent::Printed => {
                if seat.active_at.is_none_or(|at| at.elapsed() >= ACTIVE_EVERY) {
                    seat.active_at = Some(Instant::now());
                    self.says(FromHost::Active { run: run.clone() });
                }
                self.steps(slot, SlotEvent::Printed);
            }
            RunEvent::Conversation(id) => self.says(FromHost::Conversation { run: run.clone(), id }),
            RunEvent::Exited(ended) => {
                let limited = ended.reason == RunEnd::Limited;
                self.broken.extend(seat.conversation.take().filter(|_| ended.reason == RunEnd::Crashed));
                (seat.ended, seat.orders) = (Some(*ended), None);
                self.steps(slot, SlotEvent::Exited { limited });
            }
        }
    }

    fn ticks(&mut self) {
        // A hub that is away tells of no calls, and a quiet client gives no other sign.
        let is_blind = self.spec.preset.quiet && !self.is_welcome;
        for slot in self.slots() {
            if is_blind {
                self.steps(&slot, SlotEvent::Printed);
            }
            self.steps(&slot, SlotEvent::Tick);
        }
    }

    /// Has the machine of a slot take an event, and does what follows.
    fn steps(&mut self, slot: &AgentId, event: SlotEvent) {
        let Some(seat) = self.seats.get_mut(slot) else { return };
        match seat.slot.on(Instant::now(), event) {
            None => {}
            Some(SlotAction::Start(run)) => self.starts(slot, run),
            Some(SlotAction::Decline(run)) => {
                let wanted = seat.wanted;
                self.declines(run, wanted);
            }
            Some(SlotAction::Terminate(due)) => {
                if due == Due::Parted {
                    self.told.parts(slot);
                }
                let why = match due {
                    Due::Told => Why::Told,
                    Due::Silent => Why::Silent(self.silence),
                    Due::Parted => Why::Parted,
                };
                seat.orders(Order::Terminate(why));
            }
            Some(SlotAction::Kill) => seat.orders(Order::Kill),
            Some(SlotAction::TellEnd(_)) => {
                if let Some(ended) = seat.ended.clone() {
                    self.says(FromHost::Ended(ended));
                }
            }
            Some(SlotAction::Park) => self.parks(slot),
            Some(SlotAction::Pause(pause)) => {
                self.told.pauses(slot, pause, seat.ended.as_ref());
                self.parks(slot);
            }
        }
    }

    fn starts(&mut self, slot: &AgentId, run: RunId) {
        let Some(seat) = self.seats.get_mut(slot) else { return };
        let plan = seat.asked.take().filter(|_| self.ends_by.is_none());
        let Some(plan) = plan else {
            // The host is about to end.
            let ended = Ended {
                run,
                process: seat.wanted,
                reason: RunEnd::Killed,
                exit: None,
                tail: Some("the host is about to end".to_owned()),
                usage: None,
                limited: None,
            };
            seat.ended = Some(ended);
            return self.steps(slot, SlotEvent::SpawnFailed { of_task: false });
        };
        let (order, orders) = mpsc::channel(4);
        (seat.orders, seat.ended, seat.active_at) = (Some(order), None, None);
        seat.offer = Some(plan.book.offer.clone());
        seat.conversation.clone_from(&plan.conversation);
        let teller = RunReports { slot: slot.clone(), run, events: self.events.clone() };
        self.work.push(Box::pin(runner::run(Arc::clone(&self.spec), plan, orders, teller)));
    }

    fn says(&mut self, message: FromHost) {
        let numbered = self.outbox.put(message);
        if self.is_welcome {
            self.sends(&numbered);
        }
    }

    /// What is not sent now is sent again by the next connection.
    fn sends(&self, message: &Numbered) {
        if let (Some(connected), Ok(text)) = (&self.connected, serde_json::to_string(message)) {
            let _gone = connected.send(text);
        }
    }

    fn seat_of(&self, run: &RunId) -> Option<AgentId> {
        self.seats.iter().find(|(_, seat)| seat.slot.run() == Some(run)).map(|(slot, _)| slot.clone())
    }

    fn tells_free(&self) {
        let free = self.seats.values().filter(|seat| seat.slot.run().is_none() && seat.slot.deadline().is_none());
        self.told.free(free.count(), self.seats.len());
    }
}

impl HeldSlot {
    const fn new(silence: Duration) -> Self {
        Self {
            slot: Slot::new(silence),
            asked: None,
            wanted: 1,
            orders: None,
            conversation: None,
            offer: None,
            ended: None,
            active_at: None,
        }
    }

    fn orders(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // There is room for each of the two, once.
            let _gone = orders.try_send(order);
        }
    }
}
