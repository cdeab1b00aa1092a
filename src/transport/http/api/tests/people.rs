//! Agents, sessions, limits.

use serde_json::json;

use super::desk;

#[tokio::test(start_paused = true)]
async fn agents_are_listed_by_id_and_by_what_they_do() {
    let desk = desk().await;
    for (id, role) in [("tester-1", "test-engineer"), ("fullstack-2", "full-stack-engineer")] {
        desk.registers(id, role).await;
    }
    desk.task("tester-1", "Test it.").await;
    let ids = async |query: &str| {
        let list = desk.get(&format!("/api/v1/agents{query}")).await.body;
        let items = list["items"].as_array().unwrap().iter();
        items.map(|agent| agent["agentId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("").await, ["fullstack-2", "tester-1"]);
    assert_eq!(ids("?role=test-engineer").await, ["tester-1"]);
    assert_eq!(ids("?role=testing").await, ["tester-1"], "an alias means its role");
    assert_eq!(ids("?role=Coding").await, ["fullstack-2"]);
    assert_eq!(ids("?role=nobody").await, [""; 0]);
    assert_eq!(ids("?availability=evicted").await, [""; 0]);
    assert_eq!(ids("?limit=1&cursor=fullstack-2").await, ["tester-1"]);
    let one = desk.get("/api/v1/agents/tester-1").await.body;
    assert_eq!((&one["queued"], &one["role"]), (&json!(1), &json!("test-engineer")));
    let session = one["sessionId"].as_str().unwrap();
    let sessions = desk.get("/api/v1/sessions?agent=tester-1").await.body;
    assert_eq!(sessions["items"][0]["sessionId"], session);
    let shown = desk.get(&format!("/api/v1/sessions/{session}")).await.body;
    assert_eq!(shown["agentId"], "tester-1");
}

#[tokio::test(start_paused = true)]
async fn an_evicted_agent_is_shown_as_such() {
    let desk = desk().await;
    desk.registers("tester-1", "test-engineer").await;
    let evict = "/api/v1/agents/tester-1/evict";
    desk.post(evict, json!({"action": "RESTART", "reason": " "})).await.is_no(400, "INVALID_ARGUMENTS");
    desk.post(evict, json!({"action": "EXPLODE", "reason": "x"})).await.is_no(400, "INVALID_ARGUMENTS");
    let done = desk.post(evict, json!({"action": "RESTART", "reason": "new version"})).await;
    assert_eq!(done.body, json!({"agentId": "tester-1", "action": "RESTART", "reason": "new version"}));
    assert_eq!(desk.get("/api/v1/agents/tester-1").await.body["availability"], "evicted");
    let nobody = desk.post("/api/v1/agents/nobody/evict", json!({"action": "SHUTDOWN", "reason": "x"})).await;
    nobody.is_no(404, "AGENT_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn limits_say_what_may_be_and_what_is() {
    let desk = desk().await;
    desk.task("role:test-engineer", "One.").await;
    let limits = desk.get("/api/v1/limits").await.body;
    assert_eq!((&limits["queued"], &limits["apiBody"]), (&json!(1), &json!(65_536)));
}
