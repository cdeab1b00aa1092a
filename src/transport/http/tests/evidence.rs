//! A role that demands proof: a completion that falls short is refused, with what is missing.

use serde_json::{Value, json};

use super::guarded_hub::GuardedHub;
use crate::domain::ids::RoleId;
use crate::domain::principal::Scope;
use crate::domain::task::EvidenceGrade;

#[tokio::test(start_paused = true)]
async fn a_completion_without_the_proof_that_its_role_demands_is_refused_and_says_what_is_missing() {
    let house = GuardedHub::with(|settings| {
        let role = RoleId::parse("full-stack-engineer").unwrap();
        settings.roles.roles.get_mut(&role).unwrap().completion.min_evidence = EvidenceGrade::Ci;
    })
    .await;
    let (operator, agent) = (house.token_of("ann", Scope::Operate), house.agent_token("fullstack-1"));
    let calls = async |tool: &str, arguments: Value| {
        house.orders("POST", &format!("/api/v1/tools/{tool}"), &agent, arguments).await
    };
    calls("register_agent", json!({"agentId": "fullstack-1", "role": "full-stack-engineer"})).await;
    let body = json!({"targetAgentId": "fullstack-1", "prompt": "Build it."});
    let made = house.orders("POST", "/api/v1/tasks", &operator, body).await;
    let task = made.body["taskId"].as_str().unwrap().to_owned();
    calls("wait_for_prompt", json!({})).await;
    calls("ack_task", json!({ "taskId": task })).await;

    let command = json!({"kind": "command", "name": "cargo test", "outcome": "passed"});
    let failed = json!({"kind": "ci", "name": "build", "outcome": "failure", "url": "https://ci.example/1"});
    for (evidence, given) in
        [(Value::Null, "said"), (json!("it works"), "said"), (json!([command, failed]), "self_checked")]
    {
        let refused = calls("complete_task", json!({"summary": "Built.", "evidence": evidence})).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (422, "EVIDENCE_MISSING"), "{}", refused.text);
        let details = &refused.body["details"];
        assert_eq!((&details["needed"], &details["given"]), (&json!("ci"), &json!(given)), "{}", refused.text);
        assert!(details["missing"].as_str().unwrap().contains("kind: \"ci\""), "{}", refused.text);
        let report = json!({"taskId": task, "status": "COMPLETED", "message": "Built.", "evidence": evidence});
        assert_eq!(calls("send_response", report).await.code(), "EVIDENCE_MISSING", "no way leads around it");
    }
    let status = calls("update_status", json!({"status": "completed", "message": "Built."})).await;
    assert_eq!(status.code(), "EVIDENCE_MISSING", "{}", status.text);
    let blocked = json!({"taskId": task, "status": "PROGRESS", "message": "CI runs."});
    assert_eq!(calls("send_response", blocked).await.status, 200, "only a completion needs proof");
    let passed = json!({"kind": "ci", "name": "build", "outcome": "success", "url": "https://ci.example/2"});
    let done = calls("complete_task", json!({"summary": "Built.", "evidence": [command, passed]})).await;
    assert_eq!((done.status.as_u16(), &done.body["state"]), (200, &json!("COMPLETED")), "{}", done.text);
    house.ends().await;
}
