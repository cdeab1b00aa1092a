//! What an agent reads of a task: remarks, and what the tasks before it came to.

use std::collections::BTreeMap;

use super::prelude::*;
use crate::domain::task::{Artifact, Comment, CommentKind, Dependency};

/// What a task that another depends on came to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DependencyResult {
    task_id: String,
    /// What it reported.
    message: String,
    /// What came out of it.
    artifacts: Vec<Artifact>,
}

/// A remark on a task.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommentShown {
    /// Its id: what `resolve_review_comment` takes.
    id: String,
    /// What it is to the task.
    kind: CommentKind,
    /// Who wrote it.
    from: Origin,
    text: String,
    /// The file it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// When, RFC 3339.
    at: String,
}

impl From<&Comment> for CommentShown {
    fn from(comment: &Comment) -> Self {
        Self {
            id: comment.id.to_string(),
            kind: comment.kind,
            from: comment.from.clone(),
            text: comment.text.clone(),
            file: comment.file.clone(),
            line: comment.line,
            at: comment.at.to_string(),
        }
    }
}

/// What each COMPLETED dependency came to, by id.
pub(super) async fn dependency_results(
    call: &Call,
    dependencies: &BTreeMap<TaskId, Dependency>,
) -> Result<Vec<DependencyResult>> {
    let mut results = Vec::new();
    for (task, how) in dependencies {
        match how {
            Dependency::Met { message, artifacts } => results.push(DependencyResult {
                task_id: task.to_string(),
                message: call.whole(message).await?,
                artifacts: artifacts.clone(),
            }),
            Dependency::Pending | Dependency::Failed { .. } => {}
        }
    }
    Ok(results)
}
