//! The terminal's shell.

use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use tokio::sync::watch;

use super::hosting::Hosting;
use super::message::{Output, TerminalMessage};
use super::rest::Rest;
use super::shelf::Shelf;
use crate::actors::common::{Bell, Fault, Gauge};
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::principal::By;
use crate::domain::prompt::{EchoStrainer, Host, Reader};
use crate::domain::terminal::{Prompting, SeenPrompt, Sighting, TerminalSpec};
use crate::domain::time::{Deadline, Timestamp};
use crate::settings::Settings;
use crate::terminal::{Detected, LineEnds, LogFile, Recent, TerminalSize, Watch};

/// The actor.
#[derive(Debug)]
pub struct TerminalActor;

/// What it is built with.
#[derive(Debug)]
pub struct TerminalArgs {
    /// What it is.
    pub spec: TerminalSpec,
    /// The journal.
    pub journal: JournalRef,
    /// Where what it prints is kept.
    pub shelf: Shelf,
    /// Its one deadline.
    pub bell: Bell,
    /// What is set.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// The hub's clock.
    pub clock: Clock,
    /// Its mailbox's gauge.
    pub gauge: Arc<Gauge>,
    /// The principal behind what the hub does by itself.
    pub hub: By,
}

/// How long after the first new byte is looked: a prompt that is written in two pieces is whole by then.
const SETTLES: Duration = Duration::from_millis(30);
/// After which pauses is looked again: those that the detector tells apart, and nothing after the last.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(700)];
/// How long what was printed may wait to be written.
pub(super) const WRITTEN_WITHIN: Duration = Duration::from_secs(1);
/// How much is drawn at one go, before others have their turn.
const AT_ONCE: usize = 64 * 1024;

/// What it keeps.
#[derive(Debug)]
pub struct Desk {
    pub(super) spec: TerminalSpec,
    pub(super) journal: JournalRef,
    pub(super) shelf: Shelf,
    pub(super) bell: Bell,
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) clock: Clock,
    pub(super) gauge: Arc<Gauge>,
    pub(super) hub: By,
    pub(super) watch: Watch,
    pub(super) echo: EchoStrainer,
    pub(super) ends: LineEnds,
    pub(super) recent: Recent,
    pub(super) host: Host,
    pub(super) hosting: Hosting,
    pub(super) rest: Rest,
    pub(super) prompting: Prompting,
    pub(super) file: Option<LogFile>,
    /// Why the file is not read just now.
    pub(super) lost: Option<String>,
    pub(super) look_at: Option<Timestamp>,
    pub(super) write_at: Option<Timestamp>,
    pub(super) poll_at: Option<Timestamp>,
    /// When its agent is asked next for what it does not fetch.
    pub(super) tell_at: Option<Timestamp>,
    pub(super) polled_at: Timestamp,
    pub(super) updated_at: Timestamp,
    /// The number of the first line that is not written yet.
    pub(super) unwritten: u64,
    pub(super) stopped_at: Option<Timestamp>,
    /// The place at which its file was followed first.
    pub(super) began_at: u64,
    pub(super) waiters: Vec<(u64, RpcReplyPort<()>)>,
    pub(super) started_at: Timestamp,
}

impl Actor for TerminalActor {
    type Msg = TerminalMessage;
    type State = Desk;
    type Arguments = TerminalArgs;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: TerminalArgs) -> Result<Desk, ActorProcessingErr> {
        let now = args.clock.now();
        let lines = args.settings.borrow().hub.monitor.lines;
        let mut desk = Desk {
            watch: Watch::new(TerminalSize::default(), lines),
            echo: EchoStrainer::default(),
            ends: LineEnds::default(),
            recent: Recent::at(0),
            host: Host::default(),
            hosting: Hosting::default(),
            rest: Rest::since(now),
            prompting: Prompting::default(),
            file: None,
            lost: None,
            look_at: None,
            write_at: Some(now),
            poll_at: args.spec.kind.follows_a_file().then_some(now),
            polled_at: now,
            tell_at: None,
            updated_at: now,
            unwritten: 0,
            stopped_at: None,
            began_at: 0,
            waiters: Vec::new(),
            started_at: now,
            spec: args.spec,
            journal: args.journal,
            shelf: args.shelf,
            bell: args.bell,
            settings: args.settings,
            clock: args.clock,
            gauge: args.gauge,
            hub: args.hub,
        };
        desk.restore(lines).await?;
        desk.settle();
        Ok(desk)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: TerminalMessage,
        desk: &mut Desk,
    ) -> Result<(), ActorProcessingErr> {
        desk.gauge.took();
        if desk.needs_its_screen(&message) {
            desk.wakes().await?;
        }
        match message {
            TerminalMessage::Print { output, reply } => {
                desk.print(output).await;
                if let Some(reply) = reply {
                    let _ = reply.send(desk.recent.end());
                }
            }
            TerminalMessage::Host { host } => desk.hear(host).await,
            TerminalMessage::Typed => {
                let now = desk.clock.now();
                desk.watch.input();
                desk.prompting.typed(desk.recent.end());
                desk.look_by(now + SETTLES);
            }
            TerminalMessage::Hosted { arrival, reply } => {
                let _ = reply.send(desk.is_hosted(arrival));
            }
            TerminalMessage::HostLeft { connection, ended } => desk.loses_its_host(&connection, ended).await,
            TerminalMessage::Type { order, reply } => desk.type_in(*order, reply).await,
            TerminalMessage::WasOrdered { order, done } => desk.was_ordered(*order, done).await,
            TerminalMessage::Detect { reply } => {
                desk.poll_now().await?;
                let _ = reply.send(desk.detect());
            }
            TerminalMessage::Read { since, most, reply } => {
                desk.poll_now().await?;
                let _ = reply.send(desk.read(since, most));
            }
            TerminalMessage::Await { since, reply } => desk.waiters.push((since, reply)),
            TerminalMessage::Transcript { reply } => {
                desk.poll_now().await?;
                let _ = reply.send(desk.transcript());
            }
            TerminalMessage::Show { reply } => {
                let _ = reply.send(desk.view());
            }
            TerminalMessage::Begin { by, request, reply } => {
                let _ = reply.send(desk.begin(by, request).await);
            }
            TerminalMessage::Flush { reply } => {
                desk.poll_now().await?;
                desk.flush().await;
                let _ = reply.send(());
            }
            TerminalMessage::Stop { by, request, reply } => {
                let stopped = desk.stop(by, request).await;
                let ends = stopped.is_ok();
                let _ = reply.send(stopped);
                if ends {
                    desk.bell.set(None);
                    myself.stop(None);
                    return Ok(());
                }
            }
            TerminalMessage::Tick => desk.tick().await?,
            TerminalMessage::Portrait { reply } => {
                let _ = reply.send(desk.portrait());
            }
        }
        desk.settle();
        Ok(())
    }

    async fn post_stop(&self, _: ActorRef<Self::Msg>, desk: &mut Desk) -> Result<(), ActorProcessingErr> {
        if desk.stopped_at.is_none() {
            desk.flush().await;
        }
        Ok(())
    }
}

impl Desk {
    /// Leaves the desk tidy, whatever happened: readers answered, the alarm set.
    fn settle(&mut self) {
        let end = self.recent.end();
        for (_, reply) in self.waiters.extract_if(.., |(since, _)| *since < end) {
            let _ = reply.send(());
        }
        self.waiters.retain(|(_, reply)| !reply.is_closed());
        self.look_for_notices();
        let deadlines = [
            (self.look_at, "look whether the program waits"),
            (self.poll_at, "look into the file"),
            (self.write_at, "write what was printed"),
            (self.hosting.due(), "the host did not come back"),
            (self.rests_at(), "give its memory back"),
            (self.tell_at, "look whether its agent has something to hear"),
        ];
        let armed = deadlines.into_iter().filter_map(|(at, reason)| Some(Deadline { at: at?, reason }));
        self.bell.set(armed.min_by_key(|deadline| deadline.at));
    }

    async fn tick(&mut self) -> Result<(), Fault> {
        self.bell.rang();
        let now = self.clock.now();
        if self.poll_at.is_some_and(|at| at <= now) {
            self.poll().await?;
        }
        if self.hosting.due().is_some_and(|at| at <= now) {
            self.wakes().await?;
            self.gives_its_host_up().await;
        }
        if self.look_at.is_some_and(|at| at <= now) {
            self.look().await;
        }
        if self.write_at.is_some_and(|at| at <= now) {
            self.flush().await;
        }
        if self.rests_at().is_some_and(|at| at <= now) {
            self.rests().await;
        }
        if self.tell_at.is_some_and(|at| at <= now) {
            self.tell_agent().await;
        }
        Ok(())
    }

    /// Draws what a program printed.
    async fn print(&mut self, output: Output) {
        let Output { bytes, size, reset, host } = output;
        let now = self.clock.now();
        if reset {
            self.watch.begins_anew(now);
            (self.echo, self.ends) = (EchoStrainer::default(), LineEnds::default());
        }
        if let Some(size) = size.filter(|size| *size != self.watch.terminal().size()) {
            self.watch.resize(size);
        }
        for piece in bytes.chunks(AT_ONCE) {
            self.draw(now, piece);
            tokio::task::yield_now().await;
        }
        if !bytes.is_empty() {
            // What its host knew is of before.
            self.host.reader = Reader::Unknown;
        }
        self.look_by(now + SETTLES);
        if let Some(host) = host {
            self.hear(host).await;
        }
    }

    /// Bytes that were printed at `printed`: from here on, no secret is in them.
    pub(super) fn draw(&mut self, printed: Timestamp, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let before = self.watch.terminal().before();
        let kept = self.echo.strain_with(&before, bytes, &self.settings.borrow().patterns);
        self.recent.push(&kept, u64::try_from(bytes.len()).unwrap_or_default());
        let mended = self.ends.mend(&kept);
        self.watch.output(printed, &mended);
        self.updated_at = self.updated_at.max(printed);
        let now = self.clock.now();
        self.write_at = Some(self.write_at.map_or(now + WRITTEN_WITHIN, |at| at.min(now + WRITTEN_WITHIN)));
    }

    /// What its host knows: when somebody reads the terminal, or is gone, there is nothing to wait for. Who is busy may
    /// be on the way from its question to the read: were that looked at at once, its prompt would come, go and come.
    pub(super) async fn hear(&mut self, host: Host) {
        self.host = host;
        match host.reader {
            Reader::Reads | Reader::Gone => self.look().await,
            Reader::Polls | Reader::Unknown | Reader::Busy => self.look_by(self.clock.now() + SETTLES),
        }
    }

    pub(super) fn look_by(&mut self, at: Timestamp) {
        self.look_at = Some(self.look_at.map_or(at, |sooner| sooner.min(at)));
    }

    /// Looks, writes down what is new, and looks again when a longer pause could say more.
    pub(super) async fn look(&mut self) {
        let now = self.clock.now();
        self.learns_patterns();
        let seen = self.watch.look(now, self.host).map(|found| self.sighting(found));
        let printed = self.watch.printed();
        self.look_at = printed.and_then(|printed| PAUSES.into_iter().map(|pause| printed + pause).find(|at| *at > now));
        self.judge(now, seen.as_ref()).await;
    }

    /// What an operator added lately.
    fn learns_patterns(&mut self) {
        self.watch.knows(&self.settings.borrow().patterns);
    }

    fn sighting(&self, found: Detected) -> Sighting {
        let drawn = found.prompt.signals.iter().any(|signal| {
            use crate::domain::prompt::Signal;
            matches!(signal, Signal::Menu | Signal::FullScreen)
        });
        let line = if drawn { None } else { self.watch.terminal().cursor_line() };
        let prompt = SeenPrompt::of(found.prompt, self.recent.end(), found.timestamp);
        Sighting { prompt, line, redrawn: self.hosting.is_there() || self.is_erased() }
    }

    /// Whether the prompt that is shown does not stand any more where it stood.
    pub(super) fn is_erased(&self) -> bool {
        let Some(shown) = self.prompting.shown() else { return false };
        // The end of a question is in the row of the cursor, also where it fills several.
        let end = shown.prompt.prompt_text.rsplit(' ').next().unwrap_or_default();
        let terminal = self.watch.terminal();
        match shown.line {
            Some(line) => terminal.line(line).is_none_or(|row| !row.contains(end)),
            None => terminal.screen_rows().iter().all(|row| !row.contains(end)),
        }
    }

    /// What waits now, for who asks: a text that was sent is whole, so that there is no pause to wait for.
    pub(super) fn detect(&mut self) -> Option<SeenPrompt> {
        let now = self.clock.now();
        self.learns_patterns();
        let found = if self.host == Host::default() {
            self.watch.look_settled(now, self.host)
        } else {
            self.watch.look(now, self.host)
        };
        found.map(|found| self.prompting.known(&self.sighting(found)))
    }
}
