//! What an event is about, and whether a filter means it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::agent::AgentRecord;
use crate::domain::ids::{AgentId, SessionId, TaskId};
use crate::domain::review::ReviewRecord;
use crate::domain::session::SessionRecord;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::TaskRecord;
use crate::journal::{EventFilter, HubRecord, Kept, Record, Stream};

/// What an event is about: as far as its record says, not as far as could be looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub session: Option<SessionId>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub task: Option<TaskId>,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub agent: Option<AgentId>,
}

impl Subject {
    /// What a record is about.
    #[must_use]
    pub fn of(kept: &Kept) -> Self {
        let mut subject = Self::default();
        match &kept.stream {
            Stream::Task(task) => subject.task = Some(task.clone()),
            Stream::Agent(agent) => subject.agent = Some(agent.clone()),
            Stream::Session(session) => subject.session = Some(session.clone()),
            Stream::Terminal(terminal) => subject.session = terminal.session(),
            Stream::Hub => {}
        }
        match &kept.record {
            Record::Task(record) => subject.agent = agent_of(record).cloned(),
            Record::Review(ReviewRecord::Submitted { round }) => {
                subject.agent = Some(round.agent.clone());
                subject.session.clone_from(&round.session);
            }
            Record::Review(
                ReviewRecord::Commented { .. }
                | ReviewRecord::Resolved { .. }
                | ReviewRecord::Approved { .. }
                | ReviewRecord::ChangesRequested { .. }
                | ReviewRecord::Withdrawn { .. },
            ) => {}
            Record::Agent(AgentRecord::Registered { registration }) => {
                subject.session = Some(registration.session.clone());
            }
            Record::Agent(AgentRecord::NoticePosted { notice }) => subject.task = notice.task_id.clone(),
            Record::Agent(
                AgentRecord::NoticesHeard { .. } | AgentRecord::Evicted { .. } | AgentRecord::EvictionHeard,
            ) => {}
            Record::Session(SessionRecord::Opened { agent }) => subject.agent = Some(agent.clone()),
            Record::Session(SessionRecord::TakenUp) => {}
            Record::Session(SessionRecord::WorkflowStatus { bond, .. }) => subject.task = bond.task().cloned(),
            Record::Question(QuestionRecord::Asked { spec }) => {
                subject.task = spec.task_id.clone();
                subject.agent = Some(spec.agent_id.clone());
            }
            Record::Question(_) => {}
            Record::Terminal(record) => subject.agent = record.agent().cloned(),
            Record::Hub(HubRecord::TaskStarving { task, .. }) => subject.task = Some(task.clone()),
            Record::Hub(
                HubRecord::Started { .. }
                | HubRecord::Stopped
                | HubRecord::ActorRestarted { .. }
                | HubRecord::JournalMended { .. },
            ) => {}
        }
        subject
    }

    /// Whether a filter means an event of this type about this.
    #[must_use]
    pub fn is_meant(&self, filter: &EventFilter, kind: &str) -> bool {
        let family = kind.split('.').next().unwrap_or(kind);
        (filter.types.is_empty() || filter.types.iter().any(|wanted| wanted == kind || wanted == family))
            && filter.task.as_ref().is_none_or(|task| self.task.as_ref() == Some(task))
            && filter.session.as_ref().is_none_or(|session| self.session.as_ref() == Some(session))
            && filter.agent.as_ref().is_none_or(|agent| self.agent.as_ref() == Some(agent))
    }
}

/// The agent that a task's record is about.
fn agent_of(record: &TaskRecord) -> Option<&AgentId> {
    match record {
        TaskRecord::Offered { agent, .. }
        | TaskRecord::OfferReturned { agent, .. }
        | TaskRecord::Acknowledged { agent, .. }
        | TaskRecord::Progressed { agent, .. }
        | TaskRecord::LeaseExtended { agent, .. }
        | TaskRecord::Completed { agent, .. }
        | TaskRecord::Failed { agent, .. }
        | TaskRecord::Blocked { agent, .. }
        | TaskRecord::Submitted { agent, .. }
        | TaskRecord::TimedOut { agent, .. }
        | TaskRecord::Released { agent, .. } => Some(agent),
        TaskRecord::Created { .. }
        | TaskRecord::Approved { .. }
        | TaskRecord::ChangesRequested { .. }
        | TaskRecord::Answered { .. }
        | TaskRecord::DependencyMoved { .. }
        | TaskRecord::Requeued { .. }
        | TaskRecord::Reassigned { .. }
        | TaskRecord::Prioritised { .. }
        | TaskRecord::DeadLettered { .. }
        | TaskRecord::Cancelled { .. }
        | TaskRecord::Remarked { .. } => None,
    }
}
