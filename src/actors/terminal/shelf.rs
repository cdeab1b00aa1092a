//! The transcripts, for async code: what waits for a disk is done off the runtime's threads.

use crate::actors::common::{Fault, Result};
use crate::domain::ids::TerminalId;
use crate::domain::time::Timestamp;
use crate::terminal::{History, Piece, Recent};
use crate::transcripts::{
    Batch, Cleaned, Found, KeptLine, KeptPiece, KeptTerminal, Search, TranscriptFault, Transcripts, Whose,
};

#[derive(Debug, Clone)]
pub struct Shelf(Transcripts);

impl Shelf {
    pub const fn new(transcripts: Transcripts) -> Self {
        Self(transcripts)
    }

    pub(super) async fn write(&self, batch: Batch) -> Result<()> {
        self.aside(move |kept| kept.write(&batch)).await
    }

    /// A terminal as it was written last, with its lines.
    pub async fn read(&self, id: &TerminalId) -> Result<Option<(KeptTerminal, Vec<KeptLine>)>> {
        let id = id.clone();
        self.aside(move |kept| kept.read(&id)).await
    }

    /// Keeps what a terminal that rests printed lately.
    pub(super) async fn put_recent(&self, id: &TerminalId, pieces: Vec<Piece>) -> Result<()> {
        let id = id.clone();
        let kept = |Piece { start, length, bytes }| KeptPiece { start, length, bytes };
        let pieces: Vec<KeptPiece> = pieces.into_iter().map(kept).collect();
        self.aside(move |kept| kept.put_recent(&id, &pieces)).await
    }

    /// What a terminal printed lately, where that was kept up to the place at which it stands.
    pub(super) async fn recent(&self, id: &TerminalId, end: u64) -> Result<Recent> {
        let id = id.clone();
        let pieces = self.aside(move |kept| kept.recent(&id)).await?;
        let piece = |KeptPiece { start, length, bytes }| Piece { start, length, bytes };
        Ok(Recent::restored(end, pieces.into_iter().map(piece).collect()))
    }

    pub async fn to_resume(&self) -> Result<Vec<KeptTerminal>> {
        self.aside(Transcripts::to_resume).await
    }

    pub async fn search(&self, search: Search) -> Result<Found> {
        self.aside(move |kept| kept.search(&search)).await
    }

    /// Drops what is older, or says what would go.
    pub async fn clean(&self, before: Timestamp, whose: Whose, dry_run: bool) -> Result<Cleaned> {
        self.aside(move |kept| kept.clean(before, &whose, dry_run)).await
    }

    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transcripts) -> Result<T, TranscriptFault> + Send + 'static,
    ) -> Result<T> {
        let fault = |fault: TranscriptFault| Fault::Unavailable(fault.to_string());
        if !self.0.blocks() {
            return work(&self.0).map_err(fault);
        }
        let kept = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&kept)).await;
        done.map_err(|error| Fault::Unavailable(error.to_string()))?.map_err(fault)
    }
}

/// The history of a terminal that keeps so many lines, from what was kept of it.
pub(super) fn history_of(lines: usize, kept: &KeptTerminal, known: &[KeptLine]) -> History {
    let first = known.first().map_or(kept.screen_line, |line| line.number);
    let mut history = History::resumed(lines, first);
    known.iter().filter(|line| line.number < kept.screen_line).for_each(|line| {
        history.restore(&line.text, line.wrapped);
    });
    history
}
