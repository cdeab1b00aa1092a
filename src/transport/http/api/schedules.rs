//! `/api/v1/schedules`: work that is handed out at its time, or when other work ends.

use super::prelude::*;
use crate::tools::people::{
    AddSchedule, ChangeSchedule, PersonVerb as _, RemoveSchedule, RunSchedule, ScheduleAfter, ScheduleView,
    find_schedule, schedules,
};

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<ScheduleView>>("/api/v1/schedules", "when tasks are made by themselves");
    let one = Route::get::<ScheduleView>("/api/v1/schedules/{id}", "one schedule, by its name");
    let add = Route::post::<AddSchedule, ScheduleAfter>(
        "/api/v1/schedules",
        "has a task made at a moment, after each span, by a pattern of cron, or when another task ends",
    );
    let change = Route::patch::<ChangeSchedule, ScheduleAfter>(
        "/api/v1/schedules/{id}",
        "changes a schedule, pauses or resumes it; what is left out stays",
    );
    let remove = Route::delete("/api/v1/schedules/{id}", "removes a schedule; tasks that it made stay");
    Routes::new()
        .add(list, read_list)
        .add(one, read_one)
        .add(add.answers::<ScheduleAfter>(201).needs(AddSchedule::SCOPE), add_one)
        .verb_at::<ChangeSchedule>(change)
        .verb_at::<RemoveSchedule>(remove.answers::<ScheduleAfter>(200))
        .verb::<RunSchedule>("/api/v1/schedules/{id}/run", "makes a task of it now, beside its moments")
}

async fn read_list(State(hub): State<HubRef>) -> Listed<ScheduleView> {
    Ok(Json(List::whole(schedules(&hub).await?)))
}

async fn read_one(State(hub): State<HubRef>, Segment(name): Segment) -> ApiResult<Json<ScheduleView>> {
    Ok(Json(find_schedule(&hub, &name).await?))
}

async fn add_one(
    call: PersonCall,
    JsonBody(wanted): JsonBody<AddSchedule>,
) -> ApiResult<(StatusCode, Json<ScheduleAfter>)> {
    let made = call.run(&wanted.0.name, &wanted).await?;
    Ok((StatusCode::CREATED, Json(made)))
}
