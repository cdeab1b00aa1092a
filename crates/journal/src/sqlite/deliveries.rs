//! Rows of the outbox.

use rusqlite::{Connection, Transaction, params};

use super::decode::{bodies, body, capped, has_table};
use super::statement::Statement;
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryStateName};
use crate::domain::time::Timestamp;
use crate::page::{DeliveryFilter, Page, PageRequest, delivery_cursor};
use crate::store::{DeliveryCounts, ReadError, WriteError};

pub(super) fn put(transaction: &Transaction<'_>, delivery: &Delivery) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO deliveries (seq, part, destination, lane, state, settled_at, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (seq, part) DO UPDATE SET state = ?5, settled_at = ?6, body = ?7",
    )?;
    put.execute(params![
        integer(delivery.id.seq),
        delivery.id.part,
        delivery.destination,
        delivery.lane,
        delivery.state.name().as_str(),
        delivery.settled_at(),
        serde_json::to_string(delivery)?,
    ])?;
    Ok(())
}

pub(super) fn one(db: &Connection, id: DeliveryId) -> Result<Option<Delivery>, ReadError> {
    if !has_table(db, "deliveries")? {
        return Ok(None);
    }
    body(db, "SELECT body FROM deliveries WHERE seq = ?1 AND part = ?2", params![integer(id.seq), id.part])
}

pub(super) fn list(db: &Connection, filter: &DeliveryFilter, page: &PageRequest) -> Result<Page<Delivery>, ReadError> {
    let before = delivery_cursor(page)?;
    let mut statement = of_deliveries(filter);
    if let Some(before) = before {
        statement.and("(seq, part) < (?, ?)", [integer(before.seq).into(), before.part.into()]);
    }
    let found = statement.bodies(db, "seq DESC, part DESC", page.size() + 1)?;
    Ok(Page::cut(found, page.size(), |delivery: &Delivery| delivery.id.to_string()))
}

pub(super) fn of_deliveries(filter: &DeliveryFilter) -> Statement {
    let mut statement = Statement::of("deliveries");
    statement.and_one_of("state", filter.states.iter().map(|state| state.as_str()));
    statement.and_equal("destination", filter.destination.clone());
    statement.and_equal("lane", filter.lane.clone());
    statement
}

/// Those that wait, oldest first.
pub(super) fn waiting(db: &Connection, after: Option<DeliveryId>, most: usize) -> Result<Vec<Delivery>, ReadError> {
    if !has_table(db, "deliveries")? {
        return Ok(Vec::new());
    }
    let after = after.map_or((-1, 0), |id| (integer(id.seq), id.part));
    let which = "SELECT body FROM deliveries WHERE state = 'pending' AND (seq, part) > (?1, ?2)
                 ORDER BY seq, part LIMIT ?3";
    bodies(db, which, params![after.0, after.1, capped(most)])
}

pub(super) fn counts(db: &Connection) -> Result<DeliveryCounts, ReadError> {
    if !has_table(db, "deliveries")? {
        return Ok(DeliveryCounts::new());
    }
    let mut count = db.prepare_cached("SELECT destination, state, count(*) FROM deliveries GROUP BY 1, 2")?;
    let mut rows = count.query([])?;
    let mut counts = DeliveryCounts::new();
    while let Some(row) = rows.next()? {
        let state: String = row.get(1)?;
        let state = DeliveryStateName::parse(&state)
            .ok_or_else(|| ReadError::Fault(format!("a row is damaged: `{state}` is not a state of a delivery")))?;
        counts.insert((row.get(0)?, state), u64::try_from(row.get::<_, i64>(2)?).unwrap_or_default());
    }
    Ok(counts)
}

/// Lets go of those that came to their end before that, the oldest first.
pub(super) fn forget(transaction: &Transaction<'_>, before: Timestamp, limit: i64) -> Result<usize, WriteError> {
    let mut forget = transaction.prepare_cached(
        "DELETE FROM deliveries WHERE (seq, part) IN (
             SELECT seq, part FROM deliveries WHERE settled_at < ?1 ORDER BY settled_at LIMIT ?2)",
    )?;
    Ok(forget.execute(params![before, limit])?)
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
