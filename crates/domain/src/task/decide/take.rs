//! The agent says that it has the task.

use super::prelude::*;

impl Task {
    /// The offer becomes a lease. Said twice, it is so already. Said late, while nobody else has the task, it counts.
    pub(super) fn acknowledge(&self, now: Timestamp, agent: &AgentId, epoch: Option<LeaseEpoch>) -> Decided {
        let standing = self.standing(agent, epoch)?;
        self.hears_wishes(&standing, epoch, Means::GoesOn)?;
        match &standing {
            TaskClaim::Submitted(_) if !self.is_approved() => Err(self.wrong_state("it waits for a reviewer")),
            TaskClaim::Offered(_) | TaskClaim::Leased(_) | TaskClaim::Adrift(_) | TaskClaim::Submitted(_) => {
                Ok(TaskDecision {
                    records: standing.take(self, now, agent).into_iter().collect(),
                    ..TaskDecision::default()
                })
            }
            TaskClaim::Awaiting(_) => {
                Err(self.wrong_state("it waits for an answer; report PROGRESS to go on without one"))
            }
        }
    }
}
