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

/// Lays out an empty file.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(CREATE)?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.commit()
}

/// The layout of a file; 0 for one that is empty.
pub(super) fn layout_of(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
