//! Answers that nobody gets, in a session and around its end: what they carry goes to whoever waits.

use super::*;
use crate::tools;
use crate::transport::web::{Slot, Watched};

/// Two agents of one role; the first has been handed a task by an answer that was not given to any door yet.
async fn handed_out(house: &House) -> (tools::Delivery, Caller) {
    let (first, second) = (house.desk.agent("a1", "coding").await, house.desk.agent("a2", "coding").await);
    house.desk.call(&operator(), "assign_task", work()).await.done();
    let reply = tools::call(&house.desk.hub, &first, "wait_for_prompt", json!({})).await.expect("a task");
    (reply.delivery.expect("it carries an offer"), second)
}

fn work() -> Value {
    json!({"targetAgentId": "role:coding", "prompt": "Go."})
}

async fn goes_on_to(house: House, second: &Caller) {
    let said = house.desk.call(second, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["leaseEpoch"], 2, "{said:?}");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_a_call_comes_to_when_its_answer_is_lost_already_goes_to_who_waits() {
    let house = House::new().await;
    let (delivery, second) = handed_out(&house).await;
    let slot = Slot::default();
    drop(Watched::new(Body::from("words"), slot.clone()));
    slot.put(delivery);
    goes_on_to(house, &second).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_stream_ends_without_the_answer_goes_to_who_waits() {
    let house = House::new().await;
    let (delivery, second) = handed_out(&house).await;
    let slot = Slot::default();
    let comment = futures_util::stream::iter([Ok::<_, std::io::Error>(": waiting\n\n")]);
    let mut body = Watched::new(Body::from_stream(comment), slot.clone());
    assert!(body.frame().await.is_some());
    slot.put(delivery);
    assert!(body.frame().await.is_none());
    drop(body);
    goes_on_to(house, &second).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_in_an_event_of_a_session_that_nobody_read_goes_to_who_waits() {
    let house = House::new().await;
    let (first, second) = (house.desk.agent("a1", "coding").await, house.desk.agent("a2", "coding").await);
    let session = house.session(&first).await;
    let unread = house.in_session(&first, &session, "tools/call", tool("wait_for_prompt", json!({}))).await;
    house.until_somebody_waits().await;
    house.desk.call(&operator(), "assign_task", work()).await.done();
    drop(unread);
    goes_on_to(house, &second).await;
}
