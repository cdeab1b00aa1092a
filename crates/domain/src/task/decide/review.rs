//! The holder hands its work to a reviewer, who agrees or wants changes.

use super::super::kept_text::KeptText;
use super::super::notify::head_of;
use super::super::spec::{Artifact, Comment, CommentKind, OriginKind};
use super::super::state::AttemptOutcome;
use super::prelude::*;
use super::report::Ended;
use crate::ids::CommentId;
use crate::reminder;

pub(super) struct Work<'a> {
    pub(super) message: &'a KeptText,
    pub(super) diff: Option<&'a KeptText>,
    pub(super) artifacts: &'a [Artifact],
}

/// A reviewer's agreement.
pub(super) struct Word<'a> {
    pub(super) message: Option<&'a String>,
    /// The id of the comment by which whoever has the task next hears of it.
    pub(super) comment: &'a CommentId,
    pub(super) completes: bool,
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
        self.hears_wishes(&standing, epoch, Means::HandsIn)?;
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

    /// The holder goes on with what lies with a reviewer, under a fresh lease.
    pub(super) fn take_back(&self, now: Timestamp, agent: &AgentId, epoch: Option<LeaseEpoch>) -> Decided {
        let standing = self.standing(agent, epoch)?;
        match &standing {
            TaskClaim::Submitted(_) => Ok(TaskDecision {
                records: standing.take(self, now, agent).into_iter().collect(),
                ..TaskDecision::default()
            }),
            TaskClaim::Leased(_) => Ok(TaskDecision::default()),
            TaskClaim::Offered(_) | TaskClaim::Adrift(_) | TaskClaim::Awaiting(_) => {
                Err(self.wrong_state("only what lies with a reviewer can be taken back"))
            }
        }
    }

    /// The reviewer agrees. Said twice, it is so already.
    pub(super) fn approve(&self, now: Timestamp, word: &Word<'_>, cause: &Cause) -> Decided {
        judges(cause)?;
        let holder = self.reviewed()?;
        if self.is_approved() && !word.completes {
            return Ok(TaskDecision::default());
        }
        let said = word.message.map(|text| format!(": {}", head(text))).unwrap_or_default();
        let message = word.message.cloned();
        let (text, told, word) = if word.completes {
            let text = format!("{} is COMPLETED by `{holder}`, approved{said}", self.called());
            (text, format!("approved: {} is COMPLETED{said}", self.called()), None)
        } else {
            let told = reminder::approved(word.message.map(|text| head(text)).as_deref());
            let comment =
                Comment::new(word.comment.clone(), CommentKind::Approval, cause.who.clone(), told.clone(), now);
            let text = format!("{} by `{holder}` is approved, and waits to be merged{said}", self.called());
            (text, told, Some(comment))
        };
        let notices = Notices::new(self, now, cause).asker(text).worker(told).done();
        Ok(TaskDecision { records: vec![TaskRecord::Approved { message, word }], notices, effects: Vec::new() })
    }

    pub(super) fn request_changes(&self, now: Timestamp, comments: &[Comment], cause: &Cause) -> Decided {
        judges(cause)?;
        let holder = self.reviewed()?;
        let held_for = self.hold_for(holder, now);
        let records = vec![TaskRecord::ChangesRequested { comments: comments.to_vec(), held_for }];
        let mut notices = Notices::new(self, now, cause);
        if self.is_approved() {
            // The approval may still be on its way to the worker, who would merge on it.
            notices = notices.worker(format!(
                "changes are requested by {}: do not merge {}, its approval does not count any more",
                cause.who.display_name,
                self.called()
            ));
        }
        Ok(TaskDecision { records, notices: notices.done(), effects: Vec::new() })
    }

    /// A reviewer says something of the change while the task is open: nothing moves, and the worker hears it.
    pub(super) fn discuss(&self, now: Timestamp, comment: &Comment, cause: &Cause) -> Decided {
        judges(cause)?;
        if !self.is_open() {
            return Err(self.closed());
        }
        let place = match (&comment.file, comment.line) {
            (Some(file), Some(line)) => format!(" at `{file}`, line {line}"),
            (Some(file), None) => format!(" at `{file}`"),
            (None, _) => String::new(),
        };
        let text = format!("{} on {}{place}: {}", cause.who.display_name, self.called(), head(&comment.text));
        let notices = Notices::new(self, now, cause).worker(text).done();
        Ok(TaskDecision { notices, ..TaskDecision::default() })
    }

    /// Somebody settles a thread: a person, or an agent that had the task.
    pub(super) fn resolve(&self, cause: &Cause) -> Decided {
        let theirs = match cause.agent() {
            Some(agent) => self.tenures.keys().any(|known| known.as_str() == agent),
            None => true,
        };
        if theirs { Ok(TaskDecision::default()) } else { Err(self.not_found()) }
    }

    fn reviewed(&self) -> Result<&AgentId, TaskRefusal> {
        match &self.state {
            TaskState::InReview { holder, .. } => Ok(holder),
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::Blocked { .. }
            | TaskState::Timeout { .. } => Err(self.wrong_state("only a task that is IN_REVIEW can be reviewed")),
            closed!() => Err(self.closed()),
        }
    }
}

/// Only people judge, and what they let act for them; never an agent, not even about another's work.
fn judges(cause: &Cause) -> Result<(), TaskRefusal> {
    match cause.who.kind {
        OriginKind::Agent => Err(TaskRefusal::NotYoursToJudge),
        OriginKind::Discord
        | OriginKind::Cli
        | OriginKind::Page
        | OriginKind::Api
        | OriginKind::Workflow
        | OriginKind::Schedule
        | OriginKind::Hub => Ok(()),
    }
}
