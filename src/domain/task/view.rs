//! What others may see of a task: the body of `/api/v1/tasks/{id}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// stub
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// Its id.
    pub task_id: String,
}
