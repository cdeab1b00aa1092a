//! Rows of runs of workflows.

use rusqlite::{Connection, Transaction, params};

use super::decode::{bodies, body, capped};
use crate::codec;
use crate::domain::ids::WorkflowId;
use crate::domain::time::Timestamp;
use crate::domain::workflow::run::{RunStatus, WorkflowRun};
use crate::page::WorkflowFilter;
use crate::store::{ReadError, WriteError};

pub(super) fn put(transaction: &Transaction<'_>, run: &WorkflowRun) -> Result<(), WriteError> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO workflows (id, owner, working, started_at, updated_at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO UPDATE SET working = ?3, updated_at = ?5, body = ?6",
    )?;
    let body = codec::text(run)?;
    put.execute(params![run.id.as_str(), run.owner.as_str(), run.is_working(), run.started_at, run.updated_at, body])?;
    Ok(())
}

/// One of them. A file of an earlier layout has none.
pub(super) fn one(db: &Connection, id: &WorkflowId) -> Result<Option<WorkflowRun>, ReadError> {
    if !there(db)? {
        return Ok(None);
    }
    body(db, "SELECT body FROM workflows WHERE id = ?1", [id.as_str()])
}

/// Those that are meant, the newest first.
pub(super) fn list(db: &Connection, filter: &WorkflowFilter, most: usize) -> Result<Vec<WorkflowRun>, ReadError> {
    if !there(db)? {
        return Ok(Vec::new());
    }
    let mut sql = "SELECT body FROM workflows WHERE (?1 IS NULL OR owner = ?1)
                   AND (?2 IS NULL OR body ->> '$.plan.name' = ?2)"
        .to_owned();
    if filter.states == [RunStatus::Working] {
        sql.push_str(" AND working = 1");
    } else if !filter.states.is_empty() {
        let names: Vec<String> = filter.states.iter().map(|state| format!("'{}'", state.as_str())).collect();
        sql.push_str(&format!(" AND body ->> '$.status' IN ({})", names.join(", ")));
    }
    if filter.behind.is_some() {
        sql.push_str(" AND (started_at, id) < (?4, ?5)");
    }
    sql.push_str(" ORDER BY started_at DESC, id DESC LIMIT ?3");
    let (owner, most) = (filter.owner.as_ref().map(|owner| owner.as_str()), capped(most));
    match &filter.behind {
        Some(place) => bodies(db, &sql, params![owner, filter.name, most, place.started_at, place.id.as_str()]),
        None => bodies(db, &sql, params![owner, filter.name, most]),
    }
}

/// Removes runs that ended before that and have no records left.
pub(super) fn forget(transaction: &Transaction<'_>, before: Timestamp, limit: i64) -> Result<usize, WriteError> {
    let mut select = transaction.prepare_cached(
        "SELECT id FROM workflows
         WHERE working = 0 AND updated_at < ?1
           AND NOT EXISTS (SELECT 1 FROM stream_index WHERE stream_index.stream = 'workflow:' || workflows.id)
         LIMIT ?2",
    )?;
    let found = select.query_map(params![before, limit], |row| row.get::<_, String>(0))?;
    let found: Vec<String> = found.collect::<Result<_, _>>()?;
    for id in &found {
        transaction.prepare_cached("DELETE FROM workflows WHERE id = ?1")?.execute([id])?;
        transaction.prepare_cached("DELETE FROM base WHERE life = 'workflow:' || ?1")?.execute([id])?;
    }
    Ok(found.len())
}

fn there(db: &Connection) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'workflows'")?.exists([])
}
