//! A run of a workflow, as people and their programs see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::domain::text::shorten;
use crate::domain::time::Timestamp;
use crate::domain::workflow::Action;
use crate::domain::workflow::run::{PlanMessage, Speaker, WorkflowRun};

/// The longest error of a step that is shown, in characters.
const LONGEST: usize = 300;

/// A run of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// Its id; over MCP its `taskId`.
    pub workflow_id: String,
    /// The workflow that it is a run of.
    pub name: String,
    /// Whose it is.
    pub owner: String,
    /// `working`, `completed`, `cancelled` or `expired`.
    pub status: String,
    /// Where it stands, in a line.
    pub status_message: String,
    /// Its steps, in the order of the plan.
    pub steps: Vec<StepView>,
    /// Whether the rest is its owner's to do: the hub runs no step of it any more.
    pub handed_over: bool,
    /// Why the hub stopped; absent before that, and once its owner went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_reason: Option<Value>,
    /// When it began.
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// When it changed last.
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
    /// When it expires unless somebody goes on with it; absent once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Timestamp>,
    /// What only the run itself shows, and no list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<RunDetails>,
}

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub name: String,
    /// `pending`, `running`, `completed` or `failed`.
    pub status: String,
    /// The tool that it calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The resource that it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// How its result came: `plan` from the hub, `id` or `implicit` from its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<Value>,
    /// What went wrong, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What only a run itself shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDetails {
    /// The arguments of the workflow.
    pub parameters: Map<String, Value>,
    /// What was said and done so far, and what is left for its owner. It only grows while the hub runs steps.
    pub trace: Vec<TraceMessage>,
    /// What it came to; absent until it is completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
}

/// One message of the trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceMessage {
    /// `user` or `assistant`.
    pub role: String,
    pub text: String,
}

impl From<&WorkflowRun> for RunView {
    fn from(run: &WorkflowRun) -> Self {
        let steps = run.plan.steps.iter().zip(&run.steps).map(|(step, state)| {
            let outcome = state.outcome.as_ref();
            let failed = outcome.filter(|outcome| outcome.is_error);
            let resource = match &step.action {
                Action::Tool { .. } => None,
                Action::Resource { uri, .. } => Some(uri.clone()),
            };
            StepView {
                name: step.name.clone(),
                status: run.status_of(step, state).to_owned(),
                tool: step.tool().map(ToOwned::to_owned),
                resource,
                matched_by: outcome.map(|outcome| json!(outcome.matched_by)),
                error: failed.map(|outcome| shorten(&outcome.error(), LONGEST)),
            }
        });
        Self {
            workflow_id: run.id.to_string(),
            name: run.plan.name.clone(),
            owner: run.owner.to_string(),
            status: run.status.as_str().to_owned(),
            status_message: run.status_message(),
            steps: steps.collect(),
            handed_over: run.handed_over,
            pause_reason: run.pause.as_ref().map(|reason| json!(reason)),
            started_at: run.started_at,
            updated_at: run.updated_at,
            expires_at: run.next_expiry(),
            details: None,
        }
    }
}

impl RunView {
    /// With what only the run itself shows.
    pub fn whole(run: &WorkflowRun) -> Self {
        let trace = run.trace().into_iter().map(TraceMessage::from).collect();
        let details = RunDetails { parameters: run.parameters.clone(), trace, result: run.result.clone() };
        Self { details: Some(details), ..Self::from(run) }
    }
}

impl From<PlanMessage> for TraceMessage {
    fn from(said: PlanMessage) -> Self {
        let role = match said.speaker {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        };
        Self { role: role.to_owned(), text: said.text }
    }
}
