//! What may be asked of a task without changing it: who holds it, what it waits for, when it ends by itself.

use std::collections::BTreeMap;
use std::fmt;

use super::kept_text::KeptText;

use super::spec::{Artifact, Comment, CommentKind, Dependency, Origin, Target};
use super::state::{
    Attempt, AttemptOutcome, BlockedOn, HeldFor, Lease, Offer, Task, TaskState, TaskStateName, closed, open,
};
use crate::ids::{AgentId, BlobId, PrincipalId, QuestionId, SessionId, TaskId};
use crate::time::{Deadline, Timestamp};

/// Who must act on an open task that has no deadline of its own (T3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitsFor {
    /// An agent that fits must take it.
    Taker { target: Target },
    /// These tasks must complete.
    Tasks { tasks: Vec<TaskId> },
    /// Somebody must retry the task it depends on, or cancel this one.
    Repair {
        /// The task that ended without completing.
        task: TaskId,
        state: TaskStateName,
    },
    /// The asker must answer the worker.
    Answer { from: Origin, reason: String },
    /// A reviewer must agree, or ask for changes.
    Reviewer,
    /// A reviewer agreed; its holder must merge and complete it.
    Completion { agent: AgentId },
    /// Somebody must retry, reassign or cancel it: its lease ran out, and policy holds it.
    Operator,
}

impl Task {
    pub fn id(&self) -> &TaskId {
        &self.spec.id
    }

    pub const fn name(&self) -> TaskStateName {
        self.state.name()
    }

    pub const fn is_open(&self) -> bool {
        !self.name().is_closed()
    }

    pub const fn ended_at(&self) -> Option<Timestamp> {
        match self.state {
            TaskState::Completed { at }
            | TaskState::Failed { at }
            | TaskState::Cancelled { at, .. }
            | TaskState::DeadLetter { at, .. } => Some(at),
            open!() => None,
        }
    }

    /// Whose session that is, of those who have the task or had it.
    pub fn agent_of(&self, session: &SessionId) -> Option<&AgentId> {
        let leased = self.lease().filter(|lease| lease.terms.session.as_ref() == Some(session));
        let held = || self.tenures.iter().find(|(_, tenure)| tenure.terms.session.as_ref() == Some(session));
        leased.map(|lease| &lease.agent).or_else(|| held().map(|(agent, _)| agent))
    }

    /// Every agent that may have something to hear of it: who was ever offered it, and who asked for it.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> {
        self.tenures.keys().cloned().chain(self.spec.asking_agent())
    }

    /// Every session that may show something of it: of its agents, and those in which people were asked for its sake.
    pub fn sessions(&self) -> impl Iterator<Item = SessionId> {
        let terms = self.tenures.values().map(|tenure| &tenure.terms).chain(self.lease().map(|lease| &lease.terms));
        terms.filter_map(|terms| terms.session.clone()).chain(self.asked_in.iter().cloned())
    }

    pub const fn lease(&self) -> Option<&Lease> {
        if let TaskState::InProgress { lease } = &self.state { Some(lease) } else { None }
    }

    pub const fn offer(&self) -> Option<&Offer> {
        if let TaskState::Assigned { offer } = &self.state { Some(offer) } else { None }
    }

    /// Whose it is now: offered to, leased by, blocked on an answer to, or submitted by.
    pub const fn holder(&self) -> Option<&AgentId> {
        match &self.state {
            TaskState::Assigned { offer } => Some(&offer.agent),
            TaskState::InProgress { lease } => Some(&lease.agent),
            TaskState::Blocked { on: BlockedOn::Answer { agent, .. }, .. } => Some(agent),
            TaskState::InReview { holder, .. } => Some(holder),
            TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. }
            | TaskState::Queued { .. }
            | TaskState::Timeout { .. }
            | closed!() => None,
        }
    }

    /// Whether an agent may know of it: it holds it, held it, or asked for it.
    pub fn concerns(&self, agent: &AgentId, principal: &PrincipalId) -> bool {
        self.holder() == Some(agent)
            || self.last_holder.as_ref() == Some(agent)
            || self.attempts.iter().any(|attempt| attempt.agent == *agent)
            || self.spec.asker == *principal
    }

    /// Who may be working on it: its holder, or who worked on it last and may not know that the lease is over.
    pub fn worker(&self) -> Option<&AgentId> {
        self.holder().or_else(|| {
            let last = self.attempts.last().filter(|attempt| self.is_open() && attempt.outcome.may_go_on())?;
            self.last_holder.as_ref().filter(|agent| **agent == last.agent)
        })
    }

    /// For whom it is kept, and until when. The dispatcher wakes at that moment; the task itself does not change.
    pub const fn held_for(&self) -> Option<&HeldFor> {
        if let TaskState::Queued { held_for, .. } = &self.state { held_for.as_ref() } else { None }
    }

    /// Whether a reviewer agreed and its holder is to merge and complete it.
    pub const fn is_approved(&self) -> bool {
        matches!(self.state, TaskState::InReview { approved: true, .. })
    }

    /// The number of the attempt that runs, or comes next: 1, and one more for each that ran out or failed.
    pub fn attempt_number(&self) -> u32 {
        self.attempts_used().saturating_add(1)
    }

    /// How many attempts ran out or failed since it was created, or put back from the dead letters.
    pub fn attempts_used(&self) -> u32 {
        let counted = self.attempts.iter().skip(self.counted_from);
        let used = counted.filter(|attempt| attempt.outcome.uses_up()).count();
        u32::try_from(used).unwrap_or(u32::MAX)
    }

    pub fn last_attempt(&self) -> Option<&Attempt> {
        self.attempts.last()
    }

    /// What it came to, once COMPLETED: the last report and everything that came out. What dependents are given.
    pub fn result(&self) -> Option<(KeptText, Vec<Artifact>)> {
        let done = matches!(self.state, TaskState::Completed { .. });
        let last = self.attempts.last().filter(|_| done)?;
        let message = last.message.clone().unwrap_or_else(|| KeptText::inline(""));
        Some((message, self.artifacts()))
    }

    pub fn artifacts(&self) -> Vec<Artifact> {
        let mut all: Vec<Artifact> = Vec::new();
        for artifact in self.attempts.iter().flat_map(|attempt| &attempt.artifacts) {
            if !all.contains(artifact) {
                all.push(artifact.clone());
            }
        }
        all
    }

    /// Its long texts that are kept apart. Those of the tasks it depends on are theirs.
    pub fn blobs(&self) -> Vec<&BlobId> {
        let reports = self.attempts.iter().flat_map(|attempt| attempt.message.iter().chain(&attempt.diff));
        let tails = self.runs.iter().flat_map(|run| &run.exits).filter_map(|exit| exit.tail.as_ref());
        let texts = reports.chain(tails);
        let stored = texts.filter_map(|text| match text {
            KeptText::Stored { blob, .. } => Some(blob),
            KeptText::Inline { .. } => None,
        });
        stored.collect()
    }

    /// What the tasks it depends on came to, of those that are COMPLETED.
    pub fn dependency_results(&self) -> BTreeMap<TaskId, (&KeptText, &[Artifact])> {
        let met = self.dependencies.iter().filter_map(|(id, how)| match how {
            Dependency::Met { message, artifacts } => Some((id.clone(), (message, artifacts.as_slice()))),
            Dependency::Pending | Dependency::Failed { .. } => None,
        });
        met.collect()
    }

    pub fn unmet(&self) -> Vec<TaskId> {
        let unmet = self.dependencies.iter().filter(|(_, how)| !matches!(how, Dependency::Met { .. }));
        unmet.map(|(id, _)| id.clone()).collect()
    }

    /// Answers, wishes and remarks that `agent` cannot know: those since its own last lease on this task ended, or all
    /// of them when it never had one. What it has to be told beside the text. An agreement that was taken back is none.
    /// A lease that was stopped for the budget may have had no process, so that nobody heard what came before it.
    pub fn news_for(&self, agent: &AgentId) -> Vec<&Comment> {
        let own = |attempt: &&Attempt| attempt.agent == *agent && !self.is_stopped_for_budget(attempt);
        let own = self.attempts.iter().rev().find(own);
        let known = own.and_then(|attempt| attempt.ended_at).unwrap_or_default();
        let told = self.comments.iter().enumerate().filter(|(nth, it)| it.at >= known && !self.is_taken_back(*nth));
        told.map(|(_, comment)| comment).collect()
    }

    fn is_stopped_for_budget(&self, attempt: &Attempt) -> bool {
        self.runs.iter().any(|run| run.epoch == attempt.epoch && run.is_stopped_for_budget())
    }

    /// Whether this comment is a reviewer's agreement, and wishes or another submission came after it.
    fn is_taken_back(&self, nth: usize) -> bool {
        let Some((comment, later)) = self.comments.get(nth..).and_then(<[Comment]>::split_first) else { return false };
        let again = |attempt: &Attempt| {
            attempt.outcome == AttemptOutcome::Submitted && attempt.ended_at.is_some_and(|at| at > comment.at)
        };
        let wished = later.iter().any(|it| it.kind == CommentKind::Review);
        comment.kind == CommentKind::Approval && (self.sent_back || wished || self.attempts.iter().any(again))
    }

    /// Whether somebody who waits for this task is to be told now: it ended, or does not go on unless somebody acts.
    /// While it only waits for its dependencies there is nothing to tell.
    pub const fn ends_watch(&self) -> bool {
        match &self.state {
            closed!()
            | TaskState::Blocked { on: BlockedOn::Answer { .. } | BlockedOn::DependencyFailed { .. }, .. } => true,
            TaskState::Blocked { on: BlockedOn::Dependencies, .. }
            | TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::InReview { .. }
            | TaskState::Timeout { .. } => false,
        }
    }

    /// When this state ends by itself, and why. A task kept for its last holder has none ([`Task::held_for`]).
    pub const fn next_deadline(&self) -> Option<Deadline> {
        if let Some(offer) = self.offer() {
            return Some(Deadline { at: offer.ack_by, reason: "the offer goes back unless it is acknowledged" });
        }
        match self.lease() {
            Some(lease) => {
                Some(Deadline { at: lease.expires_at, reason: "the lease runs out unless progress is reported" })
            }
            None => None,
        }
    }

    /// Who must act, where an open task has no deadline of its own (T3).
    pub fn waits_for(&self) -> Option<WaitsFor> {
        match &self.state {
            TaskState::Queued { .. } => Some(WaitsFor::Taker { target: self.spec.target.clone() }),
            TaskState::Blocked { on: BlockedOn::Dependencies, .. } => Some(WaitsFor::Tasks { tasks: self.unmet() }),
            TaskState::Blocked { on: BlockedOn::DependencyFailed { task }, .. } => {
                Some(WaitsFor::Repair { task: task.clone(), state: self.end_of(task) })
            }
            TaskState::Blocked { on: BlockedOn::Answer { reason, .. }, .. } => {
                Some(WaitsFor::Answer { from: self.spec.from.clone(), reason: reason.clone() })
            }
            TaskState::InReview { approved: false, .. } => Some(WaitsFor::Reviewer),
            TaskState::InReview { approved: true, holder, .. } => Some(WaitsFor::Completion { agent: holder.clone() }),
            TaskState::Timeout { .. } => Some(WaitsFor::Operator),
            TaskState::Assigned { .. } | TaskState::InProgress { .. } | closed!() => None,
        }
    }

    /// Why it is BLOCKED: the worker's own words, or what it depends on.
    pub fn blocked_reason(&self) -> Option<String> {
        match self.waits_for()? {
            WaitsFor::Answer { reason, .. } => Some(reason),
            waits @ (WaitsFor::Tasks { .. } | WaitsFor::Repair { .. }) => Some(waits.to_string()),
            WaitsFor::Taker { .. } | WaitsFor::Reviewer | WaitsFor::Completion { .. } | WaitsFor::Operator => None,
        }
    }

    pub fn is_blocked_on(&self, question: &QuestionId) -> bool {
        matches!(
            &self.state,
            TaskState::Blocked { on: BlockedOn::Answer { question: Some(on), .. }, .. } if on == question
        )
    }

    fn end_of(&self, dependency: &TaskId) -> TaskStateName {
        match self.dependencies.get(dependency) {
            Some(Dependency::Failed { state }) => *state,
            Some(Dependency::Pending | Dependency::Met { .. }) | None => TaskStateName::Failed,
        }
    }

    /// Until when it is kept for `agent`, should it return now.
    pub(super) fn hold_for(&self, agent: &AgentId, now: Timestamp) -> Option<HeldFor> {
        let hold = self.tenures.get(agent)?.terms.last_holder_hold;
        (hold.0 > 0).then(|| HeldFor { agent: agent.clone(), until: now + hold.span() })
    }
}

impl AttemptOutcome {
    /// Whether an attempt that ended so is used up, and the next one has the next number.
    pub const fn uses_up(self) -> bool {
        matches!(self, Self::TimedOut | Self::Failed)
    }

    /// Whether its agent may still have the task in mind: it ran out of time, or expects an answer or a verdict.
    pub const fn may_go_on(self) -> bool {
        matches!(self, Self::TimedOut | Self::Blocked | Self::Submitted)
    }
}

impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taker { target } => write!(f, "`{target}` must take it"),
            Self::Tasks { tasks } => {
                let names: Vec<String> = tasks.iter().map(|task| format!("`{task}`")).collect();
                write!(f, "{} must complete first", names.join(", "))
            }
            Self::Repair { task, state: TaskStateName::Cancelled } => {
                write!(
                    f,
                    "it depends on `{task}`, which is CANCELLED for good: cancel this one, and ask anew without it"
                )
            }
            Self::Repair { task, state } => {
                write!(f, "it depends on `{task}`, which is {state}: retry that one, or cancel this one")
            }
            Self::Answer { from, reason } => write!(f, "`{}` must answer: {reason}", from.id),
            Self::Reviewer => f.write_str("a reviewer must approve it or request changes"),
            Self::Completion { agent } => write!(f, "it is approved: `{agent}` must merge and complete it"),
            Self::Operator => f.write_str("the lease ran out: retry, reassign or cancel it"),
        }
    }
}
