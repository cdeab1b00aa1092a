//! How the values of flags and arguments are read.

use std::time::Duration;

use crate::domain::ids::{AgentId, RoleId};

/// Reads a task's id. One that no task can have is no mistake of form: the hub says that there is no such task.
pub fn task_id(text: &str) -> Result<String, String> {
    let is_word = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_word {
        Ok(text.to_owned())
    } else {
        Err("a task's id has letters and digits: see `callboard task list`".to_owned())
    }
}

pub fn role_id(text: &str) -> Result<RoleId, String> {
    RoleId::parse(text).map_err(|error| error.to_string())
}

pub fn agent_id(text: &str) -> Result<AgentId, String> {
    AgentId::parse(text).map_err(|error| error.to_string())
}

/// Reads a span such as `30m` or `1h30m`.
pub fn span(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write it as `30m`, `1h30m` or `90d`"))
}
