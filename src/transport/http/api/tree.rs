//! `GET /api/v1/tasks/{id}/tree`: the tasks around one, from the one that began it down to all that was delegated.

use std::collections::VecDeque;

use super::prelude::*;
use crate::domain::task::{Task, TaskStateName};
use crate::domain::text::shorten;
use crate::domain::time::Timestamp;
use crate::journal::{ReadError, Reader};
use crate::tools::people::find_task;

/// The most tasks of a tree that are shown.
const SHOWN: usize = 500;

/// The most steps up to the root; the settings allow fewer (`limits.delegationDepth`).
const STEPS_UP: usize = 100;

/// The most characters of a prompt that stand for a title.
const TITLE: usize = 120;

/// The tasks around one. Flat: each names its parent, which stands before it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskTree {
    /// The task that began it: the topmost one that is still kept.
    root: String,
    /// The root, those that were delegated in its course, those in the course of these, and so on; oldest first.
    items: Vec<TreeItem>,
    /// There are more than the 500 that are shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// One task of a tree.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TreeItem {
    task_id: String,
    /// The task in whose course it was asked for; absent at the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    /// A line for lists: the beginning of the prompt where it has none.
    title: String,
    /// Where it is in its life.
    state: TaskStateName,
    /// Who holds it, or held it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// When it was created.
    #[schemars(with = "String")]
    created_at: Timestamp,
}

pub(super) fn routes() -> Routes {
    let row = Route::get::<TaskTree>("/api/v1/tasks/{id}/tree", "what a task was delegated from, and what from it");
    Routes::new().add(row, show)
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<TaskTree>> {
    let task = find_task(&hub, &id).await?;
    Ok(Json(hub.journal.read(move |reader| tree_around(reader, task)).await?))
}

fn tree_around(reader: &dyn Reader, task: Task) -> Result<TaskTree, ReadError> {
    let mut root = task;
    for _ in 0..STEPS_UP {
        // Retention may have let go of a parent: then the tree begins below it.
        let Some(parent) = root.spec.parent.as_ref() else { break };
        let Some(parent) = reader.task(parent)? else { break };
        root = parent;
    }
    let (top, mut items) = (root.id().to_string(), vec![TreeItem { parent: None, ..item(&root) }]);
    let mut unread = VecDeque::from([root.id().clone()]);
    let mut truncated = false;
    while let Some(parent) = unread.pop_front() {
        let room = SHOWN - items.len();
        let mut children = reader.children(&parent, room + 1)?;
        truncated |= children.len() > room;
        children.truncate(room);
        unread.extend(children.iter().map(|child| child.id().clone()));
        items.extend(children.iter().map(item));
    }
    Ok(TaskTree { root: top, items, truncated })
}

fn item(task: &Task) -> TreeItem {
    let first_line = || shorten(task.spec.prompt.lines().next().unwrap_or_default(), TITLE);
    TreeItem {
        task_id: task.id().to_string(),
        parent: task.spec.parent.as_ref().map(ToString::to_string),
        title: task.spec.title.clone().unwrap_or_else(first_line),
        state: task.name(),
        agent: task.holder().or(task.last_holder.as_ref()).map(AgentId::to_string),
        created_at: task.spec.created_at,
    }
}
