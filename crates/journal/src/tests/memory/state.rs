//! What the store in memory remembers, and how an append changes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::domain::agent::{Agent, AgentRecord, Notice};
use crate::domain::ids::{
    AgentId, BlobId, NoticeId, PatternId, PrincipalId, QuestionId, SessionId, TaskId, TicketId, WorkflowId,
};
use crate::domain::outbox::{Delivery, DeliveryId};
use crate::domain::prompt::book::KeptPattern;
use crate::domain::review::Review;
use crate::domain::schedule::Schedule;
use crate::domain::session::Session;
use crate::domain::session::question::Question;
use crate::domain::task::Task;
use crate::domain::ticket::Ticket;
use crate::domain::time::Timestamp;
use crate::domain::webhook::Webhook;
use crate::domain::workflow::run::WorkflowRun;
use crate::entry::{Append, Idempotency, Kept, Record, Row, Seq, Stream, Written};
use crate::fold;
use crate::page::TaskCursor;
use crate::replay::Replay;
use crate::store::{Pruned, WriteError, key_lifetime};

/// The state, shared by the writer and its readers.
#[expect(clippy::disallowed_types, reason = "held for one map operation, never across an await; see tests of actors")]
pub(super) type Shared = std::sync::Mutex<State>;
/// The state, while it is looked at.
pub(super) type Guard<'a> = std::sync::MutexGuard<'a, State>;

/// How the pretended disk behaves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Disk {
    #[default]
    Works,
    FailsOnce(String),
    Broken(String),
    Full,
}

/// Everything that was written.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) disk: Disk,
    /// What the records that were pruned had come to.
    pub(super) base: Replay,
    /// Those that follow it.
    pub(super) records: VecDeque<Kept>,
    pub(super) streams: BTreeMap<Stream, Vec<Seq>>,
    pub(super) tasks: BTreeMap<TaskId, Arc<Task>>,
    pub(super) order: BTreeSet<TaskCursor>,
    pub(super) reviews: BTreeMap<TaskId, Review>,
    pub(super) agents: BTreeMap<AgentId, Agent>,
    pub(super) notices: BTreeMap<AgentId, BTreeMap<NoticeId, Notice>>,
    pub(super) sessions: BTreeMap<SessionId, Session>,
    pub(super) questions: BTreeMap<QuestionId, Question>,
    /// The last record of each question.
    pub(super) last_of_question: BTreeMap<QuestionId, Seq>,
    pub(super) patterns: BTreeMap<PatternId, KeptPattern>,
    pub(super) tickets: BTreeMap<TicketId, (Ticket, Option<String>)>,
    pub(super) workflows: BTreeMap<WorkflowId, WorkflowRun>,
    pub(super) webhooks: BTreeMap<String, Webhook>,
    pub(super) schedules: BTreeMap<String, Schedule>,
    pub(super) deliveries: BTreeMap<DeliveryId, Delivery>,
    pub(super) blobs: BTreeMap<BlobId, String>,
    pub(super) keys: BTreeMap<(PrincipalId, String), (Idempotency, Timestamp)>,
}

impl State {
    pub(super) fn position(&self) -> Seq {
        self.records.back().map_or(self.base.position(), |kept| kept.seq)
    }

    /// The error of the next batch, if the disk is to fail it.
    pub(super) fn next_fault(&mut self) -> Option<WriteError> {
        match &self.disk {
            Disk::Works => None,
            Disk::FailsOnce(reason) => {
                let fault = WriteError::Fault(reason.clone());
                self.disk = Disk::Works;
                Some(fault)
            }
            Disk::Broken(reason) => Some(WriteError::Fault(reason.clone())),
            Disk::Full => Some(WriteError::Full),
        }
    }

    /// The same writings on a disk that works.
    pub(super) fn after_crash(&self) -> Self {
        Self { disk: Disk::Works, ..self.clone() }
    }

    pub(super) fn write(&mut self, append: &Append) -> Result<Written, WriteError> {
        let moved = |(id, version): &&(SessionId, u64)| {
            self.sessions.get(id).is_none_or(|session| session.version != *version)
                || append.answered_in(id).any(|question| !self.questions.contains_key(question))
        };
        if let Some((id, _)) = append.expects.iter().find(moved) {
            return Err(WriteError::Moved(id.clone()));
        }
        if let Some(key) = &append.idempotency {
            self.claim(append.at, key)?;
        }
        let first = self.position().next();
        for row in &append.rows {
            self.put(row);
        }
        self.deliveries.extend(append.deliveries(first).map(|delivery| (delivery.id, delivery)));
        for blob in &append.blobs {
            self.blobs.insert(blob.id.clone(), blob.text.clone());
        }
        for kept in append.clone().into_kept(first) {
            self.keep(kept);
        }
        Ok(Written { first, last: self.position() })
    }

    pub(super) fn prune(&mut self, before: Timestamp, limit: usize) -> Result<Pruned, WriteError> {
        let old = self.records.iter().take(self.records.len().saturating_sub(1).min(limit));
        let records = old.take_while(|kept| kept.at < before).count();
        let (mut base, mut findings) = (self.base.clone(), Vec::new());
        self.records.iter().take(records).for_each(|kept| base.take(kept, &mut findings));
        if let Some(found) = findings.first() {
            return Err(WriteError::Fault(format!("nothing is pruned: {}", found.sentence)));
        }
        self.base = base;
        for kept in self.records.drain(..records) {
            if let Some(seqs) = self.streams.get_mut(&kept.stream) {
                seqs.retain(|seq| *seq != kept.seq);
            }
        }
        let tasks = self.forget_tasks(before, limit);
        let questions = self.forget_questions(limit);
        let deliveries = self.forget_deliveries(before, limit);
        let workflows = self.forget_workflows(before, limit);
        let more = [records, tasks, questions, deliveries, workflows].contains(&limit);
        Ok(Pruned { records, tasks, questions, deliveries, workflows, more })
    }

    fn forget_workflows(&mut self, before: Timestamp, limit: usize) -> usize {
        let gone = |run: &&WorkflowRun| {
            let stream = Stream::Workflow(run.id.clone());
            !run.is_working() && run.updated_at < before && self.streams.get(&stream).is_none_or(Vec::is_empty)
        };
        let gone: Vec<WorkflowId> =
            self.workflows.values().filter(gone).take(limit).map(|run| run.id.clone()).collect();
        for id in &gone {
            self.workflows.remove(id);
            self.base.forget_workflow(id);
        }
        gone.len()
    }

    fn forget_deliveries(&mut self, before: Timestamp, limit: usize) -> usize {
        let over = |delivery: &&Delivery| delivery.settled_at().is_some_and(|at| at < before);
        let mut over: Vec<_> = self.deliveries.values().filter(over).map(|one| (one.settled_at(), one.id)).collect();
        over.sort_unstable();
        over.truncate(limit);
        over.iter().for_each(|(_, id)| drop(self.deliveries.remove(id)));
        over.len()
    }

    fn forget_questions(&mut self, limit: usize) -> usize {
        let horizon = self.base.position();
        let unheard = |question: &Question| {
            let notices = self.notices.get(&question.spec.agent_id).into_iter().flat_map(BTreeMap::values);
            notices.into_iter().any(|notice| notice.question_id.as_ref() == Some(&question.spec.id))
        };
        let remembered = |question: &Question| {
            let session = self.sessions.get(&question.spec.session_id);
            session.is_some_and(|session| session.question(&question.spec.id).is_some())
        };
        let over = |question: &&Question| {
            let last = self.last_of_question.get(&question.spec.id);
            !question.is_open() && last.is_none_or(|seq| *seq <= horizon) && !unheard(question) && !remembered(question)
        };
        let over: Vec<QuestionId> =
            self.questions.values().filter(over).take(limit).map(|question| question.spec.id.clone()).collect();
        for id in &over {
            self.questions.remove(id);
            self.last_of_question.remove(id);
            self.base.forget_question(id);
        }
        over.len()
    }

    fn forget_tasks(&mut self, before: Timestamp, limit: usize) -> usize {
        let is_open = |task: &&Arc<Task>| !task.state.name().is_closed();
        let waited_for: BTreeSet<_> =
            self.tasks.values().filter(is_open).flat_map(|task| task.spec.dependencies.iter().cloned()).collect();
        let over = |task: &Task| {
            let stream = Stream::Task(task.spec.id.clone());
            task.state.name().is_closed()
                && task.updated_at < before
                && self.streams.get(&stream).is_none_or(Vec::is_empty)
                && !waited_for.contains(&task.spec.id)
        };
        let over: Vec<Arc<Task>> = self.tasks.values().filter(|task| over(task)).take(limit).cloned().collect();
        for task in &over {
            self.tasks.remove(&task.spec.id);
            self.reviews.remove(&task.spec.id);
            self.order.remove(&TaskCursor::of(task));
            self.base.forget_task(&task.spec.id);
            task.blobs().into_iter().for_each(|blob| drop(self.blobs.remove(blob)));
        }
        over.len()
    }

    /// The key's first receipt, when it is still good at `now`.
    pub(super) fn recall(&self, now: Timestamp, principal: &PrincipalId, key: &str) -> Option<&Idempotency> {
        let (first, at) = self.keys.get(&(principal.clone(), key.to_owned()))?;
        (now.since(*at) < key_lifetime(principal)).then_some(first)
    }

    fn claim(&mut self, at: Timestamp, key: &Idempotency) -> Result<(), WriteError> {
        if let Some(first) = self.recall(at, &key.principal, &key.key) {
            return Err(if first.digest == key.digest {
                WriteError::Repeated { receipt: first.receipt.clone() }
            } else {
                WriteError::KeyReused
            });
        }
        self.keys.insert((key.principal.clone(), key.key.clone()), (key.clone(), at));
        Ok(())
    }

    fn put(&mut self, row: &Row) {
        match row {
            Row::Task(task) => {
                if let Some(before) = self.tasks.insert(task.spec.id.clone(), Arc::clone(task)) {
                    self.order.remove(&TaskCursor::of(&before));
                }
                self.order.insert(TaskCursor::of(task));
            }
            Row::Review(review) => {
                self.reviews.insert(review.task.clone(), (**review).clone());
            }
            Row::Pattern(kept) => drop(self.patterns.insert(kept.id.clone(), (**kept).clone())),
            Row::Forgotten(id) => drop(self.patterns.remove(id)),
            Row::Ticket(ticket, answer) => {
                let had = self.tickets.remove(&ticket.id).and_then(|(_, answer)| answer);
                self.tickets.insert(ticket.id.clone(), ((**ticket).clone(), answer.clone().or(had)));
            }
            Row::TicketGone(id) => drop(self.tickets.remove(id)),
            Row::Workflow(run) => drop(self.workflows.insert(run.id.clone(), (**run).clone())),
            Row::Webhook(webhook) => drop(self.webhooks.insert(webhook.name.clone(), (**webhook).clone())),
            Row::Schedule(schedule) => {
                drop(self.schedules.insert(schedule.spec.name.clone(), (**schedule).clone()));
            }
            Row::ScheduleGone(name) => drop(self.schedules.remove(name)),
            Row::WebhookGone(name) => drop(self.webhooks.remove(name)),
            Row::Delivery(delivery) => drop(self.deliveries.insert(delivery.id, (**delivery).clone())),
            // It has its name from its append, which puts it itself.
            Row::Outgoing(_) => {}
            Row::Agent(agent) => {
                let row = Agent { notices: BTreeMap::new(), ..(**agent).clone() };
                self.agents.insert(agent.id.clone(), row);
            }
        }
    }

    fn keep(&mut self, kept: Kept) {
        if let (Stream::Agent(agent), Record::Agent(record)) = (&kept.stream, &kept.record) {
            self.hear(agent, kept.at, record);
        }
        if let Stream::Session(session) = &kept.stream {
            self.fold(session, (kept.seq, kept.at), &kept.record);
        }
        self.streams.entry(kept.stream.clone()).or_default().push(kept.seq);
        self.records.push_back(kept);
    }

    fn fold(&mut self, id: &SessionId, (seq, at): (Seq, Timestamp), record: &Record) {
        if let Some(session) = fold::session_after(self.sessions.remove(id), id, at, record) {
            self.sessions.insert(id.clone(), session);
        }
        if let Record::Question(record) = record
            && let Some(question) = fold::question_after(self.questions.remove(record.id()), at, record)
        {
            self.questions.insert(record.id().clone(), question);
            self.last_of_question.insert(record.id().clone(), seq);
        }
    }

    fn hear(&mut self, agent: &AgentId, at: Timestamp, record: &AgentRecord) {
        self.agents.entry(agent.clone()).or_insert_with(|| Agent::unknown(agent.clone())).updated_at = at;
        match record {
            AgentRecord::NoticePosted { notice } => {
                let notices = self.notices.entry(agent.clone()).or_default();
                notices.insert(notice.id.clone(), notice.clone());
            }
            AgentRecord::NoticesHeard { ids } | AgentRecord::NoticesUndeliverable { ids } => {
                if let Some(notices) = self.notices.get_mut(agent) {
                    notices.retain(|id, _| !ids.contains(id));
                }
            }
            AgentRecord::Registered { .. }
            | AgentRecord::NoticeMoved { .. }
            | AgentRecord::Evicted { .. }
            | AgentRecord::EvictionHeard => {}
        }
    }
}
