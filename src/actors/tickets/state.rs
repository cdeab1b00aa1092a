//! The state of the tickets: every ticket, as the journal has it, and the calls that wait for one.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::actors::common::{MailboxMetrics, Timer};
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::ids::TicketId;
use crate::domain::principal::By;
use crate::domain::ticket::TicketBook;
use crate::domain::time::Timestamp;
use crate::ids::Ids;

#[derive(Debug)]
pub struct State {
    pub(super) journal: JournalRef,
    pub(super) clock: Clock,
    pub(super) ids: Ids,
    pub(super) hub: By,
    pub(super) timer: Timer,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) book: TicketBook,
    /// For each open ticket that somebody asks for: the newest call's number, and what tells all that it is at its end.
    pub(super) asked: BTreeMap<TicketId, (u64, CancellationToken)>,
    pub(super) turns: u64,
    /// When what is due is tried again after a write failed; none while nothing fails.
    pub(super) retry_at: Option<Timestamp>,
    pub(super) started_at: Timestamp,
}
