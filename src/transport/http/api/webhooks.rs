//! `/api/v1/webhooks`: subscriptions, what waits for each, and whether it works; adds, changes and removes them.

use super::prelude::*;
use crate::domain::session::question::QuestionView;
use crate::tools::people::{
    AddDevice, AddWebhook, ChangeWebhook, DeviceAnswer, EnableWebhook, PersonVerb as _, PushKey, RemoveDevice,
    RemoveWebhook, TestWebhook, WebhookMade, WebhookRemoved, WebhookView, answer_by_ticket, push_key,
    webhook_with_address, webhooks,
};
use crate::transport::web::RequestInfo;

pub(super) fn routes() -> Routes {
    let list = Route::get::<List<WebhookView>>("/api/v1/webhooks", "who hears events, and how much waits for each");
    let one = Route::get::<WebhookView>("/api/v1/webhooks/{id}", "one of them, with its whole address");
    let add = Route::post::<AddWebhook, WebhookMade>(
        "/api/v1/webhooks",
        "posts events to one more subscriber, from the next one on; its secret is told this once",
    );
    let change = Route::patch::<ChangeWebhook, WebhookMade>(
        "/api/v1/webhooks/{id}",
        "changes a webhook that was added; what is left out stays",
    );
    let remove =
        Route::delete("/api/v1/webhooks/{id}", "removes a webhook that was added; what waits for it is dropped");
    let push = Route::get::<PushKey>("/api/v1/push", "what a browser subscribes with, to hear events by Web Push");
    let device = Route::post::<AddDevice, WebhookMade>(
        "/api/v1/push/devices",
        "notifies a browser by Web Push; one at the same address is replaced",
    );
    let off = Route::delete("/api/v1/push/devices/{id}", "notifies a browser no more");
    let answer = Route::post::<DeviceAnswer, QuestionView>(
        "/api/v1/push/answers",
        "answers the question of a notification by the ticket that came with it, which is the credential",
    );
    Routes::new()
        .add(push.needs(Scope::Operate), read_push_key)
        .add(device.answers::<WebhookMade>(201).needs(AddDevice::SCOPE), add_device)
        .verb_at::<RemoveDevice>(off.answers::<WebhookRemoved>(200))
        .add(answer.open().under_its_own_id(), answer_one)
        .add(list, read_list)
        .add(one.needs(Scope::Admin), read_one)
        .add(add.answers::<WebhookMade>(201).needs(AddWebhook::SCOPE), add_one)
        .verb_at::<ChangeWebhook>(change)
        .verb_at::<RemoveWebhook>(remove.answers::<WebhookRemoved>(200))
        .verb::<TestWebhook>("/api/v1/webhooks/{id}/test", "posts a message of type webhook.test to a subscriber now")
        .verb::<EnableWebhook>(
            "/api/v1/webhooks/{id}/enable",
            "retries or drops the dead letters of a stopped webhook, so that it hears again; says what it missed",
        )
}

async fn read_list(State(hub): State<HubRef>) -> Listed<WebhookView> {
    Ok(Json(List::whole(webhooks(&hub).await?)))
}

async fn read_push_key(State(hub): State<HubRef>) -> ApiResult<Json<PushKey>> {
    Ok(Json(push_key(&hub).await?))
}

async fn read_one(State(hub): State<HubRef>, Segment(name): Segment) -> ApiResult<Json<WebhookView>> {
    Ok(Json(webhook_with_address(&hub, &name).await?))
}

async fn add_one(
    call: PersonCall,
    JsonBody(wanted): JsonBody<AddWebhook>,
) -> ApiResult<(StatusCode, Json<WebhookMade>)> {
    let made = call.run(&wanted.name, &wanted).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

async fn add_device(
    call: PersonCall,
    JsonBody(wanted): JsonBody<AddDevice>,
) -> ApiResult<(StatusCode, Json<WebhookMade>)> {
    let made = call.run(&wanted.name(), &wanted).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

async fn answer_one(
    State(hub): State<HubRef>,
    Extension(request): Extension<RequestInfo>,
    JsonBody(given): JsonBody<DeviceAnswer>,
) -> ApiResult<Json<QuestionView>> {
    let (who, question, answer) = answer_by_ticket(&hub, &given).await?;
    request.tell_where_from(&hub.audit, &who);
    let call = PersonCall::new(hub, Who::of(who, request).caller(), None);
    Ok(Json(call.run(&question, &answer).await?))
}
