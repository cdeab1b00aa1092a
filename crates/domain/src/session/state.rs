//! The state of a session: what its records come to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::question::Question;
use super::record::Standpoint;
use super::status::WorkflowStatus;
use crate::agent::Availability;
use crate::ids::{AgentId, QuestionId, SessionId, TaskId};
use crate::pull::PullRequest;
use crate::time::{Deadline, Timestamp};
use crate::work_item::WorkItem;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    pub agent: AgentId,
    pub opened_at: Timestamp,
    /// When its agent last registered.
    pub taken_up_at: Timestamp,
    /// How many records it has: what a decision was made on.
    #[serde(default)]
    pub version: u64,
    /// Which round this is: 1 with the first task, one more with each new one.
    #[serde(default)]
    pub round: u32,
    /// What the agent says it does, and since when.
    #[serde(default)]
    pub standpoint: Standpoint,
    /// The task that it follows, while one is under way or was just completed.
    pub task: Option<TaskId>,
    /// What it works on, in a tracker or on a forge: what is said there reaches its agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<WorkItem>,
    /// What was asked lately, oldest first: at most one of these is open and not overdue (S2), and those that have
    /// their answer are remembered for who asks again. All questions, also older ones, are kept by the store.
    #[serde(default)]
    pub questions: Vec<Question>,
    /// Its pull requests, oldest first; of those that are over the last ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pulls: Vec<PullRequest>,
}

/// Does it live? Set by the hub from what it sees, never journaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each name says it; see contract of sessions")]
pub enum Lifecycle {
    Provisioning,
    Starting,
    Running,
    Idle,
    Stopping,
    Stopped,
    Error,
}

impl Lifecycle {
    /// Of a session whose agent is doing this.
    pub const fn of(agent: Availability) -> Self {
        match agent {
            Availability::Waiting => Self::Idle,
            Availability::Working => Self::Running,
            Availability::Offline | Availability::Evicted => Self::Stopped,
        }
    }
}

impl Session {
    /// What the record of its opening makes of nothing.
    pub fn opened(id: SessionId, agent: AgentId, at: Timestamp) -> Self {
        Self {
            id,
            agent,
            opened_at: at,
            taken_up_at: at,
            version: 1,
            round: 0,
            standpoint: Standpoint::at(at),
            task: None,
            work_item: None,
            questions: Vec::new(),
            pulls: Vec::new(),
        }
    }

    pub const fn status(&self) -> WorkflowStatus {
        self.standpoint.status
    }

    /// The question that is open and holds the one place for such: its deadline is still to come.
    pub fn open_question(&self) -> Option<&Question> {
        self.questions.iter().find(|question| question.is_open() && !question.is_overdue())
    }

    /// Questions past their deadline that only a person ends, oldest first. They are parked, and hold no place.
    pub fn overdue(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|question| question.is_overdue())
    }

    pub fn question(&self, id: &QuestionId) -> Option<&Question> {
        self.questions.iter().find(|question| question.spec.id == *id)
    }

    /// When it acts by itself, and why.
    pub fn next_deadline(&self) -> Option<Deadline> {
        self.open_question().and_then(Question::next_deadline)
    }
}
