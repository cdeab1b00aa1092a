//! The typed door to the journal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use ractor::{ActorRef, RpcReplyPort};
use serde_json::Value;
use thiserror::Error;
use tokio::sync::oneshot;

use super::message::{Asker, JournalMessage, QueueSlot, Waiting};
use super::reads::{JournalReads, RecallError};
use super::view::JournalView;
use crate::actors::common::Fault;
use crate::domain::principal::By;
use crate::domain::time::Timestamp;
use crate::journal::{Append, IdempotencyKey, Pruned, ReadError, Reader, WriteError, Written};

/// How long a search waits for the index at most.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Why an append was not kept, as far as is known.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AppendError {
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Too many appends wait. Nothing was kept; try again in a moment.
    #[error("the journal is busy: {limit} appends wait for it")]
    Busy { limit: usize },
    /// The journal ended before it answered; whether the append was kept is not known until it is read.
    #[error("the journal ended before it answered")]
    Ended,
}

impl From<AppendError> for Fault {
    fn from(error: AppendError) -> Self {
        let why = error.to_string();
        match error {
            AppendError::Write(WriteError::Full) => Self::Storage { full: true, why },
            AppendError::Write(WriteError::Fault(_)) => Self::Storage { full: false, why },
            AppendError::Busy { limit } => Self::Busy { actor: "journal".to_owned(), depth: limit, limit },
            AppendError::Write(WriteError::Repeated { .. } | WriteError::KeyReused | WriteError::Moved(_))
            | AppendError::Ended => Self::Unavailable(why),
        }
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

#[derive(Debug, Clone)]
pub struct JournalRef {
    actor: ActorRef<JournalMessage>,
    reads: JournalReads,
    waiting: Arc<AtomicUsize>,
    limit: usize,
    rejected: Arc<AtomicU64>,
}

impl JournalRef {
    pub(super) fn new(
        actor: ActorRef<JournalMessage>,
        reads: JournalReads,
        waiting: Arc<AtomicUsize>,
        limit: usize,
    ) -> Self {
        Self { actor, reads, waiting, limit, rejected: Arc::default() }
    }

    /// Keeps an append: durable when this returns `Ok`. A caller that stops waiting does not take its append back.
    /// Fails when the store refuses it, too many wait, or the journal ends.
    pub async fn append(&self, append: Append) -> Result<Written, AppendError> {
        let place = QueueSlot::take(&self.waiting, self.limit).ok_or_else(|| {
            self.rejected.fetch_add(1, Ordering::Relaxed);
            AppendError::Busy { limit: self.limit }
        })?;
        let waiting = |reply| Waiting { append, asker: Asker { reply, place } };
        Ok(self.asks(|reply| JournalMessage::Append(Box::new(waiting(reply)))).await??)
    }

    /// Waits until each append that was sent before is kept or refused: what is read then has all of them. Fails when
    /// too many wait, or the journal ended.
    pub async fn settles(&self, now: Timestamp, by: By) -> Result<(), AppendError> {
        match self.append(Append::new(now, by, Vec::new())).await {
            Ok(_) | Err(AppendError::Write(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes one small batch from before `before`; see [`crate::journal::Store::prune`]. It takes its turn between
    /// two transactions. Fails when nothing was let go of, or the journal ended.
    pub async fn prune(&self, before: Timestamp) -> Result<Pruned, AppendError> {
        Ok(self.asks(|reply| JournalMessage::Prune { before, reply }).await??)
    }

    async fn asks<T>(&self, what: impl FnOnce(RpcReplyPort<T>) -> JournalMessage) -> Result<T, AppendError> {
        let (reply, answer) = oneshot::channel();
        self.actor.send_message(what(reply.into())).map_err(|_| AppendError::Ended)?;
        answer.await.map_err(|_| AppendError::Ended)
    }

    /// Waits until all that was written before this call can be searched; gives up after some seconds.
    pub async fn caught_up(&self) {
        let (reply, answer) = oneshot::channel();
        if self.actor.send_message(JournalMessage::CatchUp { reply: reply.into() }).is_ok() {
            let _ = tokio::time::timeout(TIMEOUT, answer).await;
        }
    }

    /// Reads what is durable; see [`JournalReads::read`]. The error says what `read` says, or that it panicked.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Reader) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, ReadError> {
        self.reads.read(read).await
    }

    /// What was answered under a key. Fails as [`JournalReads::recall`] does.
    pub async fn recall(&self, now: Timestamp, key: Option<&IdempotencyKey>) -> Result<Option<Value>, RecallError> {
        self.reads.recall(now, key).await
    }

    /// The way to read alone, for who must not write.
    pub const fn reads(&self) -> &JournalReads {
        &self.reads
    }

    /// How the journal stands now, as `/admin/journal` shows it.
    pub async fn view(&self) -> Result<JournalView, AppendError> {
        self.asks(|reply| JournalMessage::View { reply }).await
    }

    /// How many appends found too many before them.
    pub fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    pub fn depth(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    pub const fn actor(&self) -> &ActorRef<JournalMessage> {
        &self.actor
    }
}
