//! One thing that needs a person.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PrincipalId, RoleId};
use crate::names::names;
use crate::task::Priority;
use crate::text::Sanitized;
use crate::time::Timestamp;

/// One thing that needs a person, as `/api/v1/inbox` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboxItem {
    /// Its name, as actions take it: `review:ID`.
    pub id: String,
    /// What sort of thing.
    pub kind: InboxKind,
    /// A line about it.
    pub title: String,
    /// Why it needs somebody, in a sentence.
    pub reason: String,
    /// The task that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The run of a workflow that it is about, or that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The agent's role; for rights, not for show.
    #[serde(skip)]
    pub role: Option<RoleId>,
    /// The one person that it is for; for rights, not for show. None: whoever may.
    #[serde(skip)]
    pub owner: Option<PrincipalId>,
    pub since: Timestamp,
    /// When something happens by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// What happens then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// What may be answered; free words when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Whether it never goes on by itself, because that could do harm.
    #[serde(default)]
    pub dangerous: bool,
    /// How urgent the work is.
    pub priority: Priority,
    /// What waiting costs.
    pub cost: InboxCost,
    /// What can be done about it.
    pub actions: Vec<InboxAction>,
    /// What was dropped from the texts that it shows; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

/// The sort of an [`InboxItem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InboxKind {
    /// An agent asks.
    Question,
    /// A program in an agent's terminal waits for its user.
    InputPrompt,
    /// Work is to be judged.
    Review,
    /// A task cannot go on.
    Blocked,
    /// A task ran out of time, and policy holds it.
    Timeout,
    /// Whoever works on a task, or is to merge what was approved, is gone; or nobody takes it.
    Stranded,
    /// Every attempt of a task ran out.
    DeadLetter,
    /// An agent that is not there has something to hear.
    Undelivered,
    /// Something could not be delivered to the outside.
    DeadDelivery,
    /// The rest of a workflow is a person's to do.
    Workflow,
    /// A host has paused a slot whose runs end at once.
    OnCall,
}

/// What can be done about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InboxAction {
    /// Answer it, with `value`.
    Answer,
    /// Approve it, with `value` or without.
    Approve,
    /// Send it back, with `value` as what is to change.
    RequestChanges,
    /// The next attempt, of a task or of a delivery.
    Retry,
    /// Back from the dead letters.
    Requeue,
    /// For another target: `value`.
    Reassign,
    /// Call it off, with `value` as the reason.
    Cancel,
    /// Drop a delivery without sending it, with `value` as the reason.
    Drop,
}

/// What waiting costs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboxCost {
    /// Who waits: agents and people, by id.
    pub waits: Vec<String>,
    /// How many tasks stand still behind it.
    pub stands_still: usize,
}

names!(InboxKind {
    Question = "question", InputPrompt = "input_prompt", Review = "review", Blocked = "blocked", Timeout = "timeout",
    Stranded = "stranded", DeadLetter = "dead_letter", Undelivered = "undelivered", DeadDelivery = "dead_delivery",
    Workflow = "workflow", OnCall = "on_call",
});

impl InboxItem {
    /// One that nobody waits for and nothing can be done about; `name` tells it from others of its kind.
    pub(super) fn new(kind: InboxKind, name: impl fmt::Display, since: Timestamp) -> Self {
        Self {
            id: format!("{kind}:{name}"),
            kind,
            title: String::new(),
            reason: String::new(),
            task_id: None,
            workflow_id: None,
            agent_id: None,
            session_id: None,
            role: None,
            owner: None,
            since,
            deadline: None,
            then: None,
            options: Vec::new(),
            dangerous: false,
            priority: Priority::Normal,
            cost: InboxCost::default(),
            actions: Vec::new(),
            sanitized: None,
        }
    }
}

impl InboxCost {
    /// How many stand still, people and agents and tasks alike.
    pub fn weight(&self) -> usize {
        self.waits.len() + self.stands_still
    }
}
