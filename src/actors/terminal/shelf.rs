//! The transcripts, for async code: what waits for a disk is done off the runtime's threads.

use crate::actors::common::Fault;
use crate::domain::ids::TerminalId;
use crate::domain::time::Timestamp;
use crate::transcripts::{Batch, Cleaned, Found, KeptLine, KeptTerminal, Search, TranscriptFault, Transcripts, Whose};

/// The transcripts of a hub. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Shelf(Transcripts);

impl Shelf {
    /// Wraps them.
    #[must_use]
    pub const fn new(transcripts: Transcripts) -> Self {
        Self(transcripts)
    }

    pub(super) async fn write(&self, batch: Batch) -> Result<(), Fault> {
        self.aside(move |kept| kept.write(&batch)).await
    }

    /// A terminal as it was written last, with its lines.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn read(&self, id: &TerminalId) -> Result<Option<(KeptTerminal, Vec<KeptLine>)>, Fault> {
        let id = id.clone();
        self.aside(move |kept| kept.read(&id)).await
    }

    /// Terminals that a hub that starts goes on with.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn to_resume(&self) -> Result<Vec<KeptTerminal>, Fault> {
        self.aside(Transcripts::to_resume).await
    }

    /// Looks for lines.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn search(&self, search: Search) -> Result<Found, Fault> {
        self.aside(move |kept| kept.search(&search)).await
    }

    /// Drops what is older, or says what would go.
    ///
    /// # Errors
    /// When they cannot be written.
    pub async fn clean(&self, before: Timestamp, whose: Whose, dry_run: bool) -> Result<Cleaned, Fault> {
        self.aside(move |kept| kept.clean(before, &whose, dry_run)).await
    }

    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transcripts) -> Result<T, TranscriptFault> + Send + 'static,
    ) -> Result<T, Fault> {
        let fault = |fault: TranscriptFault| Fault::Unavailable(fault.to_string());
        if !self.0.blocks() {
            return work(&self.0).map_err(fault);
        }
        let kept = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&kept)).await;
        done.map_err(|error| Fault::Unavailable(error.to_string()))?.map_err(fault)
    }
}
