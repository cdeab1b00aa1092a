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
        /// What is asked.
        spec: Arc<TaskSpec>,
        /// How each dependency stands now.
        dependencies: BTreeMap<TaskId, Dependency>,
        /// Who gets it at once.
        first_offer: Option<(AgentId, LeaseTerms)>,
    },
    /// Hand it to this agent, who waits. From QUEUED; or from ASSIGNED to the same agent: offered again.
    Offer {
        agent: AgentId,
        terms: LeaseTerms,
    },
    /// The offer of this number reached nobody: back to the head of the queue.
    ReturnOffer {
        /// Who was to have it.
        agent: AgentId,
        epoch: LeaseEpoch,
        /// Why it came back.
        why: ReturnReason,
    },
    /// The slot that has the offer of this number leaves it to an agent of this task alone, which waits.
    PassOn {
        agent: AgentId,
        epoch: LeaseEpoch,
        to: AgentId,
        /// The session in which that agent works.
        session: SessionId,
    },
    /// The agent is gone for good: whatever it holds goes back at once.
    Release {
        agent: AgentId,
        why: ReturnReason,
    },
    /// The agent has it: the offer becomes a lease.
    Acknowledge {
        agent: AgentId,
        /// Which offer, if the agent says so.
        epoch: Option<LeaseEpoch>,
    },
    Report {
        agent: AgentId,
        /// Under which lease, if the agent says so.
        epoch: Option<LeaseEpoch>,
        report: Report,
    },
    /// The holder asks a human: until then the lease must not run out.
    Await {
        agent: AgentId,
        /// The question's deadline.
        until: Timestamp,
        /// In which session they ask.
        session: Option<SessionId>,
    },
    /// The human's answer is there, or is needed no more: the lease runs on as after any sign of life, a task that the
    /// question had blocked goes on, and one that its asker holds no more has the answer for whoever takes it up.
    Resume {
        agent: AgentId,
        /// What they asked.
        question: QuestionId,
        /// What was answered, where anybody did.
        answer: Option<Comment>,
    },
    /// The holder hands its work to a reviewer.
    SubmitForReview {
        agent: AgentId,
        /// Under which lease, if the agent says so.
        epoch: Option<LeaseEpoch>,
        /// What it says.
        message: KeptText,
        diff: Option<KeptText>,
        artifacts: Vec<Artifact>,
        /// What the review keeps beside it.
        submission: Box<Submission>,
    },
    /// The holder takes its work back from the reviewer, and goes on with it.
    TakeBack {
        agent: AgentId,
        /// Under which lease, if the agent says so.
        epoch: Option<LeaseEpoch>,
    },
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
    /// A reviewer comments on the change, without a verdict. The worker hears it.
    Discuss {
        /// It. One with `reply_to` stands in the thread of that comment.
        comment: Comment,
        /// Of which side of the diff its line is.
        side: Side,
    },
    /// Somebody settles a thread.
    Resolve {
        comment: CommentId,
        response: Option<String>,
    },
    /// The asker answers a BLOCKED task.
    Answer {
        authority: Authority,
        answer: Comment,
    },
    DependencyMoved {
        task: TaskId,
        /// How it stands.
        now: Dependency,
    },
    /// Call it off.
    Cancel {
        authority: Authority,
        reason: Option<String>,
    },
    /// By hand: FAILED or TIMEOUT back to QUEUED.
    Retry,
    /// By hand: a dead letter back to QUEUED, with its attempts counted anew.
    Requeue,
    /// By hand: for another target.
    Reassign {
        /// For whom now.
        target: Target,
    },
    /// By hand: other words, or more or less urgent.
    Edit {
        edit: Box<TaskEdit>,
    },
    /// A remark. The holder and the asker hear it, except who wrote it.
    Remark {
        comment: Comment,
        /// The work item outside on which it is to stand, too.
        posted_to: Option<WorkItem>,
    },
    /// What this login had approved on the forge was dismissed there.
    Dismiss {
        login: String,
    },
    /// A slot has the offer, and its host is about to start a process for it.
    StartRun {
        run: Box<NewRun>,
    },
    /// The client said how it calls the conversation of this run.
    NameConversation {
        run: RunId,
        conversation: String,
    },
    /// The agent of this run said that its account is at a limit. The process is stopped; its account follows.
    LimitRun {
        run: RunId,
        limited: Limited,
    },
    /// A run that waits gets its next process.
    ResumeRun {
        run: RunId,
    },
    EndRun {
        run: RunId,
        exit: Box<RunExit>,
    },
    /// The hub's clock leapt over the end of its lease or offer, and whoever has it may have slept meanwhile: it
    /// has until then.
    GiveGrace {
        until: Timestamp,
    },
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
}

/// Why an offer or a lease came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReturnReason {
    /// Nobody was waiting any more when it arrived.
    NobodyWaiting,
    /// It goes on to the agent of this task alone.
    PassedOn,
    /// The connection died before the offer was written out.
    ConnectionLost,
    /// `ackBy` passed.
    NotAcknowledged,
    Evicted,
    /// The agent's token was revoked.
    Revoked,
    /// The agent's account is at its limit.
    Limited,
    /// The process of the agent was stopped, or its host is gone.
    Killed,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Which way it goes.
    pub kind: ReportKind,
    /// What it says.
    pub message: KeptText,
    pub diff: Option<KeptText>,
    pub artifacts: Vec<Artifact>,
    /// Proof, as it was given.
    pub evidence: Option<Value>,
    /// The work item outside on which a completion is to stand, too.
    pub posted_to: Option<WorkItem>,
}

/// Which way a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportKind {
    /// Going on; renews the lease.
    Progress {
        /// The name of the present phase.
        phase: Option<String>,
        /// 0 to 100.
        percent: Option<u8>,
    },
    Completed,
    /// Needs an answer.
    Blocked {
        /// What is needed.
        reason: String,
        /// The question that only a person answers, where it is one.
        question: Option<QuestionId>,
    },
    Failed,
}

/// What comes with each command: who caused it, and ids for what it may bring forth. Ids are minted outside, since the
/// heart makes none; which of them are used does not matter.
#[derive(Debug, Clone)]
pub struct Cause {
    /// Who and where.
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
    /// The state that this report leads to.
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
        }
    }
}
