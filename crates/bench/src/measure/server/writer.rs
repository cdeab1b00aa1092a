//! A writer of the journal's kind, and nothing else of the journal: one thread, one transaction for whatever came while
//! the one before was under way.

use std::path::Path;
use std::sync::mpsc;

use rusqlite::{Connection, params};
use tokio::sync::oneshot;

use crate::measure::error::BenchError;
use crate::measure::floor;

/// The most rows of one transaction, as `journal.batch` has it.
const BATCH: usize = 1024;

/// A line to the writer.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    asked: mpsc::Sender<WriteRequest>,
}

#[derive(Debug)]
struct WriteRequest {
    bytes: usize,
    kept: oneshot::Sender<Result<(), String>>,
}

impl Writer {
    /// Starts it on an empty database.
    pub(super) fn start(path: &Path) -> Result<Self, BenchError> {
        let connection = floor::open(path)?;
        let (asked, heard) = mpsc::channel();
        std::thread::spawn(move || write_all(connection, &heard));
        Ok(Self { asked })
    }

    /// Keeps a row of so many bytes; durable when it returns.
    pub(super) async fn append(&self, bytes: usize) -> Result<(), String> {
        let (kept, answer) = oneshot::channel();
        self.asked.send(WriteRequest { bytes, kept }).map_err(|_| "the writer ended".to_owned())?;
        answer.await.map_err(|_| "the writer ended".to_owned())?
    }
}

fn write_all(mut connection: Connection, heard: &mpsc::Receiver<WriteRequest>) {
    while let Ok(first) = heard.recv() {
        let batch: Vec<WriteRequest> = std::iter::once(first).chain(heard.try_iter()).take(BATCH).collect();
        let written = write(&mut connection, &batch).map_err(|error| error.to_string());
        for asked in batch {
            // Who does not listen any more needs no answer.
            drop(asked.kept.send(written.clone()));
        }
    }
}

fn write(connection: &mut Connection, batch: &[WriteRequest]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    for asked in batch {
        transaction.prepare_cached(floor::INSERT)?.execute(params![floor::row(asked.bytes)])?;
    }
    transaction.commit()
}
