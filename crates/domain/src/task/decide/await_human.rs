//! The holder waits for a human. The lease must outlive the question, or a slow answer would cost the agent its task.

use super::super::spec::Comment;
use super::prelude::*;
use crate::ids::{QuestionId, SessionId};

impl Task {
    /// Asking acknowledges, too. A whole lease is left after the question's deadline, to act on the answer.
    pub(super) fn await_human(
        &self,
        now: Timestamp,
        agent: &AgentId,
        until: Timestamp,
        session: Option<&SessionId>,
    ) -> Decided {
        let standing = self.standing(agent, None)?;
        match &standing {
            TaskClaim::Offered(_) | TaskClaim::Leased(_) | TaskClaim::Adrift(_) | TaskClaim::Awaiting(_) => {}
            TaskClaim::Submitted(_) => return Err(self.wrong_state("it waits for a reviewer, who has the next word")),
        }
        // Who did not hear yet what a reviewer wants may ask all the same, and takes the task up when it comes back.
        let takes = self.hears_wishes(&standing, None, Means::GoesOn).is_ok();
        let taken = standing.take(self, now, agent).filter(|_| takes);
        let epoch = match &taken {
            Some(TaskRecord::Acknowledged { epoch, .. }) => *epoch,
            Some(_) | None => self.epoch,
        };
        let expires_at = until.max(now) + standing.terms().ttl.span();
        let extended =
            TaskRecord::LeaseExtended { agent: agent.clone(), epoch, expires_at, asked_in: session.cloned() };
        Ok(TaskDecision { records: taken.into_iter().chain([extended]).collect(), ..TaskDecision::default() })
    }

    /// The agent goes on if it still has the task; else the answer stays with the task for whoever takes it up.
    pub(super) fn resume(
        &self,
        now: Timestamp,
        agent: &AgentId,
        question: &QuestionId,
        answer: Option<&Comment>,
        cause: &Cause,
    ) -> TaskDecision {
        let kept = |answer: &Comment| TaskDecision {
            records: vec![TaskRecord::Remarked { comment: answer.clone(), posted_to: None }],
            notices: Notices::new(self, now, cause).others(agent, &answer.text).done(),
            effects: Vec::new(),
        };
        let records = match (&self.state, answer) {
            (TaskState::InProgress { lease }, _) if lease.agent == *agent => {
                let (expires_at, epoch) = (now + lease.terms.ttl.span(), lease.epoch);
                vec![TaskRecord::LeaseExtended { agent: agent.clone(), epoch, expires_at, asked_in: None }]
            }
            (
                TaskState::Blocked { on: BlockedOn::Answer { question: Some(asked), agent: asker, .. }, .. },
                Some(answer),
            ) if asked == question => {
                vec![TaskRecord::Answered { answer: answer.clone(), held_for: self.hold_for(asker, now) }]
            }
            (open!(), Some(answer)) => return kept(answer),
            (open!(), None) | (closed!(), _) => Vec::new(),
        };
        TaskDecision { records, ..TaskDecision::default() }
    }
}
