//! The state of a question; open or resolved, each with what only it can have.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::permission::Permission;
use crate::ids::{AgentId, PrincipalId, QuestionId, SessionId, TaskId};
use crate::names::names;
use crate::principal::Surface;
use crate::text::Sanitized;
use crate::time::Timestamp;
use crate::work_item::WorkItem;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What was asked; never changes.
    pub spec: QuestionSpec,
    pub state: QuestionState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionSpec {
    pub id: QuestionId,
    pub session_id: SessionId,
    pub agent_id: AgentId,
    pub task_id: Option<TaskId>,
    /// The work item that its session was linked to: people are asked there, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<WorkItem>,
    pub kind: QuestionKind,
    /// The text, at most [`LIMITS`](super::LIMITS)`.question` bytes.
    pub question: String,
    /// What may be answered; empty: any text.
    pub options: Vec<String>,
    /// What the agent does when nobody answers; one of the options where there are any.
    pub default_action: String,
    /// For which call of a tool leave is asked; of [`QuestionKind::Permission`] alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Box<Permission>>,
    /// Why its default never applies by itself; none when it may.
    pub danger: Option<Danger>,
    /// Whether an answer may be another text than the options.
    pub allow_free_text: bool,
    pub asked_at: Timestamp,
    pub expires_at: Timestamp,
    /// When people are reminded, in percent of its time gone, ascending.
    pub reminders: Vec<u8>,
    /// What was dropped from its texts; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

/// Why the default of a question never applies by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Danger {
    /// Its asker says so.
    Declared,
    /// It asks for leave, and leave is given by people.
    Approval,
    /// Its words say so.
    Found { words: String },
    /// Its default acts, and nothing says that acting is harmless.
    Acts,
}

/// What sort of question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// Which way to go.
    #[default]
    Decision,
    /// Whether something may be done: never answered by a deadline.
    Approval,
    /// What the agent cannot know.
    Information,
    /// Whether a client may make one call of a tool: see [`permission`](super::permission).
    Permission,
    /// The hub's own: whether a task, or a role for today, goes on that has used up its budget.
    Budget,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum QuestionState {
    Open {
        /// How many of its reminders are over.
        reminded: usize,
        /// When its deadline passed; only for one whose default is dangerous.
        overdue_at: Option<Timestamp>,
    },
    Resolved {
        resolution: Box<Resolution>,
        /// What came later, oldest first.
        late_answers: Vec<LateAnswer>,
        /// Whether the agent has heard.
        delivery: Delivery,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        way: Option<AnswerRoute>,
        /// Of leave: whether a call took it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        used: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    #[serde(rename = "type")]
    pub kind: ResolutionType,
    /// What the agent is to act on: the answer, or the default; empty where there is none.
    pub value: String,
    pub by: Answerer,
    pub at: Timestamp,
}

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionType {
    /// A person gave it.
    Human,
    /// Nobody did, and the declared default applies.
    Timeout,
    /// The agent withdrew the question, or a person did in its place.
    Cancelled,
    /// Nobody needs the answer any more: the work it was asked for went on without it, or ended.
    Superseded,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answerer {
    pub principal: PrincipalId,
    pub display_name: String,
    pub surface: Surface,
}

/// An answer that came after the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateAnswer {
    pub value: String,
    pub by: Answerer,
    pub at: Timestamp,
}

/// Whether the agent has heard the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// It is not known to have left the hub.
    #[default]
    Undelivered,
    /// It left with a result that was written out.
    Delivered,
    /// The agent's next call showed that it arrived.
    Acknowledged,
    /// It reaches nobody any more: its agent's last token was revoked.
    Undeliverable,
}

/// By which way an answer goes to its agent: the first of these that works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRoute {
    /// Its open wait.
    Wait,
    /// The result of another call.
    Result,
    /// The terminal that it works in.
    Terminal,
}

impl Question {
    pub const fn asked(spec: QuestionSpec) -> Self {
        Self { spec, state: QuestionState::Open { reminded: 0, overdue_at: None } }
    }

    pub const fn is_open(&self) -> bool {
        matches!(self.state, QuestionState::Open { .. })
    }

    /// Whether its deadline passed and its default is too dangerous to apply.
    pub const fn is_overdue(&self) -> bool {
        matches!(self.state, QuestionState::Open { overdue_at: Some(_), .. })
    }

    /// Whether this is the agent that asked.
    pub fn is_of(&self, by: &Answerer) -> bool {
        by.principal.as_str().strip_prefix("agent:") == Some(self.spec.agent_id.as_str())
    }

    /// Whether its agent is known to have heard the answer.
    pub const fn was_heard(&self) -> bool {
        matches!(self.state, QuestionState::Resolved { delivery: Delivery::Acknowledged, .. })
    }

    /// Whether an answer is one of the options; none where there are no options.
    pub fn is_option(&self, value: &str) -> Option<bool> {
        (!self.spec.options.is_empty()).then(|| self.spec.options.iter().any(|option| option == value))
    }

    /// What is to be said of an answer that is none of the options.
    pub fn how(&self, value: &str) -> &'static str {
        match self.is_option(value) {
            Some(false) => " in own words, with none of your options",
            Some(true) | None => "",
        }
    }

    /// What a person answered, as the agent reads it.
    pub fn said(&self, resolution: &Resolution) -> String {
        format!("{} answered{}: {}", resolution.by.display_name, self.how(&resolution.value), resolution.value)
    }

    pub const fn resolution(&self) -> Option<&Resolution> {
        match &self.state {
            QuestionState::Open { .. } => None,
            QuestionState::Resolved { resolution, .. } => Some(resolution),
        }
    }
}

impl Answerer {
    /// Whether it can be a person, or what a person lets act: no agent, no clock, and not the hub itself.
    pub fn is_human(&self) -> bool {
        let by_hand = match self.surface {
            Surface::Discord | Surface::Page | Surface::Cli | Surface::Api | Surface::Tracker => true,
            Surface::Agent | Surface::Timer | Surface::Workflow | Surface::Hub => false,
        };
        let principal = self.principal.as_str();
        by_hand && principal != "hub" && !principal.starts_with("agent:")
    }
}

impl QuestionSpec {
    /// Whether its default never applies by itself.
    pub const fn is_dangerous(&self) -> bool {
        self.danger.is_some()
    }
}

/// How sure it is that a default does harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// What it does may destroy something: its agent says so, or its words do.
    Destructive,
    /// It is only not known to be harmless, or a person has to agree.
    Unsure,
}

impl Danger {
    pub const fn risk(&self) -> Risk {
        match self {
            Self::Declared | Self::Found { .. } => Risk::Destructive,
            Self::Approval | Self::Acts => Risk::Unsure,
        }
    }

    /// Whether another default of the same question could apply by itself.
    pub const fn lies_in_the_default(&self) -> bool {
        matches!(self, Self::Found { .. } | Self::Acts)
    }
}

names!(ResolutionType { Human = "human", Timeout = "timeout", Cancelled = "cancelled", Superseded = "superseded" });

impl fmt::Display for Danger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared => f.write_str("declared by the agent"),
            Self::Approval => f.write_str("it asks for approval"),
            Self::Found { words } => write!(f, "it says `{words}`"),
            Self::Acts => f.write_str("it acts, and the question is not known to be harmless"),
        }
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answerer { display_name, surface, .. } = &self.by;
        let (at, surface) = (self.at, surface.as_str());
        match self.kind {
            ResolutionType::Human => write!(f, "{display_name} answered `{}` at {at} ({surface})", self.value),
            ResolutionType::Timeout => {
                write!(f, "nobody answered in time, and its default `{}` applied at {at}", self.value)
            }
            ResolutionType::Cancelled => write!(f, "{display_name} withdrew it at {at}"),
            ResolutionType::Superseded => write!(f, "nobody needed it any more at {at}"),
        }
    }
}
