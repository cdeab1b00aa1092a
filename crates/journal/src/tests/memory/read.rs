//! Reading the journal in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Value;

use super::MemoryReader;
use super::state::State;
use crate::domain::agent::Agent;
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
use crate::domain::workflow::run::WorkflowRun;
use crate::entry::{Kept, Seq, Stream};
use crate::page::{
    Counted, DeliveryFilter, HistoryFilter, IdKind, Page, PageRequest, QuestionFilter, ReviewFilter, TaskCursor,
    TaskFilter, WorkflowFilter, delivery_cursor, question_cursor,
};
use crate::replay::Replay;
use crate::search;
use crate::store::{DeliveryCounts, EndCounts, ReadError, Reader, StoreReport};

impl Reader for MemoryReader {
    fn position(&self) -> Result<Seq, ReadError> {
        Ok(self.state().position())
    }

    fn open_tasks(&self) -> Result<Vec<Task>, ReadError> {
        Ok(self.open_rows().into_iter().map(Arc::unwrap_or_clone).collect())
    }

    fn task(&self, id: &TaskId) -> Result<Option<Task>, ReadError> {
        Ok(self.row(id).map(Arc::unwrap_or_clone))
    }

    fn tasks(&self, filter: &TaskFilter, page: &PageRequest) -> Result<Page<Task>, ReadError> {
        let before = match page.cursor.as_deref().map(TaskCursor::parse).transpose()? {
            Some(cursor) => Bound::Excluded(cursor),
            None => Bound::Unbounded,
        };
        let words = filter.query.as_deref().map(search::words).unwrap_or_default();
        let state = self.state();
        let found = state
            .order
            .range((Bound::Unbounded, before))
            .rev()
            .filter_map(|cursor| state.tasks.get(&cursor.id))
            .filter(|task| filter.admits(task) && state.says(task, &words))
            .take(page.size() + 1)
            .map(|task| Task::clone(task))
            .collect();
        Ok(Page::cut(found, page.size(), |task| TaskCursor::of(task).text()))
    }

    fn review(&self, task: &TaskId) -> Result<Option<Review>, ReadError> {
        Ok(self.state().reviews.get(task).cloned())
    }

    fn reviews(&self, filter: &ReviewFilter, page: &PageRequest) -> Result<Page<Review>, ReadError> {
        let before = page.cursor.as_deref().map(TaskCursor::parse).transpose()?;
        let state = self.state();
        let mut found: Vec<Review> = state
            .reviews
            .values()
            .filter(|review| filter.admits(review))
            .filter(|review| before.as_ref().is_none_or(|before| TaskCursor::of_review(review) < *before))
            .cloned()
            .collect();
        found.sort_by_key(|review| std::cmp::Reverse(TaskCursor::of_review(review)));
        found.truncate(page.size() + 1);
        Ok(Page::cut(found, page.size(), |review| TaskCursor::of_review(review).text()))
    }

    fn task_of_comment(&self, comment: &CommentId) -> Result<Option<TaskId>, ReadError> {
        let state = self.state();
        let found = state.reviews.values().find(|review| review.comment(comment).is_some());
        Ok(found.map(|review| review.task.clone()))
    }

    fn children(&self, parent: &TaskId, most: usize) -> Result<Vec<Task>, ReadError> {
        let state = self.state();
        let tasks = state.order.iter().filter_map(|cursor| state.tasks.get(&cursor.id));
        let children = tasks.filter(|task| task.spec.parent.as_ref() == Some(parent));
        Ok(children.take(most).map(|task| Task::clone(task)).collect())
    }

    fn ended_since(&self, since: Timestamp) -> Result<EndCounts, ReadError> {
        let mut counts = EndCounts::new();
        for task in self.state().tasks.values() {
            if let Some(at) = task.ended_at().filter(|at| *at >= since) {
                *counts.entry((at.since(since).as_secs() / 60, task.state.name())).or_default() += 1;
            }
        }
        Ok(counts)
    }

    fn task_counts(&self) -> Result<BTreeMap<TaskStateName, u64>, ReadError> {
        let mut counts = BTreeMap::new();
        for task in self.state().tasks.values() {
            *counts.entry(task.state.name()).or_default() += 1;
        }
        Ok(counts)
    }

    fn agents(&self) -> Result<Vec<Agent>, ReadError> {
        let state = self.state();
        Ok(state.agents.values().map(|agent| state.with_notices(agent)).collect())
    }

    fn agent(&self, id: &AgentId) -> Result<Option<Agent>, ReadError> {
        let state = self.state();
        Ok(state.agents.get(id).map(|agent| state.with_notices(agent)))
    }

    fn sessions(&self) -> Result<Vec<Session>, ReadError> {
        Ok(self.state().sessions.values().cloned().collect())
    }

    fn sessions_tied(&self, ties: &BTreeSet<Tie>) -> Result<Vec<Session>, ReadError> {
        let state = self.state();
        let tied = state.sessions.values().filter(|session| !session.ties().is_disjoint(ties));
        Ok(tied.cloned().collect())
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>, ReadError> {
        Ok(self.state().sessions.get(id).cloned())
    }

    fn questions(&self, filter: &QuestionFilter, page: &PageRequest) -> Result<Page<Question>, ReadError> {
        let before = match question_cursor(page)? {
            Some(cursor) => Bound::Excluded(cursor),
            None => Bound::Unbounded,
        };
        let state = self.state();
        let found = state.questions.range((Bound::Unbounded, before)).rev().map(|(_, question)| question);
        let found = found.filter(|question| filter.admits(question)).take(page.size() + 1).cloned().collect();
        Ok(Page::cut(found, page.size(), |question: &Question| question.spec.id.to_string()))
    }

    fn question(&self, id: &QuestionId) -> Result<Option<Question>, ReadError> {
        Ok(self.state().questions.get(id).cloned())
    }

    fn tickets(&self) -> Result<Vec<Ticket>, ReadError> {
        Ok(self.state().tickets.values().map(|(ticket, _)| ticket.clone()).collect())
    }

    fn ticket_answer(&self, id: &TicketId) -> Result<Option<String>, ReadError> {
        Ok(self.state().tickets.get(id).and_then(|(_, answer)| answer.clone()))
    }

    fn workflow(&self, id: &WorkflowId) -> Result<Option<WorkflowRun>, ReadError> {
        Ok(self.state().workflows.get(id).cloned())
    }

    fn workflows(&self, filter: &WorkflowFilter, most: usize) -> Result<Vec<WorkflowRun>, ReadError> {
        let mut found: Vec<WorkflowRun> =
            self.state().workflows.values().filter(|run| filter.admits(run)).cloned().collect();
        found.sort_by(|a, b| (b.started_at, &b.id).cmp(&(a.started_at, &a.id)));
        found.truncate(most);
        Ok(found)
    }

    fn deliveries(&self, filter: &DeliveryFilter, page: &PageRequest) -> Result<Page<Delivery>, ReadError> {
        let before = delivery_cursor(page)?.map_or(Bound::Unbounded, Bound::Excluded);
        let state = self.state();
        let found = state.deliveries.range((Bound::Unbounded, before)).rev().map(|(_, delivery)| delivery);
        let found = found.filter(|delivery| filter.admits(delivery)).take(page.size() + 1).cloned().collect();
        Ok(Page::cut(found, page.size(), |delivery: &Delivery| delivery.id.to_string()))
    }

    fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, ReadError> {
        Ok(self.state().deliveries.get(&id).cloned())
    }

    fn waiting_deliveries(&self, after: Option<DeliveryId>, most: usize) -> Result<Vec<Delivery>, ReadError> {
        let after = after.map_or(Bound::Unbounded, Bound::Excluded);
        let state = self.state();
        let found = state.deliveries.range((after, Bound::Unbounded)).map(|(_, delivery)| delivery);
        let waits = |delivery: &&Delivery| delivery.state.name() == DeliveryStateName::Pending;
        Ok(found.filter(waits).take(most).cloned().collect())
    }

    fn delivery_counts(&self) -> Result<DeliveryCounts, ReadError> {
        let mut counts = DeliveryCounts::new();
        for delivery in self.state().deliveries.values() {
            *counts.entry((delivery.destination.clone(), delivery.state.name())).or_default() += 1;
        }
        Ok(counts)
    }

    fn count(&self, what: Counted<'_>) -> Result<u64, ReadError> {
        let state = self.state();
        let count = match what {
            Counted::Tasks(filter) => state.tasks.values().filter(|one| filter.admits(one)).count(),
            Counted::Reviews(filter) => state.reviews.values().filter(|one| filter.admits(one)).count(),
            Counted::Questions(filter) => state.questions.values().filter(|one| filter.admits(one)).count(),
            Counted::Deliveries(filter) => state.deliveries.values().filter(|one| filter.admits(one)).count(),
            Counted::Workflows(filter) => state.workflows.values().filter(|one| filter.admits(one)).count(),
        };
        Ok(u64::try_from(count).unwrap_or(u64::MAX))
    }

    fn ids_beginning(&self, kind: IdKind, beginning: &str, most: usize) -> Result<Vec<String>, ReadError> {
        fn first(ids: impl Iterator<Item: AsRef<str>>, beginning: &str, most: usize) -> Vec<String> {
            let behind = ids.skip_while(|id| id.as_ref() < beginning);
            let found = behind.take_while(|id| id.as_ref().starts_with(beginning));
            found.take(most).map(|id| id.as_ref().to_owned()).collect()
        }
        let state = self.state();
        Ok(match kind {
            IdKind::Task => first(state.tasks.keys().map(TaskId::as_str), beginning, most),
            IdKind::Session => first(state.sessions.keys().map(SessionId::as_str), beginning, most),
            IdKind::Question => first(state.questions.keys().map(QuestionId::as_str), beginning, most),
            IdKind::Review => first(state.reviews.keys().map(TaskId::as_str), beginning, most),
            IdKind::Workflow => first(state.workflows.keys().map(WorkflowId::as_str), beginning, most),
        })
    }

    fn patterns(&self) -> Result<Vec<KeptPattern>, ReadError> {
        Ok(self.state().patterns.values().cloned().collect())
    }

    fn schedules(&self) -> Result<Vec<Schedule>, ReadError> {
        Ok(self.state().schedules.values().cloned().collect())
    }

    fn webhooks(&self) -> Result<Vec<Webhook>, ReadError> {
        Ok(self.state().webhooks.values().cloned().collect())
    }

    fn kinds_after(&self, after: Seq) -> Result<BTreeMap<String, u64>, ReadError> {
        let mut counts = BTreeMap::new();
        for kept in self.state().records.iter().filter(|kept| kept.seq > after) {
            *counts.entry(kept.record.kind().name.to_owned()).or_default() += 1;
        }
        Ok(counts)
    }

    fn session_history(&self, id: &SessionId, filter: &HistoryFilter) -> Result<Vec<Kept>, ReadError> {
        let state = self.state();
        let words = filter.query.as_deref().map(search::words).unwrap_or_default();
        // What its program asked is in the stream of its terminal.
        let streams = [Stream::Session(id.clone()), Stream::Terminal(TerminalId::from(id))];
        let mut seqs: Vec<Seq> = streams.iter().filter_map(|one| state.streams.get(one)).flatten().copied().collect();
        seqs.sort_unstable();
        let found = seqs.iter().rev().filter_map(|seq| state.record(*seq));
        let said = |kept: &&Kept| {
            let text = search::said(&kept.record, |_| None).to_lowercase();
            words.iter().all(|word| text.contains(&word.to_lowercase()))
        };
        Ok(found.filter(|kept| filter.admits(kept)).filter(said).take(filter.limit).cloned().collect())
    }

    fn records(&self, after: Seq, limit: usize) -> Result<Vec<Kept>, ReadError> {
        let state = self.state();
        let skip = usize::try_from(after.0.saturating_sub(state.base.position().0)).unwrap_or(usize::MAX);
        Ok(state.records.iter().skip(skip).take(limit).cloned().collect())
    }

    fn history(&self, stream: &Stream, limit: usize) -> Result<Vec<Kept>, ReadError> {
        let state = self.state();
        let seqs = state.streams.get(stream).map(Vec::as_slice).unwrap_or_default();
        let newest = &seqs[seqs.len().saturating_sub(limit)..];
        Ok(newest.iter().filter_map(|seq| state.record(*seq)).cloned().collect())
    }

    fn blob(&self, id: &BlobId) -> Result<Option<String>, ReadError> {
        Ok(self.state().blobs.get(id).cloned())
    }

    fn recall(&self, now: Timestamp, principal: &PrincipalId, key: &str) -> Result<Option<(String, Value)>, ReadError> {
        Ok(self.state().recall(now, principal, key).map(|first| (first.digest.clone(), first.receipt.clone())))
    }

    fn base(&self) -> Result<Replay, ReadError> {
        Ok(self.state().base.clone())
    }

    fn report(&self) -> Result<StoreReport, ReadError> {
        let horizon = self.state().base.position();
        Ok(StoreReport { engine: "memory", path: None, bytes: 0, schema: 1, horizon })
    }

    fn blocks(&self) -> bool {
        false
    }
}

impl State {
    fn with_notices(&self, agent: &Agent) -> Agent {
        Agent { notices: self.notices.get(&agent.id).cloned().unwrap_or_default(), ..agent.clone() }
    }

    fn record(&self, seq: Seq) -> Option<&Kept> {
        self.records.get(usize::try_from(seq.0.checked_sub(self.base.position().next().0)?).ok()?)
    }

    /// Whether every word is in something that was said of the task.
    fn says(&self, task: &Task, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let stream = Stream::Task(task.spec.id.clone());
        let seqs = self.streams.get(&stream).map(Vec::as_slice).unwrap_or_default();
        let said: Vec<String> = seqs
            .iter()
            .filter_map(|seq| self.record(*seq))
            .map(|kept| search::said(&kept.record, |blob| self.blobs.get(blob).cloned()).to_lowercase())
            .collect();
        words.iter().all(|word| said.iter().any(|text| text.contains(&word.to_lowercase())))
    }
}
