//! The proxy's own requests, and the answers that it gives in the hub's place while the hub is away.

use serde_json::{Value, json};

use crate::domain::ids::AgentId;

/// What an MCP client reads of a hub that is away: outside of the codes that the protocol keeps.
const UNREACHABLE: i32 = 1503;

pub(super) fn acknowledges(id: &str, task: &Value, epoch: &Value) -> String {
    calls(id, "ack_task", &json!({"taskId": task, "leaseEpoch": epoch}))
}

pub(super) fn registers(id: &str, agent: &AgentId, role: &str, client: Option<&str>) -> String {
    let mut arguments = json!({"agentId": agent, "role": role});
    if let Some(client) = client {
        arguments["client"] = json!(client);
    }
    calls(id, "register_agent", &arguments)
}

/// Waits until there is something, and is handed nothing.
pub(super) fn parks(id: &str) -> String {
    calls(id, "wait_for_prompt", &json!({"form": "nudge"}))
}

/// The answer to a wait that found nothing, of an agent whose client can be woken.
pub(super) fn will_be_woken(id: &str, modern: bool) -> String {
    const NEXT: &str = "End your turn now. You will be woken when there is work; then call wait_for_prompt.";
    let message = "You will be woken.";
    let content = [json!({"type": "text", "text": format!("## Result\n{message}\n\n## REQUIRED ACTION\n{NEXT}")})];
    let fields = json!({"success": true, "message": message, "prompt": NEXT});
    let mut result = json!({"content": content, "structuredContent": fields});
    if modern {
        result["resultType"] = json!("complete");
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// A call that says everything of itself, in whichever era the client speaks.
fn calls(id: &str, tool: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "callboard-proxy", "version": env!("CARGO_PKG_VERSION")},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// The answer to a tool call that no hub answers: a result, which the model reads.
pub(super) fn tool_unanswered(id: &str, code: &str, why: &str, next: &str, modern: bool) -> String {
    let content = [json!({"type": "text", "text": format!("## Refused: {code}\n{why}\n\n{next}")})];
    let fields = json!({"success": false, "code": code, "message": why, "prompt": next});
    let mut result = json!({"content": content, "structuredContent": fields, "isError": true});
    if modern {
        result["resultType"] = json!("complete");
    }
    // The id as it was written.
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// The answer to any other request that no hub answers.
pub(super) fn unanswered(id: &str, code: &str, why: &str) -> String {
    let error = json!({"code": UNREACHABLE, "message": why, "data": {"code": code}});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
}
