//! Rows of webhooks that were added while a hub ran.

use rusqlite::{Connection, Transaction, params};

use super::decode::bodies;
use crate::domain::webhook::Webhook;
use crate::store::{ReadError, WriteError};

pub(super) fn put(transaction: &Transaction<'_>, webhook: &Webhook) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO webhooks (name, body) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET body = ?2",
    )?;
    put.execute(params![webhook.name, serde_json::to_string(webhook)?])?;
    Ok(())
}

pub(super) fn forget(transaction: &Transaction<'_>, name: &str) -> Result<(), WriteError> {
    transaction.prepare_cached("DELETE FROM webhooks WHERE name = ?1")?.execute([name])?;
    Ok(())
}

/// Every one, by name. A file of an earlier layout has none.
pub(super) fn all(db: &Connection) -> Result<Vec<Webhook>, ReadError> {
    if !db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'webhooks'")?.exists([])? {
        return Ok(Vec::new());
    }
    bodies(db, "SELECT body FROM webhooks ORDER BY name", [])
}

/// How many records there are after `after`, by the name of their kind.
pub(super) fn kinds_after(db: &Connection, after: u64) -> Result<Vec<(String, u64)>, ReadError> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut count = db.prepare_cached("SELECT kind, count(*) FROM records WHERE seq > ?1 GROUP BY kind")?;
    let rows = count.query_map([after], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    let counted = rows.map(|row| row.map(|(kind, count)| (kind, u64::try_from(count).unwrap_or_default())));
    Ok(counted.collect::<rusqlite::Result<_>>()?)
}
