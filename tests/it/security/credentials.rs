//! Tokens: what is wrong with one is said to nobody, what each opens, and where their secrets are not.

use std::fs;

use serde_json::json;

use super::raw::{RawResponse, Stage};
use crate::support::proxy_process::ProxyProcess;

fn with(stage: &Stage, method: &str, path: &str, token: &str) -> RawResponse {
    stage.asks(method, path, &[("Authorization", &format!("Bearer {token}"))], "")
}

/// SEC-07: a token counts in its header alone, and one that was put elsewhere is not written down.
#[test]
fn a_token_in_the_query_opens_nothing_and_stands_in_no_log() {
    let stage = Stage::with("log:\n  level: trace\n");
    let agent = stage.agent("a1", "full-stack-engineer");
    let (viewer, operator) = (stage.person("view"), stage.hub.operator_token());
    let mut asked = Vec::new();
    for token in [&agent, &viewer, &operator] {
        for name in ["access_token", "token", "bearer_token", "authorization", "key"] {
            for (method, path) in [
                ("POST", "/mcp"),
                ("GET", "/mcp"),
                ("GET", "/ws"),
                ("GET", "/api/v1/agents"),
                ("GET", "/api/v1/events"),
                ("POST", "/api/v1/tools/list_agents"),
                ("GET", "/metrics"),
                ("GET", "/nowhere"),
            ] {
                let said = stage.asks(method, &format!("{path}?{name}={token}"), &[], "");
                assert_eq!(said.status, 401, "{method} {path} by {name}: {}", said.body);
                assert!(!said.head.contains(&token.to_lowercase()) && !said.body.contains(token.as_str()), "{path}");
                asked.push(said.header("x-request-id").to_owned());
            }
        }
        for (name, value) in [
            ("Cookie", format!("token={token}; access_token={token}")),
            ("X-Api-Key", token.clone()),
            ("X-Auth-Token", token.clone()),
            ("Proxy-Authorization", format!("Bearer {token}")),
            ("Sec-WebSocket-Protocol", format!("mcp, {token}")),
            ("Referer", format!("http://127.0.0.1/?token={token}")),
        ] {
            let said = stage.asks("GET", "/api/v1/agents", &[(name, &value)], "");
            assert_eq!(said.status, 401, "by {name}: {}", said.body);
            asked.push(said.header("x-request-id").to_owned());
        }
        let both = format!("/api/v1/tools/list_agents?token={token}");
        assert_eq!(with(&stage, "POST", &both, &agent).status, 200, "beside one in its header it changes nothing");
    }
    let log = stage.log();
    assert!(asked.iter().all(|request| log.contains(request)), "each of them is told in the log");
    stage.until_audited(asked.last().unwrap());
    for name in ["hub.log", "audit.jsonl", "callboard.db", "callboard.db-wal", "tokens"] {
        let text = fs::read(stage.data_dir.path().join(name)).unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        for token in [&agent, &viewer, &operator] {
            // The public id may be told: it opens nothing.
            assert!(!text.contains(&token[18..61]), "a token stands in {name}");
        }
    }
}

/// SEC-08: who may look may not hand out work, and hears which scope may.
#[test]
fn a_scope_that_is_not_enough_is_told_which_one_is() {
    let stage = Stage::open();
    let said = with(&stage, "POST", "/api/v1/tasks", &stage.person("view"));
    assert_eq!((said.status, said.code().as_str()), (403, "INSUFFICIENT_SCOPE"));
    let challenge = said.header("www-authenticate");
    assert!(
        challenge.contains("error=\"insufficient_scope\"") && challenge.contains("scope=\"operate\""),
        "{challenge}"
    );
}

/// SEC-09: figures are for who may look, and name no text, no person and no path.
#[test]
fn metrics_need_a_token_and_tell_nothing_of_anybody() {
    let stage = Stage::open();
    stage.agent("canary-agent", "full-stack-engineer");
    let (status, _) = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": "canary-prompt" }));
    assert_eq!(status, 201);
    assert_eq!(stage.asks("GET", "/metrics", &[], "").status, 401);
    let said = with(&stage, "GET", "/metrics", &stage.person("view"));
    assert_eq!(said.status, 200);
    assert!(said.body.contains("callboard_"));
    let place = stage.data_dir.path().display().to_string();
    for canary in ["canary-prompt", "canary-agent", "person:", "operator", &place] {
        assert!(!said.body.contains(canary), "{canary} stands in\n{}", said.body);
    }
}

/// SEC-34: a client that looks for an authorisation server finds none, and hears how to get a token.
#[test]
fn no_authorisation_server_is_announced() {
    let stage = Stage::open();
    let path = "/.well-known/oauth-protected-resource/mcp";
    let nobody = stage.asks("GET", path, &[], "");
    assert_eq!(nobody.status, 404);
    let told = nobody.json()["error_description"].as_str().unwrap_or_default().to_owned();
    assert!(told.contains("callboard token create --agent ID"), "{}", nobody.body);
    assert!(!nobody.head.contains("resource_metadata"), "{}", nobody.head);
    assert_eq!(with(&stage, "GET", path, &stage.hub.operator_token()).status, 404);
}

/// SEC-38: no token stands where every user of the machine can read it.
#[test]
fn no_token_stands_in_arguments_or_environment() {
    let stage = Stage::open();
    let mut proxy = ProxyProcess::introduced(&stage.hub, "fullstack-1");
    assert_eq!(proxy.uses("list_agents", &json!({}))["success"], false, "it is not registered, and is known");
    let kept = fs::read_to_string(stage.data_dir.path().join("agents/fullstack-1.token")).unwrap();
    let operator = stage.hub.operator_token();
    for pid in [stage.hub.pid(), proxy.pid()] {
        for about in ["cmdline", "environ"] {
            let text = fs::read(format!("/proc/{pid}/{about}")).unwrap();
            let text = String::from_utf8_lossy(&text);
            assert!(!text.is_empty() && !text.contains(kept.trim()) && !text.contains(&operator), "{about}: {text}");
        }
    }
}
