//! The state of an agent: what it holds, its parked wait, and the answers to it that may be unread.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ractor::RpcReplyPort;
use tokio::sync::watch;
use tokio::time::Instant;

use super::handle::AgentRef;
use super::message::{AgentError, Held, Profile, WaitEnd, WaitRequest};
use crate::actors::common::{Counters, MailboxMetrics, Refusals, Timer};
use crate::actors::dispatcher::DispatcherRef;
use crate::actors::journal::JournalRef;
use crate::actors::on_call::OnCall;
use crate::actors::supervisor::SupervisorRef;
use crate::clock::Clock;
use crate::domain::agent::{Agent, CallId, Departure, Notice, Presence, Unread, WaitTolerance};
use crate::domain::ids::{NoticeId, TaskId};
use crate::domain::principal::By;
use crate::domain::session::Lifecycle;
use crate::domain::time::Timestamp;
use crate::settings::Settings;

/// The state of an agent. `agent` is what the journal has of it; the rest begins anew with the actor.
pub struct State {
    pub(super) agent: Agent,
    pub(super) line: AgentRef,
    pub(super) journal: JournalRef,
    pub(super) dispatcher: DispatcherRef,
    pub(super) supervisor: SupervisorRef,
    pub(super) timer: Timer,
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) counters: Counters,
    pub(super) clock: Clock,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) hub: By,
    pub(super) on_call: OnCall,
    pub(super) presence: Presence,
    /// Open connections of its clients, with the client's instance. Older ones are added when they report next.
    pub(super) connections: Vec<(CallId, Option<String>)>,
    pub(super) worker: Option<String>,
    /// How long a wait that client was seen to bear.
    pub(super) tolerance: WaitTolerance,
    /// At most one (A1).
    pub(super) waiter: Option<Waiter>,
    /// Answers that carry something and are not known to have been read.
    pub(super) unread: Unread,
    pub(super) held: BTreeMap<TaskId, Held>,
    /// Offers that were asked to be made again, and have not come yet.
    pub(super) reoffering: BTreeSet<TaskId>,
    pub(super) found: BTreeSet<NoticeId>,
    /// The newest report of progress that it has not heard, of each task that it asked for. Not persisted.
    pub(super) progress: BTreeMap<TaskId, Notice>,
    /// The journal may have something that this actor was not told: it is read again with the next turn.
    pub(super) stale: bool,
    /// When its last call came or its last wait ended. After enough silence since then, notices are typed.
    pub(super) quiet_since: Timestamp,
    /// When it was woken, where it has not called since.
    pub(super) nudged: Option<Timestamp>,
    /// Notices that answer a question and that the journal records as delivered.
    pub(super) delivered: BTreeSet<NoticeId>,
    /// The reminder "finish first" was given since what it holds last changed.
    pub(super) reminded: bool,
    pub(super) draining: bool,
    pub(super) refusals: Refusals,
    pub(super) started_at: Timestamp,
    pub(super) told: Option<ToldStanding>,
    pub(super) profile: Option<Arc<Profile>>,
    pub(super) lifecycle: Option<Lifecycle>,
}

/// How it stands, as the dispatcher was told: since when it takes work, and which alone; how much it holds, whether it
/// was sent away, whether its client is gone, and when it was woken and did not come.
pub(super) type ToldStanding = (Option<Timestamp>, Option<TaskId>, usize, bool, Option<Departure>, Option<Timestamp>);

pub(super) struct Waiter {
    pub(super) request: WaitRequest,
    pub(super) since: Timestamp,
    /// When it ends by itself: its client tolerates a span and knows no date.
    pub(super) ends: Instant,
    pub(super) reply: RpcReplyPort<Result<WaitEnd, AgentError>>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("agent", &self.agent.id).finish_non_exhaustive()
    }
}
