//! What is reported reaches who follows it, whole, and is kept for those who look later.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::fixture::{ToolFixture, operator};
use crate::tools::Caller;

/// A report longer than a line, with line breaks.
fn report(name: &str) -> String {
    format!("{name}: {}\nand one more line", "x".repeat(265))
}

/// A task of the agent `asker` that `dev` has begun.
async fn begun(desk: &ToolFixture, asker: &Caller, dev: &Caller) -> String {
    let assigned = desk.call(asker, "assign_task", json!({"targetAgentId": "dev-1", "prompt": "Go."})).await;
    let task = assigned.text("taskId");
    assert_eq!(desk.call(dev, "wait_for_prompt", json!({})).await.0["taskId"], json!(task));
    desk.call(dev, "ack_task", json!({"taskId": task})).await.done();
    task
}

async fn two(desk: &ToolFixture) -> (Caller, Caller) {
    (desk.agent("asker-1", "orchestrator").await, desk.agent("dev-1", "designer").await)
}

fn progress(task: &str, message: &str) -> Value {
    json!({"taskId": task, "message": message, "phase": "tests", "percent": 40})
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_task_has_each_report_in_the_answer_and_not_as_a_notice() {
    let desk = ToolFixture::new().await;
    let (asker, dev) = two(&desk).await;
    let task = begun(&desk, &asker, &dev).await;
    desk.call(&dev, "update_progress", progress(&task, &report("before"))).await.done();
    let waits = desk.begins(&asker, "wait_for_task", json!({"taskId": task, "timeout": 30}));
    sleep(Duration::from_secs(1)).await;
    for name in ["first", "second"] {
        desk.call(&dev, "update_progress", progress(&task, &report(name))).await.done();
    }
    let ended = json!({"taskId": task, "status": "COMPLETED", "message": "Done."});
    desk.call(&dev, "send_response", ended).await.done();
    let heard = waits.await.expect("an answer");
    assert_eq!((&heard.0["state"], &heard.0["result"]), (&json!("COMPLETED"), &json!("Done.")));
    let told: Vec<&str> =
        heard.0["progress"].as_array().expect("reports").iter().filter_map(|told| told["message"].as_str()).collect();
    assert_eq!(told, [report("before"), report("first"), report("second")]);
    assert_eq!((&heard.0["progress"][1]["percent"], &heard.0["progress"][1]["phase"]), (&json!(40), &json!("tests")));
    let others: Vec<Value> = heard.notices().into_iter().filter(|notice| is_progress(notice, "first")).collect();
    assert!(others.is_empty(), "it is told twice: {others:?}");
    desk.ends().await;
}

fn is_progress(notice: &Value, name: &str) -> bool {
    notice["text"].as_str().is_some_and(|text| text.contains("goes on") && text.contains(&format!("{name}: x")))
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_ends_before_the_task_has_what_was_reported() {
    let desk = ToolFixture::new().await;
    let (asker, dev) = two(&desk).await;
    let task = begun(&desk, &asker, &dev).await;
    let wait = json!({"taskId": task, "timeout": 5});
    let early = desk.call(&asker, "wait_for_task", wait.clone()).await;
    assert_eq!(early.0.get("progress"), None, "{early:?}");
    desk.call(&dev, "update_progress", progress(&task, "Half.")).await.done();
    let later = desk.call(&asker, "wait_for_task", wait).await;
    assert_eq!(later.0["progress"][0]["message"], "Half.", "{later:?}");
    assert!(later.text("prompt").contains("wait_for_task"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_asked_and_does_not_wait_hears_the_newest_with_its_next_call_and_once() {
    let desk = ToolFixture::new().await;
    let (asker, dev) = two(&desk).await;
    let task = begun(&desk, &asker, &dev).await;
    for name in ["first", "second"] {
        desk.call(&dev, "update_progress", progress(&task, &report(name))).await.done();
    }
    let heard = desk.call(&asker, "list_agents", json!({})).await;
    let notices = heard.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(is_progress(&notices[0], "second") && notices[0]["taskId"] == json!(task), "{notices:?}");
    assert!(notices[0]["text"].as_str().is_some_and(|text| text.contains("40 %, tests: second")), "{notices:?}");
    assert_eq!(desk.call(&asker, "list_agents", json!({})).await.notices(), Vec::<Value>::new(), "told once");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn progress_wakes_nobody_who_waits_for_work() {
    let desk = ToolFixture::new().await;
    let (asker, dev) = two(&desk).await;
    let task = begun(&desk, &asker, &dev).await;
    let begun = Instant::now();
    let waits = desk.begins(&asker, "wait_for_prompt", json!({"timeout": 30}));
    sleep(Duration::from_secs(1)).await;
    desk.call(&dev, "update_progress", progress(&task, &report("half"))).await.done();
    let heard = waits.await.expect("an answer");
    assert_eq!((&heard.0["status"], begun.elapsed().as_secs()), (&json!("IDLE"), 30));
    assert!(is_progress(&heard.notices()[0], "half"), "{heard:?}");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_report_stays_whole_for_those_who_look_later() {
    let desk = ToolFixture::new().await;
    let (asker, dev) = two(&desk).await;
    let task = begun(&desk, &asker, &dev).await;
    let long = "y".repeat(60_000);
    for message in [report("first"), long.clone(), "short".to_owned()] {
        desk.call(&dev, "update_progress", progress(&task, &message)).await.done();
    }
    let context = desk.call(&asker, "get_task_context", json!({"taskId": task})).await;
    let history = context.0["task"]["history"].as_array().expect("a history");
    let told: Vec<&Value> = history.iter().filter(|item| item["type"] == "task.progressed").collect();
    assert_eq!(told[0]["data"]["message"], report("first"));
    assert!(told[1]["data"]["message"].as_str().is_some_and(|text| text.contains(" of 60000 bytes are shown here]")));
    desk.call(&dev, "update_progress", progress(&task, &long)).await.done();
    let waited = desk.call(&asker, "wait_for_task", json!({"taskId": task, "timeout": 1})).await;
    let read = desk.reads(&asker, &task, "/task/progress/message").await;
    assert_eq!(read, long, "the newest can be read whole");
    assert!(waited.0["progress"][0]["message"].as_str().is_some_and(|text| text.starts_with("yyy")), "{waited:?}");
    let more = desk.call(&dev, "update_progress", progress(&task, &"z".repeat(64 * 1024 + 1))).await;
    assert!(more.is("TEXT_TOO_LONG").text("message").contains("65536"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_status_stays_whole_after_the_next_one_came() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    for message in [report("first"), "short".to_owned()] {
        desk.call(&dev, "update_status", json!({"status": "working", "message": message})).await.done();
    }
    let history = desk.call(&dev, "get_session_history", json!({"types": ["session.workflow_status"]})).await;
    assert_eq!(history.0["events"][1]["data"]["message"], report("first"), "{history:?}");
    let session = history.0["events"][0]["subject"]["session"].clone();
    let seen = desk.call(&operator(), "get_session_history", json!({"session_id": session})).await;
    assert!(seen.0.to_string().contains("and one more line"), "{seen:?}");
    desk.ends().await;
}
