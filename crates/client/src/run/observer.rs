//! Beside the relay, on a thread of its own: a screen that is drawn along, what the system knows of the terminal, what
//! is answered at which prompt, and what of it the hub is told.
//!
//! The relay never waits for it. When it is behind it misses the oldest output that it has not seen: a mark says how
//! much is missing, and it draws on from a clean screen.

use std::borrow::Cow;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use rustix::termios::Winsize;
use secrecy::ExposeSecret as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::answers::{Answers, Screen};
use super::blackout::Blackout;
use super::order::{Order, Sending};
use super::outbound::Resume;
use super::pace::Pace;
use super::probe::Probe;
use super::tap::{Count, Injection, Seen, TapReader, Typed};
use super::typing::is_report;
use super::uplink::{self, Answer, Home, News, Shared};
use crate::clock::Clock;
use crate::domain::prompt::{Host, InputPrompt, Reader};
use crate::domain::wire::{HostWord, HubWord};
use crate::terminal::{LineEnds, TerminalSize, Watch};

/// How long the hub may take to hear the end, and before that to answer a host whose program ended at once.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How many bytes of a new program may come before the first is looked at closely.
const NEWS: usize = 16;

pub(super) struct ObserverArgs {
    pub(super) seen: TapReader,
    pub(super) probe: Probe,
    pub(super) size: Winsize,
    pub(super) injections: mpsc::Sender<Injection>,
    /// Whether the hub may also type what it tells the agent.
    pub(super) messages: bool,
    /// Whether lines end as a terminal wants them.
    pub(super) drawn: bool,
}

/// Watches until the program has ended, and the hub has heard of it or has had its time.
pub(super) async fn watch(place: ObserverArgs, home: Home, first: Option<Answer>) {
    let ObserverArgs { seen, probe, size, injections, messages, drawn } = place;
    let shared = Rc::new(Shared::default());
    let (news, heard) = mpsc::channel(NEWS);
    let ends = (!drawn).then(LineEnds::default);
    let observer = Observer { messages, ends, ..Observer::new(probe, size, injections, Rc::clone(&shared)) };
    tokio::select! {
        () = observer.goes_on(seen, heard) => {}
        () = uplink::keep(&home, first, &shared, &news) => {}
    }
}

pub(super) struct Observer {
    pub(super) probe: Probe,
    pub(super) watch: Watch,
    clock: Clock,
    size: Winsize,
    pub(super) host: Host,
    /// What the hub was told last, and of which place.
    told: Option<(Host, u64)>,
    pub(super) count: Count,
    pub(super) pace: Pace,
    answers: Answers,
    blackout: Blackout,
    /// Mends line ends for the screen, where the program's go to no terminal.
    ends: Option<LineEnds>,
    /// Whether the user typed something that was not entered yet.
    pub(super) unentered: bool,
    pub(super) pressed: u64,
    pub(super) injections: mpsc::Sender<Injection>,
    /// A line that is being typed for the hub.
    pub(super) sending: Option<Sending>,
    pub(super) has_ended: bool,
    pub(super) messages: bool,
    shared: Rc<Shared>,
    /// Whether the hub was asked and has not answered yet.
    is_awaited: bool,
    is_welcome: bool,
    was_welcome: bool,
}

impl Observer {
    fn new(probe: Probe, size: Winsize, injections: mpsc::Sender<Injection>, shared: Rc<Shared>) -> Self {
        Self {
            probe,
            watch: Watch::new(terminal_size(size), 0),
            clock: Clock::system(),
            size,
            host: Host::default(),
            told: None,
            count: Count::default(),
            pace: Pace::new(Instant::now()),
            answers: Answers::default(),
            blackout: Blackout::default(),
            ends: None,
            unentered: false,
            pressed: 0,
            injections,
            sending: None,
            has_ended: false,
            messages: false,
            shared,
            is_awaited: true,
            is_welcome: false,
            was_welcome: false,
        }
    }

    async fn goes_on(mut self, mut seen: TapReader, mut news: mpsc::Receiver<News>) {
        let mut hears = true;
        loop {
            tokio::select! {
                // What happened goes before what follows from it.
                biased;
                seen = seen.next() => match seen {
                    Some(seen) => self.sees(seen),
                    None => break,
                },
                heard = news.recv(), if hears => match heard {
                    Some(heard) => self.hears(heard),
                    None => hears = false,
                },
                // A deadline of its own: nothing tells a host that a program fell asleep.
                () = sleep_until(self.next()) => self.is_due(&seen).await,
            }
        }
        if self.is_welcome || self.is_awaited {
            drop(timeout(LAST_WORDS, self.is_heard(&mut news)).await);
        }
    }

    fn next(&self) -> Instant {
        let due = [self.blackout.due(), self.sending.as_ref().map(Sending::due)];
        due.into_iter().flatten().fold(self.pace.next(), Instant::min)
    }

    async fn is_due(&mut self, seen: &TapReader) {
        let now = Instant::now();
        if self.blackout.due().is_some_and(|due| due <= now) {
            let rest = self.blackout.release();
            self.draws(rest);
        }
        if self.sending.as_ref().is_some_and(|sending| sending.due() <= now) {
            self.goes_on_typing(now).await;
        }
        // What a program printed before it read comes before what the system says of its reading.
        if self.pace.next() <= now && !self.puts_off(seen, now) {
            let host = self.probe.look();
            if !self.puts_off(seen, Instant::now()) {
                self.looked(host);
            }
        }
    }

    /// Whether the program has printed what is not drawn here yet, and the look can wait for that.
    fn puts_off(&mut self, seen: &TapReader, now: Instant) -> bool {
        (self.probe.is_behind() || seen.has_more()) && self.pace.puts_off(now)
    }

    /// Returns once the hub has all, is gone, or does not take this host.
    async fn is_heard(&mut self, news: &mut mpsc::Receiver<News>) {
        loop {
            match news.recv().await {
                Some(News::Word(HubWord::Goodbye {})) | Some(News::Lost) | None => return,
                Some(heard) => self.hears(heard),
            }
        }
    }

    fn sees(&mut self, seen: Seen) {
        let now = Instant::now();
        match seen {
            Seen::Printed(bytes) => {
                self.count.printed += length(&bytes);
                let shown = self.blackout.printed(bytes, now);
                self.draws(shown);
                self.pace.restart(now);
            }
            Seen::Missed(missed) => {
                self.loses_screen();
                self.count.printed += missed;
                drop(self.blackout.release());
                let hole = self.watch.terminal().hole(missed);
                self.draws(Bytes::from(hole));
                self.pace.restart(now);
            }
            Seen::Typed(typed) => {
                self.pressed += u64::from(!matches!(&typed, Typed::Keys(bytes) if is_report(bytes)));
                self.sees_typed(&typed, now);
            }
            // What a person answered by the hub is an answer like one at the terminal.
            Seen::Injected { keys, by_person: true } => self.sees_typed(&Typed::Keys(keys), now),
            Seen::Injected { keys, by_person: false } => {
                self.count.typed += length(&keys);
                self.watch.input();
                self.says(HostWord::Typed);
                self.pace.restart(now);
            }
            Seen::Resized(size) => {
                self.size = size;
                self.watch.resize(terminal_size(size));
                self.says(size_word(size));
                self.pace.restart(now);
            }
            Seen::Ended(code) => {
                let rest = self.blackout.release();
                self.draws(rest);
                self.ends_typing();
                if let Some(answer) = self.answers.ended() {
                    self.says(HostWord::Answered { answer });
                }
                self.says(HostWord::Ended { code });
            }
        }
    }

    fn sees_typed(&mut self, typed: &Typed, now: Instant) {
        if let Typed::Keys(bytes) = typed {
            self.count.typed += length(bytes);
            if is_report(bytes) {
                return;
            }
            self.unentered = bytes.last().is_some_and(|last| !matches!(last, b'\r' | b'\n' | 0x03 | 0x04));
        }
        let unseen = self.told.is_none_or(|(_, looked_at)| looked_at != self.count.printed);
        if self.answers.begins(unseen) {
            self.sees_what_is_answered(now);
        }
        match typed {
            Typed::Hidden { keys, .. } => {
                self.count.typed += u64::try_from(keys.expose_secret().len()).unwrap_or_default();
                self.blackout.typed(keys.expose_secret(), self.answers.asks());
                self.unentered = false;
            }
            Typed::Keys(keys) if self.answers.takes_secret() => self.blackout.typed_in_view(keys),
            Typed::Keys(_) => {}
        }
        let screen = self.watch.terminal().screen_rows().join("\n");
        let screen = Screen { text: &screen, printed: self.count.printed };
        self.answers.typed(typed, self.host, &screen, now);
        if let Some((secret, asks)) = self.answers.secret() {
            self.blackout.learn(secret.into_bytes(), &asks);
        }
        self.watch.input();
        self.says(HostWord::Typed);
        self.pace.restart(now);
    }

    /// Who types before the next look answers what stands there now.
    fn sees_what_is_answered(&mut self, now: Instant) {
        // What the system said last is of before.
        let host = Host { reader: Reader::Unknown, ..self.host };
        let prompt = self.watch.look_settled(self.clock.now(), host).map(|found| found.prompt);
        if let Some(answer) = self.answers.looked(prompt.as_ref(), self.count.printed, now) {
            self.says(HostWord::Answered { answer });
        }
    }

    /// On the screen that is drawn along, and to the hub.
    fn draws(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            let drawn = self.ends.as_mut().map_or(Cow::Borrowed(&*bytes), |ends| ends.mend(&bytes));
            self.watch.output(self.clock.now(), &drawn);
            self.sends(bytes);
        }
    }

    /// Asks the system, looks at the screen, and tells the hub what it could not know.
    pub(super) fn looks(&mut self) -> Option<InputPrompt> {
        let host = self.probe.look();
        self.looked(host)
    }

    fn looked(&mut self, host: Host) -> Option<InputPrompt> {
        let now = Instant::now();
        let waits = self.host.reader;
        let reader = if self.pace.looked(now, host.reader) { host.reader } else { waits };
        self.host = Host { reader, ..host };
        self.unentered &= self.host.reader != Reader::Busy;
        if self.told != Some((self.host, self.count.printed)) {
            self.told = Some((self.host, self.count.printed));
            self.says(HostWord::Signals { host: self.host });
        }
        let prompt = self.watch.look(self.clock.now(), self.host).map(|found| found.prompt);
        if let Some(answer) = self.answers.looked(prompt.as_ref(), self.count.printed, now) {
            self.says(HostWord::Answered { answer });
        }
        prompt
    }

    fn hears(&mut self, news: News) {
        match news {
            News::Welcome(position) => self.is_taken(position),
            News::Lost => (self.is_welcome, self.is_awaited) = (false, false),
            News::Word(HubWord::Type { id, text, prompt_text, by_person, notice }) => {
                self.is_ordered(Order { id, text, prompt_text, by_person, notice });
            }
            // It has all, which may be told before this thread knows that nothing more comes.
            News::Word(HubWord::Goodbye {}) => (self.is_welcome, self.is_awaited) = (false, false),
            News::Word(HubWord::Welcome { .. } | HubWord::Refused { .. }) => {}
        }
    }

    /// A hub takes what comes from here on.
    fn is_taken(&mut self, position: u64) {
        (self.is_welcome, self.is_awaited) = (true, false);
        let mut outbound = self.shared.outbound.borrow_mut();
        if let Resume::Lost(missed) = outbound.resume(position) {
            outbound.redraw(missed, self.drawing(missed));
        }
        if !std::mem::replace(&mut self.was_welcome, true) {
            // Another program may have left its words on the screen of this session.
            outbound.say_first(HostWord::Reset { missed: 0 });
        }
        outbound.say_first(size_word(self.size));
        outbound.say(HostWord::Signals { host: self.host });
        drop(outbound);
        self.shared.is_open.set(true);
        self.shared.more.notify_one();
    }

    fn sends(&self, bytes: Bytes) {
        let mut outbound = self.shared.outbound.borrow_mut();
        outbound.printed(bytes);
        if self.is_welcome && outbound.has_gap() {
            let missed = outbound.gap();
            outbound.redraw(missed, self.drawing(missed));
        }
        self.shared.more.notify_one();
    }

    /// What stands on the screen, behind a mark of what is missing before it.
    fn drawing(&self, missed: u64) -> Bytes {
        let terminal = self.watch.terminal();
        let mark = if missed > 0 { terminal.hole_before_drawing(missed) } else { String::new() };
        Bytes::from(mark + &terminal.drawing())
    }

    pub(super) fn says(&self, word: HostWord) {
        self.shared.outbound.borrow_mut().say(word);
        self.shared.more.notify_one();
    }
}

fn size_word(size: Winsize) -> HostWord {
    HostWord::Size { rows: size.ws_row, cols: size.ws_col }
}

fn terminal_size(size: Winsize) -> TerminalSize {
    TerminalSize::new(size.ws_row, size.ws_col)
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or_default()
}
