//! What happened to a task, as the journal keeps it. It says all that `apply` needs, without settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command::ReturnReason;
use super::kept_text::KeptText;
use super::run::{BudgetNews, Limited, ProcessExit, RunEnd, RunWaitsFor};
use super::spec::{Artifact, Comment, Dependency, LeaseTerms, OnTimeout, Priority, Target, TaskSpec};
use super::state::HeldFor;
use crate::ids::{AgentId, LeaseEpoch, QuestionId, RoleId, RunId, SessionId, TaskId};
use crate::text::Sanitized;
use crate::time::Timestamp;
use crate::work_item::WorkItem;

/// What happened. The moment stands beside it in the journal's entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the fields are those of the state they lead to; see `TaskState`")]
pub enum TaskRecord {
    /// It exists; QUEUED, or BLOCKED while a dependency is not met.
    Created { spec: Arc<TaskSpec>, dependencies: BTreeMap<TaskId, Dependency> },
    /// It was handed to an agent that waits.
    Offered { agent: AgentId, epoch: LeaseEpoch, terms: LeaseTerms, ack_by: Timestamp },
    /// Nobody took the offer: QUEUED again.
    OfferReturned { agent: AgentId, epoch: LeaseEpoch, why: ReturnReason, held_for: Option<HeldFor> },
    /// The agent has it. Also when its last holder comes back late and nobody else holds it.
    Acknowledged { agent: AgentId, epoch: LeaseEpoch, terms: LeaseTerms, expires_at: Timestamp },
    Progressed {
        agent: AgentId,
        message: String,
        phase: Option<String>,
        percent: Option<u8>,
        diff: Option<KeptText>,
        artifacts: Vec<Artifact>,
        evidence: Option<Value>,
        expires_at: Timestamp,
    },
    /// Its holder waits for a human, or has the answer: the lease ends then and not before.
    LeaseExtended {
        agent: AgentId,
        epoch: LeaseEpoch,
        expires_at: Timestamp,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_in: Option<SessionId>,
    },
    /// The hub's clock leapt over the end of its lease or offer: it ends then instead.
    GraceGiven { agent: AgentId, epoch: LeaseEpoch, until: Timestamp },
    Completed {
        agent: AgentId,
        message: KeptText,
        diff: Option<KeptText>,
        artifacts: Vec<Artifact>,
        evidence: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        posted_to: Option<WorkItem>,
    },
    Failed {
        agent: AgentId,
        message: KeptText,
        diff: Option<KeptText>,
        artifacts: Vec<Artifact>,
        evidence: Option<Value>,
    },
    Blocked {
        agent: AgentId,
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
        message: KeptText,
        diff: Option<KeptText>,
        artifacts: Vec<Artifact>,
        evidence: Option<Value>,
    },
    /// The work was handed in: IN_REVIEW.
    Submitted { agent: AgentId, message: KeptText, diff: Option<KeptText>, artifacts: Vec<Artifact> },
    /// A reviewer agreed. With a word for who is to merge and complete it: it stays IN_REVIEW. Without one: COMPLETED.
    Approved { message: Option<String>, word: Option<Comment> },
    /// A reviewer wants changes: QUEUED for the last holder.
    ChangesRequested { comments: Vec<Comment>, held_for: Option<HeldFor> },
    /// The asker answered: QUEUED for the last holder.
    Answered { answer: Comment, held_for: Option<HeldFor> },
    /// A dependency moved; when all are met, QUEUED.
    DependencyMoved { task: TaskId, now: Dependency },
    /// The lease ran out; what follows is a record of its own.
    TimedOut { agent: AgentId, epoch: LeaseEpoch, policy: OnTimeout },
    /// The holder is gone for good; the lease came back.
    Released { agent: AgentId, epoch: LeaseEpoch, why: ReturnReason },
    /// Back in the queue, by policy or by hand; a dead letter's attempts are counted anew.
    Requeued { count_anew: bool, held_for: Option<HeldFor> },
    /// Now for somebody else; back in the queue unless a dependency is not met. By hand it takes the task away from
    /// who held it; by policy (`escalated`) the last holder may still answer late.
    Reassigned { target: Target, escalated: bool },
    /// Other words, before anybody took it up; what stays is left out.
    Edited {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sanitized: Option<Sanitized>,
        /// When they were written, where that was earlier.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        written: Option<Timestamp>,
    },
    /// It is more or less urgent than before.
    Prioritised { priority: Priority },
    /// Every attempt was used up.
    DeadLettered { reason: String },
    /// It was called off.
    Cancelled { reason: Option<String> },
    /// Somebody remarked on it; what an agent posts stands on a work item outside, too.
    Remarked {
        comment: Comment,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        posted_to: Option<WorkItem>,
    },
    /// A slot has the offer, and a process is asked for.
    #[serde(rename = "started")]
    RunStarted {
        run: RunId,
        agent: AgentId,
        host: String,
        client: String,
        epoch: LeaseEpoch,
        #[serde(default)]
        resumes: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slot: Option<AgentId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<RoleId>,
    },
    #[serde(rename = "conversation")]
    RunConversation { run: RunId, agent: AgentId, id: String },
    /// The process ended while something is open that the run goes on with.
    #[serde(rename = "waiting")]
    RunWaiting { run: RunId, agent: AgentId, on: RunWaitsFor, process: Box<ProcessExit> },
    #[serde(rename = "resumed")]
    RunResumed {
        run: RunId,
        agent: AgentId,
        epoch: LeaseEpoch,
        process: u32,
        /// The host that goes on with it; none for the one that it had.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<String>,
    },
    #[serde(rename = "limited")]
    RunLimited { run: RunId, agent: AgentId, limited: Limited },
    /// How the task stands to its budget once a process ended; what people are told of it stands before this.
    #[serde(rename = "budget")]
    RunBudget { run: RunId, agent: AgentId, level: BudgetNews, told: String },
    /// A run is over; or, where it was before, how its process ended. Where the attempt fails with it, what the policy
    /// makes of that follows in the same append.
    #[serde(rename = "ended")]
    RunEnded {
        run: RunId,
        agent: AgentId,
        reason: RunEnd,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        process: Option<Box<ProcessExit>>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        fails: bool,
    },
}

impl TaskRecord {
    /// The agent that it names as the one who did it, or to whom it was done.
    pub const fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Offered { agent, .. }
            | Self::OfferReturned { agent, .. }
            | Self::Acknowledged { agent, .. }
            | Self::Progressed { agent, .. }
            | Self::LeaseExtended { agent, .. }
            | Self::GraceGiven { agent, .. }
            | Self::Completed { agent, .. }
            | Self::Failed { agent, .. }
            | Self::Blocked { agent, .. }
            | Self::Submitted { agent, .. }
            | Self::TimedOut { agent, .. }
            | Self::Released { agent, .. }
            | Self::RunStarted { agent, .. }
            | Self::RunConversation { agent, .. }
            | Self::RunWaiting { agent, .. }
            | Self::RunResumed { agent, .. }
            | Self::RunLimited { agent, .. }
            | Self::RunBudget { agent, .. }
            | Self::RunEnded { agent, .. } => Some(agent),
            Self::Created { .. }
            | Self::Approved { .. }
            | Self::ChangesRequested { .. }
            | Self::Answered { .. }
            | Self::DependencyMoved { .. }
            | Self::Requeued { .. }
            | Self::Reassigned { .. }
            | Self::Edited { .. }
            | Self::Prioritised { .. }
            | Self::DeadLettered { .. }
            | Self::Cancelled { .. }
            | Self::Remarked { .. } => None,
        }
    }
}
