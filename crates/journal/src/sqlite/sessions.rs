//! Rows of sessions and questions: brought up to date record by record, and read.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use serde::de::DeserializeOwned;

use super::decode::newest_of;
use super::pending::Pending;
use super::statement::Statement;
use crate::domain::ids::{SessionId, TaskId, TerminalId};
use crate::domain::session::Session;
use crate::domain::session::question::Question;
use crate::domain::time::Timestamp;
use crate::entry::{Append, Kept, Record, Seq, Stream};
use crate::fold;
use crate::later::Rows;
use crate::page::{HistoryFilter, Page, PageRequest, QuestionFilter, question_cursor};
use crate::search;
use crate::store::{ReadError, WriteError};

/// What the one writer knows of sessions: what was written in this transaction, what is pending, what is in the file.
pub(super) fn session(
    transaction: &Transaction<'_>,
    pending: &Pending,
    fresh: &Rows,
    id: &SessionId,
) -> Result<Option<Session>, WriteError> {
    match fresh.session(id).cloned().or_else(|| pending.session(id)) {
        None => stored(transaction, "SELECT body FROM sessions WHERE id = ?1", id.as_str()),
        known => Ok(known),
    }
}

/// Whether a session that an append was decided on has moved since.
pub(super) fn moved(
    transaction: &Transaction<'_>,
    pending: &Pending,
    fresh: &Rows,
    append: &Append,
) -> Result<Option<WriteError>, WriteError> {
    for (id, expected) in &append.expects {
        let known = session(transaction, pending, fresh, id)?;
        let as_expected = known.map(|session| session.version) == Some(*expected);
        if !as_expected || asks_for_what_is_gone(transaction, append, id)? {
            return Ok(Some(WriteError::Moved(id.clone())));
        }
    }
    Ok(None)
}

/// Whether it is about a question that was let go of since it was read: an answer would begin a life anew.
fn asks_for_what_is_gone(
    transaction: &Transaction<'_>,
    append: &Append,
    session: &SessionId,
) -> rusqlite::Result<bool> {
    let mut find = transaction.prepare_cached("SELECT 1 FROM questions WHERE id = ?1")?;
    for question in append.answered_in(session) {
        if !find.exists([question.as_str()])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The rows after one more record of a session's stream. A record without its session changes none.
pub(super) fn fold(
    transaction: &Transaction<'_>,
    pending: &Pending,
    fresh: &mut Rows,
    id: &SessionId,
    (seq, at): (Seq, Timestamp),
    record: &Record,
) -> Result<(), WriteError> {
    let before = session(transaction, pending, fresh, id)?;
    fold::session_after(before, id, at, record).into_iter().for_each(|after| fresh.put_session(after));
    let Record::Question(record) = record else { return Ok(()) };
    let before = stored(transaction, "SELECT body FROM questions WHERE id = ?1", record.id().as_str())?;
    match fold::question_after(before, at, record) {
        Some(question) => write_question(transaction, &question, seq),
        None => Ok(()),
    }
}

/// `last` is the number of its last record.
pub(super) fn write_question(transaction: &Transaction<'_>, question: &Question, last: Seq) -> Result<(), WriteError> {
    let spec = &question.spec;
    let mut put = transaction.prepare_cached(
        "INSERT INTO questions (id, session, agent, task, open, body, seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET open = ?5, body = ?6, seq = ?7",
    )?;
    put.execute(params![
        spec.id.as_str(),
        spec.session_id.as_str(),
        spec.agent_id.as_str(),
        spec.task_id.as_ref().map(TaskId::as_str),
        question.is_open(),
        serde_json::to_string(question)?,
        last,
    ])?;
    Ok(())
}

fn stored<T: DeserializeOwned>(transaction: &Transaction<'_>, sql: &str, id: &str) -> Result<Option<T>, WriteError> {
    let mut find = transaction.prepare_cached(sql)?;
    let body = find.query_row([id], |row| row.get::<_, String>(0)).optional()?;
    Ok(body.map(|body| serde_json::from_str(&body)).transpose()?)
}

/// A page of questions, the newest first.
pub(super) fn questions(
    db: &Connection,
    filter: &QuestionFilter,
    page: &PageRequest,
) -> Result<Page<Question>, ReadError> {
    let cursor = question_cursor(page)?;
    let mut statement = of_questions(filter);
    if let Some(cursor) = cursor {
        statement.and("id < ?", [Value::from(cursor.as_str().to_owned())]);
    }
    let found = statement.bodies(db, "id DESC", page.size() + 1)?;
    Ok(Page::cut(found, page.size(), |question: &Question| question.spec.id.to_string()))
}

pub(super) fn of_questions(filter: &QuestionFilter) -> Statement {
    let mut statement = Statement::of("questions");
    if let Some(open) = filter.open {
        // In the words of the indexes of open and of resolved questions.
        statement.and(if open { "open = 1" } else { "open = 0" }, []);
    }
    statement.and_equal("session", filter.session.as_ref().map(|id| id.as_str().to_owned()));
    statement.and_equal("agent", filter.agent.as_ref().map(|id| id.as_str().to_owned()));
    statement.and_equal("task", filter.task.as_ref().map(|id| id.as_str().to_owned()));
    statement
}

/// Records of a session, the newest first.
pub(super) fn history(
    db: &mut Connection,
    journal: &std::path::Path,
    id: &SessionId,
    filter: &HistoryFilter,
) -> Result<Vec<Kept>, ReadError> {
    let words = filter.query.as_deref().map(search::words).unwrap_or_default();
    // What its program asked is in the stream of its terminal.
    let streams = [Stream::Session(id.clone()), Stream::Terminal(TerminalId::from(id))];
    let (mut sql, mut values) = (String::new(), Vec::new());
    if let Some(before) = filter.before {
        sql.push_str(" AND seq < ?");
        values.push(Value::from(i64::try_from(before.0).unwrap_or(i64::MAX)));
    }
    if !filter.types.is_empty() {
        let either = vec!["kind = ? OR kind LIKE ? ESCAPE '\\'"; filter.types.len()].join(" OR ");
        sql.push_str(&format!(" AND ({either})"));
        for kind in &filter.types {
            let family = kind.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            values.push(Value::from(kind.clone()));
            values.push(Value::from(format!("{family}.%")));
        }
    }
    for word in &words {
        sql.push_str(search::RECORD_HAS_WORD);
        values.push(Value::from(search::expression(word)));
    }
    if words.is_empty() {
        return newest_of(db, &streams, &sql, &values, filter.limit);
    }
    // Attached for this one question: the index may be deleted and built anew while the hub runs.
    search::attach(db, journal)?;
    let found = newest_of(db, &streams, &sql, &values, filter.limit);
    db.flush_prepared_statement_cache();
    search::detach(db)?;
    found
}
