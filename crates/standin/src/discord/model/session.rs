//! Sessions and connections of the gateway, and its faults.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::options::Options;
use crate::time::Timestamp;

/// What a connection is told to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Push {
    /// Send a text.
    Text(String),
    /// Send nothing for so long; what comes later waits behind it.
    Pause(Duration),
    /// Close with a code and a reason.
    Close(u16, &'static str),
    /// Drop the TCP connection without a word.
    Drop,
}

/// A fault of the gateway. Those without a number happen at once, to every connection that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GatewayFault {
    /// The TCP connections are dropped.
    DropTcp,
    /// The connections stay open, and nothing goes through any more.
    Zombie,
    /// The next connections are refused with 503; `u32::MAX`: until cleared.
    Refuse(u32),
    /// All sessions are forgotten: the next RESUME is answered with op 9 `false`.
    ForgetSessions,
    /// The next dispatches are sent twice, with one sequence number.
    Duplicate(u32),
    /// An event whose fields are of wrong types.
    Malformed,
    /// An event that nobody knows.
    Unknown,
    /// A text that is no JSON.
    NotJson,
    /// Op 7: reconnect.
    Reconnect,
    /// Op 9; `false` forgets the session.
    InvalidSession(bool),
    /// The connections are closed with this code. Codes after which there is no RESUME forget the session.
    Close(u16),
    /// The next connections hear no HELLO.
    NoHello(u32),
    /// The next heartbeats are not acknowledged; `u32::MAX`: until cleared.
    NoAck(u32),
    /// READY of the next session is late.
    SlowReady(Duration),
    /// The next IDENTIFYs are not answered at all, while heartbeats are.
    NoReady(u32),
    /// Every session is closed with 4000 and forgotten as soon as it is ready, so many times.
    EndSessions(u32),
    /// The next RESUME hears RESUMED before what it missed.
    EarlyResumed,
    /// The next RESUME is closed with this code.
    CloseResume(u16),
    /// The server sends op 1 and wants a heartbeat.
    WantHeartbeat,
    /// The token is reset: sessions are closed with 4004, and the old token is refused from now on.
    ResetToken(String),
}

/// Counters of faults that wait for their moment.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) refuse: u32,
    pub(crate) duplicate: u32,
    pub(crate) no_hello: u32,
    pub(crate) no_ack: u32,
    pub(crate) end_sessions: u32,
    pub(crate) slow_ready: Option<Duration>,
    pub(crate) no_ready: u32,
    pub(crate) early_resumed: bool,
    pub(crate) close_resume: Option<u16>,
}

/// Takes one from a counter; `u32::MAX` never ends.
pub(crate) const fn take(counter: &mut u32) -> bool {
    if *counter == 0 {
        return false;
    }
    if *counter != u32::MAX {
        *counter -= 1;
    }
    true
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) intents: u64,
    pub(crate) sequence: u64,
    /// Every dispatch, for a RESUME.
    pub(crate) sent: VecDeque<(u64, String)>,
    /// The connection that it speaks over now.
    pub(crate) connection: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) out: UnboundedSender<Push>,
    pub(crate) is_zombie: bool,
    pub(crate) is_closing: bool,
    pub(crate) heartbeat_at: Timestamp,
    /// When frames came, for the limit of 120 a minute.
    pub(crate) frames: VecDeque<Timestamp>,
}

/// How often the gateway was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GatewayCounts {
    /// WebSockets that were opened.
    pub connects: u32,
    /// IDENTIFYs that were answered with READY.
    pub identifies: u32,
    /// RESUMEs that were answered with RESUMED.
    pub resumes: u32,
    /// Heartbeats that came.
    pub heartbeats: u32,
}

#[derive(Debug)]
pub(crate) struct Gateway {
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) connections: BTreeMap<u64, Connection>,
    pub(crate) pending: Pending,
    pub(crate) counts: GatewayCounts,
    pub(crate) identifies_left: u32,
    pub(crate) identified_at: Option<Timestamp>,
    /// The last close code that a connection of the client carried, if it closed.
    pub(crate) closed_by_client: Option<u16>,
}

impl Gateway {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            sessions: BTreeMap::new(),
            connections: BTreeMap::new(),
            pending: Pending::default(),
            counts: GatewayCounts::default(),
            identifies_left: options.identifies_left,
            identified_at: None,
            closed_by_client: None,
        }
    }

    /// Sends a payload over a connection, unless it is a zombie.
    pub(crate) fn push(&self, connection: u64, push: Push) {
        if let Some(open) = self.connections.get(&connection)
            && !open.is_zombie
        {
            let _gone_is_no_matter = open.out.send(push);
        }
    }

    pub(crate) fn push_json(&self, connection: u64, payload: &Value) {
        self.push(connection, Push::Text(payload.to_string()));
    }

    /// Closes a connection; its session stays for a RESUME.
    pub(crate) fn close(&mut self, connection: u64, push: Push) {
        self.push(connection, push);
        if let Some(open) = self.connections.get_mut(&connection) {
            open.is_closing = true;
        }
        for session in self.sessions.values_mut().filter(|session| session.connection == Some(connection)) {
            session.connection = None;
        }
    }
}
