//! Answers that are in a door's hands while the same agent makes other calls.

use serde_json::json;

use super::fixture::ToolFixture;
use std::sync::Arc;

use crate::actors::agent::AnswerGuard;
use crate::tools::{self, Caller};

struct Scene {
    desk: ToolFixture,
    dev: Caller,
}

impl Scene {
    /// An agent to which somebody said something.
    async fn new() -> Self {
        let desk = ToolFixture::new().await;
        let (pm, dev) = (desk.agent("pm-1", "pm").await, desk.agent("dev-1", "coding").await);
        desk.call(&dev, "list_agents", json!({})).await.done();
        desk.call(&pm, "send_message", json!({"to": "dev-1", "text": "Look at the other page."})).await.done();
        Self { desk, dev }
    }

    /// How many notices the answer to its next call has, and that answer, in the door's hands.
    async fn calls(&self) -> (usize, Option<Arc<AnswerGuard>>) {
        let reply = tools::call(&self.desk.hub, &self.dev, "list_agents", json!({})).await.expect("a list");
        (reply.notices.len(), reply.guard)
    }

    /// The same, and the answer leaves.
    async fn hears(&self) -> usize {
        let (told, delivery) = self.calls().await;
        delivery.inspect(|guard| guard.leaves());
        told
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_lost_answer_told_is_told_again_though_another_call_began_before_it_was_lost() {
    let scene = Scene::new().await;
    let (told, first) = scene.calls().await;
    assert_eq!(told, 1);
    assert_eq!(scene.hears().await, 0, "the first answer tells it, and is not lost yet");
    first.expect("a notice in it").lost();
    assert_eq!(scene.hears().await, 1, "the call between says nothing of the first answer");
    assert_eq!(scene.hears().await, 0, "that one has left");
    scene.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_dropped_without_a_word_never_left() {
    let scene = Scene::new().await;
    drop(scene.calls().await);
    assert_eq!(scene.hears().await, 1);
    assert_eq!(scene.hears().await, 0);
    scene.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_has_left_is_heard_with_the_next_call_though_its_door_still_holds_it() {
    let scene = Scene::new().await;
    let (_, first) = scene.calls().await;
    let first = first.expect("a notice in it");
    first.leaves();
    assert_eq!(scene.hears().await, 0);
    first.lost();
    assert_eq!(scene.hears().await, 0, "it was heard by then");
    scene.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_has_left_and_is_known_to_be_unread_before_the_next_call_is_told_again() {
    let scene = Scene::new().await;
    let (_, first) = scene.calls().await;
    let first = first.expect("a notice in it");
    first.leaves();
    first.lost();
    assert_eq!(scene.hears().await, 1);
    scene.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_notices_of_a_wait_are_under_way_until_its_answer_has_left() {
    let scene = Scene::new().await;
    let waited = tools::call(&scene.desk.hub, &scene.dev, "wait_for_prompt", json!({})).await.expect("an end");
    assert_eq!((waited.notices.len(), scene.hears().await), (1, 0));
    waited.guard.expect("a notice in it").lost();
    let again = tools::call(&scene.desk.hub, &scene.dev, "wait_for_prompt", json!({})).await.expect("an end");
    assert_eq!(again.notices.len(), 1);
    scene.desk.ends().await;
}

/// Two answers with the same notice: a short one that has left, and a long one that began before that and is in
/// its door's hands.
async fn both(scene: &Scene) -> (Arc<AnswerGuard>, Arc<AnswerGuard>) {
    let (desk, dev) = (&scene.desk, &scene.dev);
    let long = desk.call(dev, "assign_task", json!({"targetAgentId": "role:testing", "prompt": "Test it."})).await;
    let arguments = json!({"taskId": long.done().0["taskId"], "timeout": 5});
    let long = tools::call(&desk.hub, dev, "wait_for_task", arguments);
    let short = async {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        let words = json!({"to": "dev-1", "text": "And here."});
        desk.call(&desk.agent("pm-2", "pm").await, "send_message", words).await.done();
        let (told, short) = scene.calls().await;
        assert_eq!(told, 1);
        short.inspect(|guard| guard.leaves())
    };
    let (long, short) = tokio::join!(long, short);
    let long = long.expect("an answer");
    assert_eq!(long.notices.len(), 1, "nothing has shown by then that the first one arrived");
    (short.expect("a notice in it"), long.guard.expect("a notice in it"))
}

#[tokio::test(start_paused = true)]
async fn what_left_with_a_lost_answer_alone_waits_for_the_one_that_brings_it_again() {
    let scene = Scene::new().await;
    let (short, long) = both(&scene).await;
    short.lost();
    assert_eq!(scene.hears().await, 0, "the long one brings it, and is on its way");
    long.lost();
    assert_eq!(scene.hears().await, 1);
    scene.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_left_with_one_answer_is_not_told_again_because_another_with_it_is_lost() {
    let scene = Scene::new().await;
    let (_short, long) = both(&scene).await;
    long.lost();
    assert_eq!(scene.hears().await, 0, "the short one has left, and this call shows that it arrived");
    scene.desk.ends().await;
}
