//! The state of a terminal: what it shows, who hosts it, whether it rests, and when it has something to do.

use std::sync::Arc;

use ractor::RpcReplyPort;
use tokio::sync::watch;

use super::message::InputWriter;
use super::shelf::Shelf;
use crate::actors::agent::AgentRef;
use crate::actors::common::{MailboxMetrics, Timer};
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::principal::By;
use crate::domain::prompt::{EchoStrainer, Host};
use crate::domain::terminal::{Prompting, TerminalSpec};
use crate::domain::time::Timestamp;
use crate::settings::Settings;
use crate::terminal::{LineEnds, LogFile, Recent, Watch};

/// The state of a terminal. What it shows is kept in the transcripts, its prompt in the journal.
#[derive(Debug)]
pub struct State {
    pub(super) spec: TerminalSpec,
    pub(super) journal: JournalRef,
    pub(super) shelf: Shelf,
    pub(super) timer: Timer,
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) clock: Clock,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) hub: By,
    pub(super) watch: Watch,
    pub(super) echo: EchoStrainer,
    pub(super) ends: LineEnds,
    pub(super) recent: Recent,
    pub(super) host: Host,
    pub(super) hosting: Hosting,
    pub(super) rest: SwapState,
    pub(super) prompting: Prompting,
    pub(super) file: Option<LogFile>,
    /// Why the file cannot be read at present; none while it can.
    pub(super) lost: Option<String>,
    /// When to look next whether the program waits.
    pub(super) look_at: Option<Timestamp>,
    /// When to write what was printed; none when all of it is written.
    pub(super) write_at: Option<Timestamp>,
    /// When to look next into the file that is followed.
    pub(super) poll_at: Option<Timestamp>,
    /// When its agent is next asked for a notice to be typed.
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

/// The program that hosts the terminal, where there is one.
#[derive(Debug, Default)]
pub(super) struct Hosting {
    pub(super) input_writer: Option<InputWriter>,
    /// The agent whose notices are typed here; none where the host does not allow that.
    pub(super) reader: Option<AgentRef>,
    pub(super) connected: Option<HostConnection>,
    /// Until when the hub waits for a host whose connection was lost.
    pub(super) lost_until: Option<Timestamp>,
}

/// A connected host: the same name in each of its connections, and the connection in use.
#[derive(Debug)]
pub(super) struct HostConnection {
    pub(super) host: String,
    pub(super) connection: String,
}

impl Hosting {
    /// Whether somebody hosts it, or is waited for.
    pub(super) const fn is_there(&self) -> bool {
        self.connected.is_some() || self.lost_until.is_some()
    }

    pub(super) fn input_writer(&self) -> Option<&InputWriter> {
        self.input_writer.as_ref().filter(|input_writer| !input_writer.is_closed())
    }

    pub(super) fn reader(&self) -> Option<&AgentRef> {
        self.reader.as_ref().filter(|_| self.input_writer().is_some())
    }

    /// When what a lost host left is over.
    pub(super) const fn due(&self) -> Option<Timestamp> {
        self.lost_until
    }
}

#[derive(Debug)]
pub(super) struct SwapState {
    pub(super) resting: bool,
    pub(super) used_at: Timestamp,
}

impl SwapState {
    pub(super) const fn since(now: Timestamp) -> Self {
        Self { resting: false, used_at: now }
    }

    /// Whether its screen and history are on disk alone.
    pub(super) const fn is_resting(&self) -> bool {
        self.resting
    }
}
