//! The index: its file, and how it follows the journal.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params};
use thiserror::Error;

use super::batch::{SearchBatch, SearchText};
use super::text::{expression, said};
use crate::domain::ids::{BlobId, TaskId};
use crate::entry::{Kept, Seq};
use crate::private_file;
use crate::sqlite::SqliteReader;
use crate::store::{ReadError, Reader as _};

/// Records taken into the index in one transaction.
const BATCH: usize = 500;

/// The layout of the file; another one is thrown away and built anew.
const LAYOUT: u32 = 3;

const CREATE: &str = "
CREATE TABLE texts (seq INTEGER PRIMARY KEY, whose TEXT NOT NULL) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (said, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE VIRTUAL TABLE recent USING fts5 (said, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE TABLE cursor (only INTEGER PRIMARY KEY CHECK (only = 1), seq INTEGER NOT NULL, recent INTEGER NOT NULL) STRICT;
INSERT INTO cursor (only, seq, recent) VALUES (1, 0, 0);
";

/// The condition of a task in which a word was said; its parameter is an [`super::expression`]. Needs [`attach`].
pub(crate) const HAS_WORD: &str =
    "id IN (SELECT whose FROM search.texts WHERE seq IN (SELECT rowid FROM search.words WHERE said MATCH ?))";

/// The same by what was said lately: behind the record of [`recent_from`].
pub(crate) const HAS_RECENT_WORD: &str =
    "id IN (SELECT whose FROM search.texts WHERE seq IN (SELECT rowid FROM search.recent WHERE said MATCH ?))";

/// The same by so many of the newest texts with the word, the condition's second parameter: what is older than the
/// oldest of them ([`oldest_of`]) is not found.
pub(crate) const HAS_WORD_LATELY: &str = "id IN (SELECT whose FROM search.texts WHERE seq IN \
     (SELECT rowid FROM search.words WHERE said MATCH ? ORDER BY rowid DESC LIMIT ?))";

/// The oldest of so many of the newest records in which a word was said; none where there are not so many.
pub(crate) fn oldest_of(db: &Connection, word: &str, newest: i64) -> Result<Option<Seq>, ReadError> {
    let sql = "SELECT rowid FROM search.words WHERE said MATCH ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2";
    Ok(db.query_row(sql, params![expression(word), newest - 1], |row| row.get(0)).optional()?)
}

/// How many of the newest records `recent` has. It is the same index over few texts: the beginning of a word costs as
/// much as there are texts that have it, so that one that is everywhere is found here, and a rare one in `words`. In
/// tests there are few, so that both are asked.
const RECENT: u64 = if cfg!(test) { 16 } else { 4_000 };

/// The last record whose text is not in `recent`.
pub(crate) fn recent_from(db: &Connection) -> Result<Seq, ReadError> {
    Ok(db.query_row("SELECT recent FROM search.cursor", [], |row| row.get(0))?)
}

/// The same for a record in which a word was said, to be put behind another condition.
pub(crate) const RECORD_HAS_WORD: &str = " AND seq IN (SELECT rowid FROM search.words WHERE said MATCH ?)";

/// Why the index could not be built. Nothing but search suffers from it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the search index cannot be built: {detail}")]
pub struct SearchError {
    detail: String,
    /// The file is damaged: a new one will do.
    damaged: bool,
}

/// The writer of the index. One per journal; calls block on the disk.
#[derive(Debug)]
pub struct SearchIndex {
    path: PathBuf,
    journal: SqliteReader,
    connection: Connection,
    /// How far this pass over what may be let go of came.
    swept: Seq,
    /// Up to which record the last pass went that was made to its end.
    swept_to: Seq,
}

impl SearchIndex {
    /// Opens the index of a journal, or begins it anew when it is missing, damaged, of another layout, or ahead of the
    /// journal, as after a restored backup. Fails when a new file cannot be made.
    pub fn open(journal: SqliteReader) -> Result<Self, SearchError> {
        let path = path_beside(journal.path());
        let position = journal.position()?;
        let connection = match existing(&path, position) {
            Ok(Some(connection)) => connection,
            Ok(None) | Err(_) => create(&path)?,
        };
        Ok(Self { path, journal, connection, swept: Seq(0), swept_to: Seq(0) })
    }

    /// Takes at most `limit` more records into the index, and says how many: fewer than `limit` when it caught up.
    ///
    /// Fails when the journal cannot be read or the index not be written; the next call goes on from what was taken.
    pub fn catch_up(&mut self, limit: usize) -> Result<usize, SearchError> {
        if !self.path.exists() {
            self.begin_anew()?;
        }
        match self.follow(limit).and_then(|taken| self.forget(limit).map(|()| taken)) {
            Err(error) if error.damaged => {
                self.begin_anew()?;
                self.follow(limit)
            }
            followed => followed,
        }
    }

    /// Lets go of what was said in records that were pruned, except of tasks that are still there: those are looked at
    /// again once more was pruned. Looks at `limit` texts at most.
    fn forget(&mut self, limit: usize) -> Result<(), SearchError> {
        let horizon = self.journal.horizon()?;
        if self.swept_to >= horizon {
            return Ok(());
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let old: Vec<(Seq, String)> = self
            .connection
            .prepare_cached("SELECT seq, whose FROM texts WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3")?
            .query_map(params![self.swept, horizon, limit], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        let whole = i64::try_from(old.len()).unwrap_or(i64::MAX) < limit;
        let last = old.last().map_or(horizon, |(seq, _)| *seq);
        let transaction = self.connection.transaction()?;
        for (seq, whose) in old {
            let lives = match TaskId::parse(&whose) {
                Ok(task) => self.journal.task(&task)?.is_some(),
                Err(_) => false,
            };
            if !lives {
                transaction.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([seq])?;
                transaction.prepare_cached("DELETE FROM texts WHERE seq = ?1")?.execute([seq])?;
            }
        }
        transaction.commit()?;
        (self.swept, self.swept_to) = if whole { (Seq(0), horizon) } else { (last, self.swept_to) };
        Ok(())
    }

    /// Takes in what was heard, as far as it joins on to what the index has. What does not is left to
    /// [`Self::catch_up`], as is an index that is gone.
    pub fn take_in(&mut self, heard: Vec<SearchBatch>) -> Result<(), SearchError> {
        if !self.path.exists() {
            return Ok(());
        }
        let from = self.cursor()?;
        let (mut up_to, mut said) = (from, Vec::new());
        for heard in heard {
            if heard.after == up_to {
                up_to = heard.up_to;
                said.extend(heard.said);
            }
        }
        if up_to == from { Ok(()) } else { self.keep(&said, up_to) }
    }

    fn follow(&mut self, limit: usize) -> Result<usize, SearchError> {
        let mut taken = 0;
        while taken < limit {
            let want = BATCH.min(limit - taken);
            let from = self.cursor()?;
            let up_to = Seq(from.0.saturating_add(want as u64)).min(self.journal.position()?);
            if up_to <= from {
                break;
            }
            self.take(&self.journal.said_between(from, up_to)?, up_to)?;
            // Numbers have no gap: so many were looked at.
            let looked_at = usize::try_from(up_to.0.saturating_sub(from.0)).unwrap_or(want);
            taken += looked_at;
            if looked_at < want {
                break;
            }
        }
        Ok(taken)
    }

    pub fn cursor(&self) -> Result<Seq, SearchError> {
        Ok(self.connection.query_row("SELECT seq FROM cursor", [], |row| row.get(0))?)
    }

    #[cfg(test)]
    pub(super) fn texts(&self) -> u64 {
        let count = self.connection.query_row("SELECT count(*) FROM texts", [], |row| row.get::<_, i64>(0));
        u64::try_from(count.unwrap()).unwrap()
    }

    fn begin_anew(&mut self) -> Result<(), SearchError> {
        // The old file is let go first: closing it later would remove the new one's log, which has its name.
        self.connection = Connection::open_in_memory()?;
        self.connection = create(&self.path)?;
        (self.swept, self.swept_to) = (Seq(0), Seq(0));
        Ok(())
    }

    fn take(&mut self, records: &[Kept], up_to: Seq) -> Result<(), SearchError> {
        let blob = |blob: &BlobId| self.journal.blob(blob).ok().flatten();
        let said: Vec<SearchText> =
            records.iter().filter_map(|kept| SearchText::of(kept, said(&kept.record, blob))).collect();
        self.keep(&said, up_to)
    }

    fn keep(&mut self, said: &[SearchText], up_to: Seq) -> Result<(), SearchError> {
        let recent = Seq(self.journal.position()?.0.saturating_sub(RECENT));
        let transaction = self.connection.transaction()?;
        transaction.prepare_cached("DELETE FROM recent WHERE rowid <= ?1")?.execute([recent])?;
        for SearchText { seq, whose, text } in said {
            transaction
                .prepare_cached("INSERT INTO texts (seq, whose) VALUES (?1, ?2)")?
                .execute(params![seq, whose])?;
            transaction
                .prepare_cached("INSERT INTO words (rowid, said) VALUES (?1, ?2)")?
                .execute(params![seq, text])?;
            if *seq > recent {
                transaction
                    .prepare_cached("INSERT INTO recent (rowid, said) VALUES (?1, ?2)")?
                    .execute(params![seq, text])?;
            }
        }
        transaction.execute("UPDATE cursor SET seq = ?1, recent = ?2", [up_to, recent])?;
        Ok(transaction.commit()?)
    }
}

/// Lets a reading connection of the journal ask the index, as `search`.
pub(crate) fn attach(db: &Connection, journal: &Path) -> Result<(), ReadError> {
    let path = path_beside(journal);
    let attached = db.execute("ATTACH DATABASE ?1 AS search", [path.to_string_lossy()]);
    attached.map(drop).map_err(|error| ReadError::Fault(format!("the search index is not there yet: {error}")))
}

/// Ends [`attach`]; within a transaction the end of the connection does.
pub(crate) fn detach(db: &Connection) -> Result<(), ReadError> {
    if db.is_autocommit() { Ok(db.execute_batch("DETACH DATABASE search")?) } else { Ok(()) }
}

fn path_beside(journal: &Path) -> PathBuf {
    journal.with_file_name("callboard-search.db")
}

/// The index as it lies there; none when it cannot be gone on with.
fn existing(path: &Path, journal: Seq) -> rusqlite::Result<Option<Connection>> {
    if !path.exists() {
        return Ok(None);
    }
    let connection = Connection::open(path)?;
    settings(&connection)?;
    let layout: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if layout != LAYOUT {
        return Ok(None);
    }
    let cursor: Option<Seq> = connection.query_row("SELECT seq FROM cursor", [], |row| row.get(0)).optional()?;
    Ok(cursor.is_some_and(|cursor| cursor <= journal).then_some(connection))
}

fn create(path: &Path) -> Result<Connection, SearchError> {
    remove(path).and_then(|()| private_file::create(path).map(drop)).map_err(|error| unmade(&error))?;
    let mut connection = Connection::open(path)?;
    settings(&connection)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(CREATE)?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.commit()?;
    Ok(connection)
}

fn unmade(error: &std::io::Error) -> SearchError {
    SearchError { detail: error.to_string(), damaged: false }
}

/// Removes the index of another journal: the next hub makes it anew.
pub(crate) fn forget(journal: &Path) -> std::io::Result<()> {
    remove(&path_beside(journal))
}

fn remove(path: &Path) -> std::io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        private_file::remove(Path::new(&file))?;
    }
    Ok(())
}

fn settings(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    // What is lost with a power failure is taken in again: its cursor is lost with it.
    connection.pragma_update(None, "synchronous", "NORMAL")
}

impl From<rusqlite::Error> for SearchError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        let damaged = matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
        Self { detail: error.to_string(), damaged }
    }
}

impl From<ReadError> for SearchError {
    fn from(error: ReadError) -> Self {
        Self { detail: error.to_string(), damaged: false }
    }
}
