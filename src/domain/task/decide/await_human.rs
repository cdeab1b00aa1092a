//! The holder waits for a human. The lease must outlive the question, or a slow answer would cost the agent its task.

use super::super::effect::TaskDecision;
use super::super::record::TaskRecord;
use super::super::spec::Comment;
use super::super::state::{BlockedOn, Task, TaskState};
use super::Decided;
use super::standing::Standing;
use crate::domain::ids::AgentId;
use crate::domain::time::Timestamp;

impl Task {
    /// Asking acknowledges, too. A whole lease is left after the question's deadline: the answer is still to be acted
    /// on.
    pub(super) fn await_human(&self, now: Timestamp, agent: &AgentId, until: Timestamp) -> Decided {
        let standing = self.standing(agent, None)?;
        match &standing {
            Standing::Offered(_) | Standing::Leased(_) | Standing::Adrift(_) | Standing::Asked(_) => {}
            Standing::Submitted(_) => return Err(self.wrong_state("it waits for a reviewer, who has the next word")),
        }
        let taken = standing.take(self, now, agent);
        let epoch = match &taken {
            Some(TaskRecord::Acknowledged { epoch, .. }) => *epoch,
            Some(_) | None => self.epoch,
        };
        let expires_at = until.max(now) + standing.terms().ttl.span();
        let extended = TaskRecord::LeaseExtended { agent: agent.clone(), epoch, expires_at };
        Ok(TaskDecision { records: taken.into_iter().chain([extended]).collect(), ..TaskDecision::default() })
    }

    /// Nothing where the agent has the task no more: whoever has it now waits for no answer.
    pub(super) fn resume(&self, now: Timestamp, agent: &AgentId, answer: Option<&Comment>) -> TaskDecision {
        let records = match (&self.state, answer) {
            (TaskState::InProgress { lease }, _) if lease.agent == *agent => {
                let expires_at = now + lease.terms.ttl.span();
                vec![TaskRecord::LeaseExtended { agent: agent.clone(), epoch: lease.epoch, expires_at }]
            }
            (TaskState::Blocked { on: BlockedOn::Answer { agent: asked, .. }, .. }, Some(answer)) if asked == agent => {
                vec![TaskRecord::Answered { answer: answer.clone(), held_for: self.hold_for(agent, now) }]
            }
            (
                TaskState::InProgress { .. }
                | TaskState::Blocked { .. }
                | TaskState::Queued { .. }
                | TaskState::Assigned { .. }
                | TaskState::InReview { .. }
                | TaskState::Timeout { .. }
                | TaskState::Completed { .. }
                | TaskState::Failed { .. }
                | TaskState::Cancelled { .. }
                | TaskState::DeadLetter { .. },
                _,
            ) => Vec::new(),
        };
        TaskDecision { records, ..TaskDecision::default() }
    }
}
