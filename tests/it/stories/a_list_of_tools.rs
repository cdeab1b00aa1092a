//! Which tools a client is shown: by its role, by what it asks for, and that it is told when that changes.

use std::fs;

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::mcp_client::{McpClient, McpTransport};
use crate::support::plain_http::send_with;
use crate::support::proxy_process::ProxyProcess;

const ROLES: &str = "roles:\n  clerk:\n    tools: [core]\n  scout:\n    tools: [core, terminals]\n";

struct Stage {
    hub: HubProcess,
    config: TempDir,
    _data_dir: TempDir,
}

fn stage() -> Stage {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::write(config.path().join("agents.yaml"), ROLES).unwrap();
    let hub = HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    Stage { hub, config, _data_dir: data_dir }
}

fn token(hub: &HubProcess, agent: &str) -> String {
    let made = hub.command(&["token", "create", "--agent", agent, "-o", "json"]).output().unwrap();
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    made["token"].as_str().unwrap().to_owned()
}

/// How many tools are listed, and whether one of each set is.
fn shown(list: &Value) -> (usize, [bool; 4]) {
    let tools = list["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    (tools.len(), ["send_response", "update_status", "detect_input_prompt", "cleanup_old_sessions"].map(has))
}

/// In the era without sessions a client is told what it asked to be told.
fn listens(client: &mut McpClient, way: McpTransport) {
    if way.is_modern() {
        client.begins("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let accepted = client.is_told("notifications/subscriptions/acknowledged");
        assert_eq!(accepted["notifications"]["toolsListChanged"], true);
    }
}

const CORE: (usize, [bool; 4]) = (8, [true, false, false, false]);
const WORK: (usize, [bool; 4]) = (28, [true, true, false, false]);
const SCOUT: (usize, [bool; 4]) = (18, [true, false, true, false]);
const ALL: (usize, [bool; 4]) = (44, [true, true, true, true]);

#[rstest]
#[case::http(McpTransport::Http)]
#[case::session(McpTransport::Session)]
#[case::socket(McpTransport::Socket)]
#[case::old_socket(McpTransport::OldSocket)]
fn an_agent_is_shown_the_sets_of_its_role_and_told_when_it_takes_up_another(#[case] way: McpTransport) {
    let stage = stage();
    let mut client = McpClient::comes(&stage.hub, &token(&stage.hub, "a-1"), way);
    let lists = |client: &mut McpClient| shown(&client.asks("tools/list", json!({}))["result"]);
    assert_eq!(lists(&mut client), WORK, "nobody knows its role yet");
    listens(&mut client, way);
    for (role, set) in [("clerk", CORE), ("scout", SCOUT), ("full-stack-engineer", WORK)] {
        let arguments = json!({"agentId": "a-1", "role": role});
        let said = client.asks("tools/call", json!({"name": "register_agent", "arguments": arguments}));
        assert_eq!(said["result"]["structuredContent"]["success"], true, "{said}");
        client.is_told("notifications/tools/list_changed");
        assert_eq!(lists(&mut client), set, "{role}");
    }
    // Whether a tool is listed says nothing of whether it may be called.
    let called = client.asks("tools/call", json!({"name": "get_learned_patterns", "arguments": {}}));
    assert_eq!(called["result"]["structuredContent"]["success"], true, "{called}");
}

#[rstest]
#[case::http(McpTransport::Http)]
#[case::session(McpTransport::Session)]
#[case::socket(McpTransport::Socket)]
#[case::old_socket(McpTransport::OldSocket)]
fn a_client_is_told_when_other_settings_show_it_other_tools(#[case] way: McpTransport) {
    let stage = stage();
    let agent = Agent::register(&stage.hub, "clerk-1", "clerk");
    let mut client = McpClient::comes(&stage.hub, agent.token(), way);
    assert_eq!(shown(&client.asks("tools/list", json!({}))["result"]), CORE);
    listens(&mut client, way);
    fs::write(stage.config.path().join("agents.yaml"), ROLES.replace("[core]", "[all]")).unwrap();
    stage.hub.is_told_to_read_again();
    client.is_told("notifications/tools/list_changed");
    assert_eq!(shown(&client.asks("tools/list", json!({}))["result"]), ALL);
}

#[test]
fn who_asks_for_sets_by_name_is_shown_those_and_people_are_shown_everything() {
    let stage = stage();
    let agent = Agent::register(&stage.hub, "clerk-1", "clerk");
    let asks = |token: &str, query: &str, name: &str| {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        let headers = "Accept: text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n";
        send_with(stage.hub.port(), "POST", &format!("/mcp{query}"), token, headers, &body).unwrap().1
    };
    let own = agent.token();
    assert_eq!(shown(&asks(own, "", "x")["result"]), CORE);
    assert_eq!(shown(&asks(own, "?tools=", "x")["result"]), CORE);
    assert_eq!(shown(&asks(own, "?tools=work", "x")["result"]), WORK);
    assert_eq!(shown(&asks(own, "?tools=core%2Cterminals", "x")["result"]), SCOUT);
    assert_eq!(shown(&asks(&stage.hub.operator_token(), "", "x")["result"]), ALL);
    let refused = asks(own, "?tools=wrok", "x");
    let words = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(
        words.contains("`wrok` is no set of tools: the sets are core, work, forge, terminals, permissions and all"),
        "{words}"
    );
    let outputs = |list: &Value| {
        let tools = list["result"]["tools"].as_array().expect("tools").clone();
        tools.iter().filter(|tool| tool["outputSchema"].is_object()).count()
    };
    assert_eq!(outputs(&asks(own, "", "x")), CORE.0);
    assert_eq!(outputs(&asks(own, "", "google-adk")), 0, "it would send them to its model");
    let mut command = stage.hub.command(&["proxy", "--agent", "clerk-1", "--tools", "work,terminals"]);
    let mut proxy = ProxyProcess::of(command.args(["--url", &format!("http://127.0.0.1:{}", stage.hub.port())]));
    proxy.shakes_hands();
    let list = proxy.asks("tools/list", &json!({}));
    assert_eq!(shown(&list), (38, [true, true, true, false]));
    let marked = list["tools"].as_array().expect("tools").clone();
    let marked = marked.iter().filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true);
    assert_eq!(marked.count(), 4);
}
