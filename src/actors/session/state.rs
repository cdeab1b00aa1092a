//! The state of a session: what the journal has of it, and the callers that wait for an answer.

use std::sync::Arc;

use ractor::RpcReplyPort;

use super::message::SessionError;
use crate::actors::common::{MailboxMetrics, Refusals, Timer};
use crate::actors::dispatcher::DispatcherRef;
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::ids::QuestionId;
use crate::domain::principal::By;
use crate::domain::session::question::{Answerer, Question};
use crate::domain::session::{Lifecycle, Session};
use crate::domain::time::Timestamp;
use crate::ids::Ids;

/// The state of a session. `session` is what the journal has of it; the rest begins anew with the actor.
#[derive(Debug)]
pub struct State {
    pub(super) session: Session,
    pub(super) lifecycle: Lifecycle,
    pub(super) journal: JournalRef,
    pub(super) dispatcher: DispatcherRef,
    pub(super) timer: Timer,
    pub(super) clock: Clock,
    pub(super) ids: Ids,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) hub: By,
    /// How the agent signs what it resolves itself.
    pub(super) itself: Answerer,
    pub(super) waiters: Vec<Waiter>,
    pub(super) refusals: Refusals,
    pub(super) started_at: Timestamp,
    /// Another actor wrote into its stream, and this one has not read that yet.
    pub(super) stale: bool,
    /// When a deadline that could not be kept is tried again; none while nothing fails.
    pub(super) retry_at: Option<Timestamp>,
}

#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) question: QuestionId,
    /// The deadline had passed when the wait began: then only the answer ends it.
    pub(super) overdue: bool,
    pub(super) reply: RpcReplyPort<Result<Question, SessionError>>,
}
