//! How many steps one task takes: messages between actors, appends, and reads of the journal. The numbers may only
//! fall; `docs/figures.md` says which steps they are.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::fixture::{ToolFixture, operator};
use crate::actors::HubRef;
use crate::domain::ids::TaskId;

/// Of each kind of actor the messages that it handled; of the journal the appends that it kept.
type Steps = BTreeMap<&'static str, u64>;

/// What every actor has handled by now, once all of them are at rest.
async fn handled(hub: &HubRef) -> Steps {
    tokio::time::sleep(Duration::from_millis(10)).await;
    let mut steps = Steps::from([("reads", hub.journal.reads().taken())]);
    let tree = hub.supervisor.tree(9).await.expect("the tree");
    for view in tree.children.iter().chain([&tree]) {
        *steps.entry(view.kind).or_default() += view.handled;
    }
    steps
}

/// What was handled in between. To be asked for its picture is one message more for each actor but the journal.
fn between(before: &Steps, after: &Steps) -> Steps {
    let picture = |kind: &str| u64::from(!matches!(kind, "journal" | "noticeboard" | "reads"));
    let more = |(kind, count): (&&'static str, &u64)| {
        let steps = count - before.get(kind).copied().unwrap_or_default() - picture(kind);
        (steps > 0).then_some((*kind, steps))
    };
    after.iter().filter_map(more).collect()
}

/// What an agent's wait, a call with its delivery, its acknowledgement and its completion take. One read in each is of
/// the session, which reads itself anew for its picture.
const STEPS: [&[(&str, u64)]; 4] = [
    &[("agent", 2), ("alarm", 1), ("dispatcher", 1), ("reads", 1), ("session", 1)],
    &[
        ("agent", 2),
        ("alarm", 2),
        ("dispatcher", 3),
        ("journal", 1),
        ("reads", 1),
        ("session", 1),
        ("supervisor", 1),
        ("task", 1),
    ],
    &[("agent", 2), ("alarm", 1), ("dispatcher", 1), ("journal", 1), ("reads", 1), ("session", 1), ("task", 1)],
    &[("agent", 2), ("alarm", 1), ("dispatcher", 2), ("journal", 1), ("reads", 2), ("schedules", 1), ("session", 1)],
];

#[tokio::test(start_paused = true)]
async fn a_task_takes_no_more_steps_than_it_did() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "coding").await;

    // A session that registered is read again with its first picture.
    handled(&desk.hub).await;
    let before = handled(&desk.hub).await;
    let waiting = desk.begins(&dev, "wait_for_prompt", json!({}));
    let parked = handled(&desk.hub).await;

    let asked = json!({"targetAgentId": "a1", "prompt": "Implement login."});
    let task = desk.call(&operator(), "assign_task", asked).await.text("taskId");
    waiting.await.expect("a wait").done();
    let delivered = handled(&desk.hub).await;

    desk.call(&dev, "ack_task", json!({"taskId": task})).await.done();
    let taken = handled(&desk.hub).await;

    let id = TaskId::parse(&task).expect("an id");
    let line = desk.hub.dispatcher.task(&id).await.expect("a dispatcher").expect("an open task");
    let again = handled(&desk.hub).await;
    let handled_before = line.handled();
    // Under a key: nobody looks for it before it is written.
    let report = json!({"taskId": task, "status": "COMPLETED", "message": "Done.", "idempotencyKey": "once"});
    desk.call(&dev, "send_response", report).await.done();
    let closed = handled(&desk.hub).await;
    assert_eq!(line.handled() - handled_before, 1, "a closed task is in no tree");
    let steps = [(&before, &parked), (&parked, &delivered), (&delivered, &taken), (&again, &closed)];
    let [waits, called, acknowledged, completed] = STEPS.map(|steps| steps.iter().copied().collect::<Steps>());
    assert_eq!(steps.map(|(before, after)| between(before, after)), [waits, called, acknowledged, completed]);
    desk.ends().await;
}
