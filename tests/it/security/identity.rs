//! Who speaks for whom: the credential says it, and nothing in a call does.

use serde_json::{Value, json};

use super::raw::{RawResponse, Stage};

const ENGINEER: &str = "full-stack-engineer";
const MODERN: &str = "2026-07-28";

/// SEC-20: an agent registers as itself alone, whatever it says.
#[test]
fn nobody_registers_as_somebody_else() {
    let stage = Stage::open();
    let (first, second) = (stage.agent("a1", ENGINEER), stage.agent("a2", ENGINEER));
    let rows = || {
        let listed = stage.hub.get("/api/v1/agents").1["items"].clone();
        let rows = listed.as_array().unwrap().iter().map(|row| {
            let fields = ["agentId", "role", "displayName", "capabilities", "canDelegateTo", "sessionId"];
            fields.map(|field| row[field].clone())
        });
        rows.collect::<Vec<_>>()
    };
    let before = rows();
    assert_eq!((before.len(), before[0][1].is_string()), (2, true), "{before:?}");
    let claims = json!({ "agentId": "a1", "role": "orchestrator", "capabilities": [], "canDelegateTo": ["*"] });
    assert_eq!(stage.uses(&second, "register_agent", &claims)["code"], "IDENTITY_MISMATCH");
    assert_eq!(rows(), before);
    assert_eq!(stage.uses(&first, "list_agents", &json!({}))["success"], true, "the other one goes on");
    assert_eq!(stage.until_audited("IDENTITY_MISMATCH")[0]["who"], "agent:a2");
}

/// SEC-21: what an agent claims is cut to what its role allows, and it is told so.
#[test]
fn a_claim_narrows_rights_and_never_widens_them() {
    let stage = Stage::open();
    let (token, _) = stage.token(&json!({ "agent": "a1" }));
    let claims = json!({ "agentId": "a1", "role": "designer", "capabilities": [], "canDelegateTo": ["*"] });
    let known = stage.uses(&token, "register_agent", &claims);
    assert_eq!((&known["success"], &known["effectiveRights"]["canDelegateTo"]), (&json!(true), &json!([])), "{known}");
    assert!(!known["warnings"].as_array().unwrap().is_empty(), "{known}");
}

/// SEC-23: another's session answers exactly like one that is not there.
#[test]
fn somebody_elses_session_is_as_one_that_is_not_there() {
    let stage = Stage::open();
    let (first, second) = (stage.agent("a1", ENGINEER), stage.agent("a2", ENGINEER));
    let known = json!({ "agentId": "a1", "role": ENGINEER, "capabilities": [] });
    let session = stage.uses(&first, "register_agent", &known)["sessionId"].as_str().unwrap().to_owned();
    let missing: String = session.chars().rev().collect();
    for (tool, more) in [
        ("get_session_history", json!({})),
        ("get_session", json!({})),
        ("update_status", json!({ "status": "working", "message": "mine" })),
        ("mark_blocked", json!({ "reason": "mine" })),
    ] {
        let asks = |id: &str| {
            let mut arguments = more.clone();
            arguments["session_id"] = json!(id);
            let said = stage.uses(&second, tool, &arguments);
            assert_eq!(said["code"], "SESSION_NOT_FOUND", "{tool}: {said}");
            (said["error"].as_str().unwrap().replace(id, "SESSION"), said["details"].clone())
        };
        assert_eq!(asks(&session), asks(&missing), "{tool}");
    }
    let now = stage.uses(&first, "get_session", &json!({}));
    assert_eq!(now["success"], true, "{now}");
    assert!(!now.to_string().contains("mine"), "{now}");
}

fn mcp(stage: &Stage, method: &str, token: &str, more: &[(&str, &str)], body: &Value) -> RawResponse {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")];
    headers.extend((!token.is_empty()).then_some(("Authorization", bearer.as_str())));
    headers.extend(more);
    stage.asks(method, "/mcp", &headers, &if body.is_null() { String::new() } else { body.to_string() })
}

/// SEC-24: a session of MCP belongs to whoever opened it; to anybody else it is not there, and they do it no harm.
#[test]
fn a_session_of_mcp_belongs_to_whoever_opened_it() {
    let stage = Stage::open();
    let (first, second) = (stage.agent("a1", ENGINEER), stage.agent("a2", ENGINEER));
    let client = json!({ "name": "tests", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let opened = mcp(&stage, "POST", &first, &[], &hello);
    assert_eq!(opened.status, 200, "{}", opened.body);
    let id = opened.header("mcp-session-id").to_owned();
    let of = [("Mcp-Session-Id", id.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    let lists = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    assert_eq!(mcp(&stage, "POST", &second, &of, &lists).status, 404);
    assert_eq!(mcp(&stage, "GET", &second, &of, &Value::Null).status, 404);
    assert_eq!(mcp(&stage, "DELETE", &second, &of, &Value::Null).status, 404);
    assert_eq!(mcp(&stage, "POST", "", &of, &lists).status, 401);
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(mcp(&stage, "POST", &first, &of, &ready).status, 202);
    assert!(mcp(&stage, "POST", &first, &of, &lists).body.contains("wait_for_prompt"), "its owner goes on");
}

/// SEC-25: where a header says something else than the body, nothing is done.
#[test]
fn headers_that_do_not_fit_the_body_are_refused_and_nothing_is_done() {
    let stage = Stage::open();
    let token = stage.agent("a1", "orchestrator");
    let call = |version: &str| {
        let about = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let arguments = json!({ "targetAgentId": "role:full-stack-engineer", "prompt": "never" });
        let params = json!({ "name": "assign_task", "arguments": arguments, "_meta": about });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
    };
    let headers =
        |name: &'static str| [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)];
    let wrong_name = mcp(&stage, "POST", &token, &headers("list_agents"), &call(MODERN));
    assert_eq!(wrong_name.status, 400, "{}", wrong_name.body);
    let wrong_version = mcp(&stage, "POST", &token, &headers("assign_task"), &call("2025-11-25"));
    assert_eq!(wrong_version.status, 400, "{}", wrong_version.body);
    assert_eq!(stage.hub.get("/api/v1/tasks").1["items"], json!([]));
    let right = mcp(&stage, "POST", &token, &headers("assign_task"), &call(MODERN));
    assert!(right.body.contains("taskId"), "the same call with headers that fit: {}", right.body);
}
