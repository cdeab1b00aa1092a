//! Tasks: made, listed, read, ordered about.

use serde_json::json;

use super::desk;
use crate::actors::agent::WaitEnd;
use crate::domain::principal::Scope;
use crate::transport::web::tests::{agent, person};

#[tokio::test(start_paused = true)]
async fn a_new_task_is_told_where_it_waits_and_can_be_read() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let body = json!({"targetAgentId": "fullstack-1", "prompt": "Add a login.", "title": "Login", "priority": "high"});
    let made = desk.post_as(&person(Scope::Operate), "/api/v1/tasks", body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(made.body["queued"], true);
    assert_eq!(made.body["position"], 1);
    assert_eq!(made.body["target"], "fullstack-1");
    assert_eq!(made.body["reachable"], true);
    let id = made.body["taskId"].as_str().unwrap();
    let task = desk.get_as(&person(Scope::View), &format!("/api/v1/tasks/{id}")).await.body;
    assert_eq!((&task["state"], &task["prompt"]), (&json!("QUEUED"), &json!("Add a login.")));
    assert_eq!(task["from"], json!({"kind": "api", "id": "person:ada", "displayName": "Ada"}));
    assert_eq!(task["history"][0]["type"], "task.created");
    assert_eq!(task["history"][0]["by"], "person:ada");
}

/// Work for anybody goes to those alone whom its asker may give work to, and who has nobody such there hears it.
#[tokio::test(start_paused = true)]
async fn who_asks_anybody_and_reaches_nobody_is_told_at_once() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let folder = tempfile::tempdir().unwrap();
    let people = "people:\n  ada: {principal: \"person:ada\", canAssignTo: [designer]}\n";
    std::fs::write(folder.path().join("people.yaml"), people).unwrap();
    let request = crate::settings::LoadRequest {
        config_dir: Some(folder.path().to_owned()),
        ..crate::settings::LoadRequest::default()
    };
    desk.backstage.reload(crate::settings::load(&request).unwrap().settings);
    let made = desk.post("/api/v1/tasks", json!({"targetAgentId": "any", "prompt": "x"})).await;
    assert_eq!((made.status.as_u16(), &made.body["reachable"]), (201, &json!(false)), "{}", made.text);
    let said = made.body["message"].as_str().unwrap();
    assert!(said.ends_with("nobody fits any among those you may assign to (`designer`) yet."), "{said}");
    desk.registers("designer-1", "designer").await;
    let made = desk.post("/api/v1/tasks", json!({"targetAgentId": "any", "prompt": "x"})).await;
    assert_eq!(made.body["reachable"], true, "{}", made.text);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_with_the_same_key_makes_no_second_task_and_another_request_under_it_is_refused() {
    let desk = desk().await;
    let send = async |prompt: &str| {
        let body = json!({"targetAgentId": "role:full-stack-engineer", "prompt": prompt}).to_string();
        let headers = [("content-type", "application/json"), ("idempotency-key", "k-1")];
        desk.send(&person(Scope::Operate), "/api/v1/tasks", &headers, body).await
    };
    let (first, again) = (send("Once.").await, send("Once.").await);
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201));
    assert_eq!(first.body["taskId"], again.body["taskId"]);
    assert_eq!(desk.get("/api/v1/tasks").await.body["items"].as_array().unwrap().len(), 1);
    send("Twice.").await.is_no(409, "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test(start_paused = true)]
async fn the_list_is_filtered_and_goes_on_behind_a_cursor() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    for n in 0..5 {
        desk.task("fullstack-1", &format!("Work {n}.")).await;
        tokio::time::advance(std::time::Duration::from_millis(5)).await;
    }
    let gone = desk.task("role:test-engineer", "Never mind.").await;
    desk.post(&format!("/api/v1/tasks/{gone}/cancel"), json!({"reason": "changed my mind"})).await;
    let count = async |query: &str| {
        let list = desk.get(&format!("/api/v1/tasks?{query}")).await;
        list.body["items"].as_array().unwrap_or_else(|| panic!("{}", list.text)).len()
    };
    assert_eq!(count("state=QUEUED").await, 5);
    assert_eq!(count("state=queued,cancelled").await, 6);
    assert_eq!(count("state=queued&limit=500&state=cancelled").await, 6, "each with a `state` of its own");
    desk.get("/api/v1/tasks?limit=1&limit=2").await.is_no(400, "INVALID_ARGUMENTS");
    assert_eq!(count("target=role:test-engineer").await, 1);
    assert_eq!(count("priority=critical").await, 0);
    let first = desk.get("/api/v1/tasks?limit=4").await.body;
    let next = first["nextCursor"].as_str().unwrap();
    let second = desk.get(&format!("/api/v1/tasks?limit=4&cursor={next}")).await.body;
    assert_eq!(second["items"].as_array().unwrap().len(), 2);
    assert!(second.get("nextCursor").is_none());
    desk.get("/api/v1/tasks?state=SLEEPING").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/tasks?limit=0").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/tasks?colour=red").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get("/api/v1/tasks?cursor=nonsense").await.is_no(400, "CURSOR_INVALID");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_says_that_it_is_closed_and_a_second_cancel_changes_nothing() {
    let desk = desk().await;
    let id = desk.task("role:test-engineer", "Test it.").await;
    let why = desk.get(&format!("/api/v1/tasks/{id}/why")).await.body;
    assert_eq!((&why["state"], &why["reachable"]), (&json!("QUEUED"), &json!(false)), "{why}");
    let cancel = format!("/api/v1/tasks/{id}/cancel");
    let done = desk.post(&cancel, json!({"reason": "not needed"})).await;
    assert_eq!(done.body, json!({"taskId": id, "state": "CANCELLED", "changed": true}));
    let task = desk.get(&format!("/api/v1/tasks/{id}")).await.body;
    assert_eq!((&task["state"], &task["reason"]), (&json!("CANCELLED"), &json!("not needed")));
    let why = desk.get(&format!("/api/v1/tasks/{id}/why")).await.body;
    assert_eq!(why["summary"], "the task is closed: it is CANCELLED");
    assert_eq!(desk.post(&cancel, json!({})).await.body["changed"], false);
}

#[tokio::test(start_paused = true)]
async fn a_blocked_task_is_answered_and_every_order_needs_its_state() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let id = desk.task("fullstack-1", "Choose a colour.").await;
    let WaitEnd::Task(offered) = desk.waits("fullstack-1").await else { panic!("no task") };
    assert_eq!(offered.spec.id.as_str(), id);
    let why = desk.get(&format!("/api/v1/tasks/{id}/why")).await.body;
    assert_eq!(why["agents"][0]["reasons"], json!(["has it already"]), "{why}");
    let worker = agent("fullstack-1");
    let blocked = json!({"taskId": id, "status": "BLOCKED", "message": "red?", "blockedReason": "which colour?"});
    let done = desk.post_as(&worker, "/api/v1/tools/send_response", blocked).await;
    assert_eq!((done.status.as_u16(), &done.body["success"]), (200, &json!(true)), "{}", done.text);
    let at = |verb: &str| format!("/api/v1/tasks/{id}/{verb}");
    desk.post(&at("retry"), json!({})).await.is_no(409, "TASK_WRONG_STATE");
    desk.post(&at("requeue"), json!({})).await.is_no(409, "TASK_WRONG_STATE");
    desk.post(&at("approve"), json!({})).await.is_no(409, "TASK_WRONG_STATE");
    desk.post(&at("request-changes"), json!({"comments": []})).await.is_no(409, "TASK_WRONG_STATE");
    let remark = json!({"text": "I prefer blue.", "file": "a.css", "line": 3});
    assert_eq!(desk.post(&at("comments"), remark).await.body["changed"], true);
    let answered = desk.post(&at("answer"), json!({"answer": "Blue."})).await;
    assert_eq!(answered.body["state"], "QUEUED", "{}", answered.text);
    let task = desk.get(&format!("/api/v1/tasks/{id}")).await.body;
    let texts: Vec<_> = task["comments"].as_array().unwrap().iter().map(|comment| comment["text"].clone()).collect();
    assert_eq!(texts, ["I prefer blue.", "Blue."]);
    let moved = desk.post(&at("reassign"), json!({"targetAgentId": "role:test-engineer"})).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(desk.get(&format!("/api/v1/tasks/{id}")).await.body["target"], "role:test-engineer");
    desk.post(&at("reassign"), json!({"targetAgentId": "nobody-9"})).await.is_no(404, "TARGET_UNKNOWN");
}

#[tokio::test(start_paused = true)]
async fn a_long_result_is_read_whole_and_so_is_its_diff() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let id = desk.task("fullstack-1", "Write much.").await;
    let missing = desk.get(&format!("/api/v1/tasks/{id}/diff")).await;
    missing.is_no(404, "NOT_FOUND");
    desk.waits("fullstack-1").await;
    let (message, diff) = ("m".repeat(100_000), "+line\n".repeat(50_000));
    let response = json!({"taskId": id, "status": "COMPLETED", "message": message, "diff": diff});
    let done = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/send_response", response).await;
    assert_eq!(done.status, 200, "{}", done.text);
    let task = desk.get(&format!("/api/v1/tasks/{id}")).await.body;
    assert_eq!(task["attempts"][0]["message"], message);
    let shown = desk.get(&format!("/api/v1/tasks/{id}/diff")).await;
    assert_eq!((shown.status.as_u16(), shown.text == diff), (200, true));
    assert_eq!(shown.headers["content-type"], "text/plain; charset=utf-8");
}

#[tokio::test(start_paused = true)]
async fn of_many_comments_lists_have_the_newest_and_all_are_read_page_by_page() {
    let desk = desk().await;
    let made = desk.post("/api/v1/tasks", json!({"targetAgentId": "any", "prompt": "x"})).await;
    let path = format!("/api/v1/tasks/{}", made.body["taskId"].as_str().unwrap());
    for n in 0..120 {
        let said = desk.post(&format!("{path}/comments"), json!({"text": format!("remark {n}")})).await;
        assert_eq!(said.status, 200, "{}", said.text);
    }
    let texts = |body: &serde_json::Value| -> Vec<String> {
        let all = body.as_array().unwrap().iter();
        all.map(|comment| comment["text"].as_str().unwrap().to_owned()).collect()
    };
    let listed = desk.get("/api/v1/tasks").await.body["items"][0].clone();
    assert_eq!(texts(&listed["comments"]), ["remark 115", "remark 116", "remark 117", "remark 118", "remark 119"]);
    let (one, standing) = (desk.get(&path).await.body, desk.get("/api/v1/snapshot").await.body);
    assert_eq!((one["comments"].as_array().unwrap().len(), &one["commentCount"]), (100, &json!(120)));
    assert_eq!((texts(&standing["tasks"][0]["comments"]).len(), &listed["commentCount"]), (5, &json!(120)));
    let (mut read, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = desk.get(&format!("{path}/comments?limit=50{cursor}")).await.body;
        read.extend(texts(&page["items"]));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(read, (0..120).map(|n| format!("remark {n}")).collect::<Vec<_>>());
    assert_eq!(desk.get(&format!("{path}/comments?cursor=x")).await.status, 400);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_edited_until_somebody_reads_it_and_then_only_made_more_urgent() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let task = desk.task("fullstack-1", "Build the login.").await;
    let edit = format!("/api/v1/tasks/{task}/edit");
    let told = desk.post(&edit, json!({"title": "Sign in", "prompt": "Build it\u{202e} with passkeys."})).await;
    assert_eq!(&told.body["changed"], &json!(true), "{}", told.text);
    let again = desk.post(&edit, json!({"title": "Sign in"})).await;
    assert_eq!(again.body["changed"], false, "it is so already: {}", again.text);
    for (body, code) in [
        (json!({}), "INVALID_ARGUMENTS"),
        (json!({"prompt": " "}), "INVALID_ARGUMENTS"),
        (json!({"prompt": "x".repeat(65 * 1024)}), "TEXT_TOO_LONG"),
        (json!({"title": "x".repeat(5 * 1024)}), "TEXT_TOO_LONG"),
        (json!({"target": "any"}), "INVALID_ARGUMENTS"),
        (json!(["Signed in", "Build nothing.", "high"]), "INVALID_ARGUMENTS"),
    ] {
        let refused = desk.post(&edit, body).await;
        assert_eq!(refused.body["code"], code, "{}", refused.text);
    }
    let offer = desk.post_as(&agent("fullstack-1"), "/api/v1/tools/wait_for_prompt", json!({})).await.body;
    assert_eq!((&offer["title"], &offer["prompt"]), (&json!("Sign in"), &json!("Build it with passkeys.")), "{offer}");
    let late = desk.post(&edit, json!({"prompt": "Build something else."})).await;
    assert_eq!(late.status, 409, "{}", late.text);
    assert_eq!(late.body["code"], "TASK_WRONG_STATE", "{}", late.text);
    assert!(late.text.contains("comment on it instead"), "{}", late.text);
    assert_eq!(desk.post(&edit, json!({"priority": "critical"})).await.body["changed"], true);
    let shown = desk.get(&format!("/api/v1/tasks/{task}")).await.body;
    assert_eq!((&shown["prompt"], &shown["priority"]), (&json!("Build it with passkeys."), &json!("critical")));
}
