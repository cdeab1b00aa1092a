//! Names of what may be looked at: `callboard://tasks/{id}` and the like.

use crate::tools::ViewTarget;
pub(in crate::transport::mcp) use crate::tools::target_named as target;

/// What every name begins with.
const SCHEME: &str = "callboard://";

/// Who is there.
pub(in crate::transport::mcp) const AGENTS: &str = "callboard://agents";

/// How sessions are called.
pub(in crate::transport::mcp) const SESSIONS: &str = "callboard://sessions/{id}";

/// How tasks are called.
pub(super) const TASKS: &str = "callboard://tasks/{id}";

/// How runs of workflows are called.
pub(super) const WORKFLOWS: &str = "callboard://workflows/{taskId}";

/// How results of tasks are called.
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
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_thing_and_is_written_in_one_way() {
        let names = [
            "callboard://agents",
            "callboard://tasks/01m7z6awt0ea",
            "callboard://tasks/01m7z6awt0ea/result",
            "callboard://sessions/s_01m7z6awt0ea",
            "callboard://workflows/w_01m7z6awt0ea",
        ];
        for name in names {
            assert_eq!(target(name).map(|target| of(&target)).as_deref(), Some(name));
        }
    }

    #[test]
    fn what_is_nearly_a_name_is_none() {
        let others = [
            "",
            "callboard://",
            "callboard://agents/",
            "callboard://tasks",
            "callboard://tasks/",
            "callboard://tasks/../agents",
            "callboard://tasks/01m7z6awt0ea/",
            "callboard://tasks/01m7z6awt0ea/result/more",
            "callboard://tasks/01M7Z6AWT0EA",
            "callboard://sessions/01m7z6awt0ea",
            "callboard://tasks/01m7z6awt0ea?x",
            "CALLBOARD://agents",
            "file:///etc/passwd",
        ];
        for name in others {
            assert_eq!(target(name), None, "{name}");
        }
    }
}
