//! Names of what may be looked at: `callboard://tasks/{id}` and the like.

use crate::tools::ViewTarget;
pub(in crate::transport::mcp) use crate::tools::target_named as target;

/// What every name begins with.
const SCHEME: &str = "callboard://";

pub(in crate::transport::mcp) const AGENTS: &str = "callboard://agents";

pub(in crate::transport::mcp) const SESSIONS: &str = "callboard://sessions/{id}";

pub(super) const TASKS: &str = "callboard://tasks/{id}";

pub(super) const WORKFLOWS: &str = "callboard://workflows/{taskId}";

pub(super) const RESULTS: &str = "callboard://tasks/{id}/result";

/// The name of what may be looked at.
pub(in crate::transport::mcp) fn of(target: &ViewTarget) -> String {
    match target {
        ViewTarget::Task(id) => format!("{SCHEME}tasks/{id}"),
        ViewTarget::TaskResult(id) => format!("{SCHEME}tasks/{id}/result"),
        ViewTarget::Agents => AGENTS.to_owned(),
        ViewTarget::Workflow(id) => format!("{SCHEME}workflows/{id}"),
        ViewTarget::Session(id) => format!("{SCHEME}sessions/{id}"),
    }
}

#[cfg(test)]
mod tests;
