//! The file, or the memory that stands for it in tests: opened when it is needed first.

use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, params};

use super::fault::TranscriptFault;
use super::kept::{Batch, Cleaned, KeptLine, KeptPiece, KeptTerminal, Whose};
use super::schema::{self, count};
use super::search::{Found, Search};
use crate::domain::ids::TerminalId;
use crate::domain::time::Timestamp;
use crate::private_file;

/// The file's name in the data directory.
pub const FILE: &str = "callboard-terminals.db";

/// How long a connection waits for another one to let go of the file.
const BUSY: Duration = Duration::from_secs(5);

/// The transcripts of one hub. Cheap to clone; clones share the file.
#[derive(Debug, Clone)]
pub struct Transcripts(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// None: in memory.
    path: Option<PathBuf>,
    #[expect(clippy::disallowed_types, reason = "one writer; held for one transaction, on threads for blocking work")]
    writer: std::sync::Mutex<Option<Connection>>,
}

impl Transcripts {
    /// Transcripts that end with the hub.
    pub fn in_memory() -> Self {
        Self::new(None)
    }

    /// Transcripts in a file, which is made when the first terminal writes.
    pub fn at(path: PathBuf) -> Self {
        Self::new(Some(path))
    }

    #[expect(clippy::disallowed_types, reason = "as above")]
    fn new(path: Option<PathBuf>) -> Self {
        Self(Arc::new(Shared { path, writer: std::sync::Mutex::new(None) }))
    }

    /// Whether a call waits for a disk, and so must not run on a thread of the runtime.
    pub fn blocks(&self) -> bool {
        self.0.path.is_some()
    }

    fn is_empty(&self) -> bool {
        match &self.0.path {
            Some(path) => !path.exists(),
            None => self.lock().is_none(),
        }
    }

    /// Keeps a batch, in one transaction. Fails when the file cannot be written; nothing of the batch is kept then.
    pub fn write(&self, batch: &Batch) -> Result<(), TranscriptFault> {
        self.writing(|transaction| {
            let kept = &batch.terminal;
            let id = kept.spec.id.as_str();
            put(transaction, kept)?;
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO lines (terminal, number, at, wrapped, text) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for line in &batch.lines {
                insert.execute(params![id, number(line.number), number(line.at.0), line.wrapped, line.text])?;
            }
            let mut forget = transaction.prepare_cached("DELETE FROM lines WHERE terminal = ?1 AND number < ?2")?;
            forget.execute(params![id, number(batch.drop_before)])?;
            Ok(())
        })
    }

    /// A terminal with its lines, oldest first.
    pub fn read(&self, id: &TerminalId) -> Result<Option<(KeptTerminal, Vec<KeptLine>)>, TranscriptFault> {
        self.reading(None, |db| {
            let mut find = db.prepare_cached("SELECT body FROM terminals WHERE id = ?1")?;
            let body: Option<String> = find.query_row([id.as_str()], |row| row.get(0)).optional()?;
            let Some(kept) = body.map(|body| parse(&body)).transpose()? else { return Ok(None) };
            Ok(Some((kept, lines(db, id)?)))
        })
    }

    /// Keeps what a terminal printed lately in place of what was kept. Fails, without a change, where it cannot.
    pub fn put_recent(&self, id: &TerminalId, pieces: &[KeptPiece]) -> Result<(), TranscriptFault> {
        self.writing(|transaction| {
            transaction.prepare_cached("DELETE FROM recent WHERE terminal = ?1")?.execute([id.as_str()])?;
            let mut insert = transaction
                .prepare_cached("INSERT INTO recent (terminal, start, length, bytes) VALUES (?1, ?2, ?3, ?4)")?;
            for piece in pieces {
                insert.execute(params![id.as_str(), number(piece.start), number(piece.length), piece.bytes])?;
            }
            Ok(())
        })
    }

    /// What a terminal had printed lately when it was put here last, the oldest first.
    pub fn recent(&self, id: &TerminalId) -> Result<Vec<KeptPiece>, TranscriptFault> {
        self.reading(Vec::new(), |db| {
            if !schema::keeps_recent(db)? {
                return Ok(Vec::new());
            }
            let mut find =
                db.prepare_cached("SELECT start, length, bytes FROM recent WHERE terminal = ?1 ORDER BY start")?;
            let pieces = find.query_map([id.as_str()], |row| {
                Ok(KeptPiece { start: count(row.get(0)?), length: count(row.get(1)?), bytes: row.get(2)? })
            })?;
            Ok(pieces.collect::<Result<_, _>>()?)
        })
    }

    /// Terminals that a hub that starts goes on with: whose file is followed, or who showed a prompt.
    pub fn to_resume(&self) -> Result<Vec<KeptTerminal>, TranscriptFault> {
        self.reading(Vec::new(), |db| {
            let mut find = db.prepare_cached("SELECT body FROM terminals WHERE resumes = 1 ORDER BY id")?;
            let bodies = find.query_map([], |row| row.get::<_, String>(0))?;
            bodies.map(|body| parse(&body?)).collect()
        })
    }

    pub fn search(&self, search: &Search) -> Result<Found, TranscriptFault> {
        self.reading(Found::default(), |db| search.run(db))
    }

    /// Drops what terminals printed that were quiet since `before`, or says what would go.
    pub fn clean(&self, before: Timestamp, whose: &Whose, dry_run: bool) -> Result<Cleaned, TranscriptFault> {
        if self.is_empty() {
            return Ok(Cleaned::default());
        }
        self.writing(|transaction| {
            let old: Vec<KeptTerminal> = {
                let mut find =
                    transaction.prepare_cached("SELECT body FROM terminals WHERE updated_at < ?1 ORDER BY id")?;
                let bodies = find.query_map([number(before.0)], |row| row.get::<_, String>(0))?;
                bodies.map(|body| parse(&body?)).collect::<Result<_, _>>()?
            };
            let mut cleaned = Cleaned::default();
            // What is followed is not over, however quiet it is.
            let over = |kept: &&KeptTerminal| kept.stopped_at.is_some() || !kept.spec.kind.follows_a_file();
            for kept in old.iter().filter(|kept| whose.admits(&kept.spec)).filter(over) {
                let id = kept.spec.id.as_str();
                let size = "SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM lines WHERE terminal = ?1";
                let text: i64 = transaction.prepare_cached(size)?.query_row([id], |row| row.get(0))?;
                cleaned.bytes +=
                    u64::try_from(text).unwrap_or_default() + u64::try_from(kept.drawing.len()).unwrap_or_default();
                cleaned.terminals.push(id.to_owned());
                if !dry_run {
                    let rows = ["lines WHERE terminal", "recent WHERE terminal", "terminals WHERE id"];
                    rows.iter().try_for_each(|of| delete(transaction, of, id))?;
                }
            }
            Ok(cleaned)
        })
    }

    /// Reads; what `nothing` says when nothing was ever kept.
    fn reading<T>(
        &self,
        nothing: T,
        read: impl FnOnce(&Connection) -> Result<T, TranscriptFault>,
    ) -> Result<T, TranscriptFault> {
        if self.is_empty() {
            return Ok(nothing);
        }
        match &self.0.path {
            // A reader of its own, so that a long search does not keep terminals from writing.
            Some(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = Connection::open_with_flags(path, flags)?;
                connection.busy_timeout(BUSY)?;
                if schema::layout_of(&connection)? != schema::LAYOUT {
                    return Ok(nothing);
                }
                read(&connection)
            }
            None => match &*self.lock() {
                Some(connection) => read(connection),
                None => Ok(nothing),
            },
        }
    }

    fn writing<T>(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> Result<T, TranscriptFault>,
    ) -> Result<T, TranscriptFault> {
        let mut held = self.lock();
        let mut connection = match held.take() {
            Some(connection) => connection,
            None => open(self.0.path.as_deref())?,
        };
        // A connection that failed is not used again.
        let done = (|| {
            let transaction = connection.transaction()?;
            let done = write(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })();
        if done.is_ok() || self.0.path.is_none() {
            *held = Some(connection);
        }
        done
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.0.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn put(transaction: &Transaction<'_>, kept: &KeptTerminal) -> Result<(), TranscriptFault> {
    let resumes = kept.stopped_at.is_none() && (kept.spec.kind.follows_a_file() || kept.waits);
    let body = serde_json::to_string(kept).map_err(|error| TranscriptFault(error.to_string()))?;
    let mut put = transaction.prepare_cached(
        "INSERT INTO terminals (id, resumes, updated_at, body) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET resumes = ?2, updated_at = ?3, body = ?4",
    )?;
    put.execute(params![kept.spec.id.as_str(), resumes, number(kept.updated_at.0), body])?;
    Ok(())
}

fn lines(db: &Connection, id: &TerminalId) -> Result<Vec<KeptLine>, TranscriptFault> {
    let mut find =
        db.prepare_cached("SELECT number, at, wrapped, text FROM lines WHERE terminal = ?1 ORDER BY number")?;
    let rows = find.query_map([id.as_str()], |row| {
        Ok(KeptLine {
            number: count(row.get(0)?),
            at: Timestamp(count(row.get(1)?)),
            wrapped: row.get(2)?,
            text: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Opens the file, or begins it anew when it is of another layout or damaged: nothing in it is a promise.
fn open(path: Option<&Path>) -> Result<Connection, TranscriptFault> {
    let Some(path) = path else {
        let mut connection = Connection::open_in_memory()?;
        schema::create(&mut connection)?;
        return Ok(connection);
    };
    match existing(path) {
        Ok(Some(connection)) => Ok(connection),
        Ok(None) | Err(_) => create(path),
    }
}

fn existing(path: &Path) -> rusqlite::Result<Option<Connection>> {
    if !path.exists() {
        return Ok(None);
    }
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    set(&connection)?;
    if schema::layout_of(&connection)? != schema::LAYOUT {
        return Ok(None);
    }
    schema::complete(&connection)?;
    Ok(Some(connection))
}

fn create(path: &Path) -> Result<Connection, TranscriptFault> {
    let fault = |error: std::io::Error| TranscriptFault(error.to_string());
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        private_file::remove(Path::new(&file)).map_err(fault)?;
    }
    private_file::create(path).map_err(fault)?;
    let mut connection = Connection::open(path)?;
    // What is cleaned up goes back to the system.
    connection.pragma_update(None, "auto_vacuum", "FULL")?;
    set(&connection)?;
    schema::create(&mut connection)?;
    Ok(connection)
}

fn set(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    // What a power failure takes is at most what was printed in its last seconds.
    connection.pragma_update(None, "synchronous", "NORMAL")
}

fn delete(transaction: &Transaction<'_>, of: &str, terminal: &str) -> rusqlite::Result<()> {
    transaction.prepare_cached(&format!("DELETE FROM {of} = ?1"))?.execute([terminal]).map(drop)
}

fn parse(body: &str) -> Result<KeptTerminal, TranscriptFault> {
    serde_json::from_str(body).map_err(|error| TranscriptFault(format!("a row is damaged: {error}")))
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
