//! The holder hands its work to a reviewer, who agrees or wants changes.

use super::super::command::Cause;
use super::super::effect::TaskDecision;
use super::super::notify::{Notices, head, head_of};
use super::super::record::TaskRecord;
use super::super::refusal::TaskRefusal;
use super::super::spec::{Artifact, Comment, KeptText};
use super::super::state::{AttemptOutcome, Task, TaskState};
use super::Decided;
use super::report::Ended;
use crate::domain::ids::{AgentId, LeaseEpoch};
use crate::domain::time::Timestamp;

/// What is handed to the reviewer.
pub(super) struct Work<'a> {
    /// What the agent says.
    pub(super) message: &'a KeptText,
    /// The change.
    pub(super) diff: Option<&'a KeptText>,
    /// What came out.
    pub(super) artifacts: &'a [Artifact],
}

impl Task {
    /// Submitting acknowledges, too. Who found something to mend before the reviewer did may submit again.
    pub(super) fn submit(
        &self,
        now: Timestamp,
        agent: &AgentId,
        epoch: Option<LeaseEpoch>,
        work: &Work<'_>,
        cause: &Cause,
    ) -> Decided {
        let Work { message, diff, artifacts } = *work;
        let ended = Ended { outcome: AttemptOutcome::Submitted, reason: None, message, diff, artifacts };
        if self.repeats(agent, epoch, &ended) {
            return Ok(TaskDecision::default());
        }
        let standing = self.standing(agent, epoch)?;
        let mut records: Vec<TaskRecord> = standing.take(self, now, agent).into_iter().collect();
        records.push(TaskRecord::Submitted {
            agent: agent.clone(),
            message: message.clone(),
            diff: diff.cloned(),
            artifacts: artifacts.to_vec(),
        });
        let text = format!("{} is IN_REVIEW, submitted by `{agent}`: {}", self.called(), head_of(message));
        let notices = Notices::new(self, now, cause).asker(text).done();
        Ok(TaskDecision { records, notices, effects: Vec::new() })
    }

    /// The reviewer agrees.
    pub(super) fn approve(&self, now: Timestamp, message: Option<&String>, cause: &Cause) -> Decided {
        let holder = self.reviewed()?;
        let said = message.map(|text| format!(": {}", head(text))).unwrap_or_default();
        let text = format!("{} is COMPLETED by `{holder}`, approved{said}", self.called());
        let records = vec![TaskRecord::Approved { message: message.cloned() }];
        Ok(TaskDecision { records, notices: Notices::new(self, now, cause).asker(text).done(), effects: Vec::new() })
    }

    /// The reviewer wants changes: back to who submitted it.
    pub(super) fn request_changes(&self, now: Timestamp, comments: &[Comment]) -> Decided {
        let holder = self.reviewed()?;
        let held_for = self.hold_for(holder, now);
        let records = vec![TaskRecord::ChangesRequested { comments: comments.to_vec(), held_for }];
        Ok(TaskDecision { records, ..TaskDecision::default() })
    }

    fn reviewed(&self) -> Result<&AgentId, TaskRefusal> {
        match &self.state {
            TaskState::InReview { holder, .. } => Ok(holder),
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::Timeout { .. } => Err(self.wrong_state("only a task that is IN_REVIEW can be reviewed")),
            TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled { .. }
            | TaskState::DeadLetter { .. } => Err(self.closed()),
        }
    }
}
