//! Reading the journal from async code.

use std::sync::Arc;

use crate::domain::agent::Agent;
use crate::domain::ids::AgentId;
use crate::journal::{ReadError, Reader};

/// A reader of the journal for async code. Does not pass through the journal's actor: what is durable can be read.
#[derive(Clone)]
pub struct JournalReads {
    reader: Arc<dyn Reader>,
}

impl std::fmt::Debug for JournalReads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalReads")
    }
}

impl JournalReads {
    /// Wraps a store's reader.
    #[must_use]
    pub fn new(reader: impl Reader) -> Self {
        Self { reader: Arc::new(reader) }
    }

    /// An agent. One that never registered is there, too: it may have been told something.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub async fn agent(&self, id: &AgentId) -> Result<Agent, ReadError> {
        let wanted = id.clone();
        let read = self.read(move |reader| reader.agent(&wanted)).await;
        Ok(read?.unwrap_or_else(|| Agent::unknown(id.clone())))
    }

    /// Reads, off the runtime's threads where the store waits for a disk. Keep it short (well under a second): a
    /// reader that lingers keeps the write-ahead log from being trimmed.
    ///
    /// # Errors
    /// What `read` says, or that it panicked.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Reader) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, ReadError> {
        if !self.reader.blocks() {
            return read(&*self.reader);
        }
        let reader = Arc::clone(&self.reader);
        let reading = tokio::task::spawn_blocking(move || read(&*reader));
        reading.await.unwrap_or_else(|error| Err(ReadError::Fault(error.to_string())))
    }
}
