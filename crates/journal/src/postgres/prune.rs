//! Letting go of what is older than `journal.retention`, as the other engine does: see its `prune`.
//!
//! What is to go is read before, and goes by one statement of the writer: nobody else changes the team in between, or
//! the statement does nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use serde::Serialize;

use super::batch::Batch;
use super::query::{Asks, Param, RECORD, kept, parse};
use super::row::{RowKind, StateRow, number, unsigned};
use super::writer::Writer;
use crate::domain::ids::TaskId;
use crate::domain::session::question::Question;
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::entry::{Kept, Seq, Stream};
use crate::learned::Learned;
use crate::replay::Replay;
use crate::store::{Pruned, ReadError, WriteError};

/// Marks in the base that what the pruned records had taught is folded in.
const LEARNED: &str = "patterns";

/// What pruned records had come to, by name.
type Lives = BTreeMap<String, String>;

/// All of what the pruned records had come to.
pub(super) fn base(reader: &impl Asks, team: &[Param]) -> Result<Replay, ReadError> {
    // One statement, and so one moment.
    let sql = "SELECT t.horizon, r.id, r.body FROM team t LEFT JOIN rows r ON r.team = t.id AND r.kind = 'base'
               WHERE t.id = $1";
    let rows = reader.ask(sql, team)?;
    let horizon = rows.first().map(|row| Seq(unsigned(row.get(0)))).unwrap_or_default();
    let lives: Lives = rows.iter().filter_map(|row| Some((row.get::<_, Option<String>>(1)?, row.get(2)))).collect();
    let mut life = life_of(horizon, &lives)?;
    life.put_learned(learned(horizon, &lives)?);
    Ok(life)
}

fn life_of(horizon: Seq, lives: &Lives) -> Result<Replay, ReadError> {
    let mut life = Replay::from(horizon);
    for (name, body) in lives {
        let Some((kind, id)) = name.split_once(':') else { continue };
        match Stream::parse(name) {
            Some(Stream::Task(id)) => life.put_task(&id, Some(parse(body)?)),
            Some(Stream::Agent(id)) => life.put_agent(&id, Some(parse(body)?)),
            Some(Stream::Session(id)) => life.put_session(&id, Some(parse(body)?)),
            Some(Stream::Workflow(id)) => life.put_workflow(&id, Some(parse(body)?)),
            Some(Stream::Terminal(_) | Stream::Hub) => {}
            None if kind == "question" => life.put_questions(vec![parse::<Question>(body)?]),
            None if kind == "review" => {
                if let Ok(task) = TaskId::parse(id) {
                    life.put_review(&task, Some(parse(body)?));
                }
            }
            None => {}
        }
    }
    Ok(life)
}

/// What the pruned records had taught.
fn learned(horizon: Seq, lives: &Lives) -> Result<Learned, ReadError> {
    if !lives.contains_key(LEARNED) && horizon > Seq(0) {
        return Ok(Learned::of_base(None));
    }
    let patterns = lives.iter().filter(|(name, _)| name.starts_with("pattern:"));
    Ok(Learned::of_base(Some(patterns.map(|(_, body)| parse(body)).collect::<Result<_, _>>()?)))
}

/// One batch: at most `limit` records older than `before`, and as many of each kind of row.
pub(super) async fn prune(writer: &mut Writer, before: Timestamp, limit: usize) -> Result<Pruned, WriteError> {
    let old = old_records(writer, before, limit).await?;
    let mut batch = Batch::default();
    if let Some(last) = old.last() {
        fold(writer, &old, &mut batch).await?;
        batch.streams = old.iter().map(|kept| (kept.stream.to_string(), kept.seq)).collect();
        batch.words = words_of_no_task(&old);
        batch.cut = Some(last.seq);
    }
    let horizon = batch.cut.unwrap_or(writer.horizon);
    let tasks = forget_tasks(writer, &mut batch, (before, horizon), limit).await?;
    let questions = forget_questions(writer, &mut batch, horizon, limit).await?;
    let deliveries = forget(writer, &mut batch, RowKind::DELIVERY, OVER_DELIVERIES, (before, horizon), limit).await?;
    let workflows = forget(writer, &mut batch, RowKind::WORKFLOW, OVER_WORKFLOWS, (before, horizon), limit).await?;
    let records = old.len();
    let more = [records, tasks, questions, deliveries, workflows].contains(&limit);
    if records + tasks + questions + deliveries + workflows > 0 {
        batch.cut = Some(horizon);
        let position = writer.position;
        writer.send(batch, position).await?;
    }
    Ok(Pruned { records, tasks, questions, deliveries, workflows, more })
}

/// The last record stays, whatever its age.
async fn old_records(writer: &mut Writer, before: Timestamp, limit: usize) -> Result<Vec<Kept>, WriteError> {
    let sql = format!(
        "SELECT {RECORD} FROM records r WHERE r.team = $1 AND r.seq > $2 AND r.seq < $3 ORDER BY r.seq LIMIT $4"
    );
    let (team, from, last, limit) = (writer.team, number(writer.horizon.0), number(writer.position.0), capped(limit));
    let mut old = kept(&writer.ask(&sql, &[&team, &from, &last, &limit]).await?).map_err(unread)?;
    old.truncate(old.iter().take_while(|kept| kept.at < before).count());
    Ok(old)
}

/// Takes records into the base. Records that break a promise stay: they are what somebody will want to look at.
async fn fold(writer: &mut Writer, old: &[Kept], batch: &mut Batch) -> Result<(), WriteError> {
    let streams: BTreeSet<String> = old.iter().map(|kept| kept.stream.to_string()).collect();
    let reviews = streams.iter().filter_map(|name| name.strip_prefix("task:")).map(|id| format!("review:{id}"));
    let names: Vec<String> = streams.iter().cloned().chain(reviews).collect();
    let sessions: Vec<&str> = streams.iter().filter_map(|name| name.strip_prefix("session:")).collect();
    let sql = "SELECT id, body FROM rows WHERE team = $1 AND kind = 'base'
               AND (id = ANY($2) OR scope = ANY($3) OR id = 'patterns' OR id LIKE 'pattern:%')";
    let team = writer.team;
    let rows = writer.ask(sql, &[&team, &names, &sessions]).await?;
    let lives: Lives = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let mut life = life_of(writer.horizon, &lives).map_err(unread)?;
    // The first time it is marked, also where there was nothing to learn.
    let teaches =
        writer.horizon == Seq(0) || old.iter().any(|kept| matches!(kept.stream, Stream::Terminal(_) | Stream::Hub));
    if teaches {
        life.put_learned(learned(writer.horizon, &lives).map_err(unread)?);
    }
    let mut findings = Vec::new();
    old.iter().for_each(|kept| life.take(kept, &mut findings));
    if let Some(found) = findings.first() {
        let sentence = format!("nothing is pruned: {} is broken: {}", found.promise, found.sentence);
        return Err(WriteError::Fault(sentence));
    }
    put_lives(batch, &life, teaches)?;
    if teaches && life.learned().is_whole() {
        let gone = lives.keys().filter(|name| name.starts_with("pattern:"));
        for name in gone {
            let place = (RowKind::BASE, name.clone());
            batch.rows.entry(place).or_insert(None);
        }
    }
    Ok(())
}

/// The rows of the base. `teaches`: what was learned among them.
pub(super) fn put_lives(batch: &mut Batch, life: &Replay, teaches: bool) -> Result<(), WriteError> {
    keep(batch, "task", life.tasks())?;
    keep(batch, "review", life.reviews())?;
    keep(batch, "agent", life.agents())?;
    keep(batch, "session", life.sessions())?;
    keep(batch, "workflow", life.workflows())?;
    for (id, question) in life.questions() {
        // Questions move with their session, in its stream, and are found by it.
        let scope = Some(question.spec.session_id.as_str().to_owned());
        let row = StateRow { scope, ..StateRow::plain(serde_json::to_string(question)?) };
        batch.put(RowKind::BASE, &format!("question:{id}"), row);
    }
    if teaches && life.learned().is_whole() {
        batch.put(RowKind::BASE, LEARNED, StateRow::plain("true".to_owned()));
        keep(batch, "pattern", life.learned().patterns())?;
    }
    Ok(())
}

fn keep<K: Display, T: Serialize>(batch: &mut Batch, kind: &str, lives: &BTreeMap<K, T>) -> Result<(), WriteError> {
    for (id, life) in lives {
        batch.put(RowKind::BASE, &format!("{kind}:{id}"), StateRow::plain(serde_json::to_string(life)?));
    }
    Ok(())
}

/// What was said in sessions goes with its records; the words of a task go with the task.
fn words_of_no_task(old: &[Kept]) -> Vec<(Seq, String, String)> {
    let sessions = old.iter().filter(|kept| matches!(kept.stream, Stream::Session(_)));
    sessions.map(|kept| (kept.seq, kept.stream.to_string(), String::new())).collect()
}

/// What is over and may go: `$2` is the moment, `$3` the horizon, `$4` the limit.
const OVER_DELIVERIES: &str = "ended IS NOT NULL AND ended < $2 AND $3::bigint >= 0 ORDER BY ended LIMIT $4";
const OVER_WORKFLOWS: &str = "NOT open AND moved < $2 AND NOT EXISTS (SELECT 1 FROM stream_index i
    WHERE i.team = $1 AND i.stream = 'workflow:' || rows.id AND i.seq > $3) LIMIT $4";
/// One that its agent has yet to hear of stays, for somebody may look why; so does one that its session remembers, for
/// it can still be answered too late. An id in the session's text is enough: at worst it stays a little longer.
const OVER_QUESTIONS: &str = "NOT open AND rank <= $3 AND $2::bigint >= 0
    AND NOT EXISTS (SELECT 1 FROM rows n
        WHERE n.team = $1 AND n.kind = 'notice' AND n.scope = rows.id AND n.parent = rows.holder)
    AND NOT EXISTS (SELECT 1 FROM rows s
        WHERE s.team = $1 AND s.kind = 'session' AND s.id = rows.scope AND position(rows.id IN s.body) > 0) LIMIT $4";
const OVER_TASKS: &str = "NOT open AND moved < $2 AND NOT (id = ANY($5))
    AND (EXISTS (SELECT 1 FROM rows b WHERE b.team = $1 AND b.kind = 'base' AND b.id = 'task:' || rows.id)
         OR EXISTS (SELECT 1 FROM stream_index i WHERE i.team = $1 AND i.stream = 'task:' || rows.id AND i.seq <= $3))
    AND NOT EXISTS (SELECT 1 FROM stream_index i
        WHERE i.team = $1 AND i.stream = 'task:' || rows.id AND i.seq > $3) LIMIT $4";

/// Rows of a kind that are over go, with what they had come to before; says how many.
async fn forget(
    writer: &mut Writer,
    batch: &mut Batch,
    kind: RowKind,
    over: &str,
    (before, horizon): (Timestamp, Seq),
    limit: usize,
) -> Result<usize, WriteError> {
    let sql = format!("SELECT id FROM rows WHERE team = $1 AND kind = '{}' AND {over}", kind.as_str());
    let (team, before, horizon, limit) = (writer.team, number(before.0), number(horizon.0), capped(limit));
    let found = writer.ask(&sql, &[&team, &before, &horizon, &limit]).await?;
    for row in &found {
        let id: String = row.get(0);
        batch.forget(RowKind::BASE, &format!("{}:{id}", kind.as_str()));
        batch.forget(kind, &id);
    }
    Ok(found.len())
}

async fn forget_questions(
    writer: &mut Writer,
    batch: &mut Batch,
    horizon: Seq,
    limit: usize,
) -> Result<usize, WriteError> {
    forget(writer, batch, RowKind::QUESTION, OVER_QUESTIONS, (Timestamp::default(), horizon), limit).await
}

/// Removes closed tasks that were quiet since `before` and have no records left, unless an open task waits for them.
async fn forget_tasks(
    writer: &mut Writer,
    batch: &mut Batch,
    (before, horizon): (Timestamp, Seq),
    limit: usize,
) -> Result<usize, WriteError> {
    let team = writer.team;
    let open = "SELECT body FROM rows WHERE team = $1 AND kind = 'task' AND open";
    let mut waited_for = Vec::new();
    for row in writer.ask(open, &[&team]).await? {
        let task: Task = parse(row.get(0)).map_err(unread)?;
        waited_for.extend(task.spec.dependencies.iter().map(|id| id.as_str().to_owned()));
    }
    let sql = format!("SELECT id, body FROM rows WHERE team = $1 AND kind = 'task' AND {OVER_TASKS}");
    let (before, horizon, limit) = (number(before.0), number(horizon.0), capped(limit));
    let found = writer.ask(&sql, &[&team, &before, &horizon, &limit, &waited_for]).await?;
    let ids: Vec<String> = found.iter().map(|row| row.get(0)).collect();
    for (row, id) in found.iter().zip(&ids) {
        let task: Task = parse(row.get(1)).map_err(unread)?;
        batch.blobs.extend(task.blobs().into_iter().map(|blob| (blob.as_str().to_owned(), String::new())));
        batch.words.push((Seq(0), id.clone(), String::new()));
        for (kind, name) in [(RowKind::TASK, id.clone()), (RowKind::REVIEW, id.clone())] {
            batch.forget(kind, &name);
        }
        batch.forget(RowKind::BASE, &format!("task:{id}"));
        batch.forget(RowKind::BASE, &format!("review:{id}"));
    }
    let comments = "SELECT id FROM rows WHERE team = $1 AND kind = 'comment' AND parent = ANY($2)";
    for row in writer.ask(comments, &[&team, &ids]).await? {
        batch.forget(RowKind::COMMENT, row.get(0));
    }
    Ok(ids.len())
}

fn capped(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn unread(error: ReadError) -> WriteError {
    WriteError::Fault(error.to_string())
}
