//! The subject of an event, and whether a filter selects it.

use crate::domain::agent::AgentRecord;
use crate::domain::review::ReviewRecord;
use crate::domain::schedule::ScheduleRecord;
use crate::domain::session::SessionRecord;
use crate::domain::session::question::QuestionRecord;
use crate::journal::{EventFilter, HubRecord, Kept, Record, Stream, Subject};

/// What a record is about: what whoever wrote it said, and what stream and record say themselves.
pub(super) fn subject_of(kept: &Kept) -> Subject {
    let said = said_by(kept);
    let about = &kept.about;
    Subject {
        session: said.session.or_else(|| about.session.clone()),
        task: said.task.or_else(|| about.task.clone()),
        agent: said.agent.or_else(|| about.agent.clone()),
    }
}

fn said_by(kept: &Kept) -> Subject {
    let mut subject = Subject::NOTHING;
    match &kept.stream {
        Stream::Task(task) => subject.task = Some(task.clone()),
        Stream::Agent(agent) => subject.agent = Some(agent.clone()),
        Stream::Session(session) => subject.session = Some(session.clone()),
        Stream::Terminal(terminal) => subject.session = terminal.session(),
        Stream::Workflow(_) | Stream::Hub => {}
    }
    match &kept.record {
        Record::Task(record) => subject.agent = record.agent().cloned(),
        Record::Review(ReviewRecord::Submitted { round }) => {
            subject.agent = Some(round.agent.clone());
            subject.session.clone_from(&round.session);
        }
        Record::Review(
            ReviewRecord::Commented { .. }
            | ReviewRecord::Resolved { .. }
            | ReviewRecord::Approved { .. }
            | ReviewRecord::ChangesRequested { .. }
            | ReviewRecord::TakenBack { .. }
            | ReviewRecord::Withdrawn { .. },
        ) => {}
        Record::Agent(AgentRecord::Registered { registration }) => {
            subject.session = Some(registration.session.clone());
        }
        Record::Agent(AgentRecord::NoticePosted { notice }) => subject.task = notice.task_id.clone(),
        Record::Agent(
            AgentRecord::NoticeMoved { .. }
            | AgentRecord::NoticesHeard { .. }
            | AgentRecord::NoticesUndeliverable { .. }
            | AgentRecord::Evicted { .. }
            | AgentRecord::EvictionHeard,
        ) => {}
        Record::Session(SessionRecord::Opened { agent }) => subject.agent = Some(agent.clone()),
        Record::Session(SessionRecord::TakenUp | SessionRecord::Linked { .. }) => {}
        Record::Session(SessionRecord::WorkflowStatus { bond, .. }) => subject.task = bond.task().cloned(),
        Record::Question(QuestionRecord::Asked { spec }) => {
            subject.task = spec.task_id.clone();
            subject.agent = Some(spec.agent_id.clone());
        }
        // Whose it is stands beside the record.
        Record::Question(_) | Record::Pull(_) => {}
        Record::Terminal(record) => subject.agent = record.agent().cloned(),
        // Whose it is stands beside the record.
        Record::Workflow(_) => {}
        Record::Schedule(ScheduleRecord::Fired { task, .. }) => subject.task = Some(task.clone()),
        Record::Schedule(_) => {}
        Record::Hub(HubRecord::TaskStarving { task, .. }) => subject.task = Some(task.clone()),
        Record::Hub(_) => {}
    }
    subject
}

/// Whether a filter means an event of this type about this.
pub(super) fn is_meant(subject: &Subject, filter: &EventFilter, kind: &str) -> bool {
    let family = kind.split('.').next().unwrap_or(kind);
    (filter.types.is_empty() || filter.types.iter().any(|wanted| wanted == kind || wanted == family))
        && filter.task.as_ref().is_none_or(|task| subject.task.as_ref() == Some(task))
        && filter.session.as_ref().is_none_or(|session| subject.session.as_ref() == Some(session))
        && filter.agent.as_ref().is_none_or(|agent| subject.agent.as_ref() == Some(agent))
}
