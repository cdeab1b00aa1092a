//! Letting go of what is older than `journal.retention`.
//!
//! The oldest records go, so that those that are left still follow one another; where they begin is the *horizon*. What
//! they had come to is folded into `base`, one row for each life, by the same replay that a check uses: base and kept
//! records together come to the state rows, as all records did before (J1).
//!
//! A closed task goes with its row, its review and its long texts when none of its records is left and no open task
//! depends on it. Whatever lives keeps its state and loses only old history.
//!
//! The pages of the file that become free are written to again. When nothing more is to go, those beyond a tenth of the
//! file are given back to the system, some at a time, so that the file shrinks.
//!
//! An answered question goes with its last record, unless its agent has yet to hear the answer or its session knows it.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::decode::{bodies, kept, parse};
use crate::domain::ids::BlobId;
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::entry::{Kept, Seq, Stream};
use crate::learned::Learned;
use crate::replay::Replay;
use crate::store::{Pruned, ReadError, WriteError};

/// Marks in the base that what the pruned records had taught is folded in.
const LEARNED: &str = "patterns";

/// The number of the last record that was pruned; 0 when none was.
pub(super) fn horizon(db: &Connection) -> rusqlite::Result<Seq> {
    let kept: Option<String> =
        db.query_row("SELECT value FROM meta WHERE key = 'horizon'", [], |row| row.get(0)).optional()?;
    Ok(Seq(kept.and_then(|text| text.parse().ok()).unwrap_or_default()))
}

/// What the pruned records had come to. A file of a layout without pruning has lost none.
pub(super) fn base(db: &Connection) -> Result<Replay, ReadError> {
    let known: bool =
        db.query_row("SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'base'", [], |row| row.get(0))?;
    if !known {
        return Ok(Replay::default());
    }
    let mut select = db.prepare_cached("SELECT life FROM base")?;
    let streams: Vec<String> = select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut life = load(db, streams.iter().filter_map(|stream| Stream::parse(stream)))?;
    life.put_learned(learned(db)?);
    Ok(life)
}

/// What the pruned records had taught. Hubs that did not fold it in have left no mark.
fn learned(db: &Connection) -> Result<Learned, ReadError> {
    let folded = db.prepare_cached("SELECT 1 FROM base WHERE life = ?1")?.exists([LEARNED])?;
    if !folded && horizon(db)? > Seq(0) {
        return Ok(Learned::of_base(None));
    }
    Ok(Learned::of_base(Some(bodies(db, "SELECT body FROM base WHERE life LIKE 'pattern:%'", [])?)))
}

/// In the place of what was folded in before.
fn keep_learned(transaction: &Transaction<'_>, learned: &Learned) -> Result<(), WriteError> {
    if learned.is_whole() {
        transaction.prepare_cached("DELETE FROM base WHERE life LIKE 'pattern:%'")?.execute([])?;
        transaction
            .prepare_cached("INSERT OR IGNORE INTO base (life, body) VALUES (?1, 'true')")?
            .execute([LEARNED])?;
        keep(transaction, "pattern", learned.patterns())?;
    }
    Ok(())
}

/// One batch: at most `limit` records older than `before`, and as many tasks.
pub(super) fn prune(
    transaction: &Transaction<'_>,
    before: Timestamp,
    limit: usize,
    last: Seq,
) -> Result<Pruned, WriteError> {
    let from = horizon(transaction)?;
    // The last record stays, whatever its age: it is where the next number comes from.
    let which = "WHERE seq > ?1 AND seq < ?2 ORDER BY seq LIMIT ?3";
    let limit_sql = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut old = kept(transaction, which, params![from, last, limit_sql]).map_err(unread)?;
    old.truncate(old.iter().take_while(|kept| kept.at < before).count());
    if let Some(newest) = old.last().map(|kept| kept.seq) {
        fold(transaction, &old)?;
        transaction.prepare_cached("DELETE FROM records WHERE seq <= ?1")?.execute([newest])?;
        let mut forget = transaction.prepare_cached("DELETE FROM stream_index WHERE stream = ?1 AND seq = ?2")?;
        for kept in &old {
            forget.execute(params![kept.stream.to_string(), kept.seq])?;
        }
        put_horizon(transaction, newest)?;
    }
    let tasks = forget_tasks(transaction, before, limit_sql)?;
    let questions = forget_questions(transaction, limit_sql)?;
    let deliveries = super::deliveries::forget(transaction, before, limit_sql)?;
    let workflows = super::workflows::forget(transaction, before, limit_sql)?;
    let more = [old.len(), tasks, questions, deliveries, workflows].contains(&limit);
    Ok(Pruned { records: old.len(), tasks, questions, deliveries, workflows, more })
}

/// Pages that are given back in one transaction: some milliseconds, for somebody may wait to write.
const GIVEN_BACK: u32 = 256;

/// Free pages that stay in any file for what is written next, and the share that does, as one in so many.
const KEPT_FREE: (u32, u32) = (1_024, 10);

/// Gives free pages back to the system, some at once; whether there are more. A file that an earlier version laid out
/// keeps them, and writes into them, until `journal restore` has rewritten it.
pub(super) fn shrink(db: &Connection) -> rusqlite::Result<bool> {
    let asked = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let incremental = asked("auto_vacuum")? == 2;
    let spare = || {
        Ok::<_, rusqlite::Error>(
            asked("freelist_count")?.saturating_sub(KEPT_FREE.0.max(asked("page_count")? / KEPT_FREE.1)),
        )
    };
    let spare_now = spare()?;
    if !incremental || spare_now == 0 {
        return Ok(false);
    }
    // Each page that goes is a row of no columns: the statement is done when no more come.
    let mut give = db.prepare(&format!("PRAGMA incremental_vacuum({})", spare_now.min(GIVEN_BACK)))?;
    let mut given = give.query([])?;
    while given.next()?.is_some() {}
    drop(given);
    Ok(spare()? > 0)
}

/// Takes records into the base. Records that break a promise stay: they are what somebody will want to look at.
fn fold(transaction: &Transaction<'_>, old: &[Kept]) -> Result<(), WriteError> {
    let streams: BTreeSet<&Stream> = old.iter().map(|kept| &kept.stream).collect();
    let teaches = |kept: &Kept| matches!(kept.stream, Stream::Terminal(_) | Stream::Hub);
    let mut life = load(transaction, streams.into_iter().cloned()).map_err(unread)?;
    // The first time it is marked, also where there was nothing to learn.
    let teaches = old.iter().any(teaches) || horizon(transaction)? == Seq(0);
    if teaches {
        life.put_learned(learned(transaction).map_err(unread)?);
    }
    let mut findings = Vec::new();
    old.iter().for_each(|kept| life.take(kept, &mut findings));
    if let Some(found) = findings.first() {
        let sentence = format!("nothing is pruned: {} is broken: {}", found.promise, found.sentence);
        return Err(WriteError::Fault(sentence));
    }
    keep_lives(transaction, &life)?;
    if teaches { keep_learned(transaction, life.learned()) } else { Ok(()) }
}

fn keep_lives(transaction: &Transaction<'_>, life: &Replay) -> Result<(), WriteError> {
    keep(transaction, "task", life.tasks())?;
    keep(transaction, "review", life.reviews())?;
    keep(transaction, "agent", life.agents())?;
    keep(transaction, "session", life.sessions())?;
    keep(transaction, "question", life.questions())?;
    keep(transaction, "workflow", life.workflows())
}

/// A journal whose records up to `horizon` were pruned elsewhere, and had come to this.
#[cfg(feature = "postgres")]
pub(super) fn begin(transaction: &Transaction<'_>, life: &Replay, horizon: Seq) -> Result<(), WriteError> {
    if horizon == Seq(0) {
        return Ok(());
    }
    keep_lives(transaction, life)?;
    keep_learned(transaction, life.learned())?;
    put_horizon(transaction, horizon)?;
    Ok(())
}

fn put_horizon(transaction: &Transaction<'_>, horizon: Seq) -> rusqlite::Result<()> {
    let put = "INSERT INTO meta (key, value) VALUES ('horizon', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1";
    transaction.prepare_cached(put)?.execute([horizon.to_string()]).map(drop)
}

fn keep<K: std::fmt::Display, T: Serialize>(
    transaction: &Transaction<'_>,
    kind: &str,
    lives: &BTreeMap<K, T>,
) -> Result<(), WriteError> {
    let mut put = transaction
        .prepare_cached("INSERT INTO base (life, body) VALUES (?1, ?2) ON CONFLICT (life) DO UPDATE SET body = ?2")?;
    for (id, life) in lives {
        put.execute(params![format!("{kind}:{id}"), serde_json::to_string(life)?])?;
    }
    Ok(())
}

/// A life in the making, of these streams as the pruned records left them.
fn load(db: &Connection, streams: impl Iterator<Item = Stream>) -> Result<Replay, ReadError> {
    fn one<T: DeserializeOwned>(db: &Connection, name: &str) -> Result<Option<T>, ReadError> {
        let mut find = db.prepare_cached("SELECT body FROM base WHERE life = ?1")?;
        let body: Option<String> = find.query_row([name], |row| row.get(0)).optional()?;
        body.as_deref().map(parse).transpose()
    }
    let mut life = Replay::from(horizon(db)?);
    for stream in streams {
        match &stream {
            Stream::Task(id) => {
                life.put_task(id, one(db, &stream.to_string())?);
                // It moves with its task, in the same stream.
                life.put_review(id, one(db, &format!("review:{id}"))?);
            }
            Stream::Agent(id) => life.put_agent(id, one(db, &stream.to_string())?),
            Stream::Session(id) => {
                life.put_session(id, one(db, &stream.to_string())?);
                // Its questions move with it, in the same stream.
                let asked = "SELECT body FROM base WHERE life LIKE 'question:%'
                             AND json_extract(body, '$.spec.session_id') = ?1";
                life.put_questions(bodies(db, asked, [id.as_str()])?);
            }
            Stream::Workflow(id) => life.put_workflow(id, one(db, &stream.to_string())?),
            Stream::Terminal(_) | Stream::Hub => {}
        }
    }
    Ok(life)
}

/// Removes closed tasks that were quiet since `before` and have no records left, unless an open task waited for them.
fn forget_tasks(transaction: &Transaction<'_>, before: Timestamp, limit: i64) -> Result<usize, WriteError> {
    let mut select = transaction.prepare_cached(
        "SELECT tasks.id, tasks.body FROM base JOIN tasks ON base.life = 'task:' || tasks.id
         WHERE tasks.open = 0 AND tasks.updated_at < ?1
           AND NOT EXISTS (SELECT 1 FROM stream_index WHERE stream_index.stream = base.life)
           AND tasks.id NOT IN (
               SELECT value FROM tasks AS waiting, json_each(waiting.body, '$.spec.dependencies')
               WHERE waiting.open = 1)
         LIMIT ?2",
    )?;
    let found =
        select.query_map(params![before, limit], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let found: Vec<(String, String)> = found.collect::<Result<_, _>>()?;
    for (id, body) in &found {
        let task: Task = parse(body).map_err(unread)?;
        for blob in task.blobs().into_iter().map(BlobId::as_str) {
            transaction.prepare_cached("DELETE FROM blobs WHERE id = ?1")?.execute([blob])?;
        }
        for table in ["tasks WHERE id", "reviews WHERE task", "review_comments WHERE task"] {
            transaction.prepare_cached(&format!("DELETE FROM {table} = ?1"))?.execute([id])?;
        }
        transaction.prepare_cached("DELETE FROM base WHERE life IN ('task:' || ?1, 'review:' || ?1)")?.execute([id])?;
    }
    Ok(found.len())
}

/// Removes questions that have their answer and no records left: what those came to is old then. One that its agent has
/// yet to hear of stays; so does one that its session remembers, for it can still be answered too late.
fn forget_questions(transaction: &Transaction<'_>, limit: i64) -> Result<usize, WriteError> {
    let mut select = transaction.prepare_cached(
        "SELECT id FROM questions
         WHERE open = 0 AND seq <= ?1
           AND NOT EXISTS (SELECT 1 FROM notices
               WHERE notices.agent = questions.agent AND json_extract(notices.body, '$.questionId') = questions.id)
           AND NOT EXISTS (SELECT 1 FROM sessions, json_each(sessions.body, '$.questions') AS known
               WHERE sessions.id = questions.session AND json_extract(known.value, '$.spec.id') = questions.id)
         LIMIT ?2",
    )?;
    let found = select.query_map(params![horizon(transaction)?, limit], |row| row.get::<_, String>(0))?;
    let found: Vec<String> = found.collect::<Result<_, _>>()?;
    for id in &found {
        transaction.prepare_cached("DELETE FROM questions WHERE id = ?1")?.execute([id])?;
        transaction.prepare_cached("DELETE FROM base WHERE life = 'question:' || ?1")?.execute([id])?;
    }
    Ok(found.len())
}

fn unread(error: ReadError) -> WriteError {
    WriteError::Fault(error.to_string())
}
