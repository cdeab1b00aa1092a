//! `register_agent`: who one is, and what configuration leaves of what one claims.

use rstest::rstest;
use serde_json::{Value, json};

use super::fixture::{ToolFixture, agent, over};
use crate::domain::ids::AgentId;

#[tokio::test(start_paused = true)]
async fn a_role_is_found_by_its_alias_and_brings_its_rights() {
    let desk = ToolFixture::new().await;
    let said = desk.call(&agent("dev-1"), "register_agent", json!({"agentId": "dev-1", "role": "coding"})).await;
    assert_eq!(said.0["role"], "full-stack-engineer");
    assert_eq!(said.0["displayName"], "dev-1");
    assert_eq!(said.0["effectiveRights"]["canDelegateTo"], json!(["test-engineer"]));
    assert_eq!(said.0["effectiveRights"]["reportsTo"], json!(["project-manager"]));
    assert_eq!(said.0["heldTasks"], json!([]));
    assert_eq!(said.0["warnings"], json!([]));
    assert!(said.text("sessionId").starts_with("s_"));
    assert!(said.text("prompt").contains("wait_for_prompt"));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_claim_can_narrow_and_never_widen_and_hears_what_was_cut() {
    let desk = ToolFixture::new().await;
    let claim = json!({
        "agent_id": "dev-1", "role": "full-stack-engineer",
        "capabilities": ["code-writing", "mind-reading"],
        "can_delegate_to": ["testing", "project-manager"],
        "reports_to": ["designer"],
    });
    let said = desk.call(&agent("dev-1"), "register_agent", claim).await;
    let rights = &said.0["effectiveRights"];
    assert_eq!(rights["capabilities"], json!(["code-writing"]));
    assert_eq!(rights["canDelegateTo"], json!(["test-engineer"]));
    assert_eq!(rights["reportsTo"], json!([]));
    let warnings = said.0["warnings"].to_string();
    for cut in ["mind-reading", "project-manager", "designer"] {
        assert!(warnings.contains(cut), "{warnings}");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_left_empty_is_left_out() {
    let desk = ToolFixture::new().await;
    let bare = json!({"agentId": "dev-1", "role": "coding"});
    let empty = json!({
        "agentId": "dev-2", "role": "coding", "capabilities": [], "canDelegateTo": [], "reportsTo": "[]",
        "workspace": {}, "displayName": "", "client": "",
    });
    let bare = desk.call(&agent("dev-1"), "register_agent", bare).await;
    let empty = desk.call(&agent("dev-2"), "register_agent", empty).await;
    assert_eq!(empty.done().0["effectiveRights"], bare.done().0["effectiveRights"]);
    assert_ne!(empty.0["effectiveRights"]["capabilities"], json!([]));
    assert_eq!(empty.0["warnings"], json!([]));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_is_configured_by_name_has_that_role_and_those_rights_whatever_it_claims() {
    let desk = ToolFixture::with(|settings| {
        let own = json!({"role": "designer", "canDelegateTo": ["test-engineer"], "capabilities": ["sketching"]});
        let own = serde_json::from_value(own).expect("a configuration");
        settings.roles.agents.insert(AgentId::parse("a1").expect("an id"), own);
    })
    .await;
    let a1 = agent("a1");
    let claim = json!({
        "agentId": "a1", "role": "orchestrator", "canDelegateTo": ["*"], "capabilities": ["sketching", "planning"],
    });
    let said = desk.call(&a1, "register_agent", claim).await;
    assert_eq!((&said.0["success"], &said.0["role"]), (&json!(true), &json!("designer")), "{said:?}");
    let rights = &said.0["effectiveRights"];
    assert_eq!(rights["canDelegateTo"], json!(["test-engineer"]));
    assert_eq!(rights["capabilities"], json!(["sketching"]));
    let warnings = said.0["warnings"].to_string();
    for cut in ["you are configured as `designer`", "planning"] {
        assert!(warnings.contains(cut), "{warnings}");
    }
    let to = |role: &str| json!({"targetAgentId": role, "prompt": "Do it."});
    desk.call(&a1, "assign_task", to("role:full-stack-engineer")).await.is("DELEGATION_DENIED");
    desk.call(&a1, "assign_task", to("role:test-engineer")).await.done();
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_role_that_nobody_configured_gets_no_rights_and_no_capabilities() {
    let desk = ToolFixture::new().await;
    let claim = json!({"agentId": "a1", "role": "Sea Captain", "canDelegateTo": ["*"], "capabilities": ["sailing"]});
    let said = desk.call(&agent("a1"), "register_agent", claim).await;
    assert_eq!(said.0["role"], "sea-captain");
    assert_eq!(said.0["effectiveRights"]["canDelegateTo"], json!([]));
    assert_eq!(said.0["effectiveRights"]["capabilities"], json!([]));
    let warnings = said.0["warnings"].to_string();
    for cut in ["not configured", "capabilities: `sailing` not granted"] {
        assert!(warnings.contains(cut), "{warnings}");
    }
    desk.ends().await;
}

#[rstest]
#[case::some_of_what_is_allowed(json!(["sailing", "cooking"]), Some(json!(["sailing", "flying"])), json!(["sailing"]))]
#[case::who_claims_none_has_all(json!(["sailing", "cooking"]), None, json!(["cooking", "sailing"]))]
#[case::whatever_it_claims(json!(["*"]), Some(json!(["flying"])), json!(["flying"]))]
#[case::and_nothing_unclaimed(json!(["*"]), None, json!([]))]
#[tokio::test(start_paused = true)]
async fn a_role_that_nobody_configured_has_the_capabilities_that_the_operator_allows_such_roles(
    #[case] allowed: Value,
    #[case] claimed: Option<Value>,
    #[case] granted: Value,
) {
    let desk = ToolFixture::with(|settings| {
        let unknown = json!({"capabilities": allowed});
        settings.roles.unknown_roles = serde_json::from_value(unknown).expect("a configuration");
    })
    .await;
    let claim = json!({"agentId": "a1", "role": "Sea Captain", "capabilities": claimed});
    let said = desk.call(&agent("a1"), "register_agent", claim).await;
    assert_eq!(said.0["effectiveRights"]["capabilities"], granted, "{said:?}");
    assert_eq!(said.0["effectiveRights"]["canDelegateTo"], json!([]));
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn registering_again_is_the_same_agent_with_its_session_and_its_tasks() {
    let desk = ToolFixture::new().await;
    let dev = agent("dev-1");
    let claim = json!({"agentId": "dev-1", "role": "developer"});
    let first = desk.call(&dev, "register_agent", claim.clone()).await;
    let task = desk.given(&dev, json!({})).await;
    desk.call(&dev, "ack_task", json!({"taskId": task})).await.done();
    let second = desk.call(&dev, "register_agent", claim).await;
    assert_eq!(first.0["sessionId"], second.0["sessionId"]);
    assert_eq!(second.0["heldTasks"][0]["taskId"], json!(task));
    assert_eq!(second.0["heldTasks"][0]["state"], "IN_PROGRESS");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_newer_registration_takes_over_and_the_older_one_hears_so() {
    let desk = ToolFixture::new().await;
    let (old, new) = (over(&agent("dev-1"), "one"), over(&agent("dev-1"), "two"));
    let claim = json!({"agentId": "dev-1", "role": "developer"});
    desk.call(&old, "register_agent", claim.clone()).await.done();
    desk.call(&new, "register_agent", claim).await.done();
    let said = desk.call(&old, "wait_for_prompt", json!({})).await;
    assert!(said.is("SUPERSEDED").text("prompt").contains("STOP"));
    desk.call(&new, "list_agents", json!({})).await.done();
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_role_that_is_no_name_is_refused_with_the_rule() {
    let desk = ToolFixture::new().await;
    let said = desk.call(&agent("a1"), "register_agent", json!({"agentId": "a1", "role": "<script>"})).await;
    assert!(said.is("INVALID_ARGUMENTS").text("message").contains("must match"));
    desk.ends().await;
}
