//! `/api/v1/outbox`: what must reach the outside, what did, and what could not.

use super::prelude::*;
use crate::domain::outbox::DeliveryStateName;
use crate::journal::{Counted, DeliveryFilter};
use crate::tools::people::{DeliveryView, DropDelivery, RetryDelivery, find_delivery};

/// Which deliveries, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct OutboxParams {
    /// In one of these states, separated by commas: pending, delivered, `dead_letter`, dropped.
    state: Option<String>,
    /// To this destination.
    destination: Option<String>,
    /// In this lane of it.
    lane: Option<String>,
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

pub(super) fn routes() -> Routes {
    let list =
        Route::get::<List<DeliveryView>>("/api/v1/outbox", "what must reach the outside, or did: the newest first");
    let one = Route::get::<DeliveryView>("/api/v1/outbox/{id}", "a delivery, and what came of it so far");
    Routes::new()
        .add(list.query::<OutboxParams>(), read_list)
        .add(one, show)
        .verb::<RetryDelivery>("/api/v1/outbox/{id}/retry", "sends a dead letter again, or what waits at once")
        .verb::<DropDelivery>("/api/v1/outbox/{id}/drop", "has a delivery not sent")
}

async fn read_list(State(hub): State<HubRef>, Params(params): Params<OutboxParams>) -> Listed<DeliveryView> {
    let page = page_request(params.limit, params.cursor)?;
    let states = names(params.state.as_deref()).filter(|name| *name != "all").map(state);
    let filter = DeliveryFilter {
        states: states.collect::<Result<_, _>>()?,
        destination: params.destination,
        lane: params.lane,
    };
    let found = hub.journal.read(move |reader| {
        Ok(List::counted(reader.deliveries(&filter, &page)?, reader.count(Counted::Deliveries(&filter))?))
    });
    Ok(Json(found.await?.map(|delivery| DeliveryView::from(&delivery))))
}

fn state(name: &str) -> ApiResult<DeliveryStateName> {
    let unknown = || ApiError::query("state", format_args!("`{}` is no state of a delivery", name.escape_debug()));
    DeliveryStateName::parse(&name.to_lowercase().replace('-', "_")).ok_or_else(unknown)
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<DeliveryView>> {
    Ok(Json(DeliveryView::from(&find_delivery(&hub, &id).await?)))
}
