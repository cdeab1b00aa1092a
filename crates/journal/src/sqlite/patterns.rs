//! Rows of patterns: what people answer to input prompts.

use rusqlite::{Connection, Transaction, params};

use super::decode::bodies;
use crate::domain::ids::PatternId;
use crate::domain::prompt::book::KeptPattern;
use crate::store::{ReadError, WriteError};

pub(super) fn put(transaction: &Transaction<'_>, kept: &KeptPattern) -> Result<(), WriteError> {
    let mut put = transaction
        .prepare_cached("INSERT INTO patterns (id, body) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET body = ?2")?;
    put.execute(params![kept.id.as_str(), serde_json::to_string(kept)?])?;
    Ok(())
}

pub(super) fn forget(transaction: &Transaction<'_>, id: &PatternId) -> Result<(), WriteError> {
    transaction.prepare_cached("DELETE FROM patterns WHERE id = ?1")?.execute([id.as_str()])?;
    Ok(())
}

/// Every one, by name. A file of an earlier layout has none.
pub(super) fn all(db: &Connection) -> Result<Vec<KeptPattern>, ReadError> {
    if !db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'patterns'")?.exists([])? {
        return Ok(Vec::new());
    }
    bodies(db, "SELECT body FROM patterns ORDER BY id", [])
}
