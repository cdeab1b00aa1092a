//! `ack_task`, `send_response`, `update_progress`: from the offer to the end.

use serde_json::json;

use super::fixture::{ToolFixture, operator};

#[tokio::test(start_paused = true)]
async fn a_completion_is_recorded_in_the_quoted_words() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "full-stack-engineer").await;
    let task = desk.given(&dev, json!({})).await;
    let acked = desk.call(&dev, "ack_task", json!({"taskId": task, "leaseEpoch": 1})).await;
    assert_eq!(acked.0["state"], "IN_PROGRESS");
    assert_eq!(acked.0["expiresAt"], "2027-01-15T08:30:00.000Z");
    let response = json!({"task_id": task, "status": "COMPLETED", "message": "Done.", "artifacts": ["https://x.y/1"]});
    let said = desk.call(&dev, "send_response", response.clone()).await;
    assert_eq!(said.0["message"], format!("Response recorded for {task}"));
    assert_eq!(said.0["state"], "COMPLETED");
    assert_eq!(said.0["recorded"], true);
    assert!(!said.text("prompt").contains("worktree"));
    let again = desk.call(&dev, "send_response", response).await;
    assert_eq!(again.done().0["recorded"], false);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn only_a_role_that_is_to_be_reminded_cleans_up_a_worktree_that_was_given() {
    let desk = ToolFixture::new().await;
    for (id, role, reminded) in [("a1", "full-stack-engineer", true), ("a2", "project-manager", false)] {
        let dev = desk.agent(id, role).await;
        let task = desk.given(&dev, json!({"worktree": true})).await;
        let response = json!({"taskId": task, "status": "COMPLETED", "message": "Done."});
        let prompt = desk.call(&dev, "send_response", response).await.text("prompt");
        let quoted = format!(
            "## REQUIRED ACTION\n1. Verify merged: git log origin/main --oneline | head -1\n2. If not merged: git push \
             origin feature-{task}\n3. Cleanup: git worktree remove .worktrees/feature-{task} --force"
        );
        assert_eq!(prompt == quoted, reminded, "{prompt}");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn each_status_has_its_own_next_step() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let task = desk.given(&dev, json!({})).await;
    let progress = json!({"taskId": task, "message": "Half.", "percent": 50, "phase": "drawing"});
    let said = desk.call(&dev, "update_progress", progress).await;
    assert_eq!(said.0["state"], "IN_PROGRESS");
    assert!(said.text("prompt").contains("Go on"));
    let said = desk.call(&dev, "send_response", json!({"taskId": task, "status": "BLOCKED", "message": "?"})).await;
    assert!(said.is("BLOCKED_REASON_MISSING").text("prompt").contains("blockedReason"));
    let blocked = json!({"taskId": task, "status": "BLOCKED", "message": "?", "blockedReason": "Which colour?"});
    let said = desk.call(&dev, "send_response", blocked).await;
    assert_eq!(said.0["state"], "BLOCKED");
    let said = desk.call(&operator(), "answer_task", json!({"taskId": task, "answer": "Red."})).await;
    assert_eq!(said.0["state"], "QUEUED");
    let said = desk.call(&dev, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["status"], "TASK", "{said:?}");
    assert_eq!(said.0["comments"][0]["text"], "Red.");
    let failed = json!({"taskId": task, "status": "FAILED", "message": "No red left."});
    let said = desk.call(&dev, "send_response", failed).await;
    assert_eq!(said.0["state"], "FAILED");
    assert!(said.text("prompt").contains("wait_for_prompt"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_result_of_a_megabyte_is_kept_whole_and_shown_in_part() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let task = desk.given(&dev, json!({})).await;
    let diff = "+line\n".repeat(200_000);
    let response = json!({"taskId": task, "status": "COMPLETED", "message": "Done.", "diff": diff});
    desk.call(&dev, "send_response", response.clone()).await.done();
    assert_eq!(desk.call(&dev, "send_response", response).await.done().0["recorded"], false);
    let context = desk.call(&dev, "get_task_context", json!({"taskId": task})).await;
    let shown = context.0["task"]["attempts"][0]["diff"].as_str().expect("a diff").to_owned();
    assert!(shown.starts_with("+line\n") && shown.len() < 70_000, "{}", shown.len());
    assert!(shown.ends_with("of 1200000 bytes are shown here]"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_too_long_is_refused_with_its_limit() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let task = desk.given(&dev, json!({})).await;
    let response = json!({"taskId": task, "status": "COMPLETED", "message": "x".repeat(8 * 1024 * 1024 + 1)});
    assert!(desk.call(&dev, "send_response", response).await.is("TEXT_TOO_LONG").text("message").contains("8388608"));
    let work = json!({"targetAgentId": "a1", "prompt": "x".repeat(64 * 1024 + 1)});
    assert!(desk.call(&operator(), "assign_task", work).await.is("TEXT_TOO_LONG").text("message").contains("65536"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_stops_its_worker() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let task = desk.given(&dev, json!({})).await;
    desk.call(&dev, "ack_task", json!({"taskId": task})).await.done();
    let said = desk.call(&operator(), "cancel_task", json!({"taskId": task, "reason": "Plans changed."})).await;
    assert_eq!(said.0["state"], "CANCELLED");
    let said = desk.call(&dev, "update_progress", json!({"taskId": task, "message": "Half."})).await;
    assert!(said.is("TASK_CANCELLED").text("prompt").contains("Stop working on it"));
    assert_eq!(said.notices()[0]["kind"], "cancel");
    let next = desk.call(&dev, "get_agent_status", json!({})).await;
    assert!(next.notices().is_empty(), "the call before showed that the notice arrived");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_old_lease_is_refused_with_both_numbers() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let task = desk.given(&dev, json!({})).await;
    let said = desk.call(&dev, "ack_task", json!({"taskId": task, "leaseEpoch": 7})).await;
    assert_eq!(said.is("LEASE_LOST").0["details"], json!({"given": 7, "current": 1}));
    let words = said.text("message");
    assert!(words.contains("you hold task") && words.contains("lease 7 was never given"), "{words}");
    let advice = said.text("prompt");
    assert!(advice.contains("leaseEpoch 1") && advice.contains("get_task_context"), "{advice}");
    let ann = desk.agent("b1", "designer").await;
    desk.call(&operator(), "list_agents", json!({})).await.done();
    desk.call(&ann, "ack_task", json!({"taskId": task, "leaseEpoch": 1})).await.is("TASK_NOT_FOUND");
    desk.ends().await;
}
