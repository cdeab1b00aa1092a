//! The state that the records alone come to.
//!
//! The machines are the same that run in the hub, so a replay is the hub's life again: what it comes to must equal the
//! rows (J1). On the way each record is held to the promises that show in the order of records.

use std::collections::BTreeMap;

use serde::Serialize;

use super::entry::{Kept, Record, Seq, Stream};
use crate::domain::agent::{Agent, AgentRecord};
use crate::domain::ids::{AgentId, SessionId, TaskId};
use crate::domain::session::{Session, SessionRecord};
use crate::domain::task::{Task, TaskRecord, TaskState};
use crate::domain::time::Timestamp;

/// A promise that a journal breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The promise: `E1`, `J1`, `T1`, `T2`, `T4`, `N1`; `file` for what SQLite itself finds.
    pub promise: &'static str,
    /// What it is about: `record 17`, `task:…`.
    pub subject: String,
    /// What is wrong, in a sentence.
    pub sentence: String,
}

/// A life in the making.
#[derive(Debug, Default)]
pub struct Replay {
    position: Seq,
    tasks: BTreeMap<TaskId, Task>,
    agents: BTreeMap<AgentId, Agent>,
    sessions: BTreeMap<SessionId, Session>,
}

impl Replay {
    /// Takes the next record in. What it breaks goes into `findings`; the replay goes on as well as it can.
    pub fn take(&mut self, kept: &Kept, findings: &mut Vec<Finding>) {
        if kept.seq != self.position.next() {
            let sentence = format!("it follows record {}", self.position);
            findings.push(Finding { promise: "E1", subject: format!("record {}", kept.seq), sentence });
        }
        self.position = kept.seq;
        let taken = match (&kept.stream, &kept.record) {
            (Stream::Task(id), Record::Task(record)) => self.task_record(id, kept.at, record),
            (Stream::Agent(id), Record::Agent(record)) => self.agent_record(id, kept.at, record),
            (Stream::Session(id), Record::Session(record)) => self.session_record(id, kept.at, record),
            (Stream::Hub, Record::Hub(_)) => Ok(()),
            (stream, record) => Err(("J1", format!("`{}` does not belong into `{stream}`", record.kind().name))),
        };
        if let Err((promise, sentence)) = taken {
            let sentence = format!("record {}: {sentence}", kept.seq);
            findings.push(Finding { promise, subject: kept.stream.to_string(), sentence });
        }
    }

    /// A record cannot be read: the next one follows it.
    pub(super) fn skip(&mut self, seq: Seq) {
        self.position = seq;
    }

    /// The number of the last record that was taken in.
    #[must_use]
    pub const fn position(&self) -> Seq {
        self.position
    }

    /// The tasks, by id.
    #[must_use]
    pub const fn tasks(&self) -> &BTreeMap<TaskId, Task> {
        &self.tasks
    }

    /// The agents with what they have not heard, by id.
    #[must_use]
    pub const fn agents(&self) -> &BTreeMap<AgentId, Agent> {
        &self.agents
    }

    /// The sessions, by id.
    #[must_use]
    pub const fn sessions(&self) -> &BTreeMap<SessionId, Session> {
        &self.sessions
    }

    fn task_record(&mut self, id: &TaskId, at: Timestamp, record: &TaskRecord) -> Result<(), Broken> {
        let Some(task) = self.tasks.get_mut(id) else {
            let task = Task::from_created(at, record).filter(|task| task.spec.id == *id);
            let begun = task.ok_or(("J1", "the task does not begin with its creation".to_owned()))?;
            self.tasks.insert(id.clone(), begun);
            return Ok(());
        };
        let verdict = follows(task, record);
        let attempts = task.attempts.len();
        task.apply(at, record);
        verdict?;
        if task.attempts.len() < attempts {
            return Err(("T4", "an attempt is gone".to_owned()));
        }
        Ok(())
    }

    fn agent_record(&mut self, id: &AgentId, at: Timestamp, record: &AgentRecord) -> Result<(), Broken> {
        let agent = self.agents.entry(id.clone()).or_insert_with(|| Agent::unknown(id.clone()));
        let again = match record {
            AgentRecord::NoticePosted { notice } => agent.notices.contains_key(&notice.id),
            AgentRecord::Registered { .. }
            | AgentRecord::NoticesHeard { .. }
            | AgentRecord::Evicted { .. }
            | AgentRecord::EvictionHeard => false,
        };
        agent.apply(at, record);
        if again { Err(("N1", "a notice is posted twice".to_owned())) } else { Ok(()) }
    }

    fn session_record(&mut self, id: &SessionId, at: Timestamp, record: &SessionRecord) -> Result<(), Broken> {
        match (self.sessions.get_mut(id), record) {
            (None, SessionRecord::Opened { agent }) => {
                self.sessions.insert(id.clone(), Session::opened(id.clone(), agent.clone(), at));
                Ok(())
            }
            (None, SessionRecord::TakenUp) => Err(("J1", "the session does not begin with its opening".to_owned())),
            (Some(session), record) => {
                session.apply(at, record);
                Ok(())
            }
        }
    }
}

/// A promise, and how it is broken.
type Broken = (&'static str, String);

/// Whether a record may follow on what a task has become.
fn follows(task: &Task, record: &TaskRecord) -> Result<(), Broken> {
    let name = task.state.name();
    match (record, &task.state) {
        (TaskRecord::Created { .. }, _) => return Err(("J1", "the task is created twice".to_owned())),
        (TaskRecord::Requeued { .. }, TaskState::Failed { .. } | TaskState::DeadLetter { .. }) => {}
        (_, _) if name.is_closed() => return Err(("T2", format!("something happens to a task that is {name}"))),
        (_, _) => {}
    }
    match record {
        TaskRecord::Offered { epoch, .. } if *epoch <= task.epoch => {
            Err(("T1", format!("offer {epoch} comes after number {} was given", task.epoch)))
        }
        TaskRecord::Acknowledged { epoch, agent, .. } => {
            let offered = task.offer().is_some_and(|offer| offer.epoch == *epoch && offer.agent == *agent);
            match task.lease() {
                Some(lease) => Err(("T1", format!("`{agent}` takes what `{}` holds", lease.agent))),
                None if offered || *epoch > task.epoch => Ok(()),
                None => Err(("T1", format!("lease {epoch} was not offered, and number {} was given", task.epoch))),
            }
        }
        TaskRecord::Created { .. }
        | TaskRecord::Offered { .. }
        | TaskRecord::OfferReturned { .. }
        | TaskRecord::Progressed { .. }
        | TaskRecord::Completed { .. }
        | TaskRecord::Failed { .. }
        | TaskRecord::Blocked { .. }
        | TaskRecord::Submitted { .. }
        | TaskRecord::Approved { .. }
        | TaskRecord::ChangesRequested { .. }
        | TaskRecord::Answered { .. }
        | TaskRecord::DependencyMoved { .. }
        | TaskRecord::TimedOut { .. }
        | TaskRecord::Released { .. }
        | TaskRecord::Requeued { .. }
        | TaskRecord::Reassigned { .. }
        | TaskRecord::Prioritised { .. }
        | TaskRecord::DeadLettered { .. }
        | TaskRecord::Cancelled { .. }
        | TaskRecord::Remarked { .. } => Ok(()),
    }
}
