//! Both eras on one socket, and the same tools as over HTTP.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::client::{Era, Hall, LEGACY};

#[tokio::test(start_paused = true)]
async fn the_era_with_a_handshake_and_the_one_without_are_offered_the_same_tools() {
    let hall = Hall::new().await;
    let token = hall.house.agent_token("a1");
    let mut old = hall.opens(&token).await;
    let hello = old.introduces_itself().await;
    assert_eq!(hello["result"]["protocolVersion"], LEGACY);
    assert_eq!(hello["result"]["serverInfo"]["name"], "callboard");
    old.asks(Era::Legacy, "tools/list", json!({})).await;
    let before = old.hears().await;
    let mut new = hall.opens(&token).await;
    new.asks(Era::Modern, "tools/list", json!({})).await;
    let now = new.hears().await;
    assert!(before["result"]["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{before}");
    assert_eq!(before["result"]["tools"], now["result"]["tools"]);
    assert_eq!(before["result"]["resultType"], Value::Null);
    assert_eq!(now["result"]["resultType"], "complete");
    assert_eq!(now["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "callboard");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_looks_around_first_may_still_shake_hands() {
    let hall = Hall::new().await;
    let mut client = hall.opens(&hall.house.agent_token("a1")).await;
    client.asks(Era::Modern, "server/discover", json!({})).await;
    let versions = client.hears().await["result"]["supportedVersions"].clone();
    assert!(versions.as_array().is_some_and(|all| all.contains(&json!("2026-07-28"))), "{versions}");
    client.introduces_itself().await;
    client.asks(Era::Legacy, "tools/list", json!({})).await;
    assert!(client.hears().await["result"]["tools"].is_array());
    client.asks(Era::Modern, "tools/list", json!({})).await;
    assert_eq!(client.hears().await["result"]["resultType"], "complete");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_of_itself_may_only_ping() {
    let hall = Hall::new().await;
    let mut client = hall.opens(&hall.house.agent_token("a1")).await;
    client.asks(Era::Legacy, "ping", json!({})).await;
    assert_eq!(client.hears().await["result"], json!({}));
    client.asks(Era::Legacy, "tools/list", json!({})).await;
    let said = client.hears().await;
    assert_eq!(said["error"]["code"], -32602, "{said}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_no_message_is_answered_and_ends_nothing() {
    let hall = Hall::new().await;
    let mut client = hall.opens(&hall.house.agent_token("a1")).await;
    let mut said = async |text: &str| {
        client.says(text).await;
        let said = client.hears().await;
        let words = said["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(words.contains("a list of messages"), text.starts_with('['), "{words}");
        assert_eq!(words.contains("`id` must be"), text.contains("\"id\":["), "{words}");
        (said["error"]["code"].as_i64().unwrap_or_default(), said["id"].clone())
    };
    assert_eq!(said("{").await, (-32700, Value::Null));
    assert_eq!(said("[]").await, (-32600, Value::Null));
    assert_eq!(said(r#"{"jsonrpc":"2.0","id":"x","method":7}"#).await, (-32600, json!("x")));
    assert_eq!(said(r#"{"jsonrpc":"2.0","id":[7],"method":"ping"}"#).await, (-32600, Value::Null));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let unknown = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/forge", "params": {"_meta": meta}});
    assert_eq!(said(&unknown.to_string()).await, (-32601, json!(9)));
    hall.ends().await;
}

#[rstest]
#[case(Era::Legacy)]
#[case(Era::Modern)]
#[tokio::test(start_paused = true)]
async fn a_message_in_which_a_key_stands_twice_does_nothing_and_hears_which(#[case] era: Era) {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", era).await;
    let meta = r#""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}"#;
    let meta = if era == Era::Modern { meta } else { r#""_meta": {}"# };
    let arguments = r#"{"targetAgentId": "a1", "prompt": "look", "prompt": "delete"}"#;
    let params = format!(r#"{{"name": "assign_task", {meta}, "arguments": {arguments}}}"#);
    client.says(&format!(r#"{{"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": {params}}}"#)).await;
    let said = client.hears().await;
    assert_eq!((&said["id"], &said["error"]["code"]), (&json!(70), &json!(-32602)), "{said}");
    assert_eq!(said["error"]["data"]["code"], "INVALID_JSON");
    assert!(said["error"]["message"].as_str().is_some_and(|words| words.contains("`prompt` stands twice")), "{said}");
    assert_eq!(client.calls(era, "get_agent_status", json!({})).await["queued"], 0);
    hall.ends().await;
}

#[rstest]
#[case(Era::Legacy)]
#[case(Era::Modern)]
#[tokio::test(start_paused = true)]
async fn a_task_reaches_who_waits_with_progress_before_it(#[case] era: Era) {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", era).await;
    let wait = json!({"name": "wait_for_prompt", "arguments": {"timeout": 60}, "_meta": {"progressToken": "p1"}});
    let id = client.asks(era, "tools/call", wait).await;
    hall.until_it_is("a1", "waiting").await;
    let mut heard = client.listens_for(Duration::from_secs(25)).await;
    let task = hall.assigns("a1").await;
    let told: Vec<_> = heard.drain(..).map(|note| note["params"]["progress"].clone()).collect();
    assert_eq!(told, [json!(1.0), json!(2.0), json!(3.0)]);
    let said = client.hears().await;
    assert_eq!((&said["id"], &said["result"]["structuredContent"]["taskId"]), (&json!(id), &json!(task)));
    assert_eq!(said["result"]["structuredContent"]["prompt"], "Go.");
    assert_eq!(said["result"]["resultType"], if era == Era::Modern { json!("complete") } else { Value::Null });
    let known = client.calls(era, "ack_task", json!({"taskId": task})).await;
    assert_eq!(known["state"], "IN_PROGRESS");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn requests_of_one_socket_work_side_by_side() {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", Era::Modern).await;
    let wait = client.begins(Era::Modern, "wait_for_prompt", json!({"timeout": 60})).await;
    hall.until_it_is("a1", "waiting").await;
    client.calls(Era::Modern, "list_agents", json!({})).await;
    hall.assigns("a1").await;
    assert_eq!(client.hears().await["id"], wait);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_second_socket_of_an_agent_is_another_instance_of_it() {
    let hall = Hall::new().await;
    let (mut first, token) = hall.agent("a1", Era::Modern).await;
    first.begins(Era::Modern, "wait_for_prompt", json!({"timeout": 60})).await;
    hall.until_it_is("a1", "waiting").await;
    let mut second = hall.opens(&token).await;
    let known = second.calls(Era::Modern, "register_agent", json!({"agentId": "a1", "role": "coding"})).await;
    assert_eq!(known["success"], true);
    assert_eq!(first.hears().await["result"]["structuredContent"]["status"], "SUPERSEDED");
    let late = first.calls(Era::Modern, "wait_for_prompt", json!({})).await;
    assert_eq!(late["code"], "SUPERSEDED", "{late}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_works_in_silence_is_there_while_it_is_connected() {
    let hall = Hall::new().await;
    let (mut client, _) = hall.agent("a1", Era::Modern).await;
    client.listens_for(Duration::from_secs(20 * 60)).await;
    assert_eq!(hall.availability("a1").await, "working");
    drop(client);
    sleep(Duration::from_secs(6 * 60)).await;
    assert_eq!(hall.availability("a1").await, "offline");
    hall.ends().await;
}
