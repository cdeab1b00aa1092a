//! A session as people and programs see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::pull::PullView;
use crate::domain::session::question::{Question, QuestionView};
use crate::domain::session::{Details, Lifecycle, Session, WorkflowStatus};

/// How many pull requests that are over are shown.
const PULLS_OVER: usize = 10;

/// A session, as `/api/v1/sessions` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    pub session_id: String,
    pub agent_id: String,
    /// Does it live, in the hub's eyes.
    pub lifecycle: String,
    /// What the agent says it does.
    pub workflow_status: WorkflowStatus,
    /// Since when it says so, RFC 3339.
    pub status_since: String,
    /// What it said with it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
    /// What is in the way, when blocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// Which round this is; one more with each new task.
    pub round: u32,
    /// The task that it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The work item that it is linked to, in a tracker or on a forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<String>,
    /// Its pull requests, the newest first: all that may yet come to something, and the last of those that are over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pull_requests: Vec<PullView>,
    /// The question that is open; where none is, the newest of those that are overdue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_question: Option<QuestionView>,
    /// Every question whose deadline passed and that only a person ends, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overdue_questions: Vec<QuestionView>,
    /// When it was opened, RFC 3339.
    pub opened_at: String,
    /// When its agent last registered, RFC 3339.
    pub taken_up_at: String,
}

impl SessionView {
    pub fn of(session: &Session, lifecycle: Lifecycle) -> Self {
        let standpoint = &session.standpoint;
        Self {
            session_id: session.id.to_string(),
            agent_id: session.agent.to_string(),
            lifecycle: name_of(lifecycle).to_owned(),
            workflow_status: standpoint.status,
            status_since: standpoint.since.to_string(),
            message: standpoint.message.clone(),
            details: standpoint.details.clone(),
            blockers: standpoint.blockers.clone(),
            round: session.round,
            task_id: session.task.as_ref().map(ToString::to_string),
            work_item: session.work_item.as_ref().map(ToString::to_string),
            pull_requests: pull_requests(session),
            open_question: session.open_question().or_else(|| session.overdue().last()).map(Question::view),
            overdue_questions: session.overdue().map(Question::view).collect(),
            opened_at: session.opened_at.to_string(),
            taken_up_at: session.taken_up_at.to_string(),
        }
    }
}

fn pull_requests(session: &Session) -> Vec<PullView> {
    let mut over = 0;
    let newest = session.pulls.iter().rev().filter(|pull| {
        over += usize::from(!pull.is_live());
        pull.is_live() || over <= PULLS_OVER
    });
    newest.map(PullView::from).collect()
}

pub(super) const fn name_of(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::Provisioning => "provisioning",
        Lifecycle::Starting => "starting",
        Lifecycle::Running => "running",
        Lifecycle::Idle => "idle",
        Lifecycle::Stopping => "stopping",
        Lifecycle::Stopped => "stopped",
        Lifecycle::Error => "error",
    }
}
