//! The outbox over the API: seen by who may look, settled by who may operate, and by nobody who is narrowed.

use serde_json::{Value, json};

use super::desk;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::{DeliveryId, DeliveryRecord, NewDelivery};
use crate::domain::principal::{By, Scope, Surface};
use crate::journal::{Append, Entry, HubRecord, Kept, Row, Seq};
use crate::settings::{LoadRequest, load};
use crate::transport::web::tests::{Answered, RouteFixture, agent, person};

/// Something must go out to a destination that nothing is sent to any more. Its id.
async fn waits(desk: &RouteFixture, lane: &str) -> String {
    let hub = &desk.backstage.hub;
    let (destination, lane) = ("gone".to_owned(), lane.to_owned());
    let new = NewDelivery { destination, lane, summary: "a task is done".to_owned(), body: json!({"secret": "x"}) };
    let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
    let started = Entry::of_hub(HubRecord::Started { version: "1".to_owned() });
    let rows = vec![Row::Outgoing(Box::new(new))];
    let append = Append { rows, ..Append::new(hub.clock.now(), by, vec![started]) };
    format!("d_{}_0", hub.journal.append(append).await.unwrap().first)
}

/// The same, and it could not be delivered.
async fn is_dead(desk: &RouteFixture, lane: &str) -> String {
    let name = waits(desk, lane).await;
    let (hub, id) = (&desk.backstage.hub, DeliveryId::parse(&name).unwrap());
    let mut after = hub.journal.read(move |reader| reader.delivery(id)).await.unwrap().unwrap();
    let reason = "410 Gone".to_owned();
    after.apply(hub.clock.now(), &DeliveryRecord::DeadLettered { reason: reason.clone() });
    let (destination, summary) = (after.destination.clone(), after.summary.clone());
    let told = Entry::of_hub(HubRecord::DeliveryDeadLettered { delivery: id, destination, summary, reason });
    let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
    let rows = vec![Row::Delivery(Box::new(after))];
    hub.journal.append(Append { rows, ..Append::new(hub.clock.now(), by, vec![told]) }).await.unwrap();
    name
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_is_in_the_inbox_until_a_person_retries_or_drops_it() {
    let desk = desk().await;
    let (first, second) = (is_dead(&desk, "a").await, is_dead(&desk, "b").await);
    let (first, second) = (format!("dead_delivery:{first}"), format!("dead_delivery:{second}"));
    waits(&desk, "c").await;
    let inbox = desk.get("/api/v1/inbox").await;
    assert_eq!(ids(&inbox), [&first, &second], "and what only waits needs nobody");
    assert_eq!(ids(&desk.get("/api/v1/inbox?kind=dead-delivery").await).len(), 2);
    let item = &inbox.body["items"][0];
    assert_eq!((&item["title"], &item["actions"]), (&json!("a task is done"), &json!(["retry", "drop"])));
    assert_eq!(item["reason"], "it could not be delivered to `gone`: 410 Gone");
    assert!(!inbox.text.contains("secret"), "what is sent is not shown: {}", inbox.text);
    let acts = json!({"actions": [
        {"item": first, "action": "cancel"},
        {"item": first, "action": "drop"},
        {"item": first, "action": "retry"},
        {"item": second, "action": "drop", "value": "too late"},
    ]});
    let done = desk.post("/api/v1/inbox/actions", acts).await;
    let results = done.body["results"].as_array().unwrap();
    let codes: Vec<_> = results.iter().map(|result| result["code"].as_str().unwrap_or("done")).collect();
    assert_eq!(codes, ["INVALID_ARGUMENTS", "INVALID_ARGUMENTS", "done", "done"], "{}", done.text);
    assert_eq!((&results[2]["state"], &results[3]["state"]), (&json!("pending"), &json!("dropped")));
    let dropped = desk.get(&format!("/api/v1/outbox/{}", second.trim_start_matches("dead_delivery:"))).await;
    assert_eq!((&dropped.body["reason"], &dropped.body["droppedBy"]), (&json!("too late"), &json!("person:ada")));
    assert_eq!(ids(&desk.get("/api/v1/inbox").await), [""; 0]);
}

async fn keyed(desk: &RouteFixture, path: &str, body: &Value) -> Answered {
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    desk.send(&person(Scope::Operate), path, &headers, body.to_string()).await
}

fn ids(listed: &Answered) -> Vec<&str> {
    listed.body["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn deliveries_are_listed_shown_retried_and_dropped() {
    let desk = desk().await;
    let (first, second) = (waits(&desk, "a").await, waits(&desk, "b").await);
    assert_eq!(ids(&desk.get("/api/v1/outbox").await), [&second, &first]);
    assert_eq!(desk.get("/api/v1/outbox?limit=1").await.body["total"], 2);
    assert_eq!(ids(&desk.get("/api/v1/outbox?destination=gone&lane=a&state=pending").await), [&first]);
    assert_eq!(ids(&desk.get("/api/v1/outbox?state=dead-letter").await), [""; 0]);
    desk.get("/api/v1/outbox?state=lost").await.is_no(400, "INVALID_ARGUMENTS");
    let shown = desk.get(&format!("/api/v1/outbox/{first}")).await;
    let key = format!("gone.{first}");
    assert_eq!((&shown.body["state"], &shown.body["idempotencyKey"]), (&json!("pending"), &json!(key)));
    assert!(!shown.text.contains("secret"), "what is sent is not shown: {}", shown.text);
    let retried = desk.post(&format!("/api/v1/outbox/{first}/retry"), json!({})).await;
    assert_eq!((retried.status.as_u16(), &retried.body["state"]), (200, &json!("pending")));
    // Under one key it is done once, and answered as the first time.
    let (drop, why) = (format!("/api/v1/outbox/{first}/drop"), json!({"reason": "too late"}));
    let dropped = keyed(&desk, &drop, &why).await;
    assert_eq!(dropped.body["state"], "dropped", "{}", dropped.text);
    assert_eq!(keyed(&desk, &drop, &why).await.body, dropped.body);
    let other = json!({"reason": "another"});
    keyed(&desk, &drop, &other).await.is_no(409, "IDEMPOTENCY_KEY_REUSED");
    desk.post(&drop, why).await.is_no(409, "DELIVERY_WRONG_STATE");
    desk.post(&format!("/api/v1/outbox/{second}/drop"), json!({"reason": " "})).await.is_no(400, "INVALID_ARGUMENTS");
    desk.post("/api/v1/outbox/d_999_0/retry", json!({})).await.is_no(404, "DELIVERY_NOT_FOUND");
    desk.get("/api/v1/outbox/whatever").await.is_no(404, "DELIVERY_NOT_FOUND");
    let records = desk.backstage.hub.journal.read(|reader| reader.records(Seq(0), 99)).await.unwrap();
    let settled = |kept: &&Kept| matches!(kept.record.kind().name, "hub.delivery_retried" | "hub.delivery_dropped");
    let by: Vec<&str> = records.iter().filter(settled).map(|kept| kept.by.principal.as_str()).collect();
    assert_eq!(by, ["person:ada", "person:ada"]);
}

#[tokio::test(start_paused = true)]
async fn who_is_narrowed_or_no_operator_settles_no_delivery() {
    let desk = desk().await;
    let id = waits(&desk, "a").await;
    is_dead(&desk, "b").await;
    let retry = format!("/api/v1/outbox/{id}/retry");
    for who in [person(Scope::View), agent("fullstack-1")] {
        desk.post_as(&who, &retry, json!({})).await.is_no(403, "INSUFFICIENT_SCOPE");
    }
    let folder = tempfile::tempdir().unwrap();
    let people = "people:\n  ada: {principal: \"person:ada\", canOperate: [full-stack-engineer]}\n";
    std::fs::write(folder.path().join("people.yaml"), people).unwrap();
    let request = LoadRequest { config_dir: Some(folder.path().to_owned()), ..LoadRequest::default() };
    desk.backstage.reload(load(&request).unwrap().settings);
    desk.post(&retry, json!({})).await.is_no(403, "NOT_PERMITTED");
    assert_eq!(ids(&desk.get("/api/v1/inbox").await), [""; 0], "and is shown none in the inbox");
    let drop = format!("/api/v1/outbox/{id}/drop");
    desk.post(&drop, json!({"reason": "too late"})).await.is_no(403, "NOT_PERMITTED");
    assert_eq!(desk.get(&format!("/api/v1/outbox/{id}")).await.body["state"], "pending");
}
