//! The layout of the file of transcripts.

use rusqlite::Connection;

/// The layout that is written; a file of another one is begun anew.
pub(super) const LAYOUT: u32 = 1;

const CREATE: &str = "
CREATE TABLE terminals (
    id TEXT PRIMARY KEY,
    resumes INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX terminals_by_age ON terminals (updated_at);
CREATE TABLE lines (
    terminal TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    wrapped INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (terminal, number)
) STRICT, WITHOUT ROWID;
";

/// What was printed last by terminals that rest. Not in the files of earlier hubs, and added to them: those know
/// nothing of it and lose nothing by it.
const RECENT: &str = "
CREATE TABLE IF NOT EXISTS recent (
    terminal TEXT NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (terminal, start)
) STRICT, WITHOUT ROWID;
";

/// Adds what earlier hubs did not know.
pub(super) fn complete(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(RECENT)
}

/// Whether a file has what terminals that rest printed last.
pub(super) fn keeps_recent(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'recent'")?.exists([])
}

pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(CREATE)?;
    complete(&transaction)?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.commit()
}

/// The layout of a file; 0 for one that is empty.
pub(super) fn layout_of(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// A number as the file holds it; none is negative.
pub(super) fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
