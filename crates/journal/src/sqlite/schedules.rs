//! Rows of schedules.

use rusqlite::{Connection, Transaction, params};

use super::decode::bodies;
use crate::domain::schedule::Schedule;
use crate::store::{ReadError, WriteError};

pub(super) fn put(transaction: &Transaction<'_>, schedule: &Schedule) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO schedules (name, body) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET body = ?2",
    )?;
    put.execute(params![schedule.spec.name, serde_json::to_string(schedule)?])?;
    Ok(())
}

pub(super) fn forget(transaction: &Transaction<'_>, name: &str) -> Result<(), WriteError> {
    transaction.prepare_cached("DELETE FROM schedules WHERE name = ?1")?.execute([name])?;
    Ok(())
}

/// Every one, by name. A file of an earlier layout has none.
pub(super) fn all(db: &Connection) -> Result<Vec<Schedule>, ReadError> {
    if !db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'schedules'")?.exists([])? {
        return Ok(Vec::new());
    }
    bodies(db, "SELECT body FROM schedules ORDER BY name", [])
}
