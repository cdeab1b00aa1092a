//! Why the hub stopped carrying out a plan.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Outcome, StepStatus, WorkflowRun};
use crate::workflow::plan::{Action, Step};

/// Why the hub stopped, with the step at which it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum PauseReason {
    /// An argument needs one of the prompt that was not given.
    UnresolvableArgument {
        step: String,
        argument: String,
        /// What it needs, as `<prompt arg region>`.
        needs: String,
    },
    SchemaMismatch {
        step: String,
        tool: String,
        /// Required arguments that the plan does not give.
        missing: Vec<String>,
        /// What the tool says of those that it gives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    ToolError {
        step: String,
        tool: String,
        error: String,
        retryable: bool,
        /// Whether the hub was stopped while the tool ran, so that nobody knows whether it did its work.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        interrupted: bool,
    },
    /// An argument needs the output of a step that does not have it.
    UnresolvedDependency {
        step: String,
        argument: String,
        /// What it needs, as `<field 'url' from deploy>`.
        needs: String,
        /// The step that should have brought it.
        producer: String,
    },
    ClientTool {
        step: String,
        tool: String,
        /// Why, in a sentence without its full stop.
        why: String,
    },
    ResourceError {
        step: String,
        /// Its name, with what could not be filled in as words.
        uri: String,
        error: String,
    },
    /// The time of one request was used up.
    TimeBudget {
        /// The step that was to be next, or that waits.
        step: String,
    },
}

impl PauseReason {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::UnresolvableArgument { .. } => "unresolvable_argument",
            Self::SchemaMismatch { .. } => "schema_mismatch",
            Self::ToolError { .. } => "tool_error",
            Self::UnresolvedDependency { .. } => "unresolved_dependency",
            Self::ClientTool { .. } => "client_tool",
            Self::ResourceError { .. } => "resource_error",
            Self::TimeBudget { .. } => "time_budget",
        }
    }

    pub fn step(&self) -> &str {
        match self {
            Self::UnresolvableArgument { step, .. }
            | Self::SchemaMismatch { step, .. }
            | Self::ToolError { step, .. }
            | Self::UnresolvedDependency { step, .. }
            | Self::ClientTool { step, .. }
            | Self::ResourceError { step, .. }
            | Self::TimeBudget { step } => step,
        }
    }

    /// What happened, in a sentence for a language model.
    pub fn sentence(&self) -> String {
        match self {
            Self::UnresolvableArgument { step, argument, needs } => {
                format!("Step '{step}' cannot run yet: its argument `{argument}` needs {needs}.")
            }
            Self::SchemaMismatch { step, tool, missing, error } => {
                let why = error.clone().unwrap_or_else(|| format!("{tool} also requires {}", missing.join(", ")));
                format!("Step '{step}' cannot run as the plan says: {}.", why.trim_end_matches('.'))
            }
            Self::ToolError { step, interrupted: true, .. } => {
                format!("Step '{step}' was interrupted, and it may have done its work.")
            }
            Self::ToolError { step, error, retryable, .. } => {
                let then =
                    if *retryable { "It can be tried again." } else { "A repeat of the same call will not help." };
                format!("Step '{step}' failed: {}. {then}", error.trim_end_matches('.'))
            }
            Self::UnresolvedDependency { step, argument, needs, producer } => {
                format!(
                    "Step '{step}' cannot run yet: its argument `{argument}` needs {needs}, which step '{producer}' \
                         did not bring."
                )
            }
            Self::ClientTool { step, why, .. } => format!("Step '{step}' is yours to do: {why}."),
            Self::ResourceError { step, uri, error } => {
                format!("Step '{step}' could not read {uri}: {}.", error.trim_end_matches('.'))
            }
            Self::TimeBudget { step } => {
                format!("The time of one request was over before step '{step}' was done.")
            }
        }
    }
}

impl WorkflowRun {
    /// Why the hub stops after a step that failed.
    pub(super) fn failure(&self, index: usize, outcome: &Outcome, misfit: bool) -> Option<PauseReason> {
        let (step, state) = self.both().nth(index)?;
        let (name, error) = (step.name.clone(), outcome.error());
        Some(match &step.action {
            Action::Tool { name: tool, .. } if misfit => {
                PauseReason::SchemaMismatch { step: name, tool: tool.clone(), missing: Vec::new(), error: Some(error) }
            }
            Action::Tool { name: tool, .. } => {
                let (tool, retryable) = (tool.clone(), step.retryable);
                PauseReason::ToolError { step: name, tool, error, retryable, interrupted: false }
            }
            Action::Resource { uri, .. } => {
                let read = state.asked.as_ref().and_then(Value::as_str).unwrap_or(uri);
                PauseReason::ResourceError { step: name, uri: read.to_owned(), error }
            }
        })
    }

    /// Why the rest is the client's where whoever carried the plan out was lost; none where nothing is left.
    pub(super) fn interruption(&self) -> Option<PauseReason> {
        let (step, state) = self.both().find(|(step, state)| self.is_left(step, state))?;
        Some(match (&step.action, state.status) {
            (Action::Tool { name, .. }, StepStatus::Running) => Self::interrupted(step, name),
            (Action::Tool { .. } | Action::Resource { .. }, _) => PauseReason::TimeBudget { step: step.name.clone() },
        })
    }

    /// The hub was stopped while this step's tool ran.
    pub(super) fn interrupted(step: &Step, tool: &str) -> PauseReason {
        PauseReason::ToolError {
            step: step.name.clone(),
            tool: tool.to_owned(),
            error: "the hub was stopped while it ran, and it may have done its work".to_owned(),
            retryable: false,
            interrupted: true,
        }
    }
}

#[cfg(test)]
mod tests;
