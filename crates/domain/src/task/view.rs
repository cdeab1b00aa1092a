//! What others may see of a task: the body of `/api/v1/tasks/{id}`.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kept_text::KeptText;
use super::run::{RunView, Usage};
use super::spec::{Artifact, Comment, Origin, Priority, Progress, Workspace};
use super::state::{Attempt, AttemptOutcome, Task, TaskState, TaskStateName};
use crate::pull::PullView;
use crate::text::Sanitized;
use crate::time::Timestamp;

/// The most comments of one task in a list of tasks.
const LISTED_COMMENTS: usize = 5;

/// A task, as everybody with the right to see it sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    pub task_id: String,
    /// A line for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text that the agent reads.
    pub prompt: String,
    /// Where it is in its life.
    pub state: TaskStateName,
    /// Who may take it: `fullstack-1`, `role:test-engineer`, `any`.
    pub target: String,
    /// What the taker must be able to do.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub capabilities: BTreeSet<String>,
    pub priority: Priority,
    /// Who asked for it.
    pub from: Origin,
    /// The delegation chain, from who began it down to the asker's asker.
    pub via: Vec<Origin>,
    /// Whatever the asker added; `null` when nothing.
    pub context: Option<Value>,
    /// Tasks that must be COMPLETED first, by id.
    pub dependencies: Vec<String>,
    /// Where the work lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Workspace>,
    /// The offer or the lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    /// The number of the attempt that runs or comes next; once it ended, of the last one.
    pub attempt: u32,
    /// Each lease so far, oldest first.
    pub attempts: Vec<AttemptView>,
    /// What hosts on call did for it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunView>,
    /// What all its runs used; absent where no process of a run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What came out of all attempts.
    pub artifacts: Vec<Artifact>,
    /// What was opened on the forge for its sake, the newest first; filled from the sessions by whoever renders it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pull_requests: Vec<PullView>,
    /// What happened to it, oldest first; filled from the journal by whoever renders it.
    pub history: Vec<HistoryItem>,
    /// Remarks, answers, reviewers' wishes, oldest first: of many the newest; all by `/tasks/{id}/comments`.
    pub comments: Vec<Comment>,
    /// How many there are.
    #[serde(default)]
    pub comment_count: usize,
    /// When it was created.
    pub created_at: Timestamp,
    /// When anything last happened to it.
    pub updated_at: Timestamp,
    /// When its state ends by itself, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<DeadlineView>,
    /// Who must act, where there is no deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Why it is BLOCKED, CANCELLED or a dead letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The newest report of progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// What was dropped from the asker's texts; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

/// An offer (`ackBy`) or a lease (`expiresAt`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaseView {
    pub agent_id: String,
    pub epoch: u64,
    /// When the offer lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_by: Option<Timestamp>,
    /// When the lease runs out unless renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// One lease, from its acknowledgement to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttemptView {
    /// Which attempt it is, counted from 1.
    pub number: u32,
    pub agent_id: String,
    /// Under which number.
    pub epoch: u64,
    /// When it was acknowledged.
    pub started_at: Timestamp,
    /// When it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// What the agent reported at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where the whole message lies, when it is too long to stand here: then `message` is its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_blob: Option<String>,
    /// What the agent needed, when it ended BLOCKED.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<String>,
    /// The change, as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Where the whole diff lies, when it is too long to stand here: then `diff` is its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_blob: Option<String>,
    /// What came out.
    pub artifacts: Vec<Artifact>,
    /// Proof, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
    /// What was dropped from the report; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

/// Something that happened to a task, as its history shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    /// Its place in the journal.
    pub seq: u64,
    pub at: Timestamp,
    /// What, as `task.offered`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who caused it: a principal.
    pub by: String,
    /// Where they acted.
    pub surface: String,
    /// The record's own fields.
    pub data: Value,
}

/// When a state ends by itself, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeadlineView {
    pub at: Timestamp,
    /// What happens then.
    pub reason: String,
}

impl TaskView {
    #[must_use]
    pub fn with_newest_comments(mut self, most: usize) -> Self {
        self.comments.drain(..self.comments.len().saturating_sub(most));
        self
    }
}

impl Task {
    /// How it looks from outside, with an empty history: that is the journal's to tell.
    pub fn view(&self) -> TaskView {
        let spec = &*self.spec;
        TaskView {
            task_id: spec.id.to_string(),
            title: spec.title.clone(),
            prompt: spec.prompt.clone(),
            state: self.name(),
            target: spec.target.to_string(),
            capabilities: spec.target.capabilities.clone(),
            priority: spec.priority,
            from: spec.from.clone(),
            via: spec.via.clone(),
            context: spec.context.clone(),
            dependencies: spec.dependencies.iter().map(ToString::to_string).collect(),
            workspace: spec.workspace.clone(),
            lease: self.lease_view(),
            attempt: self.attempt_shown(),
            attempts: self.attempts.iter().map(AttemptView::from).collect(),
            runs: self.runs.iter().map(RunView::from).collect(),
            usage: self.usage(),
            artifacts: self.artifacts(),
            pull_requests: Vec::new(),
            history: Vec::new(),
            comments: self.comments.clone(),
            comment_count: self.comments.len(),
            created_at: spec.created_at,
            updated_at: self.updated_at,
            deadline: self.next_deadline().map(|due| DeadlineView { at: due.at, reason: due.reason.to_owned() }),
            waits_for: self.waits_for().map(|who| who.to_string()),
            reason: self.reason(),
            progress: self.progress.clone(),
            sanitized: self.spec.sanitized.clone(),
        }
    }

    /// The same for a list of tasks, of many comments with the newest alone.
    pub fn listed(&self) -> TaskView {
        self.view().with_newest_comments(LISTED_COMMENTS)
    }

    fn lease_view(&self) -> Option<LeaseView> {
        let offered = self.offer().map(|offer| (&offer.agent, offer.epoch, Some(offer.ack_by), None));
        let leased = || self.lease().map(|lease| (&lease.agent, lease.epoch, None, Some(lease.expires_at)));
        let (agent, epoch, ack_by, expires_at) = offered.or_else(leased)?;
        Some(LeaseView { agent_id: agent.to_string(), epoch: epoch.0, ack_by, expires_at })
    }

    fn attempt_shown(&self) -> u32 {
        let ended = !self.is_open() || matches!(self.state, TaskState::Timeout { .. });
        let last = self.attempts.last().filter(|_| ended);
        last.map_or_else(|| self.attempt_number(), |attempt| attempt.number)
    }

    fn reason(&self) -> Option<String> {
        match &self.state {
            TaskState::Blocked { .. } => self.blocked_reason(),
            TaskState::Cancelled { reason, .. } => reason.clone(),
            TaskState::DeadLetter { reason, .. } => Some(reason.clone()),
            TaskState::Queued { .. }
            | TaskState::Assigned { .. }
            | TaskState::InProgress { .. }
            | TaskState::InReview { .. }
            | TaskState::Timeout { .. }
            | TaskState::Completed { .. }
            | TaskState::Failed { .. } => None,
        }
    }
}

impl From<&Attempt> for AttemptView {
    fn from(attempt: &Attempt) -> Self {
        Self {
            number: attempt.number,
            agent_id: attempt.agent.to_string(),
            epoch: attempt.epoch.0,
            started_at: attempt.started_at,
            ended_at: attempt.ended_at,
            outcome: attempt.outcome,
            message: attempt.message.as_ref().map(|text| text.head().to_owned()),
            message_blob: attempt.message.as_ref().and_then(blob_of),
            blocked_reason: attempt.blocked_reason.clone(),
            diff: attempt.diff.as_ref().map(|text| text.head().to_owned()),
            diff_blob: attempt.diff.as_ref().and_then(blob_of),
            artifacts: attempt.artifacts.clone(),
            evidence: attempt.evidence.clone(),
            sanitized: attempt.message.as_ref().and_then(KeptText::sanitized).cloned(),
        }
    }
}

fn blob_of(text: &KeptText) -> Option<String> {
    match text {
        KeptText::Inline { .. } => None,
        KeptText::Stored { blob, .. } => Some(blob.to_string()),
    }
}
