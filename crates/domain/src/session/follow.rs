//! What a move of a task is to the session of whoever holds it: the one place where the two machines are tied.
//!
//! ```text
//!  task                        the session that follows it
//!  IN_PROGRESS                 started, working, awaiting_input: what its agent says
//!  BLOCKED on an answer        blocked
//!  answered, changes wanted    working: the task waits for the agent, and the agent knows what to do
//!  IN_REVIEW                   awaiting_review
//!  COMPLETED                   completed
//!  anything else               the session leaves the task, and is started
//! ```
//!
//! The task writes these records in its own append (`actors::task`): so there is no moment, and no crash, at which the
//! one has moved and the other has not.

use super::record::{Bond, SessionRecord};
use super::status::WorkflowStatus;
use crate::ids::{AgentId, SessionId};
use crate::task::{Attempt, AttemptOutcome, BlockedOn, Task, TaskRecord, TaskState};

/// How much of a report goes with a status, in characters.
const HEAD: usize = 200;

pub fn follower(task: &Task) -> Option<(&AgentId, &SessionId)> {
    let session_of = |agent| task.tenures.get(agent).and_then(|tenure| tenure.terms.session.as_ref());
    match &task.state {
        TaskState::InProgress { lease } => lease.terms.session.as_ref().map(|session| (&lease.agent, session)),
        TaskState::Blocked { on: BlockedOn::Answer { agent, .. }, .. } | TaskState::InReview { holder: agent, .. } => {
            session_of(agent).map(|session| (agent, session))
        }
        TaskState::Completed { .. } => {
            let agent = &task.attempts.last()?.agent;
            session_of(agent).map(|session| (agent, session))
        }
        TaskState::Queued { .. } | TaskState::Assigned { .. } => {
            let agent = &task.attempts.last().filter(|attempt| goes_on(attempt))?.agent;
            session_of(agent).filter(|_| task.last_holder.is_some()).map(|session| (agent, session))
        }
        TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. }
        | TaskState::Timeout { .. }
        | TaskState::Failed { .. }
        | TaskState::Cancelled { .. }
        | TaskState::DeadLetter { .. } => None,
    }
}

/// The status that a task asks of the session that follows it; `Working` stands for all that its agent may say itself.
pub const fn status_of(task: &Task) -> WorkflowStatus {
    match &task.state {
        TaskState::Blocked { .. } => WorkflowStatus::Blocked,
        TaskState::InReview { .. } => WorkflowStatus::AwaitingReview,
        TaskState::Completed { .. } => WorkflowStatus::Completed,
        TaskState::Queued { .. }
        | TaskState::Assigned { .. }
        | TaskState::InProgress { .. }
        | TaskState::Timeout { .. }
        | TaskState::Failed { .. }
        | TaskState::Cancelled { .. }
        | TaskState::DeadLetter { .. } => WorkflowStatus::Working,
    }
}

/// Which session follows a task, and with which status: all that a record is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Following {
    follower: Option<(AgentId, SessionId)>,
    status: WorkflowStatus,
}

impl Following {
    pub fn of(task: &Task) -> Self {
        let follower = follower(task).map(|(agent, session)| (agent.clone(), session.clone()));
        Self { follower, status: status_of(task) }
    }
}

/// What one record of a task is to the sessions that followed it before, and follow it after.
pub fn follow(before: &Following, record: &TaskRecord, after: &Task) -> Vec<(SessionId, SessionRecord)> {
    let (was, is) = (before.follower.as_ref().map(|(agent, session)| (agent, session)), follower(after));
    let task = || after.spec.id.clone();
    let mut told = Vec::new();
    if let Some((agent, session)) = was
        && is != was
    {
        let message = format!("{} is {}, and no longer with `{agent}`", after.spec.id, after.name());
        let left = SessionRecord::status(WorkflowStatus::Started, message, Bond::Leaves { task: task() });
        told.push((session.clone(), left));
    }
    let Some((_, session)) = is else { return told };
    let status = status_of(after);
    if is != was {
        // A task that somebody takes up is new to them, unless the very record says more.
        let status = if status == WorkflowStatus::Working { WorkflowStatus::Started } else { status };
        let taken = SessionRecord::status(status, said(record), Bond::Takes { task: task() });
        told.push((session.clone(), taken));
    } else if before.status != status {
        told.push((session.clone(), SessionRecord::status(status, said(record), Bond::Follows { task: task() })));
    } else if matches!(record, TaskRecord::Acknowledged { .. }) {
        // The session may have taken up something else while this one waited for its answer.
        told.push((session.clone(), SessionRecord::status(status, said(record), Bond::Takes { task: task() })));
    }
    told
}

/// Whether its agent goes on with the task after an answer, or a reviewer's wishes.
const fn goes_on(attempt: &Attempt) -> bool {
    matches!(attempt.outcome, AttemptOutcome::Blocked | AttemptOutcome::Submitted)
}

fn said(record: &TaskRecord) -> String {
    let text = if let TaskRecord::Completed { message, .. } | TaskRecord::Submitted { message, .. } = record {
        message.head()
    } else if let TaskRecord::Blocked { reason: text, .. } | TaskRecord::Progressed { message: text, .. } = record {
        text
    } else if let TaskRecord::Approved { message, .. } = record {
        message.as_deref().unwrap_or("approved")
    } else if let TaskRecord::ChangesRequested { .. } = record {
        "a reviewer wants changes"
    } else if let TaskRecord::Answered { .. } = record {
        "the task was answered"
    } else if let TaskRecord::Acknowledged { .. } = record {
        "the task was taken up"
    } else {
        ""
    };
    crate::text::shorten(text, HEAD)
}
