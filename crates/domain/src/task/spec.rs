//! What a task is, apart from its life: who asked what of whom, and under which terms.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kept_text::KeptText;
pub use super::priority::Priority;
use crate::ids::{AgentId, CommentId, PrincipalId, RoleId, SessionId, TaskId};
use crate::principal::Surface;
use crate::text::Sanitized;
use crate::time::{Millis, Timestamp};

/// Who may take a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Target {
    pub who: TargetWho,
    /// What the taker must be able to do, each of them.
    pub capabilities: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "name", rename_all = "lowercase")]
pub enum TargetWho {
    /// This agent and no other.
    Agent(AgentId),
    Role(RoleId),
    /// Whoever has the capabilities.
    Any,
}

impl fmt::Display for Target {
    /// As `assign_task` takes it: `fullstack-1`, `role:test-engineer`, `any`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.who {
            TargetWho::Agent(agent) => agent.fmt(f),
            TargetWho::Role(role) => write!(f, "role:{role}"),
            TargetWho::Any => f.write_str("any"),
        }
    }
}

/// By which way somebody came to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OriginKind {
    /// Another agent, by `assign_task`.
    Agent,
    /// A person on Discord.
    Discord,
    /// A person at a terminal.
    Cli,
    /// A person on the web page.
    Page,
    /// A program, over plain HTTP.
    Api,
    /// A workflow prompt.
    Workflow,
    /// A schedule, in the name of who made it.
    Schedule,
    /// The hub itself, at a deadline. Causes notices and never asks for work.
    Hub,
}

impl OriginKind {
    /// The way that leads through this surface, for who is no agent.
    pub const fn of(surface: Surface) -> Self {
        match surface {
            Surface::Agent => Self::Agent,
            Surface::Discord => Self::Discord,
            Surface::Page => Self::Page,
            Surface::Cli => Self::Cli,
            Surface::Api | Surface::Tracker => Self::Api,
            Surface::Workflow => Self::Workflow,
            Surface::Timer | Surface::Hub => Self::Hub,
        }
    }
}

/// Who asked: `from`, and each link of `via`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// By which way.
    pub kind: OriginKind,
    /// The agent's id, or the principal's.
    pub id: String,
    /// How people call them.
    pub display_name: String,
}

impl Origin {
    /// The hub itself, where a deadline causes something.
    pub fn hub() -> Self {
        Self { kind: OriginKind::Hub, id: "hub".to_owned(), display_name: "callboard".to_owned() }
    }
}

/// Whom a holder may delegate to. Along a chain the sets are intersected, so rights never grow (D1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "names", rename_all = "lowercase")]
pub enum RightsSet {
    /// Everybody: written `*`.
    All,
    /// These roles and agents; empty: nobody.
    Only(BTreeSet<String>),
}

impl Default for RightsSet {
    fn default() -> Self {
        Self::none()
    }
}

/// Where the work lies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workspace {
    /// The repository, as `owner/name` or a path.
    pub repo: String,
    /// The branch to work on or from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The folder inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What happens when a lease's time to live is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// The next attempt, for the same target.
    #[default]
    Retry,
    /// To whom the role reports.
    Escalate,
    /// Stays TIMEOUT until somebody acts.
    Hold,
}

/// The terms under which one agent is offered one task, from the task itself and the agent's role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseTerms {
    /// How long a lease lives without a sign of progress.
    pub ttl: Millis,
    /// How long an offer waits for its acknowledgement.
    pub ack_within: Millis,
    /// How many leases may run out before the task is a dead letter.
    pub max_attempts: u32,
    /// How long a task that came back is kept for its last holder.
    pub last_holder_hold: Millis,
    pub on_timeout: OnTimeout,
    /// Whom the role reports to; where `on_timeout` escalates.
    pub escalate_to: Option<Target>,
    /// Whether the text asks for a git worktree and the completion for its clean-up.
    pub worktree: bool,
    /// The role of the agent, for the name of the branch.
    pub role: RoleId,
    /// The session that follows the task while the agent has it; none in leases older than that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// What is asked. A reassignment changes the target; until somebody takes it up, an edit changes its words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskSpec {
    pub id: TaskId,
    pub title: Option<String>,
    pub prompt: String,
    /// Whatever the asker added; handed on as it came.
    pub context: Option<Value>,
    pub spec: Option<String>,
    pub target: Target,
    pub priority: Priority,
    pub from: Origin,
    /// The principal behind `from`: may cancel and answer.
    pub asker: PrincipalId,
    /// The delegation chain, from the human or service that began it down to the asker's asker.
    pub via: Vec<Origin>,
    /// The task in whose course an agent asked for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// How many times the work was delegated from agent to agent; 0 for a human's own request.
    pub depth: u32,
    pub rights: RightsSet,
    /// Agents of the chain, who may not get their own work back.
    pub excluded: BTreeSet<AgentId>,
    pub dependencies: Vec<TaskId>,
    pub workspace: Option<Workspace>,
    /// A time to live of its own, over the role's.
    pub ttl: Option<Millis>,
    /// Whether a worktree is wanted, over the role's.
    pub worktree: Option<bool>,
    pub created_at: Timestamp,
    /// What was dropped from its texts; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskEdit {
    pub title: Option<String>,
    pub prompt: Option<String>,
    pub priority: Option<Priority>,
    pub sanitized: Option<Sanitized>,
    /// When the words were written, where that is not now: they count unless newer ones are there.
    pub written: Option<Timestamp>,
}

impl TaskSpec {
    /// The agent that asked, if one did: it may answer and cancel, and hears how the task goes.
    pub fn asking_agent(&self) -> Option<AgentId> {
        self.asker.as_str().strip_prefix("agent:").and_then(|id| AgentId::parse(id).ok())
    }
}

/// What came out of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Artifact {
    /// What sort of thing.
    pub kind: ArtifactKind,
    /// Where it can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where it lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Itself, when it is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A line about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The sort of an [`Artifact`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each name says it")]
pub enum ArtifactKind {
    Pr,
    Branch,
    File,
    Report,
    TestReport,
    Build,
    Diff,
    Other,
}

/// Where the work stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// What the agent says.
    pub message: String,
    /// The name of the present phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// When it said so.
    pub at: Timestamp,
}

impl Progress {
    /// It as one text: `40 %, tests: message`.
    pub fn in_words(&self) -> String {
        let percent = self.percent.map(|percent| format!("{percent} %"));
        let standing: Vec<String> = percent.into_iter().chain(self.phase.clone()).collect();
        if standing.is_empty() { self.message.clone() } else { format!("{}: {}", standing.join(", "), self.message) }
    }
}

/// A remark on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    pub id: CommentId,
    /// What it is to the task.
    pub kind: CommentKind,
    /// Who wrote it.
    pub from: Origin,
    pub text: String,
    /// The file it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The comment it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<CommentId>,
    /// What was dropped from the text; none when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
    pub at: Timestamp,
}

impl Comment {
    /// On the whole task, in nobody's answer, as it was given.
    pub const fn new(id: CommentId, kind: CommentKind, from: Origin, text: String, at: Timestamp) -> Self {
        Self { id, kind, from, text, file: None, line: None, reply_to: None, sanitized: None, at }
    }
}

/// What a [`Comment`] is to the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentKind {
    /// A remark that asks for nothing.
    Note,
    /// The answer to a BLOCKED task.
    Answer,
    /// A reviewer's wish.
    Review,
    /// A reviewer's agreement.
    Approval,
}

/// How a task stands to one it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Dependency {
    /// It is not closed yet.
    Pending,
    /// COMPLETED, with this result.
    Met { message: KeptText, artifacts: Vec<Artifact> },
    /// FAILED, CANCELLED or DEAD_LETTER: the dependent is BLOCKED until it completes after all, or is cancelled.
    Failed { state: super::TaskStateName },
}
