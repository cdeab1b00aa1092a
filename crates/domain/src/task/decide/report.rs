//! The holder reports: going on, done, blocked, given up.

use super::super::command::{Report, ReportKind};
use super::super::kept_text::KeptText;
use super::super::notify::head_of;
use super::super::spec::Artifact;
use super::super::state::{Attempt, AttemptOutcome, Offer};
use super::prelude::*;

impl Task {
    /// A report acknowledges, too. The same final report again is so already.
    pub(super) fn report(
        &self,
        now: Timestamp,
        agent: &AgentId,
        epoch: Option<LeaseEpoch>,
        report: &Report,
        cause: &Cause,
    ) -> Decided {
        if matches!(&report.kind, ReportKind::Blocked { reason, .. } if reason.trim().is_empty()) {
            return Err(TaskRefusal::BlockedReasonMissing);
        }
        if let Some(ended) = report.ends_as()
            && self.repeats(agent, epoch, &ended)
        {
            return Ok(TaskDecision::default());
        }
        let standing = self.standing(agent, epoch)?;
        match &standing {
            TaskClaim::Offered(_) | TaskClaim::Leased(_) | TaskClaim::Adrift(_) | TaskClaim::Awaiting(_) => {}
            TaskClaim::Submitted(_) if self.is_approved() => {}
            TaskClaim::Submitted(_) => return Err(self.wrong_state("it waits for a reviewer, who has the next word")),
        }
        let means = if report.kind == ReportKind::Completed { Means::HandsIn } else { Means::GoesOn };
        self.hears_wishes(&standing, epoch, means)?;
        let mut records: Vec<TaskRecord> = standing.take(self, now, agent).into_iter().collect();
        records.push(report.record(agent, now + standing.terms().ttl.span()));
        let text = report.told(self, agent);
        let notices = Notices::new(self, now, cause);
        let notices = if let Some(text) = text { notices.asker(text) } else { notices };
        Ok(TaskDecision { records, notices: notices.done(), effects: Vec::new() })
    }

    /// Whether the newest lease was this agent's and ended by these very words. An answer that was lost on the way
    /// makes an agent say them again; that may be long after the task went on, and so the number does not matter,
    /// except that what names the offer at hand is about that one. Words that name a lease are said again if they ended
    /// it, or a later one of the same agent, whatever came after: a late word is taken under a new number.
    pub(super) fn repeats(&self, agent: &AgentId, epoch: Option<LeaseEpoch>, ended: &Ended<'_>) -> bool {
        let is_new = |offer: &Offer| offer.agent == *agent && epoch.is_none_or(|epoch| epoch >= offer.epoch);
        let about_new_work = self.lease().is_some() || self.offer().is_some_and(is_new);
        let by_this = |attempt: &Attempt| attempt.agent == *agent && ended.is_end_of(attempt);
        let newest = || !about_new_work && self.attempts.last().is_some_and(by_this);
        let named = |attempt: &Attempt| epoch.is_some_and(|epoch| epoch <= attempt.epoch);
        newest() || self.attempts.iter().any(|attempt| named(attempt) && by_this(attempt))
    }
}

/// The words by which a lease ends.
pub(super) struct Ended<'a> {
    pub(super) outcome: AttemptOutcome,
    pub(super) reason: Option<&'a String>,
    pub(super) message: &'a KeptText,
    pub(super) diff: Option<&'a KeptText>,
    pub(super) artifacts: &'a [Artifact],
}

impl Ended<'_> {
    /// Whether an attempt ended by these very words.
    fn is_end_of(&self, attempt: &Attempt) -> bool {
        attempt.outcome == self.outcome
            && attempt.blocked_reason.as_ref() == self.reason
            && attempt.message.as_ref().is_some_and(|message| message.same_as(self.message))
            && self.diff.is_none_or(|diff| attempt.diff.as_ref().is_some_and(|kept| kept.same_as(diff)))
            && self.artifacts.iter().all(|artifact| attempt.artifacts.contains(artifact))
    }
}

impl Report {
    fn ends_as(&self) -> Option<Ended<'_>> {
        let (outcome, reason) = match &self.kind {
            ReportKind::Progress { .. } => return None,
            ReportKind::Completed => (AttemptOutcome::Completed, None),
            ReportKind::Blocked { reason, .. } => (AttemptOutcome::Blocked, Some(reason)),
            ReportKind::Failed => (AttemptOutcome::Failed, None),
        };
        let diff = self.diff.as_ref();
        Some(Ended { outcome, reason, message: &self.message, diff, artifacts: &self.artifacts })
    }

    fn record(&self, agent: &AgentId, expires_at: Timestamp) -> TaskRecord {
        let agent = agent.clone();
        let Self { kind, message, diff, artifacts, evidence, posted_to } = self.clone();
        match kind {
            ReportKind::Progress { phase, percent } => TaskRecord::Progressed {
                agent,
                message: message.head().to_owned(),
                phase,
                percent,
                diff,
                artifacts,
                evidence,
                expires_at,
            },
            ReportKind::Completed => TaskRecord::Completed { agent, message, diff, artifacts, evidence, posted_to },
            ReportKind::Blocked { reason, question } => {
                TaskRecord::Blocked { agent, reason, question, message, diff, artifacts, evidence }
            }
            ReportKind::Failed => TaskRecord::Failed { agent, message, diff, artifacts, evidence },
        }
    }

    /// What the asker hears of it; progress is shown to who watches, and disturbs nobody.
    fn told(&self, task: &Task, agent: &AgentId) -> Option<String> {
        let (task, message) = (task.called(), head_of(&self.message));
        match &self.kind {
            ReportKind::Progress { .. } => None,
            ReportKind::Completed => Some(format!("{task} is COMPLETED by `{agent}`: {message}")),
            ReportKind::Failed => Some(format!("{task} is FAILED by `{agent}`: {message}")),
            ReportKind::Blocked { reason, question: Some(_) } => {
                Some(format!("{task} is BLOCKED until a person answers `{agent}`: {}", head(reason)))
            }
            ReportKind::Blocked { reason, question: None } => Some(format!(
                "{task} is BLOCKED: `{agent}` needs an answer, by `answer_task`: {}\n{message}",
                head(reason)
            )),
        }
    }
}
