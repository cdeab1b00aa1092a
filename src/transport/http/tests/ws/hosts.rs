//! Hosts of agents on call over true WebSockets, on stopped time: from the offer to the report, and every way off it.

mod days;
mod fresh;
mod limits;

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use http::StatusCode;
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::super::guarded_hub::{Answer, GuardedHub};
use super::client::{Hall, upgrade};
use crate::actors::journal::JournalReads;
use crate::domain::ids::RoleId;
use crate::domain::on_call::PROTOCOL;
use crate::domain::principal::{Scope, Surface};
use crate::domain::time::Timestamp;
use crate::domain::trace::{Trace, TraceId};
use crate::journal::memory;
use crate::tools::{self, Caller, Follows};
use crate::transport::tokens::NewToken;

const ROLE: &str = "full-stack-engineer";
const MINUTE: Duration = Duration::from_secs(60);
const HANG: Duration = Duration::from_secs(2 * 60 * 60);

/// A host that plays its processes by hand.
struct Host {
    says: SplitSink<WebSocketStream<DuplexStream>, Message>,
    /// What comes; none at the end of the connection.
    comes: mpsc::UnboundedReceiver<Value>,
    reads: JoinHandle<()>,
    number: u64,
    heard: VecDeque<Value>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.reads.abort();
    }
}

/// The answer to its introduction.
type Introduced = (Host, Value);

fn host_token(house: &GuardedHub, name: &str, role: &str) -> String {
    let new = NewToken::Host { name: name.to_owned(), role: RoleId::parse(role).unwrap() };
    house.tokens.create(&new, None, Timestamp(1_800_000_000_000)).unwrap().0
}

fn hello(host: &str, max: u16, runs: &[&str]) -> Value {
    json!({"type": "hello", "host": host, "role": ROLE, "client": "claude", "max": max, "prefix": "fs",
        "workspace": "/work", "runs": runs})
}

async fn dials(hall: &Hall, token: &str) -> Result<Host, StatusCode> {
    let mut request = upgrade(Some(token));
    *request.uri_mut() = "ws://127.0.0.1:7420/ws/host".parse().unwrap();
    request.headers_mut().insert("sec-websocket-protocol", PROTOCOL.parse().unwrap());
    match timeout(HANG, client_async(request, hall.dials.dial())).await.expect("an answer") {
        Ok((ws, _)) => Ok(Host::of(ws)),
        Err(Error::Http(response)) => Err(response.status()),
        Err(error) => panic!("{error}"),
    }
}

async fn introduces(hall: &Hall, hello: Value) -> Introduced {
    let token = host_token(&hall.house, "build", ROLE);
    let mut host = dials(hall, &token).await.expect("a socket");
    let answer = host.introduces_itself(hello).await;
    (host, answer)
}

/// A host whose slots are parked.
async fn on_call(hall: &Hall, host: &str, max: u16) -> Host {
    let (mut host, welcome) = introduces(hall, hello(host, max, &[])).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    for slot in welcome["slots"].as_array().unwrap() {
        host.says(json!({"type": "parked", "slot": slot})).await;
    }
    host
}

impl Host {
    async fn introduces_itself(&mut self, hello: Value) -> Value {
        self.sends(&json!({"number": 0, "message": hello})).await;
        self.next().await
    }

    /// It reads, and so answers pings, whatever it does.
    fn of(ws: WebSocketStream<DuplexStream>) -> Self {
        let (says, mut hears) = ws.split();
        let (tells, comes) = mpsc::unbounded_channel();
        let reading = async move {
            while let Some(Ok(message)) = hears.next().await {
                if let Message::Text(text) = message {
                    let _ = tells.send(serde_json::from_str(&text).expect("JSON"));
                }
            }
        };
        #[expect(clippy::disallowed_methods, reason = "the test holds its handle")]
        let reads = tokio::spawn(reading);
        Self { says, comes, reads, number: 0, heard: VecDeque::new() }
    }

    async fn sends(&mut self, message: &Value) {
        self.says.send(Message::text(message.to_string())).await.expect("it is heard");
    }

    async fn next(&mut self) -> Value {
        timeout(HANG, self.comes.recv()).await.expect("a message in time").expect("a message, and no end")
    }

    /// The next message of this type; others are kept for later.
    async fn hears(&mut self, kind: &str) -> Value {
        if let Some(at) = self.heard.iter().position(|said| said["type"] == kind) {
            return self.heard.remove(at).unwrap();
        }
        loop {
            let said = self.next().await;
            if said["type"] == kind {
                return said;
            }
            self.heard.push_back(said);
        }
    }

    /// Says it, and waits until it is kept.
    async fn says(&mut self, message: Value) -> Value {
        self.number += 1;
        self.sends(&json!({"number": self.number, "message": message})).await;
        let kept = self.hears("kept").await;
        assert_eq!(kept["number"], self.number);
        kept
    }

    async fn ends(&mut self, run: &Value, process: u32, reason: &str) -> bool {
        self.says(json!({"type": "ended", "run": run, "process": process, "reason": reason, "exit": 0})).await["waits"]
            .as_bool()
            .unwrap()
    }

    /// Nothing but what was kept before comes for so long.
    async fn hears_nothing_of(&mut self, kind: &str, span: Duration) {
        assert!(timeout(span, self.hears(kind)).await.is_err(), "no {kind} was to come");
    }

    async fn closes(mut self) {
        let end = async { while self.comes.recv().await.is_some() {} };
        timeout(HANG, end).await.expect("an end in time");
    }
}

async fn task(hall: &Hall, id: &Value) -> Value {
    let operator = hall.house.token_of("olga", Scope::Operate);
    hall.house.orders("GET", &format!("/api/v1/tasks/{}", id.as_str().unwrap()), &operator, Value::Null).await.body
}

/// The client of a run calls a tool.
async fn calls(hall: &Hall, offer: &Value, tool: &str, arguments: Value) -> Answer {
    calls_with(hall, offer["token"].as_str().unwrap(), tool, arguments).await
}

async fn calls_with(hall: &Hall, token: &str, tool: &str, arguments: Value) -> Answer {
    hall.house.orders("POST", &format!("/api/v1/tools/{tool}"), token, arguments).await
}

async fn looks(hall: &Hall, offer: &Value) -> Answer {
    calls(hall, offer, "get_task_context", json!({"taskId": offer["task"]})).await
}

/// A run that has asked, and whose process is gone; and the question.
async fn asked(hall: &Hall, host: &mut Host, offer: &Value) -> String {
    host.says(json!({"type": "started", "run": offer["run"], "pid": 7})).await;
    host.says(json!({"type": "conversation", "run": offer["run"], "id": "c-1"})).await;
    let asks = json!({"question": "Keep the old table?", "options": ["keep", "drop"], "default_action": "keep",
        "timeout_minutes": 600});
    let said = calls(hall, offer, "request_input", asks).await.body;
    let prompt = said["prompt"].as_str().unwrap_or_else(|| panic!("{said}"));
    assert!(prompt.contains("End your turn now; you are resumed with the answer."), "{prompt}");
    assert!(host.ends(&offer["run"], 1, "no_report").await, "it waits");
    said["question_id"].as_str().unwrap().to_owned()
}

async fn answers(hall: &Hall, question: &str, value: &str) {
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/questions/{question}/answer");
    let said = hall.house.orders("POST", &path, &operator, json!({"value": value})).await;
    assert!(said.status.is_success(), "{}", said.text);
}

#[tokio::test(start_paused = true)]
async fn the_first_call_of_a_run_takes_its_task_up_and_no_other_is_there_for_it() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    assert_eq!(task(&hall, &id).await["state"], "ASSIGNED");
    let other = hall.assigns("designer").await;
    let unknown = calls(&hall, &offer, "get_task_context", json!({"taskId": "00000000000000000000000000"})).await;
    let others = calls(&hall, &offer, "get_task_context", json!({"taskId": other})).await;
    assert_eq!((others.status, others.code()), (StatusCode::NOT_FOUND, "TASK_NOT_FOUND"));
    assert_eq!((unknown.status, unknown.code()), (others.status, others.code()));
    assert_eq!(host.hears("called").await["run"], offer["run"]);
    assert_eq!(task(&hall, &id).await["state"], "IN_PROGRESS", "the first call of any tool took it up");
    let known = calls(&hall, &offer, "register_agent", json!({"agentId": offer["agent"], "role": "designer"})).await;
    assert_eq!(known.body["role"], ROLE, "{}", known.text);
    let waits = calls(&hall, &offer, "wait_for_prompt", json!({})).await.body;
    assert!(waits["prompt"].as_str().unwrap().contains("end your turn"), "{waits}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_offered_asked_about_resumed_and_reported() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 2).await;
    assert_eq!(hall.availability("fs-1").await, "waiting");
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    assert_eq!((&offer["task"], &offer["mcp"]), (&id, &json!("http://127.0.0.1:7420/mcp")));
    let (prompt, system) = (offer["prompt"].as_str().unwrap(), offer["system"].as_str().unwrap());
    assert!(prompt.starts_with("Go.") && prompt.contains("You are on call") && !system.is_empty(), "{prompt}");
    assert_eq!(task(&hall, &id).await["runs"][0]["state"], "starting");
    let question = asked(&hall, &mut host, &offer).await;
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["state"]), (&json!("IN_PROGRESS"), &json!("waiting")), "{seen}");
    answers(&hall, &question, "drop").await;
    let resume = host.hears("resume").await;
    assert_eq!((&resume["run"], &resume["conversation"]), (&offer["run"], &json!("c-1")));
    assert!(resume["input"].as_str().unwrap().contains("drop"), "{resume}");
    assert!(resume["story"].as_str().unwrap().contains("Go."), "{resume}");
    let done = json!({"taskId": id, "status": "COMPLETED", "message": "Dropped."});
    let done = calls(&hall, &offer, "send_response", done).await;
    assert!(done.status.is_success(), "{}", done.text);
    let usage = json!({"inputTokens": 10, "outputTokens": 5, "cachedTokens": null, "costUsd": 0.25, "turns": 2,
        "durationMs": 1000, "source": "client"});
    let ended = json!({"type": "ended", "run": offer["run"], "process": 2, "reason": "no_report", "exit": 0,
        "usage": usage});
    assert_eq!(host.says(ended.clone()).await["waits"], false);
    host.sends(&json!({"number": host.number, "message": ended})).await;
    assert_eq!(host.hears("kept").await["number"], host.number, "said twice, it is kept once");
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("COMPLETED"), &json!("reported")), "{seen}");
    assert_eq!(seen["usage"]["inputTokens"], Value::Null, "the first process said nothing");
    let operator = hall.house.token_of("olga", Scope::View);
    for (by, key) in [("role", ROLE), ("client", "claude"), ("task", id.as_str().unwrap())] {
        let path = format!("/api/v1/usage?since=1d&by={by}");
        let sum = hall.house.orders("GET", &path, &operator, Value::Null).await.body["items"][0].clone();
        assert_eq!((&sum["key"], &sum["usage"]["costUsd"]), (&json!(key), &Value::Null), "{sum}");
        assert_eq!(sum["usage"]["inputTokens"], Value::Null, "the first process said nothing: {sum}");
    }
    let one = format!("/api/v1/runs/{}", offer["run"].as_str().unwrap());
    let seen = hall.house.orders("GET", &one, &operator, Value::Null).await.body;
    assert_eq!((&seen["taskId"], &seen["state"], &seen["processes"]), (&id, &json!("ended"), &json!(2)), "{seen}");
    let late = looks(&hall, &offer).await;
    assert_eq!(late.status, StatusCode::UNAUTHORIZED, "the token ended with its run");
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    let next = json!(hall.assigns(offer["slot"].as_str().unwrap()).await);
    assert_eq!(host.hears("offer").await["task"], next);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_host_that_dies_is_followed_by_another_and_none_has_its_prefix_meanwhile() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    let (_, refused) = introduces(&hall, hello("h2", 1, &[])).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("HOST_PREFIX_TAKEN")), "{refused}");
    drop(host);
    sleep(MINUTE / 60).await;
    assert_eq!(task(&hall, &id).await["state"], "IN_PROGRESS", "its lease goes on");
    let (mut next, welcome) = introduces(&hall, hello("h2", 1, &[])).await;
    assert_eq!(welcome["runs"], json!([]), "{welcome}");
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("QUEUED"), &json!("killed")), "{seen}");
    assert_eq!(looks(&hall, &offer).await.status, StatusCode::UNAUTHORIZED);
    next.says(json!({"type": "parked", "slot": "fs-1"})).await;
    let again = next.hears("offer").await;
    assert_eq!(again["task"], id);
    assert_ne!(again["run"], offer["run"]);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_outlives_its_host_and_an_answer_given_meanwhile_goes_on_with_it() {
    let hall = Hall::new().await;
    for (one, other, answered_at_once) in [("h1", "h2", true), ("h3", "h4", false)] {
        let mut host = on_call(&hall, one, 1).await;
        let id = json!(hall.assigns(ROLE).await);
        let offer = host.hears("offer").await;
        let question = asked(&hall, &mut host, &offer).await;
        drop(host);
        sleep(MINUTE / 60).await;
        if answered_at_once {
            answers(&hall, &question, "drop").await;
        }
        let (mut next, welcome) = introduces(&hall, hello(other, 1, &[])).await;
        assert_eq!(welcome["runs"], json!([offer["run"]]), "{welcome}");
        if !answered_at_once {
            answers(&hall, &question, "drop").await;
        }
        let resume = next.hears("resume").await;
        assert_eq!((&resume["run"], &resume["conversation"]), (&offer["run"], &json!("c-1")));
        assert!(resume["input"].as_str().unwrap().contains("drop"), "{resume}");
        next.says(json!({"type": "started", "run": offer["run"], "pid": 7})).await;
        assert_eq!(task(&hall, &id).await["runs"][0]["host"], other, "its own from now on");
        let token = hall.house.tokens.run_token(&serde_json::from_value(offer["run"].clone()).unwrap()).0;
        let done = json!({"taskId": id, "status": "COMPLETED", "message": "Dropped."});
        assert!(calls_with(&hall, &token, "send_response", done).await.status.is_success());
        assert_eq!(next.hears("stop").await["why"], "reported");
        assert!(!next.ends(&offer["run"], 2, "no_report").await);
        assert_eq!(task(&hall, &id).await["runs"].as_array().unwrap().len(), 1);
        drop(next);
        sleep(MINUTE / 60).await;
    }
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_outlived_its_run_takes_nothing_from_the_next_one() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    host.says(json!({"type": "started", "run": offer["run"], "pid": 7})).await;
    let (hub, token) = (&hall.house.backstage.hub, offer["token"].as_str().unwrap());
    // Let in while its process lived, and on its way ever since.
    let principal = hall.house.tokens.authenticate_run(token, &hub.on_call).unwrap().unwrap().principal;
    let late = Caller {
        principal,
        surface: Surface::Agent,
        client: None,
        instance: None,
        session: None,
        request: "late".to_owned(),
        trace: Trace::begun(TraceId::of(1)),
        peer: None,
        reports: None,
        follows: Follows::default(),
    };
    host.ends(&offer["run"], 1, "crashed").await;
    host.says(json!({"type": "parked", "slot": "fs-1"})).await;
    let again = host.hears("offer").await;
    assert_eq!(again["task"], id);
    let report = json!({"taskId": id, "message": "at work"});
    let refused = tools::call(hub, &late, "update_progress", report).await.unwrap_err();
    assert_eq!(refused.code, "RUN_WRONG_STATE");
    assert_eq!(task(&hall, &id).await["state"], "ASSIGNED", "it is the next run's to take up");
    looks(&hall, &again).await;
    assert_eq!(task(&hall, &id).await["state"], "IN_PROGRESS");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_same_host_is_back_and_its_run_goes_on_or_says_how_it_ended() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 2).await;
    let (one, two) = (json!(hall.assigns(ROLE).await), json!(hall.assigns(ROLE).await));
    let (first, second) = (host.hears("offer").await, host.hears("offer").await);
    looks(&hall, &first).await;
    looks(&hall, &second).await;
    drop(host);
    sleep(MINUTE).await;
    let runs = [first["run"].as_str().unwrap()];
    let (mut host, welcome) = introduces(&hall, hello("h1", 2, &runs)).await;
    assert_eq!(welcome["runs"].as_array().unwrap().len(), 2, "{welcome}");
    host.number = 10;
    sleep(MINUTE).await;
    assert_eq!(task(&hall, &one).await["state"], "IN_PROGRESS");
    let lost = task(&hall, &two).await;
    assert_eq!((&lost["state"], &lost["runs"][0]["reason"]), (&json!("QUEUED"), &json!("killed")), "{lost}");
    assert!(!host.ends(&first["run"], 1, "crashed").await);
    let failed = task(&hall, &one).await;
    assert_eq!(failed["runs"][0]["reason"], "crashed", "{failed}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_offer_goes_back_with_its_connection_and_a_cancelled_run_is_stopped() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    drop(host);
    sleep(MINUTE / 60).await;
    let seen = task(&hall, &id).await;
    assert_eq!((&seen["state"], &seen["runs"][0]["reason"]), (&json!("QUEUED"), &json!("killed")), "{seen}");
    let mut host = on_call(&hall, "h2", 1).await;
    let again = host.hears("offer").await;
    assert_ne!(again["run"], offer["run"]);
    looks(&hall, &again).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/tasks/{}/cancel", id.as_str().unwrap());
    assert!(hall.house.orders("POST", &path, &operator, json!({})).await.status.is_success());
    let stop = host.hears("stop").await;
    assert_eq!((&stop["run"], &stop["why"]), (&again["run"], &json!("cancelled")));
    assert!(!host.ends(&again["run"], 1, "killed").await);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_is_dropped_when_its_task_is_cancelled() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = hall.assigns(ROLE).await;
    let offer = host.hears("offer").await;
    asked(&hall, &mut host, &offer).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    hall.house.orders("POST", &format!("/api/v1/tasks/{id}/cancel"), &operator, json!({})).await;
    assert_eq!(host.hears("stop").await["run"], offer["run"]);
    host.says(json!({"type": "parked", "slot": offer["slot"]})).await;
    let next = json!(hall.assigns(ROLE).await);
    assert_eq!(host.hears("offer").await["task"], next);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_blocked_is_resumed_with_its_answer_in_the_same_run() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    let blocked = json!({"taskId": id, "status": "BLOCKED", "message": "m", "blockedReason": "which port?"});
    assert!(calls(&hall, &offer, "send_response", blocked).await.status.is_success());
    assert!(host.ends(&offer["run"], 1, "no_report").await, "it waits");
    // Another task is for the role: this slot waits for its own alone.
    hall.assigns(ROLE).await;
    host.hears_nothing_of("offer", MINUTE).await;
    let operator = hall.house.token_of("olga", Scope::Operate);
    let path = format!("/api/v1/tasks/{}/answer", id.as_str().unwrap());
    let said = hall.house.orders("POST", &path, &operator, json!({"answer": "port 7420"})).await;
    assert!(said.status.is_success(), "{}", said.text);
    let resume = host.hears("resume").await;
    assert_eq!(resume["run"], offer["run"]);
    assert!(resume["input"].as_str().unwrap().contains("port 7420"), "{resume}");
    looks(&hall, &offer).await;
    assert_eq!(task(&hall, &id).await["state"], "IN_PROGRESS");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_process_that_prints_keeps_its_lease() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    let id = json!(hall.assigns(ROLE).await);
    let offer = host.hears("offer").await;
    looks(&hall, &offer).await;
    for _ in 0..20 {
        sleep(5 * MINUTE).await;
        host.says(json!({"type": "active", "run": offer["run"]})).await;
    }
    assert_eq!(task(&hall, &id).await["state"], "IN_PROGRESS", "100 minutes later");
    sleep(31 * MINUTE).await;
    assert_eq!(task(&hall, &id).await["runs"][0]["reason"], "killed", "a run never outlives its lease");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_may_not_be_a_host_hears_why() {
    let hall = Hall::new().await;
    let agent = hall.house.agent_token("ann");
    assert_eq!(dials(&hall, &agent).await.err(), Some(StatusCode::FORBIDDEN));
    let operator = hall.house.token_of("root", Scope::Admin);
    assert_eq!(dials(&hall, &operator).await.err(), Some(StatusCode::FORBIDDEN));
    let table: [(&str, Value, &str); 6] = [
        ("role", json!("poet"), "ROLE_UNKNOWN"),
        ("role", json!("designer"), "IDENTITY_MISMATCH"),
        ("max", json!(0), "INVALID_ARGUMENTS"),
        ("max", json!(65), "INVALID_ARGUMENTS"),
        ("prefix", json!("No name"), "INVALID_ARGUMENTS"),
        ("protocol", json!(2), "HOST_TOO_NEW"),
    ];
    for (field, value, code) in table {
        let mut said = hello("h1", 1, &[]);
        said[field] = value;
        let (_, refused) = introduces(&hall, said).await;
        assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!(code)), "{refused}");
        assert!(refused["prompt"].as_str().is_some_and(|prompt| !prompt.is_empty()), "{refused}");
    }
    let token = host_token(&hall.house, "build", ROLE);
    for (method, path) in [("GET", "/api/v1/tasks"), ("GET", "/api/v1/me"), ("POST", "/api/v1/tools/list_agents")] {
        let body = if method == "POST" { json!({}) } else { Value::Null };
        assert_eq!(hall.house.orders(method, path, &token, body).await.status, StatusCode::FORBIDDEN, "{path}");
    }
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_host_takes_over_no_agent_of_another_role() {
    let hall = Hall::new().await;
    let token = hall.house.agent_token("fs-2");
    let role = |role: &str| json!({"agentId": "fs-2", "role": role});
    assert!(calls_with(&hall, &token, "register_agent", role("designer")).await.status.is_success());
    let (_, refused) = introduces(&hall, hello("h1", 2, &[])).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("HOST_PREFIX_TAKEN")), "{refused}");
    assert!(refused["error"].as_str().is_some_and(|error| error.contains("`fs-2` is an agent of role `designer`")));
    let reader = hall.house.token_of("vera", Scope::View);
    let seen = hall.house.orders("GET", "/api/v1/agents/fs-2", &reader, Value::Null).await.body;
    assert_eq!(seen["role"], "designer", "{seen}");
    let (_, welcome) = introduces(&hall, hello("h1", 1, &[])).await;
    assert_eq!(welcome["type"], "welcome", "the others are free: {welcome}");
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_revoked_token_ends_the_connection() {
    let hall = Hall::new().await;
    let token = host_token(&hall.house, "build", ROLE);
    let mut host = dials(&hall, &token).await.unwrap();
    assert_eq!(host.introduces_itself(hello("h1", 1, &[])).await["type"], "welcome");
    let id = hall.house.tokens.list().into_iter().find(|known| known.principal == "host:build").unwrap().id;
    hall.house.tokens.revoke(&id).unwrap();
    host.closes().await;
    assert!(dials(&hall, &token).await.is_err());
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_pauses_takes_nothing() {
    let hall = Hall::new().await;
    let mut host = on_call(&hall, "h1", 1).await;
    host.says(json!({"type": "paused", "slot": "fs-1", "pause": 60_000, "reason": "no_report"})).await;
    hall.assigns(ROLE).await;
    host.hears_nothing_of("offer", 5 * MINUTE).await;
    host.says(json!({"type": "parked", "slot": "fs-1"})).await;
    host.hears("offer").await;
    hall.ends().await;
}

/// The hub starts anew with what is on disk, and the same host is back with these runs.
async fn starts_anew(hall: Hall, reader: &memory::MemoryReader) -> (Hall, memory::MemoryReader) {
    hall.ends().await;
    let (store, reader) = reader.reopened();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), |_| {}).await;
    (Hall::of(house), reader)
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_starts_anew_finds_each_run_where_it_was() {
    let (store, reader) = memory::open();
    let house = GuardedHub::over(Box::new(store), JournalReads::new(reader.clone()), |_| {}).await;
    let hall = Hall::of(house);
    let mut host = on_call(&hall, "h1", 2).await;
    let (working, waiting) = (json!(hall.assigns("fs-1").await), json!(hall.assigns("fs-2").await));
    let (one, two) = (host.hears("offer").await, host.hears("offer").await);
    looks(&hall, &one).await;
    let question = asked(&hall, &mut host, &two).await;
    let (hall, _) = starts_anew(hall, &reader).await;
    assert_eq!(task(&hall, &working).await["runs"][0]["state"], "working");
    assert_eq!(task(&hall, &waiting).await["runs"][0]["state"], "waiting");
    let (mut host, welcome) = introduces(&hall, hello("h1", 2, &[one["run"].as_str().unwrap()])).await;
    assert_eq!(welcome["runs"].as_array().unwrap().len(), 2, "{welcome}");
    answers(&hall, &question, "drop").await;
    assert_eq!(host.hears("resume").await["run"], two["run"]);
    host.number = 100;
    let token = hall.house.tokens.run_token(&serde_json::from_value(one["run"].clone()).unwrap()).0;
    let done = json!({"taskId": working, "status": "COMPLETED", "message": "Done."});
    assert!(calls_with(&hall, &token, "send_response", done).await.status.is_success());
    assert!(!host.ends(&one["run"], 1, "no_report").await);
    assert_eq!(task(&hall, &working).await["runs"][0]["reason"], "reported");
    hall.ends().await;
}
