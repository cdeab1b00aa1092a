//! `/api/v1/workflows`: runs of workflows, how far each came, and what is left of it.

use super::prelude::*;
use crate::domain::ids::PrincipalId;
use crate::domain::workflow::run::RunStatus;
use crate::journal::{Counted, WorkflowFilter};
use crate::tools::people::{
    BeginWorkflow, CancelWorkflow, ContinueWorkflow, begin_workflow, continue_workflow, find_run,
};
use crate::tools::workflow::RunView;

/// Which runs, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct WorkflowParams {
    /// In one of these states, separated by commas: working, completed, cancelled, expired.
    state: Option<String>,
    /// Of this principal, as `agent:fullstack-1`.
    owner: Option<String>,
    /// Of the workflow of this name.
    name: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<RunView>>("/api/v1/workflows", "runs of workflows, the one that began last first");
    let one = Route::get::<RunView>("/api/v1/workflows/{id}", "a run: its steps, and what was said and done so far");
    let begun = Route::post::<BeginWorkflow, RunView>("/api/v1/workflows", "begins a run; nothing of it runs yet");
    let goes_on = Route::post::<ContinueWorkflow, RunView>(
        "/api/v1/workflows/{id}/continue",
        "carries your run out as far as the hub can within 45 seconds",
    );
    // Who has a run sees it and goes on with it; each step is held to what the caller may do.
    Routes::new()
        .add(list.query::<WorkflowParams>(), read_list)
        .add(one.needs(Scope::Agent), show)
        .add(begun.answers::<RunView>(201).needs(Scope::Agent), begin)
        .add(goes_on.needs(Scope::Agent), go_on)
        .verb::<CancelWorkflow>("/api/v1/workflows/{id}/cancel", "ends a run")
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<WorkflowParams>) -> Listed<RunView> {
    let page = page_request(params.limit, params.cursor)?;
    let states = names(params.state.as_deref()).filter(|name| *name != "all").map(state);
    let owner = params.owner.as_deref().map(PrincipalId::parse).transpose();
    let filter = WorkflowFilter {
        states: states.collect::<Result<_, _>>()?,
        owner: owner.map_err(|error| ApiError::query("owner", error))?,
        name: params.name,
        behind: None,
    };
    let found = hub.journal.read(move |reader| {
        Ok(List::counted(reader.workflow_page(&filter, &page)?, reader.count(Counted::Workflows(&filter))?))
    });
    Ok(Json(found.await?.map(|run| RunView::from(&run))))
}

fn state(name: &str) -> ApiResult<RunStatus> {
    let unknown = || ApiError::query("state", format_args!("`{}` is no state of a run", name.escape_debug()));
    RunStatus::parse(&name.to_lowercase()).ok_or_else(unknown)
}

async fn show(State(hub): State<HubRef>, who: Who, Segment(id): Segment) -> ApiResult<Json<RunView>> {
    Ok(Json(RunView::whole(&find_run(&hub, &who.principal, &id).await?)))
}

async fn begin(call: PersonCall, JsonBody(asked): JsonBody<BeginWorkflow>) -> ApiResult<(StatusCode, Json<RunView>)> {
    Ok((StatusCode::CREATED, Json(begin_workflow(&call, &asked).await?)))
}

async fn go_on(
    call: PersonCall,
    Segment(id): Segment,
    JsonBody(_): JsonBody<ContinueWorkflow>,
) -> ApiResult<Json<RunView>> {
    Ok(Json(continue_workflow(&call, &id).await?))
}
