//! What `agent` does, tried.

use super::*;

#[test]
fn an_agent_is_shown_with_its_client_and_the_row_that_applies() {
    let mut agent = json!({
        "agentId": "dev-1", "availability": "waiting", "displayName": "dev-1", "currentTasks": [], "queued": 0,
        "client": {"name": "claude-code", "version": "2.1.331", "row": "claude-code", "waitCapSeconds": 280},
    });
    let words = describe(&agent, Timestamp(0));
    assert!(words.contains("client    claude-code 2.1.331\n"), "{words}");
    assert!(words.contains("wait cap  280 s, by the row `claude-code` of clients.yaml\n"), "{words}");
    agent["client"] = json!({"name": "mine", "row": "unknown", "waitCapSeconds": 45});
    assert!(describe(&agent, Timestamp(0)).contains("client    mine\n"));
    agent["client"] = Value::Null;
    assert!(!describe(&agent, Timestamp(0)).contains("client"));
}
