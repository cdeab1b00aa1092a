//! What is reported while a call waits goes to its client as progress, whole and at once.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{McpFixture, messages, tool};

#[rstest]
#[case::in_a_session(false)]
#[case::without_one(true)]
#[tokio::test(start_paused = true)]
async fn progress_of_a_task_is_shown_to_who_waits_for_it(#[case] modern: bool) {
    let house = McpFixture::new().await;
    let (asker, dev) = (house.desk.agent("a1", "orchestrator").await, house.desk.agent("dev-1", "coding").await);
    let assigned = json!({"targetAgentId": "dev-1", "prompt": "Go."});
    let task = house.desk.call(&asker, "assign_task", assigned).await.text("taskId");
    house.desk.call(&dev, "wait_for_prompt", json!({})).await.done();
    let mut wait = tool("wait_for_task", json!({"taskId": task, "timeout": 100}));
    wait["_meta"] = json!({"progressToken": "p1"});
    let response = if modern {
        house.modern(&asker, "tools/call", wait).await
    } else {
        let session = house.session(&asker).await;
        house.in_session(&asker, &session, "tools/call", wait).await
    };
    #[expect(clippy::disallowed_methods, reason = "a client of its own")]
    let reading = tokio::spawn(messages(response));
    sleep(Duration::from_secs(1)).await;
    let report = format!("half: {}\nand one more line", "x".repeat(265));
    let progress = json!({"taskId": task, "message": report, "phase": "tests", "percent": 40});
    house.desk.call(&dev, "update_progress", progress).await.done();
    sleep(Duration::from_secs(1)).await;
    let ended = json!({"taskId": task, "status": "COMPLETED", "message": "Done."});
    house.desk.call(&dev, "send_response", ended).await.done();
    let messages = reading.await.expect("messages");
    let (answer, notes) = messages.split_last().expect("an answer");
    let told: Vec<&Value> = notes.iter().map(|note| &note["params"]["message"]).collect();
    assert_eq!(told, [&json!("Waiting."), &json!(format!("40 %, tests: {report}"))]);
    assert!(notes.iter().all(|note| note["params"]["progressToken"] == "p1"), "{notes:?}");
    let numbers: Vec<f64> = notes.iter().filter_map(|note| note["params"]["progress"].as_f64()).collect();
    assert_eq!(numbers, [1.0, 2.0], "each counts one more than the one before");
    assert_eq!(answer["result"]["structuredContent"]["progress"][0]["message"], json!(report), "{answer}");
    house.desk.ends().await;
}
