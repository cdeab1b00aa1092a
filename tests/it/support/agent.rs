//! An agent of a story, told to the real binary.

use serde_json::{Value, json};

use super::hub_process::HubProcess;

/// An agent that speaks plain HTTP with a token of its own, which outlives the hub's process.
pub(crate) struct Agent {
    token: String,
}

impl Agent {
    /// Makes a token for it, and registers.
    pub(crate) fn register(hub: &HubProcess, id: &str, role: &str) -> Self {
        let made = hub.command(&["token", "create", "--agent", id, "-o", "json"]).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let made: Value = serde_json::from_slice(&made.stdout).unwrap();
        let agent = Self { token: made["token"].as_str().unwrap().to_owned() };
        let known = agent.calls(hub, "register_agent", &json!({ "agentId": id, "role": role, "capabilities": [] }));
        assert_eq!(known["agentId"], id);
        agent
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Calls a tool, which must succeed.
    pub(crate) fn calls(&self, hub: &HubProcess, tool: &str, arguments: &Value) -> Value {
        let (status, body) = hub.post_as(&self.token, &format!("/api/v1/tools/{tool}"), arguments);
        assert_eq!(status, 200, "`{tool}` answered {body}");
        assert_eq!(body["success"], true, "`{tool}` answered {body}");
        body
    }
}
