//! What a client reads beside its tools, and what it is told without asking, on each way in.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::mcp_client::{McpClient, McpTransport};

/// A lead who asked a hand for work, and somebody who has nothing to do with it.
struct Cast {
    hub: HubProcess,
    lead: Agent,
    hand: Agent,
    other: Agent,
    task: String,
}

impl Cast {
    fn on(data_dir: &TempDir) -> Self {
        Self::with(HubProcess::start(data_dir.path()))
    }

    fn with(hub: HubProcess) -> Self {
        let lead = Agent::register(&hub, "lead-1", "project-manager");
        let hand = Agent::register(&hub, "hand-1", "full-stack-engineer");
        let other = Agent::register(&hub, "other-1", "designer");
        let asked = lead.calls(&hub, "assign_task", &json!({"targetAgentId": "hand-1", "prompt": "Build it."}));
        let task = asked["taskId"].as_str().expect("a task").to_owned();
        Self { hub, lead, hand, other, task }
    }

    fn client(&self, agent: &Agent, way: McpTransport) -> McpClient {
        McpClient::comes(&self.hub, agent.token(), way)
    }
}

fn read(client: &mut McpClient, uri: &str) -> Value {
    let said = client.asks("resources/read", json!({ "uri": uri }));
    let content = &said["result"]["contents"][0];
    assert_eq!(content["uri"], uri, "{said}");
    serde_json::from_str(content["text"].as_str().unwrap_or_default()).unwrap_or_else(|_| content["text"].clone())
}

#[test]
fn a_resource_is_what_the_tool_of_its_kind_shows_and_changes_nothing() {
    let data_dir = TempDir::new().unwrap();
    let cast = Cast::on(&data_dir);
    let offered = cast.hand.calls(&cast.hub, "wait_for_prompt", &json!({}));
    assert_eq!(offered["status"], "TASK");
    let uri = format!("callboard://tasks/{}", cast.task);
    for way in McpTransport::ALL {
        let mut hand = cast.client(&cast.hand, way);
        let shown = read(&mut hand, &uri);
        assert_eq!(shown["task"]["state"], "ASSIGNED", "{way:?}: to look is not to acknowledge: {shown}");
        let listed = hand.asks("resources/list", json!({}));
        let first = listed["result"]["resources"][0]["uri"].as_str().expect("a name").to_owned();
        assert!(first.starts_with("callboard://sessions/s_"), "{way:?}: {listed}");
        let session = cast.hand.calls(&cast.hub, "get_session", &json!({}));
        assert_eq!(read(&mut hand, &first)["session"]["sessionId"], session["session"]["sessionId"], "{way:?}");
        let agents = cast.hand.calls(&cast.hub, "list_agents", &json!({}));
        let seen = read(&mut hand, "callboard://agents");
        let names = |shown: &Value| -> Vec<Value> {
            shown["agents"].as_array().expect("agents").iter().map(|agent| agent["agentId"].clone()).collect()
        };
        assert_eq!(names(&seen), names(&agents), "{way:?}");
        let templates = hand.asks("resources/templates/list", json!({}));
        assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "callboard://sessions/{id}");
    }
    let large = "x".repeat(300_000);
    let done = json!({"taskId": cast.task, "status": "COMPLETED", "message": large});
    assert_eq!(cast.hand.calls(&cast.hub, "send_response", &done)["success"], true);
    let mut lead = cast.client(&cast.lead, McpTransport::Http);
    let result = read(&mut lead, &format!("{uri}/result"));
    assert_eq!((&result["state"], &result["ended"]), (&json!("COMPLETED"), &json!(true)));
    assert_eq!(result["result"].as_str().map(str::len), Some(large.len()), "the result is whole");
}

#[test]
fn what_is_somebody_elses_is_byte_for_byte_what_is_not_there() {
    let data_dir = TempDir::new().unwrap();
    let cast = Cast::on(&data_dir);
    let session = cast.hand.calls(&cast.hub, "get_session", &json!({}));
    let session = session["session"]["sessionId"].as_str().expect("a session").to_owned();
    let unknown = "0".repeat(cast.task.len());
    for way in McpTransport::ALL {
        let mut other = cast.client(&cast.other, way);
        let mut said = |uri: String| {
            let mut said = other.asks("resources/read", json!({ "uri": uri }));
            // The name that was asked for, and nothing else.
            assert_eq!(said["error"]["data"].take(), json!({ "uri": uri }), "{way:?}");
            said
        };
        let nothing = said("callboard://nowhere".to_owned());
        assert_eq!(nothing["error"]["code"], if way.is_modern() { -32602 } else { -32002 }, "{way:?}: {nothing}");
        for id in [&cast.task, &unknown, &"Not an id".to_owned()] {
            assert_eq!(said(format!("callboard://tasks/{id}")), nothing, "{way:?}");
            assert_eq!(said(format!("callboard://tasks/{id}/result")), nothing, "{way:?}");
        }
        for id in [session.as_str(), "s_000000000000"] {
            assert_eq!(said(format!("callboard://sessions/{id}")), nothing, "{way:?}");
        }
    }
}

/// Follows names on `way`; nothing is said of whether anything is there.
fn follows(client: &mut McpClient, way: McpTransport, names: &[&str]) {
    if way.is_modern() {
        client.begins("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": names}}));
        let accepted = client.is_told("notifications/subscriptions/acknowledged");
        assert_eq!(accepted["notifications"]["resourceSubscriptions"], json!(names), "{way:?}");
        return;
    }
    for name in names {
        let said = client.asks("resources/subscribe", json!({ "uri": name }));
        assert_eq!(said["result"], json!({}), "{way:?}: {said}");
    }
}

#[test]
fn who_follows_a_task_is_told_of_each_change_and_nobody_else_is() {
    let data_dir = TempDir::new().unwrap();
    let cast = Cast::on(&data_dir);
    let uri = format!("callboard://tasks/{}", cast.task);
    let session = cast.other.calls(&cast.hub, "get_session", &json!({}));
    let own = format!("callboard://sessions/{}", session["session"]["sessionId"].as_str().expect("a session"));
    let mut leads: Vec<McpClient> = McpTransport::ALL.map(|way| cast.client(&cast.lead, way)).into();
    let mut others: Vec<McpClient> = McpTransport::ALL.map(|way| cast.client(&cast.other, way)).into();
    for ((lead, other), way) in leads.iter_mut().zip(&mut others).zip(McpTransport::ALL) {
        follows(lead, way, &[&uri]);
        // The same stream tells of both: what it tells of first was not preceded by the other.
        follows(other, way, &[&own, &uri]);
    }
    cast.hand.calls(&cast.hub, "wait_for_prompt", &json!({}));
    for (lead, way) in leads.iter_mut().zip(McpTransport::ALL) {
        assert_eq!(lead.is_told("notifications/resources/updated")["uri"], uri, "{way:?}");
        assert_eq!(read(lead, &uri)["task"]["state"], "ASSIGNED", "{way:?}");
    }
    cast.hand.calls(&cast.hub, "ack_task", &json!({"taskId": cast.task}));
    for (lead, way) in leads.iter_mut().zip(McpTransport::ALL) {
        assert_eq!(lead.is_told("notifications/resources/updated")["uri"], uri, "{way:?}");
    }
    cast.other.calls(&cast.hub, "register_agent", &json!({"agentId": "other-1", "role": "designer"}));
    for (other, way) in others.iter_mut().zip(McpTransport::ALL) {
        let first = other.is_told("notifications/resources/updated");
        assert_eq!(first["uri"], own, "{way:?}: a foreign task was told of");
    }
}

#[test]
fn another_role_is_told_to_who_listens_for_prompts_and_resources_when_the_hub_reads_its_settings_again() {
    let data_dir = TempDir::new().unwrap();
    let config = TempDir::new().unwrap();
    let arguments = ["--config", config.path().to_str().expect("a path")];
    let cast = Cast::with(HubProcess::start_with(data_dir.path(), &arguments));
    let mut clients: Vec<McpClient> = McpTransport::ALL.map(|way| cast.client(&cast.lead, way)).into();
    for (client, way) in clients.iter_mut().zip(McpTransport::ALL) {
        if way.is_modern() {
            let lists = json!({"promptsListChanged": true, "resourcesListChanged": true, "toolsListChanged": true});
            client.begins("subscriptions/listen", json!({ "notifications": lists }));
            let accepted = client.is_told("notifications/subscriptions/acknowledged");
            assert_eq!(accepted["notifications"], lists, "{way:?}");
        } else {
            // Behind this answer the handshake is over, and whoever tells it something is there.
            client.asks("prompts/list", json!({}));
        }
    }
    let roles = "roles:\n  reviewer:\n    displayName: Reviewer\n    capabilities: [review]\n";
    fs::write(config.path().join("agents.yaml"), roles).unwrap();
    cast.hub.is_told_to_read_again();
    for (client, way) in clients.iter_mut().zip(McpTransport::ALL) {
        client.is_told("notifications/prompts/list_changed");
        client.is_told("notifications/resources/list_changed");
        let listed = client.asks("prompts/list", json!({}));
        assert!(listed.to_string().contains("role/reviewer"), "{way:?}");
        let skill = read(client, "skill://callboard/reviewer/SKILL.md");
        assert!(skill.as_str().is_some_and(|text| text.starts_with("---\nname: reviewer\n")), "{way:?}: {skill}");
    }
}

#[test]
fn names_are_completed_as_their_tools_show_them() {
    let data_dir = TempDir::new().unwrap();
    let cast = Cast::on(&data_dir);
    for way in McpTransport::ALL {
        let mut client = cast.client(&cast.lead, way);
        let mut values = |about: Value, argument: &str, typed: &str| {
            let asked = json!({"ref": about, "argument": {"name": argument, "value": typed}});
            client.asks("completion/complete", asked)["result"]["completion"]["values"].take()
        };
        let prompt = json!({"type": "ref/prompt", "name": "role/designer"});
        assert_eq!(values(prompt.clone(), "agentId", "ha"), json!(["hand-1"]), "{way:?}");
        assert_eq!(values(prompt, "colour", ""), json!([]), "{way:?}");
        let skill = json!({"type": "ref/resource", "uri": "skill://callboard/{role}/SKILL.md"});
        assert_eq!(values(skill, "role", "des"), json!(["designer"]), "{way:?}");
        let session = json!({"type": "ref/resource", "uri": "callboard://sessions/{id}"});
        assert_eq!(values(session, "id", "").as_array().map(Vec::len), Some(1), "{way:?}");
    }
}
