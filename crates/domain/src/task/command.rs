//! What may be asked of a task.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::kept_text::KeptText;
use super::run::{Limited, NewRun, RunExit};
use super::spec::{Artifact, Comment, Dependency, LeaseTerms, Origin, OriginKind, Target, TaskEdit, TaskSpec};
use super::state::TaskStateName;
use crate::ids::{AgentId, CommentId, LeaseEpoch, NoticeId, QuestionId, RunId, SessionId, TaskId};
use crate::principal::By;
use crate::review::{Grounds, Side, Submission};
use crate::time::Timestamp;
use crate::work_item::WorkItem;

#[derive(Debug, Clone)]
pub enum TaskCommand {
    /// Begin. With a first offer when an eligible agent is parked: both go into one append.
    Create {
        spec: Arc<TaskSpec>,
        dependencies: BTreeMap<TaskId, Dependency>,
        first_offer: Option<(AgentId, LeaseTerms)>,
    },
    /// Hand it to this agent, who waits. From QUEUED; or from ASSIGNED to the same agent: offered again.
    Offer { agent: AgentId, terms: LeaseTerms },
    /// The offer of this number reached nobody: back to the head of the queue.
    ReturnOffer { agent: AgentId, epoch: LeaseEpoch, why: ReturnReason },
    /// The slot that has the offer of this number leaves it to an agent of this task alone, which waits.
    PassOn { agent: AgentId, epoch: LeaseEpoch, to: AgentId, session: SessionId },
    /// The agent is gone for good: whatever it holds goes back at once.
    Release { agent: AgentId, why: ReturnReason },
    /// The agent has it: the offer becomes a lease.
    Acknowledge {
        agent: AgentId,
        /// Which offer, if the agent says so.
        epoch: Option<LeaseEpoch>,
    },
    /// Its holder says how it goes, or how it ended.
    Report { agent: AgentId, epoch: Option<LeaseEpoch>, report: Report },
    /// The holder asks a human: until then the lease must not run out.
    Await { agent: AgentId, until: Timestamp, session: Option<SessionId> },
    /// The human's answer is there, or is needed no more: the lease runs on as after any sign of life, a task that the
    /// question had blocked goes on, and one that its asker holds no more has the answer for whoever takes it up.
    Resume { agent: AgentId, question: QuestionId, answer: Option<Comment> },
    /// The answer to whether what used up its budget goes on: so it does by a person's word alone.
    SettleBudget { agent: AgentId, question: QuestionId, goes_on: bool, word: Comment },
    SubmitForReview {
        agent: AgentId,
        epoch: Option<LeaseEpoch>,
        message: KeptText,
        diff: Option<KeptText>,
        artifacts: Vec<Artifact>,
        submission: Box<Submission>,
    },
    /// The holder takes its work back from the reviewer, and goes on with it.
    TakeBack { agent: AgentId, epoch: Option<LeaseEpoch> },
    /// A reviewer agrees: the holder is to merge and complete it, or it is COMPLETED at once.
    Approve {
        message: Option<String>,
        /// The id of the comment by which whoever has the task next hears of it.
        comment: CommentId,
        /// COMPLETED at once: the role's `onApprove`.
        completes: bool,
        /// What gives them the right to.
        grounds: Option<Grounds>,
        /// The round of the review that they looked at; none approves whatever was handed in last.
        round: Option<u32>,
    },
    /// A reviewer wants changes: back to the last holder.
    RequestChanges {
        /// What is to change, beside the threads that are open already.
        comments: Vec<Comment>,
        /// The round of the review that they looked at; none judges whatever was handed in last.
        round: Option<u32>,
    },
    Discuss {
        /// It. One with `reply_to` stands in the thread of that comment.
        comment: Comment,
        /// Of which side of the diff its line is.
        side: Side,
    },
    /// Somebody settles a thread of its review.
    Resolve { comment: CommentId, response: Option<String> },
    /// The asker answers a BLOCKED task.
    Answer { authority: Authority, answer: Comment },
    /// A task that it depends on moved.
    DependencyMoved { task: TaskId, now: Dependency },
    /// Nobody wants it any more.
    Cancel { authority: Authority, reason: Option<String> },
    /// By hand: FAILED or TIMEOUT back to QUEUED.
    Retry,
    /// By hand: a dead letter back to QUEUED, with its attempts counted anew.
    Requeue,
    /// By hand: for another target.
    Reassign { target: Target },
    /// By hand: other words, or more or less urgent.
    Edit { edit: Box<TaskEdit> },
    /// A remark. The holder and the asker hear it, except who wrote it.
    Remark {
        comment: Comment,
        /// The work item outside on which it is to stand, too.
        posted_to: Option<WorkItem>,
    },
    /// What this login had approved on the forge was dismissed there.
    Dismiss { login: String },
    /// A slot has the offer, and its host is about to start a process for it.
    StartRun { run: Box<NewRun> },
    /// The client said how it calls the conversation of this run.
    NameConversation { run: RunId, conversation: String },
    /// The agent of this run said that its account is at a limit. The process is stopped; its account follows.
    LimitRun { run: RunId, limited: Limited },
    /// A run that waits gets its next process, on this host.
    ResumeRun { run: RunId, host: String },
    /// A process of this run ended.
    EndRun { run: RunId, exit: Box<RunExit> },
    /// The hub's clock leapt over the end of its lease or offer: its holder may have slept, too, and has until then.
    GiveGrace { until: Timestamp },
    /// Time passed: an offer or a lease may be over.
    Tick,
}

impl TaskCommand {
    /// Whether its holder says by it how far the work is.
    pub const fn reports(&self) -> bool {
        matches!(self, Self::Report { .. } | Self::SubmitForReview { .. })
    }
}

/// On whose word a task is cancelled or answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authority {
    /// An operator: any task.
    Operator,
    /// An agent: only tasks it created. Others answer as if they did not exist.
    Agent(AgentId),
    /// Whoever asked took the request itself back: only what nobody has taken up yet.
    Request,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReturnReason {
    NobodyWaiting,
    /// It goes on to the agent of this task alone.
    PassedOn,
    /// The connection died before the offer was written out.
    ConnectionLost,
    NotAcknowledged,
    Evicted,
    Revoked,
    Limited,
    Killed,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub kind: ReportKind,
    pub message: KeptText,
    pub diff: Option<KeptText>,
    pub artifacts: Vec<Artifact>,
    /// Proof, as it was given.
    pub evidence: Option<Value>,
    /// The work item outside on which a completion is to stand, too.
    pub posted_to: Option<WorkItem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportKind {
    /// Going on; renews the lease.
    Progress {
        phase: Option<String>,
        /// 0 to 100.
        percent: Option<u8>,
    },
    Completed,
    Blocked {
        reason: String,
        /// The question that only a person answers, where it is one.
        question: Option<QuestionId>,
    },
    Failed,
}

/// Who caused a command, and ids for what it may bring forth: they are minted outside, and some stay unused.
#[derive(Debug, Clone)]
pub struct Cause {
    pub by: By,
    /// The same, as a notice names it.
    pub who: Origin,
    /// Ids for notices, at most [`Cause::NOTICES`] of them.
    pub notices: Vec<NoticeId>,
}

impl Cause {
    /// The most notices that one decision posts.
    pub const NOTICES: usize = 3;

    /// The agent that caused it, if one did.
    pub(super) fn agent(&self) -> Option<&str> {
        (self.who.kind == OriginKind::Agent).then_some(self.who.id.as_str())
    }
}

impl ReportKind {
    pub const fn leads_to(&self) -> TaskStateName {
        match self {
            Self::Progress { .. } => TaskStateName::InProgress,
            Self::Completed => TaskStateName::Completed,
            Self::Blocked { .. } => TaskStateName::Blocked,
            Self::Failed => TaskStateName::Failed,
        }
    }
}

impl Authority {
    /// The agent whose word it is; none for an operator.
    pub const fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Operator => None,
            Self::Agent(agent) => Some(agent),
            Self::Request => None,
        }
    }
}
