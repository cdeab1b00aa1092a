//! What others may see of a run: `runs[]` of a task, and the body of `/api/v1/runs/{id}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limited, Run, RunEnd, RunState, Usage};
use crate::time::Timestamp;

/// A run, as everybody sees it who may see its task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// Runs of workflows have that name in the description of the API.
#[schemars(rename = "OnCallRunView")]
pub struct RunView {
    pub run_id: String,
    pub agent_id: String,
    pub host: String,
    /// The client's name, as the presets call it.
    pub client: String,
    /// Under which offer or lease of the task.
    pub epoch: u64,
    pub state: RunStateName,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RunEnd>,
    /// The client's own id of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// How many processes it had so far.
    pub processes: u32,
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ended_at: Option<Timestamp>,
    /// The exit code of its last process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The last lines that its last process printed, secrets out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
    /// The newest limit that the client met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Limited>,
    /// What its processes used; `null` until one ended, and each part of it where the client did not say.
    pub usage: Option<Usage>,
}

/// The name of a [`RunState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStateName {
    Starting,
    Working,
    Waiting,
    Ended,
}

impl From<&Run> for RunView {
    fn from(run: &Run) -> Self {
        let (state, reason, ended_at) = match run.state {
            RunState::Starting => (RunStateName::Starting, None, None),
            RunState::Working => (RunStateName::Working, None, None),
            RunState::Waiting { .. } => (RunStateName::Waiting, None, None),
            RunState::Ended { at, reason } => (RunStateName::Ended, Some(reason), Some(at)),
        };
        let last = run.exits.last();
        Self {
            run_id: run.id.to_string(),
            agent_id: run.agent.to_string(),
            host: run.host.clone(),
            client: run.client.clone(),
            epoch: run.epoch.0,
            state,
            reason,
            conversation: run.conversation.clone(),
            processes: if run.day.is_some() { 0 } else { run.process },
            started_at: run.started_at,
            ended_at,
            exit: last.and_then(|exit| exit.code),
            tail: last.and_then(|exit| exit.tail.as_ref()).map(|tail| tail.head().to_owned()),
            limited: run.limited.clone(),
            usage: run.usage(),
        }
    }
}
