//! Discord, told to the real binary with a stand-in: work is called from a channel, answered from there, and nothing is
//! lost or done twice on the way.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::discord::{ANN, Asked, CHANNEL, Discord, FULL_STACK};
use crate::support::hub_process::HubProcess;

/// Developers may assign to the role that the stories call.
const DEVELOPERS: &str = "roles:\n  developer: {canAssignTo: [FullStack]}\n";

fn hub(data_dir: &TempDir, config: &TempDir) -> HubProcess {
    HubProcess::start_on_discord(data_dir.path(), config.path())
}

/// A hub that is connected to a Discord with these permissions.
fn connected(permissions: &str) -> (Discord, HubProcess, TempDir, TempDir) {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut discord = Discord::start();
    discord.settings(config.path(), permissions);
    let hub = hub(&data_dir, &config);
    discord.waits_for("the commands of the guild", |asked| asked.path.ends_with("/guilds/100/commands"));
    (discord, hub, data_dir, config)
}

fn calls(text: &str) -> String {
    format!("<@&{FULL_STACK}> {text}")
}

fn takes(hub: &HubProcess, agent: &Agent) -> String {
    let task = agent.calls(hub, "wait_for_prompt", &json!({ "timeout": 30 }));
    let id = task["taskId"].as_str().unwrap_or_else(|| panic!("{task}")).to_owned();
    agent.calls(hub, "ack_task", &json!({ "taskId": id }));
    id
}

fn reacts(asked: &Asked, message: u64, sign: &str) -> bool {
    let encoded: String = sign.bytes().map(|byte| format!("%{byte:02X}")).collect();
    asked.method == "PUT" && asked.path.contains(&message.to_string()) && asked.path.contains(&encoded)
}

#[test]
fn a_role_that_is_mentioned_works_in_a_thread_and_its_author_hears_how_it_ended() {
    let (mut discord, hub, _data_dir, _config) = connected(DEVELOPERS);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    // The first answers are bad gateways with HTML in them.
    discord.fails_once("/threads", 502);
    let request = discord.says(CHANNEL, &calls("implement login"));
    discord.waits_for("a sign that it was seen", |asked| reacts(asked, request, "👀"));
    let thread = discord.waits_for("a thread", |asked| asked.path.ends_with("/threads"));
    assert!(thread.body["name"].as_str().unwrap().starts_with("FullStack: implement login · "), "{thread:?}");
    let status = discord.waits_for("a status message", |asked| asked.posts(request, "**FullStack**"));
    assert_eq!(status.body["components"][0]["components"][0]["label"], "Cancel");
    let task = takes(&hub, &agent);
    let progress = json!({ "taskId": task, "status": "PROGRESS", "message": "half of it",
        "progress": { "percent": 50 } });
    agent.calls(&hub, "send_response", &progress);
    discord.waits_for("an edited status", |asked| {
        asked.method == "PATCH" && asked.body["content"].as_str().is_some_and(|text| text.contains("50 % · half of it"))
    });
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "It works, @everyone. `cargo test` is green.",
        "artifacts": [{ "kind": "pr", "url": "https://github.com/acme/app/pull/42" }] });
    agent.calls(&hub, "send_response", &done);
    let result = discord.waits_for("the result", |asked| asked.posts(request, "✅ @FullStack completed: PR #42"));
    let text = result.body["content"].as_str().unwrap();
    assert!(text.starts_with(&format!("<@{ANN}> ")) && text.contains("It works, \\@everyone."), "{text}");
    let mentions = json!({ "parse": [], "users": [ANN.to_string()], "replied_user": false });
    assert_eq!(result.body["allowed_mentions"], mentions);
    assert_eq!(result.body["enforce_nonce"], true);
    discord.waits_for("a sign that it is done", |asked| reacts(asked, request, "✅"));
    // The same event once more makes no second task.
    discord.repeats(request, CHANNEL, &calls("implement login"));
    discord.says(CHANNEL, &calls("the next one"));
    discord.waits_for("another thread", |asked| {
        asked.path.ends_with("/threads") && !asked.path.contains(&request.to_string())
    });
    let tasks = hub.get("/api/v1/tasks").1["items"].as_array().unwrap().len();
    assert_eq!(tasks, 2);
    let actors = hub.get("/admin/actors/service:discord-gateway").1;
    assert_eq!(actors["state"], "ready", "{actors}");
}

#[test]
fn who_may_not_is_told_once_whom_they_may_call_and_the_audit_keeps_why() {
    let (mut discord, hub, data_dir, _config) = connected("roles:\n  developer: {canAssignTo: [test-engineer]}\n");
    let request = discord.says(CHANNEL, &calls("implement login"));
    let refusal = discord.waits_for("a refusal", |asked| asked.posts(CHANNEL, "⛔"));
    let said = "⛔ You may not assign tasks to full-stack-engineer. Allowed for you: test-engineer.";
    assert_eq!(refusal.body["content"], said);
    assert_eq!(refusal.body["message_reference"]["message_id"], request.to_string());
    discord.says(CHANNEL, &calls("implement login now"));
    // What comes behind it has come.
    let command = discord.commands("agents", &[]);
    discord.waits_for("an answer", |asked| asked.path.contains(&format!("token-{command}")) && asked.method == "PATCH");
    assert_eq!(discord.count(|asked| asked.posts(CHANNEL, "⛔")), 1);
    assert_eq!(hub.get("/api/v1/tasks").1["items"], json!([]));
    let kept = || fs::read_to_string(data_dir.path().join("audit.jsonl")).unwrap_or_default();
    while !kept().contains("discord.assign") {
        crate::support::pause(20);
    }
    assert!(kept().contains("no entry allows it"), "{}", kept());
}

#[test]
fn a_question_is_answered_by_a_button_and_the_agent_hears_a_human() {
    let (mut discord, hub, _data_dir, _config) = connected(DEVELOPERS);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let request = discord.says(CHANNEL, &calls("implement login"));
    let task = takes(&hub, &agent);
    let ask = json!({ "question": "Old or new?", "options": ["old", "new"], "default_action": "new",
        "timeout_minutes": 30, "wait_seconds": 0 });
    let question = agent.calls(&hub, "request_input", &ask)["question_id"].as_str().unwrap().to_owned();
    let shown = discord.waits_for("the question", |asked| asked.posts(request, "Old or new?"));
    let buttons = &shown.body["components"][0]["components"];
    assert_eq!((&buttons[0]["label"], &buttons[1]["label"]), (&json!("old"), &json!("new")));
    let press = discord.presses(buttons[0]["custom_id"].as_str().unwrap());
    let acknowledged =
        discord.waits_for("acknowledged", |asked| asked.path.contains(&format!("/interactions/{press}/")));
    assert_eq!(acknowledged.body["type"], 5);
    let told = |asked: &Asked| asked.method == "PATCH" && asked.path.contains(&format!("token-{press}"));
    assert_eq!(discord.waits_for("what came of it", told).body["content"], "✅ Answered: old");
    let edited = |asked: &Asked| asked.body["content"].as_str().is_some_and(|text| text.contains("answered: old"));
    assert_eq!(discord.waits_for("the question without buttons", edited).body["components"], json!([]));
    let known = hub.get(&format!("/api/v1/questions/{question}")).1;
    assert_eq!((&known["resolution"]["type"], &known["resolution"]["value"]), (&json!("human"), &json!("old")));
    // Too late: said to who pressed alone.
    let late = discord.presses(buttons[1]["custom_id"].as_str().unwrap());
    let told = |asked: &Asked| asked.method == "PATCH" && asked.path.contains(&format!("token-{late}"));
    let said = discord.waits_for("an explanation", told).body["content"].clone();
    assert!(said.as_str().unwrap().starts_with("⚠️"), "{said}");
    // A word in the thread reaches who has the task.
    let word = discord.says(request, "and add a test");
    discord.waits_for("a sign that it arrived", |asked| reacts(asked, word, "✅"));
    let comments = hub.get(&format!("/api/v1/tasks/{task}")).1["comments"].clone();
    assert!(comments.to_string().contains("and add a test"), "{comments}");
}

#[test]
fn what_is_said_while_the_hub_was_killed_is_heard_once_and_the_session_goes_on() {
    let (mut discord, hub, data_dir, config) = connected(DEVELOPERS);
    discord.says(CHANNEL, &calls("first"));
    discord.waits_for("the first status", |asked| {
        asked.method == "POST" && asked.body["content"].as_str().is_some_and(|text| text.starts_with("**FullStack**"))
    });
    // What is remembered is on disk a moment later.
    let remembered = || fs::read_to_string(data_dir.path().join("discord.json")).unwrap_or_default();
    while !remembered().contains("\"session\":[\"s\",3]") {
        crate::support::pause(20);
    }
    hub.kill();
    let away = discord.says(CHANNEL, &calls("second"));
    let hub = self::hub(&data_dir, &config);
    discord.waits_for("the second status", |asked| asked.posts(away, "**FullStack**"));
    assert_eq!(discord.sessions(), (1, 1), "identified once, resumed once");
    let tasks: Vec<Value> = hub.get("/api/v1/tasks").1["items"].as_array().unwrap().clone();
    assert_eq!(tasks.len(), 2, "{tasks:?}");
    discord.drops();
    let last = discord.says(CHANNEL, &calls("third"));
    discord.waits_for("the third status", |asked| asked.posts(last, "**FullStack**"));
    assert_eq!(discord.sessions(), (1, 2));
}

#[test]
fn a_refused_intent_is_said_once_with_the_switch_to_set_and_the_hub_works_on() {
    let (mut discord, hub, data_dir, _config) = connected(DEVELOPERS);
    discord.closes_with(4014);
    while hub.get("/admin/actors/service:discord-gateway").1["state"] != "stopped" {
        crate::support::pause(20);
    }
    let ready = hub.get("/readyz").1;
    assert_eq!(ready["status"], "degraded", "{ready}");
    let why = ready["reasons"][0].as_str().unwrap();
    assert!(why.contains("Message Content Intent") && why.contains("discord.messageContent: false"), "{why}");
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    agent.calls(&hub, "wait_for_prompt", &json!({ "timeout": 1 }));
    let said = fs::read_to_string(data_dir.path().join("hub.log")).unwrap();
    assert_eq!(said.matches("Discord refuses an intent (4014)").count(), 1, "{said}");
    assert_eq!(discord.count(|asked| asked.path.ends_with("/commands")), 1);
}

#[test]
fn what_cannot_go_into_the_thread_goes_to_its_channel_and_what_is_refused_goes_as_a_file() {
    let (mut discord, hub, _data_dir, _config) = connected(DEVELOPERS);
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let request = discord.says(CHANNEL, &calls("implement login"));
    discord.waits_for("a status message", |asked| asked.posts(request, "**FullStack**"));
    let task = takes(&hub, &agent);
    discord.fails_once(&format!("/channels/{request}/messages"), 404);
    discord.fails_once(&format!("/channels/{CHANNEL}/messages"), 400);
    agent.calls(&hub, "send_response", &json!({ "taskId": task, "status": "FAILED", "message": "no key" }));
    let elsewhere =
        discord.waits_for("the result in the channel", |asked| asked.posts(CHANNEL, "❌ @FullStack failed"));
    assert_eq!(elsewhere.body["message_reference"]["message_id"], request.to_string());
    // A file is no JSON.
    discord.waits_for("the result as a file", |asked| asked.method == "POST" && asked.body.is_null());
    discord.waits_for("a sign that it failed", |asked| reacts(asked, request, "❌"));
    assert_eq!(hub.get("/api/v1/outbox?state=dead_letter").1["items"], json!([]));
}

#[test]
fn a_message_is_handed_out_by_a_command_with_a_thread_of_its_own() {
    let (mut discord, hub, _data_dir, _config) = connected(DEVELOPERS);
    let command = discord.commands("task", &[("agent", "FullStack"), ("prompt", "fix the build")]);
    let told = |asked: &Asked| asked.method == "PATCH" && asked.path.contains(&format!("token-{command}"));
    let said = discord.waits_for("what came of it", told).body["content"].clone();
    assert!(said.as_str().unwrap().contains("queued"), "{said}");
    let tasks = hub.get("/api/v1/tasks").1["items"].clone();
    assert_eq!(tasks[0]["prompt"], "fix the build", "{tasks}");
    let place = &tasks[0]["context"]["discord"];
    let message: u64 = place["message"].as_str().unwrap().parse().unwrap();
    let status = discord.waits_for("a status message", |asked| asked.posts(message, "**FullStack**"));
    let text = status.body["content"].as_str().unwrap();
    assert!(text.contains("queued; no FullStack agent is connected"), "{text}");
    let unknown = discord.commands("task", &[("agent", "nobody"), ("prompt", "x")]);
    let told = |asked: &Asked| asked.method == "PATCH" && asked.path.contains(&format!("token-{unknown}"));
    let said = discord.waits_for("a refusal", told).body["content"].clone();
    assert!(said.as_str().unwrap().starts_with("⚠️ Nobody is called nobody"), "{said}");
}
