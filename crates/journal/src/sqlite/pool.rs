//! A small pool of read-only connections.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use rusqlite::Connection;

use super::connection;
use super::pending::Pending;
use crate::store::ReadError;

/// Connections kept open between reads. More readers at once open their own and close them again.
const KEPT: usize = 4;

/// Any number of readers of a journal in a file. Calls block on the disk.
#[derive(Debug, Clone)]
pub struct SqliteReader {
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    path: PathBuf,
    /// The rows that its writer has not written yet; none where a file is only read.
    pending: Option<Pending>,
    #[expect(clippy::disallowed_types, reason = "held while one element is pushed or popped, never during a read")]
    idle: std::sync::Mutex<Vec<Connection>>,
}

impl SqliteReader {
    #[expect(clippy::disallowed_types, reason = "as above")]
    pub(super) fn new(path: &Path, pending: Option<Pending>) -> Self {
        let idle = std::sync::Mutex::new(Vec::new());
        Self { pool: Arc::new(Pool { path: path.to_owned(), pending, idle }) }
    }

    /// The rows that are not in the file yet, where there may be any.
    pub(super) fn pending(&self) -> Option<&Pending> {
        self.pool.pending.as_ref()
    }

    /// Reads the rows of tasks or of sessions as a list, once they are up to the records.
    pub(super) fn list<T>(&self, read: impl FnOnce(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        if let Some(pending) = self.pending()
            && let Err(error) = pending.flush()
        {
            tracing::debug!("rows stay in memory until they can be written: {error}");
            return pending.read_unflushed(read);
        }
        self.with(|db| read(db))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.pool.path
    }

    /// Reads with a connection of its own. A connection that failed is not used again.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&mut Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => connection::reader(&self.pool.path)?,
        };
        let found = read(&mut connection)?;
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        Ok(found)
    }
}

impl SqliteReader {
    /// A reader of what is there now. For one thread; the write-ahead log is not trimmed while it lives.
    pub(crate) fn snapshot(&self) -> Result<Self, ReadError> {
        let held = Self::new(self.path(), None);
        held.with(|db| Ok(db.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")?))?;
        Ok(held)
    }

    /// What SQLite finds wrong with the file; nothing when it is sound.
    pub(crate) fn damages(&self) -> Result<Vec<String>, ReadError> {
        self.with(|db| {
            let mut check = db.prepare("PRAGMA quick_check(10)")?;
            let found = check.query_map([], |row| row.get(0))?;
            let found: Vec<String> = found.collect::<Result<_, _>>()?;
            Ok(found.into_iter().filter(|line| line != "ok").collect())
        })
    }

    pub(crate) fn on_connection<T, E: From<ReadError>>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        self.with(|db| Ok(read(db)))?
    }
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Fault(error.to_string())
    }
}
