//! What may be said to the dispatcher.

use std::collections::BTreeMap;
use std::sync::Arc;

use ractor::RpcReplyPort;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use tracing::Span;

use super::agent_handle::{AgentHandle, AgentHoldings};
use super::overview::Overview;
use crate::actors::agent::{AgentRef, Profile};
use crate::actors::common::{ActorView, Fault};
use crate::actors::task::{ActError, TaskBirth, TaskReceipt, TaskRef, TaskSummary};
use crate::domain::agent::{Agent, Departure, Notice};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::principal::By;
use crate::domain::routing::Roster;
use crate::domain::task::{Dependency, Origin, Priority, RightsSet, Target, TaskSpec, Workspace};
use crate::domain::text::Sanitized;
use crate::domain::time::{Millis, Timestamp};
use crate::journal::IdempotencyKey;

#[derive(Debug)]
pub enum DispatcherMessage {
    Assign {
        request: Box<AssignRequest>,
        /// Its dependencies, which were judged already, and how each stood a moment ago.
        dependencies: BTreeMap<TaskId, Dependency>,
        span: Span,
        /// Where the receipt goes once the task is on disk; the task answers, with the [`AssignReceipt`] as its note.
        reply: RpcReplyPort<Result<TaskReceipt, ActError>>,
    },
    Agent {
        id: AgentId,
        reply: RpcReplyPort<Option<AgentHandle>>,
    },
    /// A line to an agent, which is built when nobody of that name is there yet.
    Hire {
        agent: Box<Agent>,
        reply: RpcReplyPort<Option<AgentHandle>>,
    },
    /// A line to an open task; none when it is closed or unknown.
    Task {
        id: TaskId,
        reply: RpcReplyPort<Option<TaskRef>>,
    },
    /// A line to a task that was read from the store, built for an order that may reopen it.
    Reopen {
        task: TaskBirth,
        reply: RpcReplyPort<TaskRef>,
    },
    Agents {
        reply: RpcReplyPort<Vec<AgentHandle>>,
    },
    Holdings {
        reply: RpcReplyPort<Vec<AgentHoldings>>,
    },
    Roster {
        reply: RpcReplyPort<Arc<Roster>>,
    },
    Starving {
        reply: RpcReplyPort<Vec<(TaskId, bool)>>,
    },
    Why {
        id: TaskId,
        reply: RpcReplyPort<Option<Why>>,
    },
    Counts {
        reply: RpcReplyPort<QueueCounts>,
    },
    Overview {
        reply: RpcReplyPort<Overview>,
    },
    /// For whom a task would be, read as `assign_task` reads it; what a taker must be able to do stays.
    Retarget {
        id: TaskId,
        target: String,
        rights: RightsSet,
        reply: RpcReplyPort<Result<Target, AssignRefusal>>,
    },
    /// A task tells how it stands.
    TaskMoved {
        summary: Box<TaskSummary>,
        task: TaskRef,
        offered: bool,
        notices: Vec<(AgentId, Notice)>,
    },
    /// A task never began.
    TaskGone {
        id: TaskId,
    },
    AgentMoved {
        /// Who; none before it registers.
        profile: Option<Arc<Profile>>,
        id: AgentId,
        waiting_since: Option<Timestamp>,
        only: Option<TaskId>,
        held: usize,
        last_seen: Option<Timestamp>,
        evicted: bool,
        departed: Option<Departure>,
        nudged: Option<Timestamp>,
    },
    Notice {
        agent: AgentId,
        notice: Notice,
    },
    /// A task goes on, for the agent that asked for it to hear with its next call.
    Progressed {
        agent: AgentId,
        task: TaskId,
        notice: Notice,
    },
    /// An agent waits again and has not acknowledged this offer: offer it again.
    Reoffer {
        agent: AgentId,
        task: TaskId,
    },
    /// An agent was built: it must hear what it holds.
    AgentBuilt {
        id: AgentId,
        agent: AgentRef,
    },
    /// Lines to what was built before the dispatcher was.
    Adopt {
        agents: Vec<(AgentId, AgentRef)>,
        tasks: Vec<(TaskId, TaskRef)>,
    },
    Reloaded,
    Drain,
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

/// Work to be handed out.
#[derive(Debug, Clone)]
pub struct AssignRequest {
    pub asker: Asker,
    pub target: String,
    pub capabilities: std::collections::BTreeSet<String>,
    /// The text for the agent; cleaned, at most 64 KiB.
    pub prompt: String,
    pub title: Option<String>,
    pub spec: Option<String>,
    pub context: Option<Value>,
    pub priority: Priority,
    /// Tasks that must be COMPLETED first, as given.
    pub dependencies: Vec<String>,
    pub workspace: Option<Workspace>,
    pub ttl: Option<Millis>,
    pub worktree: Option<bool>,
    pub key: Option<IdempotencyKey>,
    pub request: Option<String>,
    /// What was dropped from its texts; none when nothing was.
    pub sanitized: Option<Sanitized>,
    /// The task because of whose end it is asked for: the chain goes on from there.
    pub after: Option<Arc<TaskSpec>>,
}

/// Who asks for work to be done.
#[derive(Debug, Clone)]
pub struct Asker {
    pub by: By,
    /// How the agent sees it: `from`.
    pub origin: Origin,
    /// Whom they may assign to: by `people.yaml` for a person, by registration for an agent.
    pub rights: RightsSet,
    /// When an agent asks: who it is. The chain goes on from what it holds.
    pub agent: Option<AgentId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssignReceipt {
    pub task_id: TaskId,
    /// Whether it waits in a queue; false when it was offered at once.
    pub queued: bool,
    /// Its place in that queue, from 1.
    pub position: Option<usize>,
    /// For whom it is.
    pub target: String,
    /// Whether anybody registered could ever take it.
    pub reachable: bool,
    pub message: String,
}

/// A no to an `assign`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct AssignRefusal {
    /// The stable code: `TARGET_UNKNOWN`, `DELEGATION_DENIED`, `DELEGATION_TOO_DEEP`, `DELEGATION_CYCLE`,
    /// `NOT_PERMITTED`, `DEPENDENCY_UNKNOWN`, `DEPENDENCY_FAILED`, `DEPENDENCY_CYCLE`, `QUEUE_FULL`, `TASK_NOT_FOUND`.
    pub code: &'static str,
    pub message: String,
    /// What to do instead, where more is known than the code says.
    pub advice: Option<&'static str>,
    /// Of `TARGET_UNKNOWN`: names that may have been meant.
    pub nearest: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Error)]
pub enum AssignError {
    #[error(transparent)]
    Refused(#[from] AssignRefusal),
    /// The key was used before for the same request: here is what was answered then.
    #[error("this idempotency key was used before")]
    Repeated(Box<AssignReceipt>),
    /// The task itself came to nothing.
    #[error(transparent)]
    Act(ActError),
}

impl From<ActError> for AssignError {
    fn from(error: ActError) -> Self {
        match error {
            ActError::Declined(refusal) => Self::Refused(refusal),
            ActError::Refused(_)
            | ActError::Review(_)
            | ActError::Repeated(_)
            | ActError::KeyReused
            | ActError::Moved(_)
            | ActError::ChangedHands(_)
            | ActError::Fault(_) => Self::Act(error),
        }
    }
}

impl From<Fault> for AssignError {
    fn from(fault: Fault) -> Self {
        Self::Act(ActError::Fault(fault))
    }
}

/// `GET /api/v1/tasks/{id}/why`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Why {
    pub task_id: String,
    pub state: String,
    /// In one sentence: what it waits for.
    pub summary: String,
    /// Its place in its queue, from 1, while it is QUEUED.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// Whether anybody registered could ever take it.
    pub reachable: bool,
    /// Each agent, by id, and why it is or is not eligible.
    pub agents: Vec<WhyAgent>,
}

/// One agent's line in [`Why`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyAgent {
    pub agent_id: String,
    /// Whether it could take the task now.
    pub eligible: bool,
    /// Why, or why not; each reason a fragment.
    pub reasons: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueCounts {
    pub queued: usize,
    pub open: usize,
    pub waiting: usize,
    pub agents: usize,
    pub by_target: BTreeMap<String, usize>,
}
