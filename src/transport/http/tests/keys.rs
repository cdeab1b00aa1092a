//! Every route and every verb that changes something takes an idempotency key, and keeps it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::guarded_hub::GuardedHub;
use crate::actors::workflow::Start;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::NewDelivery;
use crate::domain::principal::{By, Scope, Surface};
use crate::domain::tool_set::ToolSet;
use crate::journal::{Append, Entry, HubRecord, Row};
use crate::tools;
use crate::transport::web::Route;

/// A call that changes something, for each row of the tables.
type Samples = BTreeMap<&'static str, (String, Value)>;

/// What an agent may do here: `fullstack-1` holds one task, acknowledged; the others are as their names say.
struct Stage {
    house: GuardedHub,
    admin: String,
    agent: String,
    /// Another agent, to whom nothing happens.
    other: String,
    tasks: BTreeMap<&'static str, String>,
    /// Tokens that nobody needs.
    spare: [String; 2],
}

impl Stage {
    /// A run of a workflow that this person began.
    async fn workflow(&self, name: &str) -> String {
        let hub = &self.house.backstage.hub;
        let owner = PrincipalId::parse(&format!("person:{name}")).unwrap();
        let plan = hub.settings().workflows.iter().next().unwrap().plan.clone();
        let by = By { principal: owner.clone(), surface: Surface::Api };
        let start =
            Start { owner, plan, parameters: Map::new(), unsure: Default::default(), by, request: None, key: None };
        hub.start_workflow(start).await.unwrap().to_string()
    }

    /// With `plain` in progress, or only offered.
    async fn set(acknowledged: bool) -> Self {
        // It asks faster than anybody who works.
        let house = GuardedHub::with(|settings| {
            (settings.hub.limits.requests_per_second, settings.hub.limits.burst) = (10_000, 10_000);
        })
        .await;
        let admin = house.token_of("ann", Scope::Admin);
        let agent = house.agent_token("fullstack-1");
        let spare = ["spare-1", "spare-2"].map(|id| house.token_until(id, None).1);
        let other = house.agent_token("fullstack-2");
        let mut stage = Self { house, admin, agent, other, tasks: BTreeMap::new(), spare };
        let registers = json!({"agentId": "fullstack-1", "role": "full-stack-engineer"});
        stage.tool("register_agent", registers).await;
        stage
            .says(&stage.other, "register_agent", json!({"agentId": "fullstack-2", "role": "full-stack-engineer"}))
            .await;
        let pm = stage.house.agent_token("pm-1");
        let registers = json!({"agentId": "pm-1", "role": "project-manager"});
        stage.house.orders("POST", "/api/v1/tools/register_agent", &pm, registers).await;
        let blocked = stage.taken().await;
        let report = json!({"taskId": blocked, "status": "BLOCKED", "message": "?", "blockedReason": "Which?"});
        stage.tool("send_response", report).await;
        let plain = stage.taken().await;
        if acknowledged {
            stage.tool("ack_task", json!({ "taskId": plain })).await;
        }
        stage.tasks.extend([("answer", blocked), ("plain", plain)]);
        for name in ["cancel", "reassign"] {
            let task = stage.asked("role:test-engineer").await;
            stage.tasks.insert(name, task);
        }
        stage
    }

    async fn asked(&self, target: &str) -> String {
        let body = json!({"targetAgentId": target, "prompt": "Build it."});
        let made = self.house.orders("POST", "/api/v1/tasks", &self.admin, body).await;
        made.body["taskId"].as_str().unwrap_or_else(|| panic!("{}", made.text)).to_owned()
    }

    async fn taken(&self) -> String {
        let task = self.asked("fullstack-1").await;
        self.tool("wait_for_prompt", json!({})).await;
        task
    }

    /// An agent of that name with a task of its own, in progress.
    async fn worker(&self, id: &str) -> (String, String) {
        let token = self.house.agent_token(id);
        let registers = json!({"agentId": id, "role": "full-stack-engineer"});
        self.says(&token, "register_agent", registers).await;
        let task = self.asked(id).await;
        self.says(&token, "wait_for_prompt", json!({})).await;
        self.says(&token, "ack_task", json!({ "taskId": task })).await;
        (token, task)
    }

    /// A task that a worker of that name handed in.
    async fn handed_in(&self, id: &str) -> (String, String) {
        let (token, task) = self.worker(id).await;
        self.says(&token, "submit_for_review", json!({"pr_url": "https://forge.example/1"})).await;
        (token, task)
    }

    /// A question that a worker of that name asks.
    async fn asks(&self, id: &str) -> (String, String) {
        let (token, _) = self.worker(id).await;
        let asks = json!({"question": "Old or new?", "default_action": "new", "wait_seconds": 0});
        let asked = self.house.orders("POST", "/api/v1/tools/request_input", &token, asks).await;
        let question = asked.body["question_id"].as_str().unwrap_or_else(|| panic!("{}", asked.text));
        (token, question.to_owned())
    }

    /// A comment on a review.
    async fn commented(&self, task: &str) -> Value {
        let path = format!("/api/v1/reviews/{task}/comments");
        let said = self.house.orders("POST", &path, &self.admin, json!({"text": "Why?"})).await;
        assert!(said.body["commentId"].is_string(), "{}", said.text);
        said.body["commentId"].clone()
    }

    /// The path of an order for something that must go out to a destination that nothing is sent to.
    async fn outgoing(&self, order: &str) -> String {
        let hub = &self.house.backstage.hub;
        let (destination, lane, summary) = ("gone".to_owned(), order.to_owned(), "x".to_owned());
        let rows = vec![Row::Outgoing(Box::new(NewDelivery { destination, lane, summary, body: json!({}) }))];
        let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
        let started = Entry::of_hub(HubRecord::Started { version: "1".to_owned() });
        let append = Append { rows, ..Append::new(hub.clock.now(), by, vec![started]) };
        let written = hub.journal.append(append).await.unwrap();
        format!("/api/v1/outbox/d_{}_0/{order}", written.first)
    }

    async fn says(&self, token: &str, name: &str, body: Value) {
        let said = self.house.orders("POST", &format!("/api/v1/tools/{name}"), token, body).await;
        assert_eq!(said.status, 200, "{name}: {}", said.text);
    }

    async fn tool(&self, name: &str, body: Value) {
        self.says(&self.agent, name, body).await;
    }

    /// Who gives this order. The shipped plans ask in a session, and a person has none.
    fn orders(&self, what: &str) -> &str {
        if what == "POST /api/v1/workflows" { &self.other } else { &self.admin }
    }

    fn task(&self, name: &str) -> &str {
        &self.tasks[name]
    }
}

/// The same key for another request is refused: so the key was kept, with what was asked under it.
async fn keeps_its_key(stage: &Stage, token: &str, what: &str, method: &str, path: &str, body: Value) {
    let key = format!("key of {what}");
    let first = stage.house.orders_once(method, path, token, &key, body.clone()).await;
    assert!(first.status.is_success(), "{what}: {}", first.text);
    let again = stage.house.orders_once(method, path, token, &key, body).await;
    assert_eq!(again.status, first.status, "{what}: {}", again.text);
    let (other, body) = if token == stage.admin {
        ("/api/v1/tokens", json!({"agent": "other"}))
    } else {
        ("/api/v1/tools/send_message", json!({"to": "pm-1", "text": "Hi."}))
    };
    let other = stage.house.orders_once("POST", other, token, &key, body).await;
    assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED", "{what} does not keep its key: {}", other.text);
}

/// Of each but two a repeat is answered as the first time: a wait brings what is there by then, and nobody takes leave
/// for one call twice.
fn changes(tool: &tools::ToolEntry) -> bool {
    !tool.read_only && !["ask_permission", "wait_for_prompt"].contains(&tool.name)
}

/// Logging in needs no key: a code is spent once, and one more of them changes nothing.
fn routes() -> Vec<Route> {
    let rooms = crate::transport::http::router::rooms();
    let keeps = |row: &&Route| {
        let of_its_own = row.path == "/api/v1/tools/{name}" || row.path.starts_with("/api/v1/log");
        !of_its_own && !row.has_its_own_id
    };
    rooms.rows().iter().filter(|row| row.method.changes()).filter(keeps).copied().collect()
}

async fn of_workflows(stage: &Stage) -> Samples {
    let name = stage.house.backstage.hub.settings().workflows.iter().next().unwrap().plan.name.clone();
    let (goes_on, ends) = (stage.workflow("ann").await, stage.workflow("ann").await);
    BTreeMap::from([
        ("POST /api/v1/workflows", ("/api/v1/workflows".to_owned(), json!({ "name": name }))),
        ("POST /api/v1/workflows/{id}/continue", (format!("/api/v1/workflows/{goes_on}/continue"), json!({}))),
        ("POST /api/v1/workflows/{id}/cancel", (format!("/api/v1/workflows/{ends}/cancel"), json!({}))),
    ])
}

async fn of_webhooks(stage: &Stage) -> Samples {
    let of =
        |name: &str| json!({"name": name, "url": "http://127.0.0.1:9/", "allowPrivate": true, "events": ["agent"]});
    for name in ["changes", "goes"] {
        let added = stage.house.orders("POST", "/api/v1/webhooks", &stage.admin, of(name)).await;
        assert_eq!(added.status, 201, "{}", added.text);
    }
    let device = |of: &str| {
        let keys = json!({
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        });
        json!({"endpoint": format!("https://push.example/{of}"), "keys": keys, "events": ["agent"]})
    };
    let goes = stage.house.orders("POST", "/api/v1/push/devices", &stage.admin, device("goes")).await;
    let goes = goes.body["webhook"]["name"].as_str().unwrap_or_else(|| panic!("{}", goes.text)).to_owned();
    BTreeMap::from([
        ("POST /api/v1/push/devices", ("/api/v1/push/devices".to_owned(), device("new"))),
        ("DELETE /api/v1/push/devices/{id}", (format!("/api/v1/push/devices/{goes}"), Value::Null)),
        ("POST /api/v1/webhooks", ("/api/v1/webhooks".to_owned(), of("new"))),
        ("PATCH /api/v1/webhooks/{id}", ("/api/v1/webhooks/changes".to_owned(), json!({"events": ["session"]}))),
        ("DELETE /api/v1/webhooks/{id}", ("/api/v1/webhooks/goes".to_owned(), Value::Null)),
        ("POST /api/v1/webhooks/{id}/enable", ("/api/v1/webhooks/nowhere/enable".to_owned(), json!({}))),
    ])
}

async fn of_schedules(stage: &Stage) -> Samples {
    let of = |name: &str| json!({"name": name, "every": "6h", "target": "role:designer", "prompt": "x"});
    for name in ["changes", "goes", "runs"] {
        let added = stage.house.orders("POST", "/api/v1/schedules", &stage.admin, of(name)).await;
        assert_eq!(added.status, 201, "{}", added.text);
    }
    BTreeMap::from([
        ("POST /api/v1/schedules", ("/api/v1/schedules".to_owned(), of("new"))),
        ("PATCH /api/v1/schedules/{id}", ("/api/v1/schedules/changes".to_owned(), json!({"paused": true}))),
        ("DELETE /api/v1/schedules/{id}", ("/api/v1/schedules/goes".to_owned(), Value::Null)),
        ("POST /api/v1/schedules/{id}/run", ("/api/v1/schedules/runs/run".to_owned(), json!({}))),
    ])
}

#[tokio::test]
async fn every_route_that_changes_something_keeps_its_key() {
    let stage = Stage::set(true).await;
    let of = |name: &str, verb: &str| format!("/api/v1/tasks/{}/{verb}", stage.task(name));
    let done = json!({"taskId": stage.task("plain"), "status": "FAILED", "message": "No."});
    let mut samples: Samples = BTreeMap::from([
        ("POST /api/v1/tasks", ("/api/v1/tasks".to_owned(), json!({"targetAgentId": "fullstack-1", "prompt": "x"}))),
        ("POST /api/v1/tasks/{id}/cancel", (of("cancel", "cancel"), json!({"reason": "x"}))),
        ("POST /api/v1/tasks/{id}/reassign", (of("reassign", "reassign"), json!({"targetAgentId": "role:designer"}))),
        ("POST /api/v1/tasks/{id}/edit", (of("plain", "edit"), json!({"priority": "high"}))),
        ("POST /api/v1/tasks/{id}/comments", (of("plain", "comments"), json!({"text": "x"}))),
        ("POST /api/v1/tasks/{id}/answer", (of("answer", "answer"), json!({"answer": "x"}))),
        ("POST /api/v1/tokens", ("/api/v1/tokens".to_owned(), json!({"agent": "new-1"}))),
        ("POST /api/v1/tokens/{id}/rotate", (format!("/api/v1/tokens/{}/rotate", stage.spare[0]), json!({}))),
        ("DELETE /api/v1/tokens/{id}", (format!("/api/v1/tokens/{}", stage.spare[1]), Value::Null)),
        ("POST /admin/actors/{id}/restart", ("/admin/actors/dispatcher/restart".to_owned(), json!({}))),
    ]);
    let evicted = ("/api/v1/agents/fullstack-1/evict".to_owned(), json!({"action": "RESTART", "reason": "x"}));
    samples.insert("POST /api/v1/agents/{id}/evict", evicted);
    stage.tool("send_response", done).await;
    samples.insert("POST /api/v1/tasks/{id}/retry", (of("plain", "retry"), json!({})));
    let wishes = json!({"comments": [{"text": "Rename it."}]});
    for (what, kind, verb, body) in [
        ("POST /api/v1/tasks/{id}/approve", "tasks", "approve", json!({})),
        ("POST /api/v1/tasks/{id}/request-changes", "tasks", "request-changes", wishes.clone()),
        ("POST /api/v1/reviews/{id}/approve", "reviews", "approve", json!({})),
        ("POST /api/v1/reviews/{id}/request-changes", "reviews", "request-changes", wishes),
        ("POST /api/v1/reviews/{id}/comments", "reviews", "comments", json!({"text": "x"})),
        ("POST /api/v1/reviews/{id}/resolve", "reviews", "resolve", Value::Null),
    ] {
        let (_, task) = stage.handed_in(&format!("worker-{}", samples.len())).await;
        let body = if verb == "resolve" { json!({"commentId": stage.commented(&task).await}) } else { body };
        samples.insert(what, (format!("/api/v1/{kind}/{task}/{verb}"), body));
    }
    let (_, task) = stage.handed_in("worker-inbox").await;
    let actions = json!({"actions": [{"item": format!("review:{task}"), "action": "approve"}]});
    samples.insert("POST /api/v1/inbox/actions", ("/api/v1/inbox/actions".to_owned(), actions));
    let (_, question) = stage.asks("worker-q").await;
    let answer = (format!("/api/v1/questions/{question}/answer"), json!({"value": "old"}));
    samples.insert("POST /api/v1/questions/{id}/answer", answer);
    let sessions = stage.house.orders("GET", "/api/v1/sessions", &stage.admin, Value::Null).await;
    let session = sessions.body["items"][0]["sessionId"].as_str().unwrap_or_else(|| panic!("{}", sessions.text));
    samples.insert("POST /api/v1/sessions/{id}/output", (format!("/api/v1/sessions/{session}/output"), json!("x")));
    let hosted = sessions.body["items"][1]["sessionId"].as_str().unwrap_or_else(|| panic!("{}", sessions.text));
    stage.house.asks_in_the_terminal_of(hosted, "Go on? (yes/no) ").await;
    let answer = json!({"text": "yes", "promptText": "Go on? (yes/no)", "reason": "x"});
    samples.insert("POST /api/v1/sessions/{id}/input", (format!("/api/v1/sessions/{hosted}/input"), answer));
    let session = session.to_owned();
    let told = json!({"session_id": session, "prompt_text": "Go on? (yes/no)", "input_text": "no", "success": true,
        "input_source": "user_typed"});
    stage.house.orders("POST", "/api/v1/tools/track_input_event", &stage.admin, told).await;
    let patterns = stage.house.orders("GET", "/api/v1/patterns", &stage.admin, Value::Null).await;
    let pattern = patterns.body["items"][0]["pattern_id"].as_str().unwrap_or_else(|| panic!("{}", patterns.text));
    samples.insert("POST /api/v1/patterns/{id}/promote", (format!("/api/v1/patterns/{pattern}/promote"), json!({})));
    samples.insert("POST /api/v1/outbox/{id}/retry", (stage.outgoing("retry").await, json!({})));
    samples.insert("POST /api/v1/outbox/{id}/drop", (stage.outgoing("drop").await, json!({"reason": "x"})));
    samples.extend(of_workflows(&stage).await);
    stage.house.has_a_webhook("nowhere");
    samples.extend(of_webhooks(&stage).await);
    samples.extend(of_schedules(&stage).await);
    samples.insert("POST /api/v1/webhooks/{id}/test", ("/api/v1/webhooks/nowhere/test".to_owned(), json!({})));
    for row in routes() {
        let what = format!("{} {}", row.method.as_str(), row.path);
        // It wants a dead letter, and is built as `retry` is.
        if what == "POST /api/v1/tasks/{id}/requeue" {
            continue;
        }
        let (path, body) = samples.remove(what.as_str()).unwrap_or_else(|| panic!("{what} has no sample here"));
        keeps_its_key(&stage, stage.orders(&what), &what, row.method.as_str(), &path, body).await;
    }
    assert!(samples.is_empty(), "no such routes: {:?}", samples.keys());
    stage.house.ends().await;
}

#[tokio::test]
async fn every_verb_that_changes_something_keeps_its_key() {
    let stage = Stage::set(false).await;
    let plain = stage.task("plain");
    let registers = json!({"agentId": "fullstack-1", "role": "full-stack-engineer"});
    let asked = json!({"targetAgentId": "role:test-engineer", "prompt": "x"});
    let path = "/api/v1/tools/assign_task";
    let mine = stage.house.orders("POST", path, &stage.agent, asked.clone()).await.body["taskId"].clone();
    // To look at an offered task is to acknowledge it.
    let second = stage.house.agent_token("fullstack-2");
    let call = async |name: &str, body: Value| {
        let path = format!("/api/v1/tools/{name}");
        assert_eq!(stage.house.orders("POST", &path, &second, body).await.status, 200, "{name}");
    };
    call("register_agent", json!({"agentId": "fullstack-2", "role": "full-stack-engineer"})).await;
    let theirs = stage.asked("fullstack-2").await;
    call("wait_for_prompt", json!({})).await;
    let ((submits, _), (completes, _)) = (stage.worker("worker-1").await, stage.worker("worker-2").await);
    let (resolves, reviewed) = stage.handed_in("worker-3").await;
    let comment = stage.commented(&reviewed).await;
    let ((blocks, _), (works, _)) = (stage.worker("worker-4").await, stage.worker("worker-5").await);
    let (asks, question) = stage.asks("worker-6").await;
    let (requests, _) = stage.worker("worker-7").await;
    let reported = json!({"taskId": plain, "status": "PROGRESS", "message": "Half."});
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("build.log");
    std::fs::write(&log, "x").unwrap();
    stage.house.follows_files_below(folder.path());
    let follows = |id: &str| json!({"session_id": id, "session_type": "file", "log_file": log});
    let told = json!({"session_id": "followed", "prompt_text": "Go on? (yes/no)", "input_text": "no", "success": true,
        "input_source": "user_typed"});
    for (name, body) in [("start_session_monitor", follows("followed")), ("track_input_event", told.clone())] {
        stage.says(&stage.admin, name, body).await;
    }
    let known = stage.house.orders("GET", "/api/v1/patterns", &stage.admin, Value::Null).await;
    let pattern = known.body["items"][0]["pattern_id"].clone();
    let admin = stage.admin.as_str();
    let mut another = told.as_object().unwrap().clone();
    another.insert("session_id".to_owned(), json!("another"));
    let mut samples: BTreeMap<&str, (&str, Value)> = BTreeMap::from([
        ("ack_task", (stage.agent.as_str(), json!({ "taskId": plain }))),
        ("register_agent", (stage.agent.as_str(), registers)),
        ("assign_task", (stage.agent.as_str(), asked)),
        ("send_response", (stage.agent.as_str(), reported)),
        ("update_progress", (stage.agent.as_str(), json!({"taskId": plain, "message": "Further."}))),
        ("cancel_task", (stage.agent.as_str(), json!({ "taskId": mine }))),
        ("submit_for_review", (submits.as_str(), json!({"pr_url": "https://forge.example/1"}))),
        ("complete_task", (completes.as_str(), json!({"summary": "Done."}))),
        ("link_task", (stage.agent.as_str(), json!({"work_item": "acme/web#12"}))),
        ("post_task_comment", (stage.agent.as_str(), json!({"body": "x"}))),
        ("mark_blocked", (blocks.as_str(), json!({"reason": "Which key?"}))),
        ("update_status", (works.as_str(), json!({"status": "working", "message": "On it."}))),
        ("request_input", (requests.as_str(), json!({"question": "Red?", "default_action": "no", "wait_seconds": 0}))),
        ("withdraw_question", (asks.as_str(), json!({ "question_id": question }))),
        ("resolve_review_comment", (resolves.as_str(), json!({ "comment_id": comment }))),
        ("get_task_context", (second.as_str(), json!({ "taskId": theirs }))),
        ("answer_task", (stage.admin.as_str(), json!({"taskId": stage.task("answer"), "answer": "x"}))),
        ("send_message", (stage.agent.as_str(), json!({"to": "pm-1", "text": "x"}))),
        ("append_output", (stage.agent.as_str(), json!({"text": "x"}))),
        ("start_session_monitor", (admin, follows("another"))),
        ("track_input_event", (admin, Value::Object(another))),
        ("stop_session_monitor", (admin, json!({"session_id": "followed"}))),
        ("cleanup_old_sessions", (admin, json!({}))),
        ("forget_pattern", (admin, json!({ "pattern_id": pattern }))),
        ("workflow_complete", (admin, json!({"task": stage.workflow("ann").await, "result": "Done."}))),
    ]);
    // Pull requests take a forge: their stories try their keys.
    let tried = |tool: &&tools::ToolEntry| changes(tool) && tools::set_of(tool.name) != ToolSet::Forge;
    for tool in tools::table().iter().filter(tried) {
        let (token, body) = samples.remove(tool.name).unwrap_or_else(|| panic!("{} has no sample here", tool.name));
        keeps_its_key(&stage, token, tool.name, "POST", &format!("/api/v1/tools/{}", tool.name), body).await;
    }
    assert!(samples.is_empty(), "no such verbs: {:?}", samples.keys());
    stage.house.ends().await;
}

#[tokio::test]
async fn a_token_is_made_once_under_its_key_and_its_secret_is_told_once() {
    let house = GuardedHub::new().await;
    let admin = house.token_of("ann", Scope::Admin);
    let make = async |key: &str| house.orders_once("POST", "/api/v1/tokens", &admin, key, json!({"agent": "a1"})).await;
    let (first, again) = (make("k").await, make("k").await);
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201), "{}", again.text);
    assert!(first.body["token"].is_string() && first.body["repeated"].is_null());
    assert_eq!((&again.body["id"], &again.body["repeated"]), (&first.body["id"], &json!(true)));
    assert!(again.body["token"].is_null(), "a secret is told once");
    assert_eq!(house.tokens.list().len(), 2, "the admin's, and this one");
    let path = format!("/api/v1/tokens/{}", first.body["id"].as_str().unwrap());
    let rotated = house.orders_once("POST", &format!("{path}/rotate"), &admin, "r", json!({"overlap": "0s"})).await;
    let again = house.orders_once("POST", &format!("{path}/rotate"), &admin, "r", json!({"overlap": "0s"})).await;
    assert_eq!((again.status.as_u16(), &again.body["repeated"]), (200, &json!(true)));
    let token = rotated.body["token"].as_str().unwrap();
    let tool = "/api/v1/tools/register_agent";
    let registers = json!({"agentId": "a1", "role": "designer"});
    assert_eq!(house.orders("POST", tool, token, registers).await.status, 200, "it was rotated once");
    for _ in 0..2 {
        assert_eq!(house.orders_once("DELETE", &path, &admin, "d", Value::Null).await.status, 204);
    }
    let lost = make("k").await;
    assert_eq!(lost.code(), "TOKEN_NOT_FOUND", "what was revoked does not come back: {}", lost.text);
    assert_eq!(house.tokens.list().len(), 1);
    house.ends().await;
}
