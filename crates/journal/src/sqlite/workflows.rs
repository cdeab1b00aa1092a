//! Rows of runs of workflows.

use rusqlite::{Connection, Transaction, params};

use super::decode::{body, has_table};
use super::statement::Statement;
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
    if !has_table(db, "workflows")? {
        return Ok(None);
    }
    body(db, "SELECT body FROM workflows WHERE id = ?1", [id.as_str()])
}

pub(super) fn list(db: &Connection, filter: &WorkflowFilter, most: usize) -> Result<Vec<WorkflowRun>, ReadError> {
    of_runs(filter).bodies(db, "started_at DESC, id DESC", most)
}

pub(super) fn of_runs(filter: &WorkflowFilter) -> Statement {
    let mut statement = Statement::of("workflows");
    statement.and_equal("owner", filter.owner.as_ref().map(|owner| owner.as_str().to_owned()));
    statement.and_equal("body ->> '$.plan.name'", filter.name.clone());
    if filter.states == [RunStatus::Working] {
        // In the words of the index of runs that go on.
        statement.and("working = 1", []);
    } else {
        statement.and_one_of("body ->> '$.status'", filter.states.iter().map(|state| state.as_str()));
    }
    if let Some(place) = &filter.behind {
        let at = i64::try_from(place.started_at.0).unwrap_or(i64::MAX);
        statement.and("(started_at, id) < (?, ?)", [at.into(), place.id.as_str().to_owned().into()]);
    }
    statement
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
