//! How lists are asked for: filters, a stable order, a cursor.

use super::entry::{Kept, Seq};
use super::error::ReadError;
use crate::domain::ids::{AgentId, PrincipalId, QuestionId, SessionId, TaskId, WorkflowId};
use crate::domain::outbox::{Delivery, DeliveryId, DeliveryStateName};
use crate::domain::review::{Review, ReviewState};
use crate::domain::session::question::Question;
use crate::domain::task::{Priority, Task, TaskStateName};
use crate::domain::time::Timestamp;
use crate::domain::workflow::run::{RunStatus, WorkflowRun};

/// How much of a list, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// At most so many, 1 to 500.
    pub limit: usize,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { limit: 100, cursor: None }
    }
}

/// A piece of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items, in the list's stable order.
    pub items: Vec<T>,
    /// Where the next page begins; none on the last one.
    pub next_cursor: Option<String>,
}

/// Which tasks. Newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// In one of these states; empty: any.
    pub states: Vec<TaskStateName>,
    /// With this agent now, as `Task::holder` says.
    pub agent: Option<AgentId>,
    /// Asked of this target, as it is written: `fullstack-1`, `role:test-engineer`, `any`.
    pub target: Option<String>,
    pub priority: Option<Priority>,
    /// Something happened to it then, or later.
    pub changed_since: Option<Timestamp>,
    /// Containing these words (full-text; the index lags the journal by less than a second).
    pub query: Option<String>,
}

/// Which reviews. The one that was opened last first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewFilter {
    /// In one of these states; empty: any.
    pub states: Vec<ReviewState>,
    /// Handed in last by this agent.
    pub agent: Option<AgentId>,
}

/// Which questions. The newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuestionFilter {
    /// Only those that are open, or only those that are resolved; none: any.
    pub open: Option<bool>,
    /// Asked in this session.
    pub session: Option<SessionId>,
    /// Asked by this agent.
    pub agent: Option<AgentId>,
    /// Asked for the sake of this task.
    pub task: Option<TaskId>,
}

/// Which deliveries. The newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// In one of these states; empty: any. None is ever kept as being sent.
    pub states: Vec<DeliveryStateName>,
    /// To this destination.
    pub destination: Option<String>,
    /// In this lane.
    pub lane: Option<String>,
}

/// Which runs of workflows. The newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkflowFilter {
    /// In one of these states; empty: any.
    pub states: Vec<RunStatus>,
    pub owner: Option<PrincipalId>,
    /// Only those of the workflow of this name.
    pub name: Option<String>,
    /// Only those behind this place in the list.
    pub behind: Option<WorkflowPlace>,
}

/// The place of a run in the list of runs. Runs that begin later do not move it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkflowPlace {
    /// When the run began.
    pub started_at: Timestamp,
    pub id: WorkflowId,
}

impl WorkflowFilter {
    /// Whether a run is meant.
    pub fn admits(&self, run: &WorkflowRun) -> bool {
        (self.states.is_empty() || self.states.contains(&run.status))
            && self.owner.as_ref().is_none_or(|owner| run.owner == *owner)
            && self.name.as_ref().is_none_or(|name| run.plan.name == *name)
            && self.behind.as_ref().is_none_or(|place| WorkflowPlace::of(run) < *place)
    }
}

impl WorkflowPlace {
    pub(super) fn of(run: &WorkflowRun) -> Self {
        Self { started_at: run.started_at, id: run.id.clone() }
    }

    pub(super) fn parse(text: &str) -> Result<Self, ReadError> {
        let parts = text.split_once('.').and_then(|(started_at, id)| {
            Some(Self { started_at: Timestamp(started_at.parse().ok()?), id: WorkflowId::parse(id).ok()? })
        });
        parts.ok_or_else(|| ReadError::Cursor { given: text.chars().take(80).collect() })
    }

    pub(super) fn text(&self) -> String {
        format!("{}.{}", self.started_at.0, self.id)
    }
}

/// Which records of a session. The newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryFilter {
    /// At most so many.
    pub limit: usize,
    /// Older than this one.
    pub before: Option<Seq>,
    /// Of these types, as `question.asked`, or of a family, as `question`; empty: any.
    pub types: Vec<String>,
    /// Containing these words (full-text; the index lags the journal by less than a second).
    pub query: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFilter {
    /// Of this role.
    pub role: Option<String>,
}

/// Which events. Oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Event types, as `task.created`, or a family, as `task`; empty: any.
    pub types: Vec<String>,
    /// About this task.
    pub task: Option<TaskId>,
    /// About this session.
    pub session: Option<SessionId>,
    /// About this agent.
    pub agent: Option<AgentId>,
}

/// A filter whose items are counted.
#[derive(Debug, Clone, Copy)]
pub enum Counted<'a> {
    /// Whatever words it has: to count what was said means to read all of it.
    Tasks(&'a TaskFilter),
    Reviews(&'a ReviewFilter),
    Questions(&'a QuestionFilter),
    Deliveries(&'a DeliveryFilter),
    Workflows(&'a WorkflowFilter),
}

/// What the journal finds by the beginning of an id. The id of a review is that of its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    Task,
    Session,
    Question,
    Review,
    Workflow,
}

impl TaskFilter {
    /// Whether a task is meant, words aside.
    pub fn admits(&self, task: &Task) -> bool {
        (self.states.is_empty() || self.states.contains(&task.state.name()))
            && self.agent.as_ref().is_none_or(|agent| task.holder() == Some(agent))
            && self.target.as_ref().is_none_or(|target| task.spec.target.to_string() == *target)
            && self.priority.is_none_or(|priority| task.spec.priority == priority)
            && self.changed_since.is_none_or(|since| task.updated_at >= since)
    }
}

impl ReviewFilter {
    /// Whether a review is meant.
    pub fn admits(&self, review: &Review) -> bool {
        (self.states.is_empty() || self.states.contains(&review.state))
            && self.agent.as_ref().is_none_or(|agent| review.agent() == Some(agent))
    }
}

impl QuestionFilter {
    /// Whether a question is meant.
    pub fn admits(&self, question: &Question) -> bool {
        let spec = &question.spec;
        self.open.is_none_or(|open| question.is_open() == open)
            && self.session.as_ref().is_none_or(|session| spec.session_id == *session)
            && self.agent.as_ref().is_none_or(|agent| spec.agent_id == *agent)
            && self.task.as_ref().is_none_or(|task| spec.task_id.as_ref() == Some(task))
    }
}

impl DeliveryFilter {
    /// Whether a delivery is meant.
    pub fn admits(&self, delivery: &Delivery) -> bool {
        (self.states.is_empty() || self.states.contains(&delivery.state.name()))
            && self.destination.as_ref().is_none_or(|destination| delivery.destination == *destination)
            && self.lane.as_ref().is_none_or(|lane| delivery.lane == *lane)
    }
}

impl HistoryFilter {
    /// Whether a record is meant, words aside.
    pub fn admits(&self, kept: &Kept) -> bool {
        self.before.is_none_or(|before| kept.seq < before) && self.admits_kind(kept.record.kind().name)
    }

    fn admits_kind(&self, kind: &str) -> bool {
        let family = kind.split('.').next().unwrap_or(kind);
        self.types.is_empty() || self.types.iter().any(|wanted| wanted == kind || wanted == family)
    }
}

/// The place of a task in the list of tasks: the last one of a page. Newer tasks do not move it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskCursor {
    pub(super) created_at: Timestamp,
    pub(super) id: TaskId,
}

impl TaskCursor {
    pub(super) fn of(task: &Task) -> Self {
        Self { created_at: task.spec.created_at, id: task.spec.id.clone() }
    }

    /// The same for the review of a task, in the list of reviews.
    pub(super) fn of_review(review: &Review) -> Self {
        Self { created_at: review.opened_at, id: review.task.clone() }
    }

    pub(super) fn parse(text: &str) -> Result<Self, ReadError> {
        let parts = text.split_once('.').and_then(|(created_at, id)| {
            Some(Self { created_at: Timestamp(created_at.parse().ok()?), id: TaskId::parse(id).ok()? })
        });
        parts.ok_or_else(|| ReadError::Cursor { given: text.chars().take(80).collect() })
    }

    pub(super) fn text(&self) -> String {
        format!("{}.{}", self.created_at.0, self.id)
    }
}

impl PageRequest {
    /// The most items of a page.
    pub const MOST: usize = 500;

    pub(super) fn size(&self) -> usize {
        self.limit.clamp(1, Self::MOST)
    }
}

impl<T> Page<T> {
    /// Every item of a list, page by page: for who would go wrong by what stands behind the first page.
    pub fn all(read: impl Fn(&PageRequest) -> Result<Self, ReadError>) -> Result<Vec<T>, ReadError> {
        let (mut all, mut page) = (Vec::new(), PageRequest { limit: PageRequest::MOST, cursor: None });
        loop {
            let Self { items, next_cursor } = read(&page)?;
            all.extend(items);
            page.cursor = next_cursor;
            if page.cursor.is_none() {
                return Ok(all);
            }
        }
    }

    /// A page of `items`, of which one more than `size` was looked for; `place` says where one stands in the list.
    pub(super) fn cut(mut items: Vec<T>, size: usize, place: impl Fn(&T) -> String) -> Self {
        let more = items.len() > size;
        items.truncate(size);
        let next_cursor = if more { items.last().map(place) } else { None };
        Self { items, next_cursor }
    }
}

/// The cursor of a list of questions: the last id of the page before; ids grow with time.
pub(super) fn question_cursor(page: &PageRequest) -> Result<Option<QuestionId>, ReadError> {
    let read = |text: &String| {
        QuestionId::parse(text).map_err(|_| ReadError::Cursor { given: text.chars().take(80).collect() })
    };
    page.cursor.as_ref().map(read).transpose()
}

/// The cursor of a list of deliveries: the last one of the page before.
pub(super) fn delivery_cursor(page: &PageRequest) -> Result<Option<DeliveryId>, ReadError> {
    let read = |text: &String| {
        DeliveryId::parse(text).ok_or_else(|| ReadError::Cursor { given: text.chars().take(80).collect() })
    };
    page.cursor.as_ref().map(read).transpose()
}

#[cfg(test)]
mod tests;
