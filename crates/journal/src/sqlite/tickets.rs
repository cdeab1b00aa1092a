//! Rows of tickets: calls whose answer is fetched later.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::decode::bodies;
use crate::domain::ids::TicketId;
use crate::domain::ticket::Ticket;
use crate::store::{ReadError, WriteError};

pub(super) fn put(transaction: &Transaction<'_>, ticket: &Ticket, answer: Option<&str>) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO tickets (id, body, answer) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET body = ?2, answer = coalesce(?3, answer)",
    )?;
    put.execute(params![ticket.id.as_str(), serde_json::to_string(ticket)?, answer])?;
    Ok(())
}

pub(super) fn forget(transaction: &Transaction<'_>, id: &TicketId) -> Result<(), WriteError> {
    transaction.prepare_cached("DELETE FROM tickets WHERE id = ?1")?.execute([id.as_str()])?;
    Ok(())
}

/// Every one, by name. A file of an earlier layout has none.
pub(super) fn all(db: &Connection) -> Result<Vec<Ticket>, ReadError> {
    if !db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'tickets'")?.exists([])? {
        return Ok(Vec::new());
    }
    bodies(db, "SELECT body FROM tickets ORDER BY id", [])
}

pub(super) fn answer(db: &Connection, id: &TicketId) -> Result<Option<String>, ReadError> {
    let mut find = db.prepare_cached("SELECT answer FROM tickets WHERE id = ?1")?;
    Ok(find.query_row([id.as_str()], |row| row.get::<_, Option<String>>(0)).optional()?.flatten())
}
