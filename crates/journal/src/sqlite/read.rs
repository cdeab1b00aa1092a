//! Reading the journal's file.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};

use super::decode::{bodies, body, capped, has_stream_index, kept, marks, newest_of, parse};
use super::keyed::{PATTERNS, SCHEDULES, TICKETS, WEBHOOKS};
use super::pending;
use super::pool::SqliteReader;
use super::prune;
use super::schema::SCHEMA;
use crate::domain::agent::{Agent, Notice};
use crate::domain::ids::{
    AgentId, BlobId, CommentId, PrincipalId, QuestionId, SessionId, TaskId, TicketId, WorkflowId,
};
use crate::domain::outbox::{Delivery, DeliveryId};
use crate::domain::prompt::book::KeptPattern;
use crate::domain::review::Review;
use crate::domain::schedule::Schedule;
use crate::domain::session::question::Question;
use crate::domain::session::{Session, Tie};
use crate::domain::task::{Task, TaskStateName};
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::domain::workflow::run::WorkflowRun;
use crate::entry::{Kept, Seq, Stream};
use crate::page::{
    Counted, DeliveryFilter, HistoryFilter, IdKind, Page, PageRequest, QuestionFilter, ReviewFilter, TaskFilter,
    WorkflowFilter,
};
use crate::replay::Replay;
use crate::search::SILENT;
use crate::store::{DeliveryCounts, EndCounts, ReadError, Reader, StoreReport, key_lifetime};

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
    pub(crate) fn said_between(&self, after: Seq, up_to: Seq) -> Result<Vec<Kept>, ReadError> {
        let silent = SILENT.map(|kind| format!("'{kind}'")).join(", ");
        let which = format!("WHERE seq > ?1 AND seq <= ?2 AND kind NOT IN ({silent}) ORDER BY seq");
        self.with(|db| kept(db, &which, params![after, up_to]))
    }
}

impl SqliteReader {
    /// The number of the last record that was pruned; 0 when none was.
    pub(crate) fn horizon(&self) -> Result<Seq, ReadError> {
        self.with(|db| Ok(prune::horizon(db)?))
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

    fn children(&self, parent: &TaskId, most: usize) -> Result<Vec<Task>, ReadError> {
        let which = "SELECT body FROM tasks WHERE parent = ?1 ORDER BY created_at, id LIMIT ?2";
        self.list(|db| bodies(db, which, params![parent.as_str(), capped(most)]))
    }

    fn ended_since(&self, since: Timestamp) -> Result<EndCounts, ReadError> {
        self.list(|db| {
            let mut count = db.prepare_cached(
                "SELECT (ended_at - ?1) / 60000, state, count(*) FROM tasks WHERE ended_at >= ?1 GROUP BY 1, 2",
            )?;
            let rows = count.query_map([since], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
            })?;
            rows.map(|row| {
                let (minute, name, count) = row?;
                let state = TaskStateName::parse(&name).ok_or_else(|| damaged("state", &name))?;
                Ok(((u64::try_from(minute).unwrap_or_default(), state), u64::try_from(count).unwrap_or_default()))
            })
            .collect()
        })
    }

    fn task_counts(&self) -> Result<BTreeMap<TaskStateName, u64>, ReadError> {
        self.list(|db| {
            let mut count = db.prepare_cached("SELECT state, tasks FROM task_counts WHERE tasks > 0")?;
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

    fn sessions_tied(&self, ties: &BTreeSet<Tie>) -> Result<Vec<Session>, ReadError> {
        let names = serde_json::Value::from(ties.iter().map(Tie::as_str).collect::<Vec<_>>()).to_string();
        let tied = "SELECT body FROM sessions WHERE id IN
            (SELECT session FROM session_ties WHERE tie IN (SELECT value FROM json_each(?1))) ORDER BY id";
        self.list(|db| bodies(db, tied, [names]))
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
        self.with(|db| TICKETS.all(db))
    }

    fn ticket_answer(&self, id: &TicketId) -> Result<Option<String>, ReadError> {
        self.with(|db| {
            let mut find = db.prepare_cached("SELECT answer FROM tickets WHERE id = ?1")?;
            Ok(find.query_row([id.as_str()], |row| row.get::<_, Option<String>>(0)).optional()?.flatten())
        })
    }

    fn workflow(&self, id: &WorkflowId) -> Result<Option<WorkflowRun>, ReadError> {
        self.with(|db| super::workflows::one(db, id))
    }

    fn workflows(&self, filter: &WorkflowFilter, most: usize) -> Result<Vec<WorkflowRun>, ReadError> {
        self.with(|db| super::workflows::list(db, filter, most))
    }

    fn deliveries(&self, filter: &DeliveryFilter, page: &PageRequest) -> Result<Page<Delivery>, ReadError> {
        self.with(|db| super::deliveries::list(db, filter, page))
    }

    fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, ReadError> {
        self.with(|db| super::deliveries::one(db, id))
    }

    fn waiting_deliveries(&self, after: Option<DeliveryId>, most: usize) -> Result<Vec<Delivery>, ReadError> {
        self.with(|db| super::deliveries::waiting(db, after, most))
    }

    fn delivery_counts(&self) -> Result<DeliveryCounts, ReadError> {
        self.with(|db| super::deliveries::counts(db))
    }

    fn count(&self, what: Counted<'_>) -> Result<u64, ReadError> {
        let statement = match what {
            Counted::Tasks(filter) => return self.list(|db| super::list::of_tasks(filter).count(db)),
            Counted::Reviews(filter) => super::list::of_reviews(filter),
            Counted::Questions(filter) => super::sessions::of_questions(filter),
            Counted::Deliveries(filter) => super::deliveries::of_deliveries(filter),
            Counted::Workflows(filter) => super::workflows::of_runs(filter),
        };
        self.with(|db| statement.count(db))
    }

    fn ids_beginning(&self, kind: IdKind, beginning: &str, most: usize) -> Result<Vec<String>, ReadError> {
        self.list(|db| super::statement::ids_beginning(db, kind, beginning, most))
    }

    fn patterns(&self) -> Result<Vec<KeptPattern>, ReadError> {
        self.with(|db| PATTERNS.all(db))
    }

    fn schedules(&self) -> Result<Vec<Schedule>, ReadError> {
        self.with(|db| SCHEDULES.all(db))
    }

    fn webhooks(&self) -> Result<Vec<Webhook>, ReadError> {
        self.with(|db| WEBHOOKS.all(db))
    }

    fn kinds_after(&self, after: Seq) -> Result<BTreeMap<String, u64>, ReadError> {
        self.with(|db| {
            let mut count = db.prepare_cached("SELECT kind, count(*) FROM records WHERE seq > ?1 GROUP BY kind")?;
            let after = i64::try_from(after.0).unwrap_or(i64::MAX);
            let rows = count.query_map([after], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
            let counted = rows.map(|row| row.map(|(kind, count)| (kind, u64::try_from(count).unwrap_or_default())));
            Ok(counted.collect::<rusqlite::Result<_>>()?)
        })
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
            Some((digest, receipt, at)) if now.since(at) < key_lifetime(principal) => {
                Ok(Some((digest, parse(&receipt)?)))
            }
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
        let horizon = self.horizon()?;
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

fn last(db: &Connection) -> rusqlite::Result<Seq> {
    db.query_row("SELECT coalesce(max(seq), 0) FROM records", [], |row| row.get(0))
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

fn damaged(what: &str, found: &str) -> ReadError {
    ReadError::Fault(format!("a row is damaged: `{found}` is not a {what}"))
}
