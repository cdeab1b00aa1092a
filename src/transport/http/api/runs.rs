//! `/api/v1/runs`: what hosts of agents on call have done, and do, for tasks.

use super::prelude::*;
use crate::domain::ids::RunId;
use crate::domain::task::{RunView, Task};

/// A run, and of which task it is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RunOfTask {
    task_id: String,
    #[serde(flatten)]
    run: RunView,
}

/// How much of the list, and of which task.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct RunParams {
    /// Only those of this task, open or closed; without it those of every open task.
    task: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<RunOfTask>>("/api/v1/runs", "runs on call of open tasks, by id");
    let one = Route::get::<RunOfTask>("/api/v1/runs/{id}", "a run on call: where it is, how it ended, what it used");
    Routes::new().add(list.query::<RunParams>(), read_list).add(one, read_one)
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<RunParams>) -> Listed<RunOfTask> {
    let page = page_request(params.limit, params.cursor)?;
    let task = params.task.as_deref().map(TaskId::parse).transpose();
    let tasks = match task.map_err(|error| ApiError::query("task", error))? {
        Some(id) => hub.task(&id).await?.into_iter().collect(),
        None => hub.journal.read(|reader| reader.open_tasks()).await?,
    };
    let mut runs: Vec<RunOfTask> = tasks.iter().flat_map(of_task).collect();
    runs.sort_by(|one, other| one.run.run_id.cmp(&other.run.run_id));
    Ok(Json(List::page_of(runs, &page, |run| &run.run.run_id)))
}

async fn read_one(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<RunOfTask>> {
    let unknown = || ApiError::new("RUN_NOT_FOUND", format!("there is no run `{id}`"));
    let task = RunId::parse(&id).ok().and_then(|run| run.task()).ok_or_else(unknown)?;
    let task = hub.task(&task).await?.ok_or_else(unknown)?;
    Ok(Json(of_task(&task).into_iter().find(|run| run.run.run_id == id).ok_or_else(unknown)?))
}

fn of_task(task: &Task) -> Vec<RunOfTask> {
    let view = |run| RunOfTask { task_id: task.id().to_string(), run: RunView::from(run) };
    task.runs.iter().map(view).collect()
}
