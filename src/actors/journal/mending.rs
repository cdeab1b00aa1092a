//! A journal that cannot write: it is tried again until it can, also when nobody asks for anything.
//!
//! Appends that come meanwhile are tried too: one that fits into a disk's last bytes is durable. The record tried here
//! says how long it lasted, and so is the first that people see.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use ractor::ActorRef;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::message::{Asker, JournalMessage, QueueSlot, Waiting};
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, HubRecord, Record};

/// How long after one attempt the next is made.
const TRIED_EVERY: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Mending {
    outage: Option<Outage>,
    armed: bool,
}

#[derive(Debug)]
struct Outage {
    since: Timestamp,
    began: Instant,
    reason: String,
    refused: u64,
}

impl Mending {
    pub(super) fn failed(&mut self, at: Timestamp, reason: &str, batch: &[Append]) {
        let outage = self.outage.get_or_insert_with(|| {
            tracing::error!("the journal did not keep a batch; it goes on reading, and is tried again: {reason}");
            Outage { since: at, began: Instant::now(), reason: reason.to_owned(), refused: 0 }
        });
        let refused = batch.iter().filter(|append| !says_that_it_is_over(append)).count();
        outage.refused = outage.refused.saturating_add(u64::try_from(refused).unwrap_or(u64::MAX));
    }

    pub(super) fn wrote(&mut self, batch: &[Append]) {
        if batch.iter().any(says_that_it_is_over)
            && let Some(outage) = self.outage.take()
        {
            let (span, refused) = (outage.began.elapsed(), outage.refused);
            tracing::info!("the journal writes again after {span:?}; {refused} appends were refused");
        }
    }

    pub(super) fn arm(&mut self, myself: &ActorRef<JournalMessage>) {
        if self.outage.is_some() && !self.armed {
            self.armed = true;
            // Rare, and it must come also when the alarm is what failed: the library's own timer will do.
            drop(myself.send_after(TRIED_EVERY, || JournalMessage::Try));
        }
    }

    /// What is tried; nothing when it was mended meanwhile. Nobody waits for its answer.
    pub(super) fn attempt(&mut self, unanswered: &Arc<AtomicUsize>) -> Option<Waiting> {
        self.armed = false;
        let Outage { since, began, reason, refused } = self.outage.as_ref()?;
        let (since, reason, refused) = (*since, reason.clone(), *refused);
        let record = HubRecord::JournalMended { since, reason, refused };
        let by = By { principal: PrincipalId::parse("hub").ok()?, surface: Surface::Hub };
        let append = Append::new(since + began.elapsed(), by, vec![Entry::of_hub(record)]);
        let (reply, _) = oneshot::channel();
        let place = QueueSlot::take(unanswered, usize::MAX)?;
        Some(Waiting { append, asker: Asker { reply: reply.into(), place } })
    }
}

fn says_that_it_is_over(append: &Append) -> bool {
    append.entries.iter().any(|entry| matches!(entry.record, Record::Hub(HubRecord::JournalMended { .. })))
}
