//! Rows that are written later than their records: those of tasks and of sessions, and the index of records by stream.
//!
//! All three can be made again from the records. Written with each append they would be most of what a step writes: a
//! page of 4 KiB for each row and each index entry, three times for a task that is offered, acknowledged and completed.
//! So an append writes its records, and its rows stay in memory, and go into the file together:
//!
//! - in the writer's next transaction, once the rows of [`FLUSH_AT`] records are pending;
//! - before a list is read, which only the file can answer ([`Pending::flush`]);
//! - before pruning, and when the store is closed.
//!
//! `meta.rows_up_to` is the number of the last record whose rows are in the file, written in the same transaction. A
//! hub that was killed left at most [`FLUSH_AT`] records and one batch without rows; the next start makes them from the
//! records ([`Pending::reload`]).
//!
//! A read needs no room on the disk: where the rows cannot be flushed, a list is read within a transaction that writes
//! them and is rolled back ([`Pending::read_unflushed`]).
//!
//! ```text
//! writer:  lock ─► BEGIN ─► [rows, rows_up_to] records ─► COMMIT ─► rows into memory ─► unlock ─► answer
//! list:    lock ─► BEGIN ─► rows, rows_up_to ─► COMMIT ─► memory is cleared ─► unlock ─► read
//! no room: lock ─► BEGIN ─► rows, rows_up_to ─► read ─► ROLLBACK ─► unlock
//! ```
//!
//! Measured when every append still wrote its rows: a task that was offered, acknowledged and completed wrote 19 pages
//! of 4 KiB (100 agents, 24 appends in a transaction). 31 % were the index of records by stream, 25 % the rows of
//! tasks, 13 % those of sessions, 10 % the index of tasks by state, 5 % that by holder, 11 % the records themselves,
//! which alone cannot be made again. Each page is written once into the log, and once more when the log is folded into
//! the file. Beside them a task costs a line of the audit (0.5 kB) and its words in the search index (about 1 kB).
//! Since the rows are written later, a task wrote 18 to 19 kB instead of 44 to 47, and took 0.58 to 0.74 ms of a core
//! instead of 0.72 to 0.93 (in turns on one machine that also did other work).

use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::connection::{self, Durability};
use super::decode::{body, kept};
use super::rows::{write_session, write_task};
use crate::domain::ids::{SessionId, TaskId};
use crate::domain::session::Session;
use crate::domain::task::Task;
use crate::entry::{Seq, Stream};
use crate::later::Rows;
use crate::store::{ReadError, WriteError};

/// So many records with pending rows make the writer flush them with its next batch. They are some hundred KiB of
/// memory, and a start after a kill makes them again within some ten milliseconds.
const FLUSH_AT: usize = 2_000;

/// Records read at one go when rows are made from them.
const STRIDE: i64 = 1_000;

/// The rows that are not in the file yet. Cheap to clone; the writer and its readers share them.
#[derive(Debug, Clone)]
pub(super) struct Pending(Arc<Shared>);

#[derive(Debug)]
#[expect(clippy::disallowed_types, reason = "locked on threads that wait for the disk, never on the runtime's")]
struct Shared {
    path: PathBuf,
    durability: Durability,
    /// Held over every transaction that writes, so that `rows` changes with the file. The connection flushes.
    lock: std::sync::Mutex<Option<Connection>>,
    /// Held while one row is looked up or a batch is added.
    rows: std::sync::Mutex<Rows>,
}

/// The right to write into the file.
pub(super) type WriteLock<'a> = MutexGuard<'a, Option<Connection>>;

/// Writes all of them into the file.
fn write_rows(rows: &Rows, transaction: &Transaction<'_>) -> Result<(), WriteError> {
    for task in rows.tasks.values() {
        write_task(transaction, task)?;
    }
    for session in rows.sessions.values() {
        write_session(transaction, session)?;
    }
    let mut by_stream: Vec<&(Stream, Seq)> = rows.streams.iter().collect();
    by_stream.sort_unstable();
    let mut put = transaction.prepare_cached("INSERT OR IGNORE INTO stream_index (stream, seq) VALUES (?1, ?2)")?;
    for (stream, seq) in by_stream {
        put.execute(params![stream.to_string(), seq])?;
    }
    if let Some((_, last)) = rows.streams.last() {
        let mut put = transaction.prepare_cached(
            "INSERT INTO meta (key, value) VALUES ('rows_up_to', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1",
        )?;
        put.execute([last.to_string()])?;
    }
    Ok(())
}

impl Pending {
    #[expect(clippy::disallowed_types, reason = "as above")]
    pub(super) fn new(path: &Path, durability: Durability) -> Self {
        let (lock, rows) = (std::sync::Mutex::default(), std::sync::Mutex::default());
        Self(Arc::new(Shared { path: path.to_owned(), durability, lock, rows }))
    }

    pub(super) fn lock(&self) -> WriteLock<'_> {
        self.0.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.0.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn task(&self, id: &TaskId) -> Option<Arc<Task>> {
        self.rows().tasks.get(id).cloned()
    }

    pub(super) fn session(&self, id: &SessionId) -> Option<Session> {
        self.rows().sessions.get(id).cloned()
    }

    /// Whether the writer is to flush the rows with its next batch.
    pub(super) fn is_due(&self) -> bool {
        self.rows().streams.len() >= FLUSH_AT
    }

    /// Writes the rows in this transaction. [`Self::clear`] or [`Self::add`] follows its commit.
    pub(super) fn write(&self, _: &WriteLock<'_>, transaction: &Transaction<'_>) -> Result<(), WriteError> {
        let rows = self.rows().clone();
        write_rows(&rows, transaction)
    }

    /// The rows are in the file, or no longer wanted.
    pub(super) fn clear(&self, _: &WriteLock<'_>) {
        *self.rows() = Rows::default();
    }

    /// A batch is committed: these are its rows. Those from before are in the file, if `flushed`.
    pub(super) fn add(&self, _: &WriteLock<'_>, newer: Rows, flushed: bool) {
        let mut rows = self.rows();
        if flushed {
            *rows = newer;
        } else {
            rows.add(newer);
        }
    }

    /// Brings the rows of the file up to its records. Synced as every commit is: what a failed sync has lost must not
    /// lie in the log before what is acknowledged later.
    pub(super) fn flush(&self) -> Result<(), WriteError> {
        let mut lock = self.lock();
        if self.rows().streams.is_empty() {
            return Ok(());
        }
        // A connection that failed is not used again.
        let mut connection = match lock.take() {
            Some(connection) => connection,
            None => connection::flusher(&self.0.path, self.0.durability)?,
        };
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.write(&lock, &transaction)?;
        transaction.commit()?;
        self.clear(&lock);
        *lock = Some(connection);
        Ok(())
    }

    /// Reads as if the rows were in the file, which stays as it is: where a flush failed. The writer waits meanwhile.
    pub(super) fn read_unflushed<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let lock = self.lock();
        let mut connection = connection::unset(&self.0.path)?;
        // However many pages are changed, they stay in memory.
        connection.pragma_update(None, "cache_spill", false)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.write(&lock, &transaction).map_err(|error| ReadError::Fault(error.to_string()))?;
        read(&transaction)
    }

    /// Makes the rows of all records that have none in the file, at a start and after a failure. Writes nothing.
    pub(super) fn reload(&self, db: &mut Connection) -> Result<(), ReadError> {
        let _lock = self.lock();
        let snapshot = db.savepoint()?;
        let (mut rows, mut from) = (Rows::default(), rows_up_to(&snapshot)?);
        loop {
            let records = kept(&snapshot, "WHERE seq > ?1 ORDER BY seq LIMIT ?2", params![from, STRIDE])?;
            let Some(last) = records.last() else { break };
            from = last.seq;
            for record in &records {
                rows.apply(
                    record,
                    |id| body(&snapshot, "SELECT body FROM tasks WHERE id = ?1", [id.as_str()]),
                    |id| body(&snapshot, "SELECT body FROM sessions WHERE id = ?1", [id.as_str()]),
                )?;
            }
        }
        *self.rows() = rows;
        Ok(())
    }
}

/// The number of the last record whose rows are in the file.
pub(super) fn rows_up_to(db: &Connection) -> rusqlite::Result<Seq> {
    let mut find = db.prepare_cached("SELECT value FROM meta WHERE key = 'rows_up_to'")?;
    let kept: Option<String> = find.query_row([], |row| row.get(0)).optional()?;
    Ok(Seq(kept.and_then(|text| text.parse().ok()).unwrap_or_default()))
}

#[cfg(test)]
mod tests;
