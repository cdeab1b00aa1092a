//! The one writer.
//!
//! A failed batch leaves nothing behind and gives its numbers back. After a failure the connection is not trusted: a
//! failed `fsync` may have thrown away what it did not write, and retrying it would succeed without having written.
//! So the next write begins on a new connection, and learns from the file where it stands. The new one is opened
//! before the old one is closed: were the file ever without a connection, SQLite would recover its log and might find
//! there the very batch that was answered as failed.
//!
//! Before each batch the file is looked for under its name: what is written into one that was deleted or replaced since
//! it was opened would be confirmed and gone with the next start.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{
    CachedStatement, Connection, ErrorCode, OptionalExtension as _, Transaction, TransactionBehavior, params,
};

use super::connection::{self, Durability};
use super::mark::Mark;
use super::pending::Pending;
use super::prune;
use super::rows::{write_comments, write_notices, write_row};
use super::sessions;
use crate::codec::CodecError;
use crate::domain::time::Timestamp;
use crate::entry::{Append, Entry, Idempotency, Record, Row, Seq, Stream, Written};
use crate::later::Rows;
use crate::raw::RawRecord;
use crate::store::{HOOK_KEY_LIFETIME, KEY_LIFETIME, OF_HOOKS, Pruned, ReadError, Store, WriteError, key_lifetime};

/// How often keys that are too old are swept, by the time of the appends.
const SWEEP_EVERY: Duration = Duration::from_secs(10 * 60);

/// The one writer of a journal in a file. Holds the lock of the data directory while it lives.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    /// Device and number of the file that was opened; none where its name leads to no file of this disk.
    file: Option<(u64, u64)>,
    durability: Durability,
    connection: Connection,
    /// The last batch failed: the connection is to be replaced before the next.
    suspect: bool,
    position: Seq,
    pending: Pending,
    swept_at: Timestamp,
    mark: Mark,
    _lock: File,
}

impl SqliteStore {
    pub(super) fn new(
        path: &Path,
        durability: Durability,
        connection: Connection,
        lock: File,
        mark: Mark,
    ) -> rusqlite::Result<Self> {
        let position = last_seq(&connection)?;
        Ok(Self {
            path: path.to_owned(),
            file: found_at(path),
            durability,
            connection,
            suspect: false,
            position,
            pending: Pending::new(path, durability),
            swept_at: Timestamp::default(),
            mark,
            _lock: lock,
        })
    }

    #[cfg(test)]
    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The rows that are not in the file yet.
    pub(super) const fn pending(&self) -> &Pending {
        &self.pending
    }

    /// Makes the rows of all records that have none in the file.
    pub(super) fn reload(&mut self) -> Result<(), ReadError> {
        self.pending.reload(&mut self.connection)
    }

    pub(super) fn trusted(&mut self) -> Result<&mut Connection, WriteError> {
        if self.suspect {
            let fresh = connection::writer(&self.path, self.durability, false)?;
            self.position = last_seq(&fresh)?;
            self.connection = fresh;
            self.reload().map_err(|error| WriteError::Fault(error.to_string()))?;
            self.suspect = false;
        }
        Ok(&mut self.connection)
    }

    fn prune_some(&mut self, before: Timestamp, limit: usize) -> Result<Pruned, WriteError> {
        self.trusted()?;
        let lock = self.pending.lock();
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.pending.write(&lock, &transaction)?;
        let mut pruned = prune::prune(&transaction, before, limit, self.position)?;
        transaction.commit()?;
        self.pending.clear(&lock);
        // The room that is left is given back when nothing more is to go.
        pruned.more = pruned.more || prune::shrink(&self.connection)?;
        Ok(pruned)
    }

    fn write_all(&mut self, batch: &[Append]) -> Result<Vec<Result<Written, WriteError>>, WriteError> {
        self.trusted()?;
        let (lock, due) = (self.pending.lock(), self.pending.is_due());
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if due {
            self.pending.write(&lock, &transaction)?;
        }
        let mut pen = Pen { transaction: &transaction, pending: &self.pending, fresh: Rows::default() };
        let mut insert = transaction.prepare_cached(RECORD)?;
        let mut position = self.position;
        let mut answers = Vec::with_capacity(batch.len());
        for append in batch {
            let refused = match sessions::moved(&transaction, &self.pending, &pen.fresh, append)? {
                Some(moved) => Some(moved),
                None => claim(&transaction, append)?,
            };
            answers.push(match refused {
                Some(refused) => Err(refused),
                None => Ok(pen.write(&mut insert, append, &mut position)?),
            });
        }
        if let Some(last) = batch.last()
            && last.at.since(self.swept_at) >= SWEEP_EVERY
        {
            sweep(&transaction, last.at)?;
            self.swept_at = last.at;
        }
        let fresh = pen.fresh;
        drop(insert);
        transaction.commit()?;
        self.pending.add(&lock, fresh, due);
        self.position = position;
        self.mark.set(position);
        Ok(answers)
    }
}

impl Store for SqliteStore {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        if self.file.is_some() && self.file != found_at(&self.path) {
            let why = "it was deleted or replaced while the hub runs: stop the hub, put the file back, start it again";
            let gone = WriteError::Fault(format!("`{}`: {why}", self.path.display()));
            return batch.iter().map(|_| Err(gone.clone())).collect();
        }
        self.write_all(batch).unwrap_or_else(|fault| {
            self.suspect = true;
            batch.iter().map(|_| Err(fault.clone())).collect()
        })
    }

    fn prune(&mut self, before: Timestamp, limit: usize) -> Result<Pruned, WriteError> {
        self.prune_some(before, limit).inspect_err(|_| self.suspect = true)
    }

    fn position(&self) -> Seq {
        self.position
    }

    fn blocks(&self) -> bool {
        true
    }
}

/// Device and number of the file of this name.
fn found_at(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

fn last_seq(connection: &Connection) -> rusqlite::Result<Seq> {
    connection.query_row("SELECT coalesce(max(seq), 0) FROM records", [], |row| row.get(0))
}

/// Takes the append's key; says so when it is taken.
fn claim(transaction: &Transaction<'_>, append: &Append) -> Result<Option<WriteError>, WriteError> {
    let Some(Idempotency { principal, key, digest, receipt }) = &append.idempotency else { return Ok(None) };
    let mut find =
        transaction.prepare_cached("SELECT digest, receipt, at FROM idempotency WHERE principal = ?1 AND key = ?2")?;
    let first = find
        .query_row(params![principal.as_str(), key], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Timestamp>(2)?))
        })
        .optional()?;
    if let Some((first_digest, first_receipt, at)) = first
        && append.at.since(at) < key_lifetime(principal)
    {
        return Ok(Some(if first_digest == *digest {
            WriteError::Repeated { receipt: serde_json::from_str(&first_receipt)? }
        } else {
            WriteError::KeyReused
        }));
    }
    let mut keep = transaction.prepare_cached(
        "INSERT INTO idempotency (principal, key, digest, receipt, at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (principal, key) DO UPDATE SET digest = ?3, receipt = ?4, at = ?5",
    )?;
    keep.execute(params![principal.as_str(), key, digest, receipt.to_string(), append.at])?;
    Ok(None)
}

fn sweep(transaction: &Transaction<'_>, now: Timestamp) -> rusqlite::Result<()> {
    let mut delete = transaction.prepare_cached(
        "DELETE FROM idempotency WHERE at <= ?1 AND (at <= ?2 OR substr(principal, 1, length(?3)) <> ?3)",
    )?;
    delete.execute(params![now - KEY_LIFETIME, now - HOOK_KEY_LIFETIME, OF_HOOKS]).map(drop)
}

pub(crate) const RECORD: &str =
    "INSERT INTO records (seq, stream, kind, version, at, principal, surface, request, cause, body, subject)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// One transaction of the writer's.
struct Pen<'a> {
    transaction: &'a Transaction<'a>,
    pending: &'a Pending,
    /// The rows that follow from it, and go into the file later.
    fresh: Rows,
}

impl Pen<'_> {
    fn write(
        &mut self,
        insert: &mut CachedStatement<'_>,
        append: &Append,
        position: &mut Seq,
    ) -> Result<Written, WriteError> {
        let transaction = self.transaction;
        for row in &append.rows {
            if let Row::Task(task) = row {
                self.fresh.put_task(task);
            }
            // What no record says cannot be made again from the records.
            if !matches!(row, Row::Task(_)) || append.entries.is_empty() {
                write_row(transaction, row)?;
            }
        }
        for blob in &append.blobs {
            let mut keep = transaction.prepare_cached(
                "INSERT INTO blobs (id, body) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET body = ?2",
            )?;
            keep.execute(params![blob.id.as_str(), blob.text])?;
        }
        let first = position.next();
        for delivery in append.deliveries(first) {
            super::deliveries::put(transaction, &delivery)?;
        }
        for entry in &append.entries {
            *position = position.next();
            let cause = (*position != first).then_some(first);
            write_record(insert, append, *position, cause, entry)?;
            self.fresh.put_stream(&entry.stream, *position);
            if let (Stream::Task(task), Record::Review(record)) = (&entry.stream, &entry.record) {
                write_comments(transaction, task, record)?;
            }
            if let (Stream::Agent(agent), Record::Agent(record)) = (&entry.stream, &entry.record) {
                write_notices(transaction, agent, append.at, record)?;
            }
            if let Stream::Session(session) = &entry.stream {
                let now = (*position, append.at);
                sessions::fold(transaction, self.pending, &mut self.fresh, session, now, &entry.record)?;
            }
        }
        Ok(Written { first, last: *position })
    }
}

fn write_record(
    insert: &mut CachedStatement<'_>,
    append: &Append,
    seq: Seq,
    cause: Option<Seq>,
    entry: &Entry,
) -> Result<(), WriteError> {
    put_raw(insert, &RawRecord::of(append, seq, cause, entry)?)?;
    Ok(())
}

/// Puts the columns of a record in by [`RECORD`].
pub(crate) fn put_raw(insert: &mut CachedStatement<'_>, raw: &RawRecord) -> rusqlite::Result<()> {
    let RawRecord { seq, at, principal, surface, request, cause, stream, kind, version, body, subject } = raw;
    insert.execute(params![seq, stream, kind, version, at, principal, surface, request, cause, body, subject]).map(drop)
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(_) | None => Self::Fault(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for WriteError {
    fn from(error: serde_json::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<CodecError> for WriteError {
    fn from(error: CodecError) -> Self {
        Self::Fault(error.to_string())
    }
}

impl Drop for SqliteStore {
    /// A journal that was closed gently is one file: whoever copies it copies all of it.
    fn drop(&mut self) {
        if !self.suspect
            && let Err(error) = self.pending.flush()
        {
            tracing::debug!("the next start makes the rows from the records: {error}");
        }
        {
            // Readers that outlive the store write nothing: the file may be another hub's by then.
            let mut lock = self.pending.lock();
            self.pending.clear(&lock);
            drop(lock.take());
        }
        let folded = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        if !matches!(folded, Ok(0)) {
            tracing::debug!("the write-ahead log stays beside the journal: {folded:?}");
        }
    }
}
