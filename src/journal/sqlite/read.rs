//! Reading the journal's file.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Params, params, params_from_iter};
use serde::de::DeserializeOwned;

use super::pending;
use super::pool::SqliteReader;
use super::prune;
use super::schema::SCHEMA;
use crate::domain::agent::{Agent, Notice};
use crate::domain::ids::{AgentId, BlobId, CommentId, PrincipalId, QuestionId, SessionId, TaskId, TicketId};
use crate::domain::principal::{By, Surface};
use crate::domain::prompt::book::KeptPattern;
use crate::domain::review::Review;
use crate::domain::session::Session;
use crate::domain::session::question::Question;
use crate::domain::task::{Task, TaskStateName};
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::journal::codec;
use crate::journal::entry::{Kept, Seq, Stream, Subject};
use crate::journal::page::{HistoryFilter, Page, PageRequest, QuestionFilter, ReviewFilter, TaskFilter};
use crate::journal::replay::Replay;
use crate::journal::search::SILENT;
use crate::journal::store::{KEY_LIFETIME, ReadError, Reader, StoreReport};

/// The column that says what a record is about. A file of an earlier layout, only opened for reading, has none.
pub(in crate::journal) fn subject_column(db: &Connection) -> rusqlite::Result<&'static str> {
    let known = "SELECT 1 FROM pragma_table_info('records') WHERE name = 'subject'";
    Ok(if db.prepare_cached(known)?.exists([])? { "subject" } else { "NULL" })
}

/// The question for records, to be narrowed down.
pub(super) fn records(db: &Connection) -> rusqlite::Result<String> {
    let subject = subject_column(db)?;
    Ok(format!(
        "SELECT seq, at, principal, surface, request, cause, records.stream, kind, version, body, {subject}
         FROM records"
    ))
}

/// Sessions as they are written today, also in a file that was only opened for reading and is of an earlier layout.
const SESSIONS: &str = "
SELECT CASE WHEN json_extract(body, '$.version') IS NOT NULL THEN body ELSE json_set(body,
    '$.version', (SELECT count(*) FROM records WHERE stream = 'session:' || sessions.id),
    '$.standpoint', json(json_object('status', 'started', 'since', json_extract(body, '$.opened_at'), 'message', '',
        'details', json('null'), 'blockers', json('[]')))) END
FROM sessions ORDER BY id";

impl SqliteReader {
    /// Records after `after` and up to `up_to`, oldest first, without those that say nothing in words: most records of
    /// a task's life do not, and reading them is most of what a follower of the words would do.
    pub(in crate::journal) fn said_between(&self, after: Seq, up_to: Seq) -> Result<Vec<Kept>, ReadError> {
        let silent = SILENT.map(|kind| format!("'{kind}'")).join(", ");
        let which = format!("WHERE seq > ?1 AND seq <= ?2 AND kind NOT IN ({silent}) ORDER BY seq");
        self.with(|db| kept(db, &which, params![after, up_to]))
    }
}

impl Reader for SqliteReader {
    fn position(&self) -> Result<Seq, ReadError> {
        self.with(|db| Ok(last(db)?))
    }

    fn rows_up_to(&self) -> Result<Seq, ReadError> {
        self.list(|db| if has_stream_index(db)? { Ok(pending::rows_up_to(db)?) } else { Ok(last(db)?) })
    }

    fn open_tasks(&self) -> Result<Vec<Task>, ReadError> {
        let open = TaskStateName::ALL.into_iter().filter(|state| !state.is_closed());
        let open: Vec<&str> = open.map(TaskStateName::as_str).collect();
        let which = format!("SELECT body FROM tasks WHERE state IN ({}) ORDER BY id", marks(open.len()));
        self.list(|db| bodies(db, &which, params_from_iter(open)))
    }

    fn task(&self, id: &TaskId) -> Result<Option<Task>, ReadError> {
        match self.pending().and_then(|pending| pending.task(id)) {
            Some(task) => Ok(Some(Task::clone(&task))),
            None => self.with(|db| body(db, "SELECT body FROM tasks WHERE id = ?1", [id.as_str()])),
        }
    }

    fn tasks(&self, filter: &TaskFilter, page: &PageRequest) -> Result<Page<Task>, ReadError> {
        let path = self.path().to_owned();
        self.list(|db| super::list::tasks(db, &path, filter, page))
    }

    fn task_counts(&self) -> Result<BTreeMap<TaskStateName, u64>, ReadError> {
        self.list(|db| {
            let mut count = db.prepare_cached("SELECT state, count(*) FROM tasks GROUP BY state")?;
            let rows = count.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
            rows.map(|row| {
                let (name, count) = row?;
                let state = TaskStateName::parse(&name).ok_or_else(|| damaged("state", &name))?;
                Ok((state, u64::try_from(count).unwrap_or_default()))
            })
            .collect()
        })
    }

    fn review(&self, task: &TaskId) -> Result<Option<Review>, ReadError> {
        self.with(|db| body(db, "SELECT body FROM reviews WHERE task = ?1", [task.as_str()]))
    }

    fn reviews(&self, filter: &ReviewFilter, page: &PageRequest) -> Result<Page<Review>, ReadError> {
        self.with(|db| super::list::reviews(db, filter, page))
    }

    fn task_of_comment(&self, comment: &CommentId) -> Result<Option<TaskId>, ReadError> {
        let found: Option<String> = self.with(|db| {
            let mut find = db.prepare_cached("SELECT task FROM review_comments WHERE id = ?1")?;
            Ok(find.query_row([comment.as_str()], |row| row.get(0)).optional()?)
        })?;
        found.map(|task| TaskId::parse(&task).map_err(|_| damaged("task", &task))).transpose()
    }

    fn agents(&self) -> Result<Vec<Agent>, ReadError> {
        self.with(|db| {
            let snapshot = db.savepoint()?;
            agents(&snapshot, None)
        })
    }

    fn agent(&self, id: &AgentId) -> Result<Option<Agent>, ReadError> {
        self.with(|db| {
            let snapshot = db.savepoint()?;
            Ok(agents(&snapshot, Some(id))?.pop())
        })
    }

    fn sessions(&self) -> Result<Vec<Session>, ReadError> {
        self.list(|db| bodies(db, SESSIONS, []))
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>, ReadError> {
        match self.pending().and_then(|pending| pending.session(id)) {
            None => self.with(|db| body(db, "SELECT body FROM sessions WHERE id = ?1", [id.as_str()])),
            known => Ok(known),
        }
    }

    fn questions(&self, filter: &QuestionFilter, page: &PageRequest) -> Result<Page<Question>, ReadError> {
        self.with(|db| super::sessions::questions(db, filter, page))
    }

    fn question(&self, id: &QuestionId) -> Result<Option<Question>, ReadError> {
        self.with(|db| body(db, "SELECT body FROM questions WHERE id = ?1", [id.as_str()]))
    }

    fn tickets(&self) -> Result<Vec<Ticket>, ReadError> {
        self.with(|db| super::tickets::all(db))
    }

    fn ticket_answer(&self, id: &TicketId) -> Result<Option<String>, ReadError> {
        self.with(|db| super::tickets::answer(db, id))
    }

    fn patterns(&self) -> Result<Vec<KeptPattern>, ReadError> {
        self.with(|db| super::patterns::all(db))
    }

    fn session_history(&self, id: &SessionId, filter: &HistoryFilter) -> Result<Vec<Kept>, ReadError> {
        let path = self.path().to_owned();
        self.with(|db| super::sessions::history(db, &path, id, filter))
    }

    fn records(&self, after: Seq, limit: usize) -> Result<Vec<Kept>, ReadError> {
        self.with(|db| kept(db, "WHERE seq > ?1 ORDER BY seq LIMIT ?2", params![after, capped(limit)]))
    }

    fn history(&self, stream: &Stream, limit: usize) -> Result<Vec<Kept>, ReadError> {
        let streams = std::slice::from_ref(stream);
        let mut newest_first = self.with(|db| newest_of(db, streams, "", &[], limit))?;
        newest_first.reverse();
        Ok(newest_first)
    }

    fn blob(&self, id: &BlobId) -> Result<Option<String>, ReadError> {
        self.with(|db| {
            let mut find = db.prepare_cached("SELECT body FROM blobs WHERE id = ?1")?;
            Ok(find.query_row([id.as_str()], |row| row.get(0)).optional()?)
        })
    }

    fn recall(
        &self,
        now: Timestamp,
        principal: &PrincipalId,
        key: &str,
    ) -> Result<Option<(String, serde_json::Value)>, ReadError> {
        let found = self.with(|db| {
            let mut find =
                db.prepare_cached("SELECT digest, receipt, at FROM idempotency WHERE principal = ?1 AND key = ?2")?;
            let row = find.query_row(params![principal.as_str(), key], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Timestamp>(2)?))
            });
            Ok(row.optional()?)
        })?;
        match found {
            Some((digest, receipt, at)) if now.since(at) < KEY_LIFETIME => Ok(Some((digest, parse(&receipt)?))),
            Some(_) | None => Ok(None),
        }
    }

    fn base(&self) -> Result<Replay, ReadError> {
        self.with(|db| {
            let snapshot = db.savepoint()?;
            prune::base(&snapshot)
        })
    }

    fn report(&self) -> Result<StoreReport, ReadError> {
        let horizon = self.with(|db| Ok(prune::horizon(db)?))?;
        let mut log = self.path().as_os_str().to_owned();
        log.push("-wal");
        let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |file| file.len());
        Ok(StoreReport {
            engine: "sqlite",
            path: Some(self.path().display().to_string()),
            bytes: size(self.path()) + size(log.as_ref()),
            schema: SCHEMA,
            horizon,
        })
    }

    fn blocks(&self) -> bool {
        true
    }
}

/// A record of a row that was asked for as [`records`] does. The outer error is the file's, the inner one says what is
/// wrong with the record.
pub(in crate::journal) fn kept_of_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Result<Kept, String>> {
    let seq: Seq = row.get(0)?;
    let (at, principal, surface): (Timestamp, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
    let (request, cause): (Option<String>, Option<Seq>) = (row.get(4)?, row.get(5)?);
    let (stream, kind, version, body): (String, String, u16, String) =
        (row.get(6)?, row.get(7)?, row.get(8)?, row.get(9)?);
    let subject: Option<String> = row.get(10)?;
    let read = || -> Result<Kept, String> {
        Ok(Kept {
            seq,
            at,
            by: By {
                principal: PrincipalId::parse(&principal).map_err(|error| error.to_string())?,
                surface: Surface::parse(&surface).ok_or_else(|| format!("`{surface}` is not a surface"))?,
            },
            request,
            cause,
            stream: Stream::parse(&stream).ok_or_else(|| format!("`{stream}` is not a stream"))?,
            record: codec::decode(&kind, version, &body).map_err(|error| error.to_string())?,
            about: match &subject {
                Some(text) => serde_json::from_str(text).map_err(|error| format!("its subject: {error}"))?,
                None => Subject::NOTHING,
            },
        })
    };
    Ok(read().map_err(|detail| format!("record {seq}: {detail}")))
}

/// The records that `which` means: what follows `FROM records`.
pub(super) fn kept(db: &Connection, which: &str, params: impl Params) -> Result<Vec<Kept>, ReadError> {
    let mut select = db.prepare_cached(&format!("{} {which}", records(db)?))?;
    let rows = select.query_map(params, kept_of_row)?;
    rows.map(|row| row?.map_err(ReadError::Fault)).collect()
}

/// The number after which records are not in the stream index yet.
const NOT_INDEXED: &str = "(SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'rows_up_to')";

/// Records of these streams, the newest first: those that are not in the index yet by a look at each, the others by
/// the index. `more` are further conditions, each with an `AND` before it; `values` what they ask for.
pub(super) fn newest_of(
    db: &mut Connection,
    streams: &[Stream],
    more: &str,
    values: &[Value],
    limit: usize,
) -> Result<Vec<Kept>, ReadError> {
    let marks = marks(streams.len());
    let values = |limit| {
        let streams = streams.iter().map(|stream| Value::from(stream.to_string()));
        params_from_iter(streams.chain(values.iter().cloned()).chain([Value::from(capped(limit))]))
    };
    // One moment for both.
    let snapshot = db.savepoint()?;
    if !has_stream_index(&snapshot)? {
        let which = format!("WHERE stream IN ({marks}){more} ORDER BY seq DESC LIMIT ?");
        return kept(&snapshot, &which, values(limit));
    }
    let which = format!("WHERE stream IN ({marks}) AND seq > {NOT_INDEXED}{more} ORDER BY seq DESC LIMIT ?");
    let mut found = kept(&snapshot, &which, values(limit))?;
    if found.len() < limit {
        let which = format!(
            "JOIN stream_index AS found USING (seq)
             WHERE found.stream IN ({marks}){more} ORDER BY found.seq DESC LIMIT ?"
        );
        found.extend(kept(&snapshot, &which, values(limit - found.len()))?);
    }
    Ok(found)
}

/// Whether rows may be pending: not in a file of an earlier layout, which is only opened for reading.
fn has_stream_index(db: &Connection) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'stream_index'")?.exists([])
}

/// The number of the last record.
fn last(db: &Connection) -> rusqlite::Result<Seq> {
    db.query_row("SELECT coalesce(max(seq), 0) FROM records", [], |row| row.get(0))
}

/// The first column of each row, read as JSON.
pub(super) fn bodies<T: DeserializeOwned>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<T>, ReadError> {
    let mut select = db.prepare_cached(sql)?;
    let mut rows = select.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(parse(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?);
    }
    Ok(found)
}

pub(super) fn body<T: DeserializeOwned>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<T>, ReadError> {
    Ok(bodies(db, sql, params)?.pop())
}

fn agents(db: &Connection, only: Option<&AgentId>) -> Result<Vec<Agent>, ReadError> {
    let only = only.map(AgentId::as_str);
    let mut unheard: BTreeMap<String, Vec<Notice>> = BTreeMap::new();
    let mut select =
        db.prepare_cached("SELECT agent, body FROM notices WHERE ?1 IS NULL OR agent = ?1 ORDER BY agent, id")?;
    let mut rows = select.query([only])?;
    while let Some(row) = rows.next()? {
        let notice = parse(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
        unheard.entry(row.get(0)?).or_default().push(notice);
    }
    let mut select =
        db.prepare_cached("SELECT updated_at, body FROM agents WHERE ?1 IS NULL OR id = ?1 ORDER BY id")?;
    let mut rows = select.query([only])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut agent: Agent = parse(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
        agent.updated_at = row.get(0)?;
        let notices = unheard.remove(agent.id.as_str()).unwrap_or_default();
        agent.notices = notices.into_iter().map(|notice| (notice.id.clone(), notice)).collect();
        found.push(agent);
    }
    Ok(found)
}

pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|error| ReadError::Fault(format!("a row is damaged: {error}")))
}

fn damaged(what: &str, found: &str) -> ReadError {
    ReadError::Fault(format!("a row is damaged: `{found}` is not a {what}"))
}

/// So many parameters.
fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

fn capped(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
