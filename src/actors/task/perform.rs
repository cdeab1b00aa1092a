//! The effects of a task's turn: records to the journal, its new state to the dispatcher, receipts to callers.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::message::{ActError, SessionPart, TaskAct, TaskSummary};
use super::offered::OfferedTask;
use super::receipt::{ReceiptNote, TaskReceipt};
use super::state::State;
use super::unneeded::Unneeded;
use crate::actors::common::Fault;
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::journal::AppendError;
use crate::domain::agent::{AgentRecord, Notice};
use crate::domain::ids::{AgentId, SessionId, TaskId};
use crate::domain::invariants;
use crate::domain::principal::By;
use crate::domain::review::{Review, ReviewRecord};
use crate::domain::session::{self, Bond, Following, SessionRecord};
use crate::domain::task::{
    Cause, Comment, Delivery, Dependency, Origin, Task, TaskCommand, TaskDecision, TaskEffect, TaskRecord, WaitsFor,
};
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, Record, Row, WriteError};

/// What a decision is to the sessions that follow the task, in order.
pub(super) type Followed = Vec<(SessionId, SessionRecord)>;

impl State {
    /// The task after these records, and what sessions that follow it get; it changes once they are on disk.
    pub(super) fn after(&self, now: Timestamp, records: &[TaskRecord]) -> Result<(Task, Followed), ActError> {
        let mut followed = Followed::new();
        let all = records;
        let mut records = records.iter();
        let mut next = match &self.task {
            Some(task) => Task::clone(task),
            None => records
                .next()
                .and_then(|first| Task::from_created(now, first))
                .ok_or_else(|| Fault::Unavailable(format!("task `{}` did not begin", self.id)))?,
        };
        for record in records {
            let before = cfg!(debug_assertions).then(|| next.clone());
            let was = Following::of(&next);
            next.apply(now, record);
            let moves = before.map_or(Ok(()), |before| invariants::task_moves(&before, record, &next));
            debug_assert_eq!(moves, Ok(()));
            followed.extend(session::follow(&was, record, &next));
        }
        Ok((Self::forgetting(all, next), followed))
    }

    /// The review after these records; the present one stays as it is until they are on disk.
    pub(super) fn review_after(&self, now: Timestamp, said: &[ReviewRecord]) -> Option<Review> {
        let mut review = self.review.clone();
        for record in said {
            match &mut review {
                Some(review) => {
                    let before = cfg!(debug_assertions).then(|| review.clone());
                    review.apply(now, record);
                    let kept = before.map_or(Ok(()), |before| invariants::r1_words_are_kept(&before, review));
                    debug_assert_eq!(kept, Ok(()));
                }
                None => review = Review::from_submitted(self.id.clone(), now, record),
            }
        }
        review
    }

    /// One append: records of the task and its review, ends of questions, notices, rows, the key. Returns the extras.
    pub(super) async fn write_down(
        &self,
        now: Timestamp,
        act: &mut TaskAct,
        decision: &TaskDecision,
        next: &Arc<Task>,
        (said, review): (&[ReviewRecord], Option<&Review>),
        followed: &Followed,
    ) -> Result<Unneeded, ActError> {
        let changes = !decision.records.is_empty() || !said.is_empty() || act.part.is_some();
        let idempotency = act.key.take().map(|key| {
            let receipt = TaskReceipt::of(next, act.note.clone(), self.has_worktree(), changes);
            key.keeps(serde_json::to_value(receipt).unwrap_or(Value::Null))
        });
        let part = act.part.as_deref();
        let moved = (!decision.records.is_empty()).then(|| Row::Task(Arc::clone(next)));
        let reviewed = review.filter(|_| !said.is_empty()).map(|review| Row::Review(Box::new(review.clone())));
        let also = self.unneeded(now, act, &decision.records, next).await?;
        let mut entries = self.entries(decision, next, (said, review), followed, part);
        // What was said before, and the task went on since, is no status of the session either.
        if decision.records.is_empty() && act.command.reports() {
            entries.retain(|entry| !matches!(entry.record, Record::Session(SessionRecord::WorkflowStatus { .. })));
        }
        entries.extend(also.entries.iter().cloned());
        entries.extend(also.notices.iter().map(posted));
        let append = Append {
            at: now,
            by: act.cause.by.clone(),
            request: act.request.clone(),
            entries,
            rows: moved.into_iter().chain(reviewed).collect(),
            blobs: std::mem::take(&mut act.blobs),
            idempotency: idempotency.or_else(|| part.and_then(|part| part.idempotency.clone())),
            expects: part
                .map(|part| (part.session.clone(), part.version))
                .into_iter()
                .chain(also.read.clone())
                .collect(),
        };
        self.journal.append(append).await.map_err(|error| refused(&self.id, error))?;
        Ok(also)
    }

    fn entries(
        &self,
        decision: &TaskDecision,
        next: &Task,
        (said, review): (&[ReviewRecord], Option<&Review>),
        followed: &Followed,
        part: Option<&SessionPart>,
    ) -> Vec<Entry> {
        let before = self.task.as_deref();
        let holder = before.and_then(|task| task.holder().or(task.last_holder.as_ref()));
        let own = decision.records.iter().map(|record| {
            let agent = if record.agent().is_none() { holder } else { None };
            Entry::of_task(&self.id, agent, record.clone())
        });
        let worker = review.and_then(Review::agent);
        let from = review.and_then(Review::round).and_then(|round| round.session.as_ref());
        let said = said.iter().map(|record| Entry::of_review(&self.id, worker, from, record.clone()));
        let notices = decision.notices.iter().map(posted);
        // What the session says in its own words it does not hear from the task once more.
        let repeats = |session: &SessionId, record: &SessionRecord| {
            let follows = matches!(record, SessionRecord::WorkflowStatus { bond: Bond::Follows { .. }, .. });
            follows && part.is_some_and(|part| part.session == *session && part.says_a_status())
        };
        let followed =
            followed.iter().filter(|(session, record)| !repeats(session, record)).map(|(session, record)| {
                let agent = next.agent_of(session).or_else(|| before?.agent_of(session));
                Entry::of_session(session, agent, Some(&self.id), Record::Session(record.clone()))
            });
        let of_session = part.map(|part| part.entries.clone()).unwrap_or_default();
        own.chain(said).chain(notices).chain(followed).chain(of_session).collect()
    }

    /// What follows once the records are on disk: the dispatcher hears it all in one message, in order.
    pub(super) fn perform(&mut self, decision: TaskDecision) {
        if decision.records.is_empty() && decision.notices.is_empty() {
            return;
        }
        let mut deliver = None;
        for effect in decision.effects {
            match effect {
                TaskEffect::Deliver(delivery) => deliver = self.offered(delivery),
                TaskEffect::StopRun(order) => self.on_call.stop(order),
            }
        }
        self.announce(deliver, decision.notices);
    }

    /// The sessions that moved with the task look again, except the one that gave the order and waits for its receipt.
    pub(super) fn tell_sessions(&self, followed: &Followed, also: &[(SessionId, u64)], part: Option<&SessionPart>) {
        let also = also.iter().map(|(session, _)| session);
        let told: BTreeSet<&SessionId> = followed.iter().map(|(session, _)| session).chain(also).collect();
        for id in told.into_iter().filter(|id| part.is_none_or(|part| part.session != **id)) {
            self.supervisor.session_moved(id.clone());
        }
    }

    /// Says how the task stands. Of one that never began, or is closed, the dispatcher forgets with this where it is.
    pub(super) fn announce(&mut self, deliver: Option<(AgentId, OfferedTask)>, notices: Vec<(AgentId, Notice)>) {
        self.left = self.task.as_deref().is_none_or(|task| !task.is_open());
        let message = match &self.task {
            Some(task) => DispatcherMessage::TaskMoved {
                summary: Box::new(summary_of(task)),
                task: self.line.clone(),
                offered: deliver.is_some(),
                notices,
            },
            None => DispatcherMessage::TaskGone { id: self.id.clone() },
        };
        self.dispatcher.tell(message);
        if let Some((agent, offered)) = deliver {
            self.dispatcher.deliver(&agent, self.line.clone(), offered);
        }
    }

    /// Tells the dispatcher, unless it knows, that nobody may be sent here any more: it never began, or is closed.
    pub(super) fn leave(&mut self) {
        if !std::mem::replace(&mut self.left, true) {
            self.dispatcher.tell(DispatcherMessage::TaskGone { id: self.id.clone() });
        }
    }

    pub(super) fn own_act(&self, command: TaskCommand, by: By) -> TaskAct {
        let notices = (0..Cause::NOTICES).map(|_| self.ids.notice()).collect();
        TaskAct::new(command, Cause { by, who: Origin::hub(), notices })
    }

    pub(super) fn receipt(
        &self,
        note: Option<ReceiptNote>,
        worktree: bool,
        changed: bool,
    ) -> Result<TaskReceipt, ActError> {
        match &self.task {
            Some(task) => Ok(TaskReceipt::of(task, note, worktree, changed)),
            None => Err(ActError::Fault(Fault::Unavailable(format!("task `{}` did not begin", self.id)))),
        }
    }

    /// Whether the present holder was given a worktree, as far as can be told: a closed task has no terms any more.
    pub(super) fn has_worktree(&self) -> bool {
        let Some(task) = &self.task else { return false };
        let terms = task.lease().map(|lease| &lease.terms).or_else(|| task.offer().map(|offer| &offer.terms));
        terms.map_or(task.spec.worktree == Some(true), |terms| terms.worktree)
    }

    fn offered(&self, delivery: Delivery) -> Option<(AgentId, OfferedTask)> {
        let task = self.task.as_ref()?;
        let offered = OfferedTask {
            spec: task.spec.clone(),
            priority: task.spec.priority,
            epoch: delivery.epoch,
            attempt: task.attempt_number(),
            ack_by: delivery.ack_by,
            offered_at: self.clock.now(),
            terms: delivery.terms,
            comments: self.news(task, &delivery.agent),
            dependencies: task.dependencies.clone(),
        };
        Some((delivery.agent, offered))
    }
}

impl State {
    /// What an agent must be told beside the text: what it cannot know yet, and each thread that nobody settled.
    fn news(&self, task: &Task, agent: &AgentId) -> Vec<Comment> {
        let mut news: Vec<Comment> = task.news_for(agent).into_iter().cloned().collect();
        for known in self.review.iter().flat_map(Review::unresolved) {
            if !news.iter().any(|comment| comment.id == known.comment.id) {
                news.push(known.comment.clone());
            }
        }
        news.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        news
    }
}

fn posted((agent, notice): &(AgentId, Notice)) -> Entry {
    Entry::of_agent(agent, AgentRecord::NoticePosted { notice: notice.clone() })
}

fn refused(task: &TaskId, error: AppendError) -> ActError {
    match error {
        AppendError::Write(WriteError::Repeated { receipt }) => repeated(receipt),
        AppendError::Write(WriteError::KeyReused) => ActError::KeyReused,
        AppendError::Write(WriteError::Moved(_)) => ActError::Moved(task.clone()),
        fault @ (AppendError::Write(WriteError::Full | WriteError::Fault(_))
        | AppendError::Busy { .. }
        | AppendError::Ended) => ActError::Fault(fault.into()),
    }
}

pub(super) fn repeated(receipt: Value) -> ActError {
    match serde_json::from_value(receipt) {
        Ok(receipt) => ActError::Repeated(Box::new(receipt)),
        Err(error) => ActError::Fault(Fault::Unavailable(format!("the first receipt cannot be read: {error}"))),
    }
}

fn summary_of(task: &Task) -> TaskSummary {
    let spec = &task.spec;
    let pending = |(id, how): (&TaskId, &Dependency)| (!matches!(how, Dependency::Met { .. })).then(|| id.clone());
    TaskSummary {
        id: spec.id.clone(),
        state: task.state.name(),
        spec: spec.clone(),
        held_for: task.held_for().map(|held| (held.agent.clone(), held.until)),
        holder: task.holder().cloned(),
        epoch: task.epoch,
        leased_since: task.lease().map(|lease| lease.since),
        leased_until: task.lease().map(|lease| lease.expires_at),
        waits_for: task.dependencies.iter().filter_map(pending).collect(),
        repair: task
            .waits_for()
            .filter(|waits| matches!(waits, WaitsFor::Repair { .. }))
            .map(|waits| waits.to_string()),
        result: task.result(),
    }
}
