//! Why the hub stopped carrying out a plan.

use serde::{Deserialize, Serialize};

/// Why the hub stopped, with the step at which it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum PauseReason {
    /// An argument needs one of the prompt that was not given.
    UnresolvableArgument {
        /// The step.
        step: String,
        /// The argument of its tool.
        argument: String,
        /// What it needs, as `<prompt arg region>`.
        needs: String,
    },
    /// The arguments do not fit the schema of the tool.
    SchemaMismatch {
        /// The step.
        step: String,
        /// The tool.
        tool: String,
        /// Required arguments that the plan does not give.
        missing: Vec<String>,
        /// What the tool says of those that it gives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// The tool failed.
    ToolError {
        /// The step.
        step: String,
        /// The tool.
        tool: String,
        /// What it said.
        error: String,
        /// Whether a repeat makes sense.
        retryable: bool,
    },
    /// An argument needs the output of a step that does not have it.
    UnresolvedDependency {
        /// The step.
        step: String,
        /// The argument of its tool.
        argument: String,
        /// What it needs, as `<field 'url' from deploy>`.
        needs: String,
        /// The step that should have brought it.
        producer: String,
    },
    /// Only the client can do the step.
    ClientTool {
        /// The step.
        step: String,
        /// The tool.
        tool: String,
        /// Why, in a sentence without its full stop.
        why: String,
    },
    /// A resource could not be read.
    ResourceError {
        /// The step.
        step: String,
        /// Its name, with what could not be filled in as words.
        uri: String,
        /// Why.
        error: String,
    },
    /// The time of one request was used up.
    TimeBudget {
        /// The step that was to be next, or that waits.
        step: String,
    },
}

impl PauseReason {
    /// Its type, as it is written.
    #[must_use]
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

    /// The step at which the hub stopped.
    #[must_use]
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
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::UnresolvableArgument { step, argument, needs } => {
                format!("Step '{step}' cannot run yet: its argument `{argument}` needs {needs}.")
            }
            Self::SchemaMismatch { step, tool, missing, error } => {
                let why = error.clone().unwrap_or_else(|| format!("{tool} also requires {}", missing.join(", ")));
                format!("Step '{step}' cannot run as the plan says: {}.", why.trim_end_matches('.'))
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
            Self::TimeBudget { step } => format!("Step '{step}' needs more time than one request has."),
        }
    }
}
