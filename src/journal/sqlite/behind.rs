//! Rows that follow their records: what tasks and sessions have come to, and where each stream's records are.
//!
//! All three can be made from the records. Written with each append they would be most of what a step writes: a page of
//! 4 KiB for each row and each index entry, three times for a task that is offered, acknowledged and completed. So an
//! append writes its records, and its rows wait in memory, where readers look first. They go into the file together:
//!
//! - in the writer's next transaction, once [`MOST`] records are behind;
//! - before somebody reads a list, which only the file can answer ([`Behind::settle`]);
//! - before pruning, and when the store is closed.
//!
//! `meta.rows` is the number of the last record whose rows are in the file, written in the same transaction. A hub
//! that was killed left at most [`MOST`] and a batch of records behind; the next start makes their rows
//! ([`Behind::catch_up`]).
//!
//! ```text
//! writer:  gate ─► BEGIN ─► [rows, meta.rows] records ─► COMMIT ─► rows in memory ─► gate opens ─► answer
//! reader:  gate ─► BEGIN ─► rows, meta.rows ─► COMMIT ─► memory is empty ─► gate opens ─► list
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::connection;
use super::read::{body, kept};
use super::rows::{write_session, write_task};
use crate::domain::ids::{SessionId, TaskId};
use crate::domain::session::Session;
use crate::domain::task::Task;
use crate::journal::entry::{Kept, Record, Seq, Stream};
use crate::journal::fold;
use crate::journal::store::{ReadError, WriteError};

/// How many records may be behind before the writer takes their rows along.
const MOST: usize = 2_000;

/// Records read at one go when rows are made from them.
const STRIDE: i64 = 1_000;

/// The rows that are not in the file yet. Cheap to clone; the writer and its readers share them.
#[derive(Debug, Clone)]
pub(super) struct Behind(Arc<Shared>);

#[derive(Debug)]
#[expect(clippy::disallowed_types, reason = "locked on threads that wait for the disk, never on the runtime's")]
struct Shared {
    path: PathBuf,
    /// Only whoever holds it writes rows into the file or changes `rows`. With it comes the readers' connection.
    gate: std::sync::Mutex<Option<Connection>>,
    /// Held while one row is looked up or a batch is taken in.
    rows: std::sync::Mutex<Rows>,
}

/// The right to write rows into the file.
pub(super) type Gate<'a> = MutexGuard<'a, Option<Connection>>;

/// Rows after some records, and where these are.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    tasks: BTreeMap<TaskId, Arc<Task>>,
    sessions: BTreeMap<SessionId, Session>,
    places: Vec<(Stream, Seq)>,
}

impl Rows {
    /// The row of a task after its last record.
    pub(super) fn put_task(&mut self, task: &Arc<Task>) {
        self.tasks.insert(task.spec.id.clone(), Arc::clone(task));
    }

    /// The row of a session after its last record.
    pub(super) fn put_session(&mut self, session: Session) {
        self.sessions.insert(session.id.clone(), session);
    }

    /// Where a record is.
    pub(super) fn put_place(&mut self, stream: &Stream, seq: Seq) {
        self.places.push((stream.clone(), seq));
    }

    /// A session as these rows know it.
    pub(super) fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.get(id)
    }

    fn take(&mut self, newer: Self) {
        self.tasks.extend(newer.tasks);
        self.sessions.extend(newer.sessions);
        self.places.extend(newer.places);
    }

    /// One more record, as a replay takes it.
    fn follow(&mut self, db: &Connection, kept: &Kept) -> Result<(), ReadError> {
        self.put_place(&kept.stream, kept.seq);
        match (&kept.stream, &kept.record) {
            (Stream::Task(id), Record::Task(record)) => {
                let before = match self.tasks.remove(id) {
                    None => body(db, "SELECT body FROM tasks WHERE id = ?1", [id.as_str()])?,
                    known => known.map(Arc::unwrap_or_clone),
                };
                let after = match before {
                    None => Task::from_created(kept.at, record),
                    Some(mut task) => {
                        task.apply(kept.at, record);
                        Some(task)
                    }
                };
                after.into_iter().for_each(|task| self.put_task(&Arc::new(task)));
            }
            (Stream::Session(id), record) => {
                let before = match self.sessions.remove(id) {
                    None => body(db, "SELECT body FROM sessions WHERE id = ?1", [id.as_str()])?,
                    known => known,
                };
                fold::session_after(before, id, kept.at, record).into_iter().for_each(|after| self.put_session(after));
            }
            (_, _) => {}
        }
        Ok(())
    }

    /// Writes all of them into the file.
    fn write(&self, transaction: &Transaction<'_>) -> Result<(), WriteError> {
        for task in self.tasks.values() {
            write_task(transaction, task)?;
        }
        for session in self.sessions.values() {
            write_session(transaction, session)?;
        }
        let mut places: Vec<&(Stream, Seq)> = self.places.iter().collect();
        places.sort_unstable();
        let mut put = transaction.prepare_cached("INSERT OR IGNORE INTO places (stream, seq) VALUES (?1, ?2)")?;
        for (stream, seq) in places {
            put.execute(params![stream.to_string(), seq])?;
        }
        if let Some((_, last)) = self.places.last() {
            let mut put = transaction.prepare_cached(
                "INSERT INTO meta (key, value) VALUES ('rows', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1",
            )?;
            put.execute([last.to_string()])?;
        }
        Ok(())
    }
}

impl Behind {
    #[expect(clippy::disallowed_types, reason = "as above")]
    pub(super) fn new(path: &Path) -> Self {
        let (gate, rows) = (std::sync::Mutex::default(), std::sync::Mutex::default());
        Self(Arc::new(Shared { path: path.to_owned(), gate, rows }))
    }

    /// Waits for the right to write rows.
    pub(super) fn gate(&self) -> Gate<'_> {
        self.0.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.0.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task whose row is not in the file yet.
    pub(super) fn task(&self, id: &TaskId) -> Option<Arc<Task>> {
        self.rows().tasks.get(id).cloned()
    }

    /// A session whose row is not in the file yet.
    pub(super) fn session(&self, id: &SessionId) -> Option<Session> {
        self.rows().sessions.get(id).cloned()
    }

    /// Whether the writer is to take the rows along.
    pub(super) fn is_due(&self) -> bool {
        self.rows().places.len() >= MOST
    }

    /// Writes the rows in this transaction; [`Self::wrote`] follows its commit.
    pub(super) fn write(&self, _: &Gate<'_>, transaction: &Transaction<'_>) -> Result<(), WriteError> {
        let rows = self.rows().clone();
        rows.write(transaction)
    }

    /// The rows that were there are in the file.
    pub(super) fn wrote(&self, _: &Gate<'_>) {
        *self.rows() = Rows::default();
    }

    /// A batch is durable: these are its rows; those from before are in the file, if `written`.
    pub(super) fn take(&self, _: &Gate<'_>, newer: Rows, written: bool) {
        let mut rows = self.rows();
        if written {
            *rows = newer;
        } else {
            rows.take(newer);
        }
    }

    /// Brings the file's rows up to its records, for a list that is read there. Needs no sync: what the power takes is
    /// made again from the records.
    pub(super) fn settle(&self) -> Result<(), WriteError> {
        let mut gate = self.gate();
        if self.rows().places.is_empty() {
            return Ok(());
        }
        // A connection that failed is not used again.
        let mut connection = match gate.take() {
            Some(connection) => connection,
            None => connection::settler(&self.0.path)?,
        };
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.write(&gate, &transaction)?;
        transaction.commit()?;
        self.wrote(&gate);
        *gate = Some(connection);
        Ok(())
    }

    /// Makes the rows of all records that have none in the file: at a start, and after a write that failed.
    pub(super) fn catch_up(&self, connection: &mut Connection) -> Result<(), WriteError> {
        let gate = self.gate();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let (mut rows, mut from) = (Rows::default(), rows_up_to(&transaction)?);
        loop {
            let which = "WHERE seq > ?1 ORDER BY seq LIMIT ?2";
            let records = kept(&transaction, which, params![from, STRIDE]).map_err(unread)?;
            let Some(last) = records.last() else { break };
            from = last.seq;
            for record in &records {
                rows.follow(&transaction, record).map_err(unread)?;
            }
        }
        rows.write(&transaction)?;
        transaction.commit()?;
        self.wrote(&gate);
        Ok(())
    }
}

/// The number of the last record whose rows are in the file.
pub(super) fn rows_up_to(db: &Connection) -> rusqlite::Result<Seq> {
    let kept: Option<String> =
        db.prepare_cached("SELECT value FROM meta WHERE key = 'rows'")?.query_row([], |row| row.get(0)).optional()?;
    Ok(Seq(kept.and_then(|text| text.parse().ok()).unwrap_or_default()))
}

fn unread(error: ReadError) -> WriteError {
    WriteError::Fault(error.to_string())
}

#[cfg(test)]
mod tests;
