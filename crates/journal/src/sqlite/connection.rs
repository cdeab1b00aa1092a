//! How a connection to the journal's file is set.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// Power loss: each transaction ends with an `fsync`.
    #[default]
    Full,
    /// The death of the process; the newest writes may be lost with the power.
    Normal,
}

/// How long a connection waits for another process (a backup, an operator's `sqlite3`) to let go of the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Statements kept prepared per connection; more than there are.
const STATEMENTS: usize = 64;

/// The connection that writes. The file must be there; `begins`: and nothing is in it.
pub(super) fn writer(path: &Path, durability: Durability, begins: bool) -> rusqlite::Result<Connection> {
    let connection = unset(path)?;
    // So that it can give pages back to the system. Into one that is laid out this would write, before it was checked.
    if begins {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    synchronous(&connection, durability)?;
    connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
    Ok(connection)
}

/// A connection that writes beside the writer, which alone folds the log into the file. The file must be there.
pub(super) fn flusher(path: &Path, durability: Durability) -> rusqlite::Result<Connection> {
    let connection = unset(path)?;
    synchronous(&connection, durability)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(connection)
}

fn synchronous(connection: &Connection, durability: Durability) -> rusqlite::Result<()> {
    let level = match durability {
        Durability::Full => "FULL",
        Durability::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", level)
}

/// A connection that may write, and has set nothing in the file. The file must be there.
pub(super) fn unset(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | no_mutex())?;
    common(&connection)?;
    Ok(connection)
}

/// Rewrites a file that nobody else uses without its free pages, and so that it can give pages back later.
pub(crate) fn compact(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.execute_batch("VACUUM")
}

/// A connection that reads the file as it lies there, without its write-ahead log. Nobody must write meanwhile.
pub(super) fn file_alone(path: &Path) -> rusqlite::Result<Connection> {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | no_mutex();
    Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)
}

pub(crate) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | no_mutex())?;
    common(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn common(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "mmap_size", 0)?;
    Ok(())
}

fn no_mutex() -> OpenFlags {
    // Each connection is used by one thread at a time: the writer's, or the one that took it from the pool.
    OpenFlags::SQLITE_OPEN_NO_MUTEX
}
