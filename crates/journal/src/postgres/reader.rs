//! Reading the journal in a database: lists after what is pending was written, single rows with a look at it first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::batch::CARRIED;
use super::place::DatabasePlace;
use super::problem::{SCHEMA, said};
use super::query::{Asks, Param, Query, RECORD, kept, parse, raw};
use super::row::{KEY_SEPARATOR, RowKind, UNFINISHED, delivery_id, key_id, number, storable, stored, unsigned};
use super::store::Shared;
use super::tls::Tls;
use super::{prune, words};
use crate::carry::{KeptKey, Source};
use crate::domain::agent::{Agent, Notice};
use crate::domain::ids::{
    AgentId, BlobId, CommentId, PrincipalId, QuestionId, SessionId, TaskId, TerminalId, TicketId, WorkflowId,
};
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryStateName};
use crate::domain::prompt::book::KeptPattern;
use crate::domain::review::Review;
use crate::domain::schedule::Schedule;
use crate::domain::session::question::Question;
use crate::domain::session::{Session, Tie};
use crate::domain::task::{Task, TaskStateName};
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::domain::workflow::run::{RunStatus, WorkflowRun};
use crate::entry::{Kept, Seq, Stream};
use crate::fold::rank;
use crate::page::{
    Counted, DeliveryFilter, HistoryFilter, IdKind, Page, PageRequest, QuestionFilter, ReviewFilter, TaskCursor,
    TaskFilter, WorkflowFilter, delivery_cursor, question_cursor,
};
use crate::raw::RawRecord;
use crate::replay::Replay;
use crate::search;
use crate::store::{DeliveryCounts, EndCounts, ReadError, Reader, StoreReport, key_lifetime};

/// Connections for reading.
const CONNECTIONS: usize = 8;

/// So long a read waits for one of them.
const WAITS_FOR: Duration = Duration::from_secs(10);

/// So long one may take: more than its own limit in the server.
const ANSWERED_WITHIN: Duration = Duration::from_secs(35);

const NEWEST_FIRST: &str = "begun DESC, id DESC";

/// The condition of a task in which a word was said.
const HAS_WORD: &str = "id IN (SELECT whose FROM search WHERE search.team = $1 AND words @@ (?::text)::tsquery)";

/// Any number of readers of a team's journal.
#[derive(Debug, Clone)]
pub struct PgReader {
    pub(super) shared: Arc<Shared>,
    pool: Pool,
    team: i32,
    pub(super) place: String,
}

impl Asks for PgReader {
    fn ask(&self, sql: &str, params: &[Param]) -> Result<Vec<Row>, ReadError> {
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        let answer = async {
            let client = self.pool.get().await.map_err(|error| {
                if let deadpool_postgres::PoolError::Backend(error) = &error { said(error) } else { error.to_string() }
            })?;
            let statement = client.prepare_cached(sql).await.map_err(|error| said(&error))?;
            client.query(&statement, &params).await.map_err(|error| said(&error))
        };
        // Within the driver's runtime, whose clock a limit needs.
        let asked = self.shared.driver.wait_for(async { timeout(ANSWERED_WITHIN, answer).await });
        let late = |_| Err("the database gave no answer in time".to_owned());
        asked.and_then(|found| found.unwrap_or_else(late)).map_err(ReadError::Fault)
    }
}

impl PgReader {
    pub(super) fn new(place: &DatabasePlace, shared: Arc<Shared>) -> Result<Self, String> {
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_config(place.config.clone(), Tls::new(), ManagerConfig { recycling_method });
        let pool = Pool::builder(manager).max_size(CONNECTIONS).runtime(Runtime::Tokio1);
        let pool = pool.wait_timeout(Some(WAITS_FOR)).create_timeout(Some(WAITS_FOR)).build();
        let team = shared.lock().team;
        Ok(Self { shared, pool: pool.map_err(|error| error.to_string())?, team, place: place.shown() })
    }

    /// What the server's clock shows. Must not be called on a thread of another runtime. Fails when nothing answers.
    pub fn time(&self) -> Result<Timestamp, ReadError> {
        let rows = self.ask("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", &[])?;
        Ok(Timestamp(rows.first().map(|row| unsigned(row.get(0))).unwrap_or_default()))
    }

    pub(super) fn team(&self) -> Vec<Param> {
        vec![Box::new(self.team)]
    }

    pub(super) fn of(&self, kind: RowKind) -> Query {
        Query::of(self.team, kind)
    }

    /// The same, once every row is written.
    pub(super) fn list_of(&self, kind: RowKind) -> Result<Query, ReadError> {
        self.flushed()?;
        Ok(self.of(kind))
    }

    fn flushed(&self) -> Result<(), ReadError> {
        self.shared.flush().map_err(|error| ReadError::Fault(error.to_string()))
    }

    /// Whether there is a row that an import writes anew.
    pub(super) fn has_rows(&self) -> Result<bool, ReadError> {
        let sql = format!("SELECT 1 FROM rows WHERE team = $1 AND {CARRIED} LIMIT 1");
        Ok(!self.ask(&sql, &self.team())?.is_empty())
    }

    /// While an import has carried a part: up to which record it has placed them and their words; 0 where it says none.
    pub(super) fn unfinished(&self) -> Result<Option<Seq>, ReadError> {
        let sql = format!("SELECT body FROM rows WHERE team = $1 AND kind = 'base' AND id = '{UNFINISHED}'");
        let rows = self.ask(&sql, &self.team())?;
        Ok(rows.first().map(|row| Seq(row.get::<_, &str>(0).parse().unwrap_or_default())))
    }

    fn one<T: DeserializeOwned>(&self, kind: RowKind, id: &str) -> Result<Option<T>, ReadError> {
        Ok(self.of(kind).and_text("id", Some(id)).bodies(self, "id", 1)?.pop())
    }

    fn all<T: DeserializeOwned>(&self, kind: RowKind) -> Result<Vec<T>, ReadError> {
        self.of(kind).bodies(self, "id", usize::MAX)
    }

    pub(super) fn stored_task(&self, id: &TaskId) -> Result<Option<Task>, ReadError> {
        self.one(RowKind::TASK, id.as_str())
    }

    pub(super) fn stored_session(&self, id: &SessionId) -> Result<Option<Session>, ReadError> {
        self.one(RowKind::SESSION, id.as_str())
    }

    fn agents_of(&self, only: Option<&AgentId>) -> Result<Vec<Agent>, ReadError> {
        let sql = "SELECT kind, moved, body, parent FROM rows WHERE team = $1 AND
                   ((kind = 'agent' AND ($2::text IS NULL OR id = $2)) OR
                    (kind = 'notice' AND ($2::text IS NULL OR parent = $2))) ORDER BY kind, id";
        let mut params = self.team();
        params.push(Box::new(only.map(|id| id.as_str().to_owned())));
        // One statement, and so one moment. Notices follow the agents, by the agent's id and their own.
        let mut agents: BTreeMap<AgentId, Agent> = BTreeMap::new();
        for row in self.ask(sql, &params)? {
            let (kind, moved, body): (&str, i64, &str) = (row.get(0), row.get(1), row.get(2));
            if kind == RowKind::AGENT.as_str() {
                let agent: Agent = parse(body)?;
                agents.insert(agent.id.clone(), Agent { updated_at: Timestamp(unsigned(moved)), ..agent });
            } else {
                let notice: Notice = parse(body)?;
                let whose = row.get::<_, Option<&str>>(3).and_then(|id| AgentId::parse(id).ok());
                if let Some(agent) = whose.and_then(|id| agents.get_mut(&id)) {
                    agent.notices.insert(notice.id.clone(), notice);
                }
            }
        }
        Ok(agents.into_values().collect())
    }

    fn of_tasks(&self, filter: &TaskFilter) -> Result<Query, ReadError> {
        let mut query = self.list_of(RowKind::TASK)?.and_one_of(filter.states.iter().map(|state| state.as_str()));
        query = query.and_text("holder", filter.agent.as_ref().map(AgentId::as_str));
        query = query.and_text("scope", filter.target.as_deref());
        if let Some(priority) = filter.priority {
            query = query.and("rank = ?", rank(priority));
        }
        if let Some(since) = filter.changed_since {
            query = query.and("moved >= ?", number(since.0));
        }
        for word in filter.query.as_deref().map(search::words).unwrap_or_default() {
            if let Some(question) = words::question(&word) {
                query = query.and(HAS_WORD, question);
            }
        }
        Ok(query)
    }

    fn of_reviews(&self, filter: &ReviewFilter) -> Query {
        let query = self.of(RowKind::REVIEW).and_one_of(filter.states.iter().map(|state| state.as_str()));
        query.and_text("holder", filter.agent.as_ref().map(AgentId::as_str))
    }

    fn of_questions(&self, filter: &QuestionFilter) -> Query {
        let mut query = self.of(RowKind::QUESTION).and_text("scope", filter.session.as_ref().map(SessionId::as_str));
        query = query.and_text("holder", filter.agent.as_ref().map(AgentId::as_str));
        query = query.and_text("parent", filter.task.as_ref().map(TaskId::as_str));
        match filter.open {
            Some(open) => query.and("open = ?", open),
            None => query,
        }
    }

    fn of_deliveries(&self, filter: &DeliveryFilter) -> Query {
        let query = self.of(RowKind::DELIVERY).and_one_of(filter.states.iter().map(|state| state.as_str()));
        query.and_text("scope", filter.destination.as_deref()).and_text("holder", filter.lane.as_deref())
    }

    fn of_runs(&self, filter: &WorkflowFilter) -> Query {
        let mut query = self.of(RowKind::WORKFLOW).and_text("holder", filter.owner.as_ref().map(PrincipalId::as_str));
        query = query.and_text("scope", filter.name.as_deref());
        query = match filter.states.as_slice() {
            [RunStatus::Working] => query.and("open = ?", true),
            states => query.and_one_of(states.iter().map(|state| state.as_str())),
        };
        let Some(place) = &filter.behind else { return query };
        let at = number(place.started_at.0);
        query.and("begun <= ?", at).and(&format!("(begun < {at} OR id < ?)"), place.id.as_str().to_owned())
    }

    /// Records of these streams, the newest first: those that are not in the index yet by a look at each, the others by
    /// the index. `more` are further conditions about `r`; their first parameter is the fourth.
    fn newest_of(
        &self,
        streams: &[Stream],
        more: &str,
        values: Vec<Box<dyn ToSql + Sync + Send>>,
        limit: usize,
    ) -> Result<Vec<Kept>, ReadError> {
        let sql = format!(
            "(SELECT {RECORD} FROM records r WHERE r.team = $1 AND r.stream = ANY($2) AND r.seq >
                 (SELECT rows_up_to FROM team WHERE id = $1){more} ORDER BY r.seq DESC LIMIT $3)
             UNION ALL
             (SELECT {RECORD} FROM stream_index i JOIN records r ON r.team = i.team AND r.seq = i.seq
              WHERE i.team = $1 AND i.stream = ANY($2) AND i.seq <= (SELECT rows_up_to FROM team WHERE id = $1){more}
              ORDER BY i.seq DESC LIMIT $3)
             ORDER BY 1 DESC LIMIT $3"
        );
        let mut params = self.team();
        params.push(Box::new(streams.iter().map(ToString::to_string).collect::<Vec<_>>()));
        params.push(Box::new(i64::try_from(limit).unwrap_or(i64::MAX)));
        params.extend(values);
        kept(&self.ask(&sql, &params)?)
    }

    fn one_number(&self, column: &str) -> Result<u64, ReadError> {
        let rows = self.ask(&format!("SELECT {column} FROM team WHERE id = $1"), &self.team())?;
        let row = rows.first().ok_or_else(|| ReadError::Fault("the team is gone".to_owned()))?;
        Ok(unsigned(row.get(0)))
    }
}

impl Source for PgReader {
    fn raw_records(&self, after: Seq, limit: usize) -> Result<Vec<RawRecord>, ReadError> {
        let sql = format!("SELECT {RECORD} FROM records r WHERE r.team = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3");
        let mut params = self.team();
        params.push(Box::new(number(after.0)));
        params.push(Box::new(i64::try_from(limit).unwrap_or(i64::MAX)));
        Ok(self.ask(&sql, &params)?.iter().map(raw).collect())
    }

    fn keys(&self) -> Result<Vec<KeptKey>, ReadError> {
        let sql = "SELECT id, state, body, begun FROM rows WHERE team = $1 AND kind = 'key'";
        let rows = self.ask(sql, &self.team())?;
        let keys = rows.iter().filter_map(|row| {
            let id = stored(row.get(0));
            let (principal, key) = id.split_once(KEY_SEPARATOR)?;
            let digest = row.get::<_, Option<&str>>(1).map(stored).unwrap_or_default();
            Some((principal.to_owned(), key.to_owned(), digest, stored(row.get(2)), Timestamp(unsigned(row.get(3)))))
        });
        Ok(keys.collect())
    }

    fn comments(&self) -> Result<Vec<(String, String)>, ReadError> {
        let sql = "SELECT id, parent FROM rows WHERE team = $1 AND kind = 'comment' AND parent IS NOT NULL";
        Ok(self.ask(sql, &self.team())?.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    fn blobs(&self) -> Result<Vec<(String, String)>, ReadError> {
        let rows = self.ask("SELECT id, body FROM blobs WHERE team = $1", &self.team())?;
        Ok(rows.iter().map(|row| (row.get(0), String::from_utf8_lossy(row.get(1)).into_owned())).collect())
    }
}

impl Reader for PgReader {
    fn position(&self) -> Result<Seq, ReadError> {
        self.one_number("seq").map(Seq)
    }

    fn rows_up_to(&self) -> Result<Seq, ReadError> {
        self.flushed()?;
        self.one_number("rows_up_to").map(Seq)
    }

    fn open_tasks(&self) -> Result<Vec<Task>, ReadError> {
        self.list_of(RowKind::TASK)?.and("open = ?", true).bodies(self, "id", usize::MAX)
    }

    fn task(&self, id: &TaskId) -> Result<Option<Task>, ReadError> {
        let pending = self.shared.pending().rows.tasks.get(id).cloned();
        pending.map_or_else(|| self.stored_task(id), |task| Ok(Some(Task::clone(&task))))
    }

    fn tasks(&self, filter: &TaskFilter, page: &PageRequest) -> Result<Page<Task>, ReadError> {
        let cursor = page.cursor.as_deref().map(TaskCursor::parse).transpose()?;
        let query = self.of_tasks(filter)?.behind(cursor.as_ref());
        let found = query.bodies(self, NEWEST_FIRST, page.size() + 1)?;
        Ok(Page::cut(found, page.size(), |task| TaskCursor::of(task).text()))
    }

    fn children(&self, parent: &TaskId, most: usize) -> Result<Vec<Task>, ReadError> {
        let query = self.list_of(RowKind::TASK)?.and_text("parent", Some(parent.as_str()));
        query.bodies(self, "begun, id", most)
    }

    fn ended_since(&self, since: Timestamp) -> Result<EndCounts, ReadError> {
        self.flushed()?;
        let sql = "SELECT (ended - $2) / 60000, state, count(*) FROM rows
                   WHERE team = $1 AND kind = 'task' AND ended IS NOT NULL AND ended >= $2 GROUP BY 1, 2";
        let mut params = self.team();
        params.push(Box::new(number(since.0)));
        let rows = self.ask(sql, &params)?;
        let counts = rows.iter().map(|row| Ok(((unsigned(row.get(0)), task_state(row.get(1))?), unsigned(row.get(2)))));
        counts.collect()
    }

    fn task_counts(&self) -> Result<BTreeMap<TaskStateName, u64>, ReadError> {
        self.flushed()?;
        let sql = "SELECT state, count(*) FROM rows WHERE team = $1 AND kind = 'task' GROUP BY 1";
        self.ask(sql, &self.team())?.iter().map(|row| Ok((task_state(row.get(0))?, unsigned(row.get(1))))).collect()
    }

    fn review(&self, task: &TaskId) -> Result<Option<Review>, ReadError> {
        self.one(RowKind::REVIEW, task.as_str())
    }

    fn reviews(&self, filter: &ReviewFilter, page: &PageRequest) -> Result<Page<Review>, ReadError> {
        let cursor = page.cursor.as_deref().map(TaskCursor::parse).transpose()?;
        let found = self.of_reviews(filter).behind(cursor.as_ref()).bodies(self, NEWEST_FIRST, page.size() + 1)?;
        Ok(Page::cut(found, page.size(), |review| TaskCursor::of_review(review).text()))
    }

    fn task_of_comment(&self, comment: &CommentId) -> Result<Option<TaskId>, ReadError> {
        let sql = "SELECT parent FROM rows WHERE team = $1 AND kind = 'comment' AND id = $2";
        let mut params = self.team();
        params.push(Box::new(comment.as_str().to_owned()));
        let found: Option<String> = self.ask(sql, &params)?.first().and_then(|row| row.get(0));
        found.map(|task| TaskId::parse(&task).map_err(|_| damaged("task", &task))).transpose()
    }

    fn agents(&self) -> Result<Vec<Agent>, ReadError> {
        self.agents_of(None)
    }

    fn agent(&self, id: &AgentId) -> Result<Option<Agent>, ReadError> {
        Ok(self.agents_of(Some(id))?.pop())
    }

    fn sessions(&self) -> Result<Vec<Session>, ReadError> {
        self.list_of(RowKind::SESSION)?.bodies(self, "id", usize::MAX)
    }

    fn sessions_tied(&self, ties: &BTreeSet<Tie>) -> Result<Vec<Session>, ReadError> {
        let names: Vec<String> = ties.iter().map(|tie| storable(tie.as_str())).collect();
        let tied = "id IN (SELECT parent FROM rows AS tie WHERE tie.team = $1 AND tie.kind = 'tie' AND scope = ANY(?))";
        self.list_of(RowKind::SESSION)?.and(tied, names).bodies(self, "id", usize::MAX)
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>, ReadError> {
        let pending = self.shared.pending().rows.session(id).cloned();
        pending.map_or_else(|| self.stored_session(id), |session| Ok(Some(session)))
    }

    fn questions(&self, filter: &QuestionFilter, page: &PageRequest) -> Result<Page<Question>, ReadError> {
        let mut query = self.of_questions(filter);
        if let Some(cursor) = question_cursor(page)? {
            query = query.and("id < ?", cursor.as_str().to_owned());
        }
        let found = query.bodies(self, "id DESC", page.size() + 1)?;
        Ok(Page::cut(found, page.size(), |question: &Question| question.spec.id.to_string()))
    }

    fn question(&self, id: &QuestionId) -> Result<Option<Question>, ReadError> {
        self.one(RowKind::QUESTION, id.as_str())
    }

    fn tickets(&self) -> Result<Vec<Ticket>, ReadError> {
        self.all(RowKind::TICKET)
    }

    fn ticket_answer(&self, id: &TicketId) -> Result<Option<String>, ReadError> {
        let sql = "SELECT body FROM rows WHERE team = $1 AND kind = 'answer' AND id = $2";
        let mut params = self.team();
        params.push(Box::new(id.as_str().to_owned()));
        Ok(self.ask(sql, &params)?.first().map(|row| row.get(0)))
    }

    fn workflow(&self, id: &WorkflowId) -> Result<Option<WorkflowRun>, ReadError> {
        self.one(RowKind::WORKFLOW, id.as_str())
    }

    fn workflows(&self, filter: &WorkflowFilter, most: usize) -> Result<Vec<WorkflowRun>, ReadError> {
        self.of_runs(filter).bodies(self, NEWEST_FIRST, most)
    }

    fn deliveries(&self, filter: &DeliveryFilter, page: &PageRequest) -> Result<Page<Delivery>, ReadError> {
        let mut query = self.of_deliveries(filter);
        if let Some(before) = delivery_cursor(page)? {
            query = query.and("id < ?", delivery_id(before));
        }
        let found = query.bodies(self, "id DESC", page.size() + 1)?;
        Ok(Page::cut(found, page.size(), |delivery: &Delivery| delivery.id.to_string()))
    }

    fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, ReadError> {
        self.one(RowKind::DELIVERY, &delivery_id(id))
    }

    fn waiting_deliveries(&self, after: Option<DeliveryId>, most: usize) -> Result<Vec<Delivery>, ReadError> {
        let after = after.map(delivery_id).unwrap_or_default();
        self.of(RowKind::DELIVERY).and("open = ?", true).and("id > ?", after).bodies(self, "id", most)
    }

    fn delivery_counts(&self) -> Result<DeliveryCounts, ReadError> {
        let sql = "SELECT scope, state, count(*) FROM rows WHERE team = $1 AND kind = 'delivery' GROUP BY 1, 2";
        let rows = self.ask(sql, &self.team())?;
        let counts = rows.iter().map(|row| {
            let state: &str = row.get(1);
            let state = DeliveryStateName::parse(state).ok_or_else(|| damaged("state of a delivery", state))?;
            Ok(((row.get(0), state), unsigned(row.get(2))))
        });
        counts.collect()
    }

    fn count(&self, what: Counted<'_>) -> Result<u64, ReadError> {
        let query = match what {
            Counted::Tasks(filter) => self.of_tasks(&TaskFilter { query: None, ..filter.clone() })?,
            Counted::Reviews(filter) => self.of_reviews(filter),
            Counted::Questions(filter) => self.of_questions(filter),
            Counted::Deliveries(filter) => self.of_deliveries(filter),
            Counted::Workflows(filter) => self.of_runs(filter),
        };
        query.count(self)
    }

    fn ids_beginning(&self, kind: IdKind, beginning: &str, most: usize) -> Result<Vec<String>, ReadError> {
        let kind = match kind {
            IdKind::Task => RowKind::TASK,
            IdKind::Session => RowKind::SESSION,
            IdKind::Question => RowKind::QUESTION,
            IdKind::Review => RowKind::REVIEW,
            IdKind::Workflow => RowKind::WORKFLOW,
        };
        self.flushed()?;
        let sql = "SELECT id FROM rows WHERE team = $1 AND kind = $2 AND id >= $3 AND id < $4 ORDER BY id LIMIT $5";
        let mut params = self.team();
        params.push(Box::new(kind.as_str()));
        params.push(Box::new(storable(beginning)));
        // Behind every character that an id may have.
        params.push(Box::new(storable(&format!("{beginning}~"))));
        params.push(Box::new(i64::try_from(most).unwrap_or(i64::MAX)));
        Ok(self.ask(sql, &params)?.iter().map(|row| row.get(0)).collect())
    }

    fn patterns(&self) -> Result<Vec<KeptPattern>, ReadError> {
        self.all(RowKind::PATTERN)
    }

    fn webhooks(&self) -> Result<Vec<Webhook>, ReadError> {
        self.all(RowKind::WEBHOOK)
    }

    fn schedules(&self) -> Result<Vec<Schedule>, ReadError> {
        self.all(RowKind::SCHEDULE)
    }

    fn kinds_after(&self, after: Seq) -> Result<BTreeMap<String, u64>, ReadError> {
        let sql = "SELECT kind, count(*) FROM records WHERE team = $1 AND seq > $2 GROUP BY kind";
        let mut params = self.team();
        params.push(Box::new(number(after.0)));
        Ok(self.ask(sql, &params)?.iter().map(|row| (row.get(0), unsigned(row.get(1)))).collect())
    }

    fn session_history(&self, id: &SessionId, filter: &HistoryFilter) -> Result<Vec<Kept>, ReadError> {
        // What its program asked is in the stream of its terminal.
        let streams = [Stream::Session(id.clone()), Stream::Terminal(TerminalId::from(id))];
        let (mut more, mut values) = (String::new(), Vec::<Box<dyn ToSql + Sync + Send>>::new());
        if let Some(before) = filter.before {
            values.push(Box::new(number(before.0)));
            more.push_str(&format!(" AND r.seq < ${}", values.len() + 3));
        }
        if !filter.types.is_empty() {
            values.push(Box::new(filter.types.iter().map(|kind| storable(kind)).collect::<Vec<_>>()));
            let place = values.len() + 3;
            more.push_str(&format!(" AND (r.kind = ANY(${place}) OR split_part(r.kind, '.', 1) = ANY(${place}))"));
        }
        for word in filter.query.as_deref().map(search::words).unwrap_or_default() {
            let Some(question) = words::question(&word) else { continue };
            self.flushed()?;
            values.push(Box::new(question));
            more.push_str(&format!(
                " AND EXISTS (SELECT 1 FROM search s WHERE s.team = $1 AND s.seq = r.seq
                  AND s.words @@ (${}::text)::tsquery)",
                values.len() + 3
            ));
        }
        self.newest_of(&streams, &more, values, filter.limit)
    }

    fn records(&self, after: Seq, limit: usize) -> Result<Vec<Kept>, ReadError> {
        let raw = Source::raw_records(self, after, limit)?;
        raw.into_iter().map(|record| record.read().map_err(ReadError::Fault)).collect()
    }

    fn history(&self, stream: &Stream, limit: usize) -> Result<Vec<Kept>, ReadError> {
        let mut newest_first = self.newest_of(std::slice::from_ref(stream), "", Vec::new(), limit)?;
        newest_first.reverse();
        Ok(newest_first)
    }

    fn blob(&self, id: &BlobId) -> Result<Option<String>, ReadError> {
        let mut params = self.team();
        params.push(Box::new(id.as_str().to_owned()));
        let found = self.ask("SELECT body FROM blobs WHERE team = $1 AND id = $2", &params)?;
        let text = found.first().map(|row| String::from_utf8(row.get(0)));
        text.transpose().map_err(|error| ReadError::Fault(format!("a long text is damaged: {error}")))
    }

    fn recall(
        &self,
        now: Timestamp,
        principal: &PrincipalId,
        key: &str,
    ) -> Result<Option<(String, serde_json::Value)>, ReadError> {
        let sql = "SELECT state, begun, body FROM rows WHERE team = $1 AND kind = 'key' AND id = $2";
        let mut params = self.team();
        params.push(Box::new(storable(&key_id(principal.as_str(), key))));
        let found = self.ask(sql, &params)?;
        let good = found.first().filter(|row| now.since(Timestamp(unsigned(row.get(1)))) < key_lifetime(principal));
        good.map(|row| Ok((row.get(0), parse(row.get(2))?))).transpose()
    }

    fn base(&self) -> Result<Replay, ReadError> {
        prune::base(self, &self.team())
    }

    fn report(&self) -> Result<StoreReport, ReadError> {
        let size = "SELECT pg_database_size(current_database())";
        let bytes = self.ask(size, &[])?.first().map(|row| unsigned(row.get(0))).unwrap_or_default();
        Ok(StoreReport {
            engine: "postgres",
            path: Some(self.place.clone()),
            bytes,
            schema: SCHEMA.unsigned_abs(),
            horizon: Seq(self.one_number("horizon")?),
        })
    }

    fn blocks(&self) -> bool {
        true
    }
}

fn task_state(name: &str) -> Result<TaskStateName, ReadError> {
    TaskStateName::parse(name).ok_or_else(|| damaged("state", name))
}

fn damaged(what: &str, found: &str) -> ReadError {
    ReadError::Fault(format!("a row is damaged: `{found}` is not a {what}"))
}
