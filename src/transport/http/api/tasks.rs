//! `/api/v1/tasks`: the list, and a new one.

use super::prelude::*;
use super::tools::with_key;
use crate::domain::task::{Priority, Task, TaskStateName, TaskView};
use crate::journal::{Counted, ReadError, Reader, TaskFilter};
use crate::tools::{self, Caller, Follows};
use crate::transport::web::delivered;

const ASSIGN: &str = "assign_task";

/// Which tasks, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct TaskParams {
    /// In one of these states, separated by commas, or each with a `state` of its own.
    state: Option<String>,
    /// With this agent now.
    agent: Option<String>,
    /// Asked of this target: `fullstack-1`, `role:test-engineer`, `any`.
    target: Option<String>,
    priority: Option<Priority>,
    /// Containing these words.
    q: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<TaskView>>("/api/v1/tasks", "tasks, newest first").query::<TaskParams>();
    let create = Route::post::<Value, Value>("/api/v1/tasks", "hands out work: the fields of assign_task");
    Routes::new().add(list, read_list).add(create.answers::<Value>(201).like_tool(ASSIGN), assign)
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<TaskParams>) -> Listed<TaskView> {
    let page = page_request(params.limit, params.cursor.clone())?;
    let filter = filter(params)?;
    if filter.query.is_some() {
        // What was written before is found.
        hub.journal.caught_up().await;
    }
    let found = hub.journal.read(move |reader| {
        let found = reader.tasks(&filter, &page)?;
        let items = found.items.iter().map(Task::listed).collect();
        Ok(List { items, total: total(reader, &filter)?, next_cursor: found.next_cursor })
    });
    Ok(Json(found.await?))
}

/// How many tasks the filter means, but where it is of words. By their states they are counted all the time.
fn total(reader: &dyn Reader, filter: &TaskFilter) -> Result<Option<u64>, ReadError> {
    let TaskFilter { states, agent: None, target: None, priority: None, changed_since: None, query: None } = filter
    else {
        let counted = filter.query.is_none().then(|| reader.count(Counted::Tasks(filter)));
        return counted.transpose();
    };
    let counts = reader.task_counts()?;
    let meant = counts.iter().filter(|(state, _)| states.is_empty() || states.contains(state));
    Ok(Some(meant.map(|(_, count)| count).sum()))
}

fn filter(params: TaskParams) -> ApiResult<TaskFilter> {
    let agent = params.agent.as_deref().map(AgentId::parse).transpose();
    Ok(TaskFilter {
        states: names(params.state.as_deref()).map(state).collect::<Result<_, _>>()?,
        agent: agent.map_err(|error| ApiError::query("agent", error))?,
        target: params.target,
        priority: params.priority,
        changed_since: None,
        query: params.q.filter(|words| !words.trim().is_empty()),
    })
}

fn state(name: &str) -> ApiResult<TaskStateName> {
    let unknown = || ApiError::query("state", format_args!("`{}` is no state of a task", name.escape_debug()));
    TaskStateName::parse(&name.to_uppercase()).ok_or_else(unknown)
}

async fn assign(
    State(hub): State<HubRef>,
    who: Who,
    headers: HeaderMap,
    JsonBody(fields): JsonBody<Value>,
) -> ApiResult<Response> {
    let arguments = with_key(ASSIGN, fields, &headers)?;
    // What is called is a tool; here a task is added, which is nobody's step of a workflow.
    let caller = Caller { follows: Follows::Nothing, ..who.caller() };
    let reply = tools::call(&hub, &caller, ASSIGN, arguments).await?;
    Ok(delivered((StatusCode::CREATED, Json(reply.structured())).into_response(), reply.guard))
}
