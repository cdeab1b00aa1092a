//! The state of the learner: every pattern, as the journal has it.

use std::sync::Arc;

use crate::actors::common::MailboxMetrics;
use crate::actors::journal::JournalRef;
use crate::clock::Clock;
use crate::domain::prompt::book::PatternBook;
use crate::domain::time::Timestamp;

#[derive(Debug)]
pub struct State {
    pub(super) journal: JournalRef,
    pub(super) clock: Clock,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) book: PatternBook,
    pub(super) started_at: Timestamp,
}
