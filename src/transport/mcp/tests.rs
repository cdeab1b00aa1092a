//! The door as a client meets it, in both eras: requests into the router, and bodies that are read or dropped.

mod early_refusal;
mod lost;
mod priming;
mod reports;
mod short;
mod tasks;
mod workflows;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::Entrance;
use crate::domain::ids::AgentId;
use crate::settings::SystemPrompts;
use crate::tools::Caller;
use crate::tools::tests::fixture::{ToolFixture, agent, operator};

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-06-18";

/// A hub with its tools, and the MCP endpoint over it.
struct McpFixture {
    desk: ToolFixture,
    door: Entrance,
    prompts: tokio::sync::watch::Sender<Arc<SystemPrompts>>,
}

impl McpFixture {
    async fn new() -> Self {
        Self::over(ToolFixture::new().await)
    }

    fn over(desk: ToolFixture) -> Self {
        let prompts = Arc::new(SystemPrompts::load(None).expect("the compiled-in prompts"));
        let (prompts, seen) = tokio::sync::watch::channel(prompts);
        let door = Entrance::new(desk.hub.clone(), seen);
        Self { desk, door, prompts }
    }

    async fn asked(&self, request: Request<Body>) -> Response<Body> {
        self.door.answer(request).await
    }

    /// A call of the era without sessions.
    async fn modern(&self, caller: &Caller, method: &str, params: Value) -> Response<Body> {
        self.asked(modern(caller, method, params)).await
    }

    /// Opens a session, and names it.
    async fn session(&self, caller: &Caller) -> String {
        let client = json!({"name": "claude-code", "version": "2"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
        let response = self.asked(legacy(caller, None, "initialize", params)).await;
        let session = response.headers()["mcp-session-id"].to_str().expect("text").to_owned();
        let result = answer(response).await;
        assert_eq!(result["result"]["serverInfo"]["name"], "callboard");
        assert_eq!(result["result"]["capabilities"]["tasks"], json!({"cancel": {}}), "its runs are asked about");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let response = self.asked(post(caller, LEGACY, Some(&session), &ready)).await;
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        session
    }

    async fn in_session(&self, caller: &Caller, session: &str, method: &str, params: Value) -> Response<Body> {
        self.asked(legacy(caller, Some(session), method, params)).await
    }

    /// How long until nobody waits as `a1` any more.
    async fn until_nobody_waits(&self) -> Duration {
        let begun = Instant::now();
        while self.availability().await == "waiting" {
            assert!(begun.elapsed() < Duration::from_secs(30), "somebody waits for ever");
            sleep(Duration::from_millis(10)).await;
        }
        begun.elapsed()
    }

    async fn availability(&self) -> String {
        self.desk.call(&operator(), "get_agent_status", json!({"agentId": "a1"})).await.text("availability")
    }

    async fn until_somebody_waits(&self) {
        while self.availability().await != "waiting" {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

fn post(caller: &Caller, version: &str, session: Option<&str>, body: &Value) -> Request<Body> {
    let mut request = Request::post("/")
        .header("host", "127.0.0.1")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", version);
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    if version == MODERN {
        request = request.header("mcp-method", body["method"].as_str().unwrap_or_default());
        let named = |field: &str| body["params"][field].as_str();
        if let Some(name) = named("name").or_else(|| named("uri")).or_else(|| named("taskId")) {
            request = request.header("mcp-name", name);
        }
    }
    request.extension(caller.principal.clone()).body(Body::from(body.to_string())).expect("a request")
}

fn modern(caller: &Caller, method: &str, mut params: Value) -> Request<Body> {
    let meta = params.as_object_mut().expect("an object").entry("_meta").or_insert_with(|| json!({}));
    meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
    if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    if meta["io.modelcontextprotocol/clientInfo"].is_null() {
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "claude-code", "version": "2"});
    }
    post(caller, MODERN, None, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

fn legacy(caller: &Caller, session: Option<&str>, method: &str, params: Value) -> Request<Body> {
    post(caller, LEGACY, session, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

fn tool(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// Every message of a body, a JSON text or an event stream.
async fn messages(response: Response<Body>) -> Vec<Value> {
    let bytes = response.into_body().collect().await.expect("a whole body").to_bytes();
    let text = String::from_utf8(bytes.to_vec()).expect("text");
    if text.starts_with('{') {
        return vec![serde_json::from_str(&text).expect("JSON")];
    }
    let events = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    events.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

async fn answer(response: Response<Body>) -> Value {
    let status = response.status();
    messages(response).await.pop().unwrap_or_else(|| panic!("no answer, only {status}"))
}

#[tokio::test(start_paused = true)]
async fn the_same_tools_are_listed_in_both_eras_in_order_and_with_what_they_answer() {
    let house = McpFixture::new().await;
    let modern = answer(house.modern(&operator(), "tools/list", json!({})).await).await;
    let session = house.session(&operator()).await;
    let legacy = answer(house.in_session(&operator(), &session, "tools/list", json!({})).await).await;
    assert_eq!(modern["result"]["tools"], legacy["result"]["tools"]);
    let tools = modern["result"]["tools"].as_array().expect("tools").clone();
    assert_eq!(tools.len(), crate::tools::table().len());
    // What only clients read is text alone.
    let with_form = |tool: &Value| tool["outputSchema"]["type"] == "object" || tool["name"] == "ask_permission";
    assert!(tools.iter().all(with_form));
    assert_eq!(modern["result"]["cacheScope"], "private");
    assert_eq!(modern["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "callboard");
    assert!(legacy["result"].get("_meta").is_none());
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_answers_as_structure_and_as_text() {
    let house = McpFixture::new().await;
    let register = tool("register_agent", json!({"agentId": "a1", "role": "coding"}));
    let said = answer(house.modern(&agent("a1"), "tools/call", register).await).await;
    let result = &said["result"];
    assert_eq!(result["structuredContent"]["success"], true);
    let told = &result["structuredContent"];
    let content = result["content"].as_array().expect("content");
    assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")));
    let text = content[0]["text"].as_str().expect("a text");
    let (message, prompt) = (told["message"].as_str().expect("words"), told["prompt"].as_str().expect("words"));
    assert!(text.starts_with(&format!("## Result\n{message}\n\n## Details\n{{\"agentId\":\"a1\"")), "{text}");
    assert!(text.ends_with(&format!("}}\n\n{prompt}")), "{text}");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "callboard");
    let wrong = tool("ack_task", json!({"taskId": "nonsense"}));
    let said = answer(house.modern(&agent("a1"), "tools/call", wrong).await).await;
    assert_eq!(said["result"]["isError"], true);
    assert_eq!(said["result"]["structuredContent"]["code"], "TASK_NOT_FOUND");
    house.desk.ends().await;
}

/// With and without the tasks extension, and through the proxy, as views show it and as its row makes of it.
#[tokio::test(start_paused = true)]
async fn a_client_is_seen_as_it_declares_itself() {
    let house = McpFixture::new().await;
    let id = AgentId::parse("a1").expect("an id");
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let table = [
        ("claude-code", json!({}), None, "claude-code", 280),
        ("claude-code", tasks, None, "claude-code", 100),
        ("google-adk", json!({}), None, "google-adk", 280),
        ("google-adk", json!({}), Some("p1"), "google-adk", 4),
        ("somebody-new", json!({}), Some("p1"), "unknown", 45),
    ];
    for (name, capabilities, proxy, row, cap) in table {
        let wake = if row == "claude-code" { "stop_hook" } else { "none" };
        let mut register = tool("register_agent", json!({"agentId": "a1", "role": "coding", "client": "else"}));
        register["_meta"] = json!({
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "2.1"},
        });
        let mut request = modern(&agent("a1"), "tools/call", register);
        if let Some(proxy) = proxy {
            request.headers_mut().insert("callboard-instance", proxy.parse().expect("a header"));
        }
        answer(house.asked(request).await).await;
        let view = house.desk.hub.agent_view(&id).await.expect("a look").expect("an agent");
        let wanted = json!({"name": name, "version": "2.1", "row": row, "waitCapSeconds": cap, "wake": wake});
        assert_eq!(serde_json::to_value(&view.client).expect("JSON"), wanted);
        let own = house.desk.hub.agent(&id).await.expect("a look").expect("an agent").show().await.expect("a look");
        assert_eq!(own.view.client, view.client);
    }
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_hooks_answer_is_its_form_alone_as_text_and_fits_the_schema_as_structure() {
    let house = McpFixture::new().await;
    let dev = house.desk.agent("a1", "coding").await;
    let hook = || tool("wait_for_prompt", json!({"form": "hook", "timeout": 1}));
    let idle = answer(house.modern(&dev, "tools/call", hook()).await).await;
    assert_eq!(idle["result"]["content"], json!([{"type": "text", "text": "{}"}]));
    let work = json!({"targetAgentId": "a1", "prompt": "Build."});
    let task = house.desk.call(&operator(), "assign_task", work).await.text("taskId");
    let session = house.session(&dev).await;
    let said = answer(house.in_session(&dev, &session, "tools/call", hook()).await).await;
    let text = said["result"]["content"][0]["text"].as_str().expect("a text");
    let form: Value = serde_json::from_str(text).expect("JSON");
    let told = &said["result"]["structuredContent"];
    assert_eq!(form, json!({"decision": "block", "reason": told["reason"]}));
    assert_eq!((&told["success"], &told["status"], &told["taskId"]), (&json!(true), &json!("TASK"), &json!(task)));
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_an_error_of_the_protocol_that_names_the_nearest() {
    let house = McpFixture::new().await;
    let said = answer(house.modern(&operator(), "tools/call", tool("list_agent", json!({}))).await).await;
    assert_eq!(said["error"]["code"], -32602);
    assert_eq!(said["error"]["data"]["code"], "UNKNOWN_TOOL");
    assert_eq!(said["error"]["data"]["nearest"][0], "list_agents");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_has_no_principal_is_not_served() {
    let house = McpFixture::new().await;
    let mut request = modern(&operator(), "tools/call", tool("list_agents", json!({})));
    request.extensions_mut().clear();
    let said = answer(house.asked(request).await).await;
    assert!(said["error"]["message"].as_str().expect("a message").contains("credential"));
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_wait_begins_within_a_second_and_ends_with_its_client() {
    let house = McpFixture::new().await;
    let dev = house.desk.agent("a1", "coding").await;
    let begun = Instant::now();
    let response = house.modern(&dev, "tools/call", tool("wait_for_prompt", json!({}))).await;
    assert!(begun.elapsed() <= Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    house.until_somebody_waits().await;
    drop(response);
    assert!(house.until_nobody_waits().await < Duration::from_secs(1));
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_legacy_wait_ends_with_its_stream_and_with_its_session() {
    let house = McpFixture::new().await;
    let dev = house.desk.agent("a1", "coding").await;
    let session = house.session(&dev).await;
    let wait = || tool("wait_for_prompt", json!({}));
    let response = house.in_session(&dev, &session, "tools/call", wait()).await;
    house.until_somebody_waits().await;
    drop(response);
    assert!(house.until_nobody_waits().await < Duration::from_secs(1));
    let kept = house.in_session(&dev, &session, "tools/call", wait()).await;
    house.until_somebody_waits().await;
    let delete = Request::delete("/")
        .header("host", "127.0.0.1")
        .header("mcp-session-id", &session)
        .header("mcp-protocol-version", LEGACY);
    let delete = delete.extension(dev.principal.clone()).body(Body::empty()).expect("a request");
    assert!(house.asked(delete).await.status().is_success());
    assert!(house.until_nobody_waits().await < Duration::from_secs(1));
    drop(kept);
    let gone = house.in_session(&dev, &session, "tools/list", json!({})).await;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_reaches_a_legacy_waiter_with_progress_before_it() {
    // Comments of the library come by the machine's clock, which is not stopped: the story is over before the first.
    let often = Duration::from_secs(2);
    let house = McpFixture::over(ToolFixture::with(|settings| settings.hub.waits.progress_every = often).await);
    let dev = house.desk.agent("a1", "coding").await;
    let session = house.session(&dev).await;
    let mut wait = tool("wait_for_prompt", json!({"timeout": 100}));
    wait["_meta"] = json!({"progressToken": "p1"});
    let response = house.in_session(&dev, &session, "tools/call", wait).await;
    #[expect(clippy::disallowed_methods, reason = "a client of its own")]
    let reading = tokio::spawn(messages(response));
    sleep(Duration::from_secs(5)).await;
    house.desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Go."})).await.done();
    let messages = reading.await.expect("messages");
    let progress: Vec<f64> = messages
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| message["params"]["progress"].as_f64().expect("a number"))
        .collect();
    assert_eq!(progress, [1.0, 2.0, 3.0]);
    let result = &messages.last().expect("an answer")["result"]["structuredContent"];
    assert_eq!(result["status"], "TASK");
    assert_eq!(result["prompt"], "Go.");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_reaches_a_modern_waiter_outside_the_library_and_is_written_as_inside() {
    let often = Duration::from_secs(2);
    let house = McpFixture::over(ToolFixture::with(|settings| settings.hub.waits.progress_every = often).await);
    let register = tool("register_agent", json!({"agentId": "a1", "role": "coding"}));
    let inside = answer(house.modern(&agent("a1"), "tools/call", register).await).await;
    let mut wait = tool("wait_for_prompt", json!({"timeout": 100}));
    wait["_meta"] = json!({"progressToken": "p1"});
    let response = house.modern(&agent("a1"), "tools/call", wait).await;
    #[expect(clippy::disallowed_methods, reason = "a client of its own")]
    let reading = tokio::spawn(messages(response));
    sleep(Duration::from_secs(5)).await;
    house.desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Go."})).await.done();
    let messages = reading.await.expect("messages");
    let (outside, notes) = messages.split_last().expect("an answer");
    let told: Vec<_> = notes.iter().map(|note| (&note["method"], &note["params"]["progressToken"])).collect();
    assert_eq!(told, vec![(&json!("notifications/progress"), &json!("p1")); 3]);
    // Notes come at common moments: the second one up to a second early.
    let second = notes[1]["params"]["message"].as_str().expect("a text");
    assert!(["Waiting for 1 s.", "Waiting for 2 s."].contains(&second), "{second}");
    let fields = |message: &Value| message.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(outside), fields(&inside));
    assert_eq!(fields(&outside["result"]), fields(&inside["result"]));
    assert_eq!(outside["id"], inside["id"]);
    assert_eq!(outside["result"]["resultType"], inside["result"]["resultType"]);
    assert_eq!(outside["result"]["_meta"], inside["result"]["_meta"]);
    assert_eq!(outside["result"]["structuredContent"]["prompt"], "Go.");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn somebody_elses_session_answers_like_a_missing_one() {
    let house = McpFixture::new().await;
    let session = house.session(&agent("a1")).await;
    let foreign = house.in_session(&agent("a2"), &session, "tools/list", json!({})).await;
    let missing = house.in_session(&agent("a2"), "no-such-session", "tools/list", json!({})).await;
    assert_eq!(foreign.status(), missing.status());
    let text = async |response: Response<Body>| response.into_body().collect().await.expect("a body").to_bytes();
    assert_eq!(text(foreign).await, text(missing).await);
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_in_an_answer_that_nobody_read_goes_to_who_waits() {
    let house = McpFixture::new().await;
    let (dev, other) = (house.desk.agent("a1", "coding").await, house.desk.agent("a2", "coding").await);
    let work = json!({"targetAgentId": "role:coding", "prompt": "Go."});
    house.desk.call(&operator(), "assign_task", work).await.done();
    let wait = || tool("wait_for_prompt", json!({}));
    let unread = house.modern(&dev, "tools/call", wait()).await;
    drop(unread);
    let said = house.desk.call(&other, "wait_for_prompt", json!({})).await;
    assert_eq!(said.0["leaseEpoch"], 2, "{said:?}");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_session_outlives_the_limit_of_the_library_and_ends_at_ours() {
    let house = McpFixture::new().await;
    let session = house.session(&operator()).await;
    sleep(Duration::from_secs(20 * 60)).await;
    let listed = answer(house.in_session(&operator(), &session, "tools/list", json!({})).await).await;
    assert!(listed["result"]["tools"].is_array());
    sleep(Duration::from_secs(32 * 60)).await;
    let gone = house.in_session(&operator(), &session, "tools/list", json!({})).await;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn each_role_has_a_prompt() {
    let house = McpFixture::new().await;
    let listed = answer(house.modern(&operator(), "prompts/list", json!({})).await).await;
    let listed = listed["result"]["prompts"].as_array().expect("a list");
    assert!(listed.iter().any(|prompt| prompt["name"] == "role/designer"), "{listed:?}");
    let wanted = json!({"name": "role/pm", "arguments": {"agentId": "pm-1"}});
    let said = answer(house.modern(&operator(), "prompts/get", wanted).await).await;
    assert!(said["result"]["messages"][0]["content"]["text"].as_str().expect("a text").contains("wait_for_prompt"));
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_was_read_again_is_told_to_the_next_who_asks() {
    let house = McpFixture::new().await;
    let text = async || {
        let said = house.modern(&operator(), "prompts/get", json!({"name": "role/designer"})).await;
        answer(said).await["result"]["messages"][0]["content"]["text"].as_str().expect("a text").to_owned()
    };
    assert!(!text().await.contains("House rule"));
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("system-prompts")).expect("a folder in it");
    std::fs::write(folder.path().join("system-prompts/designer.md"), "House rule: be brief.\n").expect("a file");
    let prompts = SystemPrompts::load(Some(folder.path())).expect("they are right");
    house.prompts.send_replace(Arc::new(prompts));
    assert!(text().await.contains("House rule: be brief."));
}
