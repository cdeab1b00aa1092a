//! Reading the journal from async code.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use thiserror::Error;

use crate::domain::agent::Agent;
use crate::domain::ids::AgentId;
use crate::domain::time::Timestamp;
use crate::journal::{IdempotencyKey, ReadError, Reader};

/// Why it is not known what was answered under a key.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RecallError {
    /// The key was used for another request.
    #[error("this idempotency key was used before, for another request: choose a new one")]
    KeyReused,
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// A reader of the journal for async code. Does not pass through the journal's actor: what is durable can be read.
#[derive(Clone)]
pub struct JournalReads {
    reader: Arc<dyn Reader>,
    taken: Arc<AtomicU64>,
}

impl std::fmt::Debug for JournalReads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalReads")
    }
}

impl JournalReads {
    pub fn new(reader: impl Reader) -> Self {
        Self { reader: Arc::new(reader), taken: Arc::default() }
    }

    /// An agent. One that never registered is there, too: it may have been told something.
    pub async fn agent(&self, id: &AgentId) -> Result<Agent, ReadError> {
        let wanted = id.clone();
        let read = self.read(move |reader| reader.agent(&wanted)).await;
        Ok(read?.unwrap_or_else(|| Agent::unknown(id.clone())))
    }

    /// What was answered under this key while it is kept; none when it is free or not given. A write under a key may
    /// skip this: the store refuses the second. Fails when the key was used for another request, or on a read error.
    pub async fn recall(&self, now: Timestamp, key: Option<&IdempotencyKey>) -> Result<Option<Value>, RecallError> {
        let Some(IdempotencyKey { principal, key, digest }) = key.cloned() else { return Ok(None) };
        match self.read(move |reader| reader.recall(now, &principal, &key)).await? {
            None => Ok(None),
            Some((asked, receipt)) if asked == digest => Ok(Some(receipt)),
            Some(_) => Err(RecallError::KeyReused),
        }
    }

    /// Reads off the runtime's threads where the store waits for a disk. Keep it well under a second: a lingering
    /// reader keeps the write-ahead log from being trimmed. The error says what `read` says, or that it panicked.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Reader) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, ReadError> {
        self.taken.fetch_add(1, Ordering::Relaxed);
        if !self.reader.blocks() {
            return read(&*self.reader);
        }
        let reader = Arc::clone(&self.reader);
        let reading = tokio::task::spawn_blocking(move || read(&*reader));
        reading.await.unwrap_or_else(|error| Err(ReadError::Fault(error.to_string())))
    }

    #[cfg(test)]
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}
