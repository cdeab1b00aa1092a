//! `/api/v1/webhooks`: who hears events, how much waits for each, and whether one works.

use axum::Json;
use axum::extract::State;

use crate::actors::HubRef;
use crate::tools::people::{TestWebhook, WebhookView, webhooks};
use crate::transport::web::{ApiError, List, Route, Routes};

/// The rows of this file.
pub(super) fn routes() -> Routes {
    let list = Route::get::<List<WebhookView>>("/api/v1/webhooks", "who hears events, and how much waits for each");
    Routes::new()
        .add(list, read_list)
        .verb::<TestWebhook>("/api/v1/webhooks/{id}/test", "posts a message of type webhook.test to a subscriber now")
}

async fn read_list(State(hub): State<HubRef>) -> Result<Json<List<WebhookView>>, ApiError> {
    Ok(Json(List { items: webhooks(&hub).await?, next_cursor: None }))
}
