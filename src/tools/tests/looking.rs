//! `list_agents`, `get_agent_status`, `get_task_context`: what may be seen, and by whom.

use serde_json::{Value, json};

use super::fixture::{ToolFixture, agent, operator};

#[tokio::test(start_paused = true)]
async fn other_agents_show_names_and_availability_alone() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    desk.agent("a2", "testing").await;
    let said = desk.call(&dev, "list_agents", json!({})).await;
    let agents = said.0["agents"].as_array().expect("a list").clone();
    assert_eq!(agents[0]["queued"], 0);
    assert_eq!(agents[1], json!({"agentId": "a2", "displayName": "a2", "availability": "working"}));
    let said = desk.call(&dev, "get_agent_status", json!({"agentId": "a2"})).await;
    assert_eq!((&said.0["role"], &said.0["availability"]), (&Value::Null, &json!("working")));
    let said = desk.call(&operator(), "list_agents", json!({})).await;
    assert!(said.0["agents"][1]["capabilities"].is_array());
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_is_narrowed_by_role_capability_and_availability() {
    let desk = ToolFixture::new().await;
    desk.agent("a1", "designer").await;
    desk.agent("a2", "testing").await;
    for (filter, found) in [
        (json!({"role": "qa"}), vec!["a2"]),
        (json!({"capability": "design"}), vec!["a1"]),
        (json!({"availability": "waiting"}), vec![]),
        (json!({}), vec!["a1", "a2"]),
    ] {
        for caller in [operator(), agent("a1")] {
            let said = desk.call(&caller, "list_agents", filter.clone()).await;
            assert_eq!(ids(&said.0), found, "{}", caller.principal.id);
        }
    }
    desk.ends().await;
}

fn ids(said: &Value) -> Vec<String> {
    let agents = said["agents"].as_array().expect("a list").iter();
    agents.map(|agent| agent["agentId"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn an_agent_sees_itself_and_a_wrong_name_gets_the_nearest() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("dev-1", "designer").await;
    let said = desk.call(&dev, "get_agent_status", json!({})).await;
    assert_eq!(said.0["availability"], "working");
    assert_eq!(said.0["currentTasks"], json!([]));
    let said = desk.call(&dev, "get_agent_status", json!({"agentId": "dev-2"})).await;
    assert_eq!(said.is("AGENT_NOT_FOUND").0["details"]["nearest"], json!(["dev-1"]));
    desk.call(&operator(), "get_agent_status", json!({})).await.is("INVALID_ARGUMENTS");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn looking_at_an_offer_acknowledges_it_and_shows_what_happened() {
    let desk = ToolFixture::new().await;
    let dev = desk.agent("a1", "designer").await;
    let task = desk.given(&dev, json!({"title": "Login"})).await;
    let said = desk.call(&dev, "get_task_context", json!({"taskId": task})).await;
    assert_eq!(said.0["task"]["state"], "IN_PROGRESS");
    assert_eq!(said.0["task"]["prompt"], "Implement login.");
    assert_eq!(said.0["task"]["lease"]["agentId"], "a1");
    let kinds: Vec<String> = said.0["task"]["history"]
        .as_array()
        .expect("a history")
        .iter()
        .map(|item| item["type"].as_str().expect("a type").to_owned())
        .collect();
    assert_eq!(kinds, ["task.created", "task.offered", "task.acknowledged"]);
    let said = desk.call(&operator(), "get_task_context", json!({"taskId": task})).await;
    assert_eq!(said.0["task"]["state"], "IN_PROGRESS");
    desk.ends().await;
}
